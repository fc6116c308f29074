//! Sources of one JSON record per line: bytes into lines, lines into text, and what the parser says
//! of a line that is no record.

use crate::Reading;
use crate::repair::replace_lone_surrogates;
use palimpsest_core::words::noun;
use palimpsest_core::{SourceSpan, Warning};
use serde_json::error::Category;
use std::borrow::Cow;

/// The byte order mark, which some editors put before the first record.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// What is said of a last line that is no record yet.
pub(crate) const UNFINISHED: &str = "the last line is not a complete record yet; it is read \
    again when the file grows";
/// What is said of a line with bytes that are no text.
pub(crate) const NOT_UTF8: &str = "not valid UTF-8; invalid bytes are shown as U+FFFD";

/// A line as it stands in a chunk.
#[derive(Clone, Copy)]
pub(crate) struct RawLine<'c> {
    /// Its bytes, without the line end.
    pub bytes: &'c [u8],
    /// Bytes up to the next line.
    pub taken: usize,
    /// True when the line end is there.
    pub ended: bool,
}

/// The line that `rest` begins with; `None` when there is none or its end is still to come.
pub(crate) fn first_line(rest: &[u8], at_end: bool) -> Option<RawLine<'_>> {
    match memchr::memchr(b'\n', rest) {
        Some(at) => Some(RawLine {
            bytes: &rest[..at],
            taken: at + 1,
            ended: true,
        }),
        None => (at_end && !rest.is_empty()).then_some(RawLine {
            bytes: rest,
            taken: rest.len(),
            ended: false,
        }),
    }
}

/// Hands the lines of `chunk` to `take`, one after the other, and counts them in the reading's
/// state; returns the bytes consumed. A last line that is no record yet is left unread.
pub(crate) fn read_lines(
    reading: &mut Reading,
    chunk: &[u8],
    at_end: bool,
    mut take: impl FnMut(&mut Reading, &[u8]),
) -> usize {
    reading.partial_line = None;
    let mut consumed = 0;
    while let Some(line) = first_line(&chunk[consumed..], at_end) {
        if !line.ended && !is_whole(line.bytes) {
            reading.partial_line = Some(Warning {
                line: Some(reading.state.line),
                reason: UNFINISHED.to_owned(),
            });
            break;
        }
        take(reading, line.bytes);
        consumed += line.taken;
        reading.state.offset += line.taken as u64;
        reading.state.open_line = !line.ended;
        reading.state.line += u32::from(line.ended);
    }
    consumed
}

/// True for a line that is blank or one complete JSON object. Any other value may go on: `"type"` can
/// be the beginning of a member, and `12` that of a number.
pub(crate) fn is_whole(line: &[u8]) -> bool {
    let text = palimpsest_core::stored::text(line);
    let text = text.trim();
    let is_object = text.starts_with('{');
    text.is_empty() || is_object && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

/// A line as text.
pub(crate) struct LineText<'l> {
    /// What is written on it, white space around it left out.
    pub text: Cow<'l, str>,
    /// Where that stands in the source.
    pub span: SourceSpan,
    /// True when a byte order mark stands before it.
    pub marked: bool,
}

impl<'l> LineText<'l> {
    /// The text of a line that begins at `offset` of its source.
    pub fn of(line: &'l [u8], offset: u64, number: u32) -> LineText<'l> {
        // A mark elsewhere is part of a text.
        let unmarked = (offset == 0).then(|| line.strip_prefix(MARK)).flatten();
        let record = unmarked.unwrap_or(line);
        let start = line.len() - record.trim_ascii_start().len();
        let record = record.trim_ascii();
        LineText {
            text: palimpsest_core::stored::text(record),
            span: SourceSpan {
                line: number,
                offset: offset + start as u64,
                len: clamped(record.len()),
            },
            marked: unmarked.is_some(),
        }
    }

    /// True when it holds bytes that are no text.
    pub fn lossy(&self) -> bool {
        matches!(self.text, Cow::Owned(_))
    }

    /// True when nothing is written on it.
    pub fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// Where `len` bytes at `start` of the text stand in the source.
    pub fn part(&self, start: usize, len: usize) -> SourceSpan {
        part(self.span, start, len)
    }
}

/// Where `len` bytes at `start` of a line's text stand, from where that text stands.
pub(crate) fn part(line: SourceSpan, start: usize, len: usize) -> SourceSpan {
    SourceSpan {
        offset: line.offset + start as u64,
        len: clamped(len),
        ..line
    }
}

/// The beginning of a source without its byte order mark.
pub(crate) fn without_mark(head: &[u8]) -> &[u8] {
    head.strip_prefix(MARK).unwrap_or(head)
}

/// What halves of surrogate pairs, which Rust's strings cannot hold, are replaced in; `None` when
/// the parser's complaint was about something else.
pub(crate) fn mended(text: &str) -> Option<String> {
    match replace_lone_surrogates(text) {
        Cow::Borrowed(_) => None,
        Cow::Owned(mended) => Some(mended),
    }
}

/// What is wrong with a line, in words: cut off, no JSON, or a field of another type. The parser's
/// line number is left out, because it is always 1 here.
pub(crate) fn plain(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let column = error.column();
    let words = text
        .rsplit_once(" at line ")
        .map_or(&*text, |(words, _)| words);
    match error.classify() {
        Category::Eof => {
            let bytes = noun(column as u64, "byte", "bytes");
            format!("the line is cut off after {column} {bytes}")
        }
        Category::Syntax => format!("invalid JSON at byte {column}: {words}"),
        Category::Data => format!("unexpected value at byte {column}: {words}"),
        Category::Io => text,
    }
}

/// Spans count 32 bits; no agent writes a record of 4 GiB.
fn clamped(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}
