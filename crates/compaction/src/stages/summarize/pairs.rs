//! One call for each tool call with its result, all at the same time (Goose, behind a flag that is
//! off).

use crate::stages::summarize::open_calls::OpenCalls;
use crate::vocabulary::call::{PlannedCall, Purpose, Step};
use crate::vocabulary::fate::Fate;
use crate::vocabulary::prompt::Prompt;
use crate::vocabulary::selection::Selection;
use crate::vocabulary::summary::SummaryPart;
use crate::workpiece::job::{Job, Outline};
use crate::workpiece::sized_context::SizedContext;
use crate::workpiece::template::Values;
use crate::workpiece::tool_groups::groups;
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
        let transcript = job.transcript;
        let written = transcript.write(job.draft, &span)?;
        let pairs = pairs(job, &span);
        // There can be as many as the session has calls: what they share is made once.
        let system = job.text("system", &Values::default());
        let template = job.prompts.template("pair");
        let count = pairs.len().to_string();
        let mut values = job.values().text("count", &count);
        let mut outline = job.carried_on();
        let mut from = 0;
        for (index, pair) in pairs.iter().enumerate() {
            let items = &span[pair.clone()];
            let last = items.last().copied().unwrap_or_default();
            // By position: messages that say nothing are not written out.
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

/// Of a choice for a method that summarizes tool pairs and nothing else: the pairs that lie whole
/// in what would be summarized. All else of it stays, for no call would tell of it.
pub(crate) fn pairs_only(sized: &SizedContext<'_>, chosen: &Selection) -> Selection {
    let start = sized.start();
    let fate = |position: usize| {
        let first = sized.entries[position].items.clone().next();
        first.map(|item| chosen.fates[item])
    };
    let is_in_span =
        |position: usize| matches!(fate(position), Some(Fate::Summarized | Fate::TurnPrefix));
    let mut goes = vec![false; sized.len()];
    for group in groups(sized, start) {
        if group.pairs(sized).all(is_in_span) {
            group.pairs(sized).for_each(|at| goes[at] = true);
        }
    }
    sized.with_fates(|position| match fate(position) {
        _ if position < start => Fate::Dropped,
        _ if goes[position] => Fate::Summarized,
        Some(Fate::Dropped) => Fate::Dropped,
        _ => Fate::Kept,
    })
}
