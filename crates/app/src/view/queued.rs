//! What became of the prompts that the user wrote while the model was at work.

use crate::session::OpenSession;
use palimpsest_core::{Entry, EntryIx, EntryKind, Role};
use palimpsest_formats::{QueueFate, Queued, queued};
use std::collections::HashMap;

/// A prompt is recorded again right behind the record that says it left the queue.
pub(crate) const NEAR: usize = 12;
/// Of two texts so many characters are compared: first words are cut at different places.
const COMPARED_CHARS: usize = 80;

/// The queued prompts of a session by their records, with the entry each was sent as.
pub fn queued_in(open: &OpenSession) -> HashMap<EntryIx, (QueueFate, Option<EntryIx>)> {
    let session = &open.session;
    let records = session.indices().filter_map(|ix| {
        let record = open.format.queueing(session.entry(ix))?;
        Some((ix, record))
    });
    let all = queued(records).into_iter().map(|own: Queued<EntryIx>| {
        let behind = own.until.filter(|_| is_sent(own.fate)).and_then(|until| {
            let mut near = session.indices().skip(until.get() + 1).take(NEAR);
            near.find(|&ix| is_prompt(session.entry(ix), &own.words))
        });
        (own.at, (own.fate, behind))
    });
    all.collect()
}

/// True where the prompt may be recorded again.
pub(crate) fn is_sent(fate: QueueFate) -> bool {
    matches!(fate, QueueFate::Sent | QueueFate::Passed)
}

/// True for an entry that can be a prompt.
pub(crate) fn may_be_prompt(kind: &EntryKind) -> bool {
    matches!(
        kind,
        EntryKind::Message(Role::User) | EntryKind::CustomMessage { .. } | EntryKind::UserShell
    )
}

/// True for the entry of a prompt with these first words.
pub(crate) fn is_prompt(entry: &Entry, words: &str) -> bool {
    let own = entry.kind.own_name().and_then(|name| {
        let rest = entry.preview.strip_prefix(name)?;
        Some(rest.trim_start_matches([':', ' ']))
    });
    let beginning = |text: &str| -> String {
        let text = text.trim().trim_end_matches('\u{2026}');
        text.chars().take(COMPARED_CHARS).collect()
    };
    let (own, words) = (beginning(own.unwrap_or(&entry.preview)), beginning(words));
    may_be_prompt(&entry.kind) && !words.is_empty() && (own == words || own.starts_with(&words))
}
