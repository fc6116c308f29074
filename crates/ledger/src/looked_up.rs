//! Names that are looked for after a compaction and that the span holds only in code in which the model
//! defined them, or in what git printed: a method of a written file, the branch in `git status`. They
//! are facts because somebody came back to them.

use crate::bounded::BoundedSet;
use crate::candidate::{self, Candidate, Registry, Standing, role_weight};
use crate::introduced::decoded;
use crate::matching::is_bounded;
use crate::span::{Call, Part, PartKind, ReadSpan};
use crate::{files, identifiers, later};
use palimpsest_core::ledger::FactKind;
use rustc_hash::FxHashSet as HashSet;

/// Fewest letters of such a name.
const LEAST_LETTERS: usize = 5;

/// Words behind which code defines a name.
#[rustfmt::skip]
const DEFINING: &[&str] = &[
    "async", "class", "const", "def", "enum", "fn", "func", "function", "get", "interface", "let", "mod", "mut",
    "override", "private", "protected", "public", "readonly", "set", "static", "struct", "trait", "type", "val", "var",
];

/// How git prints the branch that it is on.
const ON_BRANCH: &[&str] = &["On branch ", "HEAD -> ", "["];

/// The names that calls of `after` look for and that `span` holds without a fact in `known`.
pub(crate) fn names(
    known: &[Candidate],
    span: &ReadSpan<'_>,
    after: &ReadSpan<'_>,
) -> Vec<Candidate> {
    let (mut looked_for, mut branches) = (Vec::new(), Vec::new());
    for (part, call) in after.each() {
        let Some(call) = call else { continue };
        if let Some(pattern) = later::searches(part, call) {
            looked_for.extend(in_pattern(&pattern));
        }
        if let Some(names) = later::of_git(call) {
            branches.extend(names.split(' ').filter_map(branch));
        }
    }
    let symbols = known.iter().filter(|fact| fact.kind == FactKind::Symbol);
    let spelled = symbols.flat_map(|fact| fact.surfaces.iter().chain([&fact.key]));
    let seen: HashSet<&str> = spelled
        .flat_map(|name| [name.as_str(), last(name)])
        .collect();
    looked_for.retain(|name| !seen.contains(name.as_str()));
    branches.retain(|name| !seen.contains(name.as_str()));
    find(span, &looked_for, &branches)
}

/// The identifiers that a search looks for, those of a qualified name one by one.
fn in_pattern(pattern: &str) -> Vec<String> {
    let names = identifiers::scan(pattern).into_iter();
    let names = names.filter(|name| name.kind == FactKind::Symbol && !name.key.starts_with('-'));
    let mut out = Vec::new();
    for name in names {
        let parts = name.key.split(['.', ':']).map(str::to_owned);
        out.extend(parts.filter(|part| {
            part.len() >= LEAST_LETTERS
                && !identifiers::is_hash(part)
                && !identifiers::is_plain_word(part)
        }));
    }
    out
}

/// The branch in an argument of git (`origin/topic/rows..HEAD`).
fn branch(argument: &str) -> Option<String> {
    let name = argument.split("..").next().unwrap_or(argument);
    let name = name.strip_prefix("origin/").unwrap_or(name);
    (name.contains('/') && name.len() >= LEAST_LETTERS).then(|| name.to_owned())
}

/// A name without what qualifies it.
fn last(name: &str) -> &str {
    name.rsplit(['.', ':']).next().unwrap_or(name)
}

fn find(span: &ReadSpan<'_>, looked_for: &[String], branches: &[String]) -> Vec<Candidate> {
    let mut needles = BoundedSet::default();
    let all: Vec<&String> = looked_for.iter().chain(branches).collect();
    for (index, name) in all.iter().enumerate() {
        needles.add(index, name);
    }
    let Some(needles) = needles.build() else {
        return Vec::new();
    };
    let mut registry = Registry::default();
    let mut items = 0;
    for (part, call) in span.each() {
        items = items.max(part.item + 1);
        let by_model = is_by_model(part, call);
        let may_tell_branch = part.kind == PartKind::ToolOutput && !branches.is_empty();
        if !by_model && !may_tell_branch {
            continue;
        }
        let text = decoded(part.kind, part.text);
        let mut hits: Vec<usize> = Vec::new();
        needles.find(&text, |index, range| {
            let before = &text[..range.start];
            let counts = if index < looked_for.len() {
                by_model && is_defined(before)
            } else {
                ON_BRANCH.iter().any(|words| before.ends_with(words))
            };
            if counts && is_bounded(&text, &range, FactKind::Symbol) && !hits.contains(&index) {
                hits.push(index);
            }
        });
        for index in hits {
            let name = all[index].as_str();
            let fact = registry.note(FactKind::Symbol, name.to_owned(), name);
            let place = files::place_of(part, name);
            registry.place(fact, part, place, role_weight::READ, Standing::Shown);
        }
    }
    candidate::finish(registry.facts, items)
}

/// True where code defines the name behind `before`, or a document names it in backticks.
fn is_defined(before: &str) -> bool {
    if before.ends_with('`') {
        return true;
    }
    let word = before.trim_end_matches(' ');
    let start = word
        .rfind(|c: char| !c.is_ascii_alphabetic())
        .map_or(0, |at| at + 1);
    word.len() < before.len() && DEFINING.contains(&&word[start..])
}

/// True for what the model writes into files that are no tests.
fn is_by_model(part: &Part<'_>, call: Option<&Call<'_>>) -> bool {
    call.is_some_and(|call| {
        part.action().changes_files() && !call.path.as_deref().is_some_and(files::is_test)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_a_pattern_are_identifiers() {
        assert_eq!(
            in_pattern("private.*readRows\\|write_rows|rows --long"),
            ["readRows", "write_rows"]
        );
        assert_eq!(in_pattern("openRows.clear"), ["openRows"]);
        assert!(in_pattern("rows and columns").is_empty());
    }

    #[test]
    fn definitions_are_told_from_uses() {
        assert!(is_defined("  private async ") && is_defined("see `") && is_defined("fn "));
        assert!(
            !is_defined("await this.")
                && !is_defined("import { A, ")
                && !is_defined("asynchronous ")
        );
        // A word that only ends like one.
        assert!(!is_defined("myget "));
    }

    #[test]
    fn branches_stand_in_ranges_and_behind_their_remote() {
        assert_eq!(
            branch("origin/topic/rows..HEAD").as_deref(),
            Some("topic/rows")
        );
        assert_eq!(branch("main..HEAD"), None);
    }
}
