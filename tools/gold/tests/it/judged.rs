//! The judged cuts still fit their samples, and the comparison puts their texts in the judge's order.

#![allow(
    clippy::unwrap_used,
    reason = "a file of judged cuts that cannot be read fails its test"
)]

use palimpsest_gold::judged::record::{Judged, Side, read_all};
use palimpsest_gold::judged::report::{Gathered, Measured, Scored, gather};
use palimpsest_gold::judged::texts::Places;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn places() -> Places {
    Places {
        shared: root().join("../shared"),
        written: root().join("tests/judged/written"),
    }
}

fn every_side_once(all: &[(PathBuf, Judged)]) {
    for (path, judged) in all {
        let mut named: Vec<Side> = judged.order.iter().flatten().copied().collect();
        named.sort_unstable();
        let first: Vec<Side> = Side::OF_EVERY_CUT.to_vec();
        let rest = named.strip_prefix(first.as_slice());
        assert!(
            rest.is_some_and(|rest| rest.windows(2).all(|pair| pair[0] < pair[1])),
            "{}",
            path.display()
        );
    }
}

fn measured(found: &[&Gathered], sides: &[Side]) -> Measured {
    let cuts: Vec<&Scored> = found.iter().flat_map(|own| &own.cuts).collect();
    Measured::of(&cuts, sides)
}

#[test]
fn the_overall_score_orders_texts_as_a_person_did() {
    let all = read_all(&root().join("tests/judged")).unwrap();
    let validation = read_all(&root().join("tests/judged/validation")).unwrap();
    assert_eq!((all.len(), validation.len()), (16, 15));
    every_side_once(&all);
    every_side_once(&validation);
    let places = places();
    if !places.shared.join("samples").is_dir() {
        eprintln!("SKIPPED: no samples in {}", places.shared.display());
        return;
    }
    let first = gather(&all, &places, false).unwrap();
    let second = gather(&validation, &places, false).unwrap();
    let sixteen = measured(&[&first], &Side::OF_EVERY_CUT);
    assert_eq!(sixteen.cuts, 16, "{}", sixteen.text);
    assert!(sixteen.pairs >= 36, "{}", sixteen.text);
    // What is measured stands in docs/ledger.md.
    assert!(sixteen.right >= 0.86, "{}", sixteen.text);
    assert!(sixteen.right > sixteen.constant, "{}", sixteen.text);
    let fifteen = measured(&[&second], &Side::OF_EVERY_CUT);
    assert_eq!(fifteen.cuts, 15, "{}", fifteen.text);
    assert!(fifteen.right >= 0.85, "{}", fifteen.text);
    for (path, judged) in &validation {
        let (same, all) = judged.agreement();
        assert!(same * 10 >= all * 8, "{}: {same} of {all}", path.display());
    }
    let both = measured(&[&first, &second], &Side::OF_EVERY_CUT);
    assert!(both.right >= 0.86, "{}", both.text);
}
