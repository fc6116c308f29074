//! The context window that the session itself tells of.

use palimpsest_core::{EntryIx, Session, Tree};

/// Share of the window, in percent, that Codex fills at most (effective window, 0.169).
pub const CEILING_PERCENT: u64 = 95;

const WORDS: &str = ": window of ";

/// The first words of a record that tells of a window in tokens, after its own.
pub(super) fn preview(event: &str, window: u64) -> Box<str> {
    format!("{event}{WORDS}{window} tokens").into()
}

/// The model's window in tokens at `at`. Records tell of what Codex fills of it, 95 %.
pub(super) fn of_model(session: &Session, tree: &Tree, at: Option<EntryIx>) -> Option<u64> {
    effective(session, tree, at).map(|window| (window * 100).div_ceil(CEILING_PERCENT))
}

/// The window that Codex fills at most.
fn effective(session: &Session, tree: &Tree, at: Option<EntryIx>) -> Option<u64> {
    let mut next = at;
    // Read from the preview, because an entry has no field for a window.
    while let Some(ix) = next {
        let preview = &session.entry(ix).preview;
        if let Some((_, rest)) = preview.split_once(WORDS) {
            return rest.strip_suffix(" tokens")?.parse().ok();
        }
        next = tree.parent(ix);
    }
    None
}
