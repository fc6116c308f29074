//! Which files hold saved chats.

use std::path::Path;

/// True for a file that may hold a chat at all.
pub(super) fn is_json(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "json")
}

/// True for a name that says what it is. A saved answer of an API has no name of its own; others can
/// be opened by name.
pub(super) fn is_candidate(path: &Path) -> bool {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy());
    let named = |stem: &str| {
        let stem = stem.to_ascii_lowercase();
        (stem.contains("coder") && stem.contains("chat")) || stem.ends_with(".coder")
    };
    is_json(path) && stem.is_some_and(|stem| named(&stem))
}

/// True when a file that begins with `head` holds messages of a chat.
pub(super) fn sniff(path: &Path, head: &[u8]) -> bool {
    let head = crate::jsonl::without_mark(head).trim_ascii_start();
    let has = |needle: &str| memchr::memmem::find(head, needle.as_bytes()).is_some();
    // A page of messages, a chat with its messages, or several pages.
    let is_json = head.starts_with(b"{") || head.starts_with(b"[");
    let is_chat = has("\"organization_id\"") && has("\"owner_id\"") && has("\"chat\"");
    let has_messages = has("\"chat_id\"") && has("\"content\"") && has("\"role\"");
    // Lines of other agents may have the same words further on.
    is_json && (is_json_path(path) || head.starts_with(b"{")) && (is_chat || has_messages)
}

fn is_json_path(path: &Path) -> bool {
    is_json(path) || path.as_os_str().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_content_tell() {
        for (name, expected) in [
            ("coder-chat-7.json", true),
            ("planning.coder.json", true),
            ("chat.json", false),
            ("coder-chat.jsonl", false),
        ] {
            assert_eq!(is_candidate(Path::new(name)), expected, "{name}");
        }
        let page = br#"{"messages":[{"id":1,"chat_id":"c","role":"user","content":[]}]}"#;
        assert!(sniff(Path::new("x.json"), page));
        let export = br#"{"info":{"id":"ses_1"},"messages":[]}"#;
        assert!(!sniff(Path::new("x.json"), export));
    }
}
