//! Parameters that were added to presets later, as plans before them were made.

use crate::engine::preset::data::Preset;
use serde_json::{Map, Value, json};

impl Preset {
    /// The parameters of a plan that was recorded, with what a plan of its version did where this
    /// version has a parameter more. A record names every parameter that there was.
    pub fn as_recorded(&self, params: &Map<String, Value>) -> Map<String, Value> {
        let added = [
            ("request", json!("transcript")),
            ("last_round", json!("summarize")),
            ("show_last_round", json!(false)),
            ("part_separator", json!("")),
        ];
        let mut all = params.clone();
        for spec in self.stage_specs() {
            let is_recorded = params.contains_key(&spec.name) || params.contains_key(&spec.path);
            let name = spec.path.rsplit('.').next();
            let found = added.iter().find(|(own, _)| Some(*own) == name);
            if let Some((_, before)) = found.filter(|_| !is_recorded) {
                all.insert(spec.name, before.clone());
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_record_does_not_name_is_as_it_was_before() {
        let preset = Preset::known("codex").unwrap();
        let mut before = preset.params();
        assert_eq!(before.remove("request"), Some(json!("conversation")));
        let all = preset.as_recorded(&before);
        assert_eq!(all["request"], "transcript");
        assert_eq!(preset.as_recorded(&preset.params()), preset.params());
    }
}
