//! A preset with its settings applied, and what follows from them.

use crate::engine::preset::data::Preset;
use crate::engine::preset::lent::{LentPrompt, lent};
use crate::vocabulary::params::ParamError;
use serde_json::{Map, Value};

/// A preset with its settings applied, once for all that a plan needs of it.
#[derive(Debug, Clone, PartialEq)]
pub struct PresetAsSet {
    /// The preset.
    pub preset: Preset,
    /// The settings.
    pub settings: Map<String, Value>,
    /// The prompts that other presets lend it as it is set, in the order in which its stages want
    /// them. Prompts among the settings do not count: what is lent is what stands there until one
    /// is given.
    pub lent: Vec<LentPrompt>,
}

impl Preset {
    /// This preset with some parameters set. Fails as [`Preset::with`] does.
    pub fn as_set(&self, settings: &Map<String, Value>) -> Result<PresetAsSet, ParamError> {
        let applied = self.apply(settings)?;
        Ok(PresetAsSet {
            lent: lent(self, &applied),
            preset: applied.preset,
            settings: settings.clone(),
        })
    }
}
