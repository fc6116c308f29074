//! Which prompts a plan uses, by hash and, where they are saved, by name and version.

use super::prompt_use::{PromptUse, UsedBy};
use super::{INSTRUCTIONS, REQUEST, prompt_hash};
use crate::error::Result;
use crate::workspace::App;
use palimpsest_compaction::{Instructions, Preset};
use palimpsest_store::user::{PromptOrigin, PromptVersion};
use serde_json::{Map, Value};
use std::collections::HashMap;

impl App {
    /// The prompts of `preset` with `set` and `instructions`: the strategy's own by their hash,
    /// the user's by name and version as well where a saved prompt says the same.
    pub(crate) fn prompts_used(
        &self,
        preset: &Preset,
        set: &Map<String, Value>,
        instructions: &Instructions,
    ) -> Result<Vec<PromptUse>> {
        let mut used = Vec::new();
        let given = instructions.given().map(|text| {
            let place = if instructions.replace {
                REQUEST
            } else {
                INSTRUCTIONS
            };
            (place, text.to_owned())
        });
        let own = preset.prompts.iter().map(|(place, own)| {
            let set = set.get(&format!("prompts.{place}")).and_then(Value::as_str);
            let by = match set {
                Some(_) => UsedBy::User,
                None => UsedBy::Strategy,
            };
            let text = set.map_or_else(|| own.text(), str::to_owned);
            (place.as_str(), text, by)
        });
        let given = given.map(|(place, text)| (place, text, UsedBy::User));
        for (place, text, by) in own.chain(given) {
            let hash = prompt_hash(&text);
            // By hash and not by name: what counts is the text that is sent.
            let saved = match by {
                UsedBy::User => self.user_db()?.prompt_by_hash(&hash)?,
                UsedBy::Strategy => None,
            };
            used.push(PromptUse {
                place: place.to_owned(),
                hash,
                by,
                version: saved.as_ref().map(|saved| saved.version),
                label: saved.as_ref().and_then(|saved| saved.label.clone()),
                name: saved.map(|saved| saved.name),
            });
        }
        Ok(used)
    }

    /// Gives the saved prompts of stored plans the names, versions and labels they have now: a run
    /// knows its prompts by their text, so a renamed prompt keeps its runs.
    pub(crate) fn name_prompts<'a>(
        &self,
        used: impl Iterator<Item = &'a mut PromptUse>,
    ) -> Result<()> {
        let mut known: HashMap<String, Vec<PromptVersion>> = HashMap::new();
        for own in self.prompts(None)? {
            let same = known.entry(own.content_hash.clone()).or_default();
            same.push(own);
        }
        for own in used.filter(|own| own.by == UsedBy::User) {
            let Some(same) = known.get(&own.hash) else {
                // It was deleted; the run still knows what it was called.
                continue;
            };
            let is_it = |saved: &&PromptVersion| {
                own.name.as_ref() == Some(&saved.name) && own.version == Some(saved.version)
            };
            // Two prompts can have the same text: the one that was named counts.
            let first = || {
                same.iter()
                    .min_by_key(|saved| (saved.created_at_ms, &saved.name))
            };
            let saved = same.iter().find(is_it).or_else(first);
            own.name = saved.map(|saved| saved.name.clone());
            own.version = saved.map(|saved| saved.version);
            own.label = saved.and_then(|saved| saved.label.clone());
        }
        Ok(())
    }

    /// Saves the user's prompts of a plan that are not saved yet, so that a run can name their
    /// version. They are called after strategy and place, such as `pi/first`.
    pub(crate) fn keep_prompts(
        &self,
        strategy: &str,
        set: &Map<String, Value>,
        instructions: &Instructions,
        used: &mut [PromptUse],
    ) -> Result<()> {
        for own in used {
            if own.by == UsedBy::Strategy || own.name.is_some() {
                continue;
            }
            let is_instructions = [INSTRUCTIONS, REQUEST].contains(&own.place.as_str());
            let text = if is_instructions {
                instructions.given()
            } else {
                set.get(&format!("prompts.{}", own.place))
                    .and_then(Value::as_str)
            };
            let Some(text) = text else { continue };
            let origin = PromptOrigin {
                strategy: (!is_instructions).then(|| strategy.to_owned()),
                place: Some(own.place.clone()),
                source: None,
            };
            let name = if is_instructions {
                own.place.clone()
            } else {
                format!("{strategy}/{}", own.place)
            };
            let now = crate::clock::now_ms();
            let saved = self
                .user_db()?
                .save_prompt(&name, text, &own.hash, &origin, now)?;
            own.name = Some(saved.name);
            own.version = Some(saved.version);
            own.label = saved.label;
        }
        Ok(())
    }
}
