//! What was changed in the files edited last is given again after the summary (Mux, attachments
//! after a compaction).
//!
//! The agent takes the differences from the disk; a plan knows only the session, so it puts the
//! edits of each file one under the other.

use super::NextItem;
use crate::edits::{FileChange, Hunk, edits_of};
use crate::params::{ParamDoc, ParamType};
use crate::plan::{FactKey, PlanInput, Weight, item_subject, kept, question};
use crate::select::Fate;
use crate::summarize::{Job, head};
use palimpsest_core::entry::ToolCallBrief;
use palimpsest_core::{Block, BodyError, ContextItem, Role};
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
    let mut failed: HashSet<String> = HashSet::new();
    for &at in span.iter().filter(|&&at| items[at].role == Role::Tool) {
        let answered = input.answered(&items[at])?;
        let failure = answered.as_ref().as_ref().filter(|tool| tool.is_error);
        failed.extend(failure.map(|tool| tool.call_id.clone()));
    }
    // With the place of the last change among all.
    let mut changed: HashMap<String, (usize, Vec<String>)> = HashMap::new();
    let mut count = 0;
    for &at in &span {
        let item = &items[at];
        let mut entries = item.entries.iter();
        let calls = entries.any(|&entry| !input.session.entry(entry).tool_calls.is_empty());
        if item.role != Role::Assistant || !calls {
            continue;
        }
        let made = changes_of(input, item)?;
        for change in made.0.iter().filter(|own| !failed.contains(&own.call_id)) {
            count += 1;
            let known = match changed.get_mut(&change.path) {
                Some(known) => known,
                None => changed.entry(change.path.clone()).or_default(),
            };
            known.0 = count;
            if change.is_whole {
                known.1.clear();
            }
            known
                .1
                .extend((!change.text.is_empty()).then(|| change.text.clone()));
        }
    }
    let mut changed: Vec<(String, (usize, Vec<String>))> = changed.into_iter().collect();
    changed.sort_unstable_by_key(|(_, (last, _))| *last);
    let files = changed.into_iter();
    Ok(files.map(|(path, (_, changes))| (path, changes)).collect())
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

/// The changes that the calls of an item make, failed ones among them.
fn changes_of(input: &PlanInput<'_>, item: &ContextItem) -> Result<Arc<AllMade>, BodyError> {
    static QUESTION: LazyLock<u64> = LazyLock::new(|| question("changes to files", &()));
    let key = FactKey {
        question: *QUESTION,
        subject: item_subject(item),
    };
    kept(input.messages, key, || {
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
