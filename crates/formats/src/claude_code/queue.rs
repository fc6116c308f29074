//! Prompts that the user sent while the agent worked. They are recorded as operations of a queue;
//! one that is removed from it went to the model with the next result, without a record of its own
//! (2.0 and 2.1; newer versions attach it).

use crate::queueing::{QueueFate, Queued, Queueing, queued};
use palimpsest_core::{Entry, EntryIx, EntryKind, Session};
use std::collections::HashSet;

/// The native role of prompts that were taken back, in the record that says so.
pub(super) const TAKEN_BACK: &str = "taken_back";

/// The type of the records.
pub(super) const QUEUE: &str = "queue-operation";

/// The records that hold prompts which were passed on while the agent worked on `path`. The records
/// have no parent: they belong to the newest record of the conversation in front of them.
pub(super) fn passed_on(session: &Session, path: &[EntryIx]) -> Vec<EntryIx> {
    let on_path: HashSet<EntryIx> = path.iter().copied().collect();
    let mut belongs = false;
    let mut records = Vec::new();
    for (at, entry) in session.entries.iter().enumerate() {
        let ix = EntryIx::new(at);
        if !is_queue(entry) {
            if !entry.messages.is_empty() {
                belongs = on_path.contains(&ix);
            }
        } else if belongs {
            records.extend(queueing(entry).map(|record| (ix, record)));
        }
    }
    // What is taken back or sent as a prompt of its own is recorded again.
    let passed = |own: &Queued<EntryIx>| own.fate == QueueFate::Passed;
    let mut passed: Vec<Queued<EntryIx>> = queued(records).into_iter().filter(passed).collect();
    passed.sort_by_key(|own| own.until);
    passed.into_iter().map(|own| own.at).collect()
}

fn is_queue(entry: &Entry) -> bool {
    matches!(&entry.kind, EntryKind::Custom { custom_type } if &**custom_type == QUEUE)
}

/// What a record does with the queue.
pub(super) fn queueing(entry: &Entry) -> Option<Queueing> {
    let told = entry
        .preview
        .strip_prefix(QUEUE)
        .filter(|_| is_queue(entry))?;
    let told = told.trim_start_matches([':', ' ']);
    let (operation, words) = told.split_once(' ').unwrap_or((told, ""));
    Some(match operation {
        "enqueue" => Queueing::Waits(words.to_owned()),
        "remove" => Queueing::Passed,
        "dequeue" => Queueing::Sent,
        "popAll" => Queueing::TakenBack,
        _ => return None,
    })
}

/// The prompt in such a record.
pub(super) fn prompt(raw: &[u8]) -> Option<String> {
    let record: serde_json::Value = serde_json::from_slice(raw).ok()?;
    let content = record.get("content")?.as_str()?;
    Some(content.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claude_code::{AGENT, ClaudeCode};
    use crate::{Reading, SessionFormat as _};
    use serde_json::json;

    #[test]
    fn only_what_was_removed_was_passed_on() {
        let operations = [
            "enqueue first words",
            "popAll first words",
            "enqueue second words",
            "enqueue third words",
            "remove",
            "remove",
            "enqueue fourth words",
            "dequeue",
            "remove",
        ];
        let lines = operations.map(|told| {
            let (operation, content) = told.split_once(' ').unwrap_or((told, ""));
            let line = json!({"type": QUEUE, "operation": operation, "content": content});
            format!("{line}\n")
        });
        let said = json!({"type": "user", "uuid": "u", "message": {"content": "go"}});
        let text = format!("{said}\n{}", lines.concat());
        let mut reading = Reading::new(AGENT, "queue.jsonl");
        ClaudeCode.read(&mut reading, text.as_bytes(), true);
        let passed = passed_on(&reading.session, &[EntryIx::new(0)]);
        assert_eq!(passed, [EntryIx::new(3), EntryIx::new(4)]);
        let record =
            br#"{"type":"queue-operation","operation":"enqueue","content":"second words"}"#;
        assert_eq!(prompt(record).as_deref(), Some("second words"));
        assert_eq!(prompt(b"{}"), None);
    }
}
