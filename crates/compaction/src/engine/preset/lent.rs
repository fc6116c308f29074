//! Prompts that a preset borrows, where its stages are set to want others than it has.

use crate::engine::preset::data::Preset;
use crate::engine::preset::lending::lender;
use crate::engine::preset::places::prompt_spec;
use crate::engine::preset::settings::Applied;
use crate::engine::preset::wants::wants;
use crate::vocabulary::params::ParamSpec;

/// A prompt that a preset lacks and another one lends.
#[derive(Debug, Clone, PartialEq)]
pub struct LentPrompt {
    /// The prompt as a parameter, with the lent text as its default; `prompts.NAME` sets it.
    pub spec: ParamSpec,
    /// The built-in preset that lends it.
    pub from: &'static str,
    /// The stage that wants it: `select`, `summarize` or `assemble`.
    pub stage: &'static str,
}

/// The prompts that other presets lend `written` when it is set as in `applied`, in the order in
/// which its stages want them. Prompts among the settings do not count: what is lent is what stands
/// there until one is given.
pub(super) fn lent(written: &Preset, applied: &Applied) -> Vec<LentPrompt> {
    let mut lent: Vec<LentPrompt> = Vec::new();
    for want in wants(&applied.preset) {
        let replaced = applied.replaced.get(want.name);
        let text = replaced.or_else(|| applied.preset.prompts.get(want.name));
        // This text is the preset's own and not lent.
        if text == written.prompts.get(want.name) {
            continue;
        }
        let (Some(text), Some(from)) = (text, lender(&want)) else {
            continue;
        };
        let spec = prompt_spec(want.name, text);
        // Two stages may want the same prompt.
        if lent.iter().all(|own| own.spec.path != spec.path) {
            lent.push(LentPrompt {
                spec,
                from: &from.name,
                stage: want.stage,
            });
        }
    }
    lent
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::params::ParamError;
    use serde_json::{Map, Value, json};

    fn set(settings: &[(&str, Value)]) -> Map<String, Value> {
        let pairs = settings.iter();
        pairs
            .map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect()
    }

    fn lent(preset: &Preset, settings: &Map<String, Value>) -> Result<Vec<LentPrompt>, ParamError> {
        let applied = preset.apply(settings)?;
        Ok(super::lent(preset, &applied))
    }

    #[test]
    fn a_preset_as_it_was_written_borrows_nothing() {
        for preset in Preset::built_in() {
            assert_eq!(lent(preset, &Map::new()), Ok(Vec::new()), "{}", preset.name);
            let kind = serde_json::to_value(&preset.select).unwrap()["kind"].clone();
            let same = set(&[("select.kind", kind)]);
            assert_eq!(lent(preset, &same), Ok(Vec::new()), "{}", preset.name);
        }
    }

    #[test]
    fn what_a_switched_kind_wants_is_named_with_lender_and_text() {
        let pi = Preset::named("pi").unwrap();
        let slices = set(&[("summarize.method.kind", json!("slices"))]);
        let lent = lent(pi, &slices).unwrap();
        let slice = lent
            .iter()
            .find(|own| own.spec.path == "prompts.slice")
            .unwrap();
        let from = Preset::named(slice.from).unwrap();
        assert_eq!(slice.spec.default, json!(from.prompts["slice"].text()));
        assert_eq!(slice.stage, "summarize");
        assert!(
            lent.iter().all(|own| own.from != "pi"),
            "nobody borrows from himself: {lent:?}"
        );
    }

    #[test]
    fn a_parameter_that_wants_a_prompt_has_it_lent_and_takes_ones_own() {
        let pi = Preset::named("pi").unwrap();
        let check = ("summarize.method.self_check", json!(true));
        let named = lent(pi, &set(std::slice::from_ref(&check))).unwrap();
        assert_eq!(named[0].spec.path, "prompts.check");
        let own = set(&[check, ("prompts.check", json!("Look again: {{reply}}"))]);
        let with = pi.with(&own).unwrap();
        assert_eq!(with.prompts["check"].text(), "Look again: {{reply}}");
        assert_eq!(lent(pi, &own).unwrap(), named, "what was lent stays named");
    }

    #[test]
    fn every_lent_prompt_can_be_given_anew() {
        for preset in Preset::built_in() {
            for kind in super::super::stage_kinds() {
                if ["reduce", "assemble.next"].contains(&kind.stage) {
                    continue;
                }
                let mut settings = set(&[(&format!("{}.kind", kind.stage), json!(kind.kind))]);
                for own in lent(preset, &settings).unwrap() {
                    let text = format!("{} Anew.", own.spec.default.as_str().unwrap());
                    settings.insert(own.spec.path, json!(text));
                }
                let with = preset.with(&settings);
                assert!(with.is_ok(), "{} to {}: {with:?}", preset.name, kind.kind);
            }
        }
    }
}
