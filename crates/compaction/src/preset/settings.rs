//! The parameters of a preset by name, read and set.
//!
//! Every parameter has a place in the preset's JSON, such as `summarize.method.slice_tokens`.
//! A user may leave out what is not needed to tell it from the others: `summarize.slice_tokens`,
//! or just `slice_tokens`.

use super::Preset;
use crate::params::{ParamDoc, ParamError, ParamSpec};
use crate::select::Select;
use crate::summarize::Summarize;
use serde_json::{Map, Value};

/// Parts of a preset that may be replaced as a whole, by a JSON object or list.
const STAGES: [&str; 9] = [
    "select",
    "reduce",
    "summarize",
    "summarize.method",
    "summarize.transcript",
    "summarize.overflow",
    "summarize.replies.clean",
    "assemble",
    "assemble.next",
];

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

    /// Every parameter with its value here as the default.
    pub fn specs(&self) -> Vec<ParamSpec> {
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
                words: place.doc.words,
                description: place.doc.description,
            })
            .collect()
    }

    /// The parameters by name with their values.
    pub fn params(&self) -> Map<String, Value> {
        let specs = self.specs().into_iter();
        specs.map(|spec| (spec.name, spec.default)).collect()
    }

    /// This preset with some parameters set. Fails on an unknown name and on a value of another
    /// type; text that is JSON is taken as that, as a command line knows only text.
    pub fn with(&self, settings: &Map<String, Value>) -> Result<Preset, ParamError> {
        let mut preset = self.clone();
        for (name, value) in settings {
            let mut whole = preset.value();
            let path = preset.find(name)?;
            let as_json = value.as_str().map(serde_json::from_str);
            let wants_text = get(&whole, &path).is_some_and(Value::is_string);
            let value = match as_json {
                Some(Ok(parsed)) if !wants_text || !matches!(parsed, Value::Number(_)) => parsed,
                _ => value.clone(),
            };
            let refused = |reason: String| ParamError::Value {
                name: name.clone(),
                value: value.to_string(),
                reason,
            };
            if let Some(place) = get_mut(&mut whole, &path) {
                *place = value.clone();
            }
            preset = serde_json::from_value(whole).map_err(|error| refused(error.to_string()))?;
            preset.check().map_err(|error| refused(error.to_string()))?;
        }
        Ok(preset)
    }

    fn find(&self, name: &str) -> Result<Vec<String>, ParamError> {
        if STAGES.contains(&name) {
            return Ok(name.split('.').map(str::to_owned).collect());
        }
        if let Some(prompt) = name.strip_prefix("prompts.")
            && self.prompts.contains_key(prompt)
        {
            return Ok(vec!["prompts".to_owned(), prompt.to_owned()]);
        }
        let places = self.places();
        let meant: Vec<&Place> = places
            .iter()
            .filter(|place| place.names().iter().any(|known| known == name))
            .collect();
        match meant.as_slice() {
            [only] => Ok(only.path.clone()),
            [] => {
                let known: Vec<String> = places
                    .iter()
                    .map(|place| shortest(&places, place))
                    .collect();
                Err(ParamError::Unknown {
                    name: name.to_owned(),
                    known: known.join(", "),
                })
            }
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
