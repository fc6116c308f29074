//! Presets: strategies as data.
//!
//! A preset names one of the known ways for each of the four stages, with parameters, and has the
//! prompts. The built-in ones are the files of `assets/presets`; a custom one is read by
//! [`Preset::parse`]. A preset may say `"extends": "other"` and then holds only what differs.

pub(crate) mod as_set;
pub(crate) mod built_in;
mod check;
pub(crate) mod data;
mod earlier;
mod kinds;
pub(crate) mod labels;
mod lending;
mod lent;
mod places;
pub(crate) mod settings;
mod wants;

pub use crate::vocabulary::error::{PresetError, TemplateError};
pub use crate::vocabulary::needs::Needed;
pub use crate::workpiece::template;
pub use as_set::PresetAsSet;
pub use data::Preset;
pub use kinds::{StageKind, stage_kinds};
pub use labels::{param_label, prompt_label};
pub use lent::LentPrompt;

#[cfg(test)]
mod tests;
