//! Whether a file is one of Claude Code's.

use super::record::{Record, parse};
use crate::jsonl;

/// Types of records that stand beside the conversation and belong to no other agent.
const BESIDE: [&str; 14] = [
    "file-history-snapshot",
    "queue-operation",
    "custom-title",
    "ai-title",
    "last-prompt",
    "permission-mode",
    "agent-setting",
    "atis-latch",
    "tools-used",
    "cost-state",
    "api-request",
    "api-request-shape",
    "api-request-blob",
    "bridge-session",
];
/// Lines looked at.
const LINES: usize = 32;

/// True when a record among the first lines is Claude Code's and none before it is another
/// agent's.
pub(super) fn sniff(head: &[u8]) -> bool {
    let head = jsonl::without_mark(head);
    for line in head.split(|&byte| byte == b'\n').take(LINES) {
        let text = String::from_utf8_lossy(line);
        let text = text.trim();
        if text.is_empty() {
            continue;
        }
        if let Ok(record) = parse(text) {
            match told_by(&record) {
                Some(answer) => return answer,
                None => continue,
            }
        }
        // A first line longer than the head.
        let start = &text[..text.floor_char_boundary(4096)];
        let compact: String = start.split_whitespace().collect();
        if compact.starts_with('{')
            && compact.contains("\"parentUuid\":")
            && compact.contains("\"sessionId\":")
        {
            return true;
        }
    }
    false
}

/// What a record tells: `None` when it could be anybody's.
fn told_by(record: &Record<'_>) -> Option<bool> {
    let is_linked = record.uuid.0.is_some() || record.session_id.0.is_some();
    match record.type_name.as_deref()? {
        // pi's and Codex's headers.
        "session" | "session_meta" => Some(false),
        "user" | "assistant" if record.message.content.present => Some(true),
        // Qwen Code links its records the same way; its messages have parts.
        "user" | "assistant" if record.message.role.0.is_some() => Some(false),
        "user" | "assistant" => None,
        "attachment" if record.attachment.is_object => Some(true),
        "system" | "progress" if is_linked => Some(true),
        "summary" if record.leaf.0.is_some() => Some(true),
        "mode" if record.session_id.0.is_some() => Some(true),
        other => BESIDE.contains(&other).then_some(true),
    }
}
