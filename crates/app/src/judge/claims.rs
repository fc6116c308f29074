//! What is asked about the claims of a summary, and how much of the session that takes.

use crate::error::Result;
use crate::session::OpenSession;
use crate::workspace::App;
use palimpsest_core::EntryIx;
use palimpsest_core::words::thousands;
use palimpsest_judge::Plan;
use palimpsest_judge::claims::{ClaimInput, Sent};
use palimpsest_judge::facts::FactLimits;

impl App {
    /// The calls that check a summary's sentences, and facts in what the agent continues from.
    pub(super) fn claims(
        &self,
        open: &OpenSession,
        of: &str,
        limits: FactLimits,
    ) -> Result<(Plan, String)> {
        let material = self.material_named(open, of)?;
        let material = self.with_judged(open, material);
        let ledger = material.ledger();
        let claims = material.claims(&material.summary, &ledger);
        let name = |ix: EntryIx| open.session.name_of(ix);
        let plan = material.with_input(&material.summary, |input| {
            let input = ClaimInput {
                summary: input.summary,
                span: input.span,
                kept_tail: input.kept_tail,
                claims: &claims,
                ledger: &ledger,
            };
            Plan::claims(&input, &name, limits)
        });
        Ok((plan, material.title))
    }
}

/// How much of the session the calls about claims have, in sentences.
pub(super) fn how_much(sent: &Sent) -> Vec<String> {
    let mut notes = Vec::new();
    let part = |what: &str, sent: u64, of: u64| {
        let share = 100.0 * sent as f64 / of.max(1) as f64;
        format!(
            "Of the {what} ({} tokens), {} tokens are sent ({share:.0} %): the passages that share names \
             and words with what is checked.",
            thousands(of),
            thousands(sent),
        )
    };
    if sent.of_span < sent.span {
        notes.push(part("summarized span", sent.of_span, sent.span));
    }
    if sent.of_tail < sent.tail {
        notes.push(part("kept tail", sent.of_tail, sent.tail));
    }
    if notes.is_empty() {
        notes.push(format!(
            "The whole summarized span ({} tokens) and kept tail ({} tokens) are sent.",
            thousands(sent.span),
            thousands(sent.tail)
        ));
    }
    if sent.summary_cut {
        notes.push(
            "The summary is too long for the context window and loses its middle.".to_owned(),
        );
    }
    notes
}
