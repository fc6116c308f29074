//! The labels of a session's entries.

use crate::entry::EntryKind;
use crate::session::Session;

/// The label in force on each entry, by position: the last record in the file wins, a blank one
/// removes the label.
pub fn labels(session: &Session) -> Vec<Option<&str>> {
    let mut labels = vec![None; session.entries.len()];
    for entry in &session.entries {
        if let EntryKind::Label {
            target: Some(target),
            text,
            ..
        } = &entry.kind
        {
            // pi clears a label by a record with an empty text; the earlier record stays in the
            // file.
            labels[target.get()] = text.as_deref().filter(|text| !text.trim().is_empty());
        }
    }
    labels
}
