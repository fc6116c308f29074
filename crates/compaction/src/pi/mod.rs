//! pi's compaction, as a plan (pi 1.5, `compaction.js`, `prepareCompaction` and `compact`).

mod cut;
pub(crate) mod prompts;
mod serialize;

pub use cut::{Cut, plain_cut};
pub use serialize::{BRANCH_INTRO, COMPACTION_INTRO, serialize};

use crate::files::FileOps;
use crate::params::PiParams;
use crate::plan::{
    NothingToDo, Plan, PlanError, PlanInput, PlanOutcome, PlannedCall, Purpose, estimate,
};
use cut::Seen;
use palimpsest_core::{
    BodyError, ContextItem, EntryIx, EntryKind, ItemKind, Message, Role, Session,
};
use prompts::Prompt;
use std::ops::Range;

/// What stands for history when a split turn is all there is to summarize (pi, all versions).
const NO_HISTORY: &str = "No prior history.";

/// Whether pi would start compacting by itself (strictly more than what the reserve leaves).
pub fn should_compact(context_tokens: u64, window: u64, reserve_tokens: u64) -> bool {
    i128::from(context_tokens) > i128::from(window) - i128::from(reserve_tokens)
}

/// Plans a compaction of the context by pi's rules.
pub fn plan(
    input: &PlanInput<'_>,
    strategy: &str,
    params: &PiParams,
) -> Result<PlanOutcome, PlanError> {
    let session = input.session;
    let items = &input.context.items;
    let nothing = |reason| Ok(PlanOutcome::Nothing { reason });
    let Some(&at) = input.context.path.last() else {
        return nothing(NothingToDo::Empty);
    };
    if matches!(session.entry(at).kind, EntryKind::Compaction(_)) {
        return nothing(NothingToDo::AlreadyCompacted);
    }
    let list = cut::seen(session, &input.context.selected, items);
    // The newest compaction comes first in a context; its summary is carried on.
    let previous = list.iter().position(|seen| {
        !seen.items.is_empty() && matches!(session.entry(seen.entry).kind, EntryKind::Compaction(_))
    });
    let start = previous.map_or(0, |position| position + 1);
    let cut = cut::context_cut(session, &list, start, params.keep_recent_tokens);
    let Some(first_kept) = list.get(cut.first_kept) else {
        return nothing(NothingToDo::TooSmall);
    };
    let history_end = cut.turn_start.unwrap_or(cut.first_kept);
    let history = spoken(items, &list[start..history_end.max(start)]);
    let prefix = match cut.turn_start {
        Some(turn_start) => spoken(items, &list[turn_start..cut.first_kept]),
        None => Vec::new(),
    };
    if history.is_empty() && prefix.is_empty() {
        return nothing(NothingToDo::TooSmall);
    }
    let previous_summary = match previous {
        Some(position) => Some(summary_text(input, &list[position].items)?),
        None => None,
    };
    let previous_compaction = previous.map(|position| list[position].entry);
    let files = file_ops(input, &history, &prefix, previous_compaction, params)?.lists();
    let (calls, fixed_history) = calls(
        input,
        &history,
        &prefix,
        previous_summary.as_deref(),
        cut,
        params,
    )?;
    let kept_tokens = kept_tokens(items, &list[cut.first_kept..]);
    let guess: u64 = calls
        .iter()
        .map(|call| (call.input_tokens / 8).clamp(200, 2_000))
        .sum();
    let fixed = fixed_history.as_deref().map_or(0, estimate) + estimate(&files.blocks());
    let entries = |positions: &[usize]| entries_of(items, positions);
    Ok(PlanOutcome::Compaction(Box::new(Plan {
        strategy: strategy.to_owned(),
        params: params.to_map(),
        at,
        tokens_before: input.context.projected,
        first_kept: first_kept.entry,
        turn_start: cut.turn_start.map(|position| list[position].entry),
        is_split_turn: cut.turn_start.is_some(),
        summarized: entries(&history),
        turn_prefix: entries(&prefix),
        kept: list[cut.first_kept..]
            .iter()
            .map(|seen| seen.entry)
            .collect(),
        previous_compaction,
        previous_summary,
        files,
        calls,
        fixed_history,
        kept_tokens,
        estimated_tokens_after: kept_tokens + guess + fixed,
        instructions: input.instructions.clone(),
    })))
}

/// Positions of the items of `list` that are conversation: neither compactions nor system text.
fn spoken(items: &[ContextItem], list: &[Seen]) -> Vec<usize> {
    list.iter()
        .filter(|seen| !seen.is_compaction)
        .flat_map(|seen| seen.items.clone())
        .filter(|&position| items[position].role != Role::System)
        .collect()
}

fn entries_of(items: &[ContextItem], positions: &[usize]) -> Vec<EntryIx> {
    let mut entries: Vec<EntryIx> = Vec::with_capacity(positions.len());
    for &position in positions {
        if let Some(&entry) = items[position].entries.first()
            && entries.last() != Some(&entry)
        {
            entries.push(entry);
        }
    }
    entries
}

fn summary_text(input: &PlanInput<'_>, items: &Range<usize>) -> Result<String, BodyError> {
    let mut summaries = input.context.items[items.clone()]
        .iter()
        .filter(|item| item.kind == ItemKind::CompactionSummary);
    match summaries.next() {
        Some(item) => Ok(input.messages.message(item)?.text("")),
        None => Ok(String::new()),
    }
}

fn file_ops(
    input: &PlanInput<'_>,
    history: &[usize],
    prefix: &[usize],
    previous: Option<EntryIx>,
    params: &PiParams,
) -> Result<FileOps, BodyError> {
    let mut ops = FileOps::default();
    if let Some(ix) = previous
        && let EntryKind::Compaction(stored) = &input.session.entry(ix).kind
        && !stored.from_hook
    {
        ops.seed(&stored.read_files, &stored.modified_files);
    }
    for &position in history.iter().chain(prefix) {
        let item = &input.context.items[position];
        if item.edited_by.is_some() && item.role == Role::Assistant {
            // The edit may have taken calls away or put others in their place.
            let message = input.messages.message(item)?;
            for block in &message.blocks {
                if let palimpsest_core::Block::ToolCall {
                    name, arguments, ..
                } = block
                {
                    ops.add_call(name, arguments);
                }
            }
        } else {
            add_entry_calls(&mut ops, input.session, item, params);
        }
    }
    Ok(ops)
}

/// Adds the file operations of the calls recorded on an item's entry.
pub(crate) fn add_entry_calls(
    ops: &mut FileOps,
    session: &Session,
    item: &ContextItem,
    params: &PiParams,
) {
    let counts = match item.role {
        Role::Assistant => true,
        Role::Tool => params.nested_calls,
        Role::User | Role::System => false,
    };
    if !counts {
        return;
    }
    for &entry in &item.entries {
        for call in &session.entry(entry).tool_calls {
            if let (Some(path), Some(access)) = (&call.path, call.access) {
                ops.add(path, access);
            }
        }
    }
}

/// The texts of items, with what kind of item each is.
pub(crate) fn conversation(
    items: &[ContextItem],
    positions: &[usize],
    messages: &dyn crate::plan::ItemMessages,
    params: &PiParams,
) -> Result<String, BodyError> {
    let mut texts: Vec<(ItemKind, Message)> = Vec::with_capacity(positions.len());
    for &position in positions {
        let item = &items[position];
        texts.push((item.kind, messages.message(item)?));
    }
    Ok(serialize(
        texts.iter().map(|(kind, message)| (*kind, message)),
        params,
    ))
}

fn calls(
    input: &PlanInput<'_>,
    history: &[usize],
    prefix: &[usize],
    previous_summary: Option<&str>,
    cut: Cut,
    params: &PiParams,
) -> Result<(Vec<PlannedCall>, Option<String>), BodyError> {
    let items = &input.context.items;
    let text = |positions: &[usize]| conversation(items, positions, input.messages, params);
    let splits = cut.turn_start.is_some() && !prefix.is_empty();
    let mut calls = Vec::new();
    let mut fixed_history = None;
    if splits && history.is_empty() {
        let carried = previous_summary.filter(|_| params.reuse_previous_summary);
        fixed_history = Some(carried.unwrap_or(NO_HISTORY).to_owned());
    } else {
        let prompt = prompts::history(&text(history)?, previous_summary, input.instructions);
        let limit = params.max_output_tokens.for_history(params.reserve_tokens);
        calls.push(call(Purpose::History, prompt, limit, history.to_vec()));
    }
    if splits {
        let instructions = params
            .instructions_in_turn_prefix
            .then_some(input.instructions);
        let prompt = prompts::turn_prefix(&text(prefix)?, instructions);
        let limit = params
            .max_output_tokens
            .for_turn_prefix(params.reserve_tokens);
        calls.push(call(Purpose::TurnPrefix, prompt, limit, prefix.to_vec()));
    }
    Ok((calls, fixed_history))
}

/// A call with the common system prompt.
pub(crate) fn call(
    purpose: Purpose,
    prompt: Prompt,
    max_output_tokens: Option<u64>,
    items: Vec<usize>,
) -> PlannedCall {
    PlannedCall {
        purpose,
        system: prompts::SYSTEM.to_owned(),
        input_tokens: estimate(prompts::SYSTEM) + estimate(&prompt.text),
        prompt: prompt.text,
        conversation: prompt.conversation,
        max_output_tokens,
        items,
    }
}

/// Estimate of what stays: the system prompt in force, which pi stores with the compaction, and
/// the kept entries without their own system messages.
fn kept_tokens(items: &[ContextItem], kept: &[Seen]) -> u64 {
    let system: u64 = items
        .iter()
        .filter(|item| item.role == Role::System)
        .map(|item| item.estimate)
        .sum();
    let kept: u64 = spoken(items, kept)
        .iter()
        .map(|&position| items[position].estimate)
        .sum();
    system + kept
}
