//! The ways of the stages that several presets share.

mod external;
mod openhands;
mod pack;
mod pi_rules;
mod ratings;
mod reduce;
mod replies;
mod slices;
