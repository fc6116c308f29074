//! Claims about files and branches: what was removed, what exists already, what was taken
//! back.

use crate::claims::log::{Became, Log};
use crate::claims::told::{any_of, plain_words};
use crate::claims::verdict::{Decided, Place, Verdict};
use crate::{identifiers, words};
use palimpsest_core::EntryIx;
use palimpsest_core::ledger::FactKind;

/// Words with which a sentence tells that a file went away, moved, or is of the past.
const GONE: &[&str] = &[
    "removed",
    "remove",
    "deleted",
    "delete",
    "gone",
    "dropped",
    "renamed",
    "rename",
    "moved",
    "move",
    "was",
    "were",
    "had",
    "formerly",
    "old",
    "replaced",
    "former",
    "longer",
    "from",
    "reverted",
    "restored",
    "taken",
    "originally",
    "previously",
    "undone",
    "cleaned",
    "cleanup",
    "temporary",
    "earlier",
    "into",
    "deletion",
    "removal",
    "unchanged",
    "original",
    "copied",
    "split",
    "merged",
];

/// The last thing that became of a file, by a spelling of its path.
fn last_of<'a>(log: &'a Log, path: &str) -> Option<(&'a Became, EntryIx)> {
    let key = identifiers::path_key(path);
    let same = |own: &str| {
        own == key
            || own
                .strip_suffix(key.as_str())
                .is_some_and(|rest| rest.ends_with('/'))
            || key
                .strip_suffix(own)
                .is_some_and(|rest| rest.ends_with('/'))
    };
    let mut all = log.files.iter().rev();
    let (_, became, entry) = all.find(|(own, ..)| same(own))?;
    Some((became, *entry))
}

/// The paths of a sentence, with where they stand.
fn paths(sentence: &str) -> Vec<(usize, &str)> {
    let found = identifiers::scan(sentence).into_iter();
    found
        .filter(|found| found.kind == FactKind::Path)
        .map(|found| (found.range.start, &sentence[found.range]))
        .collect()
}

/// What a sentence says of a file.
pub(super) fn file(sentence: &str, place: &Place<'_>, log: &Log) -> Option<Decided> {
    nothing_changed(sentence, log)
        .or_else(|| not_there(sentence, place, log))
        .or_else(|| gone(sentence, log))
}

/// "No files were changed" where one was.
fn nothing_changed(sentence: &str, log: &Log) -> Option<Decided> {
    let all = plain_words(sentence);
    let begins = all.first().is_some_and(|word| word == "no")
        && all
            .get(1)
            .is_some_and(|word| matches!(word.as_str(), "file" | "files" | "code"));
    let changed = any_of(&all, &["changed", "modified", "edited", "touched"]);
    let mut edits = log
        .files
        .iter()
        .filter(|(_, became, _)| matches!(became, Became::Written | Became::Edited { .. }));
    let (_, _, entry) = edits.next()?;
    (begins && changed && all.len() <= 10).then(|| {
        let reason = "a file was changed".to_owned();
        (Verdict::Contradicted, vec![*entry], reason)
    })
}

/// A file that is told as not written yet, or as the next to write, and was.
fn not_there(sentence: &str, place: &Place<'_>, log: &Log) -> Option<Decided> {
    let named = paths(sentence);
    let [(at, path)] = named.as_slice() else {
        return None;
    };
    let (became, entry) = last_of(log, path)?;
    let exists = matches!(became, Became::Written | Became::Edited { .. });
    let (before, behind) = (
        plain_words(&sentence[..*at]),
        plain_words(&sentence[at + path.len()..]),
    );
    let made = &[
        "created",
        "written",
        "started",
        "exist",
        "added",
        "implemented",
    ];
    // "`a` has not been created yet": the denial stands right behind the file.
    let denied = before.len() <= 2
        && behind
            .iter()
            .take(3)
            .any(|word| matches!(word.as_str(), "not" | "hasn't" | "isn't" | "doesn't"))
        && behind
            .iter()
            .take(6)
            .any(|word| made.contains(&word.as_str()));
    // "Next: create `a`", and under a heading of open things "Create `a`".
    let verb = before
        .last()
        .is_some_and(|word| matches!(word.as_str(), "create" | "write"));
    let ahead =
        before.first().is_some_and(|word| word == "next") || (place.is_open() && before.len() <= 2);
    let planned = verb && ahead && *became == Became::Written;
    (exists && (denied || planned)).then(|| {
        let reason = format!("{path} was written");
        (Verdict::Contradicted, vec![entry], reason)
    })
}

/// A file that is told as being there, and was removed, renamed or set back.
fn gone(sentence: &str, log: &Log) -> Option<Decided> {
    let all = plain_words(sentence);
    let named = paths(sentence);
    // A line that only names files claims nothing of them.
    let claims = words::content_words(sentence).len() >= named.len() + 2
        || any_of(
            &all,
            &["is", "are", "has", "holds", "uses", "contains", "in"],
        );
    if any_of(&all, GONE) || !claims || sentence.contains("->") || sentence.contains('\u{2192}') {
        return None;
    }
    named.iter().find_map(|(_, path)| {
        let (became, entry) = last_of(log, path)?;
        let reason = match became {
            Became::Removed => format!("{path} was removed"),
            Became::Renamed(to) if !sentence.contains(to.as_str()) => {
                format!("{path} was renamed to {to}")
            }
            Became::Restored if tells_of_change(sentence, path, log) => {
                format!("the change of {path} was taken back")
            }
            _ => return None,
        };
        Some((Verdict::Stale, vec![entry], reason))
    })
}

/// True for a sentence with a word that only a change of the file brought in.
fn tells_of_change(sentence: &str, path: &str, log: &Log) -> bool {
    let own = words::content_words(sentence);
    let key = identifiers::path_key(path);
    log.files.iter().any(|(file, became, _)| {
        matches!(became, Became::Edited { brought } if file.ends_with(&key) && brought.iter().any(|word| own.contains(word)))
    })
}

/// A branch that is told as the current one, and was left.
pub(super) fn branch(sentence: &str, log: &Log) -> Option<Decided> {
    let all = plain_words(sentence);
    let current = any_of(&all, &["current", "currently", "active"]) && any_of(&all, &["branch"]);
    let (last, entry) = log.branches.last()?;
    let mut named = sentence.split('`').skip(1).step_by(2);
    let left =
        named.find(|name| *name != last && log.branches.iter().any(|(own, _)| own == name))?;
    current.then(|| {
        let reason = format!("{left} was left for {last}");
        (Verdict::Stale, vec![*entry], reason)
    })
}
