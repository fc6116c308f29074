//! The ways of the stages that several presets share, and what must hold for every preset.

#![allow(
    clippy::unwrap_used,
    reason = "a plan that cannot be made fails its test"
)]

#[path = "../common/mod.rs"]
mod common;
mod every_preset;
mod external;
mod openhands;
mod pack;
mod pi_rules;
mod ratings;
mod reduce;
mod replies;
mod slices;
