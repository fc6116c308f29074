//! Recorded sessions of Claude Code and Codex, written as new sessions from many of their entries.

use crate::pi_samples::{pick, sessions_in};
use crate::reading::{read, written_new};
use palimpsest_core::{EntryIx, EntryKind, Role};
use palimpsest_formats::{
    InMemory, SessionFormat, claude_code::ClaudeCode, codex::Codex, opencode::OpenCode,
};
use palimpsest_write::{Change, Files, Kept, NewCompaction, Refusal};

#[test]
fn claude_code_reads_the_context_that_was_predicted() {
    let [compared, refused] = compare(&ClaudeCode, "claude-code");
    assert!(
        compared == 0 || compared > 10 * refused,
        "{compared} and {refused} refused"
    );
}

#[test]
fn codex_reads_the_context_that_was_predicted() {
    let [compared, refused] = compare(&Codex, "codex");
    assert!(
        compared == 0 || compared > 10 * refused,
        "{compared} and {refused} refused"
    );
}

#[test]
fn opencode_reads_the_context_that_was_predicted() {
    let [compared, refused] = compare(&OpenCode, "opencode");
    assert!(
        compared == 0 || compared > 10 * refused,
        "{compared} and {refused} refused"
    );
}

/// How many writes were compared, and how many refused.
fn compare(format: &'static dyn SessionFormat, folder: &str) -> [usize; 2] {
    let files = sessions_in(folder);
    if files.is_empty() {
        eprintln!("SKIPPED: there are no recorded sessions of {folder}");
    }
    let mut counts = [0, 0];
    for path in files {
        let bytes = std::fs::read(&path).unwrap();
        if !format.sniff(&path, &bytes[..bytes.len().min(1 << 16)]) {
            continue;
        }
        let Some(original) = read(format, &path, bytes) else {
            continue;
        };
        // Of short sessions as many as they have entries.
        let entries = match original.session.entries.len() as u64 {
            501.. => 1,
            61.. => 12,
            few => few,
        };
        let replaced = replaced(&original).into_iter().map(|own| (0, own));
        let changes = (0..entries).flat_map(|seed| {
            let several = changes(&original, seed).into_iter();
            several.map(move |own| (seed, own))
        });
        for (seed, (leaf, change)) in changes.chain(replaced) {
            match written_new(&original, Some(leaf), &change, seed) {
                Ok(_) => counts[0] += 1,
                Err(Refusal::Empty | Refusal::Subagent { .. }) => {}
                Err(refused) => {
                    eprintln!("{}: {refused}", path.display());
                    counts[1] += 1;
                }
            }
        }
    }
    eprintln!("{folder}: {counts:?}");
    counts
}

/// Each stored compaction replaced by another one that keeps nothing, all, or from each prompt on;
/// the session goes on to the last entry before the next compaction.
fn replaced(original: &InMemory) -> Vec<(EntryIx, Change)> {
    let session = &original.session;
    let Some(leaf) = session.active_leaf else {
        return Vec::new();
    };
    let path = original.tree.path(leaf);
    let is_compaction = |ix: &EntryIx| matches!(session.entry(*ix).kind, EntryKind::Compaction(_));
    let is_record = |ix: &EntryIx| matches!(session.entry(*ix).kind, EntryKind::Custom { .. });
    let mut changes = Vec::new();
    for (at, ix) in path.iter().enumerate() {
        if !is_compaction(ix) || session.entries.len() > 500 {
            continue;
        }
        let Some(&after) = path[..at].iter().rfind(|ix| !is_record(ix)) else {
            continue;
        };
        let mut rest = path[at + 1..].iter().copied();
        let next = rest.position(|ix| is_compaction(&ix)).map(|next| at + next);
        let last = path[..=next.unwrap_or(path.len() - 1)]
            .iter()
            .rfind(|ix| !is_record(ix));
        let context = original.context(Some(after));
        let is_prompt = |ix: &EntryIx| session.entry(*ix).kind == EntryKind::Message(Role::User);
        let prompts = context.selected.iter().copied().filter(is_prompt);
        let kept = prompts.map(Kept::From).chain([Kept::Nothing]);
        for kept in kept.collect::<Vec<_>>() {
            let new = NewCompaction {
                text: "Another compaction.".to_owned(),
                after,
                tokens_before: context.projected,
                context: context.clone(),
                kept,
                files: Files::default(),
            };
            changes.extend(last.map(|&leaf| (leaf, Change::Compaction(Box::new(new)))));
        }
    }
    changes
}

/// An entry at which the agent continues, and what may change there.
fn changes(original: &InMemory, seed: u64) -> Vec<(EntryIx, Change)> {
    let session = &original.session;
    // An agent continues behind a message that ends a turn, and not within one.
    let ends = |ix: &EntryIx| {
        let entry = session.entry(*ix);
        let is_reply = entry.kind == EntryKind::Message(Role::Assistant);
        is_reply && entry.tool_calls.is_empty() && !entry.recovered && !entry.sidechain
    };
    let usable: Vec<EntryIx> = session.indices().filter(ends).collect();
    if usable.is_empty() {
        return Vec::new();
    }
    let leaf = usable[pick(seed + 1, usable.len())];
    let context = original.context(Some(leaf));
    let mut changes = vec![(leaf, Change::None)];
    changes.push((
        leaf,
        Change::BranchSummary {
            text: format!("Left behind {seed}: \"quoted\"\n\n- ü"),
            from: session.active_leaf,
            files: Files::default(),
        },
    ));
    let text = format!("Restored {seed}:\n\n> \"quoted\" ü");
    changes.push((leaf, Change::Message { text }));
    if let Some(summary) = context.compaction {
        let text = "Another summary.".to_owned();
        changes.push((leaf, Change::Replace { summary, text }));
    }
    let is_prompt = |ix: &EntryIx| session.entry(*ix).kind == EntryKind::Message(Role::User);
    let prompt = context.selected.iter().copied().rfind(is_prompt);
    for kept in [Some(Kept::Nothing), prompt.map(Kept::From)] {
        let Some(kept) = kept else { continue };
        let context = context.clone();
        let new = NewCompaction {
            text: format!("Summary {seed}."),
            after: leaf,
            tokens_before: context.projected,
            context,
            kept,
            files: Files::default(),
        };
        changes.push((leaf, Change::Compaction(Box::new(new))));
    }
    changes
}
