//! The parameters of a preset by name, read and set.
//!
//! Every parameter has a place in the preset's JSON, such as `summarize.method.slice_tokens`.
//! A user may leave out what is not needed to tell it from the others: `summarize.slice_tokens`,
//! or just `slice_tokens`.

use crate::engine::preset::data::Preset;
use crate::engine::preset::kinds::{switch, switched};
use crate::engine::preset::lending::lend_prompts;
use crate::engine::preset::places::wanted;
use crate::engine::preset::places::{Place, get_mut, unknown};
use crate::vocabulary::error::PresetError;
use crate::vocabulary::params::{ParamError, ParamType};
use crate::vocabulary::prompt::PromptText;
use palimpsest_core::unreadable::in_words;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Parts of a preset that may be replaced as a whole, by a JSON object or list.
const STAGES: [&str; 10] = [
    "select",
    "reduce",
    "summarize",
    "summarize.method",
    "summarize.transcript",
    "summarize.overflow",
    "summarize.fallbacks",
    "summarize.replies.clean",
    "assemble",
    "assemble.next",
];

/// Whether a setting is a stage as a whole, a kind or a prompt, and no parameter of a stage.
pub(crate) fn is_structure(name: &str) -> bool {
    STAGES.contains(&name) || switched(name).is_some() || name.starts_with("prompts.")
}

type Setting<'a> = (&'a String, &'a Value);

/// A preset with some parameters set.
pub(crate) struct Applied {
    /// The preset.
    pub preset: Preset,
    /// The prompts that it has without the prompts among the settings, by name.
    pub replaced: BTreeMap<String, PromptText>,
}

impl Preset {
    /// This preset with some parameters set. Stages set as a whole and kinds that are switched
    /// (`select.kind`) come first, so that parameters are those of the new kinds; prompts that a
    /// new kind or value needs are lent by the built-in presets, and can be set. Fails on an
    /// unknown name and on a value of another type.
    pub fn with(&self, settings: &Map<String, Value>) -> Result<Preset, ParamError> {
        self.apply(settings).map(|applied| applied.preset)
    }

    /// The same, with the prompts that prompts among `settings` replaced.
    pub(crate) fn apply(&self, settings: &Map<String, Value>) -> Result<Applied, ParamError> {
        let mut stages: Vec<Setting<'_>> = Vec::new();
        let mut others: Vec<Setting<'_>> = Vec::new();
        for setting in settings {
            let is_stage = STAGES.contains(&setting.0.as_str()) || switched(setting.0).is_some();
            if is_stage {
                stages.push(setting)
            } else {
                others.push(setting)
            }
        }
        // A stage as a whole before the kinds in it: `select` sorts before `select.kind`.
        stages.sort_by_key(|(name, _)| name.as_str());
        let mut preset = self.clone();
        if !stages.is_empty() {
            preset = preset.set_all(&stages, true)?;
        }
        // Prompts that it lacks come last: a parameter may be what has them lent.
        let lacks = |(name, _): &Setting<'_>| {
            let prompt = name.strip_prefix("prompts.");
            prompt.is_some_and(|prompt| !preset.prompts.contains_key(prompt))
        };
        let (lent, others): (Vec<_>, Vec<_>) = others.into_iter().partition(lacks);
        let mut replaced = BTreeMap::new();
        // In this order, as a parameter may switch on the stage that needs the prompt.
        for settings in [others, lent] {
            if settings.is_empty() {
                continue;
            }
            let with = preset.set_all(&settings, false)?;
            let set = settings.iter();
            // `preset` is still the one without them: its texts are those that are replaced.
            for name in set.filter_map(|(name, _)| name.strip_prefix("prompts.")) {
                if let Some(text) = preset.prompts.get(name) {
                    replaced.insert(name.to_owned(), text.clone());
                }
            }
            preset = with;
        }
        Ok(Applied { preset, replaced })
    }

    /// All of `settings` at once. The one that is refused is found by setting them one by one.
    fn set_all(&self, settings: &[Setting<'_>], switched: bool) -> Result<Preset, ParamError> {
        let mut whole = self.value();
        let places = self.places();
        for setting in settings {
            self.put(&mut whole, &places, setting)?;
        }
        // Usually all are accepted, so they are read once for all.
        let refused = match self.read_back(whole, switched) {
            Ok(preset) => return Ok(preset),
            Err(unread) => unread,
        };
        let mut before = self.value();
        for (name, value) in settings {
            let mut whole = before.clone();
            self.put(&mut whole, &places, &(name, value))?;
            if let Err(unread) = self.read_back(whole.clone(), switched) {
                return Err(self.refusal(name, value, unread));
            }
            before = whole;
        }
        // Not reached: the last round sets all of them, which was refused.
        let (name, value) = settings[settings.len() - 1];
        Err(self.refusal(name, value, refused))
    }

    /// Reads a preset from its JSON. Prompts that it has in common with this one are not parsed
    /// again.
    fn read_back(&self, mut whole: Value, switched: bool) -> Result<Preset, Unread> {
        let unread = |error: serde_json::Error| Unread::Type(in_words(&error.to_string()));
        let texts = whole.as_object_mut().and_then(|own| own.remove("prompts"));
        let mut preset: Preset = serde_json::from_value(whole).map_err(unread)?;
        if let Some(texts) = texts {
            let texts = serde_json::from_value(texts).map_err(unread)?;
            preset.prompts = self.prompts.with_texts(texts);
        }
        lend_prompts(&mut preset, switched);
        preset.check().map_err(Unread::Rule)?;
        Ok(preset)
    }

    fn put(
        &self,
        whole: &mut Value,
        places: &[Place],
        (name, value): &Setting<'_>,
    ) -> Result<(), ParamError> {
        if let Some(path) = switched(name) {
            let stage = get_mut(whole, &path).filter(|stage| stage.get("kind").is_some());
            let stage = stage.ok_or_else(|| unknown(&self.name, name, places))?;
            switch(stage, value);
            return Ok(());
        }
        let (path, wants_text) = self.find(name, places)?;
        let value = match value {
            Value::String(text) if !wants_text => {
                // A command line gives lists and objects as text.
                serde_json::from_str(text).unwrap_or_else(|_| (*value).clone())
            }
            // A command line reads `12` as a number also where a text is meant.
            Value::Number(_) | Value::Bool(_) if wants_text => Value::String(value.to_string()),
            _ => (*value).clone(),
        };
        if let Some(place) = get_mut(whole, &path) {
            *place = value;
        }
        Ok(())
    }

    /// The place called `name`, and whether a text belongs there.
    fn find(&self, name: &str, places: &[Place]) -> Result<(Vec<String>, bool), ParamError> {
        if STAGES.contains(&name) {
            return Ok((name.split('.').map(str::to_owned).collect(), false));
        }
        if let Some(prompt) = name.strip_prefix("prompts.") {
            if self.prompts.contains_key(prompt) {
                return Ok((vec!["prompts".to_owned(), prompt.to_owned()], true));
            }
            let known = self.prompts.keys().map(|known| format!("prompts.{known}"));
            return Err(ParamError::Unknown {
                strategy: self.name.clone(),
                name: name.to_owned(),
                known: known.collect(),
            });
        }
        let meant: Vec<&Place> = places
            .iter()
            .filter(|place| place.names().iter().any(|known| known == name))
            .collect();
        match meant.as_slice() {
            [only] => {
                // A list of texts is JSON, so it is read like numbers.
                let text = matches!(only.doc.kind, ParamType::Text | ParamType::Word);
                Ok((only.path.clone(), text))
            }
            [] => Err(unknown(&self.name, name, places)),
            several => {
                let meant: Vec<String> = several.iter().map(|place| place.path()).collect();
                Err(ParamError::Ambiguous {
                    name: name.to_owned(),
                    meant,
                })
            }
        }
    }

    /// Why `value` cannot be had. What is of another type, or out of range, is told what may be had.
    fn refusal(&self, name: &str, value: &Value, unread: Unread) -> ParamError {
        let places = self.places();
        let named = |place: &&Place| place.names().iter().any(|known| known == name);
        let meant = places.iter().find(named);
        let wanted = if STAGES.contains(&name) {
            stage_wanted(name, value)
        } else {
            meant.and_then(|place| wanted(place.doc, value))
        };
        let is_meant = |param: &str| meant.is_some_and(|place| place.path() == param);
        ParamError::Value {
            name: name.to_owned(),
            value: match value {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            },
            reason: match (unread, wanted) {
                // serde's message names types of the program instead of the parameter's values.
                (Unread::Type(_), Some(wanted)) => format!("it must be {wanted}"),
                (Unread::Rule(PresetError::OutOfRange { param, wanted, .. }), _)
                    if is_meant(&param) =>
                {
                    format!("it must be {wanted}")
                }
                // Without the preset's name: the user has set a parameter and no file is at
                // fault.
                (Unread::Rule(PresetError::Clash { reason, .. }), _) => reason,
                (Unread::Type(reason), None) => reason,
                (Unread::Rule(broken), _) => broken.to_string(),
            },
        }
    }
}

/// Why a preset with a new value is none.
enum Unread {
    /// The value is of another type than the parameter.
    Type(String),
    /// The preset breaks a rule of its own, such as a prompt without its places.
    Rule(PresetError),
}

/// What a stage as a whole takes, where `value` has not even its form.
fn stage_wanted(name: &str, value: &Value) -> Option<String> {
    let read = match value {
        // As `put` reads it.
        Value::String(text) => serde_json::from_str(text).unwrap_or_default(),
        other => other.clone(),
    };
    let is_step = |step: &Value| step["kind"].is_string();
    match name {
        "reduce" | "assemble.next" => {
            let steps = read.as_array();
            let fits = steps.is_some_and(|steps| steps.iter().all(is_step));
            (!fits).then(|| "a JSON list of objects, each with its \"kind\"".to_owned())
        }
        "summarize.fallbacks" => {
            let fits = read
                .as_array()
                .is_some_and(|all| all.iter().all(Value::is_object));
            (!fits).then(|| "a JSON list of objects, each with its \"meaning\"".to_owned())
        }
        _ => (!read.is_object()).then(|| "a JSON object".to_owned()),
    }
}
