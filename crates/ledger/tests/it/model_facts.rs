//! Facts that a model found, beside those of rules.

use crate::conversation::Conversation;
use palimpsest_core::EntryIx;
use palimpsest_core::ledger::{Fact, FactKind, FactStatus, FoundBy, Ledger};
use palimpsest_ledger::{LedgerInput, ModelFact, Span, build};

const SUMMARY: &str = "Work on the relay: Kafka stays out of src/relay.rs.";
/// Without any cue that rules know.
const QUIET: &str = "Kafka stays out of src/relay.rs";

fn spoken() -> Conversation {
    Conversation::default()
        .user("Please make the relay reliable. Never rename the id column.")
        .assistant("I'll use a queue because it is bounded.")
        .bash("cargo test -p relay", "ok")
        .assistant("Kafka stays out of src/relay.rs.")
}

fn fact(kind: FactKind, entry: usize, text: &str, quote: Option<&str>) -> ModelFact {
    ModelFact {
        kind,
        text: text.to_owned(),
        entries: vec![EntryIx::new(entry)],
        quote: quote.map(str::to_owned),
    }
}

fn ledger(by_model: &[ModelFact]) -> Ledger {
    let spoken = spoken();
    let items = spoken.items();
    build(&LedgerInput {
        span: Span::new(&items),
        summary: SUMMARY,
        by_model,
        ..LedgerInput::default()
    })
}

fn found_by(ledger: &Ledger, by: FoundBy) -> Vec<&Fact> {
    let facts = ledger.facts.iter();
    facts.filter(|fact| fact.details.found_by == by).collect()
}

#[test]
fn a_fact_that_only_a_model_found_is_listed_and_in_no_sum() {
    let with = ledger(&[
        fact(FactKind::Decision, 4, "Kafka is ruled out.", Some(QUIET)),
        fact(FactKind::Decision, 4, "There is no Kafka.", Some(QUIET)),
    ]);
    let without = ledger(&[]);
    assert_eq!(with.totals, without.totals);
    assert_eq!(with.introduced, without.introduced);
    assert_eq!(with.by_rules().facts.len(), without.facts.len());
    let own = found_by(&with, FoundBy::Model);
    assert_eq!(own.len(), 1, "one place, one fact: {own:?}");
    assert_eq!(
        own[0].status,
        FactStatus::Verbatim,
        "its quote counts as well"
    );
    assert_eq!(own[0].places[0].range, 0..QUIET.len());
    let ids: Vec<&str> = with.facts.iter().map(|fact| fact.id.as_str()).collect();
    let wanted: Vec<String> = (1..=ids.len()).map(|number| format!("f{number}")).collect();
    assert_eq!(ids, wanted);
    let order: Vec<u32> = with
        .facts
        .iter()
        .map(|fact| fact.places[0].entry.0)
        .collect();
    assert!(order.is_sorted(), "{order:?}");
}

#[test]
fn the_same_fact_is_one_and_marked_both() {
    let texts: Vec<(FactKind, String)> = ledger(&[])
        .facts
        .into_iter()
        .map(|fact| (fact.kind, fact.text))
        .collect();
    for by_model in [
        fact(
            FactKind::Constraint,
            0,
            "The id column keeps its name.",
            Some("never rename the ID column"),
        ),
        fact(
            FactKind::Decision,
            1,
            "A bounded queue is used.",
            Some("use a queue because it is bounded"),
        ),
        // In the words of rules, whatever it cites.
        fact(
            FactKind::Decision,
            1,
            "I'll use a queue because it is bounded",
            Some("a queue"),
        ),
    ] {
        let with = ledger(std::slice::from_ref(&by_model));
        assert_eq!(
            found_by(&with, FoundBy::Model),
            Vec::<&Fact>::new(),
            "{by_model:?}"
        );
        let both = found_by(&with, FoundBy::Both);
        assert_eq!(both.len(), 1, "{by_model:?}");
        assert_eq!(both[0].kind, by_model.kind);
        let now: Vec<(FactKind, String)> = with
            .facts
            .iter()
            .map(|fact| (fact.kind, fact.text.clone()))
            .collect();
        assert_eq!(now, texts, "the words of rules stay");
    }
}

#[test]
fn what_does_not_stand_in_the_span_is_left_out() {
    let with = ledger(&[
        fact(FactKind::Finding, 4, "It is slow.", Some("it is slow")),
        fact(FactKind::Finding, 9, "Kafka is off.", Some(QUIET)),
        fact(FactKind::Finding, 4, "It is slow.", None),
        ModelFact {
            entries: Vec::new(),
            ..fact(FactKind::Finding, 4, "Kafka is off.", Some(QUIET))
        },
    ]);
    assert_eq!(with, ledger(&[]));
}
