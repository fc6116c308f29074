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
fn the_subject_of_the_end_weighs_more_than_a_turn_of_phrase() {
    let of = |word: &str| {
        let told = alone(&format!("The {word} is next."));
        told.parts[&ScorePart::State]
    };
    // Said by the user and by the model, and once only.
    assert!(of("beacon") > of("sockets") + 0.005);
    assert!(of("sockets") > of("quarry"));
}

#[test]
fn copied_passages_are_counted_and_five_hundred_words_halve_the_score() {
    let quoted = alone(&format!("{FIRST} {SECOND}"));
    // The two messages have 15 and 25 words.
    assert!((quoted.parts[&ScorePart::OwnWords] - 500.0 / 540.0).abs() < 1e-9);
    let mean = f64::midpoint(
        quoted.parts[&ScorePart::State],
        quoted.parts[&ScorePart::Facts],
    );
    let left = quoted.parts[&ScorePart::OwnWords] * quoted.parts[&ScorePart::Correctness];
    assert!((quoted.overall - mean * left).abs() < 1e-9, "{quoted:?}");
    let again = alone(&format!("{FIRST} {SECOND} ").repeat(13));
    assert!((again.parts[&ScorePart::OwnWords] - 500.0 / 1020.0).abs() < 1e-9);
    assert!((alone(GOOD).parts[&ScorePart::OwnWords] - 1.0).abs() < 1e-9);
}

#[test]
fn each_introduced_name_takes_five_hundredths_off_until_a_half_is_left() {
    let one = alone(&format!("{GOOD} See `src/invented.rs`."));
    assert!(
        (one.parts[&ScorePart::Correctness] - 0.95).abs() < 1e-9,
        "{one:?}"
    );
    let many: String = (0..60).map(|n| format!(" `src/invented_{n}.rs`")).collect();
    let many = alone(&format!("{GOOD} See{many}."));
    assert!(
        (many.parts[&ScorePart::Correctness] - 0.5).abs() < 1e-9,
        "{many:?}"
    );
}

/// What is left of the good summary without its second, third or last sentence.
fn shortened() -> [String; 3] {
    [
        "Current request: the lighthouse importer in `src/importer.rs`. ",
        "The beacon timetable is read with commas. ",
        " Open: two retries on broken sockets, skipping empty fog records, logging each foghorn signal.",
    ]
    .map(|sentence| {
        let without = GOOD.replace(sentence, "");
        assert_ne!(without, GOOD);
        without
    })
}

#[test]
fn a_true_fact_told_in_own_words_never_lowers_the_score() {
    let whole = alone(GOOD).overall;
    for without in shortened() {
        let short = alone(&without).overall;
        assert!(whole >= short, "{without}: {whole} {short}");
    }
    let told = alone(&format!("{GOOD} Rows without a date stand at the end.")).overall;
    assert!(told >= whole, "{told} {whole}");
}

#[test]
fn noise_never_raises_the_score() {
    let noises = [
        "It was a pleasant and productive afternoon, and everybody seems happy with this.",
        "As always, further improvements are possible and best practices apply.",
        "The quarry is closed; a violin, three umbrellas and several marbles lay around.",
    ];
    // A text with quotes as well: words of its own beside them do not make up for them.
    for text in [
        GOOD.to_owned(),
        format!("{FIRST} {SECOND}"),
        FIRST.to_owned(),
    ] {
        let before = alone(&text).overall;
        for noise in noises {
            for times in [1, 20] {
                let after = alone(&format!("{text} {}", format!("{noise} ").repeat(times)));
                assert!(
                    after.overall <= before + 1e-9,
                    "{noise}: {after:?} {before}"
                );
            }
        }
    }
}

#[test]
fn a_shorter_text_with_the_same_facts_is_worth_at_least_as_much() {
    let once = alone(GOOD);
    assert!(once.overall >= alone(&format!("{GOOD} {GOOD}")).overall);
    let quoted = format!("{GOOD} {SECOND}");
    let twice = alone(&format!("{quoted} {SECOND} {FIRST} {FIRST}"));
    assert!(alone(&format!("{quoted} {FIRST}")).overall > twice.overall);
}

#[test]
fn a_refusal_and_an_echo_are_worth_less_than_a_summary() {
    // A long talk behind the request, so that its echo is as long as echoes are.
    let numbers =
        (0..600).map(|n| format!("Row {n} of the harbour log is read and kept as it is. "));
    let talk: String = numbers.collect();
    let messages = Conversation::default()
        .user(FIRST)
        .assistant(&talk)
        .user(SECOND)
        .assistant("The importer reads the beacon timetable.");
    let items = messages.items();
    let span = Span::new(&items);
    let of = |summary: &str| {
        let input = LedgerInput {
            span,
            summary,
            ..LedgerInput::default()
        };
        let ledger = build(&input);
        let claims = claims::check(summary, &span, &ledger);
        Scale::of(&span).score(&input, &ledger, &claims).overall
    };
    let summary = "The report is to be sorted by date without a new name for its id column. Rows of the \
                   log are kept. Now: the lighthouse importer, whose beacon timetable has commas.";
    let least = of(summary);
    for poor in [
        messages.transcript(),
        "I am sorry, but I cannot help with this conversation.".to_owned(),
        "Summary of the conversation.".to_owned(),
        String::new(),
    ] {
        let poor_score = of(&poor);
        let shown: String = poor.chars().take(40).collect();
        assert!(poor_score < least, "{shown}: {poor_score} {least}");
    }
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
fn beside_a_kept_tail_a_text_that_adds_nothing_is_worth_least() {
    let tail = Conversation::starting_at(20).user(SECOND);
    let nothing = score("Bananas are yellow.", &tail);
    for adding in [
        GOOD.to_owned(),
        FIRST.to_owned(),
        format!("{FIRST} ").repeat(60),
    ] {
        let added = score(&adding, &tail);
        assert!(
            added.overall > nothing.overall,
            "{adding}: {added:?} {nothing:?}"
        );
    }
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
