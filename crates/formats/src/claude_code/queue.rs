//! Prompts that the user sent while the agent worked. They are recorded as operations of a queue;
//! one that is removed from it went to the model with the next result, without a record of its own
//! (2.0 and 2.1; newer versions attach it).

use palimpsest_core::{EntryIx, EntryKind, Session};
use std::collections::{HashSet, VecDeque};

/// The type of the records.
pub(super) const QUEUE: &str = "queue-operation";

/// The records that hold prompts which were passed on while the agent worked on `path`. The records
/// have no parent: they belong to the newest record of the conversation in front of them.
pub(super) fn passed_on(session: &Session, path: &[EntryIx]) -> Vec<EntryIx> {
    let on_path: HashSet<EntryIx> = path.iter().copied().collect();
    let mut belongs = false;
    let mut operations = Vec::new();
    for (at, entry) in session.entries.iter().enumerate() {
        let ix = EntryIx::new(at);
        let is_queue =
            matches!(&entry.kind, EntryKind::Custom { custom_type } if &**custom_type == QUEUE);
        if !is_queue {
            if !entry.messages.is_empty() {
                belongs = on_path.contains(&ix);
            }
        } else if belongs {
            let operation = entry.preview.strip_prefix(QUEUE);
            let operation = operation.and_then(|rest| rest.strip_prefix(": "));
            operations.extend(operation.map(|operation| (ix, operation)));
        }
    }
    removed(operations.into_iter())
}

/// The prompt in such a record.
pub(super) fn prompt(raw: &[u8]) -> Option<String> {
    let record: serde_json::Value = serde_json::from_slice(raw).ok()?;
    let content = record.get("content")?.as_str()?;
    Some(content.to_owned())
}

/// Of `enqueue`d things those that were `remove`d: what is taken back (`popAll`) or sent as a prompt
/// of its own (`dequeue`) is recorded again.
fn removed<'a>(operations: impl Iterator<Item = (EntryIx, &'a str)>) -> Vec<EntryIx> {
    let mut waiting: VecDeque<EntryIx> = VecDeque::new();
    let mut out = Vec::new();
    for (ix, operation) in operations {
        match operation.split_whitespace().next().unwrap_or_default() {
            "enqueue" => waiting.push_back(ix),
            "remove" => out.extend(waiting.pop_front()),
            "dequeue" => {
                waiting.pop_front();
            }
            "popAll" => waiting.clear(),
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let numbered = operations.iter().enumerate();
        let passed = removed(numbered.map(|(at, text)| (EntryIx::new(at), *text)));
        assert_eq!(passed, [EntryIx::new(2), EntryIx::new(3)]);
        let record =
            br#"{"type":"queue-operation","operation":"enqueue","content":"second words"}"#;
        assert_eq!(prompt(record).as_deref(), Some("second words"));
        assert_eq!(prompt(b"{}"), None);
    }
}
