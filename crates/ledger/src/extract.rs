//! Facts of a span: what is worth keeping, where it stands, and how much it weighs.

use crate::identifiers::{self, Identifier};
use crate::matching::{NeedleSet, is_bounded};
use crate::span::{Call, Part, PartKind, Span, ToolAction};
use crate::{commands, errors, prose, words};
use palimpsest_core::ledger::{FactKind, SourcePlace};
use std::collections::HashMap;
use std::ops::Range;

/// Most places kept per fact.
pub const MAX_PLACES: usize = 50;

/// Longest text of a fact for display, in bytes.
const MAX_TEXT_BYTES: usize = 400;

/// Longest sentence, in bytes, taken as one fact; what is longer is cut there.
const MAX_SENTENCE_BYTES: usize = 600;

/// Beginning of a tool's output, in bytes, in which identifiers are looked for that nobody speaks
/// of; pi gives a summarizer the first 2,000 characters of an output.
const OUTPUT_HEAD_BYTES: usize = 2000;

/// Role weights: the person's words, errors and edits count more than what was merely read.
pub mod role_weight {
    /// The person said it.
    pub const USER: f64 = 3.0;
    /// It failed.
    pub const ERROR: f64 = 2.0;
    /// A file was changed, a command run, a choice made.
    pub const EDIT: f64 = 2.0;
    /// It was read or mentioned.
    pub const READ: f64 = 1.0;
}

/// A fact of a span before it is held against a summary.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// What kind of thing it is.
    pub kind: FactKind,
    /// The form under which two appearances are the same fact.
    pub key: String,
    /// The thing itself for display.
    pub text: String,
    /// The spellings the span uses, first used first, at most eight.
    pub surfaces: Vec<String>,
    /// Where it stands, in order.
    pub places: Vec<SourcePlace>,
    /// How often it stands there in all.
    pub count: usize,
    /// (1 + ln count) x recency x role; see [`extract`].
    pub weight: f64,
    /// Index of the first item of the span that has it.
    pub first_item: usize,
    /// Index of the last item of the span that has it.
    pub last_item: usize,
    /// Highest role weight among its appearances.
    pub role: f64,
}

#[derive(Default)]
struct Registry {
    facts: Vec<Candidate>,
    by_key: HashMap<(FactKind, String), usize>,
}

impl Registry {
    fn note(&mut self, kind: FactKind, key: String, surface: &str) -> usize {
        let next = self.facts.len();
        let index = *self
            .by_key
            .entry((kind, key))
            .or_insert_with_key(|(kind, key)| {
                self.facts.push(Candidate {
                    kind: *kind,
                    key: key.clone(),
                    text: words::one_line(surface, MAX_TEXT_BYTES),
                    surfaces: Vec::new(),
                    places: Vec::new(),
                    count: 0,
                    weight: 0.0,
                    first_item: usize::MAX,
                    last_item: 0,
                    role: 0.0,
                });
                next
            });
        let surfaces = &mut self.facts[index].surfaces;
        if surfaces.len() < 8 && !surfaces.iter().any(|known| known == surface) {
            surfaces.push(surface.to_owned());
        }
        index
    }

    fn place(&mut self, index: usize, part: &Part<'_>, range: Range<usize>, role: f64) {
        let fact = &mut self.facts[index];
        fact.count += 1;
        fact.first_item = fact.first_item.min(part.item);
        fact.last_item = fact.last_item.max(part.item);
        fact.role = fact.role.max(role);
        // Texts are read in two passes, so more are kept than shown until they can be sorted.
        if fact.places.len() < 8 * MAX_PLACES {
            fact.places.push(part.place(range));
        }
    }

    fn add(
        &mut self,
        kind: FactKind,
        key: String,
        part: &Part<'_>,
        range: Range<usize>,
        role: f64,
    ) {
        let index = self.note(kind, key, &part.text[range.clone()]);
        self.place(index, part, range, role);
    }
}

/// The facts of `span` in order of first appearance, each once.
///
/// Requests and constraints are the person's sentences; decisions and things to do are the
/// model's, by cue words; commands, and the paths of calls, come from tool calls; errors from
/// outputs and from what the person pasted. Identifiers (see [`identifiers`]) count when someone
/// speaks of them, or stand in the first 2,000 bytes of the output of a command that does more
/// than look; their appearances are then counted everywhere.
///
/// A fact weighs (1 + ln count) x 0.5^(distance / half-life) x role, where distance is from its
/// last appearance to the end in messages and the half-life half the span, 10 at least.
pub fn extract(span: &Span<'_>) -> Vec<Candidate> {
    let calls = span.calls();
    let mut registry = Registry::default();
    let mut quiet: Vec<(Part<'_>, f64)> = Vec::new();
    for part in span.parts() {
        let call = part.call_id.and_then(|id| calls.get(id));
        match part.kind {
            PartKind::UserText => {
                user_text(&mut registry, &part);
                speech(&mut registry, &part, role_weight::USER);
            }
            PartKind::AssistantText => {
                assistant_text(&mut registry, &part);
                speech(&mut registry, &part, role_weight::READ);
            }
            PartKind::Injected => speech(&mut registry, &part, role_weight::READ),
            PartKind::Thinking => quiet.push((part, role_weight::READ)),
            PartKind::ToolCall => tool_call(&mut registry, &part, &mut quiet),
            PartKind::ToolOutput => {
                tool_output(&mut registry, &part, call);
                quiet.push((part, role_weight::READ));
            }
        }
    }
    merge_paths(&mut registry.facts);
    count_quiet(&mut registry, &quiet);
    finish(registry.facts, span.items.len())
}

/// Identifiers of prose; code in fences is material, not speech.
fn speech(registry: &mut Registry, part: &Part<'_>, role: f64) {
    for range in words::prose(part.text) {
        for found in identifiers::scan(&part.text[range.clone()]) {
            let Identifier {
                kind,
                range: inner,
                key,
            } = found;
            registry.add(
                kind,
                key,
                part,
                range.start + inner.start..range.start + inner.end,
                role,
            );
        }
    }
}

fn sentence_key(sentence: &str) -> String {
    words::normalize(sentence)
        .trim_end_matches(['.', '!', '?', ':', ';', ','])
        .to_owned()
}

fn sentences_of(text: &str) -> Vec<Range<usize>> {
    words::prose(text)
        .into_iter()
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
    let read: Vec<_> = sentences_of(text)
        .into_iter()
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
    // A message without an asking sentence still wants something: what it begins with.
    if !asked
        && let Some((cues, range)) = read.first()
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
}

fn assistant_text(registry: &mut Registry, part: &Part<'_>) {
    for range in sentences_of(part.text) {
        let sentence = &part.text[range.clone()];
        let cues = prose::cues(sentence);
        let before = part.text[..range.start].trim_end_matches(['`', '*', ' ']);
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
        registry.place(index, part, find_json(part.text, path), role);
    }
    if let Some(command) = call.command.as_deref().filter(|command| command.len() >= 2) {
        let at = find_json(part.text, command);
        let index = registry.note(FactKind::Command, commands::key(command), command);
        registry.place(index, part, at.clone(), role);
        for found in identifiers::scan(command) {
            if found.kind == FactKind::Path {
                let index = registry.note(FactKind::Path, found.key, &command[found.range.clone()]);
                // An escaped command is longer than itself; then the whole command is the place.
                let range = at.start + found.range.start..at.start + found.range.end;
                let exact = part.text.get(range.clone()) == command.get(found.range);
                registry.place(index, part, if exact { range } else { at.clone() }, role);
            }
        }
    }
    if call.action == ToolAction::Todo {
        for task in tasks(part.text) {
            let index = registry.note(FactKind::Todo, sentence_key(&task), &task);
            registry.place(index, part, find_json(part.text, &task), role_weight::EDIT);
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
            registry.add(FactKind::Error, key, part, range, role_weight::ERROR);
        }
    }
    if !looks_only {
        let head = &part.text[..words::floor_boundary(part.text, OUTPUT_HEAD_BYTES)];
        for found in identifiers::scan(head) {
            if matches!(found.kind, FactKind::Path | FactKind::Number) {
                registry.note(found.kind, found.key, &head[found.range]);
            }
        }
    }
}

/// Joins paths of which one is the end of exactly one other (`src/a.rs`, `/home/me/app/src/a.rs`):
/// agents mix absolute and relative spellings of one file.
fn merge_paths(facts: &mut Vec<Candidate>) {
    const MAX_GROUP: usize = 2000;
    let mut groups: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, fact) in facts.iter().enumerate() {
        if fact.kind == FactKind::Path && !fact.key.contains("://") {
            groups
                .entry(identifiers::basename(&fact.key))
                .or_default()
                .push(index);
        }
    }
    let mut into: HashMap<usize, usize> = HashMap::new();
    for mut group in groups.into_values() {
        if group.len() < 2 || group.len() > MAX_GROUP {
            continue;
        }
        group.sort_by_key(|&index| std::cmp::Reverse(facts[index].key.len()));
        for (at, &short) in group.iter().enumerate() {
            let key = facts[short].key.as_str();
            let mut longer = group[..at].iter().copied().filter(|long| {
                !into.contains_key(long)
                    && facts[*long]
                        .key
                        .strip_suffix(key)
                        .is_some_and(|rest| rest.ends_with('/'))
            });
            if let (Some(only), None) = (longer.next(), longer.next()) {
                into.insert(short, only);
            }
        }
    }
    let mut moves: Vec<_> = into.iter().map(|(from, to)| (*from, *to)).collect();
    moves.sort_unstable();
    for (from, to) in moves {
        let moved = facts[from].clone();
        let target = &mut facts[to];
        target.count += moved.count;
        target.first_item = target.first_item.min(moved.first_item);
        target.last_item = target.last_item.max(moved.last_item);
        target.role = target.role.max(moved.role);
        target.places.extend(moved.places);
        for surface in moved.surfaces {
            if !target.surfaces.contains(&surface) {
                target.surfaces.push(surface);
            }
        }
        let shown = target
            .surfaces
            .iter()
            .filter(|surface| surface.contains('/'));
        if let Some(short) = shown.min_by_key(|surface| surface.len()) {
            target.text = words::one_line(short, MAX_TEXT_BYTES);
        }
    }
    let mut index = 0;
    facts.retain(|_| {
        index += 1;
        !into.contains_key(&(index - 1))
    });
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
            // The paths a call names are placed already.
            if part.kind == PartKind::ToolCall && fact.kind == FactKind::Path {
                return;
            }
            let end = seen.entry(index).or_default();
            // Spellings of one path lie inside each other; they are one appearance.
            if range.start >= *end && is_bounded(part.text, &range, fact.kind) {
                *end = range.end;
                registry.place(index, part, range, *role);
            }
        });
    }
}

fn finish(mut facts: Vec<Candidate>, items: usize) -> Vec<Candidate> {
    let half_life = (items as f64 / 2.0).max(10.0);
    facts.retain(|fact| fact.count > 0);
    for fact in &mut facts {
        fact.places
            .sort_by_key(|place| (place.entry, place.message, place.block, place.range.start));
        fact.places.dedup();
        fact.places.truncate(MAX_PLACES);
        let distance = items.saturating_sub(1).saturating_sub(fact.last_item) as f64;
        fact.weight =
            (1.0 + (fact.count as f64).ln()) * 0.5_f64.powf(distance / half_life) * fact.role;
    }
    facts.sort_by(|a, b| {
        let key = |fact: &Candidate| {
            let place = &fact.places[0];
            (
                fact.first_item,
                place.message,
                place.block,
                place.range.start,
                fact.kind,
            )
        };
        key(a).cmp(&key(b)).then_with(|| a.key.cmp(&b.key))
    });
    facts
}
