//! Codex's preset.

#![allow(
    clippy::unwrap_used,
    reason = "a plan that cannot be made fails its test"
)]

mod common;

use common::{Model, page, plan_of, planned, read, reply, small_session};
use palimpsest_compaction::assemble::NextItem;
use palimpsest_compaction::execute::Unobserved;
use palimpsest_compaction::{Plan, execute, replay};
use palimpsest_core::Role;
use palimpsest_testkit::session::{CompactionSpec, PiSession, Reply, Shell};
use serde_json::json;
use tokio_util::sync::CancellationToken;

#[test]
fn plan_on_the_small_session() {
    let ours = small_session();
    insta::assert_snapshot!("codex", page(&ours, &plan_of(&ours, "codex", &[])));
}

/// What the user said, as the next request has it.
fn said(plan: &Plan) -> Vec<&str> {
    let texts = plan.next.iter().filter_map(|item| match item {
        NextItem::Text {
            role: Role::User,
            text,
            ..
        } => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}

#[test]
fn what_the_user_said_goes_on_and_the_summary_is_last() {
    let mut session = PiSession::new();
    session.user_blocks(json!([{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]));
    session.assistant(Reply::new().text("answer"));
    session.user_blocks(json!([
        {"type": "image", "data": "AAAA", "mimeType": "image/png"},
    ]));
    session.custom_message("reminder", json!("put in"), true);
    session.shell(Shell::new("ls", "a"));
    session.user("three");
    let ours = read(&session);
    let plan = plan_of(&ours, "codex", &[]);
    // Parts are joined by line ends; an image alone is nothing; what was put in is left out.
    assert_eq!(said(&plan), ["one\ntwo", "three"]);
    assert!(matches!(plan.next.last(), Some(NextItem::Summary { .. })));
    assert_eq!(plan.kept, []);
    let conversation = plan.calls[0].conversation();
    assert!(conversation.contains("one\ntwo") && conversation.contains("three"));
}

#[test]
fn the_newest_20_000_tokens_stay_and_one_message_is_cut() {
    let mut session = PiSession::new();
    for (letter, size) in [("a", 40), ("b", 60_000), ("c", 4_000), ("d", 39_999)] {
        session.user(&letter.repeat(size));
    }
    let ours = read(&session);
    let plan = plan_of(&ours, "codex", &[]);
    // d has 10,000 tokens, c 1,000, so that b gets 9,000 of its 15,000 and a nothing.
    let said = said(&plan);
    assert_eq!(said.len(), 3);
    assert_eq!(
        said[0],
        format!("{0}…6000 tokens truncated…{0}", "b".repeat(18_000))
    );
    assert_eq!((said[1].len(), said[2].len()), (4_000, 39_999));
}

#[test]
fn a_limit_of_16_tokens_leaves_one_cut_message_and_the_summary() {
    let mut session = PiSession::new();
    session.user("older");
    session.user(&"x".repeat(200));
    let plan = plan_of(&read(&session), "codex", &[("max_user_tokens", json!(16))]);
    let half = "x".repeat(32);
    assert_eq!(said(&plan), [format!("{half}…34 tokens truncated…{half}")]);
    assert_eq!(plan.next.len(), 2);
    // A budget that is used up to the last token leaves the older ones out.
    let mut session = PiSession::new();
    session.user("older");
    session.user(&"x".repeat(64));
    let plan = plan_of(&read(&session), "codex", &[("max_user_tokens", json!(16))]);
    assert_eq!(said(&plan), ["x".repeat(64)]);
    let plan = plan_of(&read(&session), "codex", &[("max_user_tokens", json!(0))]);
    assert!(said(&plan).is_empty());
}

#[test]
fn tokens_are_bytes_through_four() {
    let mut session = PiSession::new();
    session.user(&"ü".repeat(20));
    let plan = plan_of(&read(&session), "codex", &[("max_user_tokens", json!(10))]);
    assert_eq!(said(&plan), ["ü".repeat(20)]);
    let plan = plan_of(&read(&session), "codex", &[("max_user_tokens", json!(9))]);
    assert!(said(&plan)[0].contains("tokens truncated"));
}

#[test]
fn the_summary_before_is_none_of_the_users_messages() {
    let mut session = PiSession::new();
    session.user("old");
    session.compact(CompactionSpec::new("Before.").keep_nothing());
    session.user("new");
    let plan = plan_of(&read(&session), "codex", &[]);
    assert_eq!(said(&plan), ["new"]);
    assert!(
        plan.calls[0]
            .prompt
            .contains("[User]: Before.\n\n[User]: new")
    );
}

#[test]
fn the_prefix_and_the_summary_are_parted_by_a_line_end() {
    let plan = plan_of(&small_session(), "codex", &[]);
    let summary = replay(&plan, &[reply("Done so far: nothing.")]).unwrap();
    let (prefix, text) = summary.split_once('\n').unwrap();
    assert!(prefix.starts_with("Another model"));
    assert_eq!(text, "Done so far: nothing.");
    assert!(replay(&plan, &[reply("")]).is_err());
}

#[tokio::test]
async fn the_oldest_is_dropped_until_it_fits() {
    let mut session = PiSession::new();
    session.user(&"a".repeat(5_000));
    session.assistant(Reply::new().call("read", json!({"path": "x"})));
    session.tool_result(&"b".repeat(5_000));
    session.user("last");
    let (plan, material) = planned(&read(&session), "codex", &[]);
    let model = Model {
        window: Some(3_000),
        ..Model::default()
    };
    let cancel = CancellationToken::new();
    let run = execute(&plan, &material, &model, &Unobserved, &cancel).await;
    let adapted = run.unwrap().adapted.unwrap();
    assert_eq!(adapted.calls[0].conversation(), "[User]: last");
    // The user's words go on even where the summarizer did not get them.
    assert_eq!(said(&adapted).len(), 2);
    let tiny = Model {
        window: Some(10),
        ..Model::default()
    };
    let run = execute(&plan, &material, &tiny, &Unobserved, &cancel).await;
    assert!(run.is_err());
}
