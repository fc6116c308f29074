//! Facts of a span: what is worth keeping, where it stands, and how much it weighs.

use crate::candidate::{Registry, finish, merge_paths, role_weight};
use crate::identifiers::{self, Identifier};
use crate::matching::{NeedleSet, is_bounded};
use crate::span::{Call, Part, PartKind, Span, ToolAction};
use crate::{commands, errors, pasted, prose, test_counts, words};
use palimpsest_core::ledger::FactKind;
use std::collections::HashMap;
use std::ops::Range;

pub use crate::candidate::{Candidate, MAX_PLACES, Standing};

/// Longest sentence, in bytes, taken as one fact; what is longer is cut there.
const MAX_SENTENCE_BYTES: usize = 600;

/// Content words from which a sentence tells what a message is about.
const TELLING_WORDS: usize = 4;

/// Beginning of a tool's output, in bytes, in which identifiers are looked for that nobody speaks
/// of; pi gives a summarizer the first 2,000 characters of an output.
const OUTPUT_HEAD_BYTES: usize = 2000;

/// The facts of `span` in order of first appearance, each once.
///
/// Requests and constraints are the person's sentences, pasted material left out (see
/// [`pasted`]); decisions and things to do are the model's, by cue words; commands, and the paths
/// of calls, come from tool calls; errors from outputs and from what the person pasted.
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
    let calls = span.calls();
    let mut registry = Registry::default();
    let mut quiet: Vec<(Part<'_>, f64)> = Vec::new();
    let mut outcomes = test_counts::Outcomes::default();
    for part in span.parts() {
        let call = part.call_id.and_then(|id| calls.get(id));
        match part.kind {
            PartKind::UserText => user_text(&mut registry, &part),
            PartKind::AssistantText => {
                assistant_text(&mut registry, &part);
                let prose = words::prose(part.text);
                speech(&mut registry, &part, &prose, role_weight::READ);
            }
            PartKind::Injected => {
                let prose = words::prose(part.text);
                speech(&mut registry, &part, &prose, role_weight::READ);
            }
            PartKind::Thinking => quiet.push((part, role_weight::READ)),
            PartKind::ToolCall => tool_call(&mut registry, &part, &mut quiet),
            PartKind::ToolOutput => {
                tool_output(&mut registry, &part, call);
                outcomes.note(&part, call);
                quiet.push((part, role_weight::READ));
            }
        }
    }
    for (part, range, key) in outcomes.last() {
        registry.add(FactKind::Number, key, &part, range, role_weight::READ);
    }
    merge_paths(&mut registry.facts);
    count_quiet(&mut registry, &quiet);
    finish(registry.facts, span.items.len())
}

/// Identifiers in `ranges` of a text, which someone said.
fn speech(registry: &mut Registry, part: &Part<'_>, ranges: &[Range<usize>], role: f64) {
    for range in ranges {
        for found in identifiers::scan(&part.text[range.clone()]) {
            let Identifier {
                kind,
                range: inner,
                key,
            } = found;
            let at = range.start + inner.start..range.start + inner.end;
            registry.add(kind, key, part, at, role);
        }
    }
}

fn sentence_key(sentence: &str) -> String {
    words::normalize(sentence)
        .trim_end_matches(['.', '!', '?', ':', ';', ','])
        .to_owned()
}

/// The sentences in `ranges` of a text that say something.
fn sentences_of(text: &str, ranges: &[Range<usize>]) -> Vec<Range<usize>> {
    ranges
        .iter()
        .flat_map(|range| {
            words::sentences(&text[range.clone()])
                .into_iter()
                .map(move |inner| range.start + inner.start..range.start + inner.end)
        })
        .map(|range| {
            range.start
                ..words::floor_boundary(text, range.end.min(range.start + MAX_SENTENCE_BYTES))
        })
        .filter(|range| prose::says_something(&text[range.clone()]))
        .collect()
}

fn user_text(registry: &mut Registry, part: &Part<'_>) {
    let text = part.text;
    let own = pasted::own_words(text);
    let read: Vec<_> = sentences_of(text, &own)
        .into_iter()
        .filter(|range| !prose::only_agrees(&text[range.clone()]))
        .map(|range| (prose::cues(&text[range.clone()]), range))
        .collect();
    let mut asked = false;
    for (cues, range) in &read {
        let key = sentence_key(&text[range.clone()]);
        if cues.constraint {
            registry.add(
                FactKind::Constraint,
                key,
                part,
                range.clone(),
                role_weight::USER,
            );
        } else if cues.todo {
            registry.add(FactKind::Todo, key, part, range.clone(), role_weight::USER);
        } else if cues.request {
            registry.add(
                FactKind::UserRequest,
                key,
                part,
                range.clone(),
                role_weight::USER,
            );
            asked = true;
        }
    }
    // A message without an asking sentence still wants something: what it begins with, which in
    // "Stop for a second. The ..." is the second sentence.
    let telling = read
        .iter()
        .take(3)
        .find(|(_, range)| words::content_words(&text[range.clone()]).len() >= TELLING_WORDS);
    if !asked
        && let Some((cues, range)) = telling.or(read.first())
        && (!cues.constraint || cues.request)
    {
        let key = sentence_key(&text[range.clone()]);
        registry.add(
            FactKind::UserRequest,
            key,
            part,
            range.clone(),
            role_weight::USER,
        );
    }
    for range in errors::error_lines(text, false) {
        let line = &text[range.clone()];
        let pasted = errors::error_code(line).is_some() || line.to_lowercase().contains("error:");
        if pasted {
            registry.add(
                FactKind::Error,
                errors::mask(line),
                part,
                range,
                role_weight::USER,
            );
        }
    }
    speech(registry, part, &own, role_weight::USER);
    let mut left = OUTPUT_HEAD_BYTES;
    for range in pasted::material(text) {
        let end = words::floor_boundary(text, range.end.min(range.start + left));
        left -= end - range.start;
        for found in identifiers::scan(&text[range.start..end]) {
            if matches!(found.kind, FactKind::Path | FactKind::Number) {
                let at = range.start + found.range.start..range.start + found.range.end;
                let standing = standing_in_output(found.kind, &found.key);
                let index = registry.note(found.kind, found.key, &text[at.clone()]);
                registry.place(index, part, at, role_weight::READ, standing);
            }
        }
    }
}

/// Ports are rare in outputs and needed to reach what runs there.
fn standing_in_output(kind: FactKind, key: &str) -> Standing {
    if kind == FactKind::Number && key.starts_with("port ") {
        Standing::Said
    } else {
        Standing::Shown
    }
}

fn assistant_text(registry: &mut Registry, part: &Part<'_>) {
    for range in sentences_of(part.text, &words::prose(part.text)) {
        let sentence = &part.text[range.clone()];
        let cues = prose::cues(sentence);
        let before = part.text[..range.start].trim_end_matches(['`', '*', ' ']);
        // A heading names what follows, and "now let me use x instead:" what is done next.
        if before.ends_with('#') || prose::announces(sentence) {
            continue;
        }
        let kind = if cues.todo || before.ends_with("[ ]") {
            FactKind::Todo
        } else if cues.decision {
            FactKind::Decision
        } else {
            continue;
        };
        registry.add(kind, sentence_key(sentence), part, range, role_weight::EDIT);
    }
}

fn tool_call<'a>(registry: &mut Registry, part: &Part<'a>, quiet: &mut Vec<(Part<'a>, f64)>) {
    let call = Call::read(part);
    let role = if call.looks_only {
        role_weight::READ
    } else {
        role_weight::EDIT
    };
    if let Some(path) = call.path.as_deref().filter(|path| path.len() >= 2) {
        let index = registry.note(FactKind::Path, identifiers::path_key(path), path);
        registry.place(
            index,
            part,
            find_json(part.text, path),
            role,
            Standing::Said,
        );
    }
    if let Some(command) = call.command.as_deref().filter(|command| command.len() >= 2) {
        let at = find_json(part.text, command);
        let index = registry.note(FactKind::Command, commands::key(command), command);
        // What a look showed can be seen again; the paths it names are told either way.
        let standing = if call.looks_only {
            Standing::Shown
        } else {
            Standing::Said
        };
        registry.place(index, part, at.clone(), role, standing);
        for found in identifiers::scan(command) {
            if found.kind == FactKind::Path {
                let index = registry.note(FactKind::Path, found.key, &command[found.range.clone()]);
                // An escaped command is longer than itself; then the whole command is the place.
                let range = at.start + found.range.start..at.start + found.range.end;
                let exact = part.text.get(range.clone()) == command.get(found.range);
                let range = if exact { range } else { at.clone() };
                registry.place(index, part, range, role, Standing::Said);
            }
        }
    }
    if call.action == ToolAction::Todo {
        for task in tasks(part.text) {
            let index = registry.note(FactKind::Todo, sentence_key(&task), &task);
            let at = find_json(part.text, &task);
            registry.place(index, part, at, role_weight::EDIT, Standing::Said);
        }
    }
    quiet.push((*part, role_weight::READ));
}

/// The open tasks in the arguments of a to-do tool.
fn tasks(arguments: &str) -> Vec<String> {
    let mut out = Vec::new();
    let Ok(value) = serde_json::from_str::<serde_json::Value>(arguments) else {
        return out;
    };
    let mut stack = vec![&value];
    while let Some(value) = stack.pop() {
        match value {
            serde_json::Value::Array(items) => stack.extend(items.iter().rev()),
            serde_json::Value::Object(map) => {
                let done = map
                    .get("status")
                    .and_then(|status| status.as_str())
                    .is_some_and(|status| matches!(status, "completed" | "done" | "cancelled"));
                let task = ["content", "text", "task", "title", "step"]
                    .iter()
                    .find_map(|key| map.get(*key)?.as_str());
                match task {
                    Some(task) if !done && prose::says_something(task) => out.push(task.to_owned()),
                    Some(_) => {}
                    None => stack.extend(map.values().filter(|value| !value.is_string())),
                }
            }
            _ => {}
        }
    }
    out
}

/// Where `needle` stands in JSON text: as it is, or escaped; the whole text if neither is found.
fn find_json(json: &str, needle: &str) -> Range<usize> {
    let escaped = serde_json::Value::from(needle).to_string();
    let escaped = &escaped[1..escaped.len() - 1];
    match json.find(escaped) {
        Some(at) => at..at + escaped.len(),
        None => 0..json.len(),
    }
}

fn tool_output(registry: &mut Registry, part: &Part<'_>, call: Option<&Call<'_>>) {
    let looks_only = match call {
        Some(call) => call.looks_only,
        None => matches!(part.action(), ToolAction::Read | ToolAction::Search),
    };
    // Commands of the person are stored as one message with their output.
    let own_shell = part.tool.is_none();
    if own_shell && let Some(command) = commands::from_user_shell(part.text) {
        let start = command.as_ptr() as usize - part.text.as_ptr() as usize;
        let range = start..start + command.len();
        registry.add(
            FactKind::Command,
            commands::key(command),
            part,
            range,
            role_weight::USER,
        );
    }
    if part.is_error || !looks_only {
        for range in errors::error_lines(part.text, part.is_error) {
            let key = errors::mask(&part.text[range.clone()]);
            let index = registry.note(FactKind::Error, key, &part.text[range.clone()]);
            // A look that found nothing hinders no one.
            let standing = if looks_only {
                Standing::Shown
            } else {
                Standing::Said
            };
            registry.place(index, part, range, role_weight::ERROR, standing);
        }
    }
    if !looks_only {
        let head = &part.text[..words::floor_boundary(part.text, OUTPUT_HEAD_BYTES)];
        for found in identifiers::scan(head) {
            if matches!(found.kind, FactKind::Path | FactKind::Number) {
                let standing = standing_in_output(found.kind, &found.key);
                let index = registry.note(found.kind, found.key, &head[found.range.clone()]);
                if standing == Standing::Said {
                    registry.place(index, part, found.range, role_weight::READ, standing);
                }
            }
        }
    }
}

/// Counts the identifiers in texts nobody spoke: outputs, reasoning, arguments.
fn count_quiet(registry: &mut Registry, quiet: &[(Part<'_>, f64)]) {
    let mut needles = NeedleSet::default();
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
    for (part, role) in quiet {
        let mut seen: HashMap<usize, usize> = HashMap::new();
        needles.find(part.text, |index, range| {
            let fact = &registry.facts[index];
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
                PartKind::Thinking => Standing::Said,
                // What is written into files is full of figures.
                PartKind::ToolCall if fact.kind != FactKind::Number => Standing::Said,
                _ => Standing::Shown,
            };
            let end = seen.entry(index).or_default();
            // Spellings of one path lie inside each other; they are one appearance.
            if range.start >= *end && is_bounded(part.text, &range, fact.kind) {
                *end = range.end;
                registry.place(index, part, range, *role, standing);
            }
        });
    }
}
