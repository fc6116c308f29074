//! Cline: what its SDK keeps, and what it tells without a model.

use super::{kept, nothing, talk};
use crate::common::{plan_of, read};
use palimpsest_compaction::NothingToDo;
use palimpsest_formats::InMemory;
use palimpsest_testkit::session::{PiSession, Reply};
use serde_json::{Value, json};

#[test]
fn cline_keeps_the_last_prompt_whatever_follows_it() {
    let ours = talk(&[100, 100, 100, 100]);
    let plan = plan_of(&ours, "cline", &[("keep_recent_tokens", json!(10))]);
    assert_eq!(kept(&plan), [2, 3]);
    assert_eq!(plan.calls[0].max_output_tokens, Some(4_096));
    let more = plan_of(&ours, "cline", &[("keep_recent_tokens", json!(201))]);
    assert_eq!(kept(&more), [1, 2, 3]);
    assert_eq!(nothing(&ours, "cline", &[]), NothingToDo::TooSmall);
    let mut session = PiSession::new();
    session.user("go");
    session.assistant(Reply::new().call("read", json!({"path": "a.rs"})));
    session.tool_result(&"y".repeat(3_000));
    session.user("on");
    let plan = plan_of(
        &read(&session),
        "cline",
        &[("keep_recent_tokens", json!(0))],
    );
    assert!(plan.calls[0].conversation().contains(&"y".repeat(2_000)));
    assert!(!plan.calls[0].conversation().contains(&"y".repeat(2_001)));
}

/// Tokens that are sent besides the messages.
fn besides(ours: &InMemory) -> u64 {
    let context = ours.context(ours.session.active_leaf);
    context.projected - context.estimated
}

/// A limit of input of which 0.9 times 0.7 leaves this much for the summary and what stays.
fn input_for(ours: &InMemory, tokens: u64) -> Value {
    json!(((besides(ours) + tokens) as f64 / 0.63).round() as u64)
}

#[test]
fn cline_keeps_no_more_than_its_target_leaves() {
    let ours = talk(&[100; 8]);
    let kept_of = |name: &str, ours: &InMemory, more: &[(&'static str, Value)]| {
        let mut set = vec![("summary_tokens", json!(50))];
        set.extend(more.iter().cloned());
        kept(&plan_of(ours, name, &set))
    };
    for name in ["cline", "cline-basic"] {
        let input = |tokens: u64| ("model_input_tokens", input_for(&ours, tokens));
        assert_eq!(kept_of(name, &ours, &[input(450)]), [4, 5, 6, 7]);
        assert_eq!(kept_of(name, &ours, &[input(449)]), [5, 6, 7]);
        let recent = ("keep_recent_tokens", json!(150));
        assert_eq!(kept_of(name, &ours, &[input(450), recent]), [6, 7]);
        // The last prompt stays in any case.
        assert_eq!(kept_of(name, &ours, &[input(0)]), [6, 7]);
    }
    // Half of the input once there are five pairs and the longest reply is below it.
    let five = talk(&[100; 10]);
    let half = 2 * (besides(&five) + 450);
    let with_reply = |ours: &InMemory, output: u64| {
        let set = [
            ("model_input_tokens", json!(half)),
            ("model_output_tokens", json!(output)),
            ("target_share", json!(0.0)),
        ];
        kept_of("cline", ours, &set)
    };
    assert_eq!(with_reply(&five, half - 1), [6, 7, 8, 9]);
    assert_eq!(with_reply(&five, half), [8, 9]);
    assert_eq!(with_reply(&five, 0), [8, 9]);
    assert_eq!(with_reply(&ours, half - 1), [6, 7], "four pairs");
}

#[test]
fn by_hand_cline_aims_at_a_ratio_of_the_context() {
    let ours = talk(&[20_000; 8]);
    let by_hand = |more: &[(&'static str, Value)]| {
        let mut set = vec![
            ("manual", json!(true)),
            ("summary_tokens", json!(0)),
            ("keep_recent_tokens", json!(1_000_000)),
        ];
        set.extend(more.iter().cloned());
        plan_of(&ours, "cline", &set)
    };
    let plan = by_hand(&[]);
    let room = plan.tokens_before / 2 - besides(&ours);
    assert!((60_000..80_000).contains(&room), "{room}");
    assert_eq!(kept(&plan), [5, 6, 7]);
    let none = by_hand(&[("manual_ratio", json!(0))]);
    assert_eq!(kept(&none), [6, 7]);
    // 0.95 of it, and not all.
    let most = by_hand(&[("manual_ratio", json!(1))]);
    assert_eq!(kept(&most), [1, 2, 3, 4, 5, 6, 7]);
}

#[test]
fn a_tail_that_the_target_ends_begins_with_no_result() {
    let mut session = PiSession::new();
    session.user("go");
    session.assistant(Reply::new().call("read", json!({"path": "a.rs"})));
    session.tool_result(&"y".repeat(400));
    session.assistant(Reply::new().text("read"));
    session.user("on");
    let ours = read(&session);
    // Room for the result, but not for the call as well.
    let set = [
        ("model_input_tokens", input_for(&ours, 103)),
        ("summary_tokens", json!(0)),
    ];
    assert_eq!(kept(&plan_of(&ours, "cline", &set)), [3, 4]);
}

#[test]
fn cline_lists_what_happened_without_a_model() {
    let mut session = PiSession::new();
    session.user("Look.");
    session.user("Look closely.");
    let part = json!({"path": "a.rs", "offset": 5, "limit": 10});
    session.assistant(Reply::new().text("One.").call("read", part));
    session.tool_result("x");
    session.assistant(Reply::new().text("Two.").call(
        "edit",
        json!({"path": "b.rs", "start_line": 7, "end_line": 9}),
    ));
    session.tool_result("Changed.");
    let long = "e".repeat(150);
    session.assistant(
        Reply::new()
            .text("Three.")
            .call("bash", json!({"command": long})),
    );
    session.tool_result("y");
    session.assistant(Reply::new().text("Four."));
    session.user("Go on.");
    let plan = plan_of(
        &read(&session),
        "cline-basic",
        &[("keep_recent_tokens", json!(1))],
    );
    assert!(plan.calls.is_empty());
    let expected = format!(
        "## User Messages\nLook.\n[the next message followed at once]\nLook closely.\n\n\
         ## Files Read\n- a.rs (lines 5-14)\n\n## Files Edited\n- b.rs (lines 7-9)\n\n\
         ## Commands\n- {}\n\n## Last Replies\nTwo.\n\nThree.\n\nFour.",
        "e".repeat(100)
    );
    assert_eq!(plan.assemble(&[]).unwrap(), expected);
}
