//! Claims about what is still to do: tasks of the agent's list, and steps that a commit has done.

use crate::claims::log::Log;
use crate::claims::told::{any_of, plain_words};
use crate::claims::verdict::{Decided, Place, Verdict};
use crate::words;
use palimpsest_core::EntryIx;
use palimpsest_core::ledger::{Fact, FactKind, FactStatus, TaskState};

/// Words by which a sentence says that something is still to do.
const UNDONE: [&str; 5] = [
    "not started",
    "still to do",
    "not done",
    "not yet started",
    "still open",
];

/// True for a sentence that begins with the task.
fn begins_with(sentence: &str, task: &str) -> bool {
    let all = plain_words(sentence)
        .into_iter()
        .skip_while(|word| word == "x");
    let task = plain_words(task);
    all.take(task.len()).eq(task.iter().cloned())
}

/// A task that is told as open and was finished, or is ticked and still open.
pub(super) fn task(sentence: &str, place: &Place<'_>, facts: &[&Fact]) -> Option<Decided> {
    let joined = plain_words(sentence).join(" ");
    let says_open = place.ticked() == Some(false)
        || (place.ticked().is_none() && place.is_open())
        || UNDONE.iter().any(|cue| joined.contains(cue));
    let says_done =
        place.ticked() == Some(true) && !any_of(&plain_words(sentence), &["partly", "partially"]);
    if !says_open && !says_done {
        return None;
    }
    let told = if says_done {
        TaskState::Open
    } else {
        TaskState::Closed
    };
    let task = facts.iter().find(|fact| {
        fact.kind == FactKind::Todo
            && fact.details.task == Some(told)
            && fact.status == FactStatus::Verbatim
            // A tick in front of a sentence that names the task in passing ticks something else.
            && (!says_done || begins_with(sentence, fact.own_words()))
            // A short task stands in many sentences.
            && words::content_words(fact.own_words()).len() >= 3
    })?;
    let last = task.places.iter().map(|place| place.entry).max();
    let reason = if says_done {
        "the task is still open in the list"
    } else {
        "the task was finished"
    };
    Some((
        Verdict::Contradicted,
        last.into_iter().collect(),
        reason.to_owned(),
    ))
}

/// Fewest content words of a step that a commit can be told from.
const STEP_WORDS: usize = 3;

/// Share of a step's content words that the subject of a commit must have.
const IN_SUBJECT: f64 = 0.8;

/// A step that is told as the next one, and that a commit of the span did.
pub(super) fn committed(sentence: &str, place: &Place<'_>, log: &Log) -> Option<Decided> {
    let all = plain_words(sentence);
    let marked = sentence.contains("(NEXT)") || sentence.contains("(next)");
    let begins = all.first().is_some_and(|word| word == "next");
    let is_open = place.ticked() == Some(false) || (place.ticked().is_none() && place.is_open());
    if !(is_open || marked || begins) || place.ticked() == Some(true) {
        return None;
    }
    let mut step = words::content_words(sentence);
    step.retain(|word| !matches!(word.as_str(), "next" | "step" | "steps"));
    if step.len() < STEP_WORDS {
        return None;
    }
    let did = |(subject, _): &&(String, EntryIx)| {
        let subject = words::content_words(subject);
        let shared = step.iter().filter(|word| subject.contains(word)).count();
        shared as f64 >= IN_SUBJECT * step.len() as f64
    };
    let (subject, entry) = log.commits.iter().rev().find(did)?;
    let reason = format!("the commit \"{}\" did that", words::one_line(subject, 60));
    Some((Verdict::Stale, vec![*entry], reason))
}
