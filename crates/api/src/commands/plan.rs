//! Strategies and plans.

use super::Empty;
use crate::wire::*;
use palimpsest_app::run::{Needs, ParamType, PlanRecord, PlanSpec, strategies as known};
use palimpsest_app::{App, AppResult};

/// The ways to make a context smaller.
pub(crate) fn strategies(_: &App, _: Empty) -> AppResult<Vec<StrategyInfo>> {
    let list = known().into_iter().map(|strategy| StrategyInfo {
        name: strategy.name.to_owned(),
        description: strategy.description.to_owned(),
        source: strategy.source.to_owned(),
        needs: match strategy.needs {
            Needs::Summarizer | Needs::Model => "model",
            Needs::Nothing => "nothing",
        }
        .to_owned(),
        params: strategy
            .params
            .into_iter()
            .map(|param| ParamInfo {
                name: param.name.to_owned(),
                stage: param.path.split('.').next().unwrap_or_default().to_owned(),
                kind: match param.kind {
                    ParamType::Integer => "integer",
                    ParamType::Boolean => "boolean",
                    ParamType::IntegerOrWord => "integer_or_word",
                    ParamType::Number => "number",
                    ParamType::Word => "word",
                    ParamType::Text => "text",
                    ParamType::Texts => "texts",
                }
                .to_owned(),
                words: param.words.iter().map(|word| (*word).to_owned()).collect(),
                default: param.default,
                unit: param.unit.map(str::to_owned),
                description: param.description.to_owned(),
            })
            .collect(),
    });
    Ok(list.collect())
}

/// What a compaction would do.
pub(crate) fn plan(app: &App, request: PlanRequest) -> AppResult<PlanView> {
    Ok(view(&app.plan(&spec(request))?.record))
}

/// The use case's form of a request.
pub(crate) fn spec(request: PlanRequest) -> PlanSpec {
    PlanSpec {
        session: request.session,
        at: request.at,
        redo: request.redo,
        strategy: request.strategy,
        set: request.set.into_iter().collect(),
        instructions: request.instructions,
        replace_prompt: request.replace_prompt,
        provider: request.provider,
        model: request.model,
    }
}

/// A plan for the wire.
pub(crate) fn view(record: &PlanRecord) -> PlanView {
    PlanView {
        kind: record.kind.clone(),
        reason: record.reason.clone(),
        strategy: record.strategy.clone(),
        params: record.params.clone().into_iter().collect(),
        at: record.at.clone(),
        tokens_before: record.tokens_before,
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
        calls: record
            .calls
            .iter()
            .map(|call| PlannedCallView {
                purpose: call.purpose.clone(),
                system: call.system.clone(),
                conversation: call
                    .prompt
                    .get(call.conversation.0..call.conversation.1)
                    .unwrap_or_default()
                    .to_owned(),
                prompt: call.prompt.clone(),
                max_output_tokens: call.max_output_tokens,
                input_tokens: call.input_tokens,
            })
            .collect(),
        estimated_tokens_after: record.estimated_tokens_after,
        estimated_cost_usd: record.estimated_cost_usd,
        destination: record.destination.clone(),
    }
}
