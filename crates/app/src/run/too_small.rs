//! Why everything would be kept, and how much less to keep.

use palimpsest_compaction::{
    ParamSpec, PlanInput, PlanOutcome, PresetAsSet, param_label, strategy,
};
use palimpsest_core::failure::{NextStep, Problem, Setting};
use palimpsest_core::words::thousands;
use palimpsest_core::{ItemKind, Role};
use serde_json::{Map, Value};

/// The parameter of most strategies for the size of the kept tail.
const KEPT_TOKENS: &str = "keep_recent_tokens";
/// Most values that are tried: each is half of the one before, so that this reaches from a million
/// tokens to one.
const MOST_TRIED: usize = 20;

/// Why `strategy` leaves nothing to summarize in the context of `input`, with the sizes that explain
/// it, and a value of its own parameter at which it would not; `later` where a later entry can be
/// chosen.
pub(super) fn too_small(strategy: &PresetAsSet, input: &PlanInput<'_>, later: bool) -> Problem {
    let context = input.context;
    let items = context.items.iter();
    let own =
        items.filter(|item| item.kind != ItemKind::CompactionSummary && item.role != Role::System);
    let said: u64 = own.map(|item| item.estimate).sum();
    let specs = strategy.preset.specs();
    let kept = specs.iter().find(|spec| spec.name == KEPT_TOKENS);
    let keeps = kept.and_then(|spec| spec.default.as_u64());
    // What an earlier compaction kept counts too: it stands above it in the outline.
    let holds = match context.compaction {
        Some(_) => "besides the previous summary the context holds",
        None => "this context holds",
    };
    let mut message = match keeps {
        Some(keeps) => format!(
            "{holds} {} tokens, and the kept tail of {} tokens takes all of them",
            thousands(said),
            thousands(keeps),
        ),
        None => format!(
            "{holds} {} tokens, and this strategy keeps all of them",
            thousands(said)
        ),
    };
    // Up to a tenth is the error of estimates; more is system prompt, tools and what the agent
    // adds itself, which no strategy can summarize.
    let recorded = context.estimated;
    if context.projected > recorded + recorded / 10 {
        message += &format!(
            "; {} tokens of the context are not in the file (system prompt, tools and the like)",
            thousands(context.projected - recorded)
        );
    }
    let setting = kept.and_then(|spec| keeps_less(strategy, input, spec, said));
    Problem::new(message, NextStep::KeepLess { later, setting })
}

/// The largest of a few values of the parameter at which something would be summarized.
fn keeps_less(
    strategy: &PresetAsSet,
    input: &PlanInput<'_>,
    spec: &ParamSpec,
    said: u64,
) -> Option<Setting> {
    let mut value = spec.default.as_u64()?.min(said) / 2;
    for _ in 0..MOST_TRIED {
        let rounded = if value >= 200 {
            value - value % 100
        } else {
            value
        };
        let set = Map::from_iter([(KEPT_TOKENS.to_owned(), Value::from(rounded))]);
        let as_set = strategy.preset.as_set(&set).ok()?;
        if let Ok(PlanOutcome::Compaction(_)) = strategy::plan_with(&as_set, input) {
            return Some(Setting {
                name: KEPT_TOKENS.to_owned(),
                label: param_label(KEPT_TOKENS),
                value: rounded,
            });
        }
        if value == 0 {
            return None;
        }
        value /= 2;
    }
    None
}
