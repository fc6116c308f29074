//! Plans, runs and branch summaries of every preset, over small and generated sessions.

#![allow(
    clippy::unwrap_used,
    reason = "a session or a plan that cannot be made fails its test"
)]

mod branches;
mod common;
mod plans;
mod presets;
mod properties;
mod real_replies;
mod reflections;
mod running;
mod sent;
mod sketches;
mod stages;
