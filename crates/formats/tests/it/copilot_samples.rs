//! Every record of the shared Copilot sessions is accounted for, and usage adds up to what a count
//! over the raw records gives; skipped where the sessions are absent.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use crate::codex_disk::Machine;
use palimpsest_core::{EntryKind, Usage};
use palimpsest_formats::account::account;
use palimpsest_formats::copilot::Copilot;
use palimpsest_formats::{Disk, InMemory, SessionFormat, formats};
use serde_json::Value;
use std::path::{Path, PathBuf};

fn events(folder: &Path, found: &mut Vec<PathBuf>) {
    for path in Machine.list(folder).unwrap_or_default() {
        if path.is_dir() {
            events(&path, found);
        } else if Copilot.is_candidate(&path) {
            found.push(path);
        }
    }
}

fn samples() -> Vec<(PathBuf, InMemory)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/samples/copilot");
    let mut found = Vec::new();
    events(&folder, &mut found);
    if found.is_empty() {
        eprintln!("SKIPPED: no sessions in {}", folder.display());
    }
    let read = |path: PathBuf| {
        let bytes = std::fs::read(&path).unwrap();
        let takers = formats()
            .iter()
            .filter(|format| format.sniff(&path, &bytes));
        let takers: Vec<_> = takers.map(|format| format.agent()).collect();
        assert_eq!(takers, [Copilot.agent()], "{}", path.display());
        let ours = InMemory::read(&Copilot, &path.to_string_lossy(), bytes);
        (path, ours)
    };
    found.into_iter().map(read).collect()
}

#[test]
fn every_record_is_an_entry() {
    for (path, ours) in samples() {
        let told = account(&ours.session, ours.bytes());
        assert_eq!(
            (told.entries, told.warned),
            (told.lines, 0),
            "{}",
            path.display()
        );
        assert_eq!(ours.tree.roots().len(), 1, "{}", path.display());
        let opaque = ours.session.entries.iter();
        let opaque = opaque.filter(|entry| matches!(entry.kind, EntryKind::Opaque { .. }));
        assert_eq!(opaque.count(), 0, "{}", path.display());
    }
}

#[test]
fn usage_is_that_of_the_session_s_own_requests() {
    for (path, ours) in samples() {
        let text = String::from_utf8_lossy(ours.bytes()).into_owned();
        let own = ours.session.meta.native_id.clone();
        let (mut input, mut output, mut copied) = (0, 0, 0);
        let count = |value: &Value| value.as_u64().unwrap_or(0);
        for line in text.lines() {
            let record: Value = serde_json::from_str(line).unwrap();
            let usage = &record["data"]["usage"];
            let spent = &record["data"]["compactionTokensUsed"];
            let source = usage["accounting"]["sourceSessionId"].as_str();
            if source.is_some_and(|source| source != own) && record["agentId"].is_null() {
                copied += 1;
                continue;
            }
            input += count(&usage["inputTokens"]);
            output += count(&usage["outputTokens"]);
            if spent.is_object() && copied == 0 {
                input += count(&spent["inputTokens"]);
                output += count(&spent["outputTokens"]);
            }
        }
        let mut all = Usage::default();
        for usage in ours.session.entries.iter().filter_map(|entry| entry.usage) {
            all.add(&usage);
        }
        let read = (all.input + all.cache_read + all.cache_write, all.output);
        assert_eq!(read, (input, output), "{}", path.display());
    }
}

#[test]
fn forks_and_compactions_are_found() {
    let all = samples();
    let forks = all
        .iter()
        .filter(|(_, ours)| ours.session.meta.parent_session.is_some());
    let is_compaction = |ours: &InMemory| {
        let entries = ours.session.entries.iter();
        let own = entries.filter(|entry| matches!(entry.kind, EntryKind::Compaction(_)));
        own.count()
    };
    let compactions: usize = all.iter().map(|(_, ours)| is_compaction(ours)).sum();
    if !all.is_empty() {
        assert_eq!((forks.count(), compactions), (3, 6));
    }
}
