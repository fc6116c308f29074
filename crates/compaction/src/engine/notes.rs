//! What must be said of a plan before it is carried out.

use crate::engine::preset::data::Preset;
use crate::plan::planned::Plan;
use crate::vocabulary::call::PlannedCall;
use crate::vocabulary::fate::Fate;
use crate::vocabulary::input::Instructions;
use crate::vocabulary::selection::Selection;
use palimpsest_core::words::thousands;

/// What must be said of the calls of `plan`.
pub(crate) fn of(preset: &Preset, plan: &Plan) -> Vec<String> {
    let unnamed = plan
        .calls
        .iter()
        .any(PlannedCall::lacks_program)
        .then(|| "The command of the external program is not set.".to_owned());
    let window = preset.summarize.model_window_tokens;
    let limits = [
        ("capacity_tokens", preset.summarize.method.capacity_tokens()),
        (
            "model_window_tokens",
            // 0 is unknown.
            Some(window).filter(|window| *window > 0),
        ),
    ];
    let too_large = limits
        .into_iter()
        .filter_map(|(name, limit)| too_large(&plan.calls, name, limit?));
    let literal = literal(&plan.instructions, &plan.calls);
    unnamed
        .into_iter()
        .chain(too_large)
        .chain(literal)
        .collect()
}

/// That calls may be larger than the limit that the parameter called `name` sets.
fn too_large(calls: &[PlannedCall], name: &str, limit: u64) -> Option<String> {
    let over = calls.iter().filter(|call| call.input_tokens > limit);
    let largest = over.clone().max_by_key(|call| call.input_tokens)?;
    let (label, tokens) = (largest.label(), largest.input_tokens);
    let quoted = if largest.slots.is_empty() {
        ""
    } else {
        " if the replies it quotes reach their limits"
    };
    let others = match over.count() - 1 {
        0 => String::new(),
        1 => " One more call is too large.".to_owned(),
        several => format!(" {several} more calls are too large."),
    };
    Some(format!(
        "The call for {label} has about {} tokens{quoted}, more than the {} of {name}. A model \
         with that limit refuses it.{others}",
        thousands(tokens),
        thousands(limit),
    ))
}

/// That places named in the user's custom instructions are not filled in: what is filled into a prompt
/// is never read as a template.
fn literal(instructions: &Instructions, calls: &[PlannedCall]) -> Option<String> {
    let text = instructions.given().filter(|text| text.contains("{{"))?;
    let is_sent = calls.iter().any(|call| call.prompt.contains(text));
    is_sent.then(|| {
        "Custom instructions are sent verbatim; placeholders ({{...}}) in them are not replaced. \
         To insert the conversation or other values, edit the prompt of the strategy."
            .to_owned()
    })
}

/// That messages which were chosen stay, because the method tells nothing of them.
pub(crate) fn left_as_is(chosen: &Selection, covered: &Selection) -> Option<String> {
    let fates = chosen.fates.iter().zip(&covered.fates);
    let left = fates.filter(|(chosen, covered)| {
        matches!(chosen, Fate::Summarized | Fate::TurnPrefix) && **covered == Fate::Kept
    });
    let which = match left.count() {
        0 => return None,
        1 => "One selected message is kept".to_owned(),
        several => format!("{several} selected messages are kept"),
    };
    Some(format!(
        "{which}: this method only summarizes tool calls with their results."
    ))
}
