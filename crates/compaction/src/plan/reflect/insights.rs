//! The questions that replies ask, and the insights that answer them.

use crate::plan::reflect::check::{Insight, checked};
use crate::plan::reflect::data::Reflection;
use crate::plan::reflect::read;
use crate::vocabulary::fill::Replies;

impl Reflection {
    /// A question as it is asked: from the reply, or the default of its number.
    pub(crate) fn question(
        &self,
        round: usize,
        question: usize,
        replies: &Replies<'_>,
    ) -> Option<String> {
        let reply = replies(self.rounds.get(round)?.question_call)?;
        let asked = read::questions(&reply, self.questions).into_iter();
        let own = asked.into_iter().nth(question);
        own.or_else(|| {
            let count = self.default_questions.len().max(1);
            self.default_questions.get(question % count).cloned()
        })
        // `None` would be a missing reply.
        .or_else(|| Some(String::new()))
    }

    /// The insights of the rounds before `round`, checked.
    pub(crate) fn insights_before(
        &self,
        round: usize,
        replies: &Replies<'_>,
    ) -> Option<Vec<Insight>> {
        let mut insights: Vec<Insight> = Vec::new();
        for (at, own) in self.rounds.iter().enumerate().take(round) {
            let mut found = Vec::new();
            for (question, call) in own.insight_calls.clone().enumerate() {
                let known = |name: &str| self.records.iter().any(|own| own.handle == name);
                let lines = read::insights(&replies(call)?, self.insights, &known);
                for (number, line) in lines.into_iter().enumerate() {
                    let id = format!("i{}.{}.{}", own.number, question + 1, number + 1);
                    let round = at;
                    // Against earlier rounds only: the calls of one round do not see each other's
                    // replies.
                    found.push(checked(self, round, question, id, line, &insights));
                }
            }
            insights.extend(found);
        }
        Some(insights)
    }
}
