//! The calls by which a model says how important exchanges are (Generative Agents, arXiv
//! 2304.03442), and the place in the summary for what is retrieved by it.

use crate::plan::rate::{Batch, Held, Memories, Ratings};
use crate::stages::summarize::handles::Handles;
use crate::vocabulary::call::{PlannedCall, Purpose, Step};
use crate::vocabulary::error::PlanError;
use crate::vocabulary::estimate::estimate;
use crate::vocabulary::fate::Fate;
use crate::vocabulary::fill::Fill;
use crate::vocabulary::form::ReplyForm;
use crate::vocabulary::prompt::Prompt;
use crate::vocabulary::summary::SummaryPart;
use crate::workpiece::job::{Job, Outline};
use crate::workpiece::memory_stream::{ImportanceSource, MemoryStream};
use crate::workpiece::observe::Stream;
use crate::workpiece::sized_context::SizedContext;
use crate::workpiece::template::Values;

impl MemoryStream {
    /// Adds the calls that rate what is summarized, behind those of `outline`, and what is retrieved
    /// by them to its summary; nothing where the table of kinds says how important it is. Calls
    /// that retrieve records wait for the ratings. Exchanges that say nothing are not asked about
    /// (the reference code rates what is idle 1 without a call).
    pub(crate) fn ask_for_ratings(
        &self,
        job: &Job<'_>,
        outline: &mut Outline,
    ) -> Result<(), PlanError> {
        if self.importance_source == ImportanceSource::Heuristic {
            return Ok(());
        }
        let sized = SizedContext::new(job.draft.input);
        let stream = Stream::of(&sized, job.draft)?;
        let observations = &stream.observations;
        let items = |at: usize| -> Vec<usize> {
            let positions = observations[at].positions.clone();
            positions
                .flat_map(|at| sized.entries[at].items.clone())
                .collect()
        };
        let mut is_ours = vec![false; job.draft.pieces.len()];
        for &item in job.history.iter().chain(&job.turn_prefix) {
            is_ours[item] = true;
        }
        let all = 0..observations.len();
        let stays: Vec<bool> = all
            .map(|at| !items(at).into_iter().any(|item| is_ours[item]))
            .collect();
        let scored = self.memories(&sized, &stream, &stays)?;
        let session = job.draft.input.session;
        let handles = Handles::of_session(job.draft.input)?;
        let transcript = job.transcript;
        let mut held = Vec::with_capacity(observations.len());
        for (at, (own, scored)) in observations.iter().zip(&scored).enumerate() {
            // Written out also where a plan only counts: these texts are part of the summary.
            let mut text = String::new();
            if !stays[at] {
                let written = transcript.write_out(job.draft, &items(at))?;
                transcript.join(&written).write(&mut text);
            }
            held.push(Held {
                handle: handles.of(session, sized.entry(own.positions.start)),
                kind: own.kind,
                importance: if own.text.trim().is_empty() {
                    1.0
                } else {
                    scored.importance
                },
                age: scored.age,
                relevance: scored.relevance,
                tokens: estimate(&text),
                text,
                stays: stays[at],
            });
        }
        let rated: Vec<usize> = (0..held.len())
            .filter(|&at| !stays[at] && !observations[at].text.trim().is_empty())
            .collect();
        let first = outline.calls.len();
        // `chunks` panics at 0.
        let batches: Vec<&[usize]> = rated.chunks(self.rated_at_once.max(1) as usize).collect();
        let mut ratings = Ratings::default();
        for (batch, memories) in batches.iter().enumerate() {
            let lines = memories.iter().enumerate().map(|(number, &at)| {
                let own = &observations[at];
                format!("{}. {}: {}", number + 1, own.kind.name(), own.line)
            });
            let lines: Vec<String> = lines.collect();
            let step = Step::Ratings {
                batch,
                of: batches.len(),
            };
            let mut call = rating(job, step, &lines);
            call.items = memories.iter().flat_map(|&at| items(at)).collect();
            ratings.batches.push(Batch {
                call: outline.calls.len(),
                memories: memories.to_vec(),
            });
            outline.calls.push(call);
        }
        wait_for(outline, first, &ratings, &stays);
        if !outline.summary.is_empty() {
            outline.summary.push(SummaryPart::Text("\n\n".to_owned()));
        }
        let last = outline.calls.len().saturating_sub(1);
        outline
            .summary
            .push(SummaryPart::Filled(last, Fill::Memories));
        let pieces = job.draft.pieces.iter();
        let kept = pieces.filter(|piece| piece.fate == Fate::Kept);
        outline.derived.memories = Some(Box::new(Memories {
            held,
            ratings,
            decay: self.decay,
            weights: self.weights(),
            most: self.top_exchanges as usize,
            budget_tokens: self
                .budget_tokens
                .saturating_sub(kept.map(|piece| piece.tokens).sum()),
        }));
        Ok(())
    }
}

/// The call that asks for ratings of the records on these lines.
fn rating(job: &Job<'_>, step: Step, lines: &[String]) -> PlannedCall {
    let values = job
        .values()
        .text("records", &lines.join("\n"))
        .text("count", &lines.len().to_string());
    let system = job.text("rate_system", &Values::default());
    let prompt = Prompt::of(job.prompts.template("rate").render(&values));
    let mut call = PlannedCall::of(Purpose::History, step, system, prompt);
    call.form = ReplyForm::Ratings;
    call
}

/// Has the calls before `first` that retrieve records wait for the ratings, and gives the ratings
/// to the reflection that they are part of.
fn wait_for(outline: &mut Outline, first: usize, ratings: &Ratings, stays: &[bool]) {
    let rating_calls = first..outline.calls.len();
    for call in &mut outline.calls[..first] {
        let retrieves = |fill: Fill| matches!(fill, Fill::Records { .. });
        if call.slots.iter().any(|slot| retrieves(slot.fill)) {
            call.after.extend(rating_calls.clone());
        }
    }
    let Some(reflection) = &mut outline.derived.reflection else {
        return;
    };
    // Its records are what a summary before had, then what is summarized.
    let ours = stays.iter().filter(|stays| !**stays).count();
    let carried = reflection.records.len().saturating_sub(ours);
    let place = |at: usize| carried + stays[..at].iter().filter(|stays| !**stays).count();
    let batches = ratings.batches.iter().map(|own| Batch {
        call: own.call,
        memories: own.memories.iter().map(|&at| place(at)).collect(),
    });
    reflection.ratings = Some(Ratings {
        batches: batches.collect(),
    });
}
