//! The packing of files by priority, from sessions on.

use crate::common::{plan_of, read};
use palimpsest_compaction::Plan;
use palimpsest_compaction::assemble::NextItem;
use palimpsest_compaction::plan::estimate;
use palimpsest_formats::InMemory;
use palimpsest_testkit::session::{CompactionSpec, PiSession, Reply};
use serde_json::{Value, json};

/// The plan in which nothing stays but the last message, and four characters count as a token.
fn packed(ours: &InMemory, set: &[(&str, Value)]) -> Plan {
    let mut all = vec![
        ("keep_recent_tokens", json!(1)),
        ("count_factor", json!(1.0)),
    ];
    all.extend(set.iter().cloned());
    plan_of(ours, "pr-agent", &all)
}

fn text(plan: &Plan) -> String {
    assert!(plan.calls.is_empty());
    plan.assemble(&[]).unwrap()
}

fn headers(text: &str) -> Vec<&str> {
    let headers = text
        .lines()
        .filter_map(|line| line.strip_prefix("## File: '"));
    headers.map(|path| path.trim_end_matches('\'')).collect()
}

/// Reads, edits and writes in three languages, most of them in Python; one edit fails, one only
/// takes away.
fn worked_on() -> InMemory {
    let mut session = PiSession::new();
    session.user("Make it faster.");
    let mut act = |name: &str, arguments: Value, result: &str| {
        session.assistant(Reply::new().call(name, arguments));
        session.tool_result(result);
    };
    act("read", json!({"path": "a.rs"}), "fn a() {}\n");
    act("read", json!({"path": "b.py"}), "def b(): pass\n");
    act(
        "edit",
        json!({"path": "b.py", "oldText": "def b(): pass", "newText": "def b(): return 1"}),
        "ok",
    );
    act(
        "write",
        json!({"path": "c.py", "content": "print('a rather long script')\n".repeat(3)}),
        "ok",
    );
    act(
        "edit",
        json!({"path": "d.py", "oldText": "unused()", "newText": ""}),
        "ok",
    );
    act("read", json!({"path": "notes"}), "remember the milk");
    act("read", json!({"path": "Cargo.lock"}), "version = 3");
    session.assistant(Reply::new().call(
        "edit",
        json!({"path": "a.rs", "oldText": "fn a() {}", "newText": "fn never() {}"}),
    ));
    session.tool_error("no such text");
    session.user("Go on.");
    read(&session)
}

#[test]
fn a_file_beyond_the_soft_line_is_named_and_only_calls_get_its_beginning() {
    // 32,000 tokens less 1,500 are 30,500; with the factor of 1.3 this has 32,500.
    let mut session = PiSession::new();
    session.user("Go.");
    let mut write = |path: &str, tokens: usize| {
        let content = "abc ".repeat(tokens);
        session.assistant(Reply::new().call("write", json!({"path": path, "content": content})));
        session.tool_result("ok");
    };
    write("big.rs", 25_000);
    write("tiny.rs", 10);
    session.user("Go on.");
    let ours = read(&session);
    let set = [("keep_recent_tokens", json!(1))];
    let whole = text(&plan_of(&ours, "pr-agent", &set));
    assert_eq!(headers(&whole), ["tiny.rs"]);
    assert!(whole.ends_with("Also modified:\nbig.rs"));
    let calls = plan_of(&ours, "pr-agent-calls", &set).calls;
    let chunks: Vec<Vec<&str>> = calls.iter().map(|call| headers(&call.prompt)).collect();
    assert_eq!(chunks.concat(), ["big.rs", "tiny.rs"]);
    assert!(calls[0].prompt.contains("…(truncated)"));
}

#[test]
fn calls_each_get_a_chunk_in_the_order_of_the_files() {
    let ours = worked_on();
    let set = [
        ("keep_recent_tokens", json!(1)),
        ("count_factor", json!(1.0)),
    ];
    let plan = plan_of(&ours, "pr-agent-calls", &set);
    let all = ["b.py", "c.py", "d.py", "a.rs", "notes"];
    assert_eq!(headers(&plan.calls[0].prompt), all);
    assert_eq!(plan.assemble(&["One."]).unwrap(), "One.");
    // The prompts count; with them there is room for a few tokens below the soft line.
    let prompts = plan.calls[0].input_tokens - estimate(plan.calls[0].conversation());
    let most = |tokens: u64, calls: u64| {
        let mut own = set.to_vec();
        own.push(("max_tokens", json!(prompts + 1_500 + tokens)));
        own.push(("max_calls", json!(calls)));
        plan_of(&ours, "pr-agent-calls", &own)
    };
    let plan = most(24, 5);
    let chunks: Vec<Vec<&str>> = plan
        .calls
        .iter()
        .map(|call| headers(&call.prompt))
        .collect();
    assert_eq!(chunks, [vec!["c.py"], vec!["b.py", "a.rs"], vec!["notes"]]);
    assert!(plan.calls[1].prompt.contains("part 2 of 3"));
    assert!(plan.calls.iter().all(|call| call.after.is_empty()));
    let summary = plan.assemble(&["One.", "Two.", "Three."]).unwrap();
    assert_eq!(summary, "One.\n\nTwo.\n\nThree.\n\nAlso modified:\nd.py");
    let plan = most(24, 1);
    let summary = plan.assemble(&["One."]).unwrap();
    assert!(summary.starts_with("One.\n\nAlso read:\na.rs\nnotes\n\nAlso modified:\nb.py"));
}

#[test]
fn the_previous_summary_stands_before_what_calls_say() {
    let mut session = PiSession::new();
    session.user("Go.");
    session.assistant(Reply::new().text("Went."));
    session.compact(CompactionSpec::new("What was before.").keep_recent(1));
    session.assistant(Reply::new().call("read", json!({"path": "a.rs"})));
    session.tool_result("fn a() {}");
    session.user("Go on.");
    let set = [("keep_recent_tokens", json!(1))];
    let plan = plan_of(&read(&session), "pr-agent-calls", &set);
    let summary = plan.assemble(&["One."]).unwrap();
    assert_eq!(summary, "What was before.\n\nOne.");
}

#[test]
fn a_small_conversation_goes_in_with_what_was_replaced() {
    let whole = text(&packed(&worked_on(), &[]));
    // Groups by their share of operations: four in Python, two in Rust, then the rest.
    assert_eq!(headers(&whole), ["b.py", "c.py", "d.py", "a.rs", "notes"]);
    assert!(whole.contains("def b(): pass\n…\n-def b(): pass\n+def b(): return 1"));
    assert!(whole.contains("-unused()"));
    // The edit that failed changed nothing, and lock files are never packed.
    assert!(whole.contains("fn a() {}") && !whole.contains("never"));
    assert!(!whole.contains("version = 3"));
}

#[test]
fn what_is_packed_tight_is_the_code_as_it_became() {
    let tight = text(&packed(
        &worked_on(),
        &[("max_tokens", json!(1_540)), ("hard_buffer", json!(1_500))],
    ));
    // Largest first within Python; the edit that only took away leaves its file's name.
    assert_eq!(headers(&tight), ["c.py", "b.py"]);
    assert!(tight.contains("def b(): return 1") && !tight.contains("-def"));
    assert!(!tight.contains("Also read"), "{tight}");
    let roomier = text(&packed(
        &worked_on(),
        &[("max_tokens", json!(1_540)), ("hard_buffer", json!(1_400))],
    ));
    assert!(
        roomier.ends_with("Also read:\na.rs\nnotes\n\nAlso modified:\nd.py"),
        "{roomier}"
    );
}

#[test]
fn deletions_stay_where_they_are_wanted() {
    let set = |word: &str| {
        [
            ("max_tokens", json!(1_545)),
            ("drop_deletion_only", json!(word)),
        ]
    };
    assert!(!text(&packed(&worked_on(), &set("all"))).contains("unused"));
    assert!(!text(&packed(&worked_on(), &set("trailing"))).contains("unused"));
    assert!(text(&packed(&worked_on(), &set("none"))).contains("-unused()"));
}

#[test]
fn folders_can_be_the_groups() {
    let mut session = PiSession::new();
    session.user("Look.");
    for path in ["ui/a.ts", "top.ts", "core/b.rs", "core/c.ts"] {
        session.assistant(Reply::new().call("read", json!({"path": path})));
        session.tool_result("code");
    }
    session.user("Go on.");
    let by_folder = text(&packed(
        &read(&session),
        &[("group_by", json!("directory"))],
    ));
    assert_eq!(
        headers(&by_folder),
        ["core/b.rs", "core/c.ts", "ui/a.ts", "top.ts"]
    );
}

#[test]
fn a_summary_before_goes_on_and_uses_up_room() {
    let mut session = PiSession::new();
    session.user("first");
    session.assistant(Reply::new().text("done"));
    session.compact(CompactionSpec::new("What was before.").keep_recent(1));
    session.assistant(Reply::new().call("read", json!({"path": "a.rs"})));
    session.tool_result("fn a() {}");
    session.user("Go on.");
    let plan = packed(&read(&session), &[]);
    assert!(text(&plan).starts_with("What was before.\n\n## File: 'a.rs'"));
    // Beside the files stands what the user said.
    let said = plan
        .next
        .iter()
        .any(|next| matches!(next, NextItem::Text { text, .. } if text == "first"));
    assert!(!said, "what was compacted before is not there again");
}
