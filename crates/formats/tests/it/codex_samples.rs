//! Every record of the shared Codex rollouts is accounted for, and usage adds up to what a count
//! over the raw records gives; skipped where the rollouts are absent.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use crate::codex_disk::Machine;
use palimpsest_core::Usage;
use palimpsest_formats::account::account;
use palimpsest_formats::codex::Codex;
use palimpsest_formats::{Disk, InMemory, SessionFormat, formats};
use serde_json::Value;
use std::path::{Path, PathBuf};

fn rollouts(folder: &Path, found: &mut Vec<PathBuf>) {
    for path in Machine.list(folder).unwrap_or_default() {
        if path.is_dir() {
            rollouts(&path, found);
        } else if path
            .extension()
            .is_some_and(|extension| extension == "jsonl")
        {
            found.push(path);
        }
    }
}

fn samples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/samples/codex");
    let mut found = Vec::new();
    rollouts(&folder, &mut found);
    if found.is_empty() {
        eprintln!("SKIPPED: no rollouts in {}", folder.display());
    }
    found
}

/// The session, and the bytes it was read from.
fn read(path: &Path) -> (InMemory, Vec<u8>) {
    let address = path.to_string_lossy();
    let bytes = std::fs::read(path).unwrap();
    match Codex.assembly(path, &bytes[..bytes.len().min(65536)]) {
        Some(assembly) => {
            let ours = InMemory::assembled(&Codex, assembly, &address, &Machine).unwrap();
            (ours, assembly.document(&address, &Machine).unwrap().bytes)
        }
        None => (InMemory::read(&Codex, &address, bytes.clone()), bytes),
    }
}

#[test]
fn every_record_is_an_entry_or_merged_into_one() {
    for path in samples() {
        let head = std::fs::read(&path).unwrap();
        let takers = formats().iter().filter(|format| format.sniff(&path, &head));
        assert_eq!(takers.count(), 1, "{}", path.display());
        let (ours, bytes) = read(&path);
        let account = account(&ours.session, &bytes);
        eprintln!(
            "{}: {} records, {} entries, {} merged",
            path.display(),
            account.lines,
            account.entries,
            account.merged
        );
        assert_eq!(account.lost, Vec::<u32>::new(), "{}", path.display());
        assert_eq!(
            account.entries + account.merged,
            account.lines,
            "{}",
            path.display()
        );
        assert!(ours.session.warnings.is_empty(), "{}", path.display());
        let roots = ours.tree.roots().len();
        assert_eq!(roots, 1, "{}", path.display());
        assert_eq!(ours.session.active_leaf, ours.tree.leaves().last().copied());
    }
}

/// The figures of one usage, in Codex's terms.
fn figures(usage: &Value) -> [u64; 4] {
    [
        "input_tokens",
        "cached_input_tokens",
        "output_tokens",
        "total_tokens",
    ]
    .map(|key| usage[key].as_u64().unwrap())
}

fn sum(mut a: [u64; 4], b: [u64; 4]) -> [u64; 4] {
    for (a, b) in a.iter_mut().zip(b) {
        *a += b;
    }
    a
}

#[test]
fn usage_is_that_of_the_threads_own_ledger() {
    for path in samples() {
        let text = std::fs::read_to_string(&path).unwrap();
        let records: Vec<Value> = text
            .lines()
            .map(|l| serde_json::from_str(l).unwrap())
            .collect();
        let thread = &records[0]["payload"]["id"];
        let ledger = records.iter().filter(|record| {
            record["type"] == "token_usage_record" && record["payload"]["thread_id"] == *thread
        });
        let raw = ledger.fold([0; 4], |all, record| {
            sum(all, figures(&record["payload"]["usage"]))
        });
        let (ours, _) = read(&path);
        let mut all = Usage::default();
        for usage in ours
            .session
            .entries
            .iter()
            .filter_map(|entry| entry.spent())
        {
            all.add(usage);
        }
        let read = [
            all.input + all.cache_read + all.cache_write,
            all.cache_read,
            all.output,
            all.total,
        ];
        assert_eq!(read, raw, "{}", path.display());
        assert!(raw[0] > 0, "{} has no usage", path.display());
        // The running total of a thread that was not forked says the same.
        let is_fork = !records[0]["payload"]["forked_from_id"].is_null()
            || !records[0]["payload"]["history_base"].is_null();
        let total = records.iter().rev().find_map(|record| {
            record["payload"]["info"]
                .get("total_token_usage")
                .map(figures)
        });
        if !is_fork {
            assert_eq!(total, Some(raw), "{}", path.display());
        }
    }
}

#[test]
fn compactions_have_their_replacement() {
    let mut seen = 0;
    for path in samples() {
        let (ours, _) = read(&path);
        for ix in ours.session.indices() {
            let palimpsest_core::EntryKind::Compaction(details) = &ours.session.entry(ix).kind
            else {
                continue;
            };
            seen += 1;
            let context = ours.context(Some(ix));
            let entry = ours.session.entry(ix);
            assert_eq!(
                context.items.len(),
                details.kept.len() + entry.messages.len()
            );
            assert!(
                details.tokens_before > details.tokens_after,
                "{}",
                path.display()
            );
            // The request for the summary sends no tools, so that it is smaller than the one before it.
            let replies = ours.session.entries[..ix.get()].iter();
            let last = replies.rev().find(|entry| entry.usage_trusted).unwrap();
            let size = last.usage.unwrap().context_tokens();
            assert_eq!(details.tokens_before, Some(size), "{}", path.display());
            assert!(details.trigger.is_some() && details.duration_ms.is_some());
            assert!(!details.kept.is_empty());
        }
    }
    assert!(seen > 0 || samples().is_empty());
}
