//! The parameters of a preset by name, read and set.
//!
//! Every parameter has a place in the preset's JSON, such as `summarize.method.slice_tokens`.
//! A user may leave out what is not needed to tell it from the others: `summarize.slice_tokens`,
//! or just `slice_tokens`.

use super::kinds::{switch, switched};
use super::lent::lend_prompts;
use super::template::PromptText;
use super::{Preset, PresetError};
use crate::params::{ParamDoc, ParamError, ParamSpec, ParamType, Range};
use crate::select::Select;
use crate::summarize::Summarize;
use serde_json::{Map, Value};

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

struct Place {
    path: Vec<String>,
    doc: &'static ParamDoc,
}

impl Place {
    fn path(&self) -> String {
        self.path.join(".")
    }

    /// The names under which it may be meant, shortest first.
    fn names(&self) -> [String; 3] {
        let short = self.doc.name.to_owned();
        let staged = format!("{}.{short}", self.path[0]);
        [short, staged, self.path()]
    }
}

impl Preset {
    fn places(&self) -> Vec<Place> {
        let mut places = Vec::new();
        let mut add = |at: &[&str], docs: &'static [ParamDoc]| {
            for doc in docs {
                let mut path: Vec<String> = at.iter().map(|&part| part.to_owned()).collect();
                path.push(doc.name.to_owned());
                places.push(Place { path, doc });
            }
        };
        add(&["select"], Select::docs(&self.select));
        for (index, step) in self.reduce.iter().enumerate() {
            add(&["reduce", &index.to_string()], step.docs());
        }
        add(&["summarize", "method"], self.summarize.method.docs());
        add(
            &["summarize", "transcript"],
            self.summarize.transcript.docs(),
        );
        add(&["summarize"], Summarize::DOCS);
        add(
            &["summarize", "replies"],
            crate::summarize::ReplyRules::DOCS,
        );
        add(&["summarize", "overflow"], self.summarize.overflow.docs());
        add(&["assemble"], crate::assemble::Assemble::DOCS);
        for (index, item) in self.assemble.next.iter().enumerate() {
            add(&["assemble", "next", &index.to_string()], item.docs());
        }
        places
    }

    /// Every parameter with its value here as the default, the prompts last.
    pub fn specs(&self) -> Vec<ParamSpec> {
        let mut specs = self.stage_specs();
        let prompts = self.prompts.iter();
        specs.extend(prompts.map(|(name, text)| prompt_spec(name, text)));
        specs
    }

    fn stage_specs(&self) -> Vec<ParamSpec> {
        let whole = self.value();
        let places = self.places();
        places
            .iter()
            .map(|place| ParamSpec {
                name: shortest(&places, place),
                path: place.path(),
                kind: place.doc.kind,
                default: get(&whole, &place.path).cloned().unwrap_or_default(),
                unit: place.doc.unit,
                range: place.doc.range,
                words: place.doc.words,
                description: place.doc.description,
            })
            .collect()
    }

    /// The parameters by name with their values, without the prompts.
    pub fn params(&self) -> Map<String, Value> {
        let specs = self.stage_specs().into_iter();
        specs.map(|spec| (spec.name, spec.default)).collect()
    }

    /// This preset with some parameters set. Stages set as a whole and kinds that are switched
    /// (`select.kind`) come first, so that parameters are those of the new kinds; prompts that a
    /// new kind or value needs are lent by the built-in presets, and can be set. Fails on an unknown name and on a value
    /// of another type.
    pub fn with(&self, settings: &Map<String, Value>) -> Result<Preset, ParamError> {
        let mut stages: Vec<Setting<'_>> = Vec::new();
        let mut others: Vec<Setting<'_>> = Vec::new();
        for setting in settings {
            let is_stage = STAGES.contains(&setting.0.as_str()) || switched(setting.0).is_some();
            match is_stage {
                true => stages.push(setting),
                false => others.push(setting),
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
        for settings in [others, lent] {
            if !settings.is_empty() {
                preset = preset.set_all(&settings, false)?;
            }
        }
        Ok(preset)
    }

    /// All of `settings` at once. The one that is refused is found by setting them one by one.
    fn set_all(&self, settings: &[Setting<'_>], switched: bool) -> Result<Preset, ParamError> {
        let mut whole = self.value();
        let places = self.places();
        for setting in settings {
            self.put(&mut whole, &places, setting)?;
        }
        let refused = match read_back(whole, switched) {
            Ok(preset) => return Ok(preset),
            Err(unread) => unread,
        };
        let mut before = self.value();
        for (name, value) in settings {
            let mut whole = before.clone();
            self.put(&mut whole, &places, &(name, value))?;
            if let Err(unread) = read_back(whole.clone(), switched) {
                return Err(self.refusal(name, value, unread));
            }
            before = whole;
        }
        let (name, value) = settings[settings.len() - 1];
        Err(self.refusal(name, value, refused))
    }

    fn put(
        &self,
        whole: &mut Value,
        places: &[Place],
        (name, value): &Setting<'_>,
    ) -> Result<(), ParamError> {
        if let Some(path) = switched(name) {
            let stage = get_mut(whole, &path).filter(|stage| stage.get("kind").is_some());
            let stage = stage.ok_or_else(|| unknown(name, places))?;
            switch(stage, value);
            return Ok(());
        }
        let (path, wants_text) = self.find(name, places)?;
        let value = match value {
            Value::String(text) if !wants_text => {
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
                name: name.to_owned(),
                known: known.collect::<Vec<_>>().join(", "),
            });
        }
        let meant: Vec<&Place> = places
            .iter()
            .filter(|place| place.names().iter().any(|known| known == name))
            .collect();
        match meant.as_slice() {
            [only] => {
                let text = matches!(only.doc.kind, ParamType::Text | ParamType::Word);
                Ok((only.path.clone(), text))
            }
            [] => Err(unknown(name, places)),
            several => {
                let meant: Vec<String> = several.iter().map(|place| place.path()).collect();
                Err(ParamError::Ambiguous {
                    name: name.to_owned(),
                    meant: meant.join(", "),
                })
            }
        }
    }

    fn value(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    /// Refuses numbers that a parameter may not be.
    pub(super) fn check_ranges(&self) -> Result<(), PresetError> {
        let whole = self.value();
        for place in self.places() {
            let given = get(&whole, &place.path).filter(|value| value.is_number());
            if let (Some(range), Some(value)) = (place.doc.range, given)
                && !range.holds(value)
            {
                return Err(PresetError::OutOfRange {
                    name: self.name.clone(),
                    param: place.path(),
                    // `7` where a fraction is kept as `7.0`.
                    value: match (value.as_u64(), value.as_f64()) {
                        (None, Some(number)) => number.to_string(),
                        _ => value.to_string(),
                    },
                    wanted: wanted(place.doc, value).unwrap_or_default(),
                });
            }
        }
        Ok(())
    }

    /// Why `value` cannot be had. What is of another type, or out of range, is told what may be had.
    fn refusal(&self, name: &str, value: &Value, unread: Unread) -> ParamError {
        let places = self.places();
        let named = |place: &&Place| place.names().iter().any(|known| known == name);
        let meant = places.iter().find(named);
        let wanted = match STAGES.contains(&name) {
            true => stage_wanted(name, value),
            false => meant.and_then(|place| wanted(place.doc, value)),
        };
        let is_meant = |param: &str| meant.is_some_and(|place| place.path() == param);
        ParamError::Value {
            name: name.to_owned(),
            value: match value {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            },
            reason: match (unread, wanted) {
                (Unread::Type(_), Some(wanted)) => format!("give {wanted}"),
                (Unread::Rule(PresetError::OutOfRange { param, wanted, .. }), _)
                    if is_meant(&param) =>
                {
                    format!("give {wanted}")
                }
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

fn read_back(whole: Value, switched: bool) -> Result<Preset, Unread> {
    let read = serde_json::from_value(whole);
    let mut preset: Preset = read.map_err(|error| Unread::Type(error.to_string()))?;
    lend_prompts(&mut preset, switched);
    preset.check().map_err(Unread::Rule)?;
    Ok(preset)
}

/// What a parameter takes, in words; `None` where any text does.
fn wanted(doc: &ParamDoc, value: &Value) -> Option<String> {
    let texts = value.as_array();
    let are_texts = texts.is_some_and(|list| list.iter().all(Value::is_string));
    let words = doc.words.join(", ");
    let range = doc.range.unwrap_or(Range::NOT_NEGATIVE).words_for(value);
    Some(match doc.kind {
        ParamType::Integer => format!("a whole number, {range}"),
        ParamType::Boolean => "true or false".to_owned(),
        ParamType::IntegerOrWord => format!("a whole number, {range}, or one of: {words}"),
        ParamType::Number => format!("a number, {range}"),
        ParamType::Word => format!("one of: {words}"),
        // The form is right: the texts themselves are refused, with a reason of their own.
        ParamType::Texts if are_texts => return None,
        ParamType::Texts => "a list of texts, such as [\"one\", \"two\"]".to_owned(),
        ParamType::Text => return None,
    })
}

/// What a stage as a whole takes, where `value` has not even its form.
fn stage_wanted(name: &str, value: &Value) -> Option<String> {
    let read = match value {
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

/// A prompt as a parameter, with its text as the default.
pub(super) fn prompt_spec(name: &str, text: &PromptText) -> ParamSpec {
    ParamSpec {
        name: format!("prompts.{name}"),
        path: format!("prompts.{name}"),
        kind: ParamType::Text,
        default: Value::String(text.text()),
        unit: None,
        range: None,
        words: &[],
        description: prompt_meaning(name),
    }
}

/// What a prompt is for, by its name.
fn prompt_meaning(name: &str) -> &'static str {
    match name {
        "system" => "what the model is told it is",
        "first" => "asks for the first summary",
        "update" => "asks for a summary that takes an earlier one in",
        "turn_prefix" => "asks for the summary of a split turn's beginning",
        "joined" => "puts the summary of history and of a split turn together",
        "no_history" => "stands for the history when there is none",
        "slice" => "asks for the summary of one segment",
        "slice_heading" => "the heading of a segment's summary",
        "quoted_heading" => "the heading under which earlier segments' summaries are quoted",
        "stitch" => "asks for one summary of all segments' summaries",
        "stitch_system" => "what the model is told it is when it puts segments together",
        "check" => "asks for a second look at the summary",
        "rate_system" => "what the model is told it is when it rates exchanges",
        "rate" => "asks how important exchanges are",
        "branch" => "asks for the summary of a branch that is left",
        "left_out" => "stands for what was left out",
        "stored" => "how the summary is stored",
        "shown" => "how the summary is sent with the next request",
        "acknowledgement" => "what the assistant answers to the summary",
        "continuation" => "what makes the assistant go on",
        "continuation_in_tools" => "what makes it go on in the middle of its tool calls",
        "question" => "what the summary is the answer to",
        _ => "a prompt of this preset",
    }
}

fn unknown(name: &str, places: &[Place]) -> ParamError {
    let known: Vec<String> = places.iter().map(|place| shortest(places, place)).collect();
    ParamError::Unknown {
        name: name.to_owned(),
        known: known.join(", "),
    }
}

fn shortest(all: &[Place], place: &Place) -> String {
    let names = place.names();
    let unique = names.iter().find(|name| {
        let same = all.iter().filter(|other| other.names().contains(name));
        same.count() == 1
    });
    unique.cloned().unwrap_or_else(|| place.path())
}

fn step<'a>(value: &'a Value, part: &str) -> Option<&'a Value> {
    match value {
        Value::Array(list) => list.get(part.parse::<usize>().ok()?),
        other => other.get(part),
    }
}

fn get<'a>(whole: &'a Value, path: &[String]) -> Option<&'a Value> {
    path.iter().try_fold(whole, |value, part| step(value, part))
}

fn get_mut<'a>(whole: &'a mut Value, path: &[String]) -> Option<&'a mut Value> {
    path.iter().try_fold(whole, |value, part| match value {
        Value::Array(list) => list.get_mut(part.parse::<usize>().ok()?),
        Value::Object(map) => map.get_mut(part),
        _ => None,
    })
}
