//! Sentences of summaries held against what happened.

use crate::conversation::Conversation;
use palimpsest_ledger::claims::{Claim, Verdict, check};
use palimpsest_ledger::{LedgerInput, Span, build};
use serde_json::json;

fn claims(conversation: &Conversation, summary: &str) -> Vec<Claim> {
    let items = conversation.items();
    let span = Span::new(&items);
    let ledger = build(&LedgerInput {
        span,
        summary,
        ..LedgerInput::default()
    });
    check(summary, &span, &ledger)
}

/// The verdict and the reason of the only sentence that has one besides supported or unchecked.
fn only(conversation: &Conversation, summary: &str) -> Option<(Verdict, String, Vec<usize>)> {
    let mut found = claims(conversation, summary);
    found.retain(|claim| !matches!(claim.verdict, Verdict::Supported | Verdict::Unchecked));
    assert!(found.len() <= 1, "{found:?}");
    let found = found.pop()?;
    let entries = found.entries.iter().map(|entry| entry.get()).collect();
    Some((found.verdict, found.reason, entries))
}

fn failed(conversation: Conversation, command: &str, output: &str) -> Conversation {
    conversation.tool("bash", json!({ "command": command }), output, true)
}

#[test]
fn an_outcome_is_held_against_the_last_run() {
    let commit = "git commit -m 'Add the retry queue'";
    let went_well = Conversation::default()
        .user("Please commit the retry queue.")
        .bash(
            commit,
            "[main 1a2b3c4] Add the retry queue\n 2 files changed",
        );
    let says = |outcome: &str| format!("- `{commit}` {outcome}.");
    let found = only(&went_well, &says("failed"));
    let (verdict, reason, entries) = found.unwrap();
    assert_eq!((verdict, entries), (Verdict::Contradicted, vec![2]));
    assert_eq!(reason, "the command succeeded");
    assert_eq!(only(&went_well, &says("succeeded")), None);
    // First it failed, then it went well.
    let repaired = failed(Conversation::default(), "make check", "error: no rule")
        .user("Once more.")
        .bash("make check", "all good");
    let (verdict, ..) = only(&repaired, "- `make check` fails.").unwrap();
    assert_eq!(verdict, Verdict::Stale);
    let broken = failed(Conversation::default(), "make check", "error: no rule");
    let (verdict, ..) = only(&broken, "- `make check` passes.").unwrap();
    assert_eq!(verdict, Verdict::Contradicted);
    for not_now in [
        "- `make check` should pass.",
        "- `make check` passed before the change.",
        "- Make sure that `make check` passes.",
        "- `make check` does not pass.",
    ] {
        assert_eq!(only(&broken, not_now), None, "{not_now}");
    }
}

#[test]
fn a_finished_task_that_is_told_as_open_is_contradicted() {
    let todos = |state: &str| json!({ "todos": [{ "content": "Write the retry tests", "status": state, "activeForm": "Writing" }] });
    let done = Conversation::default()
        .user("Please write the tests.")
        .tool("TodoWrite", todos("in_progress"), "ok", false)
        .tool("TodoWrite", todos("completed"), "ok", false);
    let open = "## In Progress\n- [ ] Write the retry tests\n";
    let (verdict, reason, entries) = only(&done, open).unwrap();
    assert_eq!((verdict, entries), (Verdict::Contradicted, vec![3]));
    assert_eq!(reason, "the task was finished");
    assert_eq!(only(&done, "## Done\n- [x] Write the retry tests\n"), None);
    let begun = Conversation::default()
        .user("Please write the tests.")
        .tool("TodoWrite", todos("in_progress"), "ok", false);
    assert_eq!(only(&begun, open), None);
}

#[test]
fn a_limit_that_is_turned_around_is_contradicted() {
    let limited = Conversation::default()
        .user("Please fix the reader. Do not rewrite the config parser module.")
        .assistant("I will leave it alone.");
    let turned = "- The user wants: please do rewrite the config parser module.";
    let (verdict, reason, entries) = only(&limited, turned).unwrap();
    assert_eq!((verdict, entries), (Verdict::Contradicted, vec![0]));
    assert!(reason.contains("Do not rewrite"), "{reason}");
    assert_eq!(
        only(&limited, "- Do not rewrite the config parser module."),
        None
    );
}

#[test]
fn a_sentence_of_unknown_names_has_no_source() {
    let known = Conversation::default().user("Please fix src/reader.rs.");
    let (verdict, reason, entries) =
        only(&known, "- Rebuilt `src/engine/turbine.rs` whole.").unwrap();
    assert_eq!((verdict, entries), (Verdict::WithoutSource, vec![]));
    assert!(reason.contains("turbine"), "{reason}");
    let supported = claims(&known, "- The file src/reader.rs is to be fixed.");
    assert_eq!(supported[0].verdict, Verdict::Supported);
    assert_eq!(supported[0].entries.len(), 1);
}

#[test]
fn counts_of_tests_are_those_of_the_last_run() {
    let twice = Conversation::default()
        .bash(
            "cargo test",
            "test result: FAILED. 12 passed; 2 failed; 0 ignored",
        )
        .bash(
            "cargo test",
            "test result: ok. 14 passed; 0 failed; 0 ignored",
        );
    let (verdict, reason, _) = only(&twice, "- The suite has 12 passed tests.").unwrap();
    assert_eq!(verdict, Verdict::Stale);
    assert!(reason.contains("14 passed"), "{reason}");
    assert_eq!(only(&twice, "- The suite has 14 passed tests."), None);
}

#[test]
fn a_next_step_that_a_commit_has_done_is_stale() {
    let made = Conversation::default().user("Please go on.").bash(
        "git commit -qam 'WP14: Create new-main.ts for the new modes'",
        "[main 1a2b3c4] WP14: Create new-main.ts for the new modes\n 2 files changed",
    );
    for open in [
        "## Next Steps\n1. WP14: Create new-main.ts\n",
        "## Pending tasks\n- WP14: Create new-main.ts\n",
        "- WP14: Create new-main.ts (NEXT)\n",
    ] {
        let (verdict, reason, entries) = only(&made, open).unwrap();
        assert_eq!((verdict, entries), (Verdict::Stale, vec![2]), "{open}");
        assert!(reason.contains("WP14"), "{reason}");
    }
    for other in [
        "## Done\n- [x] WP14: Create new-main.ts\n",
        "## Next Steps\n1. WP15: Create new-window.ts\n",
        "## Next Steps\n1. Document new-main.ts for the users\n",
    ] {
        let found = only(&made, other).map(|(verdict, ..)| verdict);
        assert_ne!(found, Some(Verdict::Stale), "{other}");
    }
}
