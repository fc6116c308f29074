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
