//! What records say about their session: its id, version, folder, branches and title.

use super::entry::said_in;
use super::places::file_name;
use super::prompt::Said;
use super::record::Record;
use super::trail::Remembered;
use crate::measure::head;
use palimpsest_core::title::title_of_prompt;
use palimpsest_core::{Entry, EntryIx, EntryKind, LinkKind, Role, Session, SessionLink};

/// What the first records say about the file.
pub(super) fn note_file(session: &mut Session, kept: &mut Remembered, record: &Record<'_>) {
    let meta = &mut session.meta;
    let name = file_name(&meta.path);
    if meta.native_id.is_empty() {
        let is_subagent = record.sidechain.0 && !kept.begun;
        let in_file = record.agent_id.as_deref().or(name.subagent);
        if is_subagent && let Some(agent) = in_file {
            kept.subagent = true;
            let parent = record.session_id.as_deref().map(str::to_owned);
            meta.native_id = agent.to_owned();
            meta.parent_kind = Some(LinkKind::SubagentOf);
            let link = SessionLink {
                kind: LinkKind::SubagentOf,
                native_id: parent.clone().unwrap_or_default(),
                path: None,
                at: None,
                label: None,
            };
            meta.parent_session = parent;
            session.links.push(link);
        // The file's name goes first: a file can hold records with several session ids.
        } else if let Some(id) = name.session.or(record.session_id.as_deref()) {
            meta.native_id = id.to_owned();
        }
    }
    let meta = &mut session.meta;
    if let Some(origin) = record.forked_from.session_id.as_deref()
        && meta.parent_session.is_none()
    {
        meta.parent_session = Some(origin.to_owned());
        meta.parent_kind = Some(LinkKind::ForkedFrom);
        session.links.push(SessionLink {
            kind: LinkKind::ForkedFrom,
            native_id: origin.to_owned(),
            path: None,
            at: None,
            label: None,
        });
    }
    if let Some(version) = record.version.as_deref() {
        meta.agent_version = Some(version.to_owned());
    }
    if meta.cwd.is_none() {
        meta.cwd = record.cwd.as_deref().map(str::to_owned);
    }
    if let Some(branch) = record.branch.as_deref() {
        meta.on_branch(branch);
    }
    meta.created_at_ms = meta.created_at_ms.or(record.timestamp.0);
    meta.updated_at_ms = meta.updated_at_ms.max(record.timestamp.0);
}

/// Takes the title that a record gives; `leaf` is the entry of the file that the record names.
pub(super) fn note_title(
    session: &mut Session,
    kept: &mut Remembered,
    record: &Record<'_>,
    entry: &Entry,
    leaf: Option<EntryIx>,
) {
    let title = match &entry.kind {
        EntryKind::SessionInfo { name: Some(name) } => {
            // A summary may be another session's, which the leaf it names tells.
            let rank = match record.type_name.as_deref() {
                Some("custom-title") => 5,
                Some("ai-title") => 4,
                _ if leaf.is_some() => 3,
                _ => 1,
            };
            Some((rank, name.clone()))
        }
        EntryKind::Message(Role::User) if said_in(record) == Said::Prompt => {
            let title = title_of_prompt(&entry.preview).filter(|_| !entry.sidechain);
            title.map(|title| (2, title.into()))
        }
        _ => None,
    };
    if let Some((rank, title)) = title {
        // The first prompt stays the title; of names the newest wins.
        let better = match rank {
            2 => kept.title_rank < rank,
            _ => kept.title_rank <= rank,
        };
        if better {
            kept.title_rank = rank;
            session.meta.title = Some(head(&title).into());
        }
    }
}
