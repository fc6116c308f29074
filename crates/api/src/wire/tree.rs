//! The branch tree: whole for programs, as rows for the outline, as geometry for the canvas.

use super::{QueuedView, RecordKind, Role, WireWarning};

wire! {
    /// A session's tree, every entry.
    pub struct TreeView {
        /// Palimpsest's id of the session.
        pub id: String,
        /// The agent that wrote it.
        pub agent: String,
        /// The entry from which the agent would resume.
        pub leaf_id: Option<String>,
        /// What could not be read.
        pub warnings: Vec<WireWarning>,
        /// Every entry, in file order.
        pub nodes: Vec<TreeNode>,
        /// Records that say again what an entry says and are no entries of their own.
        pub merged: Vec<MergedRecord>,
    }
}

wire! {
    /// A record that says again what an entry says.
    pub struct MergedRecord {
        /// 0-based physical line of the record.
        pub line: u32,
        /// The id of the entry that has its content.
        pub into: String,
    }
}

wire! {
    /// An entry in the tree.
    pub struct TreeNode {
        /// The entry's id.
        pub id: String,
        /// Its parent.
        pub parent_id: Option<String>,
        /// True where the stored parent is not in the source and the record before is taken.
        // In 18 of 279 files of Claude Code (2.0.76 to 2.1.42) records name a parent that is
        // missing.
        pub parent_guessed: bool,
        /// 0-based physical line in a line-based file.
        pub line: Option<u32>,
        /// What the record is.
        pub kind: RecordKind,
        /// The agent's own word for the role of its message; each agent has others.
        pub role: Option<String>,
        /// When it was written.
        pub timestamp: Option<i64>,
        /// The label on it.
        pub label: Option<String>,
        /// Tokens by the agent's own estimate.
        pub tokens: u64,
        /// First words.
        pub preview: String,
        /// True where branches leave; a call with several results is none.
        pub is_fork: bool,
        /// True for a subagent's conversation kept in this session.
        pub sidechain: bool,
        /// True on the path to the active leaf.
        pub on_active_path: bool,
        /// True for what the user took back.
        pub undone: bool,
        /// The file it is in, where the session is read from several.
        pub file: Option<String>,
        /// The user's note on it.
        pub note: Option<String>,
        /// The user's labels on it, oldest first; `label` is what the agent stored.
        pub user_labels: Vec<String>,
        /// The context before and after it, for a compaction.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        pub sizes: Option<CompactionSizes>,
    }
}

wire! {
    /// The context before and after a compaction, in tokens.
    #[derive(Copy, Eq)]
    pub struct CompactionSizes {
        /// Before it; absent where nothing tells.
        pub before: Option<u64>,
        /// True where the size before was neither reported nor recorded.
        pub before_is_estimate: bool,
        /// After it.
        pub after: u64,
        /// True until a request after it reports the size.
        pub after_is_forecast: bool,
        /// The summary alone.
        pub summary: u64,
    }
}

wire! {
    /// Asks for rows of the outline.
    pub struct OutlineRequest {
        /// The session.
        pub session: String,
        /// Which entries to show.
        #[serde(default)]
        pub filter: TreeFilter,
        /// Entries whose descendants are folded away.
        #[serde(default)]
        pub folded: Vec<String>,
        /// First entries of subagents' conversations that are shown whole; the others are folded.
        #[serde(default)]
        pub unfolded: Vec<String>,
        /// Number of rows to skip.
        #[serde(default)]
        pub offset: u64,
        /// How many rows to return.
        pub limit: u64,
        /// Start the page so that this entry is in it; overrides `offset`.
        #[serde(default)]
        pub around: Option<String>,
    }
}

wire! {
    /// Which entries a tree shows.
    #[derive(Default, Copy, Eq, Hash)]
    #[serde(rename_all = "snake_case")]
    pub enum TreeFilter {
        /// What the agent's own tree shows: no settings records.
        #[default]
        Default,
        /// Also without tool results.
        NoTools,
        /// Only what the user said, and summaries.
        UserOnly,
        /// Only labelled entries and summaries.
        LabeledOnly,
        /// Every record.
        All,
    }
}

wire! {
    /// A page of the outline.
    pub struct OutlinePage {
        /// Rows in all.
        pub total: u64,
        /// Position of the first row of this page.
        pub offset: u64,
        /// The rows; a branch is whole before its next sibling.
        pub rows: Vec<OutlineRow>,
        /// Position of the row asked for with `around`.
        pub focus: Option<u64>,
    }
}

wire! {
    /// A prompt with everything below it up to the next prompt.
    #[derive(Copy)]
    pub struct TurnView {
        /// Cost in US dollars; absent where no price is known.
        pub cost_usd: Option<f64>,
        /// True where the catalog's prices gave it, or a part of it.
        pub cost_computed: bool,
        /// Milliseconds from the prompt to the newest entry of the turn.
        pub duration_ms: Option<u64>,
        /// True for the turn of the session that cost most.
        pub costs_most: bool,
    }
}

wire! {
    /// The turns of a session.
    pub struct TurnsView {
        /// In the order of the file.
        pub turns: Vec<TurnRow>,
    }
}

wire! {
    /// A turn with its prompt.
    pub struct TurnRow {
        /// The prompt.
        pub entry_id: String,
        /// 0-based physical line of its file, where that has lines.
        pub line: Option<u32>,
        /// When it was written.
        pub timestamp: Option<i64>,
        /// Its first words.
        pub preview: String,
        /// What the turn cost and how long it took.
        #[serde(flatten)]
        pub turn: TurnView,
    }
}

wire! {
    /// A row of the outline.
    pub struct OutlineRow {
        /// The entry.
        pub entry_id: String,
        /// Its position in the file's order.
        pub ix: u32,
        /// 0-based physical line of its file, where that has lines.
        pub line: Option<u32>,
        /// Number of branch points above it: the indentation.
        pub depth: u32,
        /// What the record is.
        pub kind: RecordKind,
        /// Who speaks in it.
        pub role: Option<Role>,
        /// The tool whose result it is, or the tools it calls.
        pub tools: Vec<String>,
        /// The label on it.
        pub label: Option<String>,
        /// First words.
        pub preview: String,
        /// Tokens by the agent's own estimate.
        pub tokens: u64,
        /// The context sizes around it, for a compaction.
        // Absent where there is nothing to say, as what follows: most of a page would be nothing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        pub sizes: Option<CompactionSizes>,
        /// When it was written.
        pub timestamp: Option<i64>,
        /// Its turn, for a prompt; only where the prompts alone are listed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        pub turn: Option<TurnView>,
        /// Number of children; more than one is a branch point.
        pub children: u32,
        /// True when it starts a branch (its parent has several children, or it is an extra root).
        pub starts_branch: bool,
        /// True when its descendants are folded away.
        pub folded: bool,
        /// True on the path to the active leaf.
        pub on_active_path: bool,
        /// True for the active leaf, or the entry above it that is shown in its place.
        pub is_active_leaf: bool,
        /// True for a failed tool or message, and for a result that shows failed tests.
        pub is_error: bool,
        /// True for a reply that the user stopped.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[ts(as = "Option<bool>", optional)]
        pub aborted: bool,
        /// True for what the user took back.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[ts(as = "Option<bool>", optional)]
        pub undone: bool,
        /// True for a record on a damaged line, which its agent skips.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[ts(as = "Option<bool>", optional)]
        pub recovered: bool,
        /// What became of a queued prompt.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        pub queued: Option<QueuedView>,
        /// True for the result of a call that the user refused.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[ts(as = "Option<bool>", optional)]
        pub rejected: bool,
        /// True for a subagent's conversation kept in this session.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[ts(as = "Option<bool>", optional)]
        pub sidechain: bool,
        /// Entries of the subagent's conversation that begins here, this one included; absent on
        /// all other rows.
        // Comes with the row, so that no list of all entries is needed to count.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        pub inside: Option<u32>,
        /// The file that begins with this entry, where the session is read from several.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        pub begins_file: Option<String>,
    }
}

wire! {
    /// Asks for the picture of a session. The answer is bytes that only the canvas reads
    /// (`palimpsest_core::layout::received`).
    pub struct GraphRequest {
        /// The session.
        pub session: String,
        /// Which entries to show.
        #[serde(default)]
        pub filter: TreeFilter,
        /// The revision of the picture that the canvas has: the answer may then be the difference.
        // A picture is large, so after a change of the file only the difference is sent.
        #[serde(default)]
        #[ts(optional)]
        pub known: Option<String>,
    }
}

wire! {
    /// Asks for the first words of entries.
    pub struct CardTextsRequest {
        /// The session.
        pub session: String,
        /// Positions of the entries; at most 200 are answered.
        pub positions: Vec<u32>,
    }
}

wire! {
    /// The first words of entries.
    pub struct CardTexts {
        /// A text for each position asked for, in their order; empty where there is none.
        pub texts: Vec<String>,
    }
}
