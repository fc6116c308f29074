//! Relations that hold between ledgers of related inputs, whatever the text.

use crate::conversation::{Conversation, ledger};
use palimpsest_core::ledger::{FactKind, FactStatus};
use palimpsest_ledger::{LedgerInput, Span, build};
use proptest::prelude::*;

fn session() -> Conversation {
    Conversation::default()
        .user("Fix the flaky login test.\nWe must not add dependencies! See issue #42.")
        .assistant("Looking at tests/login.test.ts and `waitForSession` first.")
        .bash(
            "cd /srv/app && npm test -- --grep \"login page\"",
            "Error: timeout after 5000ms\n",
        )
        .edit("tests/login.test.ts", "a\n\tfoo_bar()", "b")
        .assistant("Decided to poll every 250 ms instead of sleeping.")
}

#[test]
fn the_whole_span_as_summary_keeps_everything_and_adds_nothing() {
    let session = session();
    let ledger = ledger(&session, &session.transcript());
    let lost: Vec<_> = ledger
        .facts
        .iter()
        .filter(|fact| !matches!(fact.status, FactStatus::Verbatim | FactStatus::Mentioned))
        .collect();
    assert!(lost.is_empty(), "{lost:#?}");
    let retention = ledger.totals.retention.unwrap();
    assert!((retention - 1.0).abs() < 1e-12);
    assert_eq!(ledger.introduced, []);
    // Argument names and words that hang on an escape in JSON are not in the source as it is read.
    assert!(ledger.totals.coverage > 0.85, "{}", ledger.totals.coverage);
}

#[test]
fn an_empty_summary_drops_everything() {
    let ledger = ledger(&session(), "");
    assert!(!ledger.facts.is_empty());
    assert!(
        ledger
            .facts
            .iter()
            .all(|fact| fact.status == FactStatus::Dropped)
    );
    assert_eq!(ledger.totals.retention, Some(0.0));
    assert_eq!((ledger.totals.coverage, ledger.totals.density), (0.0, 0.0));
}

#[test]
fn no_facts_is_full_retention_and_no_span_is_none() {
    let small_talk = ledger(&Conversation::default().user("Hello."), "anything");
    assert_eq!(small_talk.facts, []);
    assert_eq!(small_talk.totals.retention, Some(1.0));
    let ledger = ledger(&Conversation::default(), "anything");
    assert_eq!(ledger.totals.retention, None);
    assert_eq!(ledger.totals.compression_ratio, 0.0);
}

#[test]
fn a_size_that_is_given_is_what_the_ratio_is_over() {
    let (session, summary) = (session(), "A login was fixed.");
    let items = session.items();
    let over = |span_tokens| {
        let input = LedgerInput {
            span: Span::new(&items),
            span_tokens,
            summary,
            ..LedgerInput::default()
        };
        build(&input).totals.compression_ratio
    };
    let counted = Span::new(&items).estimate();
    assert_eq!(over(None), over(Some(counted)));
    assert!((over(Some(2 * counted)) * 2.0 - over(None)).abs() < 1e-12);
}

proptest! {
    #[test]
    fn a_random_path_is_introduced_once(
        directory in "[a-z]{3,8}", name in "[a-z]{6,10}", digits in 100u32..999,
    ) {
        let session = session();
        let before = session.transcript();
        let after = format!("{before}\nSee src/{directory}/{name}{digits}.rs for more.");
        let introduced = ledger(&session, &after).introduced;
        prop_assert_eq!(introduced.len(), 1, "{:?}", introduced);
        prop_assert_eq!(introduced[0].kind, FactKind::Path);
    }

    #[test]
    fn the_order_of_lines_changes_no_identifiers_fate(order in Just((0..8).collect::<Vec<usize>>()).prop_shuffle()) {
        let lines = [
            "## Goal", "Fix login tests", "- tests/login.test.ts edited", "- poll 250ms",
            "- npm test -- --grep 'login page'", "- #42", "- `waitForSession`", "",
        ];
        let session = session();
        let statuses = |summary: &str| -> Vec<_> {
            ledger(&session, summary)
                .facts
                .iter()
                .filter(|fact| matches!(fact.kind, FactKind::Path | FactKind::Symbol | FactKind::Number | FactKind::Command))
                .map(|fact| (fact.text.clone(), fact.status))
                .collect()
        };
        let shuffled: Vec<&str> = order.iter().map(|&at| lines[at]).collect();
        prop_assert_eq!(statuses(&lines.join("\n")), statuses(&shuffled.join("\n")));
    }

    #[test]
    fn any_text_gives_ranges_on_character_boundaries(
        user in any_text(), assistant in any_text(), output in any_text(), summary in any_text(),
        command in any_text(),
    ) {
        let own = palimpsest_ledger::pasted::own_words(&user);
        let rest = palimpsest_ledger::pasted::material(&user);
        for range in own.iter().chain(&rest) {
            prop_assert!(user.get(range.clone()).is_some());
        }
        for pair in own.windows(2) {
            prop_assert!(pair[0].end < pair[1].start);
        }
        let session = Conversation::default()
            .user(&user)
            .assistant(&assistant)
            .bash(&command, &output)
            .read(&command, &output);
        let items = session.items();
        let span = Span::new(&items);
        let ledger = build(&LedgerInput {
            span, span_tokens: None, summary: &summary, kept_tail: span, later: span,
            previous_summary: Some(&assistant), instructions: Some(&user), by_model: &[],
        });
        for fact in &ledger.facts {
            for range in &fact.evidence {
                prop_assert!(summary.get(range.clone()).is_some_and(|text| !text.is_empty()));
            }
            for place in &fact.places {
                let part = span
                    .parts()
                    .find(|part| part.entry == place.entry && part.block == place.block)
                    .unwrap();
                prop_assert!(part.text.get(place.range.clone()).is_some());
            }
        }
        for added in &ledger.introduced {
            prop_assert_eq!(&summary[added.range.clone()], &added.text);
        }
    }
}

/// Arbitrary text, and text made of the pieces the rules look for.
fn any_text() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "src/ä.rs",
        "a_b",
        "`x y`",
        "::",
        "error: ",
        "é",
        "İ",
        "§ no ",
        "1,234",
        "$",
        "port 80",
        "\n",
        " ",
        "```\n",
        "never ",
        "No",
        "* no ",
        "TODO ",
        "日本語。",
        "\\n",
        "\"",
        "./",
        "//",
        ".",
        "…",
        "#L1",
        ":12",
        "E0308",
        "--x",
        "0x1f",
        "\u{301}",
        "😀",
        "-",
    ]);
    prop_oneof![
        any::<String>(),
        prop::collection::vec(pieces, 0..24).prop_map(|pieces| pieces.concat()),
    ]
}
