//! Bytes into lines, and lines into JSON.

use super::reader::{Lines, Native};
use super::record::parse;
use super::trail::Trail;
use crate::Reading;
use crate::jsonl::{self, LineText, mended, plain};
use palimpsest_core::SourceSpan;
use serde_json::value::RawValue;

/// Lines looked at to find out whose a file is.
const LINES: usize = 32;

/// Reads the lines of `chunk` into `reading`; see [`crate::SessionFormat::read`].
pub(super) fn read(reading: &mut Reading, chunk: &[u8], at_end: bool) -> usize {
    let mut scratch = std::mem::take(&mut reading.scratch);
    // Kept between chunks: making it from the entries again would cost as much as reading them.
    let mut trail = scratch.take_or(|| Trail::behind(&reading.session));
    let mut native: Native =
        serde_json::from_value(reading.state.native.clone()).unwrap_or_default();
    let consumed = jsonl::read_lines(reading, chunk, at_end, |reading, line| {
        Lines {
            reading,
            trail: &mut trail,
            native: &mut native,
        }
        .take_line(line);
    });
    reading.state.native = serde_json::to_value(&native).unwrap_or_default();
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
            self.warn(number, "text after a record on the same line is skipped");
            return;
        }
        let Some(error) = self.accept(&line.text, line.span, false) else {
            return;
        };
        let pieces = pieces(&line.text);
        let [_, _, ..] = pieces.as_slice() else {
            let reason = format!("not a JSON record ({}), skipped", plain(&error));
            return self.warn(number, &reason);
        };
        self.warn(number, "several records on one line, shown as recovered");
        for (start, piece) in pieces {
            self.accept(piece, line.part(start, piece.len()), true);
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

/// True when one of the first lines is a header of Droid's, or a record that only Droid writes.
pub(super) fn sniff(head: &[u8]) -> bool {
    let lines = jsonl::without_mark(head).split(|&byte| byte == b'\n');
    lines.take(LINES).any(|line| {
        let text = palimpsest_core::stored::text(line);
        let Ok(record) = parse(text.trim()) else {
            return false;
        };
        match record.type_name.as_deref() {
            Some("session_start") => record.id.0.is_some(),
            Some("compaction_state") => record.summary.units > 0,
            Some("agent_turn_outcome") => record.turn_id.0.is_some(),
            _ => false,
        }
    })
}
