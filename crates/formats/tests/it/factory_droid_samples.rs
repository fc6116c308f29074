//! Every record of the shared Droid sessions is accounted for, and their totals are those beside
//! them; skipped where the sessions are absent.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use crate::codex_disk::Machine;
use palimpsest_core::{EntryKind, Usage};
use palimpsest_formats::account::account;
use palimpsest_formats::factory_droid::FactoryDroid;
use palimpsest_formats::{Disk, InMemory, SessionFormat, formats};
use std::path::{Path, PathBuf};

fn below(folder: &Path, found: &mut Vec<PathBuf>) {
    for path in Machine.list(folder).unwrap_or_default() {
        if path.is_dir() {
            below(&path, found);
        } else if FactoryDroid.is_candidate(&path) {
            found.push(path);
        }
    }
}

fn samples() -> Vec<(PathBuf, InMemory)> {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/samples/factory-droid");
    let mut found = Vec::new();
    below(&folder, &mut found);
    if found.is_empty() {
        eprintln!("SKIPPED: no sessions in {}", folder.display());
    }
    let read = |path: PathBuf| {
        let assembly = FactoryDroid.assembly(&path, b"").unwrap();
        let address = path.to_string_lossy().into_owned();
        let ours = InMemory::assembled(&FactoryDroid, assembly, &address, &Machine).unwrap();
        (path, ours)
    };
    found.into_iter().map(read).collect()
}

#[test]
fn every_record_is_an_entry_or_a_header() {
    for (path, ours) in samples() {
        let head = std::fs::read(&path).unwrap();
        let takers = formats().iter().filter(|format| format.sniff(&path, &head));
        assert_eq!(takers.count(), 1, "{}", path.display());
        let account = account(&ours.session, ours.bytes());
        assert_eq!(account.lost, [0u32; 0], "{}", path.display());
        assert_eq!(account.merged, 0, "{}", path.display());
        assert_eq!(ours.session.warnings, [], "{}", path.display());
        assert_eq!(ours.tree.roots().len(), 1, "{}", path.display());
        let opaque = |kind: &EntryKind| matches!(kind, EntryKind::Opaque { .. });
        let mut kinds = ours.session.entries.iter().map(|entry| &entry.kind);
        assert!(!kinds.any(opaque), "{}", path.display());
    }
}

/// The sum over a session and those it continues is what its settings say.
#[test]
fn usage_adds_up_to_the_totals() {
    for (path, ours) in samples() {
        let mut all = Usage::default();
        let mut own = Some(path.clone());
        while let Some(file) = own {
            let address = file.to_string_lossy().into_owned();
            let assembly = FactoryDroid.assembly(&file, b"").unwrap();
            let read = InMemory::assembled(&FactoryDroid, assembly, &address, &Machine).unwrap();
            for usage in read.session.entries.iter().filter_map(|entry| entry.usage) {
                all.add(&usage);
            }
            let meta = &read.session.meta;
            let continues = meta.parent_kind == Some(palimpsest_core::LinkKind::Continues);
            let before = meta.parent_session.clone().filter(|_| continues);
            own = before.map(|id| file.with_file_name(format!("{id}.jsonl")));
        }
        let settings = std::fs::read(path.with_extension("settings.json")).unwrap();
        let settings: serde_json::Value = serde_json::from_slice(&settings).unwrap();
        let told = |key: &str| settings["tokenUsage"][key].as_u64().unwrap();
        assert_eq!(
            [all.input, all.output, all.cache_read, all.cache_write],
            [
                told("inputTokens"),
                told("outputTokens"),
                told("cacheReadTokens"),
                told("cacheCreationTokens")
            ],
            "{}",
            path.display()
        );
        assert!(!ours.session.entries.is_empty());
    }
}

#[test]
fn compactions_summarize_what_stands_above_them() {
    let mut found = Vec::new();
    for (_, ours) in samples() {
        for ix in ours.session.indices() {
            let EntryKind::Compaction(told) = &ours.session.entry(ix).kind else {
                continue;
            };
            let path = ours.tree.path(ix);
            let before = &path[..path.len() - 1];
            assert!(before.len() > 5, "a compaction of nothing");
            let kept = told.first_kept;
            let kept = kept.and_then(|first| before.iter().position(|&own| own == first));
            let kept = kept.map(|at| before.len() - at);
            found.push((told.trigger.unwrap().name(), kept));
        }
    }
    if !found.is_empty() {
        found.sort_unstable();
        // The second manual one is read behind the first, which is in its file's history.
        let manual = ("manual", None);
        let auto = [("auto", Some(8)), ("auto", Some(13))];
        assert_eq!(found, [auto[0], auto[1], manual, manual, manual]);
    }
}
