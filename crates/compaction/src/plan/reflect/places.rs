//! What goes to the places of prompts and summary that reflections fill.

use crate::plan::reflect::data::Reflection;
use crate::plan::reflect::read;
use crate::plan::reflect::read::read_insights;
use crate::vocabulary::fill::{Fill, Replies};

/// The round that goes on from the insights of a previous summary; 1 where it has none.
pub(crate) fn next_round(previous: &str) -> usize {
    let insights = read_insights(previous);
    let rounds = insights.iter().filter_map(|own| read::round_of(&own.id));
    rounds.max().map_or(1, |last| last + 1)
}

/// Tokens a question is taken to have while it is not asked (our guess).
const QUESTION_TOKENS: u64 = 40;

impl Reflection {
    /// What goes to a place; `None` while a reply that it needs is missing.
    pub fn text(&self, fill: Fill, replies: &Replies<'_>) -> Option<String> {
        match fill {
            Fill::Reply | Fill::Memories => None,
            Fill::Question { round, question } => self.question(round, question, replies),
            Fill::Records { round, question } => self.retrieved(round, question, replies),
            Fill::Insights { round } => {
                let insights = self.insights_before(round, replies)?;
                let lines = insights
                    .iter()
                    .map(|own| format!("[{}] {}", own.id, own.text));
                Some(lines.collect::<Vec<_>>().join("\n"))
            }
            Fill::Reflections => self.written(replies),
        }
    }

    /// Tokens that go to a place at most; `lengths` are those replies may have, by call.
    pub(crate) fn expected_tokens(&self, fill: Fill, lengths: &[u64]) -> u64 {
        match fill {
            // The last two stand in the summary; a reply has the length that its call may give
            // it.
            Fill::Reply | Fill::Reflections | Fill::Memories => 0,
            Fill::Question { .. } => QUESTION_TOKENS,
            Fill::Records { .. } => self.retrieval.tokens,
            Fill::Insights { round } => {
                let rounds = self.rounds.iter().take(round);
                let calls = rounds.flat_map(|own| own.insight_calls.clone());
                calls.filter_map(|call| lengths.get(call)).sum()
            }
        }
    }
}
