//! What else must be known: names, figures, files, and errors that nothing repaired.

use crate::offline::extractive::input::ExtractiveInput;
use crate::offline::extractive::items::collector::Collector;
use crate::offline::extractive::items::done::below;
use crate::offline::extractive::page;
use crate::offline::extractive::previous::Slot;
use crate::offline::extractive::story::Story;
use palimpsest_core::ledger::FactKind;
use palimpsest_ledger::extract::Candidate;
use std::collections::HashSet;

/// Names and figures listed under the critical context.
// Our choice: no measurement stands behind it.
const MAX_NAMES: usize = 16;

/// Errors listed under the critical context.
const MAX_ERRORS: usize = 4;

/// Fewest bytes of a folder that is told once for all files below it.
const ROOT_BYTES: usize = 16;

/// The folder that all changed files share, with its last slash; empty where it is short or there is
/// one file only.
pub fn root_of(story: &Story) -> String {
    let mut files = story.files.iter();
    let Some(first) = files.next().filter(|_| story.files.len() > 1) else {
        return String::new();
    };
    let mut root = &first.path[..first.path.rfind('/').map_or(0, |at| at + 1)];
    for file in files {
        while !file.path.starts_with(root) {
            let parent = root.trim_end_matches('/').rfind('/');
            root = &root[..parent.map_or(0, |at| at + 1)];
        }
    }
    let root = if root.len() >= ROOT_BYTES { root } else { "" };
    root.to_owned()
}

/// Collects the remaining context. Changed files are left out: the section on finished work lists them.
pub fn context(
    made: &mut Collector<'_>,
    input: &ExtractiveInput<'_>,
    story: &Story,
    facts: &[Candidate],
    root: &str,
) {
    let end = made.len;
    if !root.is_empty() {
        let text = format!("Paths are below `{root}`");
        made.add(Slot::Critical, text, 30.0, made.at(0), false);
    }
    names(made, facts, FactKind::Symbol, "Names in play", 24.0);
    names(made, facts, FactKind::Number, "Figures", 18.0);
    let told: HashSet<&str> = story.files.iter().map(|file| file.path.as_str()).collect();
    // Some lists name a file by the end of its path.
    let is_told_file = |file: &str| told.iter().any(|known| known.ends_with(file));
    let changed = input
        .files_modified
        .iter()
        .filter(|file| !is_told_file(file));
    let read = input.files_read.iter();
    files(made, "Files changed", changed.collect(), 14.0, root);
    files(made, "Files read", read.collect(), 12.0, root);
    // Errors of runs that nothing repaired.
    let open_failures: Vec<&str> = story
        .commands
        .iter()
        .filter_map(|command| command.failure.as_deref())
        .collect();
    let fixed = |text: &str| story.fixes.iter().any(|fix| fix.error.contains(text));
    let is_told = |text: &str| open_failures.iter().any(|failure| failure.contains(text));
    let errors = facts.iter().rev().filter(|fact| {
        fact.kind == FactKind::Error
            && story.holds_failure(fact.last_item)
            && !is_told(&fact.text)
            && !fixed(&fact.text)
    });
    for fact in errors.take(MAX_ERRORS) {
        let text = format!("Error seen: {}", page::cut(&fact.text, 200));
        let weight = 12.0 * made.recency(fact.last_item);
        made.add(Slot::Critical, text, weight, made.at(end), true);
    }
}

fn files(made: &mut Collector<'_>, label: &str, files: Vec<&String>, weight: f64, root: &str) {
    if files.is_empty() {
        return;
    }
    let shown: Vec<_> = files
        .iter()
        .take(MAX_NAMES)
        .map(|file| format!("`{}`", below(file, root)))
        .collect();
    let more = files.len().saturating_sub(MAX_NAMES);
    let rest = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    let text = format!("{label}: {}{rest}", shown.join(", "));
    made.add(Slot::Critical, text, weight, made.at(made.len), true);
}

fn names(made: &mut Collector<'_>, facts: &[Candidate], kind: FactKind, label: &str, weight: f64) {
    let mut found: Vec<_> = facts.iter().filter(|fact| fact.kind == kind).collect();
    let relevance = |fact: &Candidate| fact.weight * (1.0 + made.focus.share(&fact.text));
    found.sort_by(|a, b| {
        relevance(b)
            .total_cmp(&relevance(a))
            // Without it equal weights would have no fixed order, and the same input must
            // give the same text.
            .then_with(|| a.key.cmp(&b.key))
    });
    // `2b` and `7` tell nothing without their sentence.
    found.retain(|fact| kind != FactKind::Number || fact.key.len() >= 4);
    let mut seen = HashSet::new();
    let shown: Vec<String> = found
        .iter()
        .filter(|fact| seen.insert(fact.key.to_lowercase()))
        .take(MAX_NAMES)
        .map(|fact| match kind {
            // The text alone would be a bare number.
            FactKind::Number if fact.key.starts_with("port ") => fact.key.clone(),
            FactKind::Number => fact.text.clone(),
            _ => format!("`{}`", fact.text),
        })
        .collect();
    if !shown.is_empty() {
        let text = format!("{label}: {}", shown.join(", "));
        made.add(Slot::Critical, text, weight, made.at(made.len), true);
    }
}
