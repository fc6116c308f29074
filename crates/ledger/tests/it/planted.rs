//! Facts planted in a conversation must be found with exact values.

use crate::conversation::{self, Conversation};
use palimpsest_core::EntryIx;
use palimpsest_core::figure::Figure;
use palimpsest_core::ledger::{Fact, FactKind, FactStatus, Ledger};
use palimpsest_ledger::measures::{Amount, MeasuredBy, measure};
use palimpsest_ledger::{LedgerInput, Span, build};

fn session() -> Conversation {
    Conversation::default()
        .user("Please add a retry to the upload client. Never touch the generated schema files.")
        .assistant("I'll use exponential backoff because the server throttles.")
        .read(
            "/home/me/app/src/upload/client.ts",
            "export class UploadClient {}\n",
        )
        .edit("src/upload/client.ts", "send()", "sendWithRetry()")
        .bash(
            "npm run test:unit",
            "TypeError: retry is not a function\n1 failed",
        )
        .assistant("The `sendWithRetry` call lacked an import. Server listens on port 8123.")
        .assistant("TODO: cover the empty payload case.")
}

fn ledger(summary: &str) -> Ledger {
    conversation::ledger(&session(), summary)
}

fn fact<'a>(ledger: &'a Ledger, kind: FactKind, part: &str) -> &'a Fact {
    ledger
        .facts
        .iter()
        .find(|fact| fact.kind == kind && fact.text.contains(part))
        .unwrap_or_else(|| panic!("no {kind:?} with {part:?} in {:#?}", ledger.facts))
}

#[test]
fn every_kind_is_extracted_with_its_place() {
    let ledger = ledger("");
    for (kind, part, entry) in [
        (FactKind::UserRequest, "add a retry", 0),
        (FactKind::Constraint, "Never touch the generated", 0),
        (FactKind::Decision, "exponential backoff", 1),
        (FactKind::Path, "src/upload/client.ts", 2),
        (FactKind::Command, "npm run test:unit", 6),
        (FactKind::Error, "TypeError: retry is not a function", 7),
        (FactKind::Symbol, "sendWithRetry", 4),
        (FactKind::Number, "8123", 8),
        (FactKind::Todo, "empty payload", 9),
    ] {
        let fact = fact(&ledger, kind, part);
        assert!(
            fact.places
                .iter()
                .any(|place| place.entry == EntryIx::new(entry)),
            "{kind:?} {part:?} stands at {:?}",
            fact.places
        );
        assert_eq!(fact.status, FactStatus::Dropped);
    }
    let ids: Vec<_> = ledger.facts.iter().map(|fact| fact.id.as_str()).collect();
    assert_eq!(ids[..2], ["f1", "f2"]);
}

#[test]
fn places_cut_the_fact_out_of_its_block() {
    let session = session();
    let items = session.items();
    let ledger = build(&LedgerInput {
        span: Span::new(&items),
        ..LedgerInput::default()
    });
    let texts: Vec<_> = Span::new(&items).parts().collect();
    for fact in ledger
        .facts
        .iter()
        .filter(|fact| fact.kind == FactKind::Path)
    {
        for place in &fact.places {
            let part = texts
                .iter()
                .find(|part| part.entry == place.entry && part.block == place.block)
                .unwrap();
            let shown = &part.text[place.range.clone()];
            assert!(
                shown.ends_with("src/upload/client.ts"),
                "{shown:?} for {}",
                fact.text
            );
        }
    }
}

#[test]
fn absolute_and_relative_spellings_are_one_path() {
    let ledger = ledger("");
    let paths: Vec<_> = ledger
        .facts
        .iter()
        .filter(|fact| fact.kind == FactKind::Path)
        .collect();
    assert_eq!(paths.len(), 1, "{paths:#?}");
    assert_eq!(paths[0].text, "src/upload/client.ts");
    assert_eq!(paths[0].count, 2);
}

#[test]
fn fates_are_told_apart() {
    let summary = "## Goal\n- never TOUCH the  `generated` schema files\n- Retries were added to \
                   the client, for upload, by a queue.\n- edited client.ts\n- a TypeError came up\n\
                   - ran npm run";
    let ledger = ledger(summary);
    for (kind, part, status, shown) in [
        (
            FactKind::Constraint,
            "Never touch",
            FactStatus::Mentioned,
            "never TOUCH the  `generated` schema files",
        ),
        (
            FactKind::Path,
            "client.ts",
            FactStatus::Mentioned,
            "client.ts",
        ),
        (
            FactKind::Error,
            "TypeError",
            FactStatus::Partial,
            "TypeError",
        ),
        (
            FactKind::Command,
            "npm run test:unit",
            FactStatus::Partial,
            "npm run",
        ),
        (FactKind::Number, "8123", FactStatus::Dropped, ""),
    ] {
        let fact = fact(&ledger, kind, part);
        assert_eq!(fact.status, status, "for {kind:?} {part:?}: {fact:#?}");
        let found = fact
            .evidence
            .first()
            .map_or("", |range| &summary[range.clone()]);
        assert!(found.contains(shown), "{found:?} for {kind:?} {part:?}");
    }
    assert!(ledger.introduced.is_empty(), "{:?}", ledger.introduced);
}

#[test]
fn a_basename_two_paths_share_is_only_part_of_either() {
    let session = Conversation::default().user("Compare a/mod.rs with src/b/mod.rs please");
    let items = session.items();
    let ledger = build(&LedgerInput {
        span: Span::new(&items),
        summary: "Looked at mod.rs, then b/mod.rs.",
        ..LedgerInput::default()
    });
    assert_eq!(
        fact(&ledger, FactKind::Path, "src/b/mod.rs").status,
        FactStatus::Mentioned
    );
    assert_eq!(
        ledger
            .facts
            .iter()
            .find(|fact| fact.text == "a/mod.rs")
            .unwrap()
            .status,
        FactStatus::Partial
    );
}

#[test]
fn what_no_source_has_is_introduced() {
    let session = session();
    let items = session.items();
    let ledger = build(&LedgerInput {
        span: Span::new(&items),
        summary: "Edited /other/root/src/upload/client.ts and src/magic.ts; `sendTwice` uses \
                  port 9999, old_name and new_focus.",
        previous_summary: Some("old_name stays"),
        instructions: Some("mind new_focus"),
        ..LedgerInput::default()
    });
    let texts: Vec<_> = ledger
        .introduced
        .iter()
        .map(|added| added.text.as_str())
        .collect();
    assert_eq!(texts, ["src/magic.ts", "sendTwice", "9999"]);
}

#[test]
fn totals_and_scores_are_exact() {
    let session = Conversation::default()
        .user("Use port 8123 in src/a.rs, never src/b.rs.")
        .assistant("Changed parse_header and write_header.");
    let items = session.items();
    let kept = Conversation::starting_at(2).assistant("Now write_header fails");
    let kept_items = kept.items();
    let input = LedgerInput {
        span: Span::new(&items),
        kept_tail: Span::new(&kept_items),
        summary: "## Goal\nport 8123 in src/a.rs with parse_header",
        ..LedgerInput::default()
    };
    let ledger = build(&input);
    let headings = ["Goal".to_owned(), "Next Steps".to_owned()];
    let by = MeasuredBy {
        headings: &headings,
        listed: None,
    };
    let figures = measure(&input, &ledger, by);
    let of = |figure: Figure| figures.iter().find(|own| own.figure == figure).unwrap();
    // Identifiers: port 8123, src/a.rs, src/b.rs, parse_header, write_header.
    let recall = &of(Figure::IdentifierRecall).values[0];
    assert_eq!(recall.amount, Amount::Of(3, 5), "{ledger:#?}");
    assert_eq!(recall.note, "1 only in the kept tail, 1 lost");
    let missing: Vec<&str> = of(Figure::Sections)
        .lines
        .iter()
        .filter(|line| line.note == "missing")
        .map(|line| line.text.as_str())
        .collect();
    assert_eq!(missing, ["Next Steps"]);
    assert!(of(Figure::UsedLater).absent.is_some());
    let symbols = ledger
        .totals
        .by_kind
        .iter()
        .find(|(kind, _)| *kind == FactKind::Symbol)
        .unwrap();
    assert_eq!(symbols.1, [1, 0, 0, 1]);
    // 42 and 38 characters are 11 and 10 tokens; the summary's 46 are 12.
    let ratio = ledger.totals.compression_ratio;
    assert!((ratio - 12.0 / 21.0).abs() < 1e-12, "{ratio}");
}
