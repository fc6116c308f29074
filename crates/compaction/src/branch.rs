//! Summaries of branches that are left (pi 1.5, `branch-summarization.js`).

use crate::engine::add_entry_calls;
use crate::files::{FileLists, FileOps};
use crate::params::PiParams;
use crate::plan::{Instructions, ItemMessages, PlannedCall, Purpose, Step};
use crate::preset::Preset;
use crate::preset::template::{Conversation, Prompt, Values};
use crate::summarize::serialize;
use palimpsest_core::{
    Block, BodyError, ContextItem, EntryIx, EntryKind, ItemKind, Message, Origin, Role, Session,
    Tree,
};
use serde::Serialize;
use std::collections::HashMap;

/// Context window assumed for a model whose window is not known (pi 1.5).
pub const DEFAULT_WINDOW: u64 = 128_000;
/// The summary of a branch without messages (pi, all versions).
const NOTHING: &str = "No content to summarize";
/// Words before a branch's summary where it is stored. pi's sentence is its own; this one says
/// the same.
const PREAMBLE: &str = "\
Before returning to this point, the user followed another branch of the conversation.
What happened there:

";

/// What is left behind when one entry is left for another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LeftBehind {
    /// The entries, oldest first.
    pub entries: Vec<EntryIx>,
    /// The deepest entry on both paths.
    pub common_ancestor: Option<EntryIx>,
}

/// The entries from `from` back to, and without, its common ancestor with `to`. Compactions on
/// the way do not stop it.
pub fn collect(tree: &Tree, from: Option<EntryIx>, to: EntryIx) -> LeftBehind {
    let Some(from) = from else {
        return LeftBehind {
            entries: Vec::new(),
            common_ancestor: None,
        };
    };
    let common_ancestor = tree.common_ancestor(from, to);
    let path = tree.path(from);
    let shared = common_ancestor.map_or(0, |ancestor| tree.depth(ancestor) as usize + 1);
    LeftBehind {
        entries: path[shared..].to_vec(),
        common_ancestor,
    }
}

/// What a branch summary is made from.
#[derive(Debug, Clone, PartialEq)]
pub struct Chosen {
    /// The items, oldest first.
    pub items: Vec<ContextItem>,
    /// The sum of their estimates in tokens.
    pub total_tokens: u64,
    /// Files named by the visited messages and by earlier branch summaries.
    pub files: FileLists,
}

/// The rules in which releases differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BranchRules {
    /// Context edits among the entries are honoured (pi 1.5.0 and later).
    pub honour_edits: bool,
    /// Calls made inside a tool count; tool results are passed over, so that this has no effect
    /// on branches in pi 1.5.
    pub nested_calls: bool,
}

impl Default for BranchRules {
    fn default() -> Self {
        BranchRules {
            honour_edits: true,
            nested_calls: true,
        }
    }
}

/// Chooses from the newest back what fits into `budget` tokens (0 is no limit). A summary that
/// does not fit is taken nevertheless while less than nine tenths are used.
pub fn choose(
    session: &Session,
    entries: &[EntryIx],
    budget: u64,
    rules: BranchRules,
    messages: &dyn ItemMessages,
) -> Result<Chosen, BodyError> {
    let mut ops = FileOps::default();
    let mut edits: HashMap<EntryIx, EntryIx> = HashMap::new();
    for &ix in entries {
        match &session.entry(ix).kind {
            EntryKind::BranchSummary(summary) if !summary.from_hook => {
                ops.seed(&summary.read_files, &summary.modified_files);
            }
            EntryKind::ContextEdit {
                target: Some(target),
                ..
            } if rules.honour_edits => {
                edits.insert(*target, ix);
            }
            _ => {}
        }
    }
    let mut items = Vec::new();
    let mut total_tokens = 0;
    for &ix in entries.iter().rev() {
        let Some(item) = item_of(session, ix, edits.get(&ix).copied()) else {
            continue;
        };
        note_files(&mut ops, session, &item, rules, messages)?;
        if budget > 0 && total_tokens + item.estimate > budget {
            // In tenths, so that no rounding comes in.
            if item.origin == Origin::Summary && total_tokens * 10 < budget * 9 {
                total_tokens += item.estimate;
                items.push(item);
            }
            break;
        }
        total_tokens += item.estimate;
        items.push(item);
    }
    items.reverse();
    Ok(Chosen {
        items,
        total_tokens,
        files: ops.lists(),
    })
}

fn note_files(
    ops: &mut FileOps,
    session: &Session,
    item: &ContextItem,
    rules: BranchRules,
    messages: &dyn ItemMessages,
) -> Result<(), BodyError> {
    if item.edited_by.is_some() && item.role == Role::Assistant {
        for block in &messages.message(item)?.blocks {
            if let Block::ToolCall {
                name, arguments, ..
            } = block
            {
                ops.add_call(name, arguments);
            }
        }
        return Ok(());
    }
    add_entry_calls(ops, session, item, rules.nested_calls);
    Ok(())
}

/// The item that an entry contributes to a branch summary: no tool results, whose calls tell
/// enough; compactions and branch summaries as summaries, empty ones included.
fn item_of(session: &Session, ix: EntryIx, edit: Option<EntryIx>) -> Option<ContextItem> {
    let entry = session.entry(ix);
    let (kind, origin) = match &entry.kind {
        EntryKind::Message(Role::Tool) => return None,
        EntryKind::Message(_) => (ItemKind::Message, Origin::Verbatim),
        EntryKind::UserShell => (ItemKind::UserShell, Origin::Verbatim),
        EntryKind::CustomMessage { .. } => (ItemKind::Custom, Origin::Injected),
        EntryKind::Compaction(_) => (ItemKind::CompactionSummary, Origin::Summary),
        EntryKind::BranchSummary(_) => (ItemKind::BranchSummary, Origin::Summary),
        _ => return None,
    };
    // Of a compaction only the summary speaks, not the system message stored with it.
    let message_index = entry.messages.len().saturating_sub(1);
    let size = entry.messages.last();
    let native_role = match size {
        Some(size) => size.native_role,
        None if kind == ItemKind::BranchSummary => "branchSummary",
        None => return None,
    };
    let editable = matches!(native_role, "user" | "assistant" | "custom");
    let mut edited_by = None;
    let mut estimate = size.map_or(0, |size| size.estimate);
    if let Some(edit) = edit.filter(|_| origin != Origin::Summary)
        && let EntryKind::ContextEdit {
            omit,
            estimate: replacement,
            ..
        } = session.entry(edit).kind
    {
        if omit {
            return None;
        }
        if editable {
            edited_by = Some(edit);
            estimate = replacement;
        }
    }
    Some(ContextItem {
        role: size.map_or(Role::User, |size| size.role),
        native_role,
        kind,
        entries: vec![ix],
        message_index,
        edited_by,
        origin: if edited_by.is_some() {
            Origin::Cleared
        } else {
            origin
        },
        estimate,
        by_category: Vec::new(),
        tool_name: None,
        sent: size.is_none_or(|size| size.sent),
    })
}

/// The chosen items as text.
pub fn conversation(
    chosen: &Chosen,
    params: &PiParams,
    messages: &dyn ItemMessages,
) -> Result<String, BodyError> {
    let mut texts: Vec<(ItemKind, Message)> = Vec::with_capacity(chosen.items.len());
    for item in &chosen.items {
        texts.push((item.kind, messages.message(item)?));
    }
    Ok(serialize(
        texts.iter().map(|(kind, message)| (*kind, message)),
        &params.transcript(),
    ))
}

/// The plan of a branch summary.
#[derive(Debug, Clone, PartialEq)]
pub struct BranchPlan {
    /// What is left behind.
    pub left: LeftBehind,
    /// What of it is summarized.
    pub chosen: Chosen,
    /// The call; `None` when there is nothing to say.
    pub call: Option<PlannedCall>,
}

/// Plans the summary of the branch that ends in `from`, for a model with this context window in
/// tokens.
pub fn plan(
    session: &Session,
    left: LeftBehind,
    window: Option<u64>,
    params: &PiParams,
    instructions: &Instructions,
    messages: &dyn ItemMessages,
) -> Result<BranchPlan, BodyError> {
    let budget = window
        .unwrap_or(DEFAULT_WINDOW)
        .saturating_sub(params.reserve_tokens);
    let rules = BranchRules {
        nested_calls: params.nested_calls,
        ..BranchRules::default()
    };
    let chosen = choose(session, &left.entries, budget, rules, messages)?;
    let call = if chosen.items.is_empty() {
        None
    } else {
        let text = conversation(&chosen, params, messages)?;
        let items = (0..chosen.items.len()).collect();
        let limit = params.max_output_tokens.for_branch();
        Some(PlannedCall {
            items,
            max_output_tokens: limit,
            ..request(text, instructions)
        })
    };
    Ok(BranchPlan { left, chosen, call })
}

/// The request for the summary of a branch.
fn request(conversation: String, instructions: &Instructions) -> PlannedCall {
    let values = Values::default()
        .conversation(Conversation {
            text: conversation,
            parts: Vec::new(),
        })
        .instructions(Some(instructions));
    let rendered = |prompt: &str, values: &Values<'_>| match Preset::named("pi") {
        Some(pi) => Prompt::of(pi.prompt(prompt).render(values)),
        None => Prompt::default(),
    };
    let system = rendered("system", &Values::default()).text;
    let prompt = rendered("branch", &values);
    PlannedCall::of(Purpose::Branch, Step::Whole, system, prompt)
}

impl BranchPlan {
    /// The summary to store: a preamble, the reply, and the file lists.
    pub fn assemble(&self, reply: &str) -> String {
        if self.call.is_none() {
            return NOTHING.to_owned();
        }
        format!("{PREAMBLE}{reply}{}", self.chosen.files.blocks())
    }
}
