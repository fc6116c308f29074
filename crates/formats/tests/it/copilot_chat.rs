//! Chats of VS Code: journals and objects, the folder beside them, summaries, and what is taken back.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use crate::codex_disk::{Machine, MadeUp};
use crate::common::{fixtures_of, folder};
use palimpsest_core::entry::Trigger;
use palimpsest_core::{EntryIx, EntryKind};
use palimpsest_formats::account::account;
use palimpsest_formats::copilot_chat::CopilotChat;
use palimpsest_formats::{InMemory, SessionFormat, formats};
use std::path::{Path, PathBuf};

const WORKSPACE: &str = "/u/Code/User/workspaceStorage/0f3c";

fn disk() -> MadeUp {
    let chats = folder(&CopilotChat, "chats");
    let mut disk = MadeUp::default();
    for name in ["journal.jsonl", "object.json"] {
        let bytes = std::fs::read(chats.join(name)).unwrap();
        disk.0
            .insert(format!("{WORKSPACE}/chatSessions/{name}").into(), bytes);
    }
    let told = br#"{"folder": "file:///home/ada/light%20house"}"#;
    disk.0
        .insert(format!("{WORKSPACE}/workspace.json").into(), told.to_vec());
    disk
}

fn read(disk: &MadeUp, name: &str) -> InMemory {
    let path = PathBuf::from(format!("{WORKSPACE}/chatSessions/{name}"));
    let head = &disk.0[&path];
    let takers = formats().iter().filter(|format| format.sniff(&path, head));
    let takers: Vec<_> = takers.map(|format| format.agent()).collect();
    assert_eq!(takers, [CopilotChat.agent()], "{name}");
    let assembly = CopilotChat.assembly(&path, head).unwrap();
    let sessions = assembly.sessions(&path, disk).unwrap();
    InMemory::assembled(&CopilotChat, assembly, &sessions[0].address, disk).unwrap()
}

fn sent(ours: &InMemory, at: Option<EntryIx>) -> Vec<String> {
    let context = ours.context(at);
    let items = context.items.iter().map(|item| {
        let message = ours.format.item_message(&ours.session, item, ours).unwrap();
        format!("{} {}", item.native_role, message.text(""))
    });
    items.collect()
}

#[test]
fn a_journal_and_an_object_are_the_same_chat() {
    let disk = disk();
    let (journal, object) = (read(&disk, "journal.jsonl"), read(&disk, "object.json"));
    assert_eq!(journal.bytes(), object.bytes());
    let meta = &journal.session.meta;
    assert_eq!(meta.title.as_deref(), Some("The lamp"));
    assert_eq!(meta.cwd.as_deref(), Some("/home/ada/light house"));
    assert_eq!(meta.native_id, "5b1e7c52-0000-4000-8000-00000000c0de");
    assert_eq!(journal.session.warnings, []);
}

#[test]
fn the_older_file_of_a_journal_is_not_listed() {
    let mut disk = disk();
    let object = PathBuf::from(format!("{WORKSPACE}/chatSessions/journal.json"));
    disk.0.insert(object.clone(), b"{}".to_vec());
    let assembly = CopilotChat.assembly(&object, b"{").unwrap();
    assert_eq!(assembly.sessions(&object, &disk).unwrap(), []);
}

#[test]
fn the_newest_summary_replaces_what_it_goes_up_to() {
    let ours = read(&disk(), "object.json");
    let texts = sent(&ours, ours.session.active_leaf);
    assert_eq!(
        texts,
        [
            "compactionSummary 1. All about the lamp (summary 2).",
            "user /compact",
            "assistant Compacted the conversation.",
            "user Is it safe?",
            "assistant It is safe.",
            "user And at night?",
            "assistant At night lamp.rs shines.",
        ]
    );
    let compactions: Vec<_> = ours
        .session
        .entries
        .iter()
        .filter_map(|entry| match &entry.kind {
            EntryKind::Compaction(details) => details.trigger,
            _ => None,
        })
        .collect();
    assert_eq!(compactions, [Trigger::Auto, Trigger::Manual]);
}

#[test]
fn a_summary_in_the_middle_of_a_turn_keeps_the_rounds_behind_it() {
    let ours = read(&disk(), "object.json");
    let last = ours
        .session
        .indices()
        .find(|&ix| &*ours.session.entry(ix).preview == "It is brighter now.");
    let first = "compactionSummary 1. The lamp was measured and made brighter (summary 1).";
    assert_eq!(sent(&ours, last), [first, "assistant It is brighter now."]);
    let before = ours.tree.parent(ours.tree.parent(last.unwrap()).unwrap());
    let texts = sent(&ours, before);
    assert_eq!(texts.last().unwrap(), "tool ok\n(end)");
    assert_eq!(texts.len(), 8);
}

#[test]
fn what_is_taken_back_is_a_branch_of_its_own() {
    let ours = read(&disk(), "object.json");
    let green = ours
        .session
        .indices()
        .find(|&ix| &*ours.session.entry(ix).preview == "Green it is.");
    let on_path = ours.tree.path(ours.session.active_leaf.unwrap());
    assert!(!on_path.contains(&green.unwrap()));
    assert!(
        sent(&ours, green)
            .iter()
            .any(|text| text == "user Paint it green.")
    );
    let opaque = ours.session.entries.iter();
    let opaque = opaque.filter(|entry| matches!(entry.kind, EntryKind::Opaque { .. }));
    assert_eq!(opaque.count(), 1);
}

#[test]
fn special_ids_stand_for_the_request_before_and_for_the_prompt() {
    let files = fixtures_of(&CopilotChat, &["valid"]);
    let file = files
        .iter()
        .find(|file| file.stem() == "summaries-of-special-ids");
    let ours = file.unwrap().read();
    let at = |words: &str| {
        let mut all = ours.session.indices();
        all.find(|&ix| &*ours.session.entry(ix).preview == words)
    };
    let before = [
        "compactionSummary Of the request before.",
        "user Ask.",
        "assistant Answer.",
    ];
    assert_eq!(sent(&ours, at("Answer.")), before);
    let all = ["compactionSummary With the prompt.", "assistant Last."];
    assert_eq!(sent(&ours, at("Last.")), all);
}

#[test]
fn a_damaged_chat_is_read_as_far_as_it_goes() {
    let mut disk = disk();
    let path = PathBuf::from(format!("{WORKSPACE}/chatSessions/journal.jsonl"));
    let whole = disk.0[&path].clone();
    for end in (0..whole.len()).step_by(97) {
        disk.0.insert(path.clone(), whole[..end].to_vec());
        let assembly = CopilotChat.assembly(&path, b"").unwrap();
        let address = path.to_string_lossy();
        let ours = InMemory::assembled(&CopilotChat, assembly, &address, &disk).unwrap();
        let told = account(&ours.session, ours.bytes());
        assert_eq!(told.lost, [0u32; 0]);
    }
}

/// The constructed chats among the samples; skipped where they are absent.
#[test]
fn every_line_of_the_samples_is_accounted_for() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/samples/copilot");
    let folder = samples.join("constructed-vscode-chat/User/workspaceStorage");
    let folder = folder.join("0f3c1d2e4b5a69788796a5b4c3d2e1f0/chatSessions");
    let Ok(listing) = std::fs::read_dir(&folder) else {
        eprintln!("SKIPPED: no chats in {}", folder.display());
        return;
    };
    for path in listing.map(|item| item.unwrap().path()) {
        let assembly = CopilotChat.assembly(&path, b"").unwrap();
        let address = path.to_string_lossy();
        let ours = InMemory::assembled(&CopilotChat, assembly, &address, &Machine).unwrap();
        let told = account(&ours.session, ours.bytes());
        assert_eq!((told.lost.len(), told.warned), (0, 0), "{address}");
        let cwd = ours.session.meta.cwd.as_deref();
        assert!(cwd.is_some_and(|cwd| cwd.ends_with("/tally")), "{cwd:?}");
        let texts = sent(&ours, ours.session.active_leaf);
        assert!(texts[0].starts_with("compactionSummary") && texts[0].contains("#2"));
        assert_eq!(texts.len(), 5, "{texts:?}");
    }
}
