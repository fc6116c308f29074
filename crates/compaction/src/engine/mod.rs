//! Presets put stages together: what a preset is, the plans it makes, its fallbacks, and the plans
//! of branches.

mod again;
pub mod agent_settings;
pub mod branch;
mod cached;
pub(crate) mod draw_up;
mod fallback;
mod files;
mod notes;
pub mod pi;
pub(crate) mod planning;
pub mod preset;
pub mod strategy;
pub mod wording;
