//! The offline summarizer: a summary put together from the conversation's own words, with no
//! model and always the same for the same input.
//!
//! It reads the span as a story: who asked for what, which files were changed and how, which
//! commands ran and how they ended, what failed and what fixed it. From that and from the previous
//! summary it makes items for pi's headings, weighs them, leaves out what repeats, and fills the
//! budget from the heaviest down. Instructions are matched word by word. Of the person's messages
//! only the own words are quoted, never what was pasted into them.

mod deeds;
pub(crate) mod input;
mod items;
pub(crate) mod page;
pub(crate) mod previous;
mod relevance;
mod story;

pub use crate::vocabulary::call::Purpose;
pub use input::ExtractiveInput;

use palimpsest_ledger::extract::{Standing, extract};

/// Writes the summary. It never has more than `budget_tokens` tokens; sentences that do not fit
/// are left out, or cut between words with an ellipsis.
pub fn summarize(input: &ExtractiveInput<'_>) -> String {
    let story = story::Story::read(&input.span);
    let mut facts = extract(&input.span);
    // Figures and paths that only outputs showed would stand above what someone said or did.
    facts.retain(|fact| fact.standing == Standing::Said);
    let previous = input
        .previous_summary
        .map(previous::parse)
        .unwrap_or_default();
    let focus = relevance::Focus::new(input.instructions);
    let items = items::collect(input, &story, &facts, &previous, &focus);
    page::lay_out(input.purpose, items, input.budget_tokens)
}

#[cfg(test)]
mod tests;
