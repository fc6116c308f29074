//! Questions and insights over what is summarized (Generative Agents, arXiv 2304.03442, section
//! on reflection; how it is mapped to a session is ours).

use crate::memory::importance::Kind;
use crate::memory::recency::{Recency, Seen};
use crate::plan::reflect::data::{Record, Reflection, Retrieval, Round};
use crate::plan::reflect::places::next_round;
use crate::plan::reflect::read::read_insights;
use crate::stages::summarize::handles::Handles;
use crate::vocabulary::call::{PlannedCall, Purpose, Step};
use crate::vocabulary::error::PlanError;
use crate::vocabulary::fill::Fill;
use crate::vocabulary::needs::Needed;
use crate::vocabulary::params::{ParamDoc, ParamType};
use crate::vocabulary::prompt::{Chunk, Conversation};
use crate::vocabulary::summary::SummaryPart;
use crate::workpiece::job::{Job, Outline};
use crate::workpiece::memory_stream::MemoryStream;
use crate::workpiece::observe::{Observation, Stream};
use crate::workpiece::sized_context::SizedContext;
use crate::workpiece::template::Values;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Parameters of the method. Decay, weights, recency, relevance and importance are those of the
/// select stage where that is a memory stream, else its defaults; embeddings are taken as
/// `tfidf` here, as questions are not known while planning.
///
/// Prompts: `system`, `questions`, `insights`, and `default_questions`, one a line, for replies
/// with too few.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Reflect {
    /// Sum of importance after which a round of reflection takes place (paper 150).
    pub reflect_threshold: u64,
    /// Most rounds; where the sums allow more, the threshold is raised until they do not (our
    /// choice, as each is several calls). 0 is no limit.
    pub max_rounds: u64,
    /// Newest records that questions are drawn from (paper 100).
    pub recent_n: u64,
    /// Questions of a round (paper 3).
    pub questions: u64,
    /// Records that are retrieved for a question (reference code 30).
    pub top_n: u64,
    /// Insights for a question (paper 5).
    pub insights: u64,
    /// Most tokens of the records in one call (our choice).
    pub records_tokens: u64,
    /// Share of an insight's words that its evidence must have, where they name no file or
    /// identifier in common (our choice).
    pub min_shared_percent: u64,
    /// Most tokens of a reply with questions.
    pub questions_output_tokens: u64,
    /// Most tokens of a reply with insights.
    pub insights_output_tokens: u64,
}

impl Default for Reflect {
    fn default() -> Self {
        Reflect {
            reflect_threshold: 150,
            max_rounds: 3,
            recent_n: 100,
            questions: 3,
            top_n: 30,
            insights: 5,
            records_tokens: 12_000,
            min_shared_percent: 20,
            questions_output_tokens: 500,
            insights_output_tokens: 1_000,
        }
    }
}

impl Reflect {
    pub(super) const DOCS: &'static [ParamDoc] = &[
        ParamDoc::new(
            "reflect_threshold",
            ParamType::Integer,
            "sum of importance that starts a reflection",
        )
        .at_least(1.0)
        .unit("importance"),
        ParamDoc::new(
            "max_rounds",
            ParamType::Integer,
            "maximum number of rounds; the sum is raised to stay within it; 0 means no limit",
        )
        .unit("rounds"),
        ParamDoc::new(
            "recent_n",
            ParamType::Integer,
            "number of the newest records used for questions",
        )
        .at_least(1.0)
        .unit("records"),
        ParamDoc::new("questions", ParamType::Integer, "questions per round")
            .at_least(1.0)
            .unit("questions"),
        ParamDoc::new(
            "top_n",
            ParamType::Integer,
            "number of records retrieved per question",
        )
        .at_least(1.0)
        .unit("records"),
        ParamDoc::new(
            "insights",
            ParamType::Integer,
            "number of insights requested per question",
        )
        .at_least(1.0)
        .unit("insights"),
        ParamDoc::tokens("records_tokens", "token limit of the records in a call").at_least(1.0),
        ParamDoc::new(
            "min_shared_percent",
            ParamType::Integer,
            "minimum share of the words of an insight that its evidence contains, unless both \
             name the same file or identifier",
        )
        .within(0.0, 100.0)
        .unit("percent"),
        ParamDoc::tokens("questions_output_tokens", "output limit for questions").at_least(1.0),
        ParamDoc::tokens("insights_output_tokens", "output limit for insights").at_least(1.0),
    ];

    pub(super) fn needed(&self) -> Vec<Needed> {
        vec![
            ("system", &[]),
            ("questions", &["conversation"]),
            ("insights", &["question", "records"]),
            ("default_questions", &[]),
        ]
    }

    pub(super) fn outline(&self, job: &Job<'_>) -> Result<Outline, PlanError> {
        let stream = job.memory.cloned().unwrap_or_default();
        let sized = SizedContext::new(job.draft.input);
        let observed = Stream::of(&sized, job.draft)?;
        let observations = self.summarized(&sized, job, &observed);
        let reflection = self.reflection(&sized, job, &stream, &observed, &observations)?;
        let mut outline = Outline::default();
        let mut earlier: Vec<usize> = Vec::new();
        for (at, round) in reflection.rounds.iter().enumerate() {
            let shown = self.recent(&reflection, round);
            outline.calls.push(self.ask(
                job,
                &reflection,
                at,
                &shown,
                &earlier,
                &observations,
                &sized,
            ));
            for question in 0..reflection.questions {
                outline
                    .calls
                    .push(self.infer(job, &reflection, at, question, &earlier));
            }
            earlier.extend(round.question_call..round.insight_calls.end);
        }
        if let Some(last) = outline.calls.len().checked_sub(1) {
            let before = job.previous.map(|text| format!("{text}\n\n"));
            outline.summary.extend(before.map(SummaryPart::Text));
            outline
                .summary
                .push(SummaryPart::Filled(last, Fill::Reflections));
        }
        outline.derived.reflection = Some(Box::new(reflection));
        Ok(outline)
    }

    /// What was observed in the items that are summarized.
    fn summarized<'s>(
        &self,
        sized: &SizedContext<'_>,
        job: &Job<'_>,
        observed: &'s Stream,
    ) -> Vec<&'s Observation> {
        let mut is_ours = vec![false; job.draft.pieces.len()];
        for &item in job.history.iter().chain(&job.turn_prefix) {
            is_ours[item] = true;
        }
        let all = observed.observations.iter();
        all.filter(|own| {
            let mut positions = own.positions.clone();
            positions.any(|at| sized.entries[at].items.clone().any(|item| is_ours[item]))
        })
        .collect()
    }

    fn reflection(
        &self,
        sized: &SizedContext<'_>,
        job: &Job<'_>,
        stream: &MemoryStream,
        observed: &Stream,
        observations: &[&Observation],
    ) -> Result<Reflection, PlanError> {
        let session = job.draft.input.session;
        let handles = Handles::of_session(job.draft.input)?;
        let stored = job.previous.map(read_insights).unwrap_or_default();
        let mut records: Vec<Record> = stored
            .into_iter()
            .map(|own| Record {
                handle: own.id.clone(),
                id: own.id,
                kind: Kind::Reflection,
                text: own.text,
            })
            .collect();
        let first_round = job.previous.map_or(1, next_round);
        let carried = records.len();
        records.extend(observations.iter().map(|own| {
            let entry = sized.entries[own.positions.start].entry;
            Record {
                handle: handles.of(session, entry),
                id: session.entry(entry).id.to_string(),
                kind: own.kind,
                text: own.line.clone(),
            }
        }));
        let ends = self.ends(
            &observations
                .iter()
                .map(|own| stream.importance.of(own.kind))
                .collect::<Vec<f64>>(),
        );
        let recency = Recency {
            rule: stream.recency_rule,
            reversed: stream.recency_reversed,
        };
        let questions = self.questions.max(1) as usize;
        let mut rounds: Vec<Round> = Vec::new();
        for (at, &end) in ends.iter().enumerate() {
            let before = &observations[..end];
            let now = before.last().map(|own| own.written);
            let ages = now.map_or_else(Vec::new, |now| {
                // What a previous summary says is as old as the first record; insights are as old
                // as their round's end.
                let oldest = before.first().map_or(now, |own| own.written);
                let mut seen: Vec<Seen> = vec![oldest; carried];
                let before = before.iter().copied();
                seen.extend(observed.last_seen(before, stream.update_access));
                seen.extend(ends[..at].iter().map(|&end| observations[end - 1].written));
                recency.ages(&seen, now)
            });
            // Each round has one call for its questions and one for the insights of each.
            let question_call = at * (1 + questions);
            rounds.push(Round {
                number: first_round + at,
                end: carried + end,
                ages,
                question_call,
                insight_calls: question_call + 1..question_call + 1 + questions,
            });
        }
        Ok(Reflection {
            records,
            rounds,
            questions,
            insights: self.insights.max(1) as usize,
            default_questions: job
                .text("default_questions", &Values::default())
                .lines()
                .map(str::to_owned)
                .collect(),
            retrieval: Retrieval {
                top_n: self.top_n as usize,
                tokens: self.records_tokens,
                decay: stream.decay,
                weights: stream.weights(),
                relevance: stream.relevance,
                importance: stream.importance.clone(),
            },
            min_shared_percent: self.min_shared_percent,
            ratings: None,
        })
    }

    /// Where rounds take place, as numbers of observations that are there: each time their
    /// importance since the last round is more than the threshold, and at the end. A rest of less
    /// than half the threshold goes with the round before it.
    fn ends(&self, importance: &[f64]) -> Vec<usize> {
        let mut threshold = self.reflect_threshold as f64;
        if self.max_rounds > 0 {
            let total: f64 = importance.iter().sum();
            threshold = threshold.max(total / self.max_rounds as f64);
        }
        let mut ends = Vec::new();
        let mut sum = 0.0;
        for (at, own) in importance.iter().enumerate() {
            sum += own;
            if sum > threshold {
                ends.push(at + 1);
                sum = 0.0;
            }
        }
        match ends.last_mut() {
            Some(last) if sum * 2.0 < threshold => *last = importance.len(),
            _ if importance.is_empty() => {}
            _ => ends.push(importance.len()),
        }
        ends
    }

    /// The newest records of a round that fit.
    fn recent(&self, reflection: &Reflection, round: &Round) -> Range<usize> {
        let mut left = self.records_tokens;
        let mut start = round.end;
        while start > 0 && round.end - start < self.recent_n as usize {
            let size =
                crate::vocabulary::estimate::estimate(&reflection.records[start - 1].line()) + 1;
            if size > left {
                break;
            }
            left -= size;
            start -= 1;
        }
        start..round.end
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "the call is made from everything that was worked out before"
    )]
    fn ask(
        &self,
        job: &Job<'_>,
        reflection: &Reflection,
        round: usize,
        shown: &Range<usize>,
        earlier: &[usize],
        observations: &[&Observation],
        sized: &SizedContext<'_>,
    ) -> PlannedCall {
        let lines: Vec<String> = reflection.records[shown.clone()]
            .iter()
            .map(Record::line)
            .collect();
        let mut values = job
            .values()
            .text("count", &reflection.questions.to_string())
            .conversation(Conversation::of_text(lines.join("\n")));
        if let Some(&last) = earlier.last() {
            let fill = Fill::Insights { round };
            values = values.chunks("insights", vec![Chunk::Filled(last, fill)]);
        }
        let step = Step::Questions { round };
        let mut call = job.call(Purpose::History, step, "questions", &values);
        call.after = earlier.to_vec();
        call.max_output_tokens = Some(self.questions_output_tokens);
        let carried = reflection.records.len() - observations.len();
        let own = shown.start.max(carried) - carried..shown.end - carried;
        let positions = observations[own]
            .iter()
            .flat_map(|own| own.positions.clone());
        call.items = positions
            .flat_map(|at| sized.entries[at].items.clone())
            .collect();
        call
    }

    fn infer(
        &self,
        job: &Job<'_>,
        reflection: &Reflection,
        round: usize,
        question: usize,
        earlier: &[usize],
    ) -> PlannedCall {
        let asked = reflection.rounds[round].question_call;
        let fill = |fill| vec![Chunk::Filled(asked, fill)];
        let values = job
            .values()
            .text("count", &reflection.insights.to_string())
            .chunks("question", fill(Fill::Question { round, question }))
            .chunks("records", fill(Fill::Records { round, question }));
        let step = Step::Insights { round, question };
        let mut call = job.call(Purpose::History, step, "insights", &values);
        call.after = earlier.to_vec();
        call.after.push(asked);
        call.max_output_tokens = Some(self.insights_output_tokens);
        call
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_take_place_when_enough_has_happened() {
        let ends = |threshold, max_rounds, importance: &[f64]| {
            let own = Reflect {
                reflect_threshold: threshold,
                max_rounds,
                ..Reflect::default()
            };
            own.ends(importance)
        };
        // More than the threshold is asked for, as in the paper.
        assert_eq!(ends(10, 0, &[5.0, 5.0, 1.0, 5.0]), [3, 4]);
        // A small rest goes with the round before.
        assert_eq!(ends(10, 0, &[5.0, 5.0, 1.0, 4.0]), [4]);
        assert_eq!(ends(10, 0, &[1.0]), [1]);
        assert!(ends(10, 0, &[]).is_empty());
        assert_eq!(ends(10, 0, &[11.0; 5]), [1, 2, 3, 4, 5]);
        // 55 in all: two rounds at more than 27.5 each.
        assert_eq!(ends(10, 2, &[11.0; 5]), [3, 5]);
        assert_eq!(ends(10, 1, &[11.0; 5]), [5]);
    }
}
