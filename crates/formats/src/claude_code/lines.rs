//! Bytes into lines, and lines into JSON.

use super::reader::Lines;
use super::record::parse;
use super::trail::Trail;
use crate::Reading;
use crate::jsonl::{self, LineText, mended, plain};
use palimpsest_core::SourceSpan;
use serde_json::value::RawValue;

/// Reads the lines of `chunk` into `reading`; see [`crate::SessionFormat::read`].
pub(super) fn read(reading: &mut Reading, chunk: &[u8], at_end: bool) -> usize {
    let mut scratch = std::mem::take(&mut reading.scratch);
    // Kept between chunks: making it from the entries again would cost as much as reading them.
    let mut trail = scratch.take_or(|| Trail::behind(reading));
    let consumed = jsonl::read_lines(reading, chunk, at_end, |reading, line| {
        Lines {
            reading,
            trail: &mut trail,
        }
        .take_line(line);
    });
    Lines {
        reading,
        trail: &mut trail,
    }
    .unwarn();
    reading.state.native = trail.keep(&reading.session);
    reading.scratch.put(trail);
    consumed
}

impl Lines<'_> {
    fn take_line(&mut self, line: &[u8]) {
        let number = self.reading.state.line;
        let line = LineText::of(line, self.reading.state.offset, number);
        if line.marked {
            self.warn(number, "byte order mark at the beginning, skipped");
        }
        if line.lossy() {
            self.warn(number, jsonl::NOT_UTF8);
        }
        if line.is_blank() {
            return;
        }
        if self.reading.state.open_line {
            self.warn(
                number,
                "text after a record on the same line is skipped; Claude Code skips the whole line",
            );
            return;
        }
        let Some(error) = self.accept(&line.text, line.span, false) else {
            return;
        };
        // The next record may name a parent that was on this line.
        self.trail.kept.broken = true;
        let pieces = pieces(&line.text);
        match pieces.len() {
            0 | 1 => {
                let reason = format!(
                    "not a JSON record ({}), skipped by Claude Code",
                    plain(&error)
                );
                self.warn(number, &reason);
            }
            _ => {
                let reason = "several records on one line, shown as recovered; Claude Code skips \
                    the line";
                self.warn(number, reason);
            }
        }
        if let [_, _, ..] = pieces.as_slice() {
            for (start, piece) in pieces {
                self.accept(piece, line.part(start, piece.len()), true);
            }
        }
    }

    /// Takes one record; returns the parser's complaint when the text is not one JSON value.
    fn accept(
        &mut self,
        text: &str,
        source: SourceSpan,
        recovered: bool,
    ) -> Option<serde_json::Error> {
        let fixed;
        // Mended only after a failure, because nearly all lines need nothing.
        let parsed = match parse(text) {
            Ok(record) => Ok(record),
            Err(error) => match mended(text) {
                None => Err(error),
                Some(text) => {
                    fixed = text;
                    parse(&fixed)
                }
            },
        };
        match parsed {
            Ok(record) if record.is_object => self.take(&record, source, recovered),
            Ok(_) => self.warn(source.line, "a JSON value that is not a record, skipped"),
            Err(error) => return Some(error),
        }
        None
    }
}

/// The objects that a line begins with, where torn or merged writes put several on it, with their
/// offsets in the line.
fn pieces(text: &str) -> Vec<(usize, &str)> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
    let mut pieces = Vec::new();
    while let Some(Ok(value)) = values.next() {
        let piece = value.get();
        if !piece.starts_with('{') {
            break;
        }
        pieces.push((values.byte_offset() - piece.len(), piece));
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::links::WalkLimit;
    use serde_json::{Value, json};

    /// Reads records and gives what the reader keeps of them.
    fn trail_of(records: impl IntoIterator<Item = Value>) -> (Reading, Box<Trail>) {
        let text: String = records
            .into_iter()
            .map(|record| format!("{record}\n"))
            .collect();
        let mut reading = Reading::new(super::super::AGENT, "/s.jsonl");
        read(&mut reading, text.as_bytes(), true);
        let mut scratch = std::mem::take(&mut reading.scratch);
        let trail = scratch.take_or(|| Trail::behind(&reading));
        (reading, trail)
    }

    fn record(kind: &str, id: &str, parent: Option<&str>, content: &Value) -> Value {
        json!({
            "type": kind, "uuid": id, "parentUuid": parent, "sessionId": "s", "version": "2.1.0",
            "timestamp": "2026-03-01T10:00:00.001Z",
            "message": {"role": kind, "content": content},
        })
    }

    #[test]
    fn reports_on_one_slow_call_are_placed_in_as_many_steps() {
        const REPORTS: u64 = 4_000;
        let call = json!([{"type": "tool_use", "id": "t", "name": "Bash", "input": {}}]);
        let result = json!([{"type": "tool_result", "tool_use_id": "t", "content": "x"}]);
        let begun = [
            record("user", "u", None, &json!("Go.")),
            record("assistant", "call", Some("u"), &call),
        ];
        let reports =
            (0..REPORTS).map(|at| record("user", &format!("r{at}"), Some("call"), &result));
        let (reading, trail) = trail_of(begun.into_iter().chain(reports));
        assert_eq!(reading.session.entries.len() as u64, REPORTS + 2);
        let steps = WalkLimit::default().left() - trail.late.left();
        assert!(steps <= 2 * REPORTS, "{steps} steps");
        let last = reading.session.entries.last().unwrap();
        assert_eq!(last.parent.map(palimpsest_core::EntryIx::get), Some(4_000));
    }

    #[test]
    fn each_subagent_is_linked_once() {
        let started = |at: usize| {
            let mut record = record("user", &format!("u{at}"), None, &json!("x"));
            record["toolUseResult"] = json!({"agentId": format!("a{}", at % 500)});
            record
        };
        let (reading, trail) = trail_of((0..1_000).map(started));
        assert_eq!(reading.session.links.len(), 500);
        assert_eq!(trail.agents.len(), 500);
    }
}
