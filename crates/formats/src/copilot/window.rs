//! The context window that the session itself tells of.

use crate::measure::head;
use palimpsest_core::{EntryIx, Session, Tree};

const WORDS: &str = ": window of ";

/// The first words of a record that tells of a window in tokens, after its own.
pub(super) fn preview(event: &str, window: u64) -> Box<str> {
    head(&format!("{event}{WORDS}{window} tokens"))
}

/// The tokens that a prompt to the model may have at `at`: what the newest request or compaction
/// above says.
pub(super) fn at(session: &Session, tree: &Tree, at: Option<EntryIx>) -> Option<u64> {
    let mut next = at;
    // Read from the preview, because an entry has no field for a window.
    while let Some(ix) = next {
        let entry = session.entry(ix);
        let told = entry.messages.is_empty().then_some(&entry.preview);
        if let Some((_, rest)) = told.and_then(|preview| preview.split_once(WORDS))
            && let Some(number) = rest.strip_suffix(" tokens")
        {
            return number.parse().ok();
        }
        next = tree.parent(ix);
    }
    None
}
