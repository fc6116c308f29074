//! What `note` and `label` ask.

use crate::args::Command;
use palimpsest_api::wire::*;

/// True where a note is to be deleted.
pub(super) fn deletes(command: &Command) -> bool {
    matches!(command, Command::Note { delete: true, .. })
}

/// `TEXT`, or `ENTRY TEXT`.
pub(super) fn entry_and_text(words: &[String]) -> (Option<String>, String) {
    match words {
        [] => (None, String::new()),
        [text] => (None, text.clone()),
        [entry, text, ..] => (Some(entry.clone()), text.clone()),
    }
}

/// A note to save; to delete it, an entry and no text.
pub(super) fn note(
    session: &str,
    words: &[String],
    delete: bool,
) -> Result<NoteSaveRequest, WireError> {
    let (entry, text) = match words {
        [] | [_] if delete => (words.first().cloned(), String::new()),
        _ if delete => {
            let message = "--delete takes an entry and no text";
            return Err(WireError::alone(ErrorCode::Usage, message));
        }
        _ => entry_and_text(words),
    };
    Ok(NoteSaveRequest {
        session: session.to_owned(),
        entry,
        ix: None,
        text,
    })
}
