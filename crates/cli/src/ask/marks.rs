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

/// The labels after a change, unless the one to remove was not there.
pub(super) fn removed(view: LabelsView, words: &[String]) -> Result<LabelsView, WireError> {
    if !view.missing {
        return Ok(view);
    }
    let (_, text) = entry_and_text(words);
    let place = match &view.entry_id {
        Some(entry) => format!("entry {entry}"),
        None => format!("session {}", view.session),
    };
    let hint = if view.labels.is_empty() {
        format!(
            "It has no labels. `palimpsest label {}` lists those of the session and its entries.",
            view.session
        )
    } else {
        format!("Its labels are: {}.", view.labels.join(", "))
    };
    Err(WireError {
        hint: Some(hint),
        ..WireError::alone(
            ErrorCode::NotFound,
            format!("there is no label '{text}' on {place}"),
        )
    })
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
