//! Writing the lines of a document.

use super::value::parse;
use crate::Document;
use palimpsest_core::SourcePart;
use serde_json::{Map, Value};

/// A document being written.
#[derive(Debug, Default)]
pub(super) struct Lines {
    document: Document,
    lines: u32,
}

impl Lines {
    /// Says that the next lines come from `path`.
    pub fn begin(&mut self, path: String) {
        self.document.parts.push(SourcePart {
            path,
            offset: self.document.bytes.len() as u64,
            line: self.lines,
        });
    }

    /// Adds stored JSON with `ids` before its other members, on one line; an id that the JSON
    /// names as well counts as given here. What is no object is added as it is, for the reader to
    /// complain about.
    pub fn push(&mut self, stored: &str, ids: &[(&str, &str)]) {
        let text = one_line(stored);
        let lacks_all = |ids: &[(&str, &str)]| {
            ids.iter()
                .all(|(key, _)| !text.contains(&format!("\"{key}\"")))
        };
        let known: Option<Value> = if lacks_all(ids) {
            None
        } else {
            parse(&text).ok()
        };
        let same = |object: &Map<String, Value>| {
            ids.iter()
                .all(|(key, id)| object.get(*key).and_then(Value::as_str) == Some(id))
        };
        match known {
            Some(Value::Object(object)) if !same(&object) => {
                let mut all = Map::new();
                for (key, id) in ids {
                    all.insert((*key).to_owned(), (*id).into());
                }
                for (key, value) in object {
                    all.entry(key).or_insert(value);
                }
                self.line(&Value::Object(all).to_string());
            }
            Some(_) => self.line(&text),
            None => self.line(&with_ids(&text, ids)),
        }
    }

    /// Adds a record.
    pub fn record(&mut self, record: &Value) {
        self.line(&record.to_string());
    }

    fn line(&mut self, text: &str) {
        self.document.bytes.extend_from_slice(text.as_bytes());
        self.document.bytes.push(b'\n');
        self.lines += 1;
    }

    pub fn finish(self) -> Document {
        self.document
    }
}

/// JSON without the line ends and indentation of pretty printing; within its texts there are none.
fn one_line(text: &str) -> String {
    text.split(['\n', '\r'])
        .map(|line| line.trim_matches([' ', '\t']))
        .collect()
}

/// The text of an object that has none of the ids, with them put first.
fn with_ids(text: &str, ids: &[(&str, &str)]) -> String {
    let Some(members) = text.strip_prefix('{') else {
        return text.to_owned();
    };
    let mut out = String::with_capacity(text.len() + 120);
    for (key, id) in ids {
        out.push(if out.is_empty() { '{' } else { ',' });
        out.push_str(&format!("\"{key}\":{}", Value::from(*id)));
    }
    if ids.is_empty() {
        out.push('{');
    } else if !members.trim_start().starts_with('}') {
        out.push(',');
    }
    out.push_str(members);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(stored: &str, ids: &[(&str, &str)]) -> String {
        let mut lines = Lines::default();
        lines.push(stored, ids);
        String::from_utf8(lines.finish().bytes).unwrap()
    }

    #[test]
    fn ids_are_put_back() {
        let ids = [("id", "a\""), ("sessionID", "s")];
        for (stored, expected) in [
            (
                "{\"x\":1}",
                "{\"id\":\"a\\\"\",\"sessionID\":\"s\",\"x\":1}\n",
            ),
            ("{}", "{\"id\":\"a\\\"\",\"sessionID\":\"s\"}\n"),
            (
                "{\n  \"x\": \"a\\nb\"\n}",
                "{\"id\":\"a\\\"\",\"sessionID\":\"s\",\"x\": \"a\\nb\"}\n",
            ),
            // A name within a text is no name of a member.
            (
                "{\"x\":\"\\\"id\\\"\"}",
                "{\"id\":\"a\\\"\",\"sessionID\":\"s\",\"x\":\"\\\"id\\\"\"}\n",
            ),
            // The column or the path counts.
            (
                "{\"id\":\"b\",\"x\":1}",
                "{\"id\":\"a\\\"\",\"sessionID\":\"s\",\"x\":1}\n",
            ),
            (
                "{\"id\":\"b\",",
                "{\"id\":\"a\\\"\",\"sessionID\":\"s\",\"id\":\"b\",\n",
            ),
            ("nothing", "nothing\n"),
        ] {
            assert_eq!(lines(stored, &ids), expected, "{stored}");
        }
    }

    #[test]
    fn what_has_its_ids_stays_as_it_is() {
        let stored = "{\"cost\":0.18493199999999999,\"id\":\"a\"}";
        assert_eq!(lines(stored, &[("id", "a")]), format!("{stored}\n"));
    }
}
