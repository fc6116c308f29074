//! What is open: where the work stands, what fails, and what comes next.

use crate::offline::extractive::input::ExtractiveInput;
use crate::offline::extractive::items::carried::committed;
use crate::offline::extractive::items::collector::{
    Collector, MAX_EACH, asked, asks, first_sentences_but, is_asking, quote,
};
use crate::offline::extractive::page;
use crate::offline::extractive::previous::Slot;
use crate::offline::extractive::story::{CommandWork, Story, Turn, question};
use crate::vocabulary::call::Purpose;
use palimpsest_core::ledger::{FactKind, TaskState};
use palimpsest_ledger::commands;
use palimpsest_ledger::extract::Candidate;

/// Place of what comes first among the next steps, before those of the previous summary.
const FIRST: usize = 0;

/// Most things told of what was done for a request that is open.
const MAX_SO_FAR: usize = 4;

/// Checks whose last verdict is told.
const MAX_CHECKS: usize = 4;

/// Collects what is open.
pub fn open(
    made: &mut Collector<'_>,
    input: &ExtractiveInput<'_>,
    story: &Story,
    facts: &[Candidate],
    root: &str,
) {
    state(made, input, story, root);
    failing(made, story);
    tasks(made, story, facts);
    next(made, input, story);
}

/// The messages of the person since the model last ended a turn: nobody has answered them.
fn unanswered(story: &Story) -> Vec<&Turn> {
    let mut open: Vec<&Turn> = Vec::new();
    for turn in story.turns.iter().rev() {
        if turn.closing.is_some() {
            break;
        }
        open.push(turn);
    }
    open.reverse();
    open.retain(|turn| is_asking(turn));
    open
}

fn state(made: &mut Collector<'_>, input: &ExtractiveInput<'_>, story: &Story, root: &str) {
    // How things stand is told behind what led there.
    let end = made.len;
    // The newest stands under the goal.
    let open = unanswered(story);
    let earlier = &open[..open.len().saturating_sub(1)];
    for turn in earlier.iter().rev().take(3).rev() {
        // The first request stands under the goal as well.
        let is_first = asks(story)
            .first()
            .is_some_and(|first| first.item == turn.item);
        if !is_first && input.purpose != Purpose::TurnPrefix {
            let label = if turn.acted {
                "Worked on, not reported"
            } else {
                "Not answered yet"
            };
            let text = format!("{label}: {}", asked(turn, 200));
            made.add(Slot::InProgress, text, 38.0, made.at(turn.item), true);
        }
    }
    if !story.last_actions.is_empty() {
        let mut text = format!("Last actions: {}", story.last_actions.join(", "));
        if !root.is_empty() {
            text = text.replace(root, "");
        }
        made.add(Slot::InProgress, text, 40.0, made.at(end), true);
    }
    let checks = checks(story);
    if !checks.is_empty() {
        let text = format!("Last checks: {}", checks.join(", "));
        made.add(Slot::InProgress, text, 42.0, made.at(end), true);
    }
    let said = story
        .turns
        .iter()
        .rev()
        .find_map(|turn| turn.last_words.as_deref());
    // What comes next stands under its own heading.
    let is_next = |sentence: &str| {
        let lower = sentence.to_lowercase();
        lower.starts_with("next") || lower.starts_with("todo")
    };
    if let Some(said) = said.and_then(|said| first_sentences_but(said, 400, is_next)) {
        let text = format!("Where it stands: {said}");
        made.add(Slot::InProgress, text, 44.0, made.at(end), true);
    }
}

fn checks(story: &Story) -> Vec<String> {
    // A verdict on changes that were thrown away says nothing.
    let stands = |own: &&CommandWork| own.checks && own.item >= story.reset;
    let mut checks: Vec<&CommandWork> = story.commands.iter().filter(stands).collect();
    checks.sort_by_key(|command| command.item);
    let from = checks.len().saturating_sub(MAX_CHECKS);
    let told = checks[from..].iter().map(|command| {
        let ended = if command.failure.is_some() {
            "fails"
        } else {
            "passes"
        };
        format!("`{}` {ended}", page::cut(&command.command, 90))
    });
    told.collect()
}

/// A failure that is still in the way: a check that has not passed since, or another command that
/// failed after the last message of the person. Older ones were given up or did not matter.
fn is_open(story: &Story, command: &CommandWork) -> bool {
    let since = story.turns.last().map_or(0, |turn| turn.item);
    // Who commits has settled what failed before.
    let committed = story.commits.last().map_or(0, |commit| commit.item);
    command.failure.is_some()
        && command.item >= committed
        && command.item >= story.reset
        && (command.checks || command.item >= since)
}

fn failing(made: &mut Collector<'_>, story: &Story) {
    let failing = story
        .commands
        .iter()
        .filter(|command| is_open(story, command));
    let mut failing: Vec<&CommandWork> = failing.collect();
    failing.sort_by_key(|command| std::cmp::Reverse(command.item));
    for (rank, command) in failing.into_iter().take(MAX_EACH).enumerate() {
        let error = command.failure.as_deref().unwrap_or_default();
        let text = format!("`{}` fails: {error}", command.command);
        made.add(
            Slot::Blocked,
            text,
            48.0 * made.recency(command.item),
            made.at(command.item),
            true,
        );
        // Only the newest failure; all of them are under "Blocked".
        if rank == 0 {
            let head = commands::head(commands::doing(&command.command));
            let text = if command.checks {
                format!("Make `{}` pass", commands::doing(&command.command))
            } else {
                format!("Settle what `{head}` reported")
            };
            made.add(Slot::Next, text, 36.0, FIRST, false);
        }
    }
}

/// The tasks of the agent's list, and what was left in so many words. A task that was finished is
/// done.
fn tasks(made: &mut Collector<'_>, story: &Story, facts: &[Candidate]) {
    let all: Vec<_> = facts
        .iter()
        .filter(|fact| fact.kind == FactKind::Todo)
        .collect();
    // What was left in words before the model last reported is done or given up since, or stands in
    // its later words.
    let reported = story
        .turns
        .iter()
        .rev()
        .filter(|turn| turn.closing.is_some());
    let since = reported.take(2).last().map_or(0, |turn| turn.item);
    for fact in all.iter().rev().take(MAX_EACH).rev() {
        let listed = fact.details.task;
        let announces = fact.surfaces[0].to_lowercase().starts_with("now ");
        if listed.is_none() && (fact.last_item < since || announces) {
            continue;
        }
        // What was left in words is told before the list is: it may be done since.
        let (slot, weight) = match listed {
            None if committed(story, &fact.surfaces[0], fact.last_item) => continue,
            Some(TaskState::Closed) => (Slot::Done, 14.0),
            Some(TaskState::Open) => (Slot::Next, 40.0),
            None => (Slot::Next, 26.0),
        };
        let text = quote(&fact.surfaces[0]);
        let order = match listed {
            Some(TaskState::Open) => FIRST + 3,
            _ => made.at(fact.first_item),
        };
        made.add(
            slot,
            text,
            weight * made.recency(fact.last_item),
            order,
            true,
        );
    }
}

/// What was done since a turn began: commits, else files, and what other tools changed.
fn so_far(story: &Story, turn: &Turn) -> Option<String> {
    let commits = story.commits.iter().filter(|own| own.item >= turn.item);
    let mut done: Vec<String> = commits
        .map(|own| format!("committed `{}`", own.hash))
        .collect();
    if done.is_empty() {
        let files = story.files.iter().filter(|own| own.item >= turn.item);
        done.extend(files.map(|own| {
            let name = own.path.rsplit(['/', '\\']).next().unwrap_or(&own.path);
            format!("changed `{name}`")
        }));
    }
    let deeds = story.deeds.iter().filter(|own| own.item >= turn.item);
    done.extend(deeds.map(|own| format!("called {}", own.text)));
    let from = done.len().saturating_sub(MAX_SO_FAR);
    (!done.is_empty()).then(|| done.split_off(from).join(", "))
}

fn next(made: &mut Collector<'_>, input: &ExtractiveInput<'_>, story: &Story) {
    // Only among the last twelve: what was announced earlier was done or given up since.
    if let Some(plan) = story.sentences.iter().rev().take(12).find(|(_, said)| {
        let said = said.to_lowercase();
        let plans = ["next", "then i", "i still need"];
        // What leads up to a call is done by the call.
        plans.iter().any(|cue| said.starts_with(cue)) && !said.ends_with(':')
    }) {
        made.add(Slot::Next, quote(&plan.1), 31.0, made.at(plan.0), true);
    }
    match story.turns.last() {
        Some(turn) if turn.closing.is_some() => {
            if let Some(asked) = turn.closing.as_deref().and_then(question) {
                let text = format!("Waiting for an answer to: {asked}");
                made.add(Slot::Next, text, 38.0, FIRST + 1, true);
            }
        }
        _ if input.purpose != Purpose::TurnPrefix => {
            // The first request stands under the goal, and other steps lead to it.
            let first = asks(story).first().map(|first| first.item);
            let has_next = made.items.iter().any(|item| item.slot == Slot::Next);
            let last = unanswered(story).pop();
            if let Some(turn) = last.filter(|turn| first != Some(turn.item) || !has_next) {
                let text = match so_far(story, turn) {
                    Some(done) => {
                        format!("See what is left of: {} (so far: {done})", asked(turn, 120))
                    }
                    None => format!("Go on with: {}", asked(turn, 120)),
                };
                made.add(Slot::Next, text, 37.0, FIRST + 2, true);
            }
        }
        _ => {}
    }
}
