//! Lines into records, with what is wrong about them.

use super::state::{Index, Native};
use super::take::Take;
use super::workspace::Workspace;
use crate::Reading;
use crate::json::{parse, some_text, text};
use crate::jsonl::{self, LineText, plain, read_lines};
use crate::measure::head;
use crate::repair::replace_lone_surrogates;
use palimpsest_core::{SessionMeta, SourceSpan};
use serde_json::Value;

/// What is said of a line with more than one record.
const GLUED: &str = "several records on one line, shown as recovered; Copilot skips the line";

/// Reads the lines of `chunk` into `reading`; see [`crate::SessionFormat::read`].
pub(super) fn read(reading: &mut Reading, chunk: &[u8], at_end: bool) -> usize {
    // A state that cannot be read counts as none.
    let native: Native = serde_json::from_value(reading.state.native.take()).unwrap_or_default();
    let session = &reading.session;
    let index = reading.scratch.take_or(|| Index::of(session));
    let mut kept = Some((native, index));
    let consumed = read_lines(reading, chunk, at_end, |reading, line| {
        let Some((native, index)) = kept.take() else {
            return;
        };
        let mut take = Take::new(reading, native, index);
        read_line(&mut take, line);
        kept = Some(take.finish());
    });
    if let Some((native, index)) = kept {
        reading.scratch.put(index);
        settle(&mut reading.session.meta, &native);
        reading.state.native = serde_json::to_value(native).unwrap_or_default();
    }
    consumed
}

/// Takes what the file beside the events says; `None` where there is no such file.
pub(super) fn take_beside(reading: &mut Reading, bytes: Option<&[u8]>) {
    let native: Result<Native, _> = serde_json::from_value(reading.state.native.take());
    let mut native = native.unwrap_or_default();
    native.workspace = bytes.map(Workspace::read).unwrap_or_default();
    settle(&mut reading.session.meta, &native);
    reading.state.native = serde_json::to_value(native).unwrap_or_default();
}

/// Sets what a session is called and where it works: as its events and the file beside them say. The
/// name of the file is the newest, given by the user or by Copilot; then comes the name in the
/// events, then the first prompt. Folder and branch of the events come first, because they tell of
/// the beginning.
fn settle(meta: &mut SessionMeta, native: &Native) {
    let beside = &native.workspace;
    let told = &native.told;
    let names = [&beside.name, &told.name, &told.prompt];
    meta.title = names
        .into_iter()
        .flatten()
        .next()
        .map(|name| head(name).into());
    meta.cwd = told.cwd.clone().or_else(|| beside.cwd.clone());
    if !told.has_branch {
        meta.branches.clear();
        meta.on_branch(beside.branch.as_deref().unwrap_or_default());
    }
}

fn read_line(take: &mut Take<'_>, line: &[u8]) {
    let state = &take.reading.state;
    let (number, continued) = (state.line, state.open_line);
    let line = LineText::of(line, state.offset, number);
    if line.marked {
        take.warn(number, "byte order mark at the beginning, skipped");
    }
    if line.is_blank() {
        return;
    }
    if line.lossy() {
        take.warn(number, jsonl::NOT_UTF8);
    }
    match parse(&line.text) {
        Ok(record @ Value::Object(_)) if !continued => take.record(&record, line.span, false),
        // The beginning of this line was read before its end was written.
        Ok(record @ Value::Object(_)) => {
            take.warn(number, GLUED);
            take.record(&record, line.span, true);
        }
        Ok(_) => take.warn(number, "a JSON value that is not a record, skipped"),
        Err(error) => {
            let records = several(&line);
            if records.is_empty() {
                let reason = format!("not a JSON record ({}), skipped", plain(&error));
                return take.warn(number, &reason);
            }
            take.warn(number, GLUED);
            for (record, span) in records {
                take.record(&record, span, true);
            }
        }
    }
}

/// Records glued together on one line; none where the first one does not end.
fn several(line: &LineText<'_>) -> Vec<(Value, SourceSpan)> {
    let fixed = replace_lone_surrogates(&line.text);
    // Spans are of the bytes in the file, which a replaced byte would move.
    if line.lossy() {
        return Vec::new();
    }
    let mut values = serde_json::Deserializer::from_str(&fixed).into_iter::<Value>();
    let mut records = Vec::new();
    let mut start = 0;
    while let Some(Ok(value)) = values.next() {
        let end = values.byte_offset();
        let blank = fixed[start..end].len() - fixed[start..end].trim_start().len();
        if value.is_object() {
            records.push((value, line.part(start + blank, end - start - blank)));
        }
        start = end;
    }
    records
}

/// True when the first record of `head` is an event of a session; one longer than `head` is
/// recognised by its beginning.
pub(super) fn sniff(head: &[u8]) -> bool {
    let head = jsonl::without_mark(head);
    for line in head.split(|&byte| byte == b'\n') {
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        if let Ok(record) = serde_json::from_slice::<Value>(line) {
            return is_event(&record);
        }
        let beginning = &line[..line.len().min(400)];
        let compact: String = String::from_utf8_lossy(beginning)
            .split_whitespace()
            .collect();
        // A broken line may stand before the first event.
        if compact.starts_with("{\"type\":\"session.start\",\"data\":{") {
            return true;
        }
    }
    false
}

/// True for an event: a type of two words, its data, an id and a parent, which may be null.
fn is_event(record: &Value) -> bool {
    let kind = text(record, "type");
    let parts = ["session.", "user.", "assistant.", "system.", "tool."];
    parts.iter().any(|part| kind.starts_with(part))
        && record.get("data").is_some_and(Value::is_object)
        && record.get("parentId").is_some()
        && some_text(record, "id").is_some()
}
