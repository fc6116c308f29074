//! Records beside the conversation: the session's own, the list of things to do, unknown ones.

use super::message::Memory;
use super::places::is_of_kilo;
use super::value::{filled, items, text, time};
use super::warn::warn_at;
use crate::Reading;
use crate::assembly::split_address;
use crate::measure::head;
use palimpsest_core::entry::Entry;
use palimpsest_core::session::LinkKind;
use palimpsest_core::title::title_of_prompt;
use palimpsest_core::{EntryId, EntryIx, EntryKind, MessageSize, Outcome, Role, SourceSpan};
use serde_json::Value;

/// The first versions of Kilo that keep OpenCode's store. OpenCode counts from 0.5 to 1.18.
const KILO_MAJOR: u32 = 7;

/// A version with the name of the program that counts so, where it is not OpenCode: Kilo (7.7) has
/// OpenCode's store under a name of its own, and its exports say no more than their version.
fn by_program(path: &str, version: String) -> String {
    let major = version
        .split('.')
        .next()
        .and_then(|major| major.parse().ok());
    let is_kilo =
        is_of_kilo(split_address(path).0) || major.is_some_and(|own: u32| own >= KILO_MAJOR);
    if is_kilo {
        format!("Kilo {version}")
    } else {
        version
    }
}

/// The session's own record: the columns of its row, or its JSON file.
pub(super) fn take_session(reading: &mut Reading, memory: &mut Memory, record: &Value, line: u32) {
    let id = text(record, "id");
    if !id.starts_with("ses") && record.get("time").is_none() {
        let reason = "a JSON object that is not a session record, skipped";
        warn_at(reading, line, reason.to_owned());
        return;
    }
    if reading.state.has_header {
        let reason = "duplicate session record, skipped";
        warn_at(reading, line, reason.to_owned());
        return;
    }
    reading.state.has_header = true;
    reading.session.headers.push(line);
    let either = |one: &str, other: &str| {
        filled(record, one)
            .or_else(|| filled(record, other))
            .map(str::to_owned)
    };
    let meta = &mut reading.session.meta;
    meta.native_id = id.to_owned();
    meta.cwd = either("directory", "directory");
    // OpenCode calls a session "New session - TIME" until its model has found a name.
    if let Some(title) = either("title", "title").and_then(|title| title_of_prompt(&title)) {
        meta.title = Some(title);
    }
    let version = either("version", "version");
    meta.agent_version = version.map(|version| by_program(&meta.path, version));
    meta.created_at_ms = time(record, "created");
    meta.updated_at_ms = meta.updated_at_ms.max(time(record, "updated"));
    meta.parent_session = either("parentID", "parent_id");
    meta.parent_kind = meta.parent_session.as_ref().map(|_| LinkKind::SubagentOf);
    if let Some(revert) = record.get("revert")
        && let Some(message) = filled(revert, "messageID")
    {
        let partly = filled(revert, "partID").is_some();
        memory.revert = Some((message.to_owned(), partly));
    }
}

/// The list of things to do, which is stored beside the messages and replaced as a whole.
pub(super) fn take_todos(reading: &mut Reading, record: &Value, source: SourceSpan) {
    let open = items(record, "todos")
        .iter()
        .filter(|todo| !matches!(text(todo, "status"), "completed" | "cancelled"));
    let preview = format!(
        "{} to do, {} open",
        items(record, "todos").len(),
        open.count()
    );
    let kind = EntryKind::Custom {
        custom_type: "todo".into(),
    };
    push_aside(reading, kind, "todo", &preview, record, source);
}

/// A record of a kind we do not know: kept, so that nothing is lost.
pub(super) fn take_other(reading: &mut Reading, record: &Value, source: SourceSpan) {
    let type_name = text(record, "type");
    let kind = EntryKind::Opaque {
        type_name: type_name.into(),
    };
    push_aside(reading, kind, type_name, type_name, record, source);
}

/// Hangs a record that is no part of the conversation on the message where the agent would go on.
fn push_aside(
    reading: &mut Reading,
    kind: EntryKind,
    name: &str,
    preview: &str,
    record: &Value,
    source: SourceSpan,
) {
    let ix = EntryIx::new(reading.session.entries.len());
    let id: EntryId = match filled(record, "id") {
        Some(id) => id.into(),
        None => format!("{name}:{}", source.line).into(),
    };
    let messages = match kind {
        EntryKind::Custom { .. } => vec![MessageSize {
            role: Role::User,
            native_role: "todo",
            estimate: 0,
            units: Vec::new(),
            tool_name: None,
            outcome: Outcome::Fine,
            sent: false,
        }],
        _ => Vec::new(),
    };
    let parent = reading.session.active_leaf.or(reading.links.last);
    reading.session.entries.push(Entry {
        id: id.clone(),
        parent,
        missing_parent: None,
        kind,
        at_ms: time(record, "updated").or_else(|| time(record, "created")),
        source,
        messages,
        tool_calls: Vec::new(),
        usage: None,
        usage_trusted: false,
        stop_reason: None,
        is_error: false,
        model: None,
        preview: head(preview),
        recovered: false,
        sidechain: false,
        subagent: None,
        side_agent: None,
        rejected: false,
        undone: false,
    });
    if let Err(earlier) = reading.links.insert(&id, ix) {
        let first = reading.session.entries[earlier.get()].source.line + 1;
        let reason = format!("duplicate id {id}, first used on line {first}");
        warn_at(reading, source.line, reason);
    }
}

#[cfg(test)]
mod tests {
    use super::by_program;

    #[test]
    fn a_version_says_which_program_counts_so() {
        for (path, version, expected) in [
            (
                "/home/ada/.local/share/opencode/opencode.db#ses_1",
                "1.18.33",
                "1.18.33",
            ),
            (
                "/home/ada/.local/share/kilo/kilo.db#ses_1",
                "7.7.9",
                "Kilo 7.7.9",
            ),
            (
                "/home/ada/.local/share/kilo/kilo-dev.db#ses_1",
                "1.0.3",
                "Kilo 1.0.3",
            ),
            ("/home/ada/kilo/mine.export.json", "1.18.33", "1.18.33"),
            ("/home/ada/mine.export.json", "7.7.9", "Kilo 7.7.9"),
            ("/home/ada/mine.export.json", "0.5.29", "0.5.29"),
            ("/home/ada/mine.export.json", "local", "local"),
        ] {
            assert_eq!(by_program(path, version.to_owned()), expected, "{path}");
        }
    }
}
