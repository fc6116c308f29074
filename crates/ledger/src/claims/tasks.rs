//! Claims about tasks of the agent's list.

use crate::claims::told::{any_of, plain_words};
use crate::claims::verdict::{Decided, Place, Verdict};
use crate::words;
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
            && (!says_done || begins_with(sentence, &fact.text))
            // A short task stands in many sentences.
            && words::content_words(&fact.text).len() >= 3
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
