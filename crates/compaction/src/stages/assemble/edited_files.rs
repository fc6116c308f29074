//! What was changed in the files edited last is given again after the summary (Mux, attachments
//! after a compaction).
//!
//! The agent takes the differences from the disk; a plan knows only the session, so it puts the
//! edits of each file one under the other.

use crate::text::edits::{FileChange, Hunk, edits_of};
use crate::text::shorter::head;
use crate::vocabulary::fate::Fate;
use crate::vocabulary::input::{PlanInput, memoized};
use crate::vocabulary::memo::{MemoKey, Weight, question};
use crate::vocabulary::next::NextItem;
use crate::vocabulary::params::{ParamDoc, ParamType};
use crate::workpiece::job::Job;
use palimpsest_core::entry::ToolCallBrief;
use palimpsest_core::{Block, BodyError, Role};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, LazyLock};

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
            "number of the last edited files whose changes are included",
        )
        .unit("files"),
        ParamDoc::new(
            "max_diff_chars",
            ParamType::Integer,
            "length at which the changes of one file are truncated",
        )
        .unit("UTF-16 units"),
    ];

    /// One text per file, that edited last first, its changes in the order they were made.
    pub(super) fn items(&self, job: &Job<'_>) -> Result<Vec<NextItem>, BodyError> {
        let changed = changes(job, self.max_edited_files as usize)?;
        let text = |(path, changes): (String, Vec<String>)| {
            let all = changes.join("\n…\n");
            let (shown, _) = head(&all, self.max_diff_chars);
            let mark = if shown.len() < all.len() {
                "\n[... the rest of these changes was cut off ...]"
            } else {
                ""
            };
            let text = if all.is_empty() {
                format!("{path} was changed; how is not recorded.")
            } else {
                format!("Changes made to {path}:\n\n{shown}{mark}")
            };
            NextItem::text(Role::User, &text)
        };
        Ok(changed.into_iter().map(text).collect())
    }
}

/// The files that calls of the summarized messages changed, those changed last and at most `most`,
/// the last of them first, each with its changes in the order they were made. Calls that failed
/// changed nothing.
fn changes(job: &Job<'_>, most: usize) -> Result<Vec<(String, Vec<String>)>, BodyError> {
    let input = job.draft.input;
    let items = &input.context.items;
    let mut failed: HashSet<String> = HashSet::new();
    // From the newest message back: what is older than the files that count, and older than what
    // they were written again with, is skipped. It is asked for all the same, or else a cut that
    // is dragged would come to messages that were never read.
    let mut changed: Vec<Changed> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for (at, item) in items.iter().enumerate().rev() {
        let fate = job.draft.pieces[at].fate;
        if !matches!(fate, Fate::Summarized | Fate::TurnPrefix) {
            continue;
        }
        // On the way back a result comes before its call.
        if item.role == Role::Tool {
            let answered = input.answered(at)?;
            let failure = answered.as_ref().as_ref().filter(|tool| tool.is_error);
            failed.extend(failure.map(|tool| tool.call_id.clone()));
        }
        let mut entries = item.entries.iter();
        let calls = entries.any(|&entry| !input.session.entry(entry).tool_calls.is_empty());
        if item.role != Role::Assistant || !calls {
            continue;
        }
        for change in changes_of(input, at)?.0.iter().rev() {
            if failed.contains(&change.call_id) {
                continue;
            }
            let place = match places.get(&change.path) {
                Some(&place) => place,
                // Older changes of the files that count still come.
                None if changed.len() == most => continue,
                None => {
                    places.insert(change.path.clone(), changed.len());
                    changed.push(Changed::new(&change.path));
                    changed.len() - 1
                }
            };
            let own = &mut changed[place];
            if own.is_whole {
                continue;
            }
            if !change.text.is_empty() {
                own.newest_first.push(change.text.clone());
            }
            own.is_whole = change.is_whole;
        }
    }
    let changed = changed.into_iter();
    Ok(changed
        .map(|own| (own.path, own.newest_first.into_iter().rev().collect()))
        .collect())
}

/// A file with the changes that are known of it.
struct Changed {
    path: String,
    newest_first: Vec<String>,
    /// True when nothing older is left of it.
    is_whole: bool,
}

impl Changed {
    fn new(path: &str) -> Changed {
        Changed {
            path: path.to_owned(),
            newest_first: Vec::new(),
            is_whole: false,
        }
    }
}

/// A change that a call made to a file.
struct Made {
    call_id: String,
    path: String,
    /// True when nothing of what the file was before is left.
    is_whole: bool,
    /// The change as lines.
    text: String,
}

/// The changes that the calls of a message made.
struct AllMade(Vec<Made>);

impl Weight for AllMade {
    fn bytes(&self) -> usize {
        let own = self.0.iter();
        own.map(|own| size_of::<Made>() + own.call_id.len() + own.path.len() + own.text.len())
            .sum()
    }
}

/// The changes that the calls of the item at a position make, failed ones among them.
fn changes_of(input: &PlanInput<'_>, at: usize) -> Result<Arc<AllMade>, BodyError> {
    static QUESTION: LazyLock<u64> = LazyLock::new(|| question("changes to files", &()));
    let key = MemoKey::item(*QUESTION, input.context, at);
    memoized(input.messages, key, || {
        let item = &input.context.items[at];
        let entries = item.entries.iter();
        let calls: Vec<&ToolCallBrief> = entries
            .flat_map(|&entry| &input.session.entry(entry).tool_calls)
            .collect();
        let mut all = Vec::new();
        for block in &input.messages.message(item)?.blocks {
            let Block::ToolCall { id, arguments, .. } = block else {
                continue;
            };
            let own = calls.iter().filter(|call| *call.call_id == **id);
            let own: Vec<&ToolCallBrief> = own.copied().collect();
            all.extend(edits_of(arguments, &own).into_iter().map(|edit| Made {
                call_id: id.clone(),
                is_whole: matches!(edit.change, FileChange::Whole(_) | FileChange::Deleted),
                text: written(&edit.change),
                path: edit.path,
            }));
        }
        Ok(AllMade(all))
    })
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
