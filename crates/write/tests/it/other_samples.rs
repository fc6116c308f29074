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
        let entries = if original.session.entries.len() > 500 {
            1
        } else {
            12
        };
        for seed in 0..entries {
            for (leaf, change) in changes(&original, seed) {
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
    }
    eprintln!("{folder}: {counts:?}");
    counts
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
