//! Insights as a summary stores them: [`super::read_insights`] reads them back.

use crate::plan::reflect::check::{Insight, Unsupported};
use crate::plan::reflect::data::Reflection;
use crate::plan::reflect::read;
use crate::vocabulary::fill::Replies;
use std::fmt::Write as _;

impl Reflection {
    /// All insights under their questions, and what checking them came to.
    pub(crate) fn written(&self, replies: &Replies<'_>) -> Option<String> {
        let insights = self.insights_before(self.rounds.len(), replies)?;
        let mut page = String::from("## Reflections\n");
        let mut own_questions = 0;
        for (at, round) in self.rounds.iter().enumerate() {
            let reply = replies(round.question_call)?;
            own_questions += read::questions(&reply, self.questions).len();
            for question in 0..self.questions {
                let asked = self.question(at, question, replies)?;
                // Writing to a string cannot fail.
                let _ = writeln!(page, "\n### {}.{} {asked}", round.number, question + 1);
                let is_own = |own: &&Insight| own.round == at && own.question == question;
                let mut answers = insights.iter().filter(is_own).peekable();
                if answers.peek().is_none() {
                    page.push_str("(no insights could be read from the reply)\n");
                }
                for own in answers {
                    page.push_str(&line(own));
                }
            }
        }
        let asked = self.rounds.len() * self.questions;
        let unsupported = insights.iter().filter(|own| own.unsupported.is_some());
        let not_there: usize = insights.iter().map(missing).sum();
        // A reader of the insights learns nothing of records that none cites, so these are
        // counted.
        let is_cited = |handle: &String| insights.iter().any(|own| own.evidence.contains(handle));
        let cited = self.records.iter().filter(|own| is_cited(&own.handle));
        let _ = write!(
            page,
            "\nChecked against the entries: {} insights, {} of them unsupported; {not_there} cited \
             ids not in the span; {own_questions} of {asked} questions by the model; {} of {} \
             records cited.",
            insights.len(),
            unsupported.count(),
            cited.count(),
            self.records.len(),
        );
        Some(page)
    }
}

fn missing(insight: &Insight) -> usize {
    match &insight.unsupported {
        Some(Unsupported::NotThere(ids)) => ids.len(),
        _ => 0,
    }
}

fn line(insight: &Insight) -> String {
    let evidence = match insight.evidence.join(", ") {
        none if none.is_empty() => "none".to_owned(),
        some => some,
    };
    let mut line = format!("- {}: {} [evidence: {evidence}]", insight.id, insight.text);
    if let Some(why) = &insight.unsupported {
        // Writing to a string cannot fail.
        let _ = write!(line, " [unsupported: {why}]");
    }
    line.push('\n');
    line
}
