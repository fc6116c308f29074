//! The branches of an open session, and what one of them did.

use super::calls::results;
use crate::error::Result;
use crate::session::OpenSession;
use crate::writing::files_of;
use palimpsest_compaction::branch::left_by;
use palimpsest_core::layout::{self, SideBranch};
use palimpsest_core::ledger::FileRole;
use palimpsest_core::{Block, Bodies as _, EntryIx, EntryKind, Outcome, Role};
use palimpsest_ledger::script_files::{joined, of_script};
use palimpsest_ledger::test_failures::failed_test;
use palimpsest_write::Files;
use std::collections::{BTreeSet, HashSet};

/// The branches beside the active path, and the conversations with a root of their own.
pub fn branches(open: &OpenSession) -> Vec<SideBranch> {
    layout::branches(&open.session, &open.tree)
}

/// The branch summaries of a session with the entry that was left for each.
pub fn summaries(open: &OpenSession) -> Vec<(EntryIx, EntryIx)> {
    let entries = open.session.indices();
    let found = entries.filter_map(|ix| Some((ix, left_by(&open.session, &open.tree, ix)?)));
    found.collect()
}

/// The calls among some entries that did not go well.
#[derive(Debug, Default)]
pub struct Trouble {
    /// The ids of the calls.
    pub calls: HashSet<String>,
    /// Number of results.
    pub results: u64,
}

/// The calls among `entries` whose results are failures, or show failed tests where the call is one of
/// `commands`: a pipe hides the exit status of the tests (`pytest | tail -3`).
pub fn trouble(
    open: &OpenSession,
    entries: &[EntryIx],
    commands: &HashSet<String>,
) -> Result<Trouble> {
    let mut found = Trouble::default();
    for &ix in entries {
        let entry = open.session.entry(ix);
        let answers = entry
            .messages
            .iter()
            .any(|message| message.tool_name.is_some());
        if !answers && !entry.has_failed_call() && !matches!(entry.role(), Some(Role::Tool)) {
            continue;
        }
        let body = open.bodies.body(ix)?;
        for (message, tool, outcome) in results(entry, &body) {
            let shows_failed_tests = || {
                let mut texts = message.blocks.iter().filter_map(|block| match block {
                    Block::Text(text) => Some(text),
                    _ => None,
                });
                commands.contains(&tool.call_id) && texts.any(|text| failed_test(text).is_some())
            };
            if outcome == Outcome::Failed || outcome != Outcome::Rejected && shows_failed_tests() {
                found.calls.insert(tool.call_id.clone());
                found.results += 1;
            }
        }
    }
    Ok(found)
}

/// The files that the calls of `entries` and their shell `scripts` read and modified, each once, those
/// in the session's folder by their path in it; a modified one is not listed as read.
pub fn files_touched(open: &OpenSession, entries: &[EntryIx], scripts: &[String]) -> Files {
    let folder = open.session.meta.cwd.as_deref().unwrap_or_default();
    let folder = format!("{}/", folder.trim_end_matches('/'));
    let own = |path: &str| path.strip_prefix(&folder).unwrap_or(path).to_owned();
    let (mut read, mut modified) = (BTreeSet::new(), BTreeSet::new());
    let by_tools = files_of(open, entries);
    read.extend(by_tools.read.iter().map(|path| own(path)));
    modified.extend(by_tools.modified.iter().map(|path| own(path)));
    for file in scripts.iter().flat_map(|script| of_script(script)) {
        let path = own(&joined(file.folder.as_deref(), &file.path));
        match file.role {
            FileRole::Edited => modified.insert(path),
            FileRole::Read => read.insert(path),
            _ => false,
        };
    }
    Files {
        read: read.difference(&modified).cloned().collect(),
        modified: modified.into_iter().collect(),
    }
}

/// The last reply among `entries` that says something, and its text.
pub fn last_answer(open: &OpenSession, entries: &[EntryIx]) -> Result<Option<(EntryIx, String)>> {
    for &ix in entries.iter().rev() {
        if open.session.entry(ix).kind != EntryKind::Message(Role::Assistant) {
            continue;
        }
        let body = open.bodies.body(ix)?;
        let blocks = body.messages.iter().flat_map(|message| &message.blocks);
        let said: Vec<&str> = blocks
            .filter_map(|block| match block {
                Block::Text(text) if !text.trim().is_empty() => Some(text.as_str()),
                _ => None,
            })
            .collect();
        if !said.is_empty() {
            return Ok(Some((ix, said.join("\n\n"))));
        }
    }
    Ok(None)
}
