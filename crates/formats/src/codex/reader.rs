//! Lines into records, with what is wrong about them.

use super::lines::{Announced, Announcement, Held, Line, Lines};
use super::state::{Index, Native};
use super::take::Take;
use crate::Reading;
use crate::jsonl;
use palimpsest_core::Warning;
use serde_json::Value;

/// Reads the lines of `chunk` into `reading`; see [`crate::SessionFormat::read`].
///
/// An event that repeats an item may come before it. As the last record it is left unread until
/// something follows.
pub(super) fn read(reading: &mut Reading, chunk: &[u8], at_end: bool) -> usize {
    reading.partial_line = None;
    // A state that cannot be read counts as none; a document of several files begins with another
    // session's records.
    let native = serde_json::from_value(reading.state.native.take()).unwrap_or_else(|_| Native {
        own_line: reading.session.parts.last().map_or(0, |part| part.line),
        ..Native::default()
    });
    let session = &reading.session;
    let index = reading.scratch.take_or(|| Index::of(session));
    let mut take = Take::new(reading, native, index);
    let consumed = read_lines(&mut take, chunk, at_end);
    let (native, index) = take.finish();
    reading.scratch.put(index);
    reading.state.native = serde_json::to_value(native).unwrap_or_default();
    consumed
}

fn read_lines(take: &mut Take<'_>, chunk: &[u8], at_end: bool) -> usize {
    let (offset, number) = (take.reading.state.offset, take.reading.state.line);
    let mut lines = Lines::new(chunk, at_end, offset, number);
    let mut consumed = 0;
    while let Some(line) = lines.next() {
        let number = take.reading.state.line;
        // The agent may still be writing it.
        if !line.ended && matches!(line.held, Held::Broken(_) | Held::Several(..)) {
            take.reading.partial_line = Some(warning(number, jsonl::UNFINISHED));
            break;
        }
        if let Held::Record(record, _) = &line.held {
            take.look_for_events(record);
        }
        if let Held::Record(record, _) = &line.held
            && let Some(event) = Announcement::of(record)
            && take.repeated(&event).is_none()
        {
            if take.may_repeat_earlier(&event) {
                take.reading.leads_back();
            }
            match lines.announced(&event) {
                Announced::By(item) => take.expect(item, number),
                Announced::Alone => {}
                Announced::AloneYet => take.wait_for_item(record),
                Announced::Undecided => {
                    let reason = "refers to an item that does not exist yet; read again later";
                    take.reading.partial_line = at_end.then(|| warning(number, reason));
                    break;
                }
            }
        }
        consumed += line.taken;
        read_line(take, &line);
        let state = &mut take.reading.state;
        state.offset += line.taken as u64;
        state.open_line = !line.ended;
        state.line += u32::from(line.ended);
    }
    consumed
}

fn read_line(take: &mut Take<'_>, line: &Line) {
    let number = take.reading.state.line;
    if line.marked {
        take.warn(number, "byte order mark at the beginning, skipped");
    }
    if line.lossy {
        take.warn(number, jsonl::NOT_UTF8);
    }
    // The beginning of this line was read before its end was written.
    let continued = take.reading.state.open_line;
    match &line.held {
        Held::Nothing => {}
        Held::Record(record, span) if !continued => take.record(record, *span, false),
        Held::Record(record, span) => {
            take.warn(number, GLUED);
            take.record(record, *span, true);
        }
        Held::Several(records, rest) => {
            take.warn(number, GLUED);
            for (record, span) in records {
                take.record(record, *span, true);
            }
            if *rest {
                let reason = "the end of the line is not a record, skipped";
                take.warn(number, reason);
            }
        }
        Held::Broken(reason) => take.warn(number, reason),
    }
}

/// What is said of a line with more than one record.
const GLUED: &str = "several records on one line, shown as recovered; Codex skips the line";

fn warning(line: u32, reason: &str) -> Warning {
    Warning {
        line: Some(line),
        reason: reason.to_owned(),
    }
}

/// True when the first record of `head` is a header of a rollout; a header longer than `head` is
/// recognised by its beginning.
pub(super) fn sniff(head: &[u8]) -> bool {
    let head = jsonl::without_mark(head);
    for line in head.split(|&byte| byte == b'\n') {
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        if let Ok(record) = serde_json::from_slice::<Value>(line) {
            return record.get("type").and_then(Value::as_str) == Some("session_meta")
                && record.get("payload").is_some_and(Value::is_object);
        }
        let beginning = &line[..line.len().min(400)];
        let compact: String = String::from_utf8_lossy(beginning)
            .split_whitespace()
            .collect();
        // A broken line may stand before the header.
        if compact.contains("\"type\":\"session_meta\",\"payload\":{") {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use palimpsest_core::EntryKind;
    use serde_json::json;

    #[test]
    fn compactions_without_end_keep_no_more_than_the_limit() {
        // Each keeps all prompts before it: twelve million in all.
        const COMPACTIONS: usize = 5_000;
        let header = json!({
            "type": "session_meta", "timestamp": "2026-03-01T10:00:00.001Z",
            "payload": {"id": "019caa00-0000-7000-8000-00000000000a", "cwd": "/x"},
        });
        let mut text = format!("{header}\n");
        for at in 0..COMPACTIONS {
            let prompt = json!({
                "type": "message", "id": format!("m{at}"), "role": "user",
                "content": [{"type": "input_text", "text": "x"}],
            });
            for (kind, payload) in [
                ("response_item", prompt),
                ("compacted", json!({"message": "s"})),
            ] {
                text.push_str(&format!("{}\n", json!({"type": kind, "payload": payload})));
            }
        }
        let mut reading = Reading::new(super::super::AGENT, "/s.jsonl");
        read(&mut reading, text.as_bytes(), true);
        let kept = reading
            .session
            .entries
            .iter()
            .map(|entry| match &entry.kind {
                EntryKind::Compaction(compaction) => compaction.kept.len(),
                _ => 0,
            });
        let kept: Vec<usize> = kept.filter(|kept| *kept > 0).collect();
        assert!(kept.len() > 1_000, "{}", kept.len());
        let all: usize = kept.iter().sum();
        assert!(all <= 10_000_000, "{all}");
    }
}
