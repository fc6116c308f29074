//! What the index keeps of an entry, a summary and a session that is only begun.

use super::trail::Told;
use palimpsest_core::entry::FileAccess;
use palimpsest_core::ledger::FileRole;
use palimpsest_core::{Entry, EntryKind, SessionMeta, SummaryKind};
use palimpsest_store::index::{FailedCall, NewEntry, SessionRow, SummaryRow};

/// What an entry can be found by.
#[derive(Debug, Default)]
pub(super) struct EntryWords {
    /// What it says.
    pub(super) text: String,
    /// Its kinds, tools, commands and files.
    pub(super) fields: String,
    /// What it is ([`super::fields::kinds_of`]).
    pub(super) kinds: Vec<&'static str>,
    /// The calls that failed or were rejected whose results it holds.
    pub(super) failed: Vec<FailedCall>,
    /// The files that its shell commands use.
    pub(super) files: Vec<(Box<str>, FileAccess)>,
    /// The task or the subagent that it is of, where its own words do not say it.
    pub(super) about: Option<String>,
    /// The subagent that wrote it.
    pub(super) subagent: Option<String>,
}

/// The files that the shell commands of an entry use, each way once.
pub(super) fn files_of(told: &Told) -> Vec<(Box<str>, FileAccess)> {
    let mut files: Vec<(Box<str>, FileAccess)> = Vec::new();
    for file in &told.runs.files {
        let access = match file.role {
            FileRole::Edited => FileAccess::Edit,
            _ => FileAccess::Read,
        };
        let own = (file.path.as_str().into(), access);
        if !files.contains(&own) {
            files.push(own);
        }
    }
    files
}

pub(super) fn new_entry<'e>(
    entry: &'e Entry,
    ix: u32,
    parent_ix: Option<u32>,
    (text, fields): (&'e str, &'e str),
) -> NewEntry<'e> {
    NewEntry {
        num: None,
        ix,
        line: entry.source.line,
        entry_id: entry.id.as_str(),
        parent_ix,
        kind: entry.kind.record(),
        role: entry.role(),
        at_ms: entry.at_ms,
        offset: entry.source.offset,
        len: entry.source.len,
        estimate: entry.estimate(),
        reported: entry
            .usage
            .filter(|_| entry.usage_trusted)
            .map(|usage| usage.context_tokens()),
        is_error: entry.is_found_as_failure(),
        rejected: entry.is_found_as_rejected(),
        tools: {
            let tools = entry.tools();
            (!tools.is_empty()).then(|| tools.join("\n"))
        },
        own_name: entry.kind.own_name(),
        change: None,
        about: None,
        subagent: None,
        text,
        fields,
    }
}

pub(super) fn summary(entry: &Entry, ix: u32) -> Option<SummaryRow> {
    match &entry.kind {
        EntryKind::Compaction(compaction) => Some(SummaryRow {
            ix,
            kind: SummaryKind::Compaction,
            tokens_before: compaction.tokens_before,
            from_hook: compaction.from_hook,
        }),
        EntryKind::BranchSummary(branch) => Some(SummaryRow {
            ix,
            kind: SummaryKind::BranchSummary,
            tokens_before: None,
            from_hook: branch.from_hook,
        }),
        _ => None,
    }
}

pub(super) fn empty_row(meta: &SessionMeta) -> SessionRow {
    SessionRow {
        cwd: meta.cwd.clone(),
        parent_session: meta.parent_session.clone(),
        parent_kind: meta.parent_kind,
        agent_version: meta.agent_version.clone(),
        format_version: meta.format_version,
        created_at_ms: meta.created_at_ms,
        ..SessionRow::blank(
            meta.stable_id(),
            meta.agent,
            meta.native_id.clone(),
            meta.path.clone(),
        )
    }
}
