//! Continue's sessions as they are put together from their files.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use crate::codex_disk::{Machine, MadeUp};
use crate::common::folder;
use palimpsest_core::{EntryKind, Role};
use palimpsest_formats::account::account;
use palimpsest_formats::continue_dev::Continue;
use palimpsest_formats::{Disk, InMemory, SessionFormat, formats};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const ID: &str = "00000000-0000-4000-8000-000000000001";

fn fixture(name: &str) -> InMemory {
    let path = folder(&Continue, "valid").join(format!("{name}.jsonl"));
    InMemory::read(&Continue, "x", std::fs::read(path).unwrap())
}

fn read(disk: &dyn Disk, path: &Path) -> InMemory {
    let head = disk.read(path, 65536).unwrap();
    assert!(Continue.is_candidate(path), "{}", path.display());
    let takers = formats().iter().filter(|format| format.sniff(path, &head));
    assert_eq!(takers.count(), 1, "{}", path.display());
    let assembly = Continue.assembly(path, &head).unwrap();
    let address = path.to_str().unwrap();
    let ours = InMemory::assembled(&Continue, assembly, address, disk).unwrap();
    assert_eq!(account(&ours.session, ours.bytes()).lost, [0u32; 0]);
    ours
}

/// The file that the lines of a fixture come from.
fn file_of(name: &str) -> Value {
    let ours = fixture(name);
    let text = String::from_utf8(ours.bytes().to_vec()).unwrap();
    let mut lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let mut session = lines.remove(0);
    let totals = lines.pop().unwrap();
    session["history"] = lines.into();
    session["usage"] = totals["usage"].clone();
    session
}

#[test]
fn a_file_and_its_list_become_one_session() {
    let mut session = file_of("editor");
    session.as_object_mut().unwrap().remove("dateCreated");
    let path = PathBuf::from(format!("/home/ada/.continue/sessions/{ID}.json"));
    let mut disk = MadeUp::default();
    let text = serde_json::to_vec_pretty(&session).unwrap();
    disk.0.insert(path.clone(), text.clone());
    let list = json!([{"sessionId": "x"}, {"sessionId": ID, "dateCreated": "1772359200000"}]);
    let list_path = path.with_file_name("sessions.json");
    disk.0
        .insert(list_path.clone(), list.to_string().into_bytes());
    let ours = read(&disk, &path);
    let same = fixture("editor");
    assert_eq!(ours.session.meta.created_at_ms, Some(1_772_359_200_000));
    assert_eq!(ours.session.meta.native_id, ID);
    let kinds = |own: &InMemory| -> Vec<(String, u64)> {
        let entries = own.session.entries.iter();
        entries
            .map(|entry| (entry.id.to_string(), entry.estimate()))
            .collect()
    };
    assert_eq!(kinds(&ours), kinds(&same));
    // Torn while it is written, and beside a list that is.
    disk.0
        .insert(path.clone(), text[..text.len() * 2 / 3].to_vec());
    disk.0.insert(list_path, b"[{".to_vec());
    let torn = read(&disk, &path);
    assert!(torn.session.entries.len() < ours.session.entries.len());
    assert!(!torn.session.entries.is_empty());
    assert_eq!(
        torn.session.warnings.len(),
        1,
        "{:?}",
        torn.session.warnings
    );
}

#[test]
fn what_stands_behind_a_summary_is_sent_with_it() {
    let roles = |ours: &InMemory| -> Vec<(Role, &'static str)> {
        let context = ours.context(ours.session.active_leaf);
        let items = context.items.iter().filter(|item| item.sent);
        items.map(|item| (item.role, item.native_role)).collect()
    };
    assert_eq!(
        roles(&fixture("editor")),
        [
            (Role::System, "summary"),
            (Role::User, "user"),
            (Role::Assistant, "assistant")
        ]
    );
    // The command line sends the summary as the reply that it stores.
    assert_eq!(
        roles(&fixture("command-line")),
        [
            (Role::Assistant, "summary"),
            (Role::User, "user"),
            (Role::Assistant, "assistant"),
            (Role::Tool, "tool"),
            (Role::Assistant, "assistant")
        ]
    );
}

#[test]
fn results_of_calls_are_put_in_behind_them() {
    let ours = fixture("editor");
    let ix = ours
        .session
        .indices()
        .find(|&ix| !ours.session.entry(ix).tool_calls.is_empty());
    let context = ours.context(ix);
    let texts: Vec<String> = context
        .items
        .iter()
        .filter(|item| item.role == Role::Tool)
        .map(|item| {
            let message = ours.format.item_message(&ours.session, item, &ours);
            message.unwrap().text("")
        })
        .collect();
    let expected = [
        "pass\n\n1 line",
        "No such text.",
        "The user cancelled this tool call.",
        "No tool output",
    ];
    assert_eq!(texts, expected);
}

#[test]
fn what_no_reply_names_was_spent_elsewhere() {
    let ours = fixture("command-line");
    let spent: Vec<_> = ours
        .session
        .entries
        .iter()
        .filter_map(|entry| entry.usage)
        .map(|usage| (usage.input, usage.cache_read, usage.output, usage.cost_usd))
        .collect();
    assert_eq!(spent.len(), 2);
    assert_eq!(spent[0], (100, 20, 9, Some(0.02)));
    assert_eq!((spent[1].0, spent[1].1, spent[1].2), (780, 0, 71));
    assert!((spent[1].3.unwrap() - 0.07).abs() < 1e-9);
}

#[test]
fn the_command_line_compacts_at_half_of_the_window() {
    let policy = |window| Continue.policy(window);
    assert_eq!(
        (policy(200_000).threshold, policy(200_000).reserve),
        (103_999, 70_000)
    );
    assert_eq!(policy(0).threshold, 0);
}

#[test]
fn samples_are_read_whole() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/samples/continue");
    let mut found = 0;
    for run in Machine.list(&folder).unwrap_or_default() {
        for path in Machine.list(&run).unwrap_or_default() {
            if !Continue.is_candidate(&path) {
                continue;
            }
            found += 1;
            let ours = read(&Machine, &path);
            assert_eq!(ours.session.warnings, []);
            let text = std::fs::read_to_string(&path).unwrap();
            let stored: Value = serde_json::from_str(&text).unwrap();
            let items = stored["history"].as_array().unwrap();
            let is_item = |kind: &EntryKind| !matches!(kind, EntryKind::UsageRecord { .. });
            let entries = ours.session.entries.iter();
            assert_eq!(
                entries.filter(|entry| is_item(&entry.kind)).count(),
                items.len()
            );
            assert!(ours.session.meta.created_at_ms.is_some());
        }
    }
    if found == 0 {
        eprintln!("SKIPPED: no sessions in {}", folder.display());
    }
}
