//! The parameters of a preset by their places.
//!
//! Every parameter has a place in the preset's JSON, such as `summarize.method.slice_tokens`.
//! A user may leave out what is not needed to tell it from the others: `summarize.slice_tokens`,
//! or just `slice_tokens`.

use crate::engine::preset::data::Preset;
use crate::plan::cleaning::ReplyRules;
use crate::stages::assemble::Assemble;
use crate::stages::select::Select;
use crate::stages::summarize::Summarize;
use crate::vocabulary::error::PresetError;
use crate::vocabulary::params::{ParamDoc, ParamError, ParamSpec, ParamType};
use crate::vocabulary::prompt::PromptText;
use crate::vocabulary::range::Range;
use serde_json::{Map, Value};

pub(crate) struct Place {
    pub path: Vec<String>,
    pub doc: &'static ParamDoc,
}

impl Place {
    pub fn path(&self) -> String {
        self.path.join(".")
    }

    /// The names under which it may be meant, shortest first.
    pub fn names(&self) -> [String; 3] {
        let short = self.doc.name.to_owned();
        let staged = format!("{}.{short}", self.path[0]);
        [short, staged, self.path()]
    }
}

impl Preset {
    pub(crate) fn places(&self) -> Vec<Place> {
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
        add(&["summarize", "replies"], ReplyRules::DOCS);
        add(&["summarize", "overflow"], self.summarize.overflow.docs());
        add(&["assemble"], Assemble::DOCS);
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

    pub(crate) fn stage_specs(&self) -> Vec<ParamSpec> {
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

    pub(crate) fn value(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    /// Refuses numbers that a parameter may not be.
    pub(crate) fn check_ranges(&self) -> Result<(), PresetError> {
        let whole = self.value();
        for place in self.places() {
            // Some parameters take a word in place of a number; ranges do not apply to it.
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
}

/// What a parameter takes, in words; `None` where any text does.
pub(crate) fn wanted(doc: &ParamDoc, value: &Value) -> Option<String> {
    let texts = value.as_array();
    let are_texts = texts.is_some_and(|list| list.iter().all(Value::is_string));
    let words = doc.words.join(", ");
    // A parameter without a range of its own still takes nothing below 0.
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

/// A prompt as a parameter, with its text as the default.
pub(crate) fn prompt_spec(name: &str, text: &PromptText) -> ParamSpec {
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
        "system" => "the system prompt of the summarizer",
        "first" => "requests the first summary",
        "update" => "requests an update of the previous summary",
        "turn_prefix" => "requests the summary of a turn prefix",
        "joined" => "combines the summaries of the history and the turn prefix",
        "no_history" => "replaces an empty history",
        "slice" => "requests the summary of one segment",
        "slice_heading" => "heading of the summary of a segment",
        "quoted_heading" => "heading of the quoted summaries of earlier segments",
        "stitch" => "requests one summary of all segment summaries",
        "stitch_system" => "the system prompt of the merging call",
        "check" => "requests a check of the summary",
        "check_reply" => "requests a check of the summary that stands before it as a reply",
        "rate_system" => "the system prompt of the rating call",
        "rate" => "requests importance ratings of exchanges",
        "branch" => "requests the summary of a branch left behind",
        "left_out" => "replaces dropped content",
        "stored" => "the stored form of the summary",
        "shown" => "the form of the summary in the next request",
        "acknowledgement" => "the assistant's acknowledgement of the summary",
        "continuation" => "the instruction to continue",
        "continuation_in_tools" => "the instruction to continue between tool calls",
        "question" => "the message that the summary answers",
        _ => "a prompt of this preset",
    }
}

pub(crate) fn unknown(strategy: &str, name: &str, places: &[Place]) -> ParamError {
    let known: Vec<String> = places.iter().map(|place| shortest(places, place)).collect();
    ParamError::Unknown {
        strategy: strategy.to_owned(),
        name: name.to_owned(),
        known,
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

pub(crate) fn get_mut<'a>(whole: &'a mut Value, path: &[String]) -> Option<&'a mut Value> {
    path.iter().try_fold(whole, |value, part| match value {
        Value::Array(list) => list.get_mut(part.parse::<usize>().ok()?),
        Value::Object(map) => map.get_mut(part),
        _ => None,
    })
}
