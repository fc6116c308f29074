//! The reference output for one session file, format `pi-oracle/1`.
//!
//! Everything is named by the 0-based physical line of the original file.

use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};

/// The reference output.
#[derive(Debug, Deserialize)]
pub struct Expected {
    /// Which release of pi made it.
    pub pi: Release,
    /// The session it is about.
    pub session: About,
    /// Every entry.
    pub entries: Vec<EntryFacts>,
    /// What pi computes at some entries.
    pub positions: Vec<Position>,
    /// What pi collects when one entry is left for another.
    pub pairs: Vec<Pair>,
    /// What the model is sent, each message once.
    pub llm: Vec<Sent>,
    /// Texts by their SHA-256.
    pub texts: HashMap<String, String>,
}

/// A release of pi.
#[derive(Debug, Deserialize)]
pub struct Release {
    /// Its version.
    pub version: String,
}

/// The session file.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct About {
    /// Folder and file name.
    pub name: String,
    /// SHA-256 of the file.
    pub sha256: String,
    /// Lines pi skipped.
    pub malformed_lines: Vec<u32>,
    /// Where pi would resume.
    pub last_leaf_line: Option<u32>,
}

/// One entry.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EntryFacts {
    /// Its line.
    pub line: u32,
    /// Its id in the file.
    pub id: Option<String>,
    /// Its parent's line.
    pub parent_line: Option<u32>,
    /// Roles of the messages it stands for.
    pub roles: Vec<String>,
    /// Their estimates.
    pub estimates: Vec<u64>,
    /// First kept entry of a compaction; absent for other types.
    #[serde(default, deserialize_with = "present")]
    pub first_kept_line: Option<Option<u32>>,
    /// Target of a label or edit.
    #[serde(default, deserialize_with = "present")]
    pub target_line: Option<Option<u32>>,
}

/// Tells a null from an absent field.
fn present<'de, D: serde::Deserializer<'de>>(d: D) -> Result<Option<Option<u32>>, D::Error> {
    Option::<u32>::deserialize(d).map(Some)
}

/// What pi computes standing on one entry.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Position {
    /// The entry's line.
    pub line: u32,
    /// Entries from the root to it.
    pub path_length: usize,
    /// Model in force.
    pub model: Option<Model>,
    /// Reasoning level in force.
    pub thinking_level: String,
    /// The context.
    pub items: Vec<Item>,
    /// Sum of the estimates.
    pub sum_estimate: u64,
    /// Newest trusted usage.
    pub usage: UsageFacts,
    /// What a compaction would store as its size before.
    pub projected_tokens: Option<u64>,
    /// A compaction here, per settings.
    pub compactions: Vec<CompactionFacts>,
}

/// A model.
#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub struct Model {
    /// Provider.
    pub provider: Option<String>,
    /// Model id.
    pub model_id: Option<String>,
}

/// One item of a context.
#[derive(Debug, Deserialize)]
pub struct Item {
    /// pi's role.
    pub role: String,
    /// Line of the entry it comes from.
    pub line: u32,
    /// Estimated tokens.
    pub estimate: u64,
    /// What is sent; `None` when nothing is.
    pub llm: Option<usize>,
}

/// Context size by usage.
#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub struct UsageFacts {
    /// Usage and what follows it.
    pub tokens: u64,
    /// The usage.
    pub usage_tokens: u64,
    /// What follows.
    pub trailing_tokens: u64,
    /// Whose usage.
    pub usage_line: Option<u32>,
}

/// A compaction with one pair of settings.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CompactionFacts {
    /// Setting.
    pub keep_recent_tokens: u64,
    /// Setting.
    pub reserve_tokens: u64,
    /// The plain cut over the whole path.
    pub whole_path_cut: CutFacts,
    /// Whether pi would start by itself, by context window.
    pub should_compact: BTreeMap<String, bool>,
    /// The preparation; `None` when there is nothing to do.
    pub prepared: Option<Prepared>,
}

/// A cut.
#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub struct CutFacts {
    /// First kept entry.
    pub first_kept_line: Option<u32>,
    /// Start of the turn that is split.
    pub turn_start_line: Option<u32>,
    /// Whether a turn is split.
    pub is_split_turn: bool,
}

/// A prepared compaction.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Prepared {
    /// First kept entry.
    pub first_kept_line: Option<u32>,
    /// Start of the split turn.
    pub turn_start_line: Option<u32>,
    /// Whether a turn is split.
    pub is_split_turn: bool,
    /// Context size before.
    pub tokens_before: u64,
    /// The earlier summary.
    pub previous_summary: Option<TextFacts>,
    /// One line per message to summarize.
    pub history_lines: Vec<u32>,
    /// One line per message of the turn prefix.
    pub turn_prefix_lines: Vec<u32>,
    /// Files only read.
    pub read_files: Vec<String>,
    /// Files changed.
    pub modified_files: Vec<String>,
    /// Serialized messages to summarize.
    pub history_text: TextFacts,
    /// Serialized turn prefix.
    pub turn_prefix_text: TextFacts,
}

/// A text by its hash.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TextFacts {
    /// UTF-16 units.
    pub chars: u64,
    /// SHA-256 of its UTF-8.
    pub sha256: String,
}

/// Leaving one entry for another.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Pair {
    /// The entry left.
    pub old_line: u32,
    /// The target entry.
    pub target_line: u32,
    /// Deepest entry on both paths.
    pub common_ancestor_line: Option<u32>,
    /// The entries left behind.
    pub entry_lines: Vec<u32>,
    /// What is chosen from them, per budget.
    pub budgets: Vec<BudgetFacts>,
}

/// A choice under a budget.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BudgetFacts {
    /// Tokens; 0 is no limit.
    pub budget: u64,
    /// Set when pi itself fails on this input.
    pub threw: Option<String>,
    /// The entries chosen.
    #[serde(default)]
    pub chosen_lines: Vec<u32>,
    /// Their estimates' sum.
    #[serde(default)]
    pub total_tokens: u64,
    /// Files only read.
    #[serde(default)]
    pub read_files: Vec<String>,
    /// Files changed.
    #[serde(default)]
    pub modified_files: Vec<String>,
    /// Serialized messages.
    pub text: Option<TextFacts>,
}

/// A message as sent.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Sent {
    /// Role.
    pub role: String,
    /// Call a tool result answers.
    pub tool_call_id: Option<String>,
    /// Its parts.
    pub parts: Vec<Part>,
}

/// A part of a message as sent.
#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(
    tag = "kind",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
pub enum Part {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// Reasoning.
    Thinking {
        /// The text.
        text: String,
    },
    /// A tool call.
    ToolCall {
        /// Its id.
        id: String,
        /// The tool.
        name: String,
        /// Compact JSON.
        arguments: String,
    },
    /// An image.
    Image {
        /// MIME type.
        mime_type: String,
        /// Length of its data.
        base64_chars: u64,
    },
    /// A named section of a system message.
    Section {
        /// Its name.
        name: String,
        /// Its text.
        text: String,
    },
    /// Tool declarations.
    ToolsAdded {
        /// Compact JSON.
        json: String,
    },
}
