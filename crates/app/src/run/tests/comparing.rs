//! Summaries compared on the same facts, over what the next request would hold.

use super::{Bench, object};
use crate::comparing::ComparedSides;
use palimpsest_core::ledger::FactKind;
use palimpsest_llm::ProviderKind;
use serde_json::json;

async fn run(bench: &Bench, keep: u64, at: Option<&str>) -> String {
    let mut spec = bench.spec("pi");
    spec.plan.set = object(json!({ "keep_recent_tokens": keep }));
    spec.plan.provider = Some("offline".to_owned());
    spec.plan.at = at.map(str::to_owned);
    bench.app.compact(spec).await.unwrap().row.id
}

fn compared(bench: &Bench, names: &[String]) -> ComparedSides {
    let open = bench.app.open(&bench.session).unwrap();
    bench.app.compare_summaries(&open, names).unwrap()
}

#[tokio::test]
async fn runs_that_keep_tails_of_other_lengths_are_measured_on_the_same_facts() {
    let bench = Bench::new(ProviderKind::OpenAi);
    let names = [run(&bench, 475, None).await, run(&bench, 1_500, None).await];
    let open = bench.app.open(&bench.session).unwrap();
    let alone = |name: &str| {
        let material = bench.app.material_of_run(&open, name).unwrap();
        material.ledger().facts.len()
    };
    assert_ne!(
        alone(&names[0]),
        alone(&names[1]),
        "alone each is measured on its own span"
    );
    let all = compared(&bench, &names);
    assert_eq!(all.cuts.len(), 1, "one context");
    let cut = &all.cuts[0];
    let facts = |side: usize| -> Vec<&str> {
        let facts = cut.ledgers[side].facts.iter();
        facts.map(|fact| fact.text.as_str()).collect()
    };
    assert_eq!(facts(0), facts(1));
    let paths = |side: usize| cut.held[side].by_kind[&FactKind::Path];
    assert_eq!(paths(0).facts, paths(1).facts);
    assert_eq!(paths(0).in_tail, 0);
    assert!(
        paths(1).in_tail + paths(1).in_summary >= paths(0).in_summary,
        "what stays in the kept tail is held"
    );
    let longer = &all.sides[1];
    assert!(
        longer.next_tokens > all.sides[0].next_tokens && longer.next_tokens > longer.tokens + 900,
        "the tail is part of the next request: {}",
        longer.next_tokens
    );
}

#[tokio::test]
async fn summaries_of_different_contexts_are_not_compared() {
    let bench = Bench::new(ProviderKind::OpenAi);
    let open = bench.app.open(&bench.session).unwrap();
    let leaf = open.session.active_leaf.unwrap();
    let earlier = open.tree.parent(open.tree.parent(leaf).unwrap()).unwrap();
    let earlier = open.session.name_of(earlier);
    let names = [
        run(&bench, 475, None).await,
        run(&bench, 475, Some(&earlier)).await,
        run(&bench, 600, None).await,
    ];
    let all = compared(&bench, &names);
    let sides: Vec<&[usize]> = all.cuts.iter().map(|cut| cut.sides.as_slice()).collect();
    assert_eq!(sides, [&[0, 2][..], &[1][..]]);
    assert!(
        all.compared[1].differing.is_empty() && all.compared[1].same == 0,
        "one summary has no other to differ from"
    );
}

#[tokio::test]
async fn presets_that_differ_in_prompts_only_are_the_same_offline() {
    let bench = Bench::new(ProviderKind::OpenAi);
    let of = async |prompt: Option<&str>, instructions: Option<&str>, keep: u64| {
        let mut spec = bench.spec("pi");
        spec.plan.set = object(json!({ "keep_recent_tokens": keep }));
        if let Some(prompt) = prompt {
            spec.plan
                .set
                .insert("prompts.system".to_owned(), json!(prompt));
        }
        spec.plan.instructions = instructions.map(str::to_owned);
        spec.plan.provider = Some("offline".to_owned());
        bench.app.compact(spec).await.unwrap()
    };
    let runs = [
        of(None, None, 475).await,
        of(Some("Answer in one sentence in French."), None, 475).await,
        of(None, Some("The clock."), 475).await,
        of(None, None, 1_500).await,
    ];
    assert!(runs[0].plan.notes.is_empty());
    assert!(
        runs[2]
            .plan
            .notes
            .iter()
            .any(|note| note.contains("reads no prompt")),
        "{:?}",
        runs[2].plan.notes
    );
    let names = runs.map(|run| run.row.id);
    let all = compared(&bench, &names);
    let same: Vec<Option<usize>> = (0..4).map(|at| all.same_offline(at)).collect();
    assert_eq!(same, [None, Some(0), None, None]);
}
