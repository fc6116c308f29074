//! What is made smaller without a model: repeated reads, replaced code, long results.

use crate::common::{plan_of, read};
use palimpsest_compaction::assemble::NextItem;
use palimpsest_compaction::select::Fate;
use palimpsest_compaction::{NothingToDo, Plan, PlanOutcome};
use palimpsest_formats::InMemory;
use palimpsest_testkit::session::{PiSession, Reply};
use serde_json::{Value, json};

fn with_fate(plan: &Plan, fate: Fate) -> Vec<usize> {
    let items = plan.items.iter().enumerate();
    let own = items.filter(|(_, item)| item.fate == fate);
    own.map(|(at, _)| at).collect()
}

fn changed(plan: &Plan) -> Vec<usize> {
    plan.changes.iter().map(|change| change.item).collect()
}

fn is_nothing(ours: &InMemory, name: &str, set: &[(&str, Value)]) -> bool {
    let outcome = crate::common::outcome(ours, name, set).unwrap().0;
    matches!(
        outcome,
        PlanOutcome::Nothing {
            reason: NothingToDo::NothingCleared
        }
    )
}

/// Reads of `a.rs` at items 2, 4 and 8, of `b.rs` at 6; the read at 10 fails.
fn reads() -> InMemory {
    let mut session = PiSession::new();
    session.user("Look at it.");
    for path in ["a.rs", "a.rs", "b.rs", "a.rs"] {
        session.assistant(Reply::new().call("read", json!({"path": path})));
        session.tool_result(&format!("// {path}\n").repeat(40));
    }
    session.assistant(Reply::new().call("read", json!({"path": "b.rs"})));
    session.tool_error("no such file, for a reason that is told at some length");
    session.assistant(Reply::new().text("Seen."));
    read(&session)
}

const DROP: &str = r#"[{"kind": "drop_repeated_reads"}]"#;

#[test]
fn of_repeated_reads_the_newest_stays() {
    let drop: Value = serde_json::from_str(DROP).unwrap();
    let plan = plan_of(&reads(), "opencode-prune", &[("reduce", drop.clone())]);
    assert_eq!(changed(&plan), [2, 4]);
    // Two of four results are saved of what is nearly all results.
    for (share, drops) in [(0.3, true), (0.9, false)] {
        let set = [("reduce", drop.clone()), ("minimum_saving", json!(share))];
        assert_eq!(
            is_nothing(&reads(), "opencode-prune", &set),
            !drops,
            "{share}"
        );
    }
}

#[test]
fn cline_drops_repeated_reads_and_where_that_is_enough_nothing_else() {
    let plan = plan_of(&reads(), "cline-truncate", &[]);
    assert_eq!(changed(&plan), [2, 4]);
    assert_eq!(with_fate(&plan, Fate::Kept).len(), 12);
    assert!(plan.summary.is_empty());
    // Without enough to save the older half goes as well, the first two aside.
    let more = plan_of(&reads(), "cline-truncate", &[("enough_saving", json!(0.9))]);
    // Two would stay; the second's result stays with it, and the tail begins with a call.
    assert_eq!(with_fate(&more, Fate::Summarized), [3, 4]);
}

#[test]
fn edits_keep_the_code_they_led_to() {
    let mut session = PiSession::new();
    session.user("Change it.");
    let old = "a long line that is no more\n".repeat(10);
    session.assistant(Reply::new().text("Now.").call(
        "edit",
        json!({"path": "a.rs", "edits": [
            {"oldText": old, "newText": "short"}, {"oldText": old, "newText": ""},
        ]}),
    ));
    session.tool_result("ok");
    session.assistant(Reply::new().call("write", json!({"path": "b.rs", "content": old})));
    session.tool_result("ok");
    let step = json!([{"kind": "keep_resulting_code"}]);
    let plan = plan_of(&read(&session), "goose", &[("reduce", step)]);
    assert_eq!(changed(&plan), [1]);
    let shown = plan.calls[0].conversation();
    assert!(
        shown.contains(r#"edit({"path":"a.rs","edits":[{"newText":"short"}]})"#),
        "{shown}"
    );
    assert!(shown.contains("write("));
}

/// So many results of 1,000 tokens, each in a turn of its own.
fn results(count: usize) -> InMemory {
    let mut session = PiSession::new();
    for number in 0..count {
        session.user("More.");
        session.assistant(Reply::new().call("read", json!({"path": format!("{number}.rs")})));
        session.tool_result(&"abcd".repeat(1_000));
    }
    read(&session)
}

#[test]
fn gemini_masks_what_is_beyond_50_000_tokens_when_30_000_can_be_freed() {
    let name = "gemini-cli-masking";
    // A cut result keeps 250 + 250 characters and a note: about 868 of its tokens are freed.
    let plan = plan_of(&results(85), name, &[]);
    assert_eq!(plan.changes.len(), 35);
    assert_eq!(plan.changes[0].item, 2);
    let after = plan.changes[0].tokens_after;
    assert!((125..140).contains(&after), "{after}");
    assert!(is_nothing(&results(84), name, &[]));
    let spared = [("protected_tools", json!(["read"]))];
    assert!(is_nothing(&results(90), name, &spared));
    // The latest turn is left alone even when nothing else is protected.
    let bare = [
        ("protect_tokens", json!(0)),
        ("minimum_gain_tokens", json!(0)),
    ];
    assert_eq!(changed(&plan_of(&results(3), name, &bare)), [2, 5]);
    let more = [
        ("protect_tokens", json!(0)),
        ("minimum_gain_tokens", json!(0)),
        ("untouched_turns", json!(2)),
    ];
    assert_eq!(changed(&plan_of(&results(3), name, &more)), [2]);
}

#[test]
fn gemini_cuts_what_stays_and_a_span_only_when_it_is_too_large() {
    // 30 % of 120 results stay: 36, whose tokens fit; the rest is beyond 50,000 but fits the model.
    let plan = plan_of(&results(120), "gemini-cli", &[]);
    assert!(plan.changes.is_empty());
    let small = [("whole_span_tokens", json!(80_000))];
    let plan = plan_of(&results(120), "gemini-cli", &small);
    assert_eq!(plan.changes.len(), 70);
    assert!(plan.calls[0].conversation().contains("3500 characters cut"));
}

#[test]
fn langchain_moves_its_cut_past_results() {
    let mut session = PiSession::new();
    for number in 0..15 {
        session.assistant(Reply::new().call("read", json!({"path": format!("{number}.rs")})));
        session.tool_result("code");
    }
    session.user("On.");
    // 31 messages: the twentieth from the end is a result, so nineteen stay.
    let plan = plan_of(&read(&session), "langchain", &[]);
    assert_eq!(with_fate(&plan, Fate::Kept).len(), 19);
    let back = plan_of(
        &read(&session),
        "langchain",
        &[("past_results", json!(false))],
    );
    assert_eq!(with_fate(&back, Fate::Kept).len(), 21);
}

#[test]
fn cline_caps_reasoning_and_arguments_at_2_000() {
    let mut session = PiSession::new();
    session.user("go");
    session.assistant(
        Reply::new()
            .think(&"t".repeat(2_100))
            .call("write", json!({"path": "a", "content": "w".repeat(2_100)})),
    );
    session.tool_result(&"r".repeat(2_100));
    session.user("on");
    let plan = plan_of(
        &read(&session),
        "cline",
        &[("keep_recent_tokens", json!(0))],
    );
    let shown = plan.calls[0].conversation();
    let longest = |letter: char| shown.split(|c| c != letter).map(str::len).max().unwrap();
    assert_eq!((longest('t'), longest('r')), (2_000, 2_000));
    // The name of the argument and the path are among the 2,000.
    assert_eq!(longest('w'), 2_000 - r#"{"path":"a","content":""#.len());
}

#[test]
fn zed_keeps_80_000_bytes_of_what_the_user_said() {
    let mut session = PiSession::new();
    session.user(&"o".repeat(10));
    session.assistant(Reply::new().text("a"));
    session.user(&"ä".repeat(30_000));
    session.assistant(Reply::new().text("b"));
    session.user(&"n".repeat(40_000));
    session.assistant(Reply::new().text("c"));
    let plan = plan_of(&read(&session), "zed", &[]);
    let said: Vec<&str> = plan
        .next
        .iter()
        .filter_map(|next| match next {
            NextItem::Text { text, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    // The newest whole, of the one before the beginning, and nothing older; oldest first.
    assert_eq!(said.len(), 2);
    assert_eq!(said[0], "ä".repeat(20_000));
    assert_eq!(said[1].len(), 40_000);
    assert!(plan.calls[0].prompt.contains("## Pitfalls"));
}
