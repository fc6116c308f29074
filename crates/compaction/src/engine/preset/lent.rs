//! Prompts that a preset borrows, where its stages are set to want others than it has.

use crate::engine::preset::data::Preset;
use crate::engine::preset::lending::lender;
use crate::engine::preset::places::prompt_spec;
use crate::engine::preset::wants::wants;
use crate::vocabulary::params::{ParamError, ParamSpec};
use serde_json::{Map, Value};

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

impl Preset {
    /// The prompts that other presets lend this one when it is set so, in the order in which its
    /// stages want them. Prompts among `settings` do not count: what is lent is what stands there
    /// until one is given. Fails as [`Preset::with`] does.
    pub fn lent(&self, settings: &Map<String, Value>) -> Result<Vec<LentPrompt>, ParamError> {
        let is_prompt = |name: &String| name.starts_with("prompts.");
        let mut stages = settings.clone();
        stages.retain(|name, _| !is_prompt(name));
        // Nothing is lent to a preset that is as it was written.
        if stages.is_empty() {
            return Ok(Vec::new());
        }
        let with = self.with(&stages)?;
        let mut lent: Vec<LentPrompt> = Vec::new();
        for want in wants(&with) {
            let text = with.prompts.get(want.name);
            if text == self.prompts.get(want.name) {
                continue;
            }
            let (Some(text), Some(from)) = (text, lender(&want)) else {
                continue;
            };
            let spec = prompt_spec(want.name, text);
            if lent.iter().all(|own| own.spec.path != spec.path) {
                lent.push(LentPrompt {
                    spec,
                    from: &from.name,
                    stage: want.stage,
                });
            }
        }
        Ok(lent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn set(settings: &[(&str, Value)]) -> Map<String, Value> {
        let pairs = settings.iter();
        pairs
            .map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect()
    }

    #[test]
    fn a_preset_as_it_was_written_borrows_nothing() {
        for preset in Preset::built_in() {
            assert_eq!(preset.lent(&Map::new()), Ok(Vec::new()), "{}", preset.name);
            let kind = serde_json::to_value(&preset.select).unwrap()["kind"].clone();
            let same = set(&[("select.kind", kind)]);
            assert_eq!(preset.lent(&same), Ok(Vec::new()), "{}", preset.name);
        }
    }

    #[test]
    fn what_a_switched_kind_wants_is_named_with_lender_and_text() {
        let pi = Preset::named("pi").unwrap();
        let lent = pi
            .lent(&set(&[("summarize.method.kind", json!("slices"))]))
            .unwrap();
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
        let lent = pi.lent(&set(std::slice::from_ref(&check))).unwrap();
        assert_eq!(lent[0].spec.path, "prompts.check");
        let own = set(&[check, ("prompts.check", json!("Look again: {{reply}}"))]);
        let with = pi.with(&own).unwrap();
        assert_eq!(with.prompts["check"].text(), "Look again: {{reply}}");
        assert_eq!(pi.lent(&own).unwrap(), lent, "what was lent stays named");
    }

    #[test]
    fn every_lent_prompt_can_be_given_anew() {
        for preset in Preset::built_in() {
            for kind in super::super::stage_kinds() {
                if ["reduce", "assemble.next"].contains(&kind.stage) {
                    continue;
                }
                let mut settings = set(&[(&format!("{}.kind", kind.stage), json!(kind.kind))]);
                for own in preset.lent(&settings).unwrap() {
                    let text = format!("{} Anew.", own.spec.default.as_str().unwrap());
                    settings.insert(own.spec.path, json!(text));
                }
                let with = preset.with(&settings);
                assert!(with.is_ok(), "{} to {}: {with:?}", preset.name, kind.kind);
            }
        }
    }
}
