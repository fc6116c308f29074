//! The judged cuts still fit their samples, and the comparison puts their texts in the judge's order.

#![allow(
    clippy::unwrap_used,
    reason = "a file of judged cuts that cannot be read fails its test"
)]

use palimpsest_gold::judged::record::{Side, read_all};
use palimpsest_gold::judged::report::measure;
use std::path::Path;

#[test]
fn judged_cuts_are_rebuilt_and_measured() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let shared = root.join("../shared");
    let all = read_all(&root.join("tests/judged")).unwrap();
    assert_eq!(all.len(), 16);
    for (path, judged) in &all {
        let mut named: Vec<Side> = judged.order.iter().flatten().copied().collect();
        named.sort_unstable();
        assert_eq!(named, Side::ALL, "{}", path.display());
    }
    if !shared.join("samples").is_dir() {
        eprintln!("SKIPPED: no samples in {}", shared.display());
        return;
    }
    let measured = measure(&all, &shared, false).unwrap();
    assert_eq!(measured.cuts, 16, "{}", measured.text);
    assert!(measured.pairs >= 36, "{}", measured.text);
    // What is measured stands in docs/ledger.md; the headline alone does not beat the best constant.
    assert!(measured.right > 0.4, "{}", measured.text);
}
