//! The four stages one after the other: select, reduce, summarize, assemble.

mod again;
pub(crate) mod fallback;
mod notes;

use crate::assemble::NextItem;
use crate::branch::{BranchPart, settled};
use crate::files::{FileLists, FileOps};
use crate::plan::{
    ASSUMED_REPLY_TOKENS, NothingToDo, Plan, PlanError, PlanInput, PlanOutcome, PlannedCall,
    PlannedItem, Purpose, ReplySlot, UNITS_PER_TOKEN, Worker,
};
use crate::preset::Preset;
use crate::reduce::Draft;
use crate::reflect::Fill;
use crate::select::{Fate, Scene, Select, Selection, stands_on_compaction};
use crate::summarize::Job;
use palimpsest_core::entry::FileAccess;
use palimpsest_core::{Block, BodyError, ContextItem, EntryIx, EntryKind, ItemKind, Role, Session};

/// Plans with a preset, its fallbacks as well. Where a call cannot be made to fit and a fallback
/// is for that, its plan is the plan.
pub fn plan(preset: &Preset, input: &PlanInput<'_>) -> Result<PlanOutcome, PlanError> {
    let mut outcome = match plan_itself(preset, input) {
        Err(PlanError::OverBudget {
            call,
            tokens,
            limit,
        }) => {
            let too_large = PlanError::OverBudget {
                call,
                tokens,
                limit,
            };
            return fallback::instead(preset, too_large, |other| plan(other, input));
        }
        other => other?,
    };
    if let PlanOutcome::Compaction(plan) = &mut outcome {
        let others = fallback::plans(preset, |other| match self::plan(other, input)? {
            PlanOutcome::Compaction(plan) => Ok(Some(plan)),
            PlanOutcome::Nothing { .. } => Ok(None),
        })?;
        plan.fallbacks.extend(others);
    }
    Ok(outcome)
}

/// The plan of a preset without its fallbacks, but with the plans that follow from its choice.
fn plan_itself(preset: &Preset, input: &PlanInput<'_>) -> Result<PlanOutcome, PlanError> {
    let nothing = |reason| Ok(PlanOutcome::Nothing { reason });
    let Some(&at) = input.context.path.last() else {
        return nothing(NothingToDo::Empty);
    };
    if stands_on_compaction(input) {
        return nothing(NothingToDo::AlreadyCompacted);
    }
    let scene = Scene::new(input);
    let chosen = preset.select.select(&scene)?;
    let selection = preset.summarize.method.covered(&scene, &chosen);
    let left = notes::left_as_is(&chosen, &selection);
    let subject = Subject {
        at,
        selection,
        previous_compaction: scene.previous_entry(),
        previous_summary: previous_text(&scene)?,
        files: None,
        branch: None,
        stays: 0,
    };
    Ok(match draw_up(preset, input, subject)? {
        Some(mut plan) => {
            plan.notes.extend(left);
            again::add(preset, &scene, &mut plan)?;
            PlanOutcome::Compaction(Box::new(plan))
        }
        None => PlanOutcome::Nothing {
            reason: nothing_because(&preset.select, &scene),
        },
    })
}

/// Why a choice came to nothing.
fn nothing_because(select: &Select, scene: &Scene<'_>) -> NothingToDo {
    match select {
        Select::Everything(own) if own.min_messages > 0 && scene.previous.is_some() => {
            NothingToDo::CompactedRecently
        }
        Select::KeepAll(_) => NothingToDo::NothingCleared,
        Select::CutAt(_) | Select::FromEntry(_) | Select::Entries(_) => NothingToDo::NothingChosen,
        _ => NothingToDo::TooSmall,
    }
}

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
    // A rule that goes by the texts cannot do without them.
    let summarize = &preset.summarize;
    draft.only_counts &= summarize.most_input() == 0 || !summarize.overflow.reads_texts();
    draft.call_budget_bytes = summarize.method.budget_bytes();
    for step in &preset.reduce {
        step.apply(&mut draft)?;
    }
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
        preset,
        draft: &draft,
        history,
        turn_prefix,
        previous: previous_summary.as_deref().filter(|text| !text.is_empty()),
        pending: pending(preset, input)?,
        stays: subject.stays,
    };
    // With nothing to summarize the previous summary stays as it is.
    let mut outline = match summarizes {
        true => preset.summarize.method.outline(&job)?,
        false => job.carried_on(),
    };
    if summarizes && let Select::MemoryStream(stream) = &preset.select {
        stream.ask_for_ratings(&job, &mut outline)?;
    }
    if subject.branch.is_some() {
        for call in &mut outline.calls {
            call.purpose = Purpose::Branch;
        }
    }
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
        reflection: outline.reflection,
        memories: outline.memories,
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
    count_quotes(&mut plan);
    plan.count();
    fit(&mut plan, preset.summarize.most_input())?;
    plan.notes = notes::of(preset, &plan);
    Ok(Some(plan))
}

/// The limit of a call's reply, lowered to what a window of so many tokens has left when it holds
/// the context, of which `used` is the agent's own idea, and what the request adds to it.
fn within(window: u64, used: u64, call: &PlannedCall) -> Option<u64> {
    let added = call.input_tokens.saturating_sub(call.conversation_tokens());
    let room = window.saturating_sub(used).saturating_sub(added);
    match room {
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
            let mark = ReplySlot::mark_len(slot.call, slot.fill).div_ceil(UNITS_PER_TOKEN);
            let quoted = match (&plan.reflection, slot.fill) {
                (Some(reflection), fill) if fill != Fill::Reply => {
                    reflection.expected_tokens(fill, &lengths)
                }
                _ => lengths.get(slot.call).copied().unwrap_or_default(),
            };
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
    let said = |item: &&ContextItem| item.role != Role::System && !item.entries.is_empty();
    let newest = input.context.items.iter().rev().find(said);
    let prompt = |item: &&ContextItem| item.role == Role::User && item.kind == ItemKind::Message;
    let Some(item) = newest.filter(prompt) else {
        return Ok(None);
    };
    let text = input.messages.message(item)?.text("\n");
    Ok(Some(text).filter(|text| !text.trim().is_empty()))
}

/// The text of the summary that is carried on.
fn previous_text(scene: &Scene<'_>) -> Result<Option<String>, BodyError> {
    let Some(at) = scene.previous else {
        return Ok(None);
    };
    let input = scene.input;
    let mut summaries = input.context.items[scene.entries[at].items.clone()]
        .iter()
        .filter(|item| item.kind == ItemKind::CompactionSummary);
    match summaries.next() {
        Some(item) => Ok(Some(input.messages.message(item)?.text(""))),
        None => Ok(Some(String::new())),
    }
}

/// The files that the items at `span` name, with those of the compaction before.
fn files(
    preset: &Preset,
    input: &PlanInput<'_>,
    span: &[usize],
    previous: Option<EntryIx>,
) -> Result<FileLists, BodyError> {
    let named = input.named_files()?;
    let mut done: Vec<Option<FileAccess>> = vec![None; named.paths.len()];
    // Those that the calls on the entries do not tell.
    let mut others = FileOps::default();
    if let Some(ix) = previous
        && let EntryKind::Compaction(stored) = &input.session.entry(ix).kind
        && !stored.from_hook
    {
        others.seed(&stored.read_files, &stored.modified_files);
    }
    for &position in span {
        let item = &input.context.items[position];
        if item.edited_by.is_some() && item.role == Role::Assistant {
            // The edit may have taken calls away or put others in their place.
            for block in &input.messages.message(item)?.blocks {
                if let Block::ToolCall {
                    name, arguments, ..
                } = block
                {
                    others.add_call(name, arguments);
                }
            }
        } else if names_files(item, preset.assemble.nested_calls) {
            for &(file, access) in named.of(position) {
                let own = &mut done[file as usize];
                if *own != Some(FileAccess::Edit) {
                    *own = match access {
                        FileAccess::Read => Some(FileAccess::Read),
                        FileAccess::Edit | FileAccess::Write => Some(FileAccess::Edit),
                    };
                }
            }
        }
    }
    let known = named.paths.iter().zip(done);
    let known = known.filter_map(|(path, access)| Some((path, access?)));
    if !others.is_empty() {
        known.for_each(|(path, access)| others.add(path, access));
        return Ok(others.lists());
    }
    let mut lists = FileLists::default();
    for (path, access) in known {
        match access {
            FileAccess::Read => lists.read.push(path.to_string()),
            FileAccess::Edit | FileAccess::Write => lists.modified.push(path.to_string()),
        }
    }
    Ok(lists)
}

/// True for an item whose calls count for the files of a summary.
fn names_files(item: &ContextItem, nested_calls: bool) -> bool {
    match item.role {
        Role::Assistant => true,
        Role::Tool => nested_calls,
        Role::User | Role::System => false,
    }
}

/// Adds the file operations of the calls recorded on an item's entry.
pub(crate) fn add_entry_calls(
    ops: &mut FileOps,
    session: &Session,
    item: &ContextItem,
    nested_calls: bool,
) {
    if !names_files(item, nested_calls) {
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
