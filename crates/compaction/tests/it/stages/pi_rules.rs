//! pi's rules for the cut, what is carried on and what is written out, number by number (pi 1.5.2;
//! the same at every position of many sessions is held against the agent itself by `tools/oracle`).

use crate::common::{outcome, plan_of, read};
use palimpsest_compaction::{NothingToDo, Plan, PlanOutcome};
use palimpsest_formats::InMemory;
use palimpsest_testkit::session::{CompactionSpec, PiSession, Reply, SessionModel, Shell};
use serde_json::json;

/// A text of so many tokens.
fn words(tokens: usize) -> String {
    "abc ".repeat(tokens)
}

/// Turns of a prompt and an answer of ten tokens each.
fn turns(count: usize) -> PiSession {
    let mut session = PiSession::new();
    for _ in 0..count {
        session.user(&words(10));
        session.assistant(Reply::new().text(&words(10)));
    }
    session
}

/// Lines of the first kept entry and of the split turn's start, counted from the first record.
fn cut(session: &PiSession, keep: u64) -> Option<(u32, Option<u32>)> {
    let ours = read(session);
    let set = [("keep_recent_tokens", json!(keep))];
    match outcome(&ours, "pi", &set).unwrap().0 {
        PlanOutcome::Compaction(plan) => Some(lines(&ours, &plan)),
        PlanOutcome::Nothing { reason } => {
            assert_eq!(reason, NothingToDo::TooSmall);
            None
        }
    }
}

fn lines(ours: &InMemory, plan: &Plan) -> (u32, Option<u32>) {
    let line = |ix| ours.session.entry(ix).source.line - 1;
    assert_eq!(plan.is_split_turn, plan.turn_start.is_some());
    (line(plan.first_kept.unwrap()), plan.turn_start.map(line))
}

#[test]
fn the_cut_is_where_the_sum_first_reaches_the_budget() {
    let session = turns(3);
    // The last turn is worth 20: it stays whole, and with one token more the turn before is split.
    assert_eq!(cut(&session, 20), Some((4, None)));
    assert_eq!(cut(&session, 21), Some((3, Some(2))));
    assert_eq!(cut(&session, 30), Some((3, Some(2))));
    assert_eq!(cut(&session, 31), Some((2, None)));
    assert_eq!(cut(&session, 10), Some((5, Some(4))));
    assert_eq!(cut(&session, 1), Some((5, Some(4))));
    // A budget that is never used up keeps everything, and so does one that is used up at the start.
    assert_eq!(cut(&session, 60), None);
    assert_eq!(cut(&session, 1_000), None);
    // A reply alone is the first of what may be cut at.
    let mut lone = PiSession::new();
    lone.assistant(Reply::new().text(&words(10)));
    assert_eq!(cut(&lone, 1), None);
}

#[test]
fn a_result_is_never_cut_at() {
    let mut session = PiSession::new();
    session.user(&words(10));
    session.assistant(Reply::new().call("read", json!({"path": "a"})));
    session.tool_result(&words(100));
    session.assistant(Reply::new().text(&words(10)));
    session.user(&words(10));
    // The budget is reached inside the result: the cut is the next that is allowed.
    assert_eq!(cut(&session, 50), Some((3, Some(0))));
    // A result larger than the budget at the very end keeps its call (since 0.86.0).
    session.assistant(Reply::new().call("read", json!({"path": "b"})));
    session.tool_result(&words(1_000));
    assert_eq!(cut(&session, 50), Some((5, Some(4))));
}

#[test]
fn the_cut_is_pulled_back_over_entries_without_a_message() {
    let mut session = turns(1);
    session.model_change(SessionModel::new(
        "anthropic",
        "another",
        "anthropic-messages",
    ));
    let target = session.leaf().unwrap();
    session.label(&target, Some("here"));
    session.user(&words(10));
    session.assistant(Reply::new().text(&words(10)));
    // It comes to rest on the change of model, which starts no turn: the turn before is reported
    // as split, though the prompt that follows starts one.
    assert_eq!(cut(&session, 20), Some((2, Some(0))));
    // A compaction is not gone over.
    let mut session = turns(1);
    session.compact(CompactionSpec::new("Before.").keep_recent(10));
    session.thinking_change("high");
    session.user(&words(10));
    session.assistant(Reply::new().text(&words(10)));
    session.user(&words(10));
    assert_eq!(cut(&session, 30), Some((3, None)));
}

#[test]
fn turns_begin_with_more_than_prompts() {
    for starter in ["shell", "custom", "branch"] {
        let mut session = turns(1);
        match starter {
            "shell" => session.shell(Shell::new("ls", &words(10))),
            "custom" => session.custom_message("note", json!(words(10)), true),
            _ => {
                let to = session.leaf().unwrap();
                session.branch_summary(&to, &words(10))
            }
        };
        session.assistant(Reply::new().text(&words(10)));
        assert_eq!(cut(&session, 20), Some((2, None)), "{starter}");
        assert_eq!(cut(&session, 10), Some((3, Some(2))), "{starter}");
    }
}

#[test]
fn what_still_fits_stays_and_what_no_longer_does_is_summarized_again() {
    let mut session = turns(3);
    session.compact(CompactionSpec::new("Before.").keep_recent(20));
    session.user(&words(10));
    session.assistant(Reply::new().text(&words(10)));
    let ours = read(&session);
    let plan = |keep: u64| outcome(&ours, "pi", &[("keep_recent_tokens", json!(keep))]);
    // What was kept then still fits: there is nothing to do.
    assert!(plan(40).unwrap().1.is_none());
    let tiny = plan_of(&ours, "pi", &[("keep_recent_tokens", json!(20))]);
    // The range begins at the kept boundary of the compaction before, not at its entry.
    let line = |ix| ours.session.entry(ix).source.line - 1;
    let again: Vec<u32> = tiny.summarized.iter().map(|&ix| line(ix)).collect();
    assert_eq!(again, [4, 5]);
    assert_eq!(tiny.previous_summary.as_deref(), Some("Before."));
    assert!(!tiny.calls[0].conversation().contains("Before."));
    assert_eq!(
        tiny.tokens_before,
        ours.context(ours.session.active_leaf).projected
    );
}

#[test]
fn files_go_on_from_a_compaction_that_no_hook_wrote() {
    let files = |hook: bool| {
        let mut session = PiSession::new();
        session.user("go");
        session.assistant(Reply::new().call("read", json!({"path": "old.rs"})));
        session.tool_result("x");
        let spec = CompactionSpec::new("Before.").keep_nothing();
        session.compact(if hook { spec.from_hook() } else { spec });
        session.user(&words(10));
        session.assistant(
            Reply::new()
                .call("read", json!({"path": "b.rs"}))
                .call("write", json!({"path": "a.rs"}))
                .call("grep", json!({"path": "c.rs"})),
        );
        for _ in 0..3 {
            session.tool_result("x");
        }
        session.user(&words(10));
        plan_of(&read(&session), "pi", &[("keep_recent_tokens", json!(10))]).files
    };
    assert_eq!(files(false).read, ["b.rs", "old.rs"]);
    assert_eq!(files(true).read, ["b.rs"]);
    assert_eq!(files(true).modified, ["a.rs"]);
}

#[test]
fn only_results_are_cut_where_the_conversation_is_written_out() {
    let mut session = PiSession::new();
    session.user(&"u".repeat(5_000));
    session.assistant(
        Reply::new()
            .text(&"t".repeat(5_000))
            .call("read", json!({"path": "p".repeat(5_000)})),
    );
    session.tool_result(&"r".repeat(5_000));
    session.assistant(Reply::new().call("read", json!({"path": "b", "limit": 3})));
    session.tool_result(&"s".repeat(1_500));
    session.user("last");
    let plan = plan_of(&read(&session), "pi", &[("keep_recent_tokens", json!(1))]);
    let parts: Vec<&str> = plan.calls[0].conversation().split("\n\n").collect();
    assert_eq!(
        parts,
        [
            format!("[User]: {}", "u".repeat(5_000)),
            format!("[Assistant]: {}", "t".repeat(5_000)),
            format!(
                "[Assistant tool calls]: read(path=\"{}\")",
                "p".repeat(5_000)
            ),
            format!("[Tool result]: {}", "r".repeat(2_000)),
            "[... 3000 more characters truncated]".to_owned(),
            "[Assistant tool calls]: read(path=\"b\", limit=3)".to_owned(),
            format!("[Tool result]: {}", "s".repeat(1_500)),
        ]
    );
}
