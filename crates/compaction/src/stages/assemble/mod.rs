//! The fourth stage: what becomes of the summary, and what the next request would contain.

mod attachments;
pub(crate) mod definitions;
pub(crate) mod edited_files;
pub(crate) mod next;
pub(crate) mod recent_files;
mod tagged;
mod user_messages;

pub use attachments::Attachments;
pub use definitions::Definitions;
pub use edited_files::EditedFiles;
pub use next::{NextPart, TextPrompt};
pub use recent_files::RecentFiles;
pub use user_messages::{Cut, UserMessages};

pub use crate::vocabulary::next::NextItem;

use crate::vocabulary::fate::Fate;
use crate::vocabulary::needs::Needed;
use crate::vocabulary::params::{ParamDoc, ParamType};
use crate::vocabulary::prompt::Chunk;
use crate::vocabulary::summary::SummaryPart;
use crate::workpiece::chunks::{chunks, summary_parts};
use crate::workpiece::job::Job;
use palimpsest_core::{BodyError, Role};
use serde::{Deserialize, Serialize};

/// What becomes of the summary.
///
/// The prompt `stored` says how it is stored; without one it is the summary and, where they are
/// appended, the lists of files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Assemble {
    /// Whether the lists of files read and modified are appended (pi 0.31 and later).
    pub append_files: bool,
    /// Whether calls made inside a tool count as file operations (pi 1.x).
    pub nested_calls: bool,
    /// Tags of the user's messages whose contents are stored with the summary as they are, tags
    /// included, and carried on from summary to summary (Roo Code: `command`).
    pub carry_tags: Vec<String>,
    /// Tags of the user's messages of which only the newest block is stored with the summary, in the
    /// place of the one stored before (Roo Code, when it condenses by itself: `environment_details`).
    pub carry_newest_tags: Vec<String>,
    /// What the next request contains, in order.
    pub next: Vec<NextPart>,
}

impl Default for Assemble {
    fn default() -> Self {
        Assemble {
            // pi's defaults, like the next.
            append_files: true,
            nested_calls: true,
            carry_tags: Vec::new(),
            carry_newest_tags: Vec::new(),
            next: vec![
                NextPart::System,
                NextPart::Summary { role: Role::User },
                NextPart::Kept,
            ],
        }
    }
}

impl Assemble {
    pub(crate) const DOCS: &'static [ParamDoc] = &[
        ParamDoc::yes_no(
            "append_files",
            "append the lists of read and modified files",
        ),
        ParamDoc::yes_no(
            "nested_calls",
            "include file operations made by other tools",
        ),
        ParamDoc::new(
            "carry_tags",
            ParamType::Texts,
            "tags of user messages whose contents are stored verbatim with the summary",
        ),
        ParamDoc::new(
            "carry_newest_tags",
            ParamType::Texts,
            "tags of user messages whose newest content is stored verbatim with the summary",
        ),
    ];

    /// What the next request contains of a branch summary: the context at the target entry, then
    /// the summary at the new leaf, with what the preset puts round it.
    pub(crate) fn next_of_branch(&self) -> Vec<NextPart> {
        let of_context = |part: &&NextPart| {
            matches!(
                part,
                NextPart::System
                    | NextPart::NotRecorded
                    | NextPart::Kept
                    | NextPart::KeptText { .. }
                    | NextPart::KeptFirst
                    | NextPart::KeptLast
                    | NextPart::PreviousSummary
            )
        };
        // Nothing of a branch is kept, so a reply has no place among kept items.
        let rest = self.next.iter().filter(|part| !of_context(part));
        let rest = rest.map(|part| match part {
            NextPart::InPlace { role } => NextPart::Summary { role: *role },
            other => other.clone(),
        });
        // The context at the target entry comes first, whatever the order of the preset.
        let mut parts = vec![NextPart::System, NextPart::Kept];
        parts.extend(rest);
        parts
    }

    /// The prompts it needs.
    pub fn needed(&self) -> Vec<Needed> {
        self.next.iter().flat_map(NextPart::needed).collect()
    }

    /// The summary as it is stored. Fails when a message whose tags are carried on cannot be had.
    pub fn stored(
        &self,
        job: &Job<'_>,
        summary: &[SummaryPart],
        files: &str,
    ) -> Result<Vec<SummaryPart>, BodyError> {
        let files = if self.append_files { files } else { "" };
        let (carried, newest) = tagged::carried(job, &self.carry_tags, &self.carry_newest_tags)?;
        let stored = job.prompts.template("stored");
        let mut pieces = if job.prompts.contains_key("stored") {
            let first = job.history.iter().chain(&job.turn_prefix).min();
            // Only what stays behind the span is a tail.
            let stays = first.is_some_and(|first| {
                let kept = job.draft.items(Fate::Kept);
                kept.iter().any(|at| at > first)
            });
            let values = job
                .values()
                .tail(stays)
                .chunks("summary", chunks(summary))
                .text("files", files)
                .text("carried", &carried);
            stored.render(&values)
        } else {
            let mut pieces = chunks(summary);
            pieces.push(Chunk::Text(files.to_owned()));
            pieces
        };
        // A prompt with a place for them has put them there already.
        if !carried.is_empty() && !stored.has("carried") {
            pieces.push(Chunk::Text(format!("\n\n{carried}")));
        }
        if !newest.is_empty() {
            pieces.push(Chunk::Text(format!("\n\n{newest}")));
        }
        Ok(summary_parts(pieces))
    }
}
