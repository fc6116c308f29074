//! Which messages of a branch are summarized.

use crate::engine::files::add_entry_calls;
use crate::vocabulary::files::{FileLists, FileOps};
use crate::vocabulary::input::ItemMessages;
use palimpsest_core::{
    Block, BodyError, Category, ContextItem, Entry, EntryIx, EntryKind, ItemEntries, ItemKind,
    MessageSize, Origin, Role, Session,
};
use std::collections::HashMap;

/// What a branch summary is made from.
#[derive(Debug, Clone, PartialEq)]
pub struct Chosen {
    /// The messages of the branch, oldest first.
    pub items: Vec<ContextItem>,
    /// Position of the first that is taken; all behind it are.
    pub start: usize,
    /// The sum of the estimates of those taken, in tokens.
    pub total_tokens: u64,
    /// Files named by the visited messages and by earlier branch summaries.
    pub files: FileLists,
}

impl Chosen {
    /// The messages that are taken, oldest first.
    pub fn taken(&self) -> &[ContextItem] {
        &self.items[self.start..]
    }
}

/// The rules in which releases and presets differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BranchRules {
    /// Context edits among the entries are honoured (pi 1.5.0 and later).
    pub honour_edits: bool,
    /// Tool results are skipped: their calls tell enough (pi).
    pub skip_tool_results: bool,
    /// Calls made inside a tool count; this has no effect where tool results are skipped.
    pub nested_calls: bool,
}

impl Default for BranchRules {
    fn default() -> Self {
        BranchRules {
            honour_edits: true,
            skip_tool_results: true,
            nested_calls: true,
        }
    }
}

/// Chooses from the newest back what fits into `budget` tokens (0 is no limit). A summary that
/// does not fit is taken nevertheless while less than nine tenths are used. Results whose call
/// does not fit are not taken either.
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
            // Lists in a summary by an extension are not pi's own (pi 1.5, `fromHook`).
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
    for &ix in entries {
        items.extend(items_of(session, ix, edits.get(&ix).copied(), rules));
    }
    let mut start = items.len();
    let mut total_tokens = 0;
    for (at, item) in items.iter().enumerate().rev() {
        // Before the test of size: pi also notes the files of the message that no longer fits.
        note_files(&mut ops, session, item, rules, messages)?;
        let fits = budget == 0 || total_tokens + item.estimate <= budget;
        // In tenths, so that no rounding comes in.
        let is_let_in = item.origin == Origin::Summary && total_tokens * 10 < budget * 9;
        if fits || is_let_in {
            total_tokens += item.estimate;
            start = at;
        }
        // A summary that was let in is the last one taken (pi 1.5).
        if !fits {
            break;
        }
    }
    // Only a cut parts results from their calls.
    if start > 0 {
        let results = items[start..]
            .iter()
            .take_while(|item| item.role == Role::Tool);
        let (count, tokens) = results.fold((0, 0), |(count, tokens), item| {
            (count + 1, tokens + item.estimate)
        });
        start += count;
        total_tokens -= tokens;
    }
    Ok(Chosen {
        items,
        start,
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
    // The calls recorded on the entry are those before the edit.
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

/// The items that an entry contributes: compactions and branch summaries as summaries, empty ones
/// included; of records with several messages (OpenCode keeps results with the reply that called)
/// each.
fn items_of(
    session: &Session,
    ix: EntryIx,
    edit: Option<EntryIx>,
    rules: BranchRules,
) -> Vec<ContextItem> {
    let entry = session.entry(ix);
    let (kind, origin) = match &entry.kind {
        EntryKind::Message(_) => (ItemKind::Message, Origin::Verbatim),
        EntryKind::UserShell => (ItemKind::UserShell, Origin::Verbatim),
        EntryKind::CustomMessage { .. } => (ItemKind::Custom, Origin::Injected),
        EntryKind::Compaction(_) => {
            let at = summary_message(entry);
            let size = at.and_then(|at| Some((at, entry.messages.get(at)?)));
            let told =
                size.map(|size| item(ix, size, ItemKind::CompactionSummary, Origin::Summary));
            return told.into_iter().collect();
        }
        EntryKind::BranchSummary(_) => {
            let kind = ItemKind::BranchSummary;
            return vec![match entry.messages.iter().enumerate().next_back() {
                Some(size) => item(ix, size, kind, Origin::Summary),
                None => empty_summary(ix),
            }];
        }
        _ => return Vec::new(),
    };
    let mut items = Vec::new();
    for (at, size) in entry.messages.iter().enumerate() {
        if size.role == Role::Tool && rules.skip_tool_results {
            continue;
        }
        let mut item = item(ix, (at, size), kind, origin);
        if let Some(edit) = edit
            && let EntryKind::ContextEdit { omit, estimate, .. } = session.entry(edit).kind
        {
            if omit {
                continue;
            }
            if matches!(size.native_role, "user" | "assistant" | "custom") {
                item.edited_by = Some(edit);
                item.origin = Origin::Cleared;
                item.estimate = estimate;
            }
        }
        items.push(item);
    }
    items
}

/// Which message of a compaction's record is its summary: pi may store a system message before
/// it, Codex the user's messages around it.
fn summary_message(entry: &Entry) -> Option<usize> {
    let is_summary = |size: &MessageSize| {
        let mut units = size.units.iter();
        units.any(|(category, _)| *category == Category::Summaries)
    };
    let last = entry.messages.len().checked_sub(1);
    entry.messages.iter().rposition(is_summary).or(last)
}

fn item(
    ix: EntryIx,
    (message_index, size): (usize, &MessageSize),
    kind: ItemKind,
    origin: Origin,
) -> ContextItem {
    ContextItem {
        role: size.role,
        native_role: size.native_role,
        kind,
        entries: ItemEntries::from_slice(&[ix]),
        message_index,
        edited_by: None,
        origin,
        estimate: size.estimate,
        by_category: Vec::new(),
        tool_name: size.tool_name.clone(),
        sent: size.sent,
    }
}

/// A branch summary without text, which pi counts among what it visits.
fn empty_summary(ix: EntryIx) -> ContextItem {
    ContextItem {
        role: Role::User,
        native_role: "branchSummary",
        kind: ItemKind::BranchSummary,
        entries: ItemEntries::from_slice(&[ix]),
        message_index: 0,
        edited_by: None,
        origin: Origin::Summary,
        estimate: 0,
        by_category: Vec::new(),
        tool_name: None,
        sent: true,
    }
}
