//! Every record of the shared Mux workspaces is accounted for, and usage adds up to what Mux itself
//! counted; skipped where they are absent.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use crate::codex_disk::Machine;
use palimpsest_core::entry::Trigger;
use palimpsest_core::{EntryKind, Usage};
use palimpsest_formats::account::account;
use palimpsest_formats::mux::Mux;
use palimpsest_formats::{Disk, InMemory, SessionFormat, formats};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The window of the model that the sample with automatic compactions was made with, in tokens.
const SMALL_WINDOW: u64 = 19_500;

/// The files of rows below the samples, each with the session it belongs to.
fn workspaces() -> Vec<(PathBuf, InMemory)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/samples/mux");
    let mut found = Vec::new();
    let mut folders = vec![folder.clone()];
    while let Some(folder) = folders.pop() {
        for path in Machine.list(&folder).unwrap_or_default() {
            if path.is_dir() && !Mux.is_internal(&path) {
                folders.push(path);
            } else if Mux.is_candidate(&path) {
                let head = Machine.read(&path, 65536).unwrap();
                let takers = formats().iter().filter(|format| format.sniff(&path, &head));
                assert_eq!(takers.count(), 1, "{}", path.display());
                let assembly = Mux.assembly(&path, &head).unwrap();
                for one in assembly.sessions(&path, &Machine).unwrap() {
                    let ours = InMemory::assembled(&Mux, assembly, &one.address, &Machine);
                    found.push((path.clone(), ours.unwrap()));
                }
            }
        }
    }
    if found.is_empty() {
        eprintln!("SKIPPED: no workspaces in {}", folder.display());
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

#[test]
fn every_record_is_accounted_for_without_a_warning() {
    for (path, ours) in workspaces() {
        let account = account(&ours.session, ours.bytes());
        assert_eq!(account.lost, [0u32; 0], "{}", path.display());
        assert_eq!(ours.session.warnings, [], "{}", path.display());
        // Rows of the workspace's files, and the records made of its journal and its configuration.
        let rows = ["chat-archive.jsonl", "chat.jsonl"].map(|name| {
            let bytes = std::fs::read(path.with_file_name(name)).unwrap_or_default();
            bytes.iter().filter(|byte| **byte == b'\n').count()
        });
        let is_row = |entry: &&palimpsest_core::Entry| {
            !matches!(entry.kind, EntryKind::UsageRecord { .. })
                && !entry.id.as_str().starts_with("request-")
        };
        let mut lines: Vec<u32> = ours
            .session
            .entries
            .iter()
            .filter(is_row)
            .map(|entry| entry.source.line)
            .collect();
        lines.dedup();
        assert_eq!(
            lines.len(),
            rows.iter().sum::<usize>(),
            "{}",
            path.display()
        );
        let meta = &ours.session.meta;
        let id = path.parent().unwrap().file_name().unwrap();
        assert_eq!(meta.native_id, id.to_string_lossy());
        assert!(meta.title.is_some() && meta.cwd.is_some() && meta.created_at_ms.is_some());
        assert_eq!(meta.branches.len(), 1);
    }
}

/// Mux adds up what each model used. Rows that were deleted are in its sum as well, and those that a
/// fork copied are not.
#[test]
fn usage_adds_up_to_what_mux_counted() {
    let mut equal = 0;
    for (path, ours) in workspaces() {
        let Ok(counted) = std::fs::read(path.with_file_name("session-usage.json")) else {
            continue;
        };
        let counted: Value = serde_json::from_slice(&counted).unwrap();
        let mut own = Usage::default();
        let begun = ours.session.meta.created_at_ms;
        let own_rows = ours
            .session
            .entries
            .iter()
            .filter(|entry| entry.at_ms >= begun);
        let usages = own_rows.filter_map(|entry| entry.usage);
        usages.for_each(|usage| own.add(&usage));
        let sum = |kind: &str| -> u64 {
            let models = counted["byModel"].as_object().unwrap().values();
            models
                .filter_map(|model| model[kind]["tokens"].as_u64())
                .sum()
        };
        let theirs = [
            sum("input") + sum("cached") + sum("cacheCreate"),
            sum("output") + sum("reasoning"),
        ];
        let ours = [own.input + own.cache_read + own.cache_write, own.output];
        assert!(
            ours[0] <= theirs[0] && ours[1] <= theirs[1],
            "{}: {ours:?} {theirs:?}",
            path.display()
        );
        equal += usize::from(ours == theirs);
    }
    assert!(equal >= 1 || workspaces().is_empty(), "none is equal");
}

/// Automatic compactions are where the policy says, with the window that the sample was made with.
#[test]
fn automatic_compactions_are_at_the_threshold() {
    let policy = Mux.policy(SMALL_WINDOW);
    let mut automatic = 0;
    for (path, ours) in workspaces() {
        let mut size = 0;
        for entry in &ours.session.entries {
            if let EntryKind::Compaction(told) = &entry.kind {
                if told.trigger == Some(Trigger::Auto) {
                    assert_eq!(told.tokens_before, Some(size), "{}", path.display());
                    assert!(size > policy.threshold, "{size} at {}", entry.id);
                    automatic += 1;
                }
                size = 0;
            }
            let is_small = entry
                .model
                .as_ref()
                .is_some_and(|model| model.model.contains("small"));
            if entry.kind == EntryKind::Message(palimpsest_core::Role::User) && is_small {
                assert!(size <= policy.threshold, "{size} before {}", entry.id);
            }
            if let Some(usage) = entry.usage.filter(|_| entry.usage_trusted) {
                size = usage.context_tokens();
            }
        }
    }
    assert!(
        automatic == 2 || workspaces().is_empty(),
        "{automatic} automatic compactions"
    );
}

#[test]
fn a_subagent_and_its_parent_name_each_other() {
    let all = workspaces();
    for (path, child) in &all {
        let Some(parent) = &child.session.meta.parent_session else {
            continue;
        };
        let parent = all
            .iter()
            .find(|(_, ours)| ours.session.meta.native_id == *parent);
        let (_, parent) = parent.unwrap();
        let mut links = parent.session.links.iter();
        let id = &child.session.meta.native_id;
        assert!(
            links.any(|link| link.native_id == *id),
            "{}",
            path.display()
        );
    }
}
