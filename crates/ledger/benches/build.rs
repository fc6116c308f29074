//! Time of one ledger over a span of 2 MB.
//!
//! `cargo bench -p palimpsest-ledger`. The aim is 150 ms, so that a summary that is edited is held
//! against its source while it is typed. It fails when the median of ten is over the aim.
#![allow(missing_docs, clippy::print_stdout)]

mod talk;

use palimpsest_ledger::{LedgerInput, Span, build};
use std::process::ExitCode;
use std::time::Instant;
use talk::{conversation, items, summary};

const SPAN_BYTES: usize = 2_000_000;
const AIM_MS: f64 = 150.0;

fn main() -> ExitCode {
    let span = conversation(SPAN_BYTES, 0);
    let later = conversation(SPAN_BYTES / 2, 5_000);
    let summary = summary(0);
    let (span_items, later_items) = (items(&span, 0), items(&later, span.len()));
    let input = LedgerInput {
        span: Span::new(&span_items),
        summary: &summary,
        later: Span::new(&later_items),
        ..LedgerInput::default()
    };
    let mut times = Vec::new();
    let mut facts = 0;
    for _ in 0..10 {
        let start = Instant::now();
        facts = build(&input).facts.len();
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    let median = times[times.len() / 2];
    println!(
        "ledger of {} messages, {facts} facts: median {median:.0} ms, slowest {:.0} ms, aim {AIM_MS} ms",
        span.len(),
        times[times.len() - 1]
    );
    if median <= AIM_MS {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
