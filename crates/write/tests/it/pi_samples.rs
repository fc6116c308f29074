//! Every recorded session of pi, written from many of its entries.

use crate::reading::{appended, fresh, written_new};
use palimpsest_core::{EntryIx, EntryKind};
use palimpsest_formats::{InMemory, pi::Pi};
use palimpsest_write::{Change, Files, Kept, NewCompaction, Refusal};
use std::path::{Path, PathBuf};

/// The recorded sessions of an agent: they are read in place and are no part of the repository.
pub fn sessions_in(agent: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/samples");
    let mut found = Vec::new();
    let mut folders = vec![root.join(agent)];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else {
            continue;
        };
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path
                .extension()
                .is_some_and(|ending| ending == "jsonl" || ending == "json")
            {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// A number below `below` that is the same in every run.
pub fn pick(seed: u64, below: usize) -> usize {
    let bits = fresh(seed).random;
    ((bits >> 40) as usize) % below.max(1)
}

#[test]
fn the_context_of_what_is_written_is_the_one_predicted() {
    let files = sessions_in("pi");
    if files.is_empty() {
        eprintln!("SKIPPED: there are no recorded sessions of pi");
        return;
    }
    let mut checked = 0;
    for path in files {
        let bytes = std::fs::read(&path).unwrap();
        let original = InMemory::read(&Pi, &path.display().to_string(), bytes);
        // Version 1 holds megabytes, of which every write makes a copy.
        let entries = if original.session.entries.len() > 500 {
            3
        } else {
            25
        };
        for seed in 0..entries {
            checked += writes(&original, seed);
        }
    }
    assert!(checked > 500, "{checked} writes were compared");
    eprintln!("{checked} writes compared");
}

/// Writes one session in every way from one entry; how many ways there were.
fn writes(original: &InMemory, seed: u64) -> usize {
    let session = &original.session;
    let ix = |at: usize| EntryIx::new(at);
    let leaf = ix(pick(seed + 1, session.entries.len()));
    let context = original.context(Some(leaf));
    let branch = Change::BranchSummary {
        text: format!("Left behind {seed}: \u{2028} \"quoted\"\n\n- ü"),
        from: session.active_leaf,
        files: Files::default(),
    };
    let text = format!("Restored {seed}:\n\n> \"quoted\" ü");
    let said = Change::Message { text };
    let mut changes = vec![
        (Some(leaf), Change::None),
        (Some(leaf), branch),
        (Some(leaf), said),
    ];
    if let Some(compaction) = context.compaction {
        let text = "Another summary.".to_owned();
        let summary = compaction;
        changes.push((Some(leaf), Change::Replace { summary, text }));
        // Undone: the entry before it with its full context.
        let before = original.tree.parent(compaction);
        changes.push((before, Change::None));
    }
    let compacted = |after: EntryIx, kept: Kept| {
        let context = original.context(Some(after));
        Change::Compaction(Box::new(NewCompaction {
            text: format!("Summary {seed}."),
            after,
            tokens_before: context.projected,
            context,
            kept,
            files: Files::default(),
        }))
    };
    // Kept from some entry of the path, at the leaf and at an earlier entry.
    let path = &context.path;
    let first = context.selected[pick(seed + 2, context.selected.len())];
    changes.push((Some(leaf), compacted(leaf, Kept::From(first))));
    changes.push((Some(leaf), compacted(leaf, Kept::Nothing)));
    let is_message = |at: &EntryIx| matches!(session.entry(*at).kind, EntryKind::Message(_));
    let sent = original.context(Some(leaf)).selected;
    let some: Vec<EntryIx> = sent.into_iter().filter(is_message).step_by(3).collect();
    changes.push((Some(leaf), compacted(leaf, Kept::These(some))));
    let redo = context.compaction.and_then(|at| original.tree.parent(at));
    if let Some(after) = redo.filter(|at| path.contains(at)) {
        changes.push((Some(leaf), compacted(after, Kept::From(after))));
    }
    let mut compared = 0;
    for (leaf, change) in &changes {
        for written in [written_new, appended] {
            match written(original, *leaf, change, seed) {
                Ok(_) => compared += 1,
                Err(Refusal::OldVersion { .. } | Refusal::Empty | Refusal::RepeatedId { .. }) => {}
                Err(refused) => panic!("{} {leaf:?} {change:?}: {refused}", session.meta.path),
            }
        }
    }
    compared
}
