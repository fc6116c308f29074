//! Lines of a document into records: a message with the parts that follow it is one entry.

use super::aside::{take_other, take_session, take_todos};
use super::message::{Memory, Open, take_message};
use super::value::{filled, parse, text};
use super::warn::warn_at;
use crate::Reading;
use crate::jsonl::plain;
use palimpsest_core::{SourceSpan, Warning};
use std::ops::Range;

/// A line of the document.
struct Line<'a> {
    number: u32,
    offset: u64,
    bytes: &'a [u8],
}

/// Reads the lines of `chunk` into `reading`; see [`crate::SessionFormat::read`].
///
/// A message is taken when the next record shows that no further part belongs to it, or at the
/// end; until then it stays unread.
pub(super) fn read(reading: &mut Reading, chunk: &[u8], at_end: bool) -> usize {
    reading.partial_line = None;
    let mut memory: Memory =
        serde_json::from_value(reading.state.native.clone()).unwrap_or_default();
    let start = reading.state.offset;
    let mut taken = 0;
    let mut open: Option<Open> = None;
    let mut kept = (0, reading.state.line);
    let mut number = reading.state.line;
    let mut ended = true;
    while taken < chunk.len() {
        let Some(range) = line_at(chunk, taken, at_end) else {
            break;
        };
        let next = (range.end + 1).min(chunk.len());
        ended = range.end < chunk.len();
        let line = Line {
            number,
            offset: start + taken as u64,
            bytes: &chunk[range],
        };
        if !ended && !is_whole(line.bytes) {
            reading.partial_line = Some(Warning {
                line: Some(number),
                reason: "the last line is not a complete record yet; it is read again when the \
                    file grows"
                    .to_owned(),
            });
            ended = true;
            break;
        }
        if !line.bytes.trim_ascii().is_empty() {
            take_line(reading, &mut memory, &mut open, &line);
        }
        // Up to where nothing has to be read again.
        match &open {
            Some(message) if message.source.line == number => kept = (taken, number),
            Some(_) => {}
            None => kept = (next, number + u32::from(ended)),
        }
        taken = next;
        number += u32::from(ended);
    }
    if at_end {
        if let Some(open) = open.take() {
            take_message(reading, &mut memory, open);
        }
        kept = (taken, number);
    }
    reading.state.offset = start + kept.0 as u64;
    reading.state.line = kept.1;
    reading.state.open_line = !ended;
    if let Ok(native) = serde_json::to_value(&memory) {
        reading.state.native = native;
    }
    kept.0
}

/// The line that begins at `from`, without its end; `None` when its end is still to come.
fn line_at(chunk: &[u8], from: usize, at_end: bool) -> Option<Range<usize>> {
    match memchr::memchr(b'\n', &chunk[from..]) {
        Some(length) => Some(from..from + length),
        None => at_end.then_some(from..chunk.len()),
    }
}

fn is_whole(line: &[u8]) -> bool {
    let text = palimpsest_core::stored::text(line);
    text.trim().is_empty() || parse(text.trim()).is_ok()
}

fn take_line(reading: &mut Reading, memory: &mut Memory, open: &mut Option<Open>, line: &Line<'_>) {
    let leading = line.bytes.len() - line.bytes.trim_ascii_start().len();
    let bytes = line.bytes.trim_ascii();
    let source = SourceSpan {
        line: line.number,
        offset: line.offset + leading as u64,
        len: u32::try_from(bytes.len()).unwrap_or(u32::MAX),
    };
    let text_of_line = palimpsest_core::stored::text(bytes);
    let mut warnings = Vec::new();
    let mut warn = |reason: String| {
        warnings.push(Warning {
            line: Some(line.number),
            reason,
        });
    };
    if matches!(text_of_line, std::borrow::Cow::Owned(_)) {
        warn("not valid UTF-8; invalid bytes are shown as U+FFFD".to_owned());
    }
    let record = match parse(&text_of_line) {
        Ok(record) if record.is_object() => Some(record),
        Ok(_) => {
            warn("a JSON value that is not a record, skipped".to_owned());
            None
        }
        Err(error) => {
            warn(format!("not a JSON record ({}), skipped", plain(&error)));
            None
        }
    };
    let Some(record) = record else {
        // Parts of the open message may follow.
        match open {
            Some(open) => open.warnings.append(&mut warnings),
            None => reading.session.warnings.append(&mut warnings),
        }
        return;
    };
    if let (Some(of), Some(message)) = (filled(&record, "messageID"), open.as_mut())
        && text(&message.info, "id") == of
    {
        message.warnings.append(&mut warnings);
        message.part_lines.push(line.number);
        let end = source.offset + u64::from(source.len);
        message.source.len = u32::try_from(end - message.source.offset).unwrap_or(u32::MAX);
        message.parts.push(record);
        return;
    }
    if let Some(message) = open.take() {
        take_message(reading, memory, message);
    }
    reading.session.warnings.append(&mut warnings);
    if filled(&record, "role").is_some() {
        *open = Some(Open {
            info: record,
            parts: Vec::new(),
            source,
            part_lines: Vec::new(),
            warnings: Vec::new(),
        });
    } else if let Some(of) = filled(&record, "messageID") {
        let reason = format!(
            "a part ({}) of message {of}, which is missing or unreadable, skipped",
            text(&record, "type")
        );
        warn_at(reading, line.number, reason);
    } else if record.get("todos").is_some() {
        take_todos(reading, &record, source);
    } else if filled(&record, "type").is_some() {
        take_other(reading, &record, source);
    } else {
        take_session(reading, memory, &record, line.number);
    }
}
