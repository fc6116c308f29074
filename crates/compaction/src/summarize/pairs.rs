//! One call for each tool call with its result, all at the same time (Goose, behind a flag that is
//! off).

use super::open_calls::OpenCalls;
use super::{Job, Outline};
use crate::plan::{PlannedCall, Purpose, Step, SummaryPart};
use crate::preset::template::{Prompt, Values};
use palimpsest_core::BodyError;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The method has no parameters. Prompts: `system` and `pair`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Pairs {}

impl Pairs {
    pub(super) fn outline(&self, job: &Job<'_>) -> Result<Outline, BodyError> {
        let mut span: Vec<usize> = job.history.clone();
        span.extend(&job.turn_prefix);
        let transcript = &job.preset.summarize.transcript;
        let written = transcript.write(job.draft, &span)?;
        let pairs = pairs(job, &span);
        // There can be as many as the session has calls: what they share is made once.
        let system = job.text("system", &Values::default());
        let template = job.preset.prompt("pair");
        let count = pairs.len().to_string();
        let mut values = job.values().text("count", &count);
        let mut outline = job.carried_on();
        let mut from = 0;
        for (index, pair) in pairs.iter().enumerate() {
            let items = &span[pair.clone()];
            let last = items.last().copied().unwrap_or_default();
            let to = from + written[from..].partition_point(|own| own.item <= last);
            values = values
                .conversation(transcript.join(&written[from..to]))
                .text("index", &(index + 1).to_string());
            let step = Step::Pair {
                index,
                of: pairs.len(),
            };
            let prompt = Prompt::of(template.render(&values));
            let mut call = PlannedCall::of(Purpose::History, step, system.clone(), prompt);
            call.items = items.to_vec();
            if !outline.summary.is_empty() {
                outline.summary.push(SummaryPart::Text("\n\n".to_owned()));
            }
            outline.summary.push(SummaryPart::Reply(index));
            outline.calls.push(call);
            from = to;
        }
        Ok(outline)
    }
}

/// The items of `span` by tool call, as ranges of it: calls made together with their results, and
/// what was said until the next; what was said before the first is part of it.
fn pairs(job: &Job<'_>, span: &[usize]) -> Vec<Range<usize>> {
    let input = job.draft.input;
    let mut pairs: Vec<Range<usize>> = Vec::new();
    let (mut open, mut any_so_far) = (OpenCalls::default(), false);
    for (at, &position) in span.iter().enumerate() {
        let goes_on = open.any() || !any_so_far;
        let calls = open.see(input, &input.context.items[position]);
        match pairs.last_mut() {
            Some(pair) if calls == 0 || goes_on => pair.end = at + 1,
            _ => pairs.push(at..at + 1),
        }
        any_so_far |= calls > 0;
    }
    pairs
}
