//! Bytes into lines, and lines into JSON.

use super::reader::Lines;
use super::record::parse;
use super::trail::Trail;
use crate::Reading;
use crate::repair::replace_lone_surrogates;
use palimpsest_core::{SourceSpan, Warning};
use serde_json::value::RawValue;
use std::borrow::Cow;

/// Reads the lines of `chunk` into `reading`; see [`crate::SessionFormat::read`].
pub(super) fn read(reading: &mut Reading, chunk: &[u8], at_end: bool) -> usize {
    reading.partial_line = None;
    let mut scratch = std::mem::take(&mut reading.scratch);
    let mut trail = scratch.take_or(|| Trail::behind(&reading.session, &reading.state.native));
    let mut consumed = 0;
    while consumed < chunk.len() {
        let rest = &chunk[consumed..];
        let (line, taken, ended) = match memchr::memchr(b'\n', rest) {
            Some(at) => (&rest[..at], at + 1, true),
            None if at_end => (rest, rest.len(), false),
            None => break,
        };
        if !ended && !is_whole(line) {
            reading.partial_line = Some(Warning {
                line: Some(reading.state.line),
                reason: "the last line is not a complete record; it is left for later, in case \
                         it is still being written"
                    .to_owned(),
            });
            break;
        }
        Lines {
            reading,
            trail: &mut trail,
        }
        .take_line(line);
        consumed += taken;
        reading.state.offset += taken as u64;
        reading.state.open_line = !ended;
        if ended {
            reading.state.line += 1;
        }
    }
    reading.state.native = trail.keep(&reading.session);
    reading.scratch.put(trail);
    consumed
}

/// True for a line that is blank or one complete JSON value.
fn is_whole(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line);
    let text = text.trim();
    text.is_empty() || serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

impl Lines<'_> {
    fn take_line(&mut self, line: &[u8]) {
        let number = self.reading.state.line;
        let mut offset = self.reading.state.offset;
        let mut record = line;
        if offset == 0
            && let Some(rest) = line.strip_prefix(b"\xef\xbb\xbf")
        {
            self.warn(number, "begins with a byte order mark; passed over");
            record = rest;
        }
        let start = record.iter().position(|byte| !byte.is_ascii_whitespace());
        offset += (line.len() - record.len() + start.unwrap_or(0)) as u64;
        let record = record.trim_ascii();
        let text = match std::str::from_utf8(record) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => {
                self.warn(number, "not valid UTF-8; the bad bytes are shown as U+FFFD");
                String::from_utf8_lossy(record)
            }
        };
        if text.trim().is_empty() {
            return;
        }
        if self.reading.state.open_line {
            self.warn(
                number,
                "more follows a record on one line; Claude Code skips the line, here only what \
                 follows is left out",
            );
            return;
        }
        let source = SourceSpan {
            line: number,
            offset,
            len: u32::try_from(record.len()).unwrap_or(u32::MAX),
        };
        let Some(error) = self.accept(&text, source, false) else {
            return;
        };
        self.trail.kept.broken = true;
        let pieces = pieces(&text);
        match pieces.len() {
            0 | 1 => {
                let reason = format!(
                    "not a JSON record ({}); Claude Code skips the line",
                    plain(&error)
                );
                self.warn(number, &reason);
            }
            _ => {
                let reason = "several records on one line; Claude Code skips the line, they are \
                              shown as recovered";
                self.warn(number, reason);
            }
        }
        if let [_, _, ..] = pieces.as_slice() {
            for (start, piece) in pieces {
                let span = SourceSpan {
                    offset: source.offset + start as u64,
                    len: u32::try_from(piece.len()).unwrap_or(u32::MAX),
                    ..source
                };
                self.accept(piece, span, true);
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
        let parsed = match parse(text) {
            Ok(record) => Ok(record),
            Err(error) => match replace_lone_surrogates(text) {
                Cow::Borrowed(_) => Err(error),
                Cow::Owned(text) => {
                    fixed = text;
                    parse(&fixed)
                }
            },
        };
        match parsed {
            Ok(record) if record.is_object => self.take(&record, source, recovered),
            Ok(_) => self.warn(source.line, "a JSON value that is not a record; left out"),
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

/// The parser's words without its line number, which is always 1 here.
fn plain(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rsplit_once(" at line ") {
        Some((words, _)) => format!("{words} at column {}", error.column()),
        None => text,
    }
}
