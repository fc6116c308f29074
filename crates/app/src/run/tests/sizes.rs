//! Sizes before and after a plan, on one basis.

use super::Bench;
use crate::run::{PlanRecord, Sizes};
use palimpsest_llm::ProviderKind;

fn sizes(reported: u64, estimated: Option<u64>, after: u64) -> Sizes {
    let record = PlanRecord {
        tokens_before: reported,
        estimated_tokens_before: estimated,
        estimated_tokens_after: after,
        ..PlanRecord::default()
    };
    record.sizes()
}

#[test]
fn what_no_estimate_sees_is_in_both() {
    let of = |before, after, unseen| Sizes {
        before,
        after,
        unseen,
    };
    let seen = sizes(41_000, Some(30_000), 12_000);
    assert_eq!(seen, of(41_000, 23_000, 11_000));
    assert_eq!(
        sizes(20_000, Some(30_000), 12_000),
        of(30_000, 12_000, 0),
        "an estimate above the report is held against an estimate"
    );
    assert_eq!(
        sizes(41_000, None, 12_000),
        of(41_000, 12_000, 0),
        "a record of an earlier version"
    );
}

#[test]
fn a_plan_gains_what_its_estimates_differ_by() {
    let bench = Bench::new(ProviderKind::OpenAi);
    let record = bench.app.plan(&bench.spec("pi").plan).unwrap().record;
    let sizes = record.sizes();
    let before = record.estimated_tokens_before.unwrap();
    assert!(record.tokens_before > 0 && before > record.estimated_tokens_after);
    assert_eq!(
        sizes.before - sizes.after,
        before - record.estimated_tokens_after
    );
    assert_eq!(sizes.before, before.max(record.tokens_before));
}
