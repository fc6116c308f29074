//! Prompts that a preset borrows, where its stages are set to want others than it has.

use super::settings::prompt_spec;
use super::{Needed, Preset};
use crate::params::{ParamError, ParamSpec};
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

/// A prompt that a stage wants.
struct Want {
    name: &'static str,
    /// The places it must have.
    places: &'static [&'static str],
    stage: &'static str,
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

/// Gives `preset` the prompts that its stages need and that it lacks, from the first built-in
/// preset that has such a stage. Where kinds were `switched`, a prompt written for another kind,
/// which lacks a place that is needed, counts as lacking.
pub(super) fn lend_prompts(preset: &mut Preset, switched: bool) {
    for want in wants(preset) {
        let has = preset.prompts.contains_key(want.name);
        if has && (!switched || want.is_met_by(preset)) {
            continue;
        }
        let prompt = lender(&want).and_then(|other| other.prompts.get(want.name));
        if let Some(prompt) = prompt {
            preset.prompts.insert(want.name.to_owned(), prompt.clone());
        }
    }
}

/// The built-in preset that lends what is wanted: the first that wants it itself. One that has it
/// without needing it has it for a setting of its own.
fn lender(want: &Want) -> Option<&'static Preset> {
    let has = |other: &&Preset| other.prompts.contains_key(want.name) && want.is_met_by(other);
    let needs = |other: &&Preset| wants(other).iter().any(|own| own.name == want.name);
    Preset::built_in()
        .find(|other| needs(other) && has(other))
        .or_else(|| Preset::built_in().find(has))
}

impl Want {
    /// Whether a preset's prompt of this name has the places.
    fn is_met_by(&self, preset: &Preset) -> bool {
        let template = preset.prompt(self.name);
        self.places.iter().all(|place| template.has(place))
    }
}

/// The prompts that the stages of a preset want.
fn wants(preset: &Preset) -> Vec<Want> {
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
pub(super) fn needed(preset: &Preset) -> Vec<Needed> {
    let wants = wants(preset).into_iter();
    wants.map(|want| (want.name, want.places)).collect()
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
