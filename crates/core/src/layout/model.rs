//! The picture of a session as data, and what can be chosen about it.

use crate::category::Category;
use crate::ids::{EntryId, EntryIx};
use crate::rows::TreeFilter;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A session, ready to be drawn: one row for each entry that is shown, in the order of the file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Picture {
    /// Names the session ([`PictureOptions::session`]); a view keeps its place while it is the same.
    pub session: String,
    /// The rows, oldest first; `rows[i].id == i` and parents stand above their children.
    pub rows: Vec<PictureRow>,
    /// For each entry, in file order, its row; of an entry that is not shown the nearest row above
    /// it in the tree.
    pub row_of: Vec<u32>,
    /// The entries' ids, in file order.
    pub ids: Vec<EntryId>,
    /// The lanes; the first is the path to the active leaf.
    pub lanes: Vec<Lane>,
    /// From the last row of a branch that was left to the summary written about it.
    pub bridges: Vec<(u32, u32)>,
    /// Names of kinds and tools, which [`PictureRow::name`] refers to.
    pub names: Vec<String>,
    /// Size of the model's context window in tokens; 0 where it is not known.
    pub window: u64,
    /// Size at which the agent compacts automatically, in tokens; 0 where it is not known.
    pub threshold: u64,
}

/// One entry that is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct PictureRow {
    /// Position in [`Picture::rows`].
    pub id: u32,
    /// The entry.
    pub entry: EntryIx,
    /// The row of the nearest entry above it in the tree that is shown; `None` for roots.
    pub parent: Option<u32>,
    /// Position of its lane in [`Picture::lanes`].
    pub lane: u32,
    /// What the entry is.
    pub class: NodeClass,
    /// Height in units: what matters more to a reader gets more room, 1 to 4.
    pub height: u8,
    /// Position in [`Picture::names`]: the tools it calls or answers, else the kind.
    pub name: u32,
    /// First words of prompts, summaries and labelled entries, sizes of compactions; at most 80
    /// characters. Empty for all others, whose text is fetched when it can be read.
    pub label: String,
    /// Tokens of the entry by the agent's own estimate.
    pub tokens: u64,
    /// Size of the context behind the entry in tokens.
    pub size: u64,
    /// The same by part, in steps of [`STEP_TOKENS`].
    pub band: Band,
    /// When it was written, Unix seconds; 0 where that is not known.
    pub at_s: i64,
    /// Number of subagents that the entry started or got an answer from.
    pub subagents: u32,
    /// True when the row is on the path to the active leaf.
    pub on_active_path: bool,
    /// True when the agent would resume from here.
    pub is_active_leaf: bool,
    /// True for a failed tool and a failed or aborted message.
    pub has_error: bool,
    /// True when it carries a label.
    pub flag: bool,
    /// True for a message by the model that has text, not calls alone.
    pub has_text: bool,
}

/// Tokens of one step of a [`Band`]: a twentieth of a pixel where 200,000 tokens take 300 pixels.
pub const STEP_TOKENS: u64 = 32;
/// Number of [`Part`]s.
pub const PARTS: usize = 8;
/// The size of a context by part, in steps of [`STEP_TOKENS`] tokens, indexed by [`Part`].
pub type Band = [u16; PARTS];

/// What a part of a context is made of, in the order from the base of the band.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// System prompt and tools, and what is sent besides and not recorded.
    Fixed,
    /// Summaries.
    Summaries,
    /// The user's words.
    User,
    /// Text by the model.
    Assistant,
    /// Reasoning by the model.
    Thinking,
    /// Tool calls.
    Calls,
    /// Results of tools.
    Results,
    /// Images, and what extensions and shell commands put in.
    Other,
}

impl Part {
    /// All parts, from the base of the band.
    pub const ALL: [Part; PARTS] = [
        Part::Fixed,
        Part::Summaries,
        Part::User,
        Part::Assistant,
        Part::Thinking,
        Part::Calls,
        Part::Results,
        Part::Other,
    ];

    /// The part that a category is shown as.
    pub fn of(category: Category) -> Part {
        match category {
            Category::System | Category::NotRecorded | Category::GivenAgain => Part::Fixed,
            Category::Summaries => Part::Summaries,
            Category::User => Part::User,
            Category::AssistantText => Part::Assistant,
            Category::Thinking => Part::Thinking,
            Category::ToolCalls => Part::Calls,
            Category::ToolResults => Part::Results,
            Category::Images | Category::Injected => Part::Other,
        }
    }
}

/// A stretch of the tree without forks: the active path, a branch, another root, a subagent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lane {
    /// What it is.
    pub kind: LaneKind,
    /// Column it is drawn in: 0 for the active path, side by side from 1 on for the others. Two
    /// lanes in one column do not touch.
    pub column: u32,
    /// The row it leaves from; `None` for roots.
    pub from: Option<u32>,
    /// Its first row.
    pub first: u32,
    /// Its last row.
    pub last: u32,
    /// First words of its first prompt, else of its first row; at most 80 characters.
    pub name: String,
}

/// What a lane is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LaneKind {
    /// The path to the active leaf.
    Active,
    /// A branch that was left.
    Branch,
    /// A conversation with a root of its own.
    Root,
    /// A subagent's conversation kept in this session.
    Subagent,
}

/// What a row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NodeClass {
    /// A user message.
    User,
    /// A message by the model.
    Assistant,
    /// A tool result, or a shell command of the user.
    Tool,
    /// A failed tool result or model message.
    Error,
    /// A compaction.
    Compaction,
    /// A branch summary.
    BranchSummary,
    /// A record that sets or clears a label.
    Label,
    /// System instructions.
    System,
    /// An extension's message or data.
    Custom,
    /// Bookkeeping, edits and unknown records.
    Other,
}

/// The size of a context behind a compaction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SizeAfter {
    /// Tokens of the whole.
    pub tokens: u64,
    /// Tokens of the summary in it.
    pub summary: u64,
}

/// What to show, and what is known about sizes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PictureOptions {
    /// Copied into [`Picture::session`].
    pub session: String,
    /// Which entries are rows.
    pub filter: TreeFilter,
    /// Entries with labels of the user, which are rows whatever the filter.
    pub keep: BTreeSet<EntryIx>,
    /// Tokens sent with every request that the session does not hold.
    pub fixed: u64,
    /// Sizes behind compactions, where they are known better than by estimates.
    pub after: BTreeMap<EntryIx, SizeAfter>,
    /// Sizes of the contexts behind entries, by position; 0 and what is missing is unknown.
    pub sizes: Vec<u64>,
    /// Copied into [`Picture::window`].
    pub window: u64,
    /// Copied into [`Picture::threshold`].
    pub threshold: u64,
}
