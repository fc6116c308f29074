//! The sentences of a summary held against what they tell of: supported, contradicted, stale, or
//! without a source.
//!
//! Only rules decide, and they decide only what they can tell: exit states of commands, counts of
//! tests, states of tasks, limits whose denial is gone, names that no source has. What they cannot
//! tell stays unchecked. A rule that would call something contradicted needs the command, the task
//! or the limit itself in the sentence, and does not apply to words that speak of the past, of a plan
//! or of a condition.

use crate::span::{Call, Part, PartKind, Span};
use crate::{commands, errors, introduced, scripts, test_counts, words};
use palimpsest_core::EntryIx;
use palimpsest_core::ledger::{Fact, FactKind, FactStatus, Ledger, TaskState};
use std::collections::HashMap;
use std::ops::Range;

/// What the sources say of a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The same.
    Supported,
    /// The opposite.
    Contradicted,
    /// It was so once, and changed later in the span.
    Stale,
    /// Nothing: it names what no source has.
    WithoutSource,
    /// The rules cannot tell.
    Unchecked,
}

/// A sentence of a summary with what the sources say of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// Where it stands: byte range in the summary.
    pub range: Range<usize>,
    /// What the sources say.
    pub verdict: Verdict,
    /// The entries that say so, in order; empty where there is no source.
    pub entries: Vec<EntryIx>,
    /// Why, in a few words; empty for what is supported or unchecked.
    pub reason: String,
}

/// Most entries named for a claim.
const MOST_ENTRIES: usize = 5;

/// Words that say that something went wrong, and that it went well.
const WRONG: &[&str] = &["failed", "fails", "failing", "fail", "broken", "errored"];
const WELL: &[&str] = &[
    "passed",
    "passes",
    "passing",
    "pass",
    "succeeded",
    "succeeds",
    "successful",
    "successfully",
    "green",
];

/// Words with which a sentence speaks of the past, of a plan, of a condition or of the opposite, so
/// that its outcome is not what it claims of now.
const NOT_NOW: &[&str] = &[
    "0",
    "after",
    "and",
    "at",
    "be",
    "because",
    "before",
    "but",
    "can",
    "could",
    "earlier",
    "ensure",
    "except",
    "expected",
    "first",
    "fix",
    "fixed",
    "had",
    "if",
    "initially",
    "instead",
    "may",
    "might",
    "must",
    "need",
    "needs",
    "never",
    "no",
    "not",
    "now",
    "once",
    "one",
    "only",
    "or",
    "originally",
    "other",
    "pre-existing",
    "preexisting",
    "previously",
    "re-run",
    "rerun",
    "resolved",
    "run",
    "should",
    "since",
    "some",
    "still",
    "sure",
    "then",
    "to",
    "unless",
    "unrelated",
    "until",
    "verify",
    "was",
    "were",
    "when",
    "whether",
    "while",
    "will",
    "without",
    "would",
];

/// Headings whose items are still to do.
const OPEN_HEADINGS: &[&str] = &[
    "in progress",
    "pending",
    "next steps",
    "next step",
    "remaining",
    "todo",
    "to do",
    "open tasks",
    "pending tasks",
    "outstanding",
];

/// A run of a command: its entry, and whether it went well.
#[derive(Clone, Copy)]
struct Ran {
    entry: EntryIx,
    well: bool,
}

/// The counts of tests in one output.
struct Counted {
    entry: EntryIx,
    command: String,
    keys: Vec<String>,
}

/// What the commands of a span came to.
#[derive(Default)]
struct Runs {
    /// The runs of each command that a call makes alone, in order, by the key of the command.
    by_command: HashMap<String, Vec<Ran>>,
    /// The same by the head of the command.
    by_head: HashMap<String, Vec<Ran>>,
    /// Counts of tests, in order.
    counted: Vec<Counted>,
}

/// Checks the sentences of `summary` against `span`; `ledger` is the summary's ledger of the span.
pub fn check(summary: &str, span: &Span<'_>, ledger: &Ledger) -> Vec<Claim> {
    let ran = runs(span);
    let fixed = introduced::fixed_texts(summary);
    let mut claims = Vec::new();
    let mut heading = String::new();
    let mut fenced = false;
    for line in words::lines(summary) {
        let text = &summary[line.clone()];
        if text.trim_start().starts_with("```") {
            fenced = !fenced;
            continue;
        }
        if let Some(title) = heading_of(text) {
            heading = title;
            continue;
        }
        let quoted = fixed.iter().any(|own| own.contains(&line.start));
        if fenced || quoted || text.trim_start().starts_with('<') {
            continue;
        }
        for sentence in words::sentences(text) {
            let range = line.start + sentence.start..line.start + sentence.end;
            if words::content_words(&summary[range.clone()]).is_empty() {
                continue;
            }
            let place = Place {
                line: text,
                heading: &heading,
            };
            claims.push(claim(summary, range, &place, &ran, ledger));
        }
    }
    claims
}

/// The title of a heading line in lower case.
fn heading_of(line: &str) -> Option<String> {
    let line = line.trim();
    let title = match line.strip_prefix('#') {
        Some(rest) => rest.trim_start_matches('#'),
        None => line
            .strip_prefix("**")
            .and_then(|rest| rest.strip_suffix("**").or(rest.strip_suffix("**:")))
            .filter(|title| title.split_whitespace().count() <= 4)?,
    };
    Some(title.trim().trim_end_matches(':').to_lowercase())
}

/// Where a sentence stands.
struct Place<'a> {
    /// Its line, with the mark of a list.
    line: &'a str,
    /// The heading above it, in lower case.
    heading: &'a str,
}

fn claim(
    summary: &str,
    range: Range<usize>,
    place: &Place<'_>,
    ran: &Runs,
    ledger: &Ledger,
) -> Claim {
    let sentence = &summary[range.clone()];
    let shows = |fact: &&Fact| {
        let meets = |own: &Range<usize>| own.start < range.end && range.start < own.end;
        fact.evidence.iter().any(meets)
    };
    let facts: Vec<&Fact> = ledger.facts.iter().filter(shows).collect();
    let decided = turned_around(sentence, &facts)
        .or_else(|| open_task(place, &facts))
        .or_else(|| exit_state(sentence, ran))
        .or_else(|| count(sentence, ran));
    if let Some((verdict, entries, reason)) = decided {
        return Claim {
            range,
            verdict,
            entries,
            reason,
        };
    }
    let added: Vec<&str> = ledger
        .introduced
        .iter()
        .filter(|own| own.range.start >= range.start && own.range.end <= range.end)
        .map(|own| own.text.as_str())
        .collect();
    let is_kept =
        |fact: &&&Fact| matches!(fact.status, FactStatus::Verbatim | FactStatus::Mentioned);
    let mut entries: Vec<EntryIx> = facts
        .iter()
        .filter(is_kept)
        .filter_map(|fact| fact.places.first().map(|place| place.entry))
        .collect();
    entries.sort_unstable();
    entries.dedup();
    entries.truncate(MOST_ENTRIES);
    let (verdict, reason) = match (entries.is_empty(), added.is_empty()) {
        (true, false) => (
            Verdict::WithoutSource,
            format!("no source has {}", added.join(", ")),
        ),
        (false, true) => (Verdict::Supported, String::new()),
        _ => (Verdict::Unchecked, String::new()),
    };
    Claim {
        range,
        verdict,
        entries,
        reason,
    }
}

type Decided = (Verdict, Vec<EntryIx>, String);

/// A limit of the user whose denial is gone.
fn turned_around(sentence: &str, facts: &[&Fact]) -> Option<Decided> {
    let denies = |text: &str| {
        let lower = text.to_lowercase().replace('\u{2019}', "'");
        let mut all = lower.split(|c: char| !(c.is_alphanumeric() || c == '\''));
        all.any(|word| {
            matches!(
                word,
                "not" | "never" | "don't" | "no" | "without" | "cannot"
            )
        })
    };
    facts.iter().find_map(|fact| {
        let limit = fact.kind == FactKind::Constraint && fact.status == FactStatus::Changed;
        let (source, now) = fact.details.difference.as_ref().filter(|_| limit)?;
        let same_line = sentence.contains(now.trim()) || now.contains(sentence.trim());
        (same_line && denies(source) && !denies(now)).then(|| {
            let entry = fact.places.first().map(|place| place.entry);
            let reason = format!("the user said: {}", words::one_line(source, 160));
            (Verdict::Contradicted, entry.into_iter().collect(), reason)
        })
    })
}

/// A task that is told as open and was finished.
fn open_task(place: &Place<'_>, facts: &[&Fact]) -> Option<Decided> {
    let box_of = place.line.trim_start().trim_start_matches(['-', '*', ' ']);
    let ticked = box_of.starts_with("[x]") || box_of.starts_with("[X]");
    let open = box_of.starts_with("[ ]") || OPEN_HEADINGS.contains(&place.heading);
    if ticked || !open {
        return None;
    }
    let task = facts.iter().find(|fact| {
        fact.kind == FactKind::Todo
            && fact.details.task == Some(TaskState::Closed)
            && fact.status == FactStatus::Verbatim
            // A short task stands in many sentences.
            && words::content_words(&fact.text).len() >= 3
    })?;
    let last = task.places.iter().map(|place| place.entry).max();
    let reason = "the task was finished".to_owned();
    Some((Verdict::Contradicted, last.into_iter().collect(), reason))
}

/// The outcome of a command that the sentence names in code: the whole command, or its program with
/// the verb, such as `git commit`.
fn exit_state(sentence: &str, ran: &Runs) -> Option<Decided> {
    let told = outcome_of(sentence)?;
    let mut named = sentence.split('`').skip(1).step_by(2);
    let runs = named.find_map(|code| {
        let whole = ran.by_command.get(&commands::key(code));
        whole.or_else(|| {
            let head = commands::head(code);
            ran.by_head.get(&head).filter(|_| head == code.trim())
        })
    })?;
    let last = runs.last()?;
    if last.well == told {
        return Some((Verdict::Supported, vec![last.entry], String::new()));
    }
    let was_so = runs.iter().rev().find(|run| run.well == told);
    let how = if last.well { "succeeded" } else { "failed" };
    Some(match was_so {
        Some(_) => (
            Verdict::Stale,
            vec![last.entry],
            format!("the last run of the command {how}"),
        ),
        None => (
            Verdict::Contradicted,
            vec![last.entry],
            format!("the command {how}"),
        ),
    })
}

/// What a sentence says of now: `Some(true)` that something went well, `Some(false)` that it went
/// wrong.
fn outcome_of(sentence: &str) -> Option<bool> {
    // Words in code are no words of the sentence.
    let prose: String = sentence.split('`').step_by(2).collect::<Vec<_>>().join(" ");
    let lower = prose.to_lowercase();
    let all: Vec<&str> = lower
        .split(|c: char| !(c.is_alphanumeric() || c == '-' || c == '\''))
        .filter(|word| !word.is_empty())
        .collect();
    let has = |list: &[&str]| all.iter().any(|word| list.contains(word));
    if has(NOT_NOW) || all.iter().any(|word| word.ends_with("n't")) {
        return None;
    }
    match (has(WELL), has(WRONG)) {
        (true, false) => Some(true),
        (false, true) => Some(false),
        _ => None,
    }
}

/// A count of tests that the last run of the command changed.
fn count(sentence: &str, ran: &Runs) -> Option<Decided> {
    let told = test_counts::counts(sentence);
    let (_, key) = told.first()?;
    let has = |counted: &Counted| counted.keys.contains(key);
    let last = |counted: &&Counted| {
        let later = ran.counted.iter().rev();
        later
            .filter(|other| other.command == counted.command)
            .map(|other| other.entry)
            .next()
            == Some(counted.entry)
    };
    if let Some(found) = ran.counted.iter().filter(last).find(|own| has(own)) {
        return Some((Verdict::Supported, vec![found.entry], String::new()));
    }
    // History is told with words of time.
    if outcome_of(sentence).is_none() || told.len() > 1 {
        return None;
    }
    let word = key.split(' ').nth(1)?;
    let old = ran.counted.iter().rev().find(|own| has(own))?;
    let new = ran.counted.iter().filter(last);
    let new = new
        .filter(|own| own.command == old.command)
        .find_map(|own| Some((own, own.keys.iter().find(|key| key.ends_with(word))?)))?;
    let reason = format!("the last run of the command has {}", new.1);
    Some((Verdict::Stale, vec![new.0.entry], reason))
}

fn runs(span: &Span<'_>) -> Runs {
    let calls = span.calls();
    let refused = span.refused();
    let mut ran = Runs::default();
    for part in span.parts() {
        if part.kind != PartKind::ToolOutput {
            continue;
        }
        let Some(id) = part.call_id.filter(|id| !refused.contains(id)) else {
            continue;
        };
        let Some(call) = calls.get(id) else { continue };
        let Some(command) = call.command.as_deref() else {
            continue;
        };
        let counts = test_counts::counts(part.text);
        if !counts.is_empty() && !call.looks_only {
            ran.counted.push(Counted {
                entry: part.entry,
                command: commands::head(commands::doing(command)),
                keys: counts.into_iter().map(|(_, key)| key).collect(),
            });
        }
        if let (true, Some(well)) = (is_alone(call), went_well(&part)) {
            let made = Ran {
                entry: part.entry,
                well,
            };
            let head = commands::head(commands::doing(command));
            ran.by_head.entry(head).or_default().push(made);
            let own = ran.by_command.entry(commands::key(command)).or_default();
            own.push(made);
        }
    }
    ran
}

/// True where the script of a call does nothing but run its command.
fn is_alone(call: &Call<'_>) -> bool {
    let Some(script) = call.script.as_deref() else {
        return false;
    };
    let others = scripts::steps(script).into_iter().filter(|step| {
        let text = step.text(script).trim_start();
        !text.starts_with("cd ") && !text.is_empty()
    });
    others.count() == 1
}

/// Whether an output is of a command that went well; `None` where it does not say.
fn went_well(part: &Part<'_>) -> Option<bool> {
    if let Some(code) = exit_code(part.text) {
        return Some(code == 0);
    }
    if part.is_error {
        return Some(false);
    }
    let fails = test_counts::counts(part.text);
    let failed = fails.iter().any(|(_, key)| key.ends_with("failed"));
    let complains = !errors::error_lines(part.text, false).is_empty();
    (!failed && !complains).then_some(true)
}

/// The exit code that an output names in its first or last lines.
fn exit_code(text: &str) -> Option<i64> {
    let mut first = text.lines().take(4);
    let mut last = text.lines().rev().take(4);
    let read = |line: &str| {
        let lower = line.to_ascii_lowercase();
        let marks = ["exit code", "exited with code", "exit status"];
        let rest = marks.iter().find_map(|mark| {
            let at = lower.find(mark)?;
            (at < 40).then(|| lower[at + mark.len()..].to_owned())
        })?;
        let rest = rest.trim_start_matches([':', ' ', '=']);
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().ok()
    };
    first.find_map(read).or_else(|| last.find_map(read))
}
