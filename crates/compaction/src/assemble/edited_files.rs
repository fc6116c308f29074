//! What was changed in the files edited last is given again after the summary (Mux, attachments
//! after a compaction).
//!
//! The agent takes the differences from the disk; a plan knows only the session, so it puts the
//! edits of each file one under the other.

use super::NextItem;
use crate::edits::{FileChange, Hunk, edits_of};
use crate::params::{ParamDoc, ParamType};
use crate::select::Fate;
use crate::summarize::{Job, head};
use palimpsest_core::entry::ToolCallBrief;
use palimpsest_core::{Block, BodyError, Role};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Parameters of the part; the defaults are those of Mux.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EditedFiles {
    /// Files whose changes are given again, those edited last.
    pub max_edited_files: u64,
    /// UTF-16 units of one file's changes; what is behind them is cut off.
    pub max_diff_chars: u64,
}

impl Default for EditedFiles {
    fn default() -> Self {
        EditedFiles {
            max_edited_files: 10,
            max_diff_chars: 50_000,
        }
    }
}

impl EditedFiles {
    pub(super) const DOCS: &'static [ParamDoc] = &[
        ParamDoc::new(
            "max_edited_files",
            ParamType::Integer,
            "of how many of the files edited last the changes are given again",
        )
        .unit("files"),
        ParamDoc::new(
            "max_diff_chars",
            ParamType::Integer,
            "where the changes of one file are cut off",
        )
        .unit("UTF-16 units"),
    ];

    /// One text per file, that edited last first, its changes in the order they were made.
    pub(super) fn items(&self, job: &Job<'_>) -> Result<Vec<NextItem>, BodyError> {
        let mut changed = changes(job)?;
        changed.reverse();
        changed.truncate(self.max_edited_files as usize);
        let text = |(path, changes): (String, Vec<String>)| {
            let all = changes.join("\n…\n");
            let (shown, _) = head(&all, self.max_diff_chars);
            let mark = match shown.len() < all.len() {
                true => "\n[... the rest of these changes was cut off ...]",
                false => "",
            };
            let text = match all.is_empty() {
                true => format!("{path} was changed; how is not recorded."),
                false => format!("Changes made to {path}:\n\n{shown}{mark}"),
            };
            NextItem::text(Role::User, &text)
        };
        Ok(changed.into_iter().map(text).collect())
    }
}

/// The files that calls of the summarized messages changed, that changed last at the end, each with
/// its changes. Calls that failed changed nothing.
fn changes(job: &Job<'_>) -> Result<Vec<(String, Vec<String>)>, BodyError> {
    let input = job.draft.input;
    let items = &input.context.items;
    let span: Vec<usize> = (0..items.len())
        .filter(|&at| {
            let fate = job.draft.pieces[at].fate;
            matches!(fate, Fate::Summarized | Fate::TurnPrefix)
        })
        .collect();
    let mut failed: BTreeSet<String> = BTreeSet::new();
    for &at in span.iter().filter(|&&at| items[at].role == Role::Tool) {
        let failure = input.messages.message(&items[at])?.tool;
        failed.extend(
            failure
                .filter(|tool| tool.is_error)
                .map(|tool| tool.call_id),
        );
    }
    let mut changed: Vec<(String, Vec<String>)> = Vec::new();
    for &at in &span {
        let item = &items[at];
        let calls = item.entries.iter();
        let calls: Vec<&ToolCallBrief> = calls
            .flat_map(|&entry| &input.session.entry(entry).tool_calls)
            .collect();
        if item.role != Role::Assistant || calls.is_empty() {
            continue;
        }
        for block in &input.messages.message(item)?.blocks {
            let Block::ToolCall { id, arguments, .. } = block else {
                continue;
            };
            if failed.contains(id) {
                continue;
            }
            let own = calls.iter().filter(|call| *call.call_id == **id);
            let own: Vec<&ToolCallBrief> = own.copied().collect();
            for edit in edits_of(arguments, &own) {
                let text = written(&edit.change);
                let known = changed.iter().position(|(path, _)| *path == edit.path);
                let mut before = known.map_or_else(Vec::new, |at| changed.remove(at).1);
                if matches!(edit.change, FileChange::Whole(_) | FileChange::Deleted) {
                    before.clear();
                }
                before.extend((!text.is_empty()).then_some(text));
                changed.push((edit.path, before));
            }
        }
    }
    Ok(changed)
}

/// A change as lines behind a space, a minus or a plus.
fn written(change: &FileChange) -> String {
    match change {
        FileChange::Whole(text) => {
            let lines: Vec<String> = text.lines().map(|line| format!("+{line}")).collect();
            lines.join("\n")
        }
        FileChange::Hunks(hunks) => {
            let diffs: Vec<String> = hunks.iter().map(Hunk::diff).collect();
            diffs.join("\n…\n")
        }
        FileChange::Deleted => "(deleted)".to_owned(),
    }
}
