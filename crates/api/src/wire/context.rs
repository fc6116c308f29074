//! The context at an entry, the timeline over a path.

use super::{Category, ItemKind, Origin, Role, SizeBasis, SummaryKind, Tokenizer};
use std::collections::BTreeMap;

wire! {
    /// Asks for the context at an entry.
    #[derive(Default)]
    pub struct ContextRequest {
        /// The session.
        pub session: String,
        /// The entry; the active leaf when absent.
        #[serde(default)]
        pub at: Option<String>,
        /// Count tokens with this encoding: exact, but slow for a large context.
        #[serde(default)]
        pub tokenizer: Option<Tokenizer>,
        /// Number of items to skip.
        #[serde(default)]
        pub offset: u64,
        /// How many items to return; all when absent.
        #[serde(default)]
        pub limit: Option<u64>,
        /// Longest text per item in UTF-16 units; whole when absent.
        #[serde(default)]
        pub max_text: Option<u64>,
    }
}

wire! {
    /// A category of the agent's own.
    pub struct OwnCategory {
        /// Its name, as the agent shows it; each agent has others.
        pub name: String,
        /// Tokens by the agent's estimate.
        pub tokens: u64,
    }
}

wire! {
    /// The context at an entry.
    pub struct ContextView {
        /// The entry stood on.
        pub at: Option<String>,
        /// The model in force.
        pub model: Option<String>,
        /// The reasoning level in force.
        pub thinking_level: Option<String>,
        /// The model's context window.
        pub window: Option<u64>,
        /// The auto-compaction threshold in tokens.
        pub threshold: Option<u64>,
        /// Output reserve in tokens.
        pub reserve: u64,
        /// Sizes of the whole context.
        pub tokens: TokenFigures,
        /// On what its size rests.
        pub basis: SizeBasis,
        /// Tokens of `tokens.size` that were estimated since the newest report.
        pub estimated_since: u64,
        /// Tokens by category: shares of `tokens.size`, or of `tokens.counted` where a tokenizer was
        /// asked for, which leaves out what is not recorded.
        pub by_category: BTreeMap<Category, u64>,
        /// The same in the agent's own categories, where it shows such a list itself.
        pub own_categories: Vec<OwnCategory>,
        /// Tokens of tool results by tool.
        pub by_tool: BTreeMap<String, u64>,
        /// Items in all.
        pub total_items: u64,
        /// Position of the first item of this page.
        pub offset: u64,
        /// The items, in the order sent.
        pub items: Vec<ContextItemView>,
        /// The newest compaction on the path.
        pub compaction_id: Option<String>,
    }
}

wire! {
    /// The size of something in tokens, three ways.
    #[derive(Default, Copy)]
    pub struct TokenFigures {
        /// The agent's own estimate.
        pub estimated: u64,
        /// Counted with a tokenizer, when asked for.
        pub counted: Option<u64>,
        /// What the provider reported, plus the estimate of what follows it; for an item, its share
        /// of that.
        pub reported: Option<u64>,
        /// The best known of these: what was reported, else the estimate scaled by what was reported
        /// before, with what is not recorded.
        pub size: u64,
    }
}

wire! {
    /// An item of a context.
    pub struct ContextItemView {
        /// The role under which the model gets it.
        pub role: Role,
        /// The agent's own word for the role; each agent has others.
        pub native_role: String,
        /// What it is.
        pub kind: ItemKind,
        /// The entries it comes from.
        pub entry_ids: Vec<String>,
        /// Why it has the form it has.
        pub origin: Origin,
        /// Its size.
        pub tokens: TokenFigures,
        /// The category that most of it belongs to.
        pub category: Category,
        /// The tool whose result it is.
        pub tool_name: Option<String>,
        /// False when the agent keeps it to itself.
        pub sent: bool,
        /// The text as the model gets it: blocks joined by a blank line, calls as `name(arguments)`.
        pub text: String,
        /// Length of the whole text.
        pub total_chars: u64,
    }
}

wire! {
    /// Asks how the contexts at two entries differ.
    pub struct ContextDiffRequest {
        /// The session.
        pub session: String,
        /// One entry.
        pub from: String,
        /// The other.
        pub to: String,
    }
}

wire! {
    /// How two contexts differ.
    pub struct ContextDiff {
        /// Items in both.
        pub shared: u64,
        /// Tokens of those.
        pub shared_tokens: u64,
        /// Items only in the first, texts cut short.
        pub removed: Vec<ContextItemView>,
        /// Items only in the second, texts cut short.
        pub added: Vec<ContextItemView>,
        /// Tokens only in the first.
        pub removed_tokens: u64,
        /// Tokens only in the second.
        pub added_tokens: u64,
    }
}

wire! {
    /// Two contexts side by side, in the order sent.
    #[derive(Default)]
    pub struct ContextRows {
        /// The rows; items that both have are one row.
        pub rows: Vec<ContextRow>,
        /// Items in both.
        pub same: u64,
        /// Tokens of those.
        pub same_tokens: u64,
        /// Items only in the first.
        pub removed: u64,
        /// Tokens of those.
        pub removed_tokens: u64,
        /// Items only in the second.
        pub added: u64,
        /// Tokens of those.
        pub added_tokens: u64,
    }
}

wire! {
    /// A row of two contexts side by side.
    pub struct ContextRow {
        /// Which of the contexts has it.
        pub side: ContextSideName,
        /// How many items it stands for.
        pub count: u64,
        /// Their tokens.
        pub tokens: u64,
        /// The item, its text cut short; absent for what both have.
        pub item: Option<ContextItemView>,
    }
}

wire! {
    /// Which of two contexts has an item.
    #[derive(Copy, Eq)]
    #[serde(rename_all = "snake_case")]
    pub enum ContextSideName {
        /// Both.
        Both,
        /// Only the first.
        Before,
        /// Only the second.
        After,
    }
}

wire! {
    /// Asks for the timeline over the path to an entry.
    pub struct TimelineRequest {
        /// The session.
        pub session: String,
        /// The entry the path leads to; the active leaf when absent.
        #[serde(default)]
        pub at: Option<String>,
        /// Most points to return; peaks survive the thinning.
        #[serde(default)]
        pub max_points: Option<u64>,
    }
}

wire! {
    /// Context size over a path.
    pub struct Timeline {
        /// The entry the path leads to.
        pub at: Option<String>,
        /// Number of entries on the path.
        pub length: u64,
        /// The points, root to leaf.
        pub points: Vec<TimelinePoint>,
        /// Compactions and branch summaries on the path.
        pub marks: Vec<TimelineMark>,
        /// The model's context window.
        pub window: Option<u64>,
        /// The auto-compaction threshold in tokens.
        pub threshold: Option<u64>,
        /// The highest point.
        pub max: u64,
    }
}

wire! {
    /// The context size after one entry.
    pub struct TimelinePoint {
        /// Position on the path.
        pub position: u64,
        /// The entry.
        pub entry_id: String,
        /// Size in tokens by the agent's own reckoning (reported usage where it trusts one).
        pub tokens: u64,
        /// True when `tokens` rests on reported usage.
        pub reported: bool,
    }
}

wire! {
    /// A compaction or branch summary on the timeline.
    pub struct TimelineMark {
        /// Position on the path.
        pub position: u64,
        /// The entry.
        pub entry_id: String,
        /// What it is.
        pub kind: SummaryKind,
        /// Context size before.
        pub before: u64,
        /// Context size after.
        pub after: u64,
        /// True where `after` is a forecast: no request was reported before the next compaction.
        pub is_forecast: bool,
    }
}
