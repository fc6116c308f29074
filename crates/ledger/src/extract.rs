//! Facts of a span: what is worth keeping, where it stands, and how much it weighs.

use crate::bounded::{BoundedNames, BoundedSet};
use crate::called::{self, Called};
use crate::candidate::{Registry, finish, role_weight};
use crate::comments::{self, Comment};
use crate::endpoints::Endpoints;
use crate::identifiers::{self, Identifier};
use crate::matching::is_bounded;
use crate::reading::Reading;
use crate::removed::Removed;
use crate::repairs::Repairs;
use crate::requests::Said;
use crate::span::{Call, Part, PartKind, ReadSpan, Span, ToolAction};
use crate::taken_steps::Taken;
use crate::tasks::{self, Tasks};
use crate::told::Voice;
use crate::{
    authored, beside, carried, commands, diagnostics, documents, figures, files, mask, outcome,
    ran, requests, restated, reviews, scripts, superseded, test_counts, told, tool_failures, words,
};
use palimpsest_core::ledger::{FactKind, FileRole, TaskState};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use std::ops::Range;

pub use crate::candidate::{Candidate, MAX_PLACES, Standing};

/// The first errors of an output tell what is wrong; those behind them often follow from them, and
/// are so many ranks lighter.
const TELLING_ERRORS: usize = 3;
const CROWDED: i32 = 2;

/// How many ranks lighter a thing to do or a choice is that only an earlier summary tells: of 14 such things to do
/// among the heaviest facts of eleven spans one was still open, of eight choices two were worth a line.
const OVERTAKEN: i32 = 3;

/// How many ranks lighter a finished task is.
const FINISHED: i32 = 5;

/// The facts of `span` in order of first appearance, each once.
///
/// Requests and constraints are the user's sentences, pasted material left out (see [`pasted`]),
/// also where an agent stores them in the result of a refused call or of a question; decisions and
/// findings are the model's, by cue words and as items of lists that the user picks from; things to
/// do come from tools that keep tasks and from sentences; commands and files from calls; errors
/// from outputs of what was run and from what the user pasted. What an earlier summary says is a
/// fact of its generation.
///
/// Identifiers (see [`identifiers`]) have [`Standing::Said`] when someone speaks or thinks of
/// them, and [`Standing::Shown`] when they only stand in the first 2,000 bytes of pasted material
/// or of the output of a command that does more than look; their appearances are counted
/// everywhere. Of the figures in outputs, ports and the outcome of the last run of each test
/// command count as said.
///
/// The weight is [`crate::candidate::weight`], with a recency of 0.5^(distance / half-life), where
/// distance is from the last appearance to the end in messages and the half-life half the span,
/// 10 at least.
pub fn extract(span: &Span<'_>) -> Vec<Candidate> {
    extract_read(span, &ReadSpan::of(span))
}

/// The same of a span that was read.
pub(crate) fn extract_read(span: &Span<'_>, read: &ReadSpan<'_>) -> Vec<Candidate> {
    extract_noted(span, read, readings(read))
}

/// What each text of a span shows by itself, in their order.
pub(crate) fn readings(read: &ReadSpan<'_>) -> Vec<Reading> {
    let calls = read.by_id();
    let answered = |part: &Part<'_>| part.call_id.and_then(|id| calls.get(id)).copied();
    let all: Vec<(&Part<'_>, Option<&Call<'_>>)> = read.each().collect();
    beside::each(&all, |&(part, own)| {
        Reading::of(part, own.or_else(|| answered(part)))
    })
}

/// The same of a span whose texts were read.
pub(crate) fn extract_noted(
    span: &Span<'_>,
    read: &ReadSpan<'_>,
    readings: Vec<Reading>,
) -> Vec<Candidate> {
    let calls = read.by_id();
    let refused = span.refused();
    let results = read.each().filter(|(part, _)| part.is_error);
    let failed_calls: HashSet<&str> = results.filter_map(|(part, _)| part.call_id).collect();
    let mut registry = Registry::with_room(readings.len());
    let mut quiet: Vec<(Part<'_>, f64)> = Vec::new();
    let mut outcomes = test_counts::Outcomes::default();
    let mut tasks = Tasks::default();
    let mut said = Said::default();
    let mut repairs = Repairs::default();
    let mut taken = Taken::default();
    let mut failures = ran::Failures::default();
    let mut removed = Removed::default();
    let mut endpoints = Endpoints::default();
    let mut carried = Vec::new();
    let mut crowded: Vec<usize> = Vec::new();
    let answered = |part: &Part<'_>| part.call_id.and_then(|id| calls.get(id)).copied();
    for ((&part, own_call), reading) in read.each().zip(readings) {
        let call = answered(&part);
        match part.kind {
            PartKind::UserText => user_text(&mut registry, &part, reading, &mut said),
            PartKind::AssistantText => {
                said.note(&part);
                told::note(&mut registry, &part, reading.sayings, Voice::Aloud);
                tool_failures::note_quoted(&mut registry, &part, reading.quoted);
                speech(&mut registry, &part, reading.names, role_weight::READ);
            }
            PartKind::Summary => {
                carried.push(part.entry);
                carried::read(&mut registry, &part);
                speech(&mut registry, &part, reading.names, role_weight::READ);
            }
            PartKind::Injected => {
                tasks.reminder(&part);
                tool_failures::handed(&mut registry, &part);
            }
            PartKind::Thinking => {
                told::note(&mut registry, &part, reading.sayings, Voice::Thought);
                tool_failures::note_quoted(&mut registry, &part, reading.quoted);
                quiet.push((part, role_weight::READ));
            }
            // What the user refused was neither run nor written.
            PartKind::ToolCall if part.call_id.is_some_and(|id| refused.contains(id)) => {
                quiet.push((part, role_weight::READ));
            }
            PartKind::ToolCall => {
                if let Some(call) = own_call {
                    // What a command removes it seldom prints.
                    if !part.call_id.is_some_and(|id| failed_calls.contains(id)) {
                        removed.note(call);
                    }
                    endpoints.note(&part, call);
                    let read = (reading.called, reading.comments);
                    tool_call(&mut registry, &part, call, read, &mut tasks);
                }
                quiet.push((part, role_weight::READ));
            }
            PartKind::ToolOutput => {
                if tasks::is_result(&part) {
                    tasks.result(&part);
                }
                let failed = tool_output(&mut registry, &part, call, reading);
                let new = |fact: &&usize| registry.facts[**fact].count == 1;
                crowded.extend(failed.iter().skip(TELLING_ERRORS).filter(new));
                if let Some(call) = call.filter(|_| !part.is_error || !failed.is_empty()) {
                    repairs.note(&mut registry, call, &part, &failed);
                }
                outcomes.note(&part, call);
                if let Some(call) = call {
                    taken.note(call, &part);
                    failures.note(call, &part);
                }
                quiet.push((part, role_weight::READ));
            }
        }
    }
    for fact in crowded {
        registry.facts[fact].lighter += CROWDED;
    }
    endpoints.finish(&mut registry);
    for (part, range, key) in outcomes.last() {
        registry.add(FactKind::Number, key, &part, range, role_weight::READ);
    }
    for task in tasks.finish() {
        task_fact(&mut registry, task);
    }
    registry
        .facts
        .retain(|fact| fact.kind != FactKind::Number || figures::tells(fact));
    for fact in &mut registry.facts {
        let is_carried = !fact.places.is_empty()
            && fact
                .places
                .iter()
                .all(|place| carried.contains(&place.entry));
        fact.details.generation = u32::from(is_carried);
        fact.lighter += match fact.kind {
            _ if !is_carried => 0,
            FactKind::Todo | FactKind::Decision => OVERTAKEN,
            _ => 1,
        };
    }
    taken.close(&mut registry.facts, FINISHED);
    taken.settle(&mut registry.facts);
    files::join(&mut registry.facts);
    count_quiet(&mut registry, &quiet);
    files::settle(&mut registry.facts);
    removed.settle(&mut registry.facts);
    files::without_names(&mut registry.facts);
    registry.facts.iter_mut().for_each(settle_symbol);
    registry.facts.iter_mut().for_each(name_branch);
    registry.facts.iter_mut().for_each(settle_slip);
    registry.facts.iter_mut().for_each(name_ticket);
    restated::demote(&mut registry.facts);
    superseded::demote(&mut registry.facts);
    ran::weigh(&mut registry.facts, &failures, &removed);
    finish(registry.facts, span.items.len())
}

/// A summary may name a branch of a remote without the remote.
fn name_branch(fact: &mut Candidate) {
    let remotes = ["origin/", "upstream/"].iter();
    let mut local = remotes.filter_map(|remote| fact.key.strip_prefix(remote));
    if let Some(name) = local.rfind(|name| name.len() >= 6)
        && fact.kind == FactKind::Symbol
    {
        let name = name.to_owned();
        fact.aliases.push(name);
    }
}

/// Ends of addresses of what trackers number, by which a summary tells them (`#288`).
const TICKETS: [&str; 4] = ["/issues/", "/pull/", "/merge_requests/", "/discussions/"];

/// A summary tells the address of a ticket by its number. Where more is said than the address, the rest counts.
fn name_ticket(fact: &mut Candidate) {
    let is_address = fact.text.starts_with("http") && !fact.text.contains(' ');
    for kind in TICKETS.iter().filter(|_| is_address) {
        let Some((_, behind)) = fact.text.split_once(kind) else {
            continue;
        };
        let number: String = behind.chars().take_while(char::is_ascii_digit).collect();
        if number.len() >= 2 && number.len() == behind.len() {
            fact.aliases.push(format!("#{number}"));
        }
    }
}

/// How often the model speaks of a name before it is noticed, where nothing was done with it.
const SPOKEN_OF: usize = 3;

/// A name that only the model speaks of, and that it neither looked for, wrote nor ran, says little: of
/// 51 such names in the drawn stretches people name 12, of 12 that stand in calls as well eleven.
fn settle_symbol(fact: &mut Candidate) {
    let passing = fact.kind == FactKind::Symbol
        && fact.standing == Standing::Said
        && fact.worked == 0
        && fact.role < role_weight::USER
        && fact.details.generation == 0;
    if passing {
        // What no output shows is known from nowhere else.
        let shown = fact.count > fact.said;
        fact.standing = if shown && fact.said < SPOKEN_OF {
            Standing::Shown
        } else {
            Standing::Noticed
        };
    }
}

/// How many ranks lighter an error is by which a program refuses how it was called: the next call mends it.
const SLIP: i32 = 5;

/// The same of what a tool of the agent refuses (a missing text to replace); it is only noticed besides.
const REFUSED: i32 = 2;

/// A refused call that was not repeated tells nothing of the work.
fn settle_slip(fact: &mut Candidate) {
    if fact.kind == FactKind::Error && fact.count == 1 {
        if fact.standing == Standing::Said && diagnostics::refuses_call(&fact.text) {
            fact.lighter += SLIP;
        } else if fact.standing == Standing::Noticed || is_of_a_look(&fact.text) {
            fact.lighter += REFUSED;
        }
    }
    // A line that leads up to others, or that a linter adds to another one.
    let beside = fact.text.ends_with(':') || fact.text.contains("(related information)");
    if fact.kind == FactKind::Error && beside {
        fact.lighter += CROWDED;
    }
}

/// True for the complaint of a program that only looks (`cat: notes.md: No such file or directory`), whatever else
/// the call did.
fn is_of_a_look(error: &str) -> bool {
    // Not all that look: `test: ` and `date: ` begin messages of others as well.
    const LOOKING: [&str; 11] = [
        "cat", "ls", "stat", "head", "tail", "grep", "rg", "find", "wc", "less", "readlink",
    ];
    let program = error.split_once(": ").map(|(program, _)| program);
    program.is_some_and(|name| LOOKING.contains(&name))
}

/// A task in its last state; a finished one weighs next to nothing.
fn task_fact(registry: &mut Registry, task: tasks::Task<'_>) {
    let index = registry.note(FactKind::Todo, words::sentence_key(&task.text), &task.text);
    for (part, range) in &task.places {
        registry.place(
            index,
            part,
            range.clone(),
            role_weight::EDIT,
            Standing::Said,
        );
    }
    let fact = &mut registry.facts[index];
    fact.details.task = Some(task.state);
    if task.state == TaskState::Closed {
        fact.lighter = FINISHED;
    }
}

fn user_text<'a>(registry: &mut Registry, part: &Part<'a>, reading: Reading, said: &mut Said<'a>) {
    if let Some(prompt) = reading.prompt {
        requests::note(registry, part, *prompt, said);
    }
    tool_failures::note_quoted(registry, part, reading.quoted);
    for range in reading.errors {
        let key = mask::mask(&part.text[range.clone()]);
        registry.add(FactKind::Error, key, part, range, role_weight::USER);
    }
    speech(registry, part, reading.names, role_weight::USER);
    for Identifier { kind, range, key } in reading.pasted {
        let standing = standing_in_output(kind, &key);
        let index = registry.note(kind, key, &part.text[range.clone()]);
        registry.place(index, part, range, role_weight::READ, standing);
    }
}

/// Identifiers that someone said.
fn speech(registry: &mut Registry, part: &Part<'_>, names: Vec<Identifier>, role: f64) {
    for Identifier { kind, range, key } in names {
        // Hashes and options are many, and looked up where they are needed; an English word in
        // backticks (`now`, `require`) names little.
        let passing = role < role_weight::USER
            && kind == FactKind::Symbol
            && (key.starts_with("--")
                || identifiers::is_hash(&key)
                || identifiers::is_plain_word(&key)
                || is_slight(&key));
        let standing = if passing {
            Standing::Noticed
        } else {
            Standing::Said
        };
        let index = registry.note(kind, key, &part.text[range.clone()]);
        registry.place(index, part, range, role, standing);
        if kind == FactKind::Symbol {
            registry.facts[index].lighter = 0;
        }
    }
}

/// True for a name of a few small letters (`len`, `make`): part of the language, or known only nearby.
fn is_slight(key: &str) -> bool {
    key.len() <= 4 && key.bytes().all(|b| b.is_ascii_lowercase())
}

/// Ports are rare in outputs and needed to reach what runs there.
fn standing_in_output(kind: FactKind, key: &str) -> Standing {
    if kind == FactKind::Number && key.starts_with("port ") {
        Standing::Said
    } else {
        Standing::Shown
    }
}

fn tool_call<'a>(
    registry: &mut Registry,
    part: &Part<'a>,
    call: &Call<'_>,
    (called, comments): (Called, Vec<Comment>),
    tasks: &mut Tasks<'a>,
) {
    called::note(registry, part, called.named);
    if call.action == ToolAction::Todo {
        tasks.call(part);
    } else {
        tasks.carried(part);
    }
    authored::read(registry, part, call);
    documents::read_proposed(registry, part, call);
    if call.action.changes_files() {
        documents::read_written(registry, part, call);
        comments::note(registry, part, comments);
    }
    called::note(registry, part, called.defined);
}

/// Notes what a tool returned, and gives the facts of its errors.
fn tool_output(
    registry: &mut Registry,
    part: &Part<'_>,
    call: Option<&Call<'_>>,
    reading: Reading,
) -> Vec<usize> {
    let mut failed = Vec::new();
    // Commands of the person are stored as one message with their output.
    if part.tool.is_none()
        && let Some(command) = commands::from_user_shell(part.text)
    {
        let start = command.as_ptr() as usize - part.text.as_ptr() as usize;
        let range = start..start + command.len();
        let key = commands::key(command);
        registry.add(FactKind::Command, key, part, range, role_weight::USER);
    }
    for range in reading.errors {
        let key = mask::mask(&part.text[range.clone()]);
        let index = registry.note(FactKind::Error, key, &part.text[range.clone()]);
        let line = &part.text[range.clone()];
        let standing = if reading.minor_errors || outcome::tells_of_stop(line) {
            Standing::Noticed
        } else {
            Standing::Said
        };
        for alias in diagnostics::rules(&part.text[range.clone()]) {
            let fact = &mut registry.facts[index];
            if !fact.aliases.contains(&alias) {
                fact.aliases.push(alias);
            }
        }
        registry.place(index, part, range, role_weight::ERROR, standing);
        failed.push(index);
    }
    if let Some(call) = call {
        told::note(registry, part, reading.sayings, Voice::Written);
        if reviews::fetches(call) {
            reviews::read(registry, part);
        }
        let standing = if reading.listed.len() > files::MANY_LISTED {
            Standing::Shown
        } else {
            Standing::Noticed
        };
        for range in reading.listed {
            let key = identifiers::path_key(&part.text[range.clone()]);
            let index = registry.note(FactKind::Path, key, &part.text[range.clone()]);
            registry.place(index, part, range, role_weight::READ, standing);
            files::note_role(&mut registry.facts[index], FileRole::Searched);
        }
        if !part.is_error {
            documents::read_shown(registry, part, call);
        }
        commit_hash(registry, part, call);
    }
    for found in reading.names {
        if matches!(found.kind, FactKind::Path | FactKind::Number) {
            let standing = standing_in_output(found.kind, &found.key);
            let surface = &part.text[found.range.clone()];
            let index = registry.note(found.kind, found.key, surface);
            if standing == Standing::Said {
                registry.place(index, part, found.range, role_weight::READ, standing);
            }
        }
    }
    failed
}

/// Git tells the hash of a commit (`[branch 1a2b3c4] subject`), under which summaries name it.
fn commit_hash(registry: &mut Registry, part: &Part<'_>, call: &Call<'_>) {
    let Some(script) = call
        .script
        .as_deref()
        .filter(|script| script.contains("git commit"))
    else {
        return;
    };
    let Some(hash) = part.text.lines().find_map(|line| {
        let hash = line
            .strip_prefix('[')?
            .split(']')
            .next()?
            .rsplit(' ')
            .next()?;
        let is_hash = hash.len() >= 7 && hash.bytes().all(|b| b.is_ascii_hexdigit());
        is_hash.then(|| hash.to_owned())
    }) else {
        return;
    };
    for deed in scripts::deeds(script) {
        if deed.name.starts_with("git commit") {
            let index = registry.note(FactKind::Command, scripts::key(&deed.name), &deed.name);
            registry.facts[index].aliases.push(hash.clone());
        }
    }
}

/// Counts the identifiers in texts nobody spoke: outputs, reasoning, arguments.
fn count_quiet(registry: &mut Registry, quiet: &[(Part<'_>, f64)]) {
    let mut needles = BoundedSet::default();
    for (index, fact) in registry.facts.iter().enumerate() {
        if matches!(
            fact.kind,
            FactKind::Path | FactKind::Symbol | FactKind::Number
        ) {
            for surface in &fact.surfaces {
                needles.add(index, surface);
            }
        }
    }
    let Some(needles) = needles.build() else {
        return;
    };
    let facts = &registry.facts;
    let found = beside::each(quiet, |(part, _)| appearances(part, facts, &needles));
    for ((part, role), found) in quiet.iter().zip(found) {
        for (index, range, standing) in found {
            registry.place(index, part, range, *role, standing);
        }
    }
}

/// Where the facts stand in a text that nobody spoke: which one, its byte range, and how it counts.
fn appearances(
    part: &Part<'_>,
    facts: &[Candidate],
    needles: &BoundedNames,
) -> Vec<(usize, Range<usize>, Standing)> {
    let mut out = Vec::new();
    let mut seen: HashMap<usize, usize> = HashMap::default();
    needles.find(part.text, |index, range| {
        let fact = &facts[index];
        // The paths a call names are placed already, the ports an output shows too.
        if part.kind == PartKind::ToolCall && fact.kind == FactKind::Path
            || part.kind == PartKind::ToolOutput && fact.key.starts_with("port ")
        {
            return;
        }
        // A name that is an English word as well counts where it is marked as a name.
        if fact.kind == FactKind::Symbol
            && identifiers::is_plain_word(&fact.key)
            && !identifiers::is_marked(part.text, &range)
        {
            return;
        }
        let standing = match part.kind {
            _ if fact.kind == FactKind::Symbol && identifiers::is_hash(&fact.key) => {
                Standing::Shown
            }
            PartKind::Thinking => Standing::Said,
            // What is written into files is full of figures.
            PartKind::ToolCall if fact.kind != FactKind::Number => Standing::Said,
            _ => Standing::Shown,
        };
        let end = seen.entry(index).or_default();
        // Spellings of one path lie inside each other; they are one appearance.
        if range.start >= *end && is_bounded(part.text, &range, fact.kind) {
            *end = range.end;
            out.push((index, range, standing));
        }
    });
    out
}
