//! What the previous summary told, as far as it still holds.

use crate::offline::extractive::items::collector::{BEFORE, Collector, STATE_LABELS};
use crate::offline::extractive::previous::{Previous, Slot};
use crate::offline::extractive::story::Story;
use palimpsest_ledger::{identifiers, words};
use std::collections::HashSet;

/// Share of an open item's content words that what happened must have to count as its completion.
// Our choice, without a measurement.
const COMPLETES: f64 = 0.6;

/// Most items of the previous summary's context, the last ones.
const MAX_CRITICAL: usize = 14;

/// Words by which a sentence tells that something is finished.
const FINISHED: [&str; 14] = [
    "done",
    "finished",
    "complete",
    "completed",
    "implemented",
    "added",
    "fixed",
    "works",
    "passes",
    "pass",
    "merged",
    "removed",
    "created",
    "resolved",
];

/// Carries the items of the previous summary over; what the span finished is done.
pub fn carry_over(made: &mut Collector<'_>, story: &Story, previous: &Previous) {
    let finished: Vec<HashSet<String>> = story
        .sentences
        .iter()
        .filter(|(_, said)| tells_of_an_end(said))
        .map(|(_, said)| content(said))
        .collect();
    let is_finished = |text: &str| {
        let own = words::content_words(text);
        // One word in common, such as "tests", finishes nothing.
        committed(story, text, 0)
            || (own.len() >= 2 && finished.iter().any(|said| is_in(&own, said)))
    };
    let passes = |text: &str| {
        story.commands.iter().any(|command| {
            command.failure.is_none() && text.contains(&format!("`{}`", command.command))
        })
    };
    let touched = Touched::of(story);
    let total = previous.items.len().max(1);
    let critical = previous.under(Slot::Critical).count();
    let mut passed_by = 0;
    for (order, (slot, text)) in previous.items.iter().enumerate() {
        if *slot == Slot::Goal || STATE_LABELS.iter().any(|label| text.starts_with(label)) {
            continue;
        }
        // A long summary would fill the page with what it was made from.
        if *slot == Slot::Critical {
            passed_by += 1;
            if passed_by + MAX_CRITICAL <= critical {
                continue;
            }
        }
        // Older items come first in a list and are dropped first.
        let age = 0.6 + 0.4 * (order as f64 + 1.0) / total as f64;
        let (slot, weight) = match slot {
            // Below most that is new of its kind, such as 60 for demands and 26 for decisions.
            Slot::Goal | Slot::Constraints => (Slot::Constraints, 56.0),
            Slot::Done => (Slot::Done, 18.0),
            Slot::InProgress | Slot::Next if is_finished(text) => (Slot::Done, 26.0),
            Slot::Blocked if passes(text) || is_finished(text) => (Slot::Done, 22.0),
            Slot::InProgress | Slot::Next if touched.leaves_behind(text) => continue,
            Slot::InProgress => (Slot::InProgress, 30.0),
            Slot::Blocked => (Slot::Blocked, 34.0),
            Slot::Decisions => (Slot::Decisions, 22.0),
            Slot::Next => (Slot::Next, 24.0),
            Slot::Critical => (Slot::Critical, 16.0),
        };
        // What is done is no longer the next step.
        let text = match slot {
            Slot::Done => text.trim_end_matches("(NEXT)").trim_end(),
            _ => text.as_str(),
        };
        made.add(slot, text.to_owned(), weight * age, BEFORE + order, false);
    }
}

/// From so many reported turns on, the reports say what is left of what the span worked on.
// Our choice: one report may be about a part of a step, after the second the work has moved on.
const REPORTED: usize = 2;

/// What the span worked on, and what its last turn still speaks of.
struct Touched {
    /// How many turns ended with a report.
    reported: usize,
    /// Names in commands, changed files, commits and reports.
    names: HashSet<String>,
    /// Content words of each line of the reports.
    said: Vec<HashSet<String>>,
    /// The same of the last report's lines that tell of nothing finished, and of the requests behind
    /// it.
    last: Vec<HashSet<String>>,
}

impl Touched {
    fn of(story: &Story) -> Touched {
        let reports: Vec<&str> = story
            .turns
            .iter()
            .filter_map(|turn| turn.closing.as_deref())
            .collect();
        let commands = story.commands.iter().map(|own| own.command.as_str());
        let files = story.files.iter().map(|own| own.path.as_str());
        let commits = story.commits.iter().map(|own| own.subject.as_str());
        let texts = commands.chain(files).chain(commits);
        let names = texts.chain(reports.iter().copied()).flat_map(names_in);
        let behind = story.turns.iter().rev();
        let behind = behind.take_while(|turn| turn.closing.is_none());
        let still = |line: &&str| !tells_of_an_end(line);
        let last = reports.last().copied().unwrap_or_default().lines();
        let last = last.filter(still).map(content);
        Touched {
            reported: reports.len(),
            names: names.collect(),
            said: reports
                .iter()
                .flat_map(|said| said.lines())
                .map(content)
                .collect(),
            last: last.chain(behind.map(|turn| content(&turn.ask))).collect(),
        }
    }

    /// True for an open item of the previous summary that the span worked on and reported about, and
    /// that its last turn does not speak of: what is left of it stands in the reports.
    fn leaves_behind(&self, item: &str) -> bool {
        let own = words::content_words(item);
        if self.reported < REPORTED || self.last.iter().any(|said| is_in(&own, said)) {
            return false;
        }
        let mut names = names_in(item).peekable();
        if names.peek().is_some() {
            return names.any(|name| self.names.contains(&name));
        }
        own.len() >= 2 && self.said.iter().any(|said| is_in(&own, said))
    }
}

fn content(text: &str) -> HashSet<String> {
    words::content_words(text).into_iter().collect()
}

/// True where a text has most content words of an item.
fn is_in(item: &[String], said: &HashSet<String>) -> bool {
    let shared = item.iter().filter(|word| said.contains(*word)).count();
    shared as f64 >= COMPLETES * item.len() as f64
}

/// True for a sentence or line that tells of something finished.
fn tells_of_an_end(line: &str) -> bool {
    line.contains(['\u{2705}', '\u{2713}', '\u{2714}'])
        || line.contains("[x]")
        || words::words(line).any(|word| FINISHED.contains(&word.text.as_str()))
}

/// True for an open item that a commit did which came behind `since`: its subject has most of the
/// item's words, or both begin with the same mark (`WP15: ...`).
pub fn committed(story: &Story, item: &str, since: usize) -> bool {
    let own = words::content_words(item);
    let mark = mark_of(item);
    let later = story.commits.iter().filter(|commit| commit.item > since);
    later.into_iter().any(|commit| {
        let same_mark = mark.is_some() && mark_of(&commit.subject) == mark;
        same_mark || (own.len() >= 2 && is_in(&own, &content(&commit.subject)))
    })
}

/// The mark of a piece of work in front of a text: letters, then a number (`WP15`, `ENT-228`).
fn mark_of(text: &str) -> Option<String> {
    let first = text
        .trim_start_matches(|c: char| !c.is_alphanumeric())
        .split_whitespace()
        .next()?
        .trim_end_matches([':', '.', ')', '*']);
    let letters = first.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-');
    let is_mark = (1..=6).contains(&letters.len())
        && letters.len() < first.len()
        && letters.bytes().all(|b| b.is_ascii_uppercase());
    is_mark.then(|| first.to_owned())
}

/// The names in a text in lower case: files by their last part, other identifiers, and marks of work
/// packages such as `WP14`.
fn names_in(text: &str) -> impl Iterator<Item = String> {
    let found = identifiers::scan(text).into_iter().map(|found| {
        let name = &text[found.range];
        let last = name.rsplit(['/', '\\']).next().unwrap_or(name);
        last.trim_end_matches("()").to_lowercase()
    });
    let found: Vec<String> = found.filter(|name| name.len() >= 3).collect();
    found.into_iter()
}
