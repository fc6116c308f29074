//! Saved chats of a Coder server. All of them are made up from its documentation.

#![allow(
    clippy::unwrap_used,
    reason = "a fixture that cannot be read fails its test"
)]

use crate::codex_disk::Machine;
use crate::common::read_whole;
use palimpsest_core::entry::Trigger;
use palimpsest_core::session::LinkKind;
use palimpsest_core::{EntryIx, EntryKind};
use palimpsest_formats::account::account;
use palimpsest_formats::coder::Coder;
use palimpsest_formats::{Disk, InMemory, SessionFormat, sniff};
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/coder")
}

fn saved(name: &str) -> InMemory {
    let path = folder().join("saved").join(name);
    let head = Machine.read(&path, 65536).unwrap();
    assert_eq!(sniff(&path, &head).unwrap().agent(), Coder.agent());
    let assembly = Coder.assembly(&path, &head).unwrap();
    let address = &assembly.sessions(&path, &Machine).unwrap()[0].address;
    let ours = InMemory::assembled(&Coder, assembly, address, &Machine).unwrap();
    assert_eq!(account(&ours.session, ours.bytes()).lost, [0u32; 0]);
    ours
}

fn sent(ours: &InMemory, id: &str) -> Vec<String> {
    let at: EntryIx = ours.session.by_id()[id];
    let context = ours.context(Some(at));
    let items = context.items.iter().filter(|item| item.sent);
    let told = items.map(|item| {
        let message = ours.format.item_message(&ours.session, item, ours).unwrap();
        format!("{} {}", item.native_role, message.text("|"))
    });
    told.collect()
}

#[test]
fn messages_are_in_the_order_of_their_numbers() {
    let ours = saved("coder-chat.json");
    let ids: Vec<&str> = ours
        .session
        .entries
        .iter()
        .map(|entry| entry.id.as_str())
        .collect();
    assert_eq!(ids, ["window-5", "5", "6", "7", "8", "9", "10", "11"]);
    assert_eq!(
        Coder.window(&ours.session, &ours.tree, ours.session.active_leaf),
        Some(200_000)
    );
    let meta = &ours.session.meta;
    assert_eq!(meta.title.as_deref(), Some("Wind the clock"));
    assert!(meta.native_id.ends_with("c0de"));
    assert_eq!(ours.session.links[0].kind, LinkKind::Subagent);
}

#[test]
fn pages_that_overlap_are_one_chat() {
    let ours = saved("pages.json");
    assert_eq!(ours.session.entries.len(), 13);
    // Only a session with a header is opened.
    assert!(read_whole(&Coder, ours.bytes()).state.has_header);
    assert_eq!(
        ours.session.meta.title.as_deref(),
        Some("The clock has stopped. Wind it.")
    );
    // What waits to be sent has no number.
    assert!(ours.session.entries[12].id.as_str().starts_with("line:"));
}

#[test]
fn a_compaction_leaves_its_summary_and_the_system_s_messages() {
    let path = folder().join("valid/summarized.jsonl");
    let ours = InMemory::read(&Coder, "x", std::fs::read(path).unwrap());
    let compaction = ours
        .session
        .entries
        .iter()
        .find_map(|entry| match &entry.kind {
            EntryKind::Compaction(told) => Some(told),
            _ => None,
        });
    let told = compaction.unwrap();
    assert_eq!(
        (told.trigger, told.tokens_before),
        (Some(Trigger::Auto), Some(2020))
    );
    assert_eq!(sent(&ours, "5").len(), 6);
    assert_eq!(
        sent(&ours, "8"),
        [
            "system You look after clocks.",
            "summary The clock was wound with the brass key.",
            "user Does it run?",
        ]
    );
    assert_eq!(
        sent(&ours, "11"),
        ["system You look after clocks.", "user What time is it?"]
    );
    let reply = ours.session.by_id()["5"];
    let usage = ours.session.entry(reply).usage.unwrap();
    assert_eq!(usage.context_tokens(), 2020);
    assert_eq!(Coder.policy(200_000).threshold, 139_999);
}
