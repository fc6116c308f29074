//! The failed and refused calls of records that hold a reply with the results of its calls.

use super::matching::Pattern;
use crate::index::RecordAt;
use crate::view::calls::{AnsweredCall, troubled_inside};
use palimpsest_core::{Body, Entry, Role};

/// Of a record stored with the results of its calls the one that failed or was refused and has the
/// words, with the words of its result.
pub(super) fn trouble_in(record: &RecordAt, wanted: &[Pattern]) -> Option<(AnsweredCall, String)> {
    let entry = &record.entry;
    if !holds_trouble(entry) {
        return None;
    }
    trouble_with(entry, record.body(), wanted)
}

/// The same of a record whose messages are read.
pub(super) fn trouble_with(
    entry: &Entry,
    body: &Body,
    wanted: &[Pattern],
) -> Option<(AnsweredCall, String)> {
    if !holds_trouble(entry) {
        return None;
    }
    let mut all = troubled_inside(entry, body).into_iter();
    all.find(|(_, words)| wanted.iter().all(|pattern| pattern.is_in(words)))
}

fn holds_trouble(entry: &Entry) -> bool {
    entry.role() == Some(Role::Assistant) && (entry.has_failed_call() || entry.rejected)
}
