//! What is said of a plan whose calls the offline summarizer answers in place of a model.

use super::needs::asks_a_model;
use super::record::PlanRecord;
use crate::fnv::fnv_of;
use palimpsest_compaction::{Instructions, Plan};
use palimpsest_llm::{ProviderConfig, ProviderKind};

/// What the page and the command line say of it.
pub(super) const NO_PROMPT: &str = "The offline summarizer reads no prompt. It takes the words of \
    custom instructions as topics, and ignores what they say about form, length or language.";

/// What the summary of an offline plan depends on; `None` for a plan that a model or a program
/// answers. The prompts are not part of it.
pub(super) fn offline_key(
    config: &ProviderConfig,
    plan: &Plan,
    record: &PlanRecord,
    instructions: &Instructions,
) -> Option<String> {
    if config.kind != ProviderKind::Offline || !asks_a_model(plan) {
        return None;
    }
    let lists = [
        &record.summarize_ids,
        &record.turn_prefix_ids,
        &record.kept_ids,
        &record.dropped_ids,
    ];
    let mut told: Vec<String> = lists.iter().map(|ids| ids.join("\n")).collect();
    told.push(record.at.clone().unwrap_or_default());
    told.push(instructions.given().unwrap_or_default().to_owned());
    for call in &plan.calls {
        let form = serde_json::to_string(&(call.purpose, call.step, call.max_output_tokens));
        told.push(form.unwrap_or_default());
        told.push(format!("{:?}{:?}", call.items, call.builds_on));
    }
    // What is made smaller changes what the summarizer reads.
    let changes = record.changes.iter();
    told.extend(changes.map(|own| format!("{:?} {}", own.entry_id, own.tokens_after)));
    let hash = fnv_of(told.iter().map(|text| text.as_bytes()));
    Some(format!("{hash:016x}"))
}
