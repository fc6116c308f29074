//! Strategies and plans.

use super::{Empty, names};
use crate::render::Utf16Offsets;
use crate::wire::*;
use palimpsest_app::prompts::UsedBy;
use palimpsest_app::run::{
    BandRecord, BlockKind, BranchRecord, CallRecord, ChangeRecord, FallbackRecord, NextRecord,
    ParamSpec, PlanRecord, PlanSpec, ShareRecord, Strategy, param_label, prompt_label, stage_kinds,
    strategies as known,
};
use palimpsest_app::{App, AppError, AppResult};
use palimpsest_core::EntryIx;
use std::sync::Arc;

/// The ways to make a context smaller.
pub(crate) fn strategies(app: &App, request: StrategiesRequest) -> AppResult<Vec<StrategyInfo>> {
    let asked = request.name;
    if let Some(name) = &asked {
        // Says which there are when it is none of them.
        app.preset(name)?;
    }
    let mut list = known()
        .into_iter()
        .map(info)
        .collect::<AppResult<Vec<_>>>()?;
    // Also those that cannot be read: the list says why.
    for custom in app.custom_presets()? {
        let mut row = match &custom.preset {
            Ok(preset) => info(Strategy::of(preset))?,
            Err(problem) => StrategyInfo {
                name: custom.name,
                error: Some(problem.message.clone()),
                hint: problem.next.as_ref().map(ToString::to_string),
                next: problem.next.clone().map(Into::into),
                ..StrategyInfo::default()
            },
        };
        row.path = Some(custom.path.display().to_string());
        list.push(row);
    }
    if let Some(name) = asked {
        // Reports a file with the name of a built-in strategy, because the built-in one is used.
        list.retain(|row| row.name == name);
    }
    Ok(list)
}

fn info(strategy: Strategy<'_>) -> AppResult<StrategyInfo> {
    Ok(StrategyInfo {
        name: strategy.name.to_owned(),
        description: strategy.description.to_owned(),
        source: strategy.source.to_owned(),
        // Left out when empty, as with most strategies.
        assumed: Some(strategy.assumed.to_vec()).filter(|all| !all.is_empty()),
        needs: strategy.needs.into(),
        params: params(strategy.params)?,
        stages: StageNames {
            select: strategy.stages.select,
            reduce: strategy.stages.reduce,
            summarize: strategy.stages.summarize,
            next: strategy.stages.next,
        },
        path: None,
        error: None,
        hint: None,
        next: None,
    })
}

/// The kinds that stages can be switched to.
pub(crate) fn kinds(_: &App, _: Empty) -> AppResult<Vec<StageKindInfo>> {
    let list = stage_kinds().into_iter().map(|kind| {
        Ok(StageKindInfo {
            stage: word::<StagePlace>(kind.stage).ok_or_else(|| unnamed(kind.stage))?,
            kind: kind.kind.to_owned(),
            meaning: kind.meaning.to_owned(),
            params: params(kind.params)?,
        })
    });
    list.collect()
}

/// The wire lacks a word that the program uses; a test of `wire/word.rs` keeps it from happening.
fn unnamed(word: &str) -> AppError {
    AppError::Internal(format!("the interface has no word for '{word}'"))
}

fn stage(name: &str) -> AppResult<Stage> {
    word::<Stage>(name).ok_or_else(|| unnamed(name))
}

fn params(list: Vec<ParamSpec>) -> AppResult<Vec<ParamInfo>> {
    list.into_iter().map(param).collect()
}

fn param(param: ParamSpec) -> AppResult<ParamInfo> {
    Ok(ParamInfo {
        // The first part of a parameter's path names its stage (`select.keep_recent_tokens`).
        stage: stage(param.path.split('.').next().unwrap_or_default())?,
        label: match param.path.strip_prefix("prompts.") {
            Some(name) => prompt_label(name),
            None => param_label(&param.name),
        },
        name: param.name,
        path: param.path,
        kind: param.kind.into(),
        words: param.words.iter().map(|word| (*word).to_owned()).collect(),
        default: param.default,
        unit: param.unit.map(str::to_owned),
        min: param.range.map(|range| range.least),
        max: param.range.and_then(|range| range.most),
        description: param.description.to_owned(),
    })
}

/// What a compaction would do, or the summary of a branch.
pub(crate) async fn plan(app: &Arc<App>, request: PlanRequest) -> AppResult<PlanView> {
    let brief = request.brief == Some(true);
    let spec = PlanSpec {
        brief,
        ..spec(request)
    };
    let planned = app.plan_shown(&spec).await?;
    let lent = planned.lent.iter().map(|own| {
        Ok(LentPromptView {
            param: param(own.spec.clone())?,
            from: own.from.to_owned(),
            stage: stage(own.stage)?,
        })
    });
    let lent = lent.collect::<AppResult<Vec<_>>>()?;
    Ok(PlanView {
        lent: Some(lent).filter(|all| !all.is_empty()),
        // The page sends it back with a run, which is refused if the plan has changed.
        plan_hash: planned.hash().map(str::to_owned),
        ..plan_view(&planned.record, !brief)
    })
}

/// One call of a plan with its texts, which for all calls together can be large.
pub(crate) async fn call(app: &Arc<App>, asked: PlannedCallRequest) -> AppResult<PlannedCallView> {
    // A number beyond all calls is refused as one that does not exist.
    let number = usize::try_from(asked.call).unwrap_or(usize::MAX);
    let hash = asked.plan_hash.as_deref();
    let call = app.planned_call(&spec(asked.plan), hash, number).await?;
    Ok(planned_call(&call, true))
}

/// Where a context could be cut.
pub(crate) fn cut_points(app: &App, request: CutPointsRequest) -> AppResult<Vec<CutPoint>> {
    let spec = PlanSpec {
        session: request.session,
        at: request.at,
        redo: request.redo,
        ..PlanSpec::default()
    };
    let (open, points) = app.cut_points(&spec)?;
    let view = |point: &palimpsest_app::run::CutPoint| CutPoint {
        entry_id: names::id(&open.session, point.entry),
        position: point.position as u64,
        tokens: point.tokens,
        starts_turn: point.starts_turn,
    };
    Ok(points.iter().map(view).collect())
}

/// What would be left behind when one entry is left for another.
pub(crate) fn leaving(app: &App, request: LeaveRequest) -> AppResult<LeaveView> {
    let left = app.leaving(&request.session, request.from.as_deref(), &request.to)?;
    let session = &left.open.session;
    let id = |ix| names::id(session, ix);
    let entry = |ix: EntryIx| {
        let entry = session.entry(ix);
        let calls = entry.tool_calls.iter().map(|call| &call.name);
        let results = entry
            .messages
            .iter()
            .filter_map(|size| size.tool_name.as_ref());
        LeftEntry {
            entry_id: id(ix),
            kind: entry.kind.record(),
            role: entry.role(),
            is_error: entry.is_failure(),
            tools: calls.chain(results).map(|name| name.to_string()).collect(),
            tokens: entry.estimate(),
            preview: entry.preview.to_string(),
        }
    };
    // The user edits the text of a prompt that is the target; the agent continues before it.
    let prompt = left
        .written_anew
        .then(|| session.entry(left.to).preview.to_string());
    Ok(LeaveView {
        from_id: left.from.map(id),
        to_id: id(left.to),
        new_leaf_id: left.new_leaf.map(id),
        prompt,
        common_ancestor_id: left.branch.common_ancestor.map(id),
        entries: left.branch.entries.iter().map(|&ix| entry(ix)).collect(),
        tokens_from: left.tokens_from,
        tokens_to: left.tokens_to,
    })
}

/// The use case's form of a request.
pub(crate) fn spec(request: PlanRequest) -> PlanSpec {
    PlanSpec {
        session: request.session,
        at: request.at,
        to: request.to,
        from: request.from,
        redo: request.redo,
        strategy: request.strategy,
        set: request.set.into_iter().collect(),
        instructions: request.instructions,
        replace_prompt: request.replace_prompt,
        provider: request.provider,
        model: request.model,
        base_url: request.base_url,
        embeddings: request.embeddings,
        prompts: request.prompts.unwrap_or_default(),
        // A run keeps its plan whole.
        brief: false,
    }
}

/// A plan for the wire, with the texts of its prompts.
pub(crate) fn view(record: &PlanRecord) -> PlanView {
    plan_view(record, true)
}

/// A plan for the wire; without `texts` its prompts are left out, which can be as long as the
/// session.
fn plan_view(record: &PlanRecord, texts: bool) -> PlanView {
    PlanView {
        kind: record.kind.into(),
        reason: record.reason.clone(),
        hint: record.next_step.as_ref().map(ToString::to_string),
        next_step: record.next_step.clone().map(Into::into),
        strategy: record.strategy.clone(),
        params: record.params.clone().into_iter().collect(),
        at: record.at.clone(),
        tokens_before: record.tokens_before,
        estimated_tokens_before: record.estimated_tokens_before,
        sizes: {
            let sizes = record.sizes();
            PlanSizes {
                before: sizes.before,
                after: sizes.after,
                unseen: sizes.unseen,
            }
        },
        first_kept_id: record.first_kept_id.clone(),
        turn_start_id: record.turn_start_id.clone(),
        is_split_turn: record.is_split_turn,
        summarize_ids: record.summarize_ids.clone(),
        turn_prefix_ids: record.turn_prefix_ids.clone(),
        kept_ids: record.kept_ids.clone(),
        previous_summary: record.previous_summary.clone(),
        files: FileLists {
            read: record.read_files.clone(),
            modified: record.modified_files.clone(),
        },
        dropped_ids: record.dropped_ids.clone(),
        cleared: record.changes.iter().map(cleared).collect(),
        bands: record.bands.iter().map(band).collect(),
        shares: record.shares.iter().map(share).collect(),
        next: record.next.iter().map(next_part).collect(),
        may_grow: record.may_grow,
        max_concurrent: record.max_concurrent,
        calls: calls(&record.calls, texts),
        offline_key: record.offline_key.clone(),
        estimated_tokens_after: record.estimated_tokens_after,
        estimated_cost_usd: record.estimated_cost_usd,
        most_cost_usd: record.most_cost_usd,
        user_prices: record.user_prices,
        destination: record.destination.clone(),
        prompts: record
            .prompts
            .iter()
            .map(|used| PromptUseView {
                place: used.place.clone(),
                hash: used.hash.clone(),
                own: used.by == UsedBy::User,
                name: used.name.clone(),
                version: used.version,
                label: used.label.clone(),
            })
            .collect(),
        common_ancestor_id: record
            .branch
            .as_ref()
            .and_then(|branch| branch.common_ancestor_id.clone()),
        branch: record.branch.as_ref().map(branch),
        fallbacks: Some(fallbacks(&record.fallbacks, texts)).filter(|all| !all.is_empty()),
        notes: Some(record.notes.clone()).filter(|all| !all.is_empty()),
        // Both belong to a plan that is shown; a record has neither.
        lent: None,
        plan_hash: None,
    }
}

fn calls(calls: &[CallRecord], texts: bool) -> Vec<PlannedCallView> {
    calls.iter().map(|call| planned_call(call, texts)).collect()
}

fn fallbacks(all: &[FallbackRecord], texts: bool) -> Vec<FallbackView> {
    all.iter().map(|own| fallback(own, texts)).collect()
}

fn fallback(record: &FallbackRecord, texts: bool) -> FallbackView {
    FallbackView {
        meaning: record.meaning.clone(),
        strategy: record.strategy.clone(),
        calls: calls(&record.calls, texts),
        kept_ids: record.kept_ids.clone(),
        estimated_tokens_after: record.estimated_tokens_after,
        fallbacks: fallbacks(&record.fallbacks, texts),
    }
}

fn planned_call(call: &CallRecord, texts: bool) -> PlannedCallView {
    let text = |text: &str| {
        if texts {
            text.to_owned()
        } else {
            String::new()
        }
    };
    // The conversation is part of the prompt's bytes and not stored twice. A record of another
    // version may name a range that does not fit.
    let conversation = call.prompt.get(call.conversation.0..call.conversation.1);
    PlannedCallView {
        purpose: call.purpose.into(),
        label: call.label.clone(),
        step: call.step.into(),
        after: call.after.iter().map(|&call| call as u64).collect(),
        // Ranges in a text that is not sent would lead nowhere.
        slots: if texts { slots(call) } else { Vec::new() },
        worker: call.worker.into(),
        model: call.model.clone(),
        system: text(&call.system),
        conversation: text(conversation.unwrap_or_default()),
        prompt: text(&call.prompt),
        max_output_tokens: call.max_output_tokens,
        temperature: call.temperature,
        input_tokens: call.input_tokens,
        request: call.request.into(),
        messages: if texts { messages(call) } else { Vec::new() },
        cached_tokens: call.cached_tokens,
        retries: call
            .retries
            .iter()
            .filter(|_| texts)
            .map(|retry| CallRetryView {
                attempt: retry.attempt,
                left_out: retry.left_out,
                max_chars: retry.max_chars,
                input_tokens: retry.input_tokens,
            })
            .collect(),
        most_smaller: if texts { call.most_smaller } else { 0 },
        attempts: if texts { call.attempts } else { 0 },
    }
}

fn branch(record: &BranchRecord) -> BranchView {
    BranchView {
        from_id: record.from_id.clone(),
        to_id: record.to_id.clone(),
        new_leaf_id: record.new_leaf_id.clone(),
        written_anew: record.written_anew,
        common_ancestor_id: record.common_ancestor_id.clone(),
        left_behind_ids: record.left_behind_ids.clone(),
        over_budget_ids: record.over_budget_ids.clone(),
        budget_tokens: record.budget_tokens,
        taken_tokens: record.taken_tokens,
    }
}

fn cleared(change: &ChangeRecord) -> ClearedView {
    ClearedView {
        entry_id: change.entry_id.clone(),
        position: change.position.map(|at| at as u64),
        by: change.by.clone(),
        tokens_before: change.tokens_before,
        tokens_after: change.tokens_after,
    }
}

fn band(band: &BandRecord) -> PlanBand {
    PlanBand {
        fate: band.fate.into(),
        first: band.first as u64,
        last: band.last as u64,
    }
}

fn share(share: &ShareRecord) -> PlanShare {
    PlanShare {
        fate: share.fate.into(),
        items: share.items,
        tokens: share.tokens,
    }
}

fn next_part(part: &NextRecord) -> NextPartView {
    NextPartView {
        kind: part.kind.into(),
        role: part.role,
        items: part.items,
        tokens: part.tokens,
        text: part.text.clone(),
        cut: part.cut,
    }
}

fn messages(call: &CallRecord) -> Vec<CallMessageView> {
    if call.messages.is_empty() {
        return Vec::new();
    }
    let offsets = Utf16Offsets::new(&call.prompt);
    let messages = call.messages.iter().map(|own| CallMessageView {
        role: own.role,
        blocks: own
            .blocks
            .iter()
            .map(|block| CallBlockView {
                kind: (&block.kind).into(),
                tool: match &block.kind {
                    BlockKind::ToolCall { name, .. } => Some(name.clone()),
                    _ => None,
                },
                start: offsets.at(block.range.start),
                end: offsets.at(block.range.end),
            })
            .collect(),
    });
    messages.collect()
}

fn slots(call: &CallRecord) -> Vec<ReplySlotView> {
    if call.slots.is_empty() {
        return Vec::new();
    }
    // Only for calls with slots: prompts are megabytes.
    let offsets = Utf16Offsets::new(&call.prompt);
    let view = |&(start, end, call): &(usize, usize, usize)| ReplySlotView {
        start: offsets.at(start),
        end: offsets.at(end),
        call: call as u64,
    };
    call.slots.iter().map(view).collect()
}
