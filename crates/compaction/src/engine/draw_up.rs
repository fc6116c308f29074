//! The stages after the first, one after the other: what was chosen is reduced, summarized and
//! assembled into a plan.

use crate::engine::files::files;
use crate::engine::preset::data::Preset;
use crate::engine::{cached, notes};
use crate::plan::planned::Plan;
use crate::stages::select::Select;
use crate::vocabulary::branch::BranchPart;
use crate::vocabulary::call::{PlannedCall, Purpose, Worker};
use crate::vocabulary::error::PlanError;
use crate::vocabulary::estimate::{ASSUMED_REPLY_TOKENS, UNITS_PER_TOKEN};
use crate::vocabulary::fate::Fate;
use crate::vocabulary::files::FileLists;
use crate::vocabulary::input::PlanInput;
use crate::vocabulary::next::NextItem;
use crate::vocabulary::selection::Selection;
use crate::vocabulary::slot::ReplySlot;
use crate::vocabulary::summary::PlannedItem;
use crate::workpiece::draft::Draft;
use crate::workpiece::job::Job;
use palimpsest_core::{BodyError, ContextItem, EntryIx, ItemKind, Role};

/// What the stages after the first work on.
pub(crate) struct Subject {
    /// The entry stood on.
    pub at: EntryIx,
    /// What was chosen.
    pub selection: Selection,
    /// The compaction whose summary is carried on.
    pub previous_compaction: Option<EntryIx>,
    /// Its summary.
    pub previous_summary: Option<String>,
    /// The files to list, where they are known; else those that the summarized items name.
    pub files: Option<FileLists>,
    /// The branch, where one is summarized.
    pub branch: Option<BranchPart>,
    /// Number of items at the beginning of the context that no stage touches: those of the
    /// context in which the summary of a branch will stand.
    pub stays: usize,
}

/// The plan of the stages after the first; `None` when there is nothing to do.
pub(crate) fn draw_up(
    preset: &Preset,
    input: &PlanInput<'_>,
    subject: Subject,
) -> Result<Option<Plan>, PlanError> {
    if preset.summarize.require_instructions && input.instructions.given().is_none() {
        return Err(PlanError::NoInstructions {
            strategy: preset.name.clone(),
        });
    }
    let selection = subject.selection;
    let mut draft = Draft::new(input, &selection);
    // An overflow rule that reads texts needs them, also where a plan only counts.
    let summarize = &preset.summarize;
    draft.only_counts &= summarize.most_input() == 0 || !summarize.overflow.reads_texts();
    draft.call_budget_bytes = summarize.method.budget_bytes();
    for step in &preset.reduce {
        step.apply(&mut draft)?;
    }
    // Steps see all pieces, also those that are not theirs to decide on.
    let beside = input.context.items.iter().zip(&mut draft.pieces);
    for (item, piece) in beside.take(subject.stays) {
        piece.fate = settled(item);
    }
    let history = draft.items(Fate::Summarized);
    let turn_prefix = draft.items(Fate::TurnPrefix);
    let changes = draft.changes();
    let summarizes = !history.is_empty() || !turn_prefix.is_empty();
    if !summarizes && changes.is_empty() {
        return Ok(None);
    }
    let previous_compaction = subject.previous_compaction;
    let previous_summary = subject.previous_summary;
    let span: Vec<usize> = history.iter().chain(&turn_prefix).copied().collect();
    let files = match subject.files {
        Some(files) => files,
        None => files(preset, input, &span, previous_compaction)?,
    };
    let job = Job {
        prompts: &preset.prompts,
        request: summarize.request,
        transcript: &summarize.transcript,
        reserve_tokens: summarize.reserve_tokens,
        words: summarize.words(),
        memory: match &preset.select {
            Select::MemoryStream(own) => Some(own),
            _ => None,
        },
        draft: &draft,
        history,
        turn_prefix,
        previous: previous_summary.as_deref().filter(|text| !text.is_empty()),
        pending: pending(preset, input)?,
        stays: subject.stays,
    };
    // With nothing to summarize the previous summary stays as it is.
    let mut outline = if summarizes {
        preset.summarize.method.outline(&job)?
    } else {
        job.carried_on()
    };
    if subject.branch.is_some() {
        for call in &mut outline.calls {
            call.purpose = Purpose::Branch;
        }
    }
    // Without a name the chosen model is asked from the start.
    let weak = Some(&summarize.weak_model).filter(|name| !name.is_empty());
    for call in &mut outline.calls {
        if call.worker == Worker::Weak {
            call.model = weak.cloned();
        }
    }
    let window = preset.summarize.model_window_tokens;
    for call in &mut outline.calls {
        call.max_output_tokens = within(window, input.context.projected, call);
        call.temperature = preset.summarize.temperature;
    }
    cached::mark(&mut outline.calls, &draft);
    let summary = preset
        .assemble
        .stored(&job, &outline.summary, &files.blocks())?;
    let parts = match &subject.branch {
        Some(_) => preset.assemble.next_of_branch(),
        None => preset.assemble.next.clone(),
    };
    let mut next: Vec<NextItem> = Vec::new();
    for part in &parts {
        next.extend(part.items(&job, &summary, &outline.calls)?);
    }
    let items = input.context.items.iter().zip(&draft.pieces);
    let items = items.map(|(item, piece)| PlannedItem {
        entry: item.entries.first().copied(),
        further: item.entries.get(1..).unwrap_or_default().into(),
        fate: piece.fate,
        tokens: piece.tokens,
    });
    let mut plan = Plan {
        strategy: preset.name.clone(),
        params: preset.params(),
        at: subject.at,
        tokens_before: input.context.projected,
        estimated_tokens_before: input.context.estimated,
        first_kept: selection.first_kept,
        turn_start: selection.turn_start,
        is_split_turn: selection.turn_start.is_some(),
        summarized: Vec::new(),
        turn_prefix: Vec::new(),
        kept: selection.kept,
        dropped: Vec::new(),
        items: items.collect(),
        changes,
        previous_compaction,
        previous_summary,
        files,
        notes: Vec::new(),
        calls: outline.calls,
        max_concurrent: preset.summarize.max_concurrent,
        replies: preset.summarize.replies.clone(),
        overflow: preset.summarize.overflow.clone(),
        attempts: preset.summarize.attempts,
        call_timeout_seconds: preset.summarize.call_timeout_seconds,
        derived: outline.derived,
        fixed_history: outline.fixed_history,
        summary,
        next,
        kept_tokens: 0,
        estimated_tokens_after: 0,
        may_grow: false,
        fallbacks: Vec::new(),
        instructions: input.instructions.clone(),
        branch: subject.branch,
    };
    // First, as `fit` goes by the sizes of calls.
    count_quotes(&mut plan);
    plan.count();
    fit(&mut plan, preset.summarize.most_input())?;
    // Last: a call that was made to fit needs no note.
    plan.notes = notes::of(preset, &plan);
    Ok(Some(plan))
}

/// The limit of a call's reply, lowered to what a window of so many tokens has left when it holds
/// the context, of which `used` is the agent's own idea, and what the request adds to it.
pub(crate) fn within(window: u64, used: u64, call: &PlannedCall) -> Option<u64> {
    // The conversation has the same size where it is only counted, so a limit does not depend on
    // that.
    let added = call.input_tokens.saturating_sub(call.conversation_tokens());
    let room = window.saturating_sub(used).saturating_sub(added);
    match room {
        // Also where the window is unknown.
        0 => call.max_output_tokens,
        room => call.max_output_tokens.map(|most| most.min(room)),
    }
}

/// Counts the replies that calls quote, and what follows from replies, at the length they may
/// have, in the place of their marks.
fn count_quotes(plan: &mut Plan) {
    let lengths: Vec<u64> = plan
        .calls
        .iter()
        .map(|call| call.max_output_tokens.unwrap_or(ASSUMED_REPLY_TOKENS))
        .collect();
    for call in &mut plan.calls {
        for slot in &call.slots {
            // The mark was counted with the prompt it stands in.
            let mark = ReplySlot::mark_len(slot.call, slot.fill).div_ceil(UNITS_PER_TOKEN);
            let derived = plan.derived.expected_in_prompt(slot.fill, &lengths);
            let quoted = derived.or_else(|| lengths.get(slot.call).copied());
            let quoted = quoted.unwrap_or_default();
            call.input_tokens = (call.input_tokens + quoted).saturating_sub(mark);
        }
    }
}

/// Leaves out of each call what is too much for `limit` tokens, by the plan's rule.
fn fit(plan: &mut Plan, limit: u64) -> Result<(), PlanError> {
    if limit == 0 {
        return Ok(());
    }
    for number in 0..plan.calls.len() {
        let tokens = plan.calls[number].input_tokens;
        if tokens <= limit {
            continue;
        }
        let call = &plan.calls[number].clone();
        let rule = plan.overflow.clone();
        let at_attempt = |attempt: usize| {
            let smaller = rule.smaller(call, attempt);
            let fits = smaller.tokens(call) <= limit;
            (smaller, fits)
        };
        // Each attempt leaves out more than the one before, so the first that fits can be
        // searched by halving.
        let (mut low, mut high) = (1, rule.attempts(call));
        if high == 0 || !at_attempt(high).1 {
            return Err(PlanError::OverBudget {
                call: call.label(),
                tokens,
                limit,
            });
        }
        while low < high {
            let middle = usize::midpoint(low, high);
            if at_attempt(middle).1 {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        let (smaller, _) = at_attempt(low);
        plan.make_smaller(number, call, &smaller);
    }
    Ok(())
}

/// The newest message of the user where nothing has answered it, and a prompt asks for it.
fn pending(preset: &Preset, input: &PlanInput<'_>) -> Result<Option<String>, BodyError> {
    let mut prompts = preset.prompts.keys();
    if !prompts.any(|name| preset.prompt(name).has("pending")) {
        return Ok(None);
    }
    // What is always sent comes from no entry.
    let said = |item: &&ContextItem| item.role != Role::System && !item.entries.is_empty();
    let newest = input.context.items.iter().rev().find(said);
    let prompt = |item: &&ContextItem| item.role == Role::User && item.kind == ItemKind::Message;
    let Some(item) = newest.filter(prompt) else {
        return Ok(None);
    };
    let text = input.messages.message(item)?.text("\n");
    Ok(Some(text).filter(|text| !text.trim().is_empty()))
}

/// The fate of an item of the context at the target entry after the reduce stage: it is always
/// kept.
pub(crate) fn settled(item: &ContextItem) -> Fate {
    if item.role == Role::System || item.entries.is_empty() {
        Fate::System
    } else {
        Fate::Kept
    }
}
