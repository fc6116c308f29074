//! What goes under which heading, and how much it weighs.

mod carried;
mod collector;
mod context;
mod done;
mod focused;
mod open;
mod wanted;

use crate::offline::extractive::input::ExtractiveInput;
use crate::offline::extractive::items::collector::Collector;
use crate::offline::extractive::page::Item;
use crate::offline::extractive::previous::{Previous, Slot};
use crate::offline::extractive::relevance::Focus;
use crate::offline::extractive::story::Story;
use palimpsest_core::ledger::FactKind;
use palimpsest_ledger::extract::Candidate;

/// Collects all items; more than will fit.
pub fn collect(
    input: &ExtractiveInput<'_>,
    story: &Story,
    facts: &[Candidate],
    previous: &Previous,
    focus: &Focus,
) -> Vec<Item> {
    let mut made = Collector {
        items: Vec::new(),
        focus,
        len: story.len.max(1),
    };
    // The weights are one scale over all headings: the goal (100 to 120), then sentences that the
    // instructions ask for (90), what the user demands (60), where the work stands (26 to 48), what
    // was done and decided (14 to 34), names and errors (12 to 30). They are our choice: a reader
    // who has to stop early has then read what the rest depends on.
    let root = context::root_of(story);
    wanted::goal(&mut made, story, previous);
    wanted::quotes(
        &mut made,
        facts,
        FactKind::Constraint,
        Slot::Constraints,
        60.0,
    );
    wanted::decisions(&mut made, facts);
    done::done(&mut made, story, &root);
    open::open(&mut made, input, story, facts, &root);
    context::context(&mut made, input, story, facts, &root);
    carried::carry_over(&mut made, story, previous);
    focused::focused(&mut made, input, story);
    made.items
}
