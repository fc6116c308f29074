//! The prompts that the stages of a preset want.

use crate::engine::preset::data::Preset;
use crate::vocabulary::needs::Needed;

/// A prompt that a stage wants.
pub(crate) struct Want {
    pub name: &'static str,
    /// The places it must have.
    pub places: &'static [&'static str],
    pub stage: &'static str,
}

impl Want {
    /// Whether a preset's prompt of this name has the places.
    pub fn is_met_by(&self, preset: &Preset) -> bool {
        let template = preset.prompt(self.name);
        self.places.iter().all(|place| template.has(place))
    }
}

/// The prompts that the stages of a preset want.
pub(crate) fn wants(preset: &Preset) -> Vec<Want> {
    let of = |stage, needed: Vec<Needed>| {
        needed.into_iter().map(move |(name, places)| Want {
            name,
            places,
            stage,
        })
    };
    of("select", preset.select.needed())
        .chain(of("summarize", preset.summarize.method.needed()))
        .chain(of("assemble", preset.assemble.needed()))
        .collect()
}

/// The prompts that the stages of a preset need, with the places they must have.
pub(crate) fn needed(preset: &Preset) -> Vec<Needed> {
    let wants = wants(preset).into_iter();
    wants.map(|want| (want.name, want.places)).collect()
}
