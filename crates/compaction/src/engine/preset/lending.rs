//! Which preset lends a prompt that another one lacks.

use crate::engine::preset::data::Preset;
use crate::engine::preset::wants::{Want, wants};

/// Gives `preset` the prompts that its stages need and that it lacks, from the first built-in
/// preset that has such a stage. Where kinds were `switched`, a prompt written for another kind,
/// which lacks a place that is needed, counts as lacking.
pub(crate) fn lend_prompts(preset: &mut Preset, switched: bool) {
    for want in wants(preset) {
        let has = preset.prompts.contains_key(want.name);
        if has && (!switched || want.is_met_by(preset)) {
            continue;
        }
        if let Some(other) = lender(&want) {
            preset.prompts.borrow_from(&other.prompts, want.name);
        }
    }
}

/// The built-in preset that lends what is wanted: the first that wants it itself. One that has it
/// without needing it has it for a setting of its own.
pub(crate) fn lender(want: &Want) -> Option<&'static Preset> {
    let has = |other: &&Preset| other.prompts.contains_key(want.name) && want.is_met_by(other);
    let needs = |other: &&Preset| wants(other).iter().any(|own| own.name == want.name);
    Preset::built_in()
        .find(|other| needs(other) && has(other))
        .or_else(|| Preset::built_in().find(has))
}
