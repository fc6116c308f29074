//! Policies read from a user's file, and their numbers set one by one.

use crate::engine::preset::built_in::merge;
use crate::engine::preset::data::Preset;
use crate::policy::data::Policy;
use crate::policy::error::PolicyError;
use crate::policy::trigger::{Share, Trigger};
use crate::stages::select::Select;
use palimpsest_core::unreadable::{in_words, json_text, json_value};
use serde::Serialize;
use serde_json::Value;

/// The parts of a policy that can be set, by their names in its file.
const PARTS: [&str; 6] = [
    "trigger",
    "forced",
    "default_window",
    "own_window",
    "thrash",
    "select",
];

/// A number or a switch of a policy.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PolicyParam {
    /// Its place in the policy, such as `trigger.percent`.
    pub path: String,
    /// The shortest end of the place that means no other.
    pub name: String,
    /// What it is; `null` where it is not set.
    pub value: Value,
    /// `tokens`, `%`, `messages`, `turns` or `times`; `None` for a switch and for what has no unit.
    pub unit: Option<&'static str>,
}

impl Policy {
    /// What can be set, in the order of the file.
    pub fn params(&self) -> Vec<PolicyParam> {
        let whole = serde_json::to_value(self).unwrap_or_default();
        let mut found = Vec::new();
        for part in PARTS {
            leaves(part, &whole[part], &mut found);
        }
        let paths: Vec<String> = found.iter().map(|(path, _)| path.clone()).collect();
        let params = found.into_iter().map(|(path, value)| PolicyParam {
            name: shortest(&path, &paths).to_owned(),
            unit: unit(&path),
            path,
            value,
        });
        params.collect()
    }

    /// The policy with the number called `name`, by its place or an end of it that means no other,
    /// set to `value`. A parameter of the preset's choice is named `select.NAME`, also where the
    /// policy does not set it.
    pub fn with(&self, name: &str, value: &Value) -> Result<Policy, PolicyError> {
        let params = self.params();
        let fits = |param: &&PolicyParam| {
            let end = param.path.strip_suffix(name);
            end.is_some_and(|before| before.is_empty() || before.ends_with('.'))
        };
        let fitting: Vec<&PolicyParam> = params.iter().filter(fits).collect();
        // `trigger.percent` is also an end of `forced.trigger.percent`.
        let exact = fitting.iter().find(|param| param.path == name);
        let path = match (exact, &fitting[..]) {
            (Some(param), _) | (None, [param]) => param.path.as_str(),
            (None, []) if name.starts_with("select.") => name,
            (None, []) => {
                let known = params.iter().map(|param| param.name.as_str());
                return Err(PolicyError::NoParam {
                    policy: self.name.clone(),
                    name: name.to_owned(),
                    known: known.map(str::to_owned).collect(),
                });
            }
            (None, several) => {
                let places = several.iter().map(|param| param.path.as_str());
                return Err(PolicyError::Ambiguous {
                    policy: self.name.clone(),
                    name: name.to_owned(),
                    places: places.map(str::to_owned).collect(),
                });
            }
        };
        let refuse = |reason: String| PolicyError::Value {
            policy: self.name.clone(),
            name: name.to_owned(),
            unit: unit(path)
                .map(|unit| format!(" ({unit})"))
                .unwrap_or_default(),
            value: value.to_string(),
            reason,
        };
        // What a policy does with a share beyond these is a rule of its own, where it has one.
        let has_rule = path.ends_with("percent_of_rest") || path.ends_with(".percent");
        let is_share = |percent: i64| (0..=100).contains(&percent);
        if unit(path) == Some("%") && !has_rule && value.as_i64().is_some_and(|own| !is_share(own))
        {
            return Err(refuse("enter a percentage from 0 to 100".to_owned()));
        }
        let mut whole = serde_json::to_value(self).map_err(|error| refuse(error.to_string()))?;
        put(&mut whole, path, value);
        let policy: Policy =
            serde_json::from_value(whole).map_err(|error| refuse(in_words(&error.to_string())))?;
        policy.check().map_err(refuse)?;
        Ok(policy)
    }

    /// Reads a policy from a user's file. One with `extends` inherits everything from that built-in
    /// policy that it does not set.
    pub fn parse(text: &str) -> Result<Policy, PolicyError> {
        let unreadable = |reason: String| PolicyError::Unreadable { reason };
        let mut own: Value =
            serde_json::from_str(text).map_err(|error| unreadable(json_text(&error)))?;
        // `Policy` has no such field and refuses unknown ones.
        let extends = own.as_object_mut().and_then(|own| own.remove("extends"));
        let whole = match extends {
            None => own,
            Some(name) => {
                let base = Policy::known(name.as_str().unwrap_or_default())?;
                let mut whole =
                    serde_json::to_value(base).map_err(|error| unreadable(error.to_string()))?;
                // The description of the extended policy names that policy's numbers.
                let words = (own.get("description").is_none())
                    .then(|| format!("{} modified; unchanged: {}", base.name, base.description));
                merge(&mut whole, own);
                if let Some(words) = words {
                    whole["description"] = words.into();
                }
                whole
            }
        };
        let policy: Policy = serde_json::from_value(whole.clone())
            .map_err(|error| unreadable(json_value(&error, &whole)))?;
        policy.check().map_err(unreadable)?;
        Ok(policy)
    }

    /// Whether its lines can be told, its preset is there, and takes what the policy sets of its
    /// choice.
    fn check(&self) -> Result<(), String> {
        let shares = self.trigger.shares();
        shares.into_iter().try_for_each(Share::check)?;
        if let Some(forced) = &self.forced {
            match (&forced.trigger, forced.above_percent, &self.trigger) {
                (Some(_), None, _) | (None, Some(_), Trigger::Share(_)) => {}
                (None, Some(_), _) => {
                    return Err("forced.above_percent requires a percentage trigger".to_owned());
                }
                _ => return Err("forced requires either a trigger or above_percent".to_owned()),
            }
        }
        let preset = Preset::known(&self.preset).map_err(|error| error.to_string())?;
        self.choice_of(preset).map(drop)
    }

    /// The choice of `preset` with what differs here.
    pub(crate) fn choice_of(&self, preset: &Preset) -> Result<Select, String> {
        let mut value = serde_json::to_value(&preset.select).map_err(|error| error.to_string())?;
        let Some(known) = value.as_object_mut() else {
            return Ok(preset.select.clone());
        };
        for (name, own) in &self.select {
            // Another kind has other parameters; reading the result refuses unknown ones.
            if !known.contains_key(name) && name != "kind" && !self.select.contains_key("kind") {
                let names = known.keys().filter(|name| *name != "kind");
                let names: Vec<&str> = names.map(String::as_str).collect();
                let preset = &self.preset;
                let names = names.join(", ");
                return Err(format!(
                    "{preset} has no parameter '{name}'; it has {names}"
                ));
            }
            known.insert(name.clone(), own.clone());
        }
        serde_json::from_value(value).map_err(|error| error.to_string())
    }
}

/// Every number, switch and number that is not set below `value`.
fn leaves(path: &str, value: &Value, found: &mut Vec<(String, Value)>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                leaves(&format!("{path}.{name}"), value, found);
            }
        }
        Value::Array(items) => {
            for (at, value) in items.iter().enumerate() {
                leaves(&format!("{path}.{at}"), value, found);
            }
        }
        Value::Number(_) | Value::Bool(_) => found.push((path.to_owned(), value.clone())),
        // What has a unit is a number, set or not.
        Value::Null if unit(path).is_some() => found.push((path.to_owned(), Value::Null)),
        Value::Null | Value::String(_) => {}
    }
}

/// The shortest end of `path` that is an end of no other.
fn shortest<'a>(path: &'a str, all: &[String]) -> &'a str {
    let starts = path.match_indices('.').map(|(at, _)| at + 1);
    let mut ends = starts.rev().map(|at| &path[at..]);
    let is_own = |end: &&str| {
        let dotted = format!(".{end}");
        all.iter().filter(|other| other.ends_with(&dotted)).count() == 1
            && all.iter().all(|other| other != end)
            // An end that begins with the place in a list tells nothing.
            && !end.starts_with(|c: char| c.is_ascii_digit())
    };
    ends.find(is_own).unwrap_or(path)
}

/// What a number counts, told from the end of its place.
pub(crate) fn unit(path: &str) -> Option<&'static str> {
    let name = path.rsplit('.').next().unwrap_or(path);
    match name {
        // Room for the reply, and the window.
        "most" | "least" | "otherwise" | "default_window" => Some("tokens"),
        "messages" | "turns" | "times" => Some(match name {
            "messages" => "messages",
            "turns" => "turns",
            _ => "times",
        }),
        _ if name.ends_with("tokens") => Some("tokens"),
        "percent_of_rest" => Some("%"),
        _ if name.ends_with("percent") => Some("%"),
        _ => None,
    }
}

/// Sets what is at `path`, where all but its last step is there.
fn put(whole: &mut Value, path: &str, new: &Value) {
    let mut place = whole;
    for step in path.split('.') {
        place = match place {
            Value::Array(items) => {
                match step.parse::<usize>().ok().and_then(|at| items.get_mut(at)) {
                    Some(item) => item,
                    None => return,
                }
            }
            // What is not set is not always written.
            Value::Object(fields) => fields.entry(step).or_insert(Value::Null),
            _ => return,
        };
    }
    *place = new.clone();
}

#[cfg(test)]
mod tests {
    use super::*;
    use palimpsest_core::Failure as _;
    use serde_json::json;

    fn codex() -> &'static Policy {
        Policy::known("codex").unwrap()
    }

    #[test]
    fn every_parameter_of_every_policy_can_be_set_to_what_it_is() {
        let mut seen = 0;
        for policy in Policy::built_in() {
            for param in policy.params() {
                for name in [&param.path, &param.name] {
                    let same = policy.with(name, &param.value);
                    assert_eq!(same.as_ref(), Ok(policy), "{} {name}", policy.name);
                    seen += 1;
                }
            }
        }
        assert!(seen > 100, "{seen}");
    }

    #[test]
    fn a_number_moves_the_line() {
        let limits = super::super::Limits {
            window: Some(100_000),
            ..Default::default()
        };
        let line = |policy: &Policy| policy.line(&limits).unwrap().tokens;
        assert_eq!(line(codex()), Some(90_000));
        assert_eq!(
            line(&codex().with("percent", &json!(85)).unwrap()),
            Some(85_000)
        );
        let capped = codex().with("trigger.most_tokens", &json!(50_000)).unwrap();
        assert_eq!(line(&capped), Some(50_000));
        assert_eq!(
            capped.with("most_tokens", &Value::Null).as_ref(),
            Ok(codex())
        );
    }

    /// What happened and what to do next, as a user reads both.
    fn said(error: &PolicyError) -> String {
        let next = error.next().map(|step| step.to_string());
        format!("{error} {}", next.unwrap_or_default())
    }

    #[test]
    fn what_cannot_be_set_is_said() {
        let message = |name: &str, value: Value| said(&codex().with(name, &value).unwrap_err());
        let share = message("percent", json!(0.85));
        assert!(
            share.contains("parameter percent (%)") && share.contains("0.85"),
            "{share}"
        );
        let beyond = message("percent", json!(150));
        assert!(beyond.contains("from 0 to 100"), "{beyond}");
        let unknown = message("share", json!(1));
        assert!(unknown.contains("percent"), "{unknown}");
        let choice = message("select.nothing", json!(1));
        assert!(
            choice.contains("has no parameter 'nothing'; it has "),
            "{choice}"
        );
        let twice = Policy::parse(
            r#"{"extends":"codex","name":"x","trigger":{"kind":"any","of":[
                {"kind":"messages","messages":1},{"kind":"messages","messages":2}]}}"#,
        );
        let error = twice.unwrap().with("messages", &json!(3)).unwrap_err();
        assert!(said(&error).contains("trigger.of.0.messages, trigger.of.1.messages"));
    }

    #[test]
    fn a_choice_may_be_set_that_the_policy_leaves_alone() {
        let pi = Policy::known("pi").unwrap();
        let own = pi.with("select.keep_recent_tokens", &json!(5_000)).unwrap();
        assert_eq!(own.select["keep_recent_tokens"], 5_000);
        assert!(
            pi.with("select.keep_recent_tokens", &json!("much"))
                .is_err()
        );
    }

    #[test]
    fn files_extend_built_in_policies_or_stand_alone() {
        let own = Policy::parse(r#"{"extends":"codex","name":"x","trigger":{"percent":70}}"#);
        let expected = codex().with("percent", &json!(70)).unwrap();
        let expected = Policy {
            name: "x".to_owned(),
            description: format!("codex modified; unchanged: {}", codex().description),
            ..expected
        };
        assert_eq!(own, Ok(expected));
        let whole = serde_json::to_string(codex()).unwrap();
        assert_eq!(Policy::parse(&whole).as_ref(), Ok(codex()));
        for (text, word) in [
            ("{", "the JSON ends too early"),
            (r#"{"extends":"nobody"}"#, "no policy 'nobody'"),
            (r#"{"extends":"codex","colour":1}"#, "colour"),
            (r#"{"extends":"codex","preset":"nothing"}"#, "'nothing'"),
            (
                r#"{"extends":"codex","select":{"much":1}}"#,
                "has no parameter 'much'",
            ),
        ] {
            let error = Policy::parse(text).unwrap_err().to_string();
            assert!(error.contains(word), "{error}");
        }
    }
}
