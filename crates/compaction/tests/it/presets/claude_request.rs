//! The summary request of Claude Code's presets: the session's own request with the instruction last.

use crate::common::{plan_of, read};
use palimpsest_compaction::assemble::NextItem;
use palimpsest_compaction::summarize::RequestMessage;
use palimpsest_compaction::{Plan, PlannedCall};
use palimpsest_core::Role;
use palimpsest_testkit::session::{CompactionSpec, PiSession, Reply};
use serde_json::{Value, json};

/// The texts of a call's messages, each with its role.
fn messages(plan: &Plan) -> Vec<(Role, String)> {
    let call = &plan.calls[0];
    let text = |own: &RequestMessage| {
        let blocks = own
            .blocks
            .iter()
            .map(|block| &call.prompt[block.range.clone()]);
        blocks.collect::<Vec<&str>>().join("|")
    };
    let messages = call.messages.iter();
    messages.map(|own| (own.role, text(own))).collect()
}

fn worked() -> PiSession {
    let mut session = PiSession::new();
    session.user("go");
    session.assistant(
        Reply::new()
            .text("I look.")
            .call("read", json!({"path": "a"})),
    );
    session.tool_result("found");
    session.assistant(Reply::new().text("Done."));
    session
}

#[test]
fn the_call_is_the_sessions_own_request_without_the_last_round() {
    let ours = read(&worked());
    let plan = plan_of(&ours, "claude-code", &[]);
    assert_eq!((plan.summarized.len(), plan.kept.len()), (3, 1));
    let said = messages(&plan);
    assert_eq!(
        said[..3],
        [
            (Role::User, "go".to_owned()),
            (Role::Assistant, "I look.|{\"path\":\"a\"}".to_owned()),
            (Role::Tool, "found".to_owned()),
        ]
    );
    assert_eq!(said.len(), 4);
    assert_eq!(said[3].0, Role::User);
    assert!(
        said[3].1.starts_with("Summarize the conversation above"),
        "{}",
        said[3].1
    );
    assert!(!plan.calls[0].prompt.contains("conversation>"));
    // As one text it is what it was.
    let set = [
        ("request", json!("transcript")),
        ("last_round", json!("summarize")),
    ];
    let flat = plan_of(&ours, "claude-code", &set);
    assert!(
        flat.calls[0]
            .prompt
            .starts_with("<conversation>\n[User]: go\n\n")
    );
    assert_eq!((flat.kept.len(), flat.calls[0].messages.len()), (0, 0));
}

#[test]
fn by_itself_it_shows_the_round_that_stays_and_keeps_none_twice_in_a_turn() {
    let mut session = worked();
    session.user("next");
    let plan = plan_of(&read(&session), "claude-code-auto", &[]);
    let said = messages(&plan);
    assert_eq!(said[3], (Role::Assistant, "Done.".to_owned()));
    assert_eq!(said.len(), 5, "the new prompt is not shown: {said:?}");
    assert_eq!(plan.kept.len(), 2);

    session.compact(CompactionSpec::new("Before.").keep_nothing());
    session.assistant(Reply::new().call("read", json!({"path": "b"})));
    session.tool_result("more");
    let plan = plan_of(&read(&session), "claude-code-auto", &[]);
    assert_eq!(plan.kept, []);
    let (role, first) = messages(&plan).remove(0);
    assert!(
        role == Role::User && first.starts_with("Before."),
        "{first}"
    );
}

#[test]
fn what_the_agent_attaches_is_attached_again() {
    let mut session = PiSession::new();
    session.custom_message("environment", json!("cwd /old"), true);
    session.custom_message("total_tokens_reminder", json!("5 tokens"), true);
    session.custom_message("environment", json!("cwd /new"), true);
    session.user("go");
    session.assistant(Reply::new().text("Done."));
    let plan = plan_of(&read(&session), "claude-code", &[]);
    let added: Vec<&str> = plan
        .next
        .iter()
        .filter_map(|item| match item {
            NextItem::Text { text, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(added, ["cwd /new"]);
}

#[test]
fn what_the_last_reply_was_asked_with_is_cached() {
    let mut session = worked();
    session.user(&"new ".repeat(400));
    let ours = read(&session);
    let call = |set: &[(&str, Value)]| plan_of(&ours, "codex", set).calls[0].clone();
    let cached = call(&[]);
    assert!(cached.cached_tokens > 10, "{}", cached.cached_tokens);
    assert!(cached.cached_tokens + 400 <= cached.input_tokens);
    assert_eq!(call(&[("request", json!("transcript"))]).cached_tokens, 0);
}

#[test]
fn a_message_that_is_left_out_is_no_message() {
    let plan = plan_of(&read(&worked()), "codex", &[]);
    let call = &plan.calls[0];
    let smaller = call.without(&|item| item == 1 || item == 2);
    let texts = |call: &PlannedCall| {
        let blocks = call.messages.iter().flat_map(|own| &own.blocks);
        let texts = blocks.map(|block| call.prompt[block.range.clone()].to_owned());
        texts.collect::<Vec<String>>()
    };
    let all = texts(call);
    assert_eq!(texts(&smaller), [&all[..1], &all[4..]].concat());
    // Of a message that is cut the rest is sent.
    let cut = call.shortened(&|text| (text.len() > 20).then(|| text[..20].to_owned()));
    assert_eq!(texts(&cut)[0], "go");
    assert_eq!(cut.sent_messages().len(), call.sent_messages().len());
}
