//! Codex's preset.

use crate::common::{Model, outcome, plan_of, planned, read, reply, small_session};
use palimpsest_compaction::assemble::NextItem;
use palimpsest_compaction::execute::Unobserved;
use palimpsest_compaction::{Plan, PlanOutcome, execute, replay};
use palimpsest_core::Role;
use palimpsest_formats::InMemory;
use palimpsest_formats::codex::Codex;
use palimpsest_testkit::session::{CompactionSpec, PiSession, Reply, Shell};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use tokio_util::sync::CancellationToken;

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

/// A rollout with two calls that stand by themselves, then their results.
fn rollout() -> InMemory {
    rollout_of(&[])
}

/// The same with instructions of the developer before, and then this from the user.
fn rollout_with(prompts: &[&str]) -> InMemory {
    let mut more = vec![("user", "<environment_context>now</environment_context>")];
    more.extend(prompts.iter().map(|text| ("user", *text)));
    rollout_of(&more)
}

fn rollout_of(more: &[(&str, &str)]) -> InMemory {
    let said = |role: &str, kind: &str, text: &str| json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]});
    let call = |id: &str| json!({"type": "function_call", "name": "shell", "arguments": "{}", "call_id": id});
    let result = |id: &str| json!({"type": "function_call_output", "call_id": id, "output": "abcdefgh".repeat(20)});
    let mut items: Vec<Value> = Vec::new();
    if !more.is_empty() {
        items.push(said("developer", "input_text", "be careful"));
    }
    items.extend([
        said(
            "user",
            "input_text",
            "<environment_context>here</environment_context>",
        ),
        said("user", "input_text", "look at both"),
        call("a"),
        call("b"),
        result("a"),
        result("b"),
        said("assistant", "output_text", "seen"),
    ]);
    items.extend(
        more.iter()
            .map(|(role, text)| said(role, "input_text", text)),
    );
    let header = json!({"id": "019caa00-0000-7000-8000-00000000000a", "cwd": "/home/ada/mill", "cli_version": "0.169.0"});
    let mut lines = vec![("session_meta", header)];
    lines.extend(items.into_iter().map(|item| ("response_item", item)));
    let text: Vec<String> = lines
        .into_iter()
        .map(|(kind, payload)| {
            json!({"timestamp": "2026-03-01T10:00:00Z", "type": kind, "payload": payload})
                .to_string()
        })
        .collect();
    InMemory::read(&Codex, "x", (text.join("\n") + "\n").into_bytes())
}

/// A session that was compacted once: its replacement history has new messages on either side of one
/// that stood there before.
fn compacted_once() -> InMemory {
    let said = |role: &str, kind: &str, text: &str| json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]});
    let stays = ["one stays", "two stays"].map(|text| said("user", "input_text", text));
    let replacement = json!([
        stays[0],
        said("developer", "input_text", "new"),
        said(
            "user",
            "input_text",
            "<environment_context>new</environment_context>"
        ),
        stays[1],
        said("user", "input_text", "the summary")
    ]);
    let header = json!({"id": "019caa00-0000-7000-8000-00000000000b", "cwd": "/home/ada/mill", "cli_version": "0.169.0"});
    let text: String = [
        ("session_meta", header),
        ("response_item", stays[0].clone()),
        ("response_item", stays[1].clone()),
        ("response_item", said("assistant", "output_text", "seen")),
        (
            "compacted",
            json!({"message": "the summary", "replacement_history": replacement}),
        ),
        ("response_item", said("user", "input_text", "go on")),
        ("response_item", said("assistant", "output_text", "one")),
        ("response_item", said("user", "input_text", "and on")),
        ("response_item", said("assistant", "output_text", "two")),
    ]
    .into_iter()
    .map(|(kind, payload)| {
        let line = json!({"timestamp": "2026-03-01T10:00:00Z", "type": kind, "payload": payload});
        format!("{line}\n")
    })
    .collect();
    InMemory::read(&Codex, "x", text.into_bytes())
}

#[test]
fn a_second_compaction_has_the_first_summary_and_what_stood_beside_it() {
    let ours = compacted_once();
    let plan = plan_of(&ours, "codex", &[]);
    assert_eq!(plan.previous_summary.as_deref(), Some("the summary"));
    let conversation = plan.calls[0].conversation();
    for text in [
        "one stays",
        "<environment_context>new",
        "two stays",
        "go on",
        "two",
    ] {
        assert!(
            conversation.contains(text),
            "{text} is not in {conversation}"
        );
    }
    assert!(plan.calls[0].prompt.contains("[User]: the summary"));
    let words = plan_of(&ours, "pi", &[("keep_recent_tokens", json!(1))]);
    assert_eq!(words.previous_summary.as_deref(), Some("the summary"));
}

#[test]
fn an_entry_whose_items_stand_apart_is_listed_once() {
    let ours = compacted_once();
    let plan = plan_of(
        &ours,
        "roo-truncate",
        &[
            ("keep_first_messages", json!(4)),
            ("even_count", json!(false)),
        ],
    );
    let once: BTreeSet<_> = plan.kept.iter().collect();
    assert_eq!(plan.kept.len(), once.len(), "{:?}", plan.kept);
    let compaction = ours
        .session
        .entries
        .iter()
        .position(|entry| matches!(entry.kind, palimpsest_core::EntryKind::Compaction(_)));
    let listed = plan.kept.iter().filter(|ix| Some(ix.get()) == compaction);
    assert_eq!(
        listed.count(),
        1,
        "the case is the one meant: {:?}",
        plan.kept
    );
}

#[test]
fn in_codex_own_files_wrappers_are_none_of_the_users_words() {
    let none = [("initial_context", json!(false))];
    let plan = plan_of(&rollout(), "codex", &none);
    assert_eq!(said(&plan), ["look at both"]);
}

#[test]
fn the_initial_context_stands_before_the_last_of_the_users_words() {
    let plan = plan_of(&rollout_with(&["first", "second"]), "codex", &[]);
    // Older words, the developer's instructions, the newest of each wrapper, the last words, the
    // summary: the order that 0.169.0 writes.
    let parts: Vec<String> = plan
        .next
        .iter()
        .map(|item| match item {
            NextItem::Text { text, .. } => text.chars().take(24).collect(),
            NextItem::Kept { item, .. } => format!("item {item}"),
            NextItem::Summary { .. } => "summary".to_owned(),
        })
        .collect();
    assert_eq!(
        parts,
        [
            "look at both",
            "first",
            "item 0",
            "<environment_context>now",
            "second",
            "summary"
        ]
    );
    // Where nothing of the user's words goes on it stands before the summary.
    let none = [("max_user_tokens", json!(0))];
    let plan = plan_of(&rollout_with(&[]), "codex", &none);
    assert!(matches!(plan.next[0], NextItem::Kept { item: 0, .. }));
    assert!(matches!(plan.next.last(), Some(NextItem::Summary { .. })));
    assert_eq!(
        said(&plan),
        ["<environment_context>now</environment_context>"]
    );
}

#[tokio::test]
async fn an_empty_summary_is_refused_or_says_that_there_is_none() {
    let (plan, _) = planned(&small_session(), "codex", &[]);
    assert!(replay(&plan, &[reply("")]).is_err());
    // Before its newest code.
    let (plan, _) = planned(&small_session(), "codex", &[("accept_empty", json!(true))]);
    let summary = replay(&plan, &[reply("")]).unwrap();
    assert!(summary.ends_with("\n(no summary available)"));
}

#[test]
fn calls_that_stand_by_themselves_stay_with_their_results() {
    let ours = rollout();
    let kept = |tokens: u64| {
        let set = [("fitting_tokens", json!(tokens))];
        match outcome(&ours, "opencode-v2", &set).unwrap().0 {
            PlanOutcome::Compaction(plan) => plan.kept.len(),
            PlanOutcome::Nothing { .. } => ours.session.entries.len(),
        }
    };
    // Answer, two results and two calls, or the answer alone: nothing between.
    let sizes: BTreeSet<usize> = (1..200).map(kept).collect();
    assert!(sizes.contains(&1) && sizes.contains(&5), "{sizes:?}");
    assert!(
        [2, 3, 4].iter().all(|part| !sizes.contains(part)),
        "{sizes:?}"
    );
}

#[test]
fn the_prompt_asks_for_a_hand_over_of_four_things() {
    let set = [("request", json!("transcript"))];
    let plan = plan_of(&small_session(), "codex", &set);
    let (_, request) = plan.calls[0].prompt.split_once("</conversation>").unwrap();
    let asks: Vec<&str> = request
        .lines()
        .filter(|line| line.starts_with("- "))
        .collect();
    let words = [
        &["how far the work is", "key decisions"][..],
        &["context", "constraints", "prefers"],
        &["what remains", "clear next steps"],
        &["critical data", "examples", "references"],
    ];
    assert_eq!(asks.len(), words.len());
    for (ask, words) in asks.iter().zip(words) {
        assert!(words.iter().all(|word| ask.contains(word)), "{ask}");
    }
    assert!(request.contains("concise") && request.contains("structure"));
    // The next model is told what it is given.
    let stored = plan.assemble(&["S"]).unwrap();
    for word in ["Another model", "tools", "Build on", "do not do it again"] {
        assert!(stored.contains(word), "{word}");
    }
}
