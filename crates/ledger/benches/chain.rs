//! Time of the chain over ten compactions of a session of 55 MB.
//!
//! `cargo bench -p palimpsest-ledger --bench chain`. The aim is 5 s for reading the session and for this
//! together, so half of it is left to this. It fails when the time is over the aim.
#![allow(missing_docs, clippy::print_stdout)]

mod talk;

use palimpsest_ledger::chain::Chain;
use palimpsest_ledger::{LedgerInput, Span};
use std::process::ExitCode;
use std::time::Instant;
use talk::{conversation, items, summary};

const COMPACTIONS: usize = 10;
const SPAN_BYTES: usize = 5_500_000;
/// Messages that a compaction keeps.
const KEPT: usize = 40;
const AIM_S: f64 = 2.5;

fn main() -> ExitCode {
    let spans: Vec<_> = (0..=COMPACTIONS)
        .map(|at| conversation(SPAN_BYTES, at * 2_000))
        .collect();
    let start = Instant::now();
    let mut chain = Chain::default();
    let mut entry = 0;
    for (at, pair) in spans.windows(2).enumerate() {
        let span = items(&pair[0], entry);
        entry += span.len();
        let later = items(&pair[1], entry);
        let (gone, kept) = span.split_at(span.len() - KEPT);
        let summary = summary(at * 2_000);
        chain.add(&LedgerInput {
            span: Span::new(gone),
            kept_tail: Span::new(kept),
            later: Span::new(&later),
            summary: &summary,
            ..LedgerInput::default()
        });
    }
    let took = start.elapsed().as_secs_f64();
    println!(
        "chain of {entry} messages, {COMPACTIONS} compactions, {} facts: {took:.2} s, aim {AIM_S} s",
        chain.lives.len()
    );
    if took <= AIM_S {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
