//! Which records the same process of the agent wrote.

use super::entry::SYNTHETIC;
use super::record::Record;
use super::trail::Remembered;
use palimpsest_core::{Entry, EntryKind};

/// Hooks that run when a process takes up a session; `clear` and `compact` do not end one.
const STARTS: [&str; 2] = ["SessionStart:resume", "SessionStart:startup"];
/// Commands that end the process.
const EXITS: [&str; 2] = ["/exit", "/quit"];

/// True for the first record of a process that took the conversation up from its file: a start
/// hook says so, the version is another one, or the process before was ended. A reply that the
/// agent made up without an error stands where it found a prompt without an answer.
pub(super) fn is_restart(kept: &Remembered, record: &Record<'_>, entry: &Entry) -> bool {
    let hooks = [&record.data.hook_name, &record.attachment.hook_name];
    let hooks = hooks.into_iter().filter_map(|name| name.as_deref());
    let by_hook = |name: &str| STARTS.contains(&name);
    let made_up = record.message.model.as_deref() == Some(SYNTHETIC) && !record.api_error.0;
    let version = record.version.as_deref();
    let other_version = version.is_some() && kept.version.is_some();
    let other_version = other_version && version != kept.version.as_deref();
    // The output of `/exit` is written after it.
    let after_exit = kept.exited && is_said(entry) && !is_output(entry);
    hooks.into_iter().any(by_hook) || made_up || other_version || after_exit
}

/// Notes what tells of the next record whether the same process writes it.
pub(super) fn note_process(
    kept: &mut Remembered,
    record: &Record<'_>,
    entry: &Entry,
    is_restart: bool,
) {
    if let Some(version) = record.version.boxed() {
        kept.version = Some(version);
    }
    kept.exited &= !is_restart;
    if is_custom_message(entry, "command") {
        let name = entry.preview.split_whitespace().next();
        kept.exited = name.is_some_and(|name| EXITS.contains(&name));
    }
    // What the agent would go on from is not a cut branch without any conversation.
    kept.cut |= is_restart && kept.guessed;
    kept.cut &= !is_said(entry);
}

/// True for a message or a summary, whoever wrote it.
pub(super) fn is_said(entry: &Entry) -> bool {
    matches!(
        entry.kind,
        EntryKind::Message(_)
            | EntryKind::Compaction(_)
            | EntryKind::CustomMessage { .. }
            | EntryKind::UserShell
    )
}

/// True for what a command printed, which may be written after the process has ended.
fn is_output(entry: &Entry) -> bool {
    is_custom_message(entry, "command_output")
}

fn is_custom_message(entry: &Entry, type_name: &str) -> bool {
    matches!(&entry.kind, EntryKind::CustomMessage { custom_type, .. } if &**custom_type == type_name)
}
