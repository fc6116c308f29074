//! Choosing the records that a question is answered from.

use crate::memory::importance::Kind;
use crate::memory::relevance::by_words;
use crate::memory::score::Memory;
use crate::memory::score::scores;
use crate::plan::reflect::check::Insight;
use crate::plan::reflect::data::{Record, Reflection};
use crate::vocabulary::estimate::estimate;
use crate::vocabulary::fill::Replies;

impl Record {
    /// Its line in a prompt.
    pub(crate) fn line(&self) -> String {
        format!("[{}] {}: {}", self.handle, self.kind.name(), self.text)
    }
}

impl Insight {
    fn record(&self) -> Record {
        Record {
            handle: self.id.clone(),
            id: self.id.clone(),
            kind: Kind::Reflection,
            text: self.text.clone(),
        }
    }
}

impl Reflection {
    /// The records that are retrieved for a question, one a line, oldest first; an insight stands
    /// where its round ended.
    pub(crate) fn retrieved(
        &self,
        round: usize,
        question: usize,
        replies: &Replies<'_>,
    ) -> Option<String> {
        let asked = self.question(round, question, replies)?;
        let insights = self.insights_before(round, replies)?;
        let own = &self.rounds[round];
        let here = &self.records[..own.end];
        let drawn: Vec<Record> = insights.iter().map(Insight::record).collect();
        // Behind the ages of the records stands one for each earlier round.
        let age_of = |insight: &Insight| own.ages.get(own.end + insight.round).copied();
        let ages = own.ages[..own.end].iter().copied().map(Some);
        let ages: Vec<Option<f64>> = ages.chain(insights.iter().map(age_of)).collect();
        let candidates: Vec<&Record> = here.iter().chain(&drawn).collect();
        let texts: Vec<&str> = candidates.iter().map(|own| own.text.as_str()).collect();
        let relevance = by_words(self.retrieval.relevance, &texts, &[&asked]);
        let rated = match &self.ratings {
            Some(ratings) => ratings.given(self.records.len(), replies)?,
            None => Vec::new(),
        };
        // Insights and what no reply rates have the importance of their kind.
        let importance = |at: usize, own: &Record| {
            let given = rated.get(at).copied().flatten().filter(|_| at < here.len());
            given.map_or_else(|| self.retrieval.importance.of(own.kind), f64::from)
        };
        let memories: Vec<Memory> = candidates
            .iter()
            .enumerate()
            .zip(&relevance)
            .zip(&ages)
            .map(|(((at, own), &relevance), age)| Memory {
                age: age.unwrap_or_default(),
                importance: importance(at, own),
                relevance,
            })
            .collect();
        let scores = scores(&memories, self.retrieval.decay, self.retrieval.weights);
        let mut order: Vec<usize> = (0..candidates.len()).collect();
        order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]).then(b.cmp(&a)));
        let mut left = self.retrieval.tokens;
        let mut chosen: Vec<(usize, usize, String)> = Vec::new();
        for at in order {
            let line = candidates[at].line();
            // With the end of the line.
            let size = estimate(&line) + 1;
            // One that does not fit is left out; a smaller one behind it may fit.
            if chosen.len() < self.retrieval.top_n && size <= left {
                left -= size;
                let insight = at.checked_sub(own.end).map(|at| insights[at].round);
                let place = insight.map_or(at, |round| self.rounds[round].end);
                // An insight stands before the record that came after it.
                let order = usize::from(insight.is_none());
                chosen.push((place, order, line));
            }
        }
        chosen.sort_by_key(|(place, order, _)| (*place, *order));
        let lines: Vec<String> = chosen.into_iter().map(|(_, _, line)| line).collect();
        Some(lines.join("\n"))
    }
}
