//! Facts that what came after a compaction uses again.
//!
//! - A file counts when it is read or searched by name again and the span had read the same part of
//!   it, or only spoke of it; not when it was changed in between, nor when another part is read.
//!   That a file is edited, or a sentence names it, does not show that its name was missed. A folder
//!   counts only as an argument itself.
//! - A symbol counts when it is looked up again: in the pattern of a search, or in a question of the
//!   user; a branch when git is given it. A figure counts where the user or the model writes it, in
//!   text or in the arguments of a call; not in what is written into files. A figure that was only
//!   shown must be one not met by chance. A host, a bucket or an id that nobody
//!   guesses counts when a later command has it again.
//! - A command counts when it is run again with no file changed in between, unless it tells the
//!   state of things (`git status`); the help of a program is the same after changes. An error counts
//!   when the same message (digits masked) comes again, unless it names nothing. Subagents and git
//!   may change any file ([`changes`]).
//! - A decision, a finding or a thing to do counts when a call or the user names its id again (the comment
//!   it answers, its ticket).
//! - What the user answered counts when the model asks the question again.
//! - Requests and constraints count when the user says them again, decisions, findings and things to
//!   do when the user does, decisions and findings also when a reply to a comment tells them: by the
//!   words, or by [`MENTIONED_OVERLAP`] of their content words; of a sentence in which the user reminds of
//!   something ("I told you") less is enough.

use crate::beside::{self, at_once};
use crate::bounded::BoundedSet;
use crate::extract::{Candidate, Standing};
use crate::introduced::decoded;
use crate::matching::{NeedleSet, Needles, OverlapIndex, is_bounded};
use crate::span::{Call, Part, PartKind, ReadSpan, Span, ToolAction};
use crate::{arguments, authored, changes, endpoints, errors, identifiers, mask, scripts, words};
use palimpsest_core::EntryIx;
use palimpsest_core::ledger::{FactKind, FileRole};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use std::borrow::Cow;
use std::ops::Range;

/// Share of a sentence's content words that another must have to say it again.
pub const MENTIONED_OVERLAP: f64 = 0.7;

/// The same of a sentence in which the user reminds of something ("I told you to keep the index").
const REMINDED_OVERLAP: f64 = 0.4;

/// How users remind of what they said.
#[rustfmt::skip]
const REMINDING: &[&str] = &[
    "i told you", "i said", "as i said", "like i said", "i already", "i asked you", "you forgot", "how many times",
    "remember that i", "we agreed", "we decided", "i just told",
];

/// Fewest content words of something that is told again in a reply: with fewer, three words are enough.
const LEAST_TOLD: usize = 5;

/// Most entries kept per fact.
pub const MAX_LATER: usize = 20;

/// For each fact, the entries of `later` that use it again, in order.
pub fn find(
    facts: &[Candidate],
    span: &Span<'_>,
    kept: &Span<'_>,
    later: &Span<'_>,
) -> Vec<Vec<EntryIx>> {
    if later.items.is_empty() || facts.is_empty() {
        return vec![Vec::new(); facts.len()];
    }
    find_read(facts, &ReadSpan::of(span), kept, &ReadSpan::of(later))
}

/// The same for a span that was read.
pub(crate) fn find_read(
    facts: &[Candidate],
    span: &ReadSpan<'_>,
    kept: &Span<'_>,
    later: &ReadSpan<'_>,
) -> Vec<Vec<EntryIx>> {
    if later.parts.is_empty() || facts.is_empty() {
        return vec![Vec::new(); facts.len()];
    }
    let by_deeds = || {
        let mut uses = Uses::of(facts);
        written(facts, later, &mut uses);
        again(facts, [span, &ReadSpan::of(kept)], later, &mut uses);
        uses.found
    };
    let by_words = || {
        let mut uses = Uses::of(facts);
        said(facts, later, &mut uses);
        failed(facts, &later.parts, &mut uses);
        by_id(facts, &later.parts, &mut uses);
        uses.found
    };
    let (by_deeds, by_words) = at_once(by_deeds, by_words);
    by_deeds
        .into_iter()
        .zip(by_words)
        .map(|(mut entries, more)| {
            entries.extend(more);
            entries.sort_unstable();
            entries.dedup();
            entries.truncate(MAX_LATER);
            entries
        })
        .collect()
}

struct Uses {
    found: Vec<Vec<EntryIx>>,
}

impl Uses {
    /// None of `facts` is used yet.
    fn of(facts: &[Candidate]) -> Uses {
        Uses {
            found: vec![Vec::new(); facts.len()],
        }
    }

    fn note(&mut self, fact: usize, entry: EntryIx) {
        if self.found[fact].last() != Some(&entry) {
            self.found[fact].push(entry);
        }
    }
}

/// Figures that someone writes again, and symbols that are looked up.
fn written(facts: &[Candidate], later: &ReadSpan<'_>, uses: &mut Uses) {
    let mut needles = BoundedSet::default();
    for (index, fact) in facts.iter().enumerate() {
        if matches!(fact.kind, FactKind::Symbol | FactKind::Number) {
            for surface in fact.surfaces.iter().chain([&fact.key]) {
                needles.add(index, surface);
            }
        }
    }
    let Some(needles) = needles.build() else {
        return;
    };
    for (part, call) in later.each() {
        let by_user = part.kind == PartKind::UserText;
        let spoken = by_user || part.kind == PartKind::AssistantText;
        let called = call.is_some();
        if !spoken && !called {
            continue;
        }
        let searched = call.and_then(|call| searches(part, call).or_else(|| of_git(call)));
        let text = match &searched {
            Some(pattern) => Cow::Borrowed(pattern.as_str()),
            None => decoded(part.kind, part.text),
        };
        let is_content = called && part.action().changes_files();
        needles.find(&text, |index, range| {
            let fact = &facts[index];
            let is_use = match fact.kind {
                FactKind::Number => {
                    !is_content && (fact.standing == Standing::Said || tells_apart(&fact.key))
                }
                _ if searched.is_none() && !(by_user && is_asked(&text, &range)) => false,
                FactKind::Symbol if identifiers::is_plain_word(&fact.key) => {
                    identifiers::is_marked(&text, &range)
                }
                _ => true,
            };
            if is_use && is_bounded(&text, &range, fact.kind) {
                uses.note(index, part.entry);
            }
        });
    }
}

/// True where a sentence asks behind `range`.
fn is_asked(text: &str, range: &Range<usize>) -> bool {
    let line = text[range.end..].split('\n').next().unwrap_or_default();
    let sentence = line.split(". ").next().unwrap_or_default();
    sentence.contains('?')
}

/// What a call searches for: the pattern of a search tool, or the script of a command that only
/// looks and searches.
pub(crate) fn searches(part: &Part<'_>, call: &Call<'_>) -> Option<String> {
    if !matches!(part.action(), ToolAction::Search | ToolAction::Shell) {
        return None;
    }
    if call.action == ToolAction::Search {
        let keys = ["pattern", "query", "regex", "search"];
        let arguments = arguments::fields(part.text, &keys)?;
        return keys
            .iter()
            .find_map(|key| arguments.get(*key)?.as_str())
            .map(str::to_owned);
    }
    let script = call.script.as_ref().filter(|_| call.looks_only)?;
    ["grep", "rg ", "ag ", "git log -S"]
        .iter()
        .any(|program| script.contains(program))
        .then(|| script.clone())
}

/// The names of branches in what a call asks of git, in which a branch is used again: its arguments and
/// the message of a merge.
pub(crate) fn of_git(call: &Call<'_>) -> Option<String> {
    let script = call.script.as_deref()?;
    if !script.contains("git ") {
        return None;
    }
    let names = script.split(|c: char| c.is_whitespace() || matches!(c, '\'' | '"'));
    let branches = names.filter(|name| name.contains('/') && !crate::files::is_file(name));
    Some(branches.collect::<Vec<_>>().join(" "))
}

/// The ids by which a sentence names something elsewhere: six digits or more, or a ticket (`ABC-12`).
fn ids_in(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
    words.filter(|word| {
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        digits(word) && word.len() >= 6
            || word.split_once('-').is_some_and(|(name, number)| {
                name.len() >= 2 && name.bytes().all(|b| b.is_ascii_uppercase()) && digits(number)
            })
    })
}

/// Most facts that one id may stand for: a comment is fetched, listed, judged, planned and answered. An id in
/// more is the number of the review or of the page.
const MAX_SHARING: usize = 6;

/// Sentences whose id a call or the user names again: the comment that is answered, the ticket that is
/// taken up.
fn by_id(facts: &[Candidate], parts: &[Part<'_>], uses: &mut Uses) {
    let mut named: HashMap<&str, Vec<usize>> = HashMap::default();
    for (index, fact) in facts.iter().enumerate() {
        if matches!(
            fact.kind,
            FactKind::Decision | FactKind::Finding | FactKind::Todo
        ) {
            for id in fact
                .surfaces
                .iter()
                .chain([&fact.text])
                .flat_map(|text| ids_in(text))
            {
                let group = named.entry(id).or_default();
                if group.last() != Some(&index) {
                    group.push(index);
                }
            }
        }
    }
    named.retain(|_, group| group.len() <= MAX_SHARING);
    if named.is_empty() {
        return;
    }
    for part in parts {
        let asks = part.kind == PartKind::ToolCall && !part.action().changes_files();
        if !asks && part.kind != PartKind::UserText {
            continue;
        }
        for id in ids_in(part.text) {
            for &index in named.get(id).into_iter().flatten() {
                uses.note(index, part.entry);
            }
        }
    }
}

/// True for a figure that is not met by chance: a version, an issue, three digits or more.
fn tells_apart(key: &str) -> bool {
    key.starts_with('#')
        || key.matches('.').count() >= 2
        || key.bytes().filter(u8::is_ascii_digit).count() >= 3
}

/// What one skip the calls knows of a file.
#[derive(Default)]
struct FileState {
    read: HashSet<Option<String>>,
    changed: bool,
}

fn again(facts: &[Candidate], before: [&ReadSpan<'_>; 2], later: &ReadSpan<'_>, uses: &mut Uses) {
    let mut paths: HashMap<&str, Vec<usize>> = HashMap::default();
    let mut runs: HashMap<&str, usize> = HashMap::default();
    let mut reached: HashMap<&str, usize> = HashMap::default();
    for (index, fact) in facts.iter().enumerate() {
        match fact.kind {
            FactKind::Path => {
                paths
                    .entry(identifiers::basename(&fact.key))
                    .or_default()
                    .push(index);
            }
            FactKind::Command => {
                runs.insert(&fact.key, index);
            }
            FactKind::Symbol if fact.is_endpoint && endpoints::is_found_out(&fact.key) => {
                reached.insert(&fact.key, index);
            }
            _ => {}
        }
    }
    let fact_of = |path: &str| {
        let key = identifiers::path_key(path);
        let group = paths.get(identifiers::basename(&key))?;
        let meets = |a: &str, b: &str| {
            a.strip_suffix(b)
                .is_some_and(|r| r.is_empty() || r.ends_with('/'))
        };
        group
            .iter()
            .copied()
            .find(|&index| facts[index].key == key)
            .or_else(|| {
                group
                    .iter()
                    .copied()
                    .find(|&index| meets(&facts[index].key, &key) || meets(&key, &facts[index].key))
            })
    };
    let mut files: HashMap<usize, FileState> = HashMap::default();
    // Commands that ran and have seen no change of files since.
    let mut fresh: HashSet<usize> = HashSet::default();
    let before = before.into_iter().flat_map(ReadSpan::each);
    let before = before.map(|(part, call)| (part, call, false));
    let later = later.each().map(|(part, call)| (part, call, true));
    for (part, call, is_later) in before.chain(later) {
        let Some(call) = call else { continue };
        if let Some(script) = call
            .script
            .as_deref()
            .filter(|_| is_later && !reached.is_empty())
        {
            for name in endpoints::in_script(script) {
                if let Some(&fact) = reached.get(name) {
                    uses.note(fact, part.entry);
                }
            }
        }
        let named = crate::files::of_call(call, part.text);
        let changes_all = changes::may_change_any(part, call);
        if changes_all || named.iter().any(|(_, role)| *role == FileRole::Edited) {
            fresh.retain(|&fact| changes::asks_help(&facts[fact].key));
        }
        if changes_all {
            files.values_mut().for_each(|state| state.changed = true);
        }
        for (spelled, role) in named {
            let Some(file) = fact_of(&spelled) else {
                continue;
            };
            match role {
                FileRole::Edited => {
                    files.entry(file).or_default().changed = true;
                    continue;
                }
                FileRole::Read => {}
                FileRole::Searched | FileRole::Named => continue,
            }
            let state = files.entry(file).or_default();
            let known = state.read.contains(&call.read_range) || state.read.contains(&None);
            let was_never_read = state.read.is_empty();
            if is_later && !state.changed && (known || was_never_read) {
                uses.note(file, part.entry);
            }
            if state.changed {
                state.read.clear();
                state.changed = false;
            }
            state.read.insert(call.read_range.clone());
        }
        for (key, name) in keys(call) {
            if let Some(&fact) = runs.get(key.as_str())
                && !fresh.insert(fact)
                && is_later
                && (!scripts::is_masked(&key) || facts[fact].surfaces.contains(&name))
            {
                uses.note(fact, part.entry);
            }
        }
    }
}

/// The commands of a call, as the facts name them; what tells the state of things is asked again as
/// a matter of course.
fn keys(call: &Call<'_>) -> Vec<(String, String)> {
    let Some(script) = &call.script else {
        return Vec::new();
    };
    let states = [
        "git status",
        "git diff",
        "git log",
        "git branch",
        "git show",
        "gh ",
        "ls",
        "pwd",
        "ps ",
        "date",
    ];
    let asked = scripts::asked(script).into_iter();
    let asked = asked.filter(|deed| !states.iter().any(|state| deed.name.starts_with(state)));
    let done = scripts::deeds(script).into_iter();
    done.chain(asked)
        .map(|deed| (scripts::key(&deed.name), deed.name))
        .collect()
}

fn said(facts: &[Candidate], later: &ReadSpan<'_>, uses: &mut Uses) {
    let mut by_person = (OverlapIndex::default(), Vec::new());
    let mut by_anyone = (OverlapIndex::default(), Vec::new());
    let mut in_replies = (OverlapIndex::default(), Vec::new());
    let mut asked = (OverlapIndex::default(), Vec::new());
    for (part, call) in later.each() {
        let bodies = call.map(|call| authored::bodies(part, call));
        for body in bodies.unwrap_or_default() {
            for range in words::sentences(&body) {
                let sentence = &body[range];
                in_replies.0.add(sentence);
                in_replies.1.push((sentence.to_lowercase(), part.entry));
            }
        }
        let is_person = part.kind == PartKind::UserText;
        if let Some(text) = question_text(part) {
            for range in words::sentences(&text) {
                let sentence = &text[range];
                if sentence.ends_with('?') {
                    asked.0.add(sentence);
                    asked.1.push(part.entry);
                }
            }
        }
        if !is_person && part.kind != PartKind::AssistantText {
            continue;
        }
        for range in words::sentences(part.text) {
            let sentence = &part.text[range];
            by_anyone.0.add(sentence);
            by_anyone.1.push((sentence.to_lowercase(), part.entry));
            if is_person {
                by_person.0.add(sentence);
                by_person.1.push((sentence.to_lowercase(), part.entry));
            }
        }
    }
    for (index, fact) in facts.iter().enumerate() {
        // What was chosen or found out is told again in a reply to somebody.
        if matches!(fact.kind, FactKind::Decision | FactKind::Finding) {
            let content = words::content_words(&fact.surfaces[0]);
            let again = in_replies.0.find(&content, MENTIONED_OVERLAP);
            for (sentence, _) in again.into_iter().take(MAX_LATER) {
                if content.len() >= LEAST_TOLD {
                    uses.note(index, in_replies.1[sentence].1);
                }
            }
        }
        // The model asks again what the user had answered.
        if let Some(question) = &fact.details.answers {
            let content = words::content_words(question);
            let again = asked.0.find(&content, MENTIONED_OVERLAP);
            for (sentence, _) in again.into_iter().take(MAX_LATER) {
                if content.len() >= LEAST_ASKED {
                    uses.note(index, asked.1[sentence]);
                }
            }
        }
        // What was only noticed is said again as a matter of course while it is worked on.
        if fact.standing != Standing::Said {
            continue;
        }
        let (overlap, entries) = match fact.kind {
            FactKind::UserRequest
            | FactKind::Constraint
            | FactKind::Decision
            | FactKind::Finding => &by_person,
            FactKind::Todo => &by_anyone,
            _ => continue,
        };
        let content = words::content_words(&fact.surfaces[0]);
        if content.len() < 2 {
            continue;
        }
        // A request for another address or number is another request.
        let numbers: Vec<&String> = content
            .iter()
            .filter(|word| word.bytes().any(|b| b.is_ascii_digit()))
            .collect();
        for (sentence, _) in overlap
            .find(&content, REMINDED_OVERLAP)
            .into_iter()
            .filter(|(at, share)| *share >= MENTIONED_OVERLAP || reminds(&entries[*at].0))
            .take(MAX_LATER)
        {
            let (said, entry) = &entries[sentence];
            if numbers.iter().all(|number| said.contains(number.as_str())) {
                uses.note(index, *entry);
            }
        }
    }
}

/// Fewest content words of a question that is asked again.
const LEAST_ASKED: usize = 3;

/// What the model asks of the user: its words, and the arguments of a tool that asks.
fn question_text<'a>(part: &Part<'a>) -> Option<Cow<'a, str>> {
    let asks = |tool: &str| {
        let lower = tool.to_ascii_lowercase();
        lower.contains("ask") && (lower.contains("question") || lower.contains("user"))
    };
    match part.kind {
        PartKind::AssistantText => Some(Cow::Borrowed(part.text)),
        PartKind::ToolCall if part.tool.is_some_and(asks) => {
            // The strings of the arguments are sentences of their own.
            let text = part.text.replace("\",\"", "\n").replace("\":\"", "\n");
            Some(Cow::Owned(text))
        }
        _ => None,
    }
}

/// True for a sentence, in lower case, in which the user reminds of something.
fn reminds(sentence: &str) -> bool {
    REMINDING.iter().any(|turn| sentence.contains(turn))
}

fn failed(facts: &[Candidate], parts: &[Part<'_>], uses: &mut Uses) {
    let known: HashMap<&str, usize> = facts
        .iter()
        .enumerate()
        .filter(|(_, fact)| fact.kind == FactKind::Error && names_something(&fact.text))
        .map(|(index, fact)| (fact.key.as_str(), index))
        .collect();
    if known.is_empty() {
        return;
    }
    let marks = marks_of(known.keys().copied());
    let errors_again = |part: &Part<'_>| -> Vec<usize> {
        if part.kind != PartKind::ToolOutput || !may_have(&marks, part.text) {
            return Vec::new();
        }
        let lines = errors::error_lines(part.text, part.is_error).into_iter();
        let key = |range| mask::mask(&part.text[range]);
        lines
            .filter_map(|range| known.get(key(range).as_str()).copied())
            .collect()
    };
    for (part, again) in parts.iter().zip(beside::each(parts, errors_again)) {
        for index in again {
            uses.note(index, part.entry);
        }
    }
}

/// True for a message that says of what it speaks: "Command aborted" and "Error: String to replace not found in file."
/// come again for another reason.
fn names_something(message: &str) -> bool {
    let label = ["Error: ", "error: ", "ERROR: "]
        .iter()
        .find_map(|label| message.strip_prefix(label));
    let message = label.unwrap_or(message);
    message.contains([':', '`', '\'', '"', '_', '/', '(', '#'])
        || message.contains(|c: char| c.is_ascii_digit())
}

/// A stretch of each key that every line with this key has, upper and lower case alike; `None` where a key
/// has no such stretch. Looking for errors line by line is a quarter of the work on a long session, and
/// most outputs have none of those that are known.
fn marks_of<'a>(keys: impl Iterator<Item = &'a str>) -> Option<Needles> {
    let mut marks = NeedleSet::folding_case();
    for (index, key) in keys.enumerate() {
        // What varies is masked by `#`, white space is collapsed, and other scripts change with case.
        let stretches = key.split(|c: char| !c.is_ascii() || c.is_ascii_whitespace() || c == '#');
        let longest = stretches.max_by_key(|stretch| stretch.len())?;
        if longest.len() < LEAST_MARK {
            return None;
        }
        marks.add(index, &longest[..longest.len().min(MOST_MARK)]);
    }
    marks.build()
}

/// Fewest bytes of a mark: shorter ones stand in every output.
const LEAST_MARK: usize = 4;
/// Most bytes of a mark: this many stand in few outputs, and more only make the searcher larger.
const MOST_MARK: usize = 20;

fn may_have(marks: &Option<Needles>, text: &str) -> bool {
    marks.as_ref().is_none_or(|marks| marks.any(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_output_without_the_mark_of_an_error_is_not_searched() {
        let key = mask::mask("src/a.rs:3:5: Mismatched types in row_12");
        let marks = marks_of([key.as_str()].into_iter());
        assert!(may_have(&marks, "lib/a.rs:77:1: MISMATCHED types in row_9"));
        assert!(!may_have(&marks, "all is well"));
        // A key of digits alone has no mark: everything is searched.
        let marks = marks_of([mask::mask("12 34").as_str()].into_iter());
        assert!(may_have(&marks, "all is well"));
    }

    #[test]
    fn a_message_of_a_tool_names_nothing() {
        assert!(!names_something(
            "Error: String to replace not found in file."
        ));
        assert!(!names_something("Command aborted"));
        assert!(names_something("Error: Cannot find module './rows'"));
        assert!(names_something("src/a.rs:3: mismatched types"));
    }

    #[test]
    fn ids_name_things_elsewhere() {
        let ids = |text| ids_in(text).collect::<Vec<_>>();
        assert_eq!(
            ids("5. 2734651404 | a.go:48 | slow, see ABC-12 and pulls/112"),
            ["2734651404", "ABC-12"]
        );
        assert!(ids("a non-12 figure of 1204 rows").is_empty());
    }
}
