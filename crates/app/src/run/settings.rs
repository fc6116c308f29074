//! The settings of runs, and those in which runs of one cut differ.

use super::kept::RunRecord;
use crate::error::Result;
use crate::prompts::{INSTRUCTIONS, PromptUse, REQUEST, UsedBy, prompt_hash};
use crate::workspace::App;
use palimpsest_compaction::{param_label, prompt_label};
use palimpsest_core::SummaryKind;
use serde_json::Value;
use std::collections::HashMap;

/// What a run was made with, in one respect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunSetting {
    /// `strategy`, `provider`, `model`, `cut`, `prompts.PLACE`, or the place of a parameter.
    pub key: String,
    /// What a person calls it.
    pub label: String,
    /// Its value in a few words: for a prompt its name and version.
    pub value: String,
    /// The whole text of a prompt, where it is known.
    pub text: Option<String>,
}

/// The settings of a run, the most important first.
pub fn settings_of(record: &RunRecord) -> Vec<RunSetting> {
    let row = &record.row;
    let setting = |key: &str, label: &str, value: &str| RunSetting {
        key: key.to_owned(),
        label: label.to_owned(),
        value: value.to_owned(),
        text: None,
    };
    let mut all = vec![
        setting("strategy", "Strategy", &row.strategy),
        setting("provider", "Provider", &row.provider),
    ];
    if !row.model.is_empty() {
        all.push(setting("model", "Model", &row.model));
    }
    // Instructions are among the prompts where those are noted.
    let noted = |place: &str| record.plan.prompts.iter().any(|own| own.place == place);
    if let Some(text) = &row.instructions
        && !noted(INSTRUCTIONS)
        && !noted(REQUEST)
    {
        all.push(RunSetting {
            text: Some(text.clone()),
            ..setting("prompts.instructions", "Custom instructions", text)
        });
    }
    for own in &record.plan.prompts {
        let is_given = [INSTRUCTIONS, REQUEST].contains(&own.place.as_str());
        let text = is_given.then(|| row.instructions.clone()).flatten();
        all.push(RunSetting {
            key: format!("prompts.{}", own.place),
            label: label_of_prompt(&own.place),
            value: prompt_name(own),
            text,
        });
    }
    for (name, value) in &record.plan.params {
        all.push(setting(name, &param_label(name), &shown(value)));
    }
    let cut = record.plan.first_kept_id.as_deref();
    all.push(setting("cut", "First kept entry", cut.unwrap_or("none")));
    all
}

/// For each of several runs the settings in which they differ. A setting that only some have
/// differs.
pub fn differing(records: &[&RunRecord]) -> Vec<Vec<RunSetting>> {
    let all: Vec<Vec<RunSetting>> = records.iter().map(|record| settings_of(record)).collect();
    let mut values: HashMap<&str, Vec<&str>> = HashMap::new();
    for setting in all.iter().flatten() {
        values.entry(&setting.key).or_default().push(&setting.value);
    }
    let differs = |key: &str| {
        let of = &values[key];
        of.len() < all.len() || of.iter().any(|value| *value != of[0])
    };
    let keys: Vec<&str> = values.keys().copied().filter(|key| differs(key)).collect();
    all.iter()
        .map(|own| {
            let own = own.iter();
            own.filter(|setting| keys.contains(&setting.key.as_str()))
                .cloned()
                .collect()
        })
        .collect()
}

/// For each run of a list the settings in which it differs from the others of its cut: those that
/// were planned at the same entry.
pub fn differing_by_cut(records: &[RunRecord]) -> Vec<Vec<RunSetting>> {
    let mut cuts: HashMap<(&str, Option<&str>, SummaryKind), Vec<usize>> = HashMap::new();
    for (at, record) in records.iter().enumerate() {
        let row = &record.row;
        let cut = (
            row.session_id.as_str(),
            row.at_entry_id.as_deref(),
            row.kind,
        );
        cuts.entry(cut).or_default().push(at);
    }
    let mut found = vec![Vec::new(); records.len()];
    for places in cuts.values() {
        let group: Vec<&RunRecord> = places.iter().map(|at| &records[*at]).collect();
        for (at, differing) in places.iter().zip(differing(&group)) {
            found[*at] = differing;
        }
    }
    found
}

impl App {
    /// The same with the texts of prompts: those that are saved, and those of the strategies.
    pub fn differing_with_texts(&self, records: &[&RunRecord]) -> Result<Vec<Vec<RunSetting>>> {
        let mut all = differing(records);
        for (record, settings) in records.iter().zip(&mut all) {
            for setting in settings {
                if let Some(place) = setting.key.strip_prefix("prompts.")
                    && setting.text.is_none()
                    && let Some(own) = record.plan.prompts.iter().find(|own| own.place == place)
                {
                    setting.text = self.text_of_prompt(&record.row.strategy, own)?;
                }
            }
        }
        Ok(all)
    }

    /// The text behind a prompt of a run; `None` for one of a strategy that has changed since.
    fn text_of_prompt(&self, strategy: &str, own: &PromptUse) -> Result<Option<String>> {
        Ok(match own.by {
            UsedBy::User => {
                let saved = self.user_db()?.prompt_by_hash(&own.hash)?;
                saved.map(|saved| saved.text)
            }
            UsedBy::Strategy => {
                let preset = self.preset(strategy).ok();
                let text = preset.and_then(|preset| Some(preset.prompts.get(&own.place)?.text()));
                text.filter(|text| prompt_hash(text) == own.hash)
            }
        })
    }
}

fn label_of_prompt(place: &str) -> String {
    match place {
        INSTRUCTIONS => "Custom instructions".to_owned(),
        REQUEST => "Prompt in place of the strategy's".to_owned(),
        _ => format!("Prompt: {}", prompt_label(place)),
    }
}

fn prompt_name(own: &PromptUse) -> String {
    match (&own.name, own.version) {
        (Some(name), Some(version)) => match &own.label {
            Some(label) => format!("{name}@{version} ({label})"),
            None => format!("{name}@{version}"),
        },
        // Prompts of strategies have no versions, and texts that differ must not look alike.
        _ if own.by == UsedBy::Strategy => {
            format!("of the strategy ({})", &own.hash[..8.min(own.hash.len())])
        }
        _ => format!("unsaved ({})", &own.hash[..8.min(own.hash.len())]),
    }
}

/// A value in a few words.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => "not set".to_owned(),
        Value::Bool(true) => "on".to_owned(),
        Value::Bool(false) => "off".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
