//! The query language. Any text is a query: what makes no sense is left out, and said.
//!
//! | written | means |
//! | --- | --- |
//! | `word other` | entries with both words, case ignored |
//! | `word*` | words that begin so |
//! | `"two words"`, `read_file`, `src/a.rs` | these words one after the other |
//! | `-word`, `-"two words"` | entries without |
//! | `agent:pi` | sessions of an agent; several: any of them |
//! | `project:courier` | sessions of a project; several: any of them |
//! | `title:dates` | sessions whose title has it |
//! | `path:src/` | sessions whose tools touched such a file |
//! | `has:compaction`, `has:branch`, `has:error`, `has:warning` | and `-has:...` for those without |
//! | `is:starred`, `has:star` | sessions the user put a star on; `-is:starred` the others |
//! | `has:note`, `has:label` | sessions with a note or label of the user, on them or on an entry |
//! | `note:flaky`, `note:"two words"` | sessions with a note that has it |
//! | `label:todo` | sessions with a label of the user that has it |
//! | `is:subagent` | sessions that another session's agent started; `-is:subagent` the others |
//! | `after:2026-10`, `before:2026-10-15` | by the newest entry, from the start of a year, month or day, UTC |

use palimpsest_formats::{agent_named, formats};
use palimpsest_store::index::SessionFilter;
use palimpsest_store::index::terms::terms;

/// A query, understood as far as it goes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Query {
    /// What must occur.
    pub words: Vec<Word>,
    /// What must not.
    pub without: Vec<Word>,
    /// Which sessions.
    pub filter: SessionFilter,
    /// Which sessions by the marks of the user.
    pub marks: MarkFilter,
    /// What was not understood, in words.
    pub ignored: Vec<String>,
}

/// What is asked of the user's marks. Empty fields do not restrict.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MarkFilter {
    /// Has a star (true) or none (false).
    pub starred: Option<bool>,
    /// Has a note, on it or on an entry (true), or none (false).
    pub has_note: Option<bool>,
    /// Has a label, on it or on an entry (true), or none (false).
    pub has_label: Option<bool>,
    /// For each of these, some note has it, case ignored.
    pub notes: Vec<Word>,
    /// For each of these, some label has it, case ignored.
    pub labels: Vec<Word>,
}

impl MarkFilter {
    /// True when nothing is filtered out.
    pub fn is_empty(&self) -> bool {
        *self == MarkFilter::default()
    }
}

/// A word or several that follow each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// As written, without quotes; a `*` at the end stands for the rest of a word.
    pub text: String,
}

impl Word {
    /// True when it is more than one word to the index.
    pub fn is_phrase(&self) -> bool {
        terms(&self.text).len() > 1
    }
}

/// A piece of the query text.
struct Piece<'a> {
    negated: bool,
    /// The name before a colon.
    name: Option<&'a str>,
    value: &'a str,
    quoted: bool,
    /// As written.
    written: &'a str,
}

impl Query {
    /// Reads a query.
    pub fn parse(text: &str) -> Query {
        let mut query = Query::default();
        let mut rest = text.trim_start();
        while !rest.is_empty() {
            let (piece, after) = next_piece(rest, &mut query.ignored);
            rest = after.trim_start();
            query.take(&piece);
        }
        query
    }

    fn take(&mut self, piece: &Piece<'_>) {
        match piece.name {
            Some(name) => {
                if let Err(reason) = self.filter_by(name, piece) {
                    self.ignored.push(format!("{}: {reason}", piece.written));
                }
            }
            None => self.word(piece),
        }
    }

    fn word(&mut self, piece: &Piece<'_>) {
        if terms(piece.value).is_empty() {
            if !piece.value.is_empty() || piece.quoted || piece.negated {
                self.ignored
                    .push(format!("{}: there is no word in it", piece.written));
            }
            return;
        }
        let text = if piece.quoted {
            // A star inside quotes is a character that separates words.
            piece.value.trim_end_matches('*').to_owned()
        } else {
            piece.value.to_owned()
        };
        let list = if piece.negated {
            &mut self.without
        } else {
            &mut self.words
        };
        list.push(Word { text });
    }

    fn filter_by(&mut self, name: &str, piece: &Piece<'_>) -> Result<(), String> {
        let value = piece.value;
        if value.is_empty() {
            return Err("nothing after the colon".to_owned());
        }
        if piece.negated && name != "has" && name != "is" {
            return Err("only words, has: and is: can be excluded".to_owned());
        }
        let filter = &mut self.filter;
        let word = || Word {
            text: value.to_owned(),
        };
        match name {
            "agent" => {
                let agent = agent_named(&value.to_lowercase()).ok_or_else(|| {
                    let names = formats().iter().map(|format| format.agent().name());
                    let names: Vec<&str> = names.collect();
                    format!("no such agent; there are {}", names.join(", "))
                })?;
                filter.agents.push(agent);
            }
            "project" => filter.projects.push(value.to_owned()),
            "title" => filter.title.push(value.to_owned()),
            "path" => filter.touched.push(value.to_owned()),
            "note" if terms(value).is_empty() => return Err("there is no word in it".to_owned()),
            "note" => self.marks.notes.push(word()),
            "label" => self.marks.labels.push(word()),
            "has" => {
                let wanted = Some(!piece.negated);
                // `has:error` and `has:errors` are both written.
                match value.to_lowercase().trim_end_matches('s') {
                    "compaction" => filter.has_compaction = wanted,
                    "branch" | "branche" => filter.has_branch = wanted,
                    "error" => filter.has_error = wanted,
                    "warning" => filter.has_warning = wanted,
                    "star" => self.marks.starred = wanted,
                    "note" => self.marks.has_note = wanted,
                    "label" => self.marks.has_label = wanted,
                    _ => {
                        return Err(
                            "has: knows compaction, branch, error, warning, star, note, label"
                                .to_owned(),
                        );
                    }
                }
            }
            "is" if value.eq_ignore_ascii_case("subagent") => {
                filter.is_subagent = Some(!piece.negated);
            }
            "is" if value.eq_ignore_ascii_case("starred") => {
                self.marks.starred = Some(!piece.negated);
            }
            "is" => return Err("is: knows subagent and starred".to_owned()),
            // The narrower of several wins.
            "after" => filter.after_ms = filter.after_ms.max(Some(start_of(value)?)),
            "before" => {
                let start = start_of(value)?;
                filter.before_ms = Some(filter.before_ms.map_or(start, |old| old.min(start)));
            }
            _ => {
                return Err(
                    "no such filter; there are agent:, project:, title:, path:, has:, is:, note:, \
                            label:, after: and before:, and a word with a colon goes in quotes"
                        .to_owned(),
                );
            }
        }
        Ok(())
    }
}

/// The first millisecond of a day, month or year, UTC.
fn start_of(value: &str) -> Result<i64, String> {
    let wrong = || "a date is written 2026, 2026-10 or 2026-10-05".to_owned();
    let mut parts = value.split('-');
    let year: i16 = parts
        .next()
        .and_then(|text| text.parse().ok())
        .ok_or_else(wrong)?;
    let mut number = |missing: i8| match parts.next() {
        Some(text) => text.parse::<i8>().map_err(|_| wrong()),
        None => Ok(missing),
    };
    let (month, day) = (number(1)?, number(1)?);
    if parts.next().is_some() {
        return Err(wrong());
    }
    let date = jiff::civil::Date::new(year, month, day).map_err(|_| wrong())?;
    let start = date
        .to_zoned(jiff::tz::TimeZone::UTC)
        .map_err(|_| wrong())?;
    Ok(start.timestamp().as_millisecond())
}

/// Splits the next piece off; `text` begins with no space.
fn next_piece<'a>(text: &'a str, ignored: &mut Vec<String>) -> (Piece<'a>, &'a str) {
    let negated = text.starts_with('-');
    let body = if negated { &text[1..] } else { text };
    // Letters only, so that `src/a.rs:12` is a word and not a filter.
    let name_end = body
        .find(|c: char| !c.is_ascii_alphabetic())
        .unwrap_or(body.len());
    let has_name = name_end > 0 && body[name_end..].starts_with(':');
    let (name, value) = if has_name {
        (Some(&body[..name_end]), &body[name_end + 1..])
    } else {
        (None, body)
    };
    let (value, rest, quoted) = match value.strip_prefix('"') {
        Some(inner) => match inner.split_once('"') {
            Some((value, rest)) => (value, rest, true),
            None => {
                ignored.push(format!("\"{inner}: the closing quote is missing"));
                (inner, "", true)
            }
        },
        None => {
            // A quote begins a new piece even without a space before it.
            let end = value
                .find(|c: char| c.is_whitespace() || c == '"')
                .unwrap_or(value.len());
            (&value[..end], &value[end..], false)
        }
    };
    let written = text[..text.len() - rest.len()].trim_end();
    (
        Piece {
            negated,
            name,
            value,
            quoted,
            written,
        },
        rest,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use palimpsest_core::Agent;
    use proptest::prelude::*;

    fn words(list: &[Word]) -> Vec<&str> {
        list.iter().map(|word| word.text.as_str()).collect()
    }

    #[test]
    fn words_phrases_and_exclusions() {
        let query = Query::parse(r#"  parse "of dates" -slow -"too slow" read_file pre* x"y" "#);
        assert_eq!(
            words(&query.words),
            ["parse", "of dates", "read_file", "pre*", "x", "y"]
        );
        assert_eq!(words(&query.without), ["slow", "too slow"]);
        assert!(query.ignored.is_empty(), "{:?}", query.ignored);
        let phrases: Vec<bool> = query.words.iter().map(Word::is_phrase).collect();
        assert_eq!(phrases, [false, true, true, false, false, false]);
    }

    #[test]
    fn filters() {
        let query = Query::parse(
            r#"agent:pi agent:PI project:"my app" title:fix path:src/ has:compaction
               -has:errors after:2026-10 before:2026-10-05 word"#,
        );
        assert!(query.ignored.is_empty(), "{:?}", query.ignored);
        assert_eq!(words(&query.words), ["word"]);
        let expected = SessionFilter {
            agents: vec![Agent::PI, Agent::PI],
            projects: vec!["my app".to_owned()],
            title: vec!["fix".to_owned()],
            touched: vec!["src/".to_owned()],
            has_compaction: Some(true),
            has_error: Some(false),
            after_ms: Some(1_790_812_800_000),
            before_ms: Some(1_791_158_400_000),
            ..SessionFilter::default()
        };
        assert_eq!(query.filter, expected);
    }

    #[test]
    fn filters_by_marks() {
        let query = Query::parse(
            r#"is:starred -has:notes has:label note:flaky note:"two words" label:todo"#,
        );
        assert!(query.ignored.is_empty(), "{:?}", query.ignored);
        assert!(query.filter.is_empty(), "{:?}", query.filter);
        let marks = &query.marks;
        assert_eq!(
            (marks.starred, marks.has_note, marks.has_label),
            (Some(true), Some(false), Some(true))
        );
        assert_eq!(words(&marks.notes), ["flaky", "two words"]);
        assert_eq!(words(&marks.labels), ["todo"]);
        assert_eq!(Query::parse("-has:star").marks.starred, Some(false));
    }

    #[test]
    fn what_makes_no_sense_is_named_and_the_rest_holds() {
        for (text, named) in [
            ("word agent:nobody", "agent:nobody"),
            ("word has:fun", "has:fun"),
            ("word after:yesterday", "after:yesterday"),
            ("word after:2026-13", "after:2026-13"),
            ("word before:2026-02-30", "before:2026-02-30"),
            ("word colour:red", "colour:red"),
            ("word -agent:pi", "-agent:pi"),
            ("word title:", "title:"),
            ("word note:", "note:"),
            ("word note:...", "note:..."),
            ("word -label:x", "-label:x"),
            ("word is:old", "is:old"),
            ("word ...", "..."),
            ("word -", "-"),
            ("word \"\"", "\"\""),
        ] {
            let query = Query::parse(text);
            assert_eq!(words(&query.words), ["word"], "{text}");
            assert_eq!(query.filter, SessionFilter::default(), "{text}");
            assert!(query.marks.is_empty(), "{text}");
            assert_eq!(query.ignored.len(), 1, "{text}");
            assert!(query.ignored[0].starts_with(named), "{:?}", query.ignored);
        }
        let open = Query::parse("word \"two words");
        assert_eq!(words(&open.words), ["word", "two words"]);
        assert_eq!(open.ignored.len(), 1);
    }

    proptest! {
        #[test]
        fn any_text_is_a_query(text in "[a-c:\"* é本-]{0,24}") {
            let query = Query::parse(&text);
            for word in query.words.iter().chain(&query.without) {
                prop_assert!(!terms(&word.text).is_empty());
            }
        }
    }
}
