//! Files of the span in the summary, and the agent's own lists of files (D6).

use super::identifiers::is_same_file;
use super::line::{FigureLine, Measured, by_loss, fate, is_kept, of, of_fact};
use palimpsest_core::figure::Figure;
use palimpsest_core::ledger::{Fact, FactKind, FileRole, Ledger};

/// The files that an agent's record of a compaction lists.
#[derive(Debug, Clone, Copy, Default)]
pub struct ListedFiles<'a> {
    /// As read.
    pub read: &'a [Box<str>],
    /// As modified.
    pub modified: &'a [Box<str>],
}

/// D6: files edited, files read, and the lists.
pub(super) fn files(ledger: &Ledger, listed: Option<ListedFiles<'_>>) -> Measured {
    let with = |role: FileRole| -> Vec<(usize, &Fact)> {
        let facts = ledger.facts_by_rules();
        let own = |fact: &Fact| {
            fact.kind == FactKind::Path
                && fact.details.file_role == Some(role)
                && fact.details.generation == 0
        };
        facts.filter(|(_, fact)| own(fact)).collect()
    };
    let (edited, read) = (with(FileRole::Edited), with(FileRole::Read));
    if edited.is_empty() && read.is_empty() {
        return Measured::absent(
            Figure::FileLists,
            "No call of the span edits or reads a file.",
        );
    }
    let mut out = Measured::new(Figure::FileLists);
    for (name, facts) in [("Edited files", &edited), ("Files only read", &read)] {
        if !facts.is_empty() {
            let kept = facts.iter().filter(|(_, fact)| is_kept(fact)).count();
            out.value(name, of(kept, facts.len()));
        }
    }
    let mut all: Vec<_> = edited.iter().chain(&read).copied().collect();
    all.sort_by_key(|(_, fact)| (fact.details.file_role, by_loss(fact)));
    let lines = all.into_iter().map(|(at, fact)| {
        let role = match fact.details.file_role {
            Some(FileRole::Edited) => "edited",
            _ => "read",
        };
        of_fact(at, fact, format!("{role}, {}", fate(fact)))
    });
    out.lines = lines.collect();
    let Some(listed) = listed else { return out };
    let known = |name: &str, facts: &[(usize, &Fact)]| {
        facts.iter().any(|(_, fact)| is_same_file(name, &fact.text))
    };
    let lists = [
        ("List of changed files: edited", listed.modified, &edited),
        ("List of read files: read", listed.read, &read),
    ];
    for (name, list, facts) in lists {
        if list.is_empty() {
            continue;
        }
        let right = list.iter().filter(|file| known(file, facts)).count();
        out.value(name, of(right, list.len()));
        let others = list.iter().filter(|file| !known(file, facts));
        out.lines.extend(others.map(|file| FigureLine {
            text: file.to_string(),
            note: "in the agent's list; no such call in the span".to_owned(),
            ..FigureLine::default()
        }));
    }
    out
}
