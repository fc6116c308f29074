//! What a kept tail holds: the ledger of one compaction and the chain of several say the same.

use crate::conversation::Conversation;
use palimpsest_core::ledger::FactKind;
use palimpsest_ledger::chain::Chain;
use palimpsest_ledger::{LedgerInput, Span, build};

/// The facts of a kind with whether the tail holds them, by the ledger and by the chain.
fn in_tail(span: &Conversation, tail: &Conversation, kind: FactKind) -> [Vec<bool>; 2] {
    let (items, kept) = (span.items(), tail.items());
    let input = LedgerInput {
        span: Span::new(&items),
        kept_tail: Span::new(&kept),
        summary: "Nothing of it.",
        ..LedgerInput::default()
    };
    let mut chain = Chain::default();
    chain.add(&input);
    let ledger = build(&input);
    let of_ledger = ledger.facts.iter().filter(|fact| fact.kind == kind);
    let of_chain = chain.lives.iter().filter(|life| life.fact.kind == kind);
    [
        of_ledger.map(|fact| fact.in_kept_tail).collect(),
        of_chain.map(|life| life.cells[0].in_kept_tail).collect(),
    ]
}

#[test]
fn a_saying_must_stand_in_the_tail_as_it_was() {
    let span = Conversation::default().user("Never rename the id column of the orders table.");
    let same = Conversation::starting_at(20)
        .assistant("As you said: Never rename the id column of the orders table.");
    let other = Conversation::starting_at(20)
        .assistant("Renaming in the orders table, the id column is never touched.");
    for (tail, there) in [(same, true), (other, false)] {
        for found in in_tail(&span, &tail, FactKind::Constraint) {
            assert_eq!(found, [there]);
        }
    }
}

#[test]
fn a_file_may_be_spelled_otherwise() {
    let span = Conversation::default().edit("/home/me/shop/src/orders.rs", "a", "b");
    let tail = Conversation::starting_at(20).assistant("Look at src/orders.rs next.");
    for found in in_tail(&span, &tail, FactKind::Path) {
        assert_eq!(found, [true]);
    }
}
