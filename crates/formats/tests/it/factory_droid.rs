//! Droid's sessions as they are put together from the files around them.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use crate::codex_disk::MadeUp;
use crate::common::folder;
use palimpsest_core::{EntryKind, LinkKind, Role};
use palimpsest_formats::account::account;
use palimpsest_formats::factory_droid::FactoryDroid;
use palimpsest_formats::{Assembly, Disk as _, InMemory, SessionFormat};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

fn fixture(name: &str) -> Vec<u8> {
    let path = folder(&FactoryDroid, "valid").join(format!("{name}.jsonl"));
    std::fs::read(path).unwrap()
}

fn at(name: &str) -> PathBuf {
    Path::new("/home/ada/.factory/sessions/-home-ada-tally").join(name)
}

fn assembly() -> &'static dyn Assembly {
    FactoryDroid.assembly(Path::new("x.jsonl"), b"").unwrap()
}

fn read(disk: &MadeUp, id: &str) -> InMemory {
    let address = at(&format!("{id}.jsonl"));
    let address = address.to_str().unwrap();
    let ours = InMemory::assembled(&FactoryDroid, assembly(), address, disk).unwrap();
    assert_eq!(account(&ours.session, ours.bytes()).lost, [0u32; 0]);
    ours
}

fn usage(input: u64, output: u64, read: u64) -> Value {
    json!({"inputTokens": input, "outputTokens": output, "cacheReadTokens": read,
        "cacheCreationTokens": 0, "thinkingTokens": 0})
}

/// A session, the one it was compacted to, and what was spent.
fn compacted() -> MadeUp {
    let mut disk = MadeUp::default();
    let mut put = |name: &str, bytes: Vec<u8>| disk.0.insert(at(name), bytes);
    put("s-linear.jsonl", fixture("linear"));
    put("s-manual.jsonl", fixture("compacted-manually"));
    let settings = |tokens: Value, last: Value| {
        let all = json!({"model": "custom:Small-Model-0", "tokenUsage": tokens,
            "lastCallTokenUsage": last});
        serde_json::to_vec_pretty(&all).unwrap()
    };
    let first = settings(usage(50_000, 100, 40_000), usage(1_000, 90, 0));
    put("s-linear.settings.json", first);
    let second = settings(usage(58_000, 130, 47_000), usage(8_000, 30, 7_000));
    put("s-manual.settings.json", second);
    disk
}

#[test]
fn a_manual_compaction_is_read_behind_what_it_summarizes() {
    let ours = read(&compacted(), "s-manual");
    let session = &ours.session;
    assert_eq!(session.meta.native_id, "s-manual");
    assert_eq!(session.meta.parent_session.as_deref(), Some("s-linear"));
    assert_eq!(session.meta.parent_kind, Some(LinkKind::Continues));
    let names: Vec<&str> = session
        .parts
        .iter()
        .map(|part| part.path.rsplit('/').next().unwrap())
        .collect();
    assert_eq!(
        names,
        ["s-linear.jsonl", "s-manual.jsonl", "s-manual.settings.json"]
    );
    let ids = session.by_id();
    let compaction = ids["k3"];
    let above: Vec<&str> = ours
        .tree
        .path(compaction)
        .iter()
        .map(|&ix| session.entry(ix).id.as_str())
        .collect();
    assert!(above.starts_with(&["context-m1", "m1", "m2"]), "{above:?}");
    assert_eq!(ours.tree.roots().len(), 1);
    // The row behind the summary names no parent.
    let context = ours.context(Some(ids["d1"]));
    assert_eq!(context.compaction, Some(compaction));
    let roles: Vec<&str> = context.items.iter().map(|item| item.native_role).collect();
    let again = ["standing_reminder"; 4];
    let mut expected = vec!["summary", "system_info"];
    expected.extend(again);
    expected.extend(["reminder", "user"]);
    assert_eq!(roles, expected);
    // Without the other file the same is sent.
    let alone = InMemory::read(&FactoryDroid, "x", fixture("compacted-manually"));
    let context = alone.context(Some(alone.session.by_id()["d1"]));
    let roles: Vec<&str> = context.items.iter().map(|item| item.native_role).collect();
    assert_eq!(roles, expected);
}

#[test]
fn what_was_written_after_the_compaction_is_not_above_it() {
    let mut disk = compacted();
    let mut bytes = fixture("linear");
    bytes.extend(
        br#"{"type":"message","id":"later","timestamp":"2027-01-01T00:00:00.000Z","parentId":"m11","message":{"role":"user","content":"Go on here."}}
{"type":"agent_turn_outcome","turnId":"later","reason":"completed"}
"#,
    );
    disk.0.insert(at("s-linear.jsonl"), bytes);
    let ours = read(&disk, "s-manual");
    assert!(!ours.session.by_id().contains_key("later"));
    assert!(ours.session.by_id().contains_key("m11"));
    let first = read(&disk, "s-linear");
    assert!(first.session.by_id().contains_key("later"));
}

#[test]
fn totals_begin_with_those_of_the_session_before() {
    let disk = compacted();
    let spent = |id: &str| -> Vec<(u64, u64, bool)> {
        let ours = read(&disk, id);
        let entries = ours.session.entries.iter();
        entries
            .filter_map(|entry| {
                let usage = entry.usage?;
                let size = usage.input + usage.cache_read;
                Some((size, usage.output, entry.usage_trusted))
            })
            .collect()
    };
    // The last call of the first session asked for the summary: it is too small for a turn.
    assert_eq!(spent("s-linear"), [(89_000, 10, false), (1_000, 90, false)]);
    // Less what was spent before; all of it in one call, which is the last reply's.
    assert_eq!(spent("s-manual"), [(15_000, 30, true)]);
    let ours = read(&disk, "s-manual");
    let reported = ours.context(ours.session.active_leaf).reported.unwrap();
    assert_eq!((reported.tokens, reported.usage_tokens), (15_030, 15_030));
    let model = ours.session.entries.last().unwrap().model.clone().unwrap();
    assert_eq!(
        (&*model.provider, &*model.model),
        ("custom", "Small-Model-0")
    );
}

#[test]
fn damaged_settings_are_taken_from_their_copy() {
    let mut disk = compacted();
    let settings = at("s-manual.settings.json");
    let whole = disk.read(&settings, u64::MAX).unwrap();
    disk.0
        .insert(settings.clone(), whole[..whole.len() / 2].to_vec());
    let warnings = |disk: &MadeUp| -> Vec<String> {
        let ours = read(disk, "s-manual");
        let all = ours.session.warnings.iter();
        all.map(|warning| warning.reason.clone()).collect()
    };
    let [warning] = &warnings(&disk)[..] else {
        panic!("{:?}", warnings(&disk));
    };
    assert!(warning.ends_with("; its totals are unknown"), "{warning}");
    disk.0.insert(at("s-manual.settings.json.bak"), whole);
    assert_eq!(warnings(&disk), [""; 0]);
    let signs = assembly().signs(at("s-manual.jsonl").to_str().unwrap());
    assert_eq!(signs, [at("s-manual.jsonl"), settings]);
}

#[test]
fn called_sessions_are_linked_at_their_calls() {
    let mut disk = MadeUp::default();
    let parent = fixture("with-totals");
    let text = String::from_utf8(parent).unwrap();
    let rows: Vec<&str> = text
        .lines()
        .filter(|line| !line.contains("session_settings"))
        .collect();
    disk.0
        .insert(at("s-parent.jsonl"), rows.join("\n").into_bytes());
    disk.0.insert(at("s-child.jsonl"), fixture("called"));
    let settings = json!({"childInclusiveTokenUsageBySessionId": {"s-child": usage(1, 1, 1)}});
    disk.0.insert(
        at("s-parent.settings.json"),
        settings.to_string().into_bytes(),
    );
    let ours = read(&disk, "s-parent");
    let [link] = ours.session.links.as_slice() else {
        panic!("{:?}", ours.session.links);
    };
    assert_eq!(
        (link.kind, link.native_id.as_str()),
        (LinkKind::Subagent, "s-child")
    );
    assert_eq!(link.label.as_deref(), Some("Look around"));
    assert_eq!(link.at, ours.session.by_id().get("g2").copied());
    let child = read(&disk, "s-child");
    assert_eq!(child.session.meta.parent_kind, Some(LinkKind::SubagentOf));
    assert_eq!(
        child.session.meta.parent_session.as_deref(),
        Some("s-parent")
    );
}

#[test]
fn sessions_that_continue_each_other_in_a_circle_end() {
    let mut disk = MadeUp::default();
    for (own, other) in [("a", "b"), ("b", "a")] {
        let text = format!(
            "{{\"type\":\"session_start\",\"id\":\"{own}\",\"parent\":\"{other}\"}}\n\
             {{\"type\":\"compaction_state\",\"id\":\"k-{own}\",\"summaryText\":\"So far.\"}}\n"
        );
        disk.0
            .insert(at(&format!("{own}.jsonl")), text.into_bytes());
    }
    assert_eq!(read(&disk, "a").session.parts.len(), 2);
}

#[test]
fn a_copied_reminder_of_todos_is_not_sent() {
    let ours = InMemory::read(&FactoryDroid, "x", fixture("forked"));
    let ids = ours.session.by_id();
    let has_todo = |id: &str| {
        let context = ours.context(Some(ids[id]));
        let todo = ids["todo-suggest-1"];
        context.items.iter().any(|item| item.entries[..] == [todo])
    };
    assert!(!has_todo("f3"));
    let first = InMemory::read(&FactoryDroid, "x", fixture("linear"));
    let ids = first.session.by_id();
    let context = first.context(Some(ids["m8"]));
    assert!(
        context
            .items
            .iter()
            .any(|item| item.entries[..] == [ids["todo-suggest-1"]])
    );
}

#[test]
fn reasoning_is_left_out_while_the_newest_answer_has_none() {
    let ours = InMemory::read(&FactoryDroid, "x", fixture("reasoning-left-out"));
    let ids = ours.session.by_id();
    let thinking = |id: &str| -> usize {
        let context = ours.context(Some(ids[id]));
        let messages = context.items.iter().map(|item| {
            let message = ours
                .format
                .item_message(&ours.session, item, &ours)
                .unwrap();
            let blocks = message.blocks.into_iter();
            let is_thinking = |block: &_| matches!(block, palimpsest_core::Block::Thinking { .. });
            blocks.filter(is_thinking).count()
        });
        messages.sum()
    };
    assert_eq!(
        ["a3", "a4", "a5", "a6", "a7"].map(thinking),
        [1, 3, 3, 0, 0]
    );
}

#[test]
fn an_automatic_compaction_keeps_what_follows_its_anchor() {
    let ours = InMemory::read(&FactoryDroid, "x", fixture("compacted-automatically"));
    let ids = ours.session.by_id();
    let kept = |id: &str| match &ours.session.entry(ids[id]).kind {
        EntryKind::Compaction(told) => told.first_kept_id.as_ref().map(|id| id.to_string()),
        other => panic!("{other:?}"),
    };
    assert_eq!(kept("k1").as_deref(), Some("b4"));
    assert_eq!(kept("k2"), None, "the anchor was the last message");
    let sent = |id: &str| -> Vec<(Role, usize)> {
        let context = ours.context(Some(ids[id]));
        let lengths = context.items.iter().map(|item| {
            let message = ours
                .format
                .item_message(&ours.session, item, &ours)
                .unwrap();
            (message.role, message.text("").len())
        });
        lengths.collect()
    };
    let text = |text: &str| (Role::User, text.len());
    let mut expected = vec![
        text("## Goal\nCount to three."),
        text("The machine has one clock."),
        text("You have these tools."),
        text("How to plan a longer piece of work, step by step."),
        text("How to ask the user."),
        text("You have these skills: winding."),
        (Role::Assistant, 0),
        (Role::Tool, "1\n2".len()),
        (Role::Assistant, "Two.".len()),
        // Of the row that followed only what was not given above.
        text("Think of a todo list."),
        text("Today is Sunday."),
        text("Go on."),
    ];
    assert_eq!(sent("b7"), expected);
    expected.truncate(9);
    assert_eq!(sent("k1"), expected);
}

#[test]
fn the_limit_is_no_share_of_the_window() {
    let policy = |window| FactoryDroid.policy(window);
    assert_eq!(policy(1_000_000).threshold, 250_000);
    assert_eq!(policy(200_000).threshold, 200_000);
    assert_eq!(policy(0).reserve, 0);
}
