//! The form a reply must have, where it is not the summary itself, and the text that is made of it.

use crate::vocabulary::call::PlannedCall;
use crate::vocabulary::error::FormError;
use crate::vocabulary::form::ReplyForm;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// What stands around a message that can be chosen.
const EVENT: (&str, &str) = ("<message id=\"", "</message>");

/// `text` as a message that can be chosen by `id`.
pub(crate) fn numbered(id: usize, text: &str) -> String {
    format!("{}{id}\">\n{text}\n{}", EVENT.0, EVENT.1)
}

impl ReplyForm {
    /// The text that `reply` to `call` stands for; fails when it does not have its form.
    pub fn read(&self, call: &PlannedCall, reply: &str) -> Result<String, FormError> {
        match self {
            ReplyForm::Text | ReplyForm::Ratings => Ok(reply.to_owned()),
            ReplyForm::Summary => {
                let wanted = "a JSON object with a text 'summary'";
                match object(reply, wanted)?.get("summary") {
                    Some(Value::String(summary)) => Ok(summary.clone()),
                    _ => Err(FormError::Missing {
                        missing: "summary".to_owned(),
                    }),
                }
            }
            ReplyForm::Fields { fields } => sections(fields, reply),
            ReplyForm::Chosen { most } => {
                let ids = ids(reply)?;
                chosen(call, &ids, *most as usize)
            }
        }
    }

    /// A reply of this form that says `text`, for a summarizer that knows nothing of forms. Of
    /// messages it chooses none, so that the newest stay, and of memories it rates none.
    pub fn wrap(&self, text: String) -> String {
        let json = |key: &str, value: Value| Value::Object(Map::from_iter([(key.into(), value)]));
        match self {
            ReplyForm::Text => text,
            ReplyForm::Summary => json("summary", text.into()).to_string(),
            ReplyForm::Ratings => "[]".to_owned(),
            ReplyForm::Chosen { .. } => json("ids", Value::Array(Vec::new())).to_string(),
            ReplyForm::Fields { fields } => {
                let mut said = Some(text);
                let fields = fields.iter().map(|field| {
                    // All in the first field: who knows nothing of forms cannot divide it.
                    let value = said.take().unwrap_or_default();
                    (field.clone(), Value::String(value))
                });
                Value::Object(fields.collect()).to_string()
            }
        }
    }
}

/// The JSON in a reply, which may stand in a fence or between words.
fn json(reply: &str, wanted: &'static str) -> Result<Value, FormError> {
    let within = |open: char, close: char| {
        let (start, end) = (reply.find(open)?, reply.rfind(close)?);
        serde_json::from_str(reply.get(start..=end)?).ok()
    };
    let whole = serde_json::from_str(reply.trim()).ok();
    let found = whole
        // Objects first: a list inside one would be found as well.
        .or_else(|| within('{', '}'))
        .or_else(|| within('[', ']'));
    found.ok_or_else(|| other(reply, wanted))
}

fn object(reply: &str, wanted: &'static str) -> Result<Map<String, Value>, FormError> {
    match json(reply, wanted)? {
        Value::Object(fields) => Ok(fields),
        _ => Err(other(reply, wanted)),
    }
}

fn other(reply: &str, wanted: &'static str) -> FormError {
    FormError::Other {
        wanted,
        found: reply.trim().chars().take(40).collect(),
    }
}

fn sections(fields: &[String], reply: &str) -> Result<String, FormError> {
    let given = object(reply, "a JSON object with the requested fields")?;
    let missing: Vec<&str> = fields
        .iter()
        .filter(|field| !given.contains_key(*field))
        .map(String::as_str)
        .collect();
    if !missing.is_empty() {
        return Err(FormError::Missing {
            missing: missing.join(", "),
        });
    }
    let section = |field: &String| {
        let text = plain(given.get(field)?);
        let text = text.trim();
        (!text.is_empty()).then(|| format!("{}:\n{text}", field.to_uppercase()))
    };
    let sections: Vec<String> = fields.iter().filter_map(section).collect();
    Ok(sections.join("\n\n"))
}

fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(list) => {
            let lines: Vec<String> = list.iter().map(|own| format!("- {}", plain(own))).collect();
            lines.join("\n")
        }
        other => other.to_string(),
    }
}

/// The numbers a reply names: those of `ids`, or of a bare list.
fn ids(reply: &str) -> Result<Vec<u64>, FormError> {
    let wanted = "a JSON object with a list of numbers 'ids'";
    let value = json(reply, wanted)?;
    let list = match &value {
        Value::Array(list) => Some(list),
        other => other.get("ids").and_then(Value::as_array),
    };
    let number = |value: &Value| match value {
        // Tolerated: numbers in quotes.
        Value::String(text) => text.trim().parse().ok(),
        other => other.as_u64(),
    };
    let list = list.ok_or_else(|| other(reply, wanted))?;
    let ids: Vec<u64> = list.iter().filter_map(number).collect();
    // An empty list is an answer: nothing is chosen.
    if ids.is_empty() && !list.is_empty() {
        Err(other(reply, wanted))
    } else {
        Ok(ids)
    }
}

/// The messages of `call` with these numbers, and the newest others up to `most` together, in
/// their order. A result brings its call with it.
fn chosen(call: &PlannedCall, ids: &[u64], most: usize) -> Result<String, FormError> {
    let at = |id: u64| call.parts.iter().position(|part| part.item as u64 == id);
    let mut stay: BTreeSet<usize> = BTreeSet::new();
    for position in ids.iter().filter_map(|&id| at(id)) {
        if stay.len() == most {
            break;
        }
        stay.insert(position);
    }
    // To fill up with the newest would hide that the model named none that exists.
    if stay.is_empty() && !ids.is_empty() && most > 0 {
        let named: Vec<String> = ids.iter().take(5).map(u64::to_string).collect();
        return Err(FormError::Unknown {
            named: named.join(", "),
        });
    }
    for newest in (0..call.parts.len()).rev() {
        if stay.len() >= most {
            break;
        }
        stay.insert(newest);
    }
    let calls: Vec<usize> = stay
        .iter()
        .filter_map(|&position| {
            let unit = call.parts[position].unit;
            call.parts.iter().position(|part| part.unit == unit)
        })
        .collect();
    stay.extend(calls);
    let texts: Vec<&str> = stay
        .iter()
        .map(|&position| said(call.prompt.get(call.parts[position].range.clone())))
        .collect();
    Ok(texts.join("\n\n"))
}

/// A numbered message without what stands around it.
fn said(part: Option<&str>) -> &str {
    let part = part.unwrap_or_default().trim();
    let inner = part
        .strip_prefix(EVENT.0)
        .and_then(|rest| rest.split_once("\">\n"))
        .and_then(|(_, rest)| rest.strip_suffix(EVENT.1));
    inner.unwrap_or(part).trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::slot::PromptPart;

    /// A call about a prompt, a call with its result, and a reply.
    fn call() -> PlannedCall {
        let mut call = PlannedCall::default();
        for (item, unit, text) in [(3, 1, "U"), (4, 2, "C"), (5, 2, "R"), (6, 3, "A")] {
            let start = call.prompt.len();
            call.prompt.push_str(&numbered(item, text));
            call.prompt.push_str("\n\n");
            call.parts.push(PromptPart {
                range: start..call.prompt.len(),
                item,
                unit,
                is_tool_result: item == 5,
                units: (call.prompt.len() - start) as u64,
            });
        }
        call
    }

    fn choose(most: u64, reply: &str) -> Result<String, FormError> {
        ReplyForm::Chosen { most }.read(&call(), reply)
    }

    #[test]
    fn chosen_messages_stay_in_their_order() {
        assert_eq!(choose(2, r#"{"ids": [6, 3]}"#).unwrap(), "U\n\nA");
        assert_eq!(choose(1, "[3, 6]").unwrap(), "U");
        assert_eq!(choose(1, "```json\n{\"ids\": [\"3\"]}\n```").unwrap(), "U");
        // Too few: the newest others stay as well. Unknown ones are skipped.
        assert_eq!(choose(2, r#"{"ids": [3, 99]}"#).unwrap(), "U\n\nA");
        assert_eq!(choose(1, r#"{"ids": []}"#).unwrap(), "A");
        // A result is nothing without its call.
        assert_eq!(choose(1, r#"{"ids": [5]}"#).unwrap(), "C\n\nR");
    }

    #[test]
    fn choices_that_are_none_are_refused() {
        for reply in ["the third", "{\"keep\": [3]}", "[\"third\"]"] {
            assert!(
                matches!(choose(1, reply), Err(FormError::Other { .. })),
                "{reply}"
            );
        }
        let unknown = choose(1, "[98, 99]").unwrap_err();
        assert_eq!(unknown.to_string(), "it names unknown messages (98, 99)");
    }

    #[test]
    fn fields_become_sections() {
        let form = ReplyForm::Fields {
            fields: ["goal", "open", "tests"].map(str::to_owned).to_vec(),
        };
        let read = |reply: &str| form.read(&PlannedCall::default(), reply);
        let reply = r#"So: {"goal": "speed", "open": ["a", "b"], "tests": "", "more": 1}"#;
        assert_eq!(read(reply).unwrap(), "GOAL:\nspeed\n\nOPEN:\n- a\n- b");
        assert_eq!(
            read(r#"{"goal": "x"}"#).unwrap_err().to_string(),
            "missing fields: open, tests"
        );
        assert!(matches!(read("speed"), Err(FormError::Other { .. })));
        assert!(matches!(read("[1]"), Err(FormError::Other { .. })));
    }

    #[test]
    fn a_program_answers_with_a_summary() {
        let read = |reply: &str| ReplyForm::Summary.read(&PlannedCall::default(), reply);
        assert_eq!(read(r#"{"summary": "S", "model": "mine"}"#).unwrap(), "S");
        assert_eq!(
            read("S").unwrap_err().to_string(),
            "expected a JSON object with a text 'summary', but it begins with 'S'"
        );
        assert_eq!(
            read(r#"{"text": "S"}"#).unwrap_err().to_string(),
            "missing fields: summary"
        );
        assert!(read(r#"{"summary": 1}"#).is_err());
    }

    #[test]
    fn any_text_can_be_put_into_a_form() {
        for form in [
            ReplyForm::Text,
            ReplyForm::Summary,
            ReplyForm::Fields {
                fields: vec!["all".into(), "none".into()],
            },
        ] {
            let read = form
                .read(&PlannedCall::default(), &form.wrap("T".into()))
                .unwrap();
            assert!(read == "T" || read == "ALL:\nT", "{read}");
        }
        let form = ReplyForm::Chosen { most: 1 };
        assert_eq!(form.read(&call(), &form.wrap("T".into())).unwrap(), "A");
    }
}
