//! How a summary may write what the span wrote otherwise.

use crate::conversation::Conversation;
use palimpsest_core::ledger::{FactKind, FactStatus};
use palimpsest_ledger::{LedgerInput, Span, build};

/// The fate of the first fact of a kind whose text contains `text`.
fn fate(span: &Conversation, kind: FactKind, text: &str, summary: &str) -> FactStatus {
    let items = span.items();
    let ledger = build(&LedgerInput {
        span: Span::new(&items),
        summary,
        ..LedgerInput::default()
    });
    let mut facts = ledger.facts.iter();
    let fact = facts.find(|fact| fact.kind == kind && fact.text.contains(text));
    fact.unwrap_or_else(|| panic!("no {kind:?} with {text}"))
        .status
}

#[test]
fn what_stands_behind_a_lead_is_the_sentence() {
    let span = Conversation::default()
        .user("Remember these rules: Never call the sorting service from the parser.");
    let of = |summary: &str| fate(&span, FactKind::Constraint, "sorting service", summary);
    let kept = "- Never call the sorting service from the parser.";
    assert_eq!(of(kept), FactStatus::Verbatim);
    assert_eq!(
        of("- The parser is finished and its tests pass."),
        FactStatus::Dropped
    );
    // A lead that negates is what the sentence says.
    let span =
        Conversation::default().user("Never do this: rename the sorting service in a patch.");
    let turned = "- rename the sorting service in a patch.";
    let of = fate(&span, FactKind::Constraint, "sorting service", turned);
    assert_ne!(of, FactStatus::Verbatim);
}

#[test]
fn a_bare_name_is_less_than_the_path() {
    let path = "/home/ada/tally/src/report.py";
    let span = Conversation::default()
        .edit(path, "a = 1", "a = 2")
        .bash("python report.py", "done");
    let of = |summary: &str| fate(&span, FactKind::Path, "report.py", summary);
    assert_eq!(of(&format!("Changed {path}.")), FactStatus::Verbatim);
    assert_eq!(of("Changed `report.py`."), FactStatus::Mentioned);
}

#[test]
fn a_folder_is_told_by_the_files_in_it() {
    let span = Conversation::default()
        .user("Look for dead code in src/readers/gemini/ and src/store/ only.")
        .bash("go vet ./src/readers/gemini/...", "ok");
    let of = |summary: &str| fate(&span, FactKind::Path, "readers/gemini", summary);
    assert_ne!(
        of("Mended src/readers/gemini/hooks.go."),
        FactStatus::Dropped
    );
    assert_eq!(
        of("Mended src/readers/gemini2/hooks.go."),
        FactStatus::Dropped
    );
    assert_eq!(of("Mended the readers."), FactStatus::Dropped);
}

#[test]
fn a_name_may_be_spelled_by_another_convention() {
    let span = Conversation::default()
        .user("Why is `BaseCommit` empty there?")
        .assistant("`BaseCommit` is only set when the state is first written.");
    let of = |summary: &str| fate(&span, FactKind::Symbol, "BaseCommit", summary);
    assert_eq!(of("base_commit is set once."), FactStatus::Mentioned);
    assert_eq!(of("The base commit is set once."), FactStatus::Dropped);
    assert_eq!(of("base_commits are set once."), FactStatus::Dropped);
}
