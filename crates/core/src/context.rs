//! The context at an entry: what the agent would send to the model from there.

use crate::body::Role;
use crate::category::Category;
use crate::entry::ModelRef;
use crate::ids::EntryIx;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use std::collections::{HashMap, HashSet};

/// Why an item stands in the context in the form it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export_to = "wire.ts"))]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// As stored.
    Verbatim,
    /// A summary of entries that are not in the context themselves.
    Summary,
    /// Content replaced by an edit or a placeholder.
    Cleared,
    /// Put in by the agent or an extension.
    Injected,
    /// Sent, but not stored.
    NotRecorded,
}

/// What kind of item this is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export_to = "wire.ts"))]
#[serde(rename_all = "snake_case")]
pub enum ItemKind {
    /// A message of the conversation.
    Message,
    /// The summary of a compaction.
    CompactionSummary,
    /// The summary of a branch left behind.
    BranchSummary,
    /// A message by an extension.
    Custom,
    /// A shell command of the user.
    UserShell,
    /// What the file does not hold.
    NotRecorded,
    /// What the agent sends again after a compaction and the file does not hold.
    GivenAgain,
}

/// The role name of a prompt that is sent again beside a summary: the user's words alone, without what
/// the agent had put around them.
pub const RESENT_PROMPT: &str = "prompt";

/// The entries of an item. Nearly every item has one: kept within the item, a plan over 50,000 entries
/// need not wait for as many other places in memory each time it looks at them.
pub type ItemEntries = SmallVec<[EntryIx; 4]>;

/// One item of a context, in the order sent. Its text is fetched through the format's
/// `item_message`.
#[derive(Debug, Clone, PartialEq)]
pub struct ContextItem {
    /// The common role under which the model gets it.
    pub role: Role,
    /// The agent's own word for the role.
    pub native_role: &'static str,
    /// What kind of item it is.
    pub kind: ItemKind,
    /// The entries it comes from; empty for what is not recorded.
    pub entries: ItemEntries,
    /// Which message of the (first) entry it is.
    pub message_index: usize,
    /// The `ContextEdit` entry that replaced its content.
    pub edited_by: Option<EntryIx>,
    /// Why it stands here in this form.
    pub origin: Origin,
    /// Tokens by the agent's own estimate.
    pub estimate: u64,
    /// The estimate split by category (shares of `estimate`, summing to it).
    pub by_category: Vec<(Category, u64)>,
    /// Name of the tool whose result this is.
    pub tool_name: Option<Box<str>>,
    /// False when the agent keeps it in its list but does not send it.
    pub sent: bool,
}

/// The context at an entry.
#[derive(Debug, Clone, PartialEq)]
pub struct Context {
    /// The entry stood on; `None` is the empty context before the first entry.
    pub at: Option<EntryIx>,
    /// The path from the root to `at`.
    pub path: Vec<EntryIx>,
    /// The entries of the path from which the items are made, in the items' order; entries that
    /// contribute none (labels, model changes, what an edit dropped) are among them.
    pub selected: Vec<EntryIx>,
    /// The items in the order sent.
    pub items: Vec<ContextItem>,
    /// The model in force.
    pub model: Option<ModelRef>,
    /// The reasoning level in force.
    pub thinking_level: Option<Box<str>>,
    /// Sum of the items' estimates in tokens.
    pub estimated: u64,
    /// The newest usage the agent would trust plus the estimates of what follows it: its own idea
    /// of the context's size. `None` where no usage can be trusted.
    pub reported: Option<ReportedSize>,
    /// What the agent would write as "tokens before" if it compacted here.
    pub projected: u64,
    /// The newest compaction on the path, whose summary the context begins with.
    pub compaction: Option<EntryIx>,
    /// The same tokens in the agent's own categories, where it shows such a list itself (Claude
    /// Code's `/context`), in its order and by its own estimate.
    pub own_categories: Vec<(Box<str>, u64)>,
}

impl Context {
    /// Entries, each followed by those that are sent in one item with it: a reply that is stored block by
    /// block is one item of several entries (Claude Code). None is listed twice.
    pub fn with_further(&self, entries: &[EntryIx]) -> Vec<EntryIx> {
        let several = self.items.iter().filter(|item| item.entries.len() > 1);
        let further: HashMap<EntryIx, &[EntryIx]> = several
            .map(|item| (item.entries[0], &item.entries[1..]))
            .collect();
        let mut seen: HashSet<EntryIx> = HashSet::new();
        let mut out = Vec::with_capacity(entries.len());
        for &entry in entries {
            let more = further.get(&entry).copied().unwrap_or_default();
            let all = std::iter::once(entry).chain(more.iter().copied());
            out.extend(all.filter(|&one| seen.insert(one)));
        }
        out
    }
}

/// A context size resting on what a provider reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReportedSize {
    /// The whole: reported and trailing.
    pub tokens: u64,
    /// What the provider reported.
    pub usage_tokens: u64,
    /// Estimates of the messages after it.
    pub trailing_tokens: u64,
    /// The entry that carries the usage.
    pub entry: EntryIx,
}
