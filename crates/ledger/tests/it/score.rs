//! The overall score on a conversation in which two things happen one after the other.

use crate::conversation::Conversation;
use palimpsest_core::score::{Score, ScorePart};
use palimpsest_ledger::claims;
use palimpsest_ledger::score::Scale;
use palimpsest_ledger::{LedgerInput, Span, build};

const FIRST: &str =
    "Please sort the report by date. Never rename the id column of the harbour table.";
const SECOND: &str = "Now the lighthouse importer: please read its beacon timetable with commas, retry \
                      twice on broken sockets, skip empty fog records and log every foghorn signal.";

fn conversation() -> Conversation {
    let filler = "The report of the harbour is sorted by date, and the id column of the table is as \
                  it was before. Rows without a date stand at the end, rows with one at the front. ";
    Conversation::default()
        .user(FIRST)
        .edit("src/report.rs", "rows", "rows.sort()")
        .assistant(&filler.repeat(3))
        .user(SECOND)
        .edit("src/importer.rs", "read", "read_timetable")
        .assistant(
            "The importer reads the beacon timetable; fog records and foghorn signals are open.",
        )
}

fn score(summary: &str, tail: &Conversation) -> Score {
    let (messages, tail) = (conversation(), tail.items());
    let items = messages.items();
    let span = Span::new(&items);
    let input = LedgerInput {
        span,
        summary,
        kept_tail: Span::new(&tail),
        ..LedgerInput::default()
    };
    let ledger = build(&input);
    let claims = claims::check(summary, &span, &ledger);
    Scale::of(&span).score(&input, &ledger, &claims)
}

fn alone(summary: &str) -> Score {
    score(summary, &Conversation::default())
}

const GOOD: &str = "The report was sorted (`src/report.rs`); the id column must never be renamed. \
                    Current request: the lighthouse importer in `src/importer.rs`. The beacon timetable \
                    is read with commas. Open: two retries on broken sockets, skipping empty fog \
                    records, logging each foghorn signal.";

#[test]
fn an_outdated_summary_is_worth_less_than_one_of_the_state() {
    let outdated = alone(
        "The report of `src/report.rs` is to be sorted by date; the id column of the harbour table must \
         never be renamed.",
    );
    let good = alone(GOOD);
    assert!(outdated.parts[&ScorePart::State] < 0.1, "{outdated:?}");
    assert!(good.parts[&ScorePart::State] > 0.5, "{good:?}");
    assert!(
        good.overall > outdated.overall + 0.2,
        "{good:?} {outdated:?}"
    );
}

#[test]
fn quotes_cost_up_to_a_third() {
    let quoted = alone(&format!("{FIRST} {SECOND}"));
    assert!(quoted.parts[&ScorePart::OwnWords] < 0.1, "{quoted:?}");
    let mean = f64::midpoint(
        quoted.parts[&ScorePart::State],
        quoted.parts[&ScorePart::Facts],
    );
    let cost = quoted.overall / (mean * quoted.parts[&ScorePart::Correctness]);
    assert!((0.66..0.70).contains(&cost), "{quoted:?}");
    assert!(alone(GOOD).parts[&ScorePart::OwnWords] > 0.9);
}

#[test]
fn each_introduced_name_takes_two_hundredths_off_until_a_half_is_left() {
    let one = alone(&format!("{GOOD} See `src/invented.rs`."));
    assert!(
        (one.parts[&ScorePart::Correctness] - 0.98).abs() < 1e-9,
        "{one:?}"
    );
    let many: String = (0..60).map(|n| format!(" `src/invented_{n}.rs`")).collect();
    let many = alone(&format!("{GOOD} See{many}."));
    assert!(
        (many.parts[&ScorePart::Correctness] - 0.5).abs() < 1e-9,
        "{many:?}"
    );
}

#[test]
fn what_the_kept_tail_shows_is_held() {
    let nothing = alone("Work.");
    let tail = Conversation::starting_at(20).user(SECOND);
    let kept = score("Work.", &tail);
    assert!(nothing.overall < 0.1, "{nothing:?}");
    assert!(kept.parts[&ScorePart::State] > 0.7, "{kept:?}");
    assert!(kept.parts[&ScorePart::Facts] > nothing.parts[&ScorePart::Facts]);
}

#[test]
fn a_summary_that_repeats_everything_holds_everything() {
    let everything = alone(&conversation().transcript());
    assert!((everything.parts[&ScorePart::State] - 1.0).abs() < 1e-9);
    assert!(
        (everything.parts[&ScorePart::Facts] - 1.0).abs() < 1e-9,
        "{everything:?}"
    );
    let empty = alone("");
    assert!(empty.overall.abs() < 1e-9, "{empty:?}");
}
