//! Flags that need a ledger: what a summary lost and what came of it.

use super::flagged::Flagged;
use crate::error::Result;
use crate::session::OpenSession;
use crate::summary::Material;
use palimpsest_core::flag::Flag;
use palimpsest_core::ledger::{Fact, FactKind, FactStatus, FileRole, Ledger};
use palimpsest_core::{Bodies as _, EntryIx, EntryKind, Role};

/// Files read again that make a storm.
const STORM: usize = 5;

/// Words by which a request for a summary is known; none of them is about the work itself.
const REQUESTS: [&str; 14] = [
    "<analysis>",
    "</analysis>",
    "your task is to create a",
    "create a detailed summary of",
    "write a summary of the conversation",
    "summarize the conversation",
    "summary of the conversation so far that",
    "respond with text only",
    "do not call any tools",
    "do not use any tools",
    "output only the summary",
    "do not continue the conversation",
    "additional summarization instructions",
    "wrap your analysis",
];

/// Words by which a summary says that no file was changed.
const NO_FILES: [&str; 6] = [
    "no files were modified",
    "no files were changed",
    "no files were edited",
    "no files have been modified",
    "no files have been changed",
    "no code changes were made",
];

/// Fewest words of the user's instructions that are looked for in a summary.
const LEAST_INSTRUCTION: usize = 5;

/// The flags of a compaction that its ledger shows.
pub fn of_summary(
    open: &OpenSession,
    compaction: EntryIx,
    material: &Material,
    ledger: &Ledger,
) -> Result<Vec<Flagged>> {
    let mut found = Vec::new();
    found.extend(leaked(open, compaction, material)?);
    found.extend(reread(compaction, ledger));
    found.extend(file_list(open, compaction, material, ledger));
    found.extend(broken(compaction, ledger));
    Ok(found)
}

fn leaked(open: &OpenSession, ix: EntryIx, material: &Material) -> Result<Option<Flagged>> {
    let summary = material.summary.to_lowercase();
    if let Some(words) = REQUESTS.iter().find(|words| summary.contains(**words)) {
        let detail = format!("The summary contains \"{words}\".");
        return Ok(Some(Flagged::new(
            Flag::LeakedRequest,
            ix,
            vec![ix],
            detail,
        )));
    }
    if let EntryKind::Compaction(info) = &open.session.entry(ix).kind
        && let Some(instructions) = &info.instructions
    {
        let words: Vec<&str> = instructions.split_whitespace().collect();
        let plain = summary.split_whitespace().collect::<Vec<_>>().join(" ");
        if words.len() >= LEAST_INSTRUCTION && plain.contains(&words.join(" ").to_lowercase()) {
            let detail = "The summary contains the user's instructions for it.";
            return Ok(Some(Flagged::new(
                Flag::LeakedRequest,
                ix,
                vec![ix],
                detail,
            )));
        }
    }
    let replies = material.cut.later.iter().copied();
    let mut replies = replies.filter(|own| {
        let entry = open.session.entry(*own);
        matches!(entry.kind, EntryKind::Message(Role::Assistant)) && !entry.sidechain
    });
    let Some(first) = replies.next() else {
        return Ok(None);
    };
    let body = open.bodies.body(first)?;
    let said: Vec<String> = body.messages.iter().map(|own| own.text("\n")).collect();
    let reply = said.join("\n");
    let headings: Vec<&str> = headings(&material.summary).collect();
    let same = headings_of(&reply, &headings);
    Ok((same >= 2).then(|| {
        let detail = "The first reply after it is another summary with the same headings.";
        Flagged::new(Flag::LeakedRequest, ix, vec![first], detail)
    }))
}

fn headings(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .map(str::trim)
        .filter(|line| line.starts_with("## ") || line.starts_with("### "))
}

fn headings_of(reply: &str, known: &[&str]) -> usize {
    let mut same: Vec<&str> = headings(reply).filter(|own| known.contains(own)).collect();
    same.sort_unstable();
    same.dedup();
    same.len()
}

fn reread(ix: EntryIx, ledger: &Ledger) -> Option<Flagged> {
    let again = ledger.facts.iter().filter(|fact| {
        let was_read = matches!(
            fact.details.file_role,
            Some(FileRole::Edited | FileRole::Read)
        );
        fact.kind == FactKind::Path && was_read && !fact.needed_later.is_empty()
    });
    let again: Vec<&Fact> = again.collect();
    if again.len() < STORM {
        return None;
    }
    let mut entries: Vec<EntryIx> = again.iter().map(|fact| fact.needed_later[0]).collect();
    entries.sort_unstable();
    entries.dedup();
    let detail = format!("{} files are read again.", again.len());
    Some(Flagged::new(Flag::Reread, ix, entries, detail))
}

fn file_list(
    open: &OpenSession,
    ix: EntryIx,
    material: &Material,
    ledger: &Ledger,
) -> Option<Flagged> {
    let edited: Vec<&Fact> = ledger
        .facts
        .iter()
        .filter(|fact| {
            fact.details.file_role == Some(FileRole::Edited) && fact.details.generation == 0
        })
        .collect();
    let first = |fact: &Fact| fact.places.first().map(|place| place.entry);
    let summary = material.summary.to_lowercase();
    if let Some(words) = NO_FILES.iter().find(|words| summary.contains(**words))
        && !edited.is_empty()
    {
        let entries = edited.iter().filter_map(|fact| first(fact)).collect();
        let detail = format!(
            "The summary says \"{words}\", and {} edited.",
            files(edited.len())
        );
        return Some(Flagged::new(Flag::FileList, ix, entries, detail));
    }
    let EntryKind::Compaction(info) = &open.session.entry(ix).kind else {
        return None;
    };
    // Agents without lists have nothing that could disagree.
    if info.modified_files.is_empty() && info.read_files.is_empty() {
        return None;
    }
    let listed = |fact: &Fact| {
        let ends = |long: &str, short: &str| {
            long.strip_suffix(short)
                .is_some_and(|before| before.is_empty() || before.ends_with('/'))
        };
        let own = fact.text.trim_start_matches("./");
        info.modified_files
            .iter()
            .any(|file| ends(file, own) || ends(own, file.trim_start_matches("./")))
    };
    // Only what the agent's own tools edit is in its lists.
    let by_tool = |fact: &&&Fact| {
        fact.places.iter().any(|place| {
            let calls = &open.session.entry(place.entry).tool_calls;
            let writes = calls.iter().filter(|call| {
                use palimpsest_core::entry::FileAccess::{Edit, Write};
                matches!(call.access, Some(Edit | Write))
            });
            let mut paths = writes.filter_map(|call| call.path.as_deref());
            paths.any(|path| path.ends_with(fact.text.trim_start_matches("./")))
        })
    };
    let missing: Vec<&&Fact> = edited
        .iter()
        .filter(by_tool)
        .filter(|fact| !listed(fact))
        .collect();
    if missing.is_empty() {
        return None;
    }
    let entries = missing.iter().filter_map(|fact| first(fact)).collect();
    let names: Vec<&str> = missing
        .iter()
        .take(3)
        .map(|fact| fact.text.as_str())
        .collect();
    let detail = format!(
        "The list of changed files lacks {}: {}.",
        match missing.len() {
            1 => "one file that was edited".to_owned(),
            count => format!("{count} files that were edited"),
        },
        names.join(", ")
    );
    Some(Flagged::new(Flag::FileList, ix, entries, detail))
}

fn files(count: usize) -> String {
    match count {
        1 => "one file was".to_owned(),
        count => format!("{count} files were"),
    }
}

fn broken(ix: EntryIx, ledger: &Ledger) -> Option<Flagged> {
    let mut broken = ledger
        .facts_by_rules()
        .map(|(_, fact)| fact)
        .filter(|fact| {
            let lost = matches!(fact.status, FactStatus::Dropped | FactStatus::Changed);
            fact.kind == FactKind::Constraint
                && lost
                && !fact.in_kept_tail
                && !fact.needed_later.is_empty()
        });
    let first = broken.next()?;
    let mut entries = first.needed_later.clone();
    entries.extend(broken.flat_map(|fact| fact.needed_later.iter().copied()));
    let detail = format!("The user had to say it again: {}", first.text);
    Some(Flagged::new(Flag::BrokenConstraint, ix, entries, detail))
}
