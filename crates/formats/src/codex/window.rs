//! The context window that the session itself tells of.

use palimpsest_core::{EntryIx, Session, Tree};

const WORDS: &str = ": window of ";

/// The first words of an event that tells of a window in tokens.
pub(super) fn preview(event: &str, window: u64) -> Box<str> {
    format!("{event}{WORDS}{window} tokens").into()
}

/// The window in tokens that was in force at `at`: what Codex fills, 95 % of the model's.
pub(super) fn at(session: &Session, tree: &Tree, at: Option<EntryIx>) -> Option<u64> {
    let mut next = at;
    while let Some(ix) = next {
        let preview = &session.entry(ix).preview;
        if let Some((_, rest)) = preview.split_once(WORDS) {
            return rest.strip_suffix(" tokens")?.parse().ok();
        }
        next = tree.parent(ix);
    }
    None
}
