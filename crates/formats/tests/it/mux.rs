//! Mux's workspaces as they are put together from their files.

#![allow(
    clippy::unwrap_used,
    reason = "a fixture that cannot be read fails its test"
)]

use crate::codex_disk::Machine;
use crate::common::told::told_session;
use palimpsest_core::entry::Trigger;
use palimpsest_core::session::LinkKind;
use palimpsest_core::{EntryIx, EntryKind};
use palimpsest_formats::account::account;
use palimpsest_formats::mux::Mux;
use palimpsest_formats::{Assembly, Disk, InMemory, Reading, SessionFormat};
use std::fmt::Write;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/mux")
}

fn sessions() -> PathBuf {
    folder().join("homes/.xum/sessions")
}

fn assembly(path: &Path) -> Option<&'static dyn Assembly> {
    let head = Machine.read(path, 65536).unwrap();
    Mux.assembly(path, &head)
}

fn opened(path: &Path) -> InMemory {
    let address = path.to_string_lossy();
    InMemory::assembled(&Mux, assembly(path).unwrap(), &address, &Machine).unwrap()
}

fn fixture(name: &str) -> InMemory {
    let path = folder().join("valid").join(name);
    InMemory::read(&Mux, name, std::fs::read(path).unwrap())
}

fn entry_of(ours: &InMemory, id: &str) -> EntryIx {
    *ours.session.by_id().get(id).unwrap()
}

/// What the model gets at an entry, one line for each item.
fn sent(ours: &InMemory, id: &str) -> Vec<String> {
    let context = ours.context(Some(entry_of(ours, id)));
    let items = context.items.iter().filter(|item| item.sent);
    let told = items.map(|item| {
        let message = ours.format.item_message(&ours.session, item, ours).unwrap();
        format!("{} {}", item.native_role, message.text("|"))
    });
    told.collect()
}

#[test]
fn a_workspace_is_its_archive_its_rows_and_the_answer_being_streamed() {
    let path = sessions().join("0a1b2c3d4e/chat.jsonl");
    let ours = opened(&path);
    let accounted = account(&ours.session, ours.bytes());
    assert_eq!(accounted.lost, [0u32; 0]);
    let mut out = String::new();
    for part in &ours.session.parts {
        let shown = Path::new(&part.path).strip_prefix(folder()).unwrap();
        writeln!(out, "{} {}", part.line, shown.display()).unwrap();
        assert!(part.offset == 0 || ours.bytes()[part.offset as usize - 1] == b'\n');
    }
    out.push_str(&told_session(&ours));
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!("mux-workspace", out);
    });
}

#[test]
fn an_archive_is_a_session_only_without_rows_since() {
    let archive = sessions().join("0a1b2c3d4e/chat-archive.jsonl");
    let found = assembly(&archive).unwrap().sessions(&archive, &Machine);
    assert_eq!(found.unwrap(), []);
    let alone = sessions().join("1122334455/chat-archive.jsonl");
    let found = assembly(&alone).unwrap().sessions(&alone, &Machine);
    assert_eq!(found.unwrap().len(), 1);
    let ours = opened(&alone);
    assert_eq!(ours.session.meta.native_id, "1122334455");
    assert_eq!(ours.session.meta.title.as_deref(), Some("Scout"));
    assert_eq!(ours.session.meta.parent_kind, Some(LinkKind::SubagentOf));
    // Rows that are not there yet are no session, and no other program's file is one.
    assert!(assembly(&sessions().join("1122334455/chat.jsonl")).is_none());
}

#[test]
fn rows_of_a_removed_subagent_belong_to_its_parent() {
    let rows = "0a1b2c3d4e/subagent-transcripts/5566778899/chat.jsonl";
    let meta = opened(&sessions().join(rows)).session.meta;
    assert_eq!(meta.native_id, "5566778899");
    assert_eq!(meta.parent_session.as_deref(), Some("0a1b2c3d4e"));
    assert_eq!(meta.parent_kind, Some(LinkKind::SubagentOf));
}

#[test]
fn the_stamp_changes_with_every_file_of_a_workspace() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("sessions/0a1b");
    std::fs::create_dir_all(&folder).unwrap();
    let row = r#"{"id":"user-1","role":"user","parts":[],"metadata":{"historySequence":0}}"#;
    let chat = folder.join("chat.jsonl");
    std::fs::write(&chat, row).unwrap();
    let stamp = || assembly(&chat).unwrap().sessions(&chat, &Machine).unwrap()[0].stamp;
    let mut seen = vec![stamp()];
    for name in ["chat-archive.jsonl", "partial.json", "durable-events.jsonl"] {
        std::fs::write(folder.join(name), "{}").unwrap();
        seen.push(stamp());
        let (newest, before) = seen.split_last().unwrap();
        assert!(!before.contains(newest), "after {name}");
    }
    let signs = assembly(&chat).unwrap().signs(&chat.to_string_lossy());
    assert!(signs.contains(&folder.join("partial.json")));
}

#[test]
fn a_finished_row_is_not_replaced_by_an_older_answer() {
    let home = tempfile::tempdir().unwrap();
    let chat = home.path().join("chat.jsonl");
    let row = |words: &str| {
        format!(
            r#"{{"id":"assistant-1","role":"assistant","parts":[{words}],"metadata":{{"historySequence":0}}}}"#
        )
    };
    let part = |words: &str| format!(r#"{{"type":"text","text":"{words}"}}"#);
    let finished = row(&[part("Half"), part(" and whole.")].join(","));
    std::fs::write(&chat, finished).unwrap();
    std::fs::write(home.path().join("partial.json"), row(&part("Half"))).unwrap();
    let ours = opened(&chat);
    assert_eq!(&*ours.session.entries[0].preview, "Half and whole.");
    assert_eq!(
        (ours.session.entries.len(), ours.session.merged.len()),
        (1, 1)
    );
}

#[test]
fn a_turn_is_split_where_text_follows_calls() {
    let ours = fixture("linear.jsonl");
    let line = ours
        .session
        .entry(entry_of(&ours, "assistant-1-aa"))
        .source
        .line;
    let runs = ours
        .session
        .entries
        .iter()
        .filter(|entry| entry.source.line == line);
    let ids: Vec<&str> = runs.map(|entry| entry.id.as_str()).collect();
    assert_eq!(
        ids,
        ["assistant-1-aa", "assistant-1-aa.2", "assistant-1-aa.3"]
    );
    // In the turn the result is as the tool gave it, afterwards without what is for the window.
    let at = |id: &str| sent(&ours, id).join("\n");
    assert!(at("assistant-1-aa.2").contains("ui_only"));
    assert!(!at("user-2-aa").contains("ui_only"));
    assert!(at("user-2-aa").contains("assistant Done: 60 teeth now, and the clock keeps time."));
    // The body has what is stored.
    let line = "toolResultNow {\"success\":true,\"diff\"";
    assert!(
        sent(&ours, "assistant-1-aa.2")
            .iter()
            .any(|own| own.starts_with(line))
    );
}

#[test]
fn usage_of_a_turn_is_shared_out_to_its_first_and_its_last_run() {
    let ours = fixture("linear.jsonl");
    let usage = |id: &str| ours.session.entry(entry_of(&ours, id)).usage;
    let (first, last) = (
        usage("assistant-1-aa").unwrap(),
        usage("assistant-1-aa.3").unwrap(),
    );
    assert_eq!(last.context_tokens(), 1220);
    assert_eq!(first.output + last.output, 90);
    let all = |usage: palimpsest_core::Usage| usage.input + usage.cache_read + usage.cache_write;
    assert_eq!(all(first) + all(last), 3300);
    assert_eq!(first.cache_write + last.cache_write, 600);
    assert_eq!(usage("assistant-1-aa.2"), None);
    // One call and an answer are two steps, and both sizes are known.
    let trusted = |id: &str| ours.session.entry(entry_of(&ours, id)).usage_trusted;
    assert!(trusted("assistant-2-aa") && trusted("assistant-2-aa.2"));
    assert!(!trusted("assistant-1-aa"));
}

#[test]
fn compactions_know_what_asked_for_them_and_what_they_left() {
    let ours = fixture("compacted-twice.jsonl");
    let told = |id: &str| match &ours.session.entry(entry_of(&ours, id)).kind {
        EntryKind::Compaction(told) => (**told).clone(),
        other => panic!("{other:?}"),
    };
    let (first, second) = (told("assistant-2"), told("assistant-5"));
    assert_eq!(
        (first.trigger, second.trigger),
        (Some(Trigger::Manual), Some(Trigger::Auto))
    );
    assert_eq!(
        (first.tokens_before, second.tokens_before),
        (Some(1115), Some(1305))
    );
    // The first request of the turn behind it, and not the last.
    assert_eq!(first.tokens_after, Some(1150));
    assert_eq!(second.tokens_after, Some(900));
    assert_eq!(first.duration_ms, Some(240));
}

#[test]
fn a_summary_is_what_is_left_and_the_attachments_are_sent_once() {
    let ours = fixture("compacted-twice.jsonl");
    let at = |id: &str| {
        let roles = sent(&ours, id);
        let roles = roles
            .iter()
            .map(|own| own.split(' ').next().unwrap().to_owned());
        roles.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(at("user-1"), "system user");
    assert_eq!(
        at("user-2"),
        "system user assistant toolResult assistant agentSwitch compactionRequest"
    );
    assert_eq!(at("user-3"), "system summary postCompaction user");
    // As long as the turn goes on.
    assert_eq!(
        at("assistant-3"),
        "system summary postCompaction user assistant toolResultNow"
    );
    assert_eq!(
        at("user-4"),
        "system summary user assistant toolResult assistant user"
    );
    assert_eq!(at("assistant-5"), "system summary");
    assert_eq!(at("user-6"), "system summary user");
    // The prompt of a request for a summary is for that alone.
    assert!(sent(&ours, "user-2")[0].contains("You sum up."));
    assert!(sent(&ours, "assistant-2")[0].contains("You mend clocks."));
}

#[test]
fn a_cleared_context_begins_behind_the_row_that_clears_it() {
    let ours = fixture("cleared.jsonl");
    assert_eq!(
        sent(&ours, "assistant-4"),
        [
            "user Plan a cuckoo.",
            "assistant The plan: a door, a bird, bellows.",
            "user Build it.",
            "user Are you there?",
            "assistant Yes. The bird is carved.",
        ]
    );
    assert!(sent(&ours, "user-2")[2].starts_with("agentSwitch "));
    assert_eq!(sent(&ours, "context-reset-1"), [""; 0]);
    assert_eq!(sent(&ours, "user-5"), ["user Look at this cuckoo."]);
    assert_eq!(
        ours.context(Some(entry_of(&ours, "user-5"))).compaction,
        None
    );
}

#[test]
fn reasoning_that_anthropic_did_not_sign_is_not_sent_to_it() {
    let ours = fixture("cleared.jsonl");
    let thoughts = |id: &str| {
        let context = ours.context(Some(entry_of(&ours, id)));
        let messages = context.items.iter().map(|item| {
            let message = ours
                .format
                .item_message(&ours.session, item, &ours)
                .unwrap();
            let is_thinking = |block: &&palimpsest_core::Block| {
                matches!(block, palimpsest_core::Block::Thinking { .. })
            };
            message.blocks.iter().filter(is_thinking).count()
        });
        messages.sum::<usize>()
    };
    assert_eq!(thoughts("assistant-5"), 1);
    assert_eq!(thoughts("assistant-6"), 0);
}

/// An entry's bytes alone give its text again, as search does.
#[test]
fn the_bytes_of_a_run_are_read_by_themselves() {
    let ours = fixture("linear.jsonl");
    for entry in &ours.session.entries {
        let start = entry.source.offset as usize;
        let raw = &ours.bytes()[start..start + entry.source.len as usize];
        let mut alone = Reading::new(Mux.agent(), "x");
        Mux.read(&mut alone, raw, true);
        let [read] = &alone.session.entries[..] else {
            // A whole row is split again; the first entry is its beginning.
            panic!("{} entries for {}", alone.session.entries.len(), entry.id);
        };
        assert_eq!(read.preview, entry.preview, "{}", entry.id);
        let body = Mux.body(&alone.session.meta, entry, raw);
        assert_eq!(body.messages.len(), entry.messages.len(), "{}", entry.id);
    }
}

#[test]
fn subagents_are_linked_to_the_calls_that_started_them() {
    let ours = fixture("beside.jsonl");
    let links = ours.session.links.iter();
    let links: Vec<(&str, Option<&str>)> = links
        .map(|link| (link.native_id.as_str(), link.label.as_deref()))
        .collect();
    assert_eq!(
        links,
        [
            ("1122334455", Some("explore")),
            ("2233445566", Some("plan")),
            ("3344556677", Some("plan")),
        ]
    );
    assert_eq!(
        ours.session.meta.parent_session.as_deref(),
        Some("ffee001122")
    );
}

#[test]
fn the_threshold_is_a_share_of_the_window() {
    let policy = Mux.policy(19_500);
    // Compacted at 13,812 tokens and not at 13,524, of a window of 19,500 (0.28.3).
    assert!((13_524..13_812).contains(&policy.threshold));
    assert_eq!(Mux.policy(200_000).threshold, 139_999);
    // A session that was compacted far below the rule has another share or another window.
    let ours = fixture("compacted-twice.jsonl");
    let at = |id: &str| {
        Mux.policy_at(
            &ours.session,
            &ours.tree,
            Some(entry_of(&ours, id)),
            200_000,
        )
    };
    assert_eq!(
        (at("user-4").threshold, at("user-4").learned_from),
        (139_999, 0)
    );
    assert_eq!(
        (at("user-6").threshold, at("user-6").learned_from),
        (1304, 1)
    );
}

#[test]
fn only_ids_with_a_time_and_a_random_part_tell_of_forks() {
    assert!(Mux.is_unique_id("user-1780300000000-bb36erzvl"));
    assert!(Mux.is_unique_id("context-reset-1780300000000-bb36erzvl"));
    for id in [
        "summary-legacy-1",
        "request-0",
        "line:4",
        "user-1780300000000",
    ] {
        assert!(!Mux.is_unique_id(id), "{id}");
    }
}
