//! Documents: a plan that the user passes on to be carried out, and plans and lists of tasks that
//! the model keeps in files.

use crate::candidate::{Registry, Standing, role_weight};
use crate::sentence::Sentence;
use crate::span::{Call, Part};
use crate::told::{self, Told, Voice};
use crate::under::{LEFT, items_below, outermost};
use crate::words::sentence_key;
use crate::{files, introduced, project_rules, prose, task_lists, words};
use palimpsest_core::ledger::{FactKind, TaskState};
use serde_json::Value;
use std::ops::Range;

/// How many ranks lighter a limit is that stands in a document rather than in the user's own words.
const IN_DOCUMENT: i32 = 2;

/// How many ranks lighter a choice is that is only the object of the word above its list.
const BELOW_WORD: i32 = 3;

/// Most facts taken from one document.
const MAX_PER_DOCUMENT: usize = 60;

/// In a text with more boxes than this the document itself holds them, and each of them weighs less.
const MAX_BOXES: usize = 8;
const CROWDED: i32 = 3;

/// Words by which a sentence of a plan sets a limit, besides those of speech.
#[rustfmt::skip]
const LIMITS: &[&str] = &[
    " must ", " must not ", " exactly ", " never ", " always ", " only ", " except ", " no duplication ",
    " no new ", " do not ", " don't ", " confirmed by ", " required ", " mandatory ", " unchanged ",
    " without changing ", " out of scope ", " backward compatible ", " backwards compatible ",
];

/// Headings over what is to be checked by hand at the end.
const CHECKING: &[&str] = &["verif", "manual test", "test plan", "acceptance"];

/// Headings over what was chosen.
const CHOOSING: &[&str] = &[
    "decision",
    "design",
    "architecture",
    "approach",
    "trade-off",
    "key difference",
];

/// Words of the line with which the user passes on what is to be carried out.
const PASSING_ON: &[&str] = &[
    "plan",
    "spec",
    "following",
    "below",
    "design",
    "requirement",
    "brief",
    "instruction",
    "implement",
    "build ",
    "create",
    "feature",
    "ticket",
    "issue",
    "task",
    "story",
    "proposal",
];

/// The part of a message of the user that is a plan to be carried out: behind a first line that
/// asks for it ("Implement the following plan:").
pub(crate) fn plan(text: &str) -> Option<Range<usize>> {
    let head = &text[..words::floor_boundary(text, 300)];
    let first = head.find("\n#")?;
    let asks = head[..first].to_lowercase();
    let passes_on = PASSING_ON.iter().any(|word| asks.contains(word));
    passes_on.then_some(first..text.len())
}

/// The title of such a plan: its first heading.
pub(crate) fn title(plan: &str) -> Option<&str> {
    let heading = plan.lines().find(|line| line.starts_with('#'))?;
    let title = heading.trim_matches(['#', ' ', '*']);
    (!title.is_empty()).then_some(title)
}

/// Reads a plan that the user passes on: its limits, its choices, its steps, and what is to be checked.
pub(crate) fn read_plan(registry: &mut Registry, part: &Part<'_>, range: Range<usize>) {
    let text = &part.text[range.clone()];
    for (item, told) in told_in(text) {
        let place = range.start + item.start..range.start + item.end;
        let index = registry.note(told.kind, sentence_key(&text[item.clone()]), &text[item]);
        registry.place(index, part, place, role_weight::USER, told.standing);
        registry.facts[index].lighter = told.lighter;
    }
}

/// The names of the tools with which a model puts a plan before the user, in lower case and without
/// what parts their words.
#[rustfmt::skip]
const PROPOSING: &[&str] = &[
    "exitplanmode", "exitspecmode", "planexit", "planmoderespond", "presentplan", "proposeplan",
    "submitplan", "createplan",
];

/// Reads a plan that the model puts before the user: what the user lets it carry out was chosen.
pub(crate) fn read_proposed(registry: &mut Registry, part: &Part<'_>, call: &Call<'_>) {
    let name = call.tool.rsplit("__").next().unwrap_or(call.tool);
    let bare = name.chars().filter(|c| !matches!(c, '_' | '-'));
    let bare: String = bare.collect::<String>().to_ascii_lowercase();
    if !PROPOSING.contains(&bare.as_str()) {
        return;
    }
    let Ok(Value::Object(arguments)) = serde_json::from_str(part.text) else {
        return;
    };
    let keys = ["plan", "spec", "response", "content", "text"];
    let Some(plan) = keys.iter().find_map(|key| arguments.get(*key)?.as_str()) else {
        return;
    };
    for (item, told) in told_in(plan) {
        let line = &plan[item];
        let kind = match told.kind {
            // A limit that the model sets itself.
            FactKind::Constraint => FactKind::Decision,
            kind => kind,
        };
        let index = registry.note(kind, sentence_key(line), line);
        let place = files::place_of(part, line);
        registry.place(index, part, place, role_weight::EDIT, Standing::Noticed);
        let fact = &mut registry.facts[index];
        fact.lighter = told.lighter;
        if kind == FactKind::Todo {
            fact.details.task = Some(TaskState::Open);
        }
    }
}

/// What the lines of a plan tell, in order.
fn told_in(text: &str) -> Vec<(Range<usize>, Told)> {
    let mut out = Vec::new();
    let mut heading = String::new();
    // True below a line of a word or two ("**Remove:**"), without which its items say little.
    let mut below_word = false;
    for prose in words::prose(text) {
        for line in words::lines(&text[prose.clone()]) {
            let line = prose.start + line.start..prose.start + line.end;
            let content = text[line.clone()].trim();
            if content.starts_with('#') {
                heading = content.to_lowercase();
            }
            if out.len() == MAX_PER_DOCUMENT {
                return out;
            }
            if content.is_empty() || content.starts_with('|') {
                continue;
            }
            let deep = text[line.clone()].starts_with([' ', '\t']);
            let item = words::trim(text, line);
            if item.len() == content.len() {
                let lead = content.trim_end_matches(['*', ' ']);
                below_word = lead.ends_with(':') && lead.split_whitespace().count() <= 2;
            }
            if let Some(mut told) = planned(&text[item.clone()], &heading, content, deep) {
                if below_word && told.kind == FactKind::Decision {
                    told.lighter += BELOW_WORD;
                }
                out.push((item, told));
            }
        }
    }
    out
}

/// What a line of a plan is; `deep` is true for an item below another.
fn planned(line: &str, heading: &str, content: &str, deep: bool) -> Option<Told> {
    if line.len() < 12 || words::content_words(line).len() < 2 {
        return None;
    }
    let padded = prose::spaced(line);
    let under = |list: &[&str]| list.iter().any(|word| heading.contains(word));
    let is_heading = content.starts_with('#');
    let is_item = line.len() < content.len() && !is_heading;
    // What is "only needed for" something is described.
    let described = [" only needed ", " only used ", " only called "];
    let described = described.iter().any(|turn| padded.contains(turn));
    let limits = !described && LIMITS.iter().any(|limit| padded.contains(limit));
    // What stands over others says nothing without them, but for a limit in brackets behind it
    // ("Reusable functions (no duplication):").
    let lead = line.trim_end_matches(['*', ' ', ':']);
    if is_heading || lead.len() < line.trim_end_matches(['*', ' ']).len() {
        let aside = lead
            .strip_suffix(')')
            .and_then(|lead| lead.rsplit_once('('));
        let aside = aside.map(|(_, aside)| prose::spaced(aside))?;
        return LIMITS
            .iter()
            .any(|limit| aside.contains(limit))
            .then_some(Told {
                kind: FactKind::Constraint,
                standing: Standing::Noticed,
                lighter: IN_DOCUMENT,
            });
    }
    let (kind, lighter, standing) =
        if under(TELLING) && (limits || prose::finds(&Sentence::of(line))) {
            // What is the matter, and not what is wanted.
            (FactKind::Finding, 0, Standing::Said)
        } else if limits {
            (FactKind::Constraint, IN_DOCUMENT, Standing::Said)
        } else if under(CHECKING) && !introduced::is_fixed(line) {
            (FactKind::Todo, IN_DOCUMENT, Standing::Said)
        } else if is_item && under(LIMITING) {
            (FactKind::Constraint, IN_DOCUMENT, Standing::Said)
        } else if is_item && under(CHOOSING) || prose::cues(line).decision {
            (FactKind::Decision, 0, Standing::Noticed)
        } else if is_rule(line) {
            (FactKind::Constraint, IN_DOCUMENT, Standing::Noticed)
        } else if is_item && !deep && under(STEPS) {
            (FactKind::Todo, IN_DOCUMENT, Standing::Noticed)
        } else {
            return None;
        };
    Some(Told {
        kind,
        standing,
        lighter,
    })
}

/// True for a line that says what is to happen in a case ("no rows → show one line").
fn is_rule(line: &str) -> bool {
    let parts = line.split_once(" → ").or_else(|| line.split_once(" => "));
    parts.is_some_and(|(case, deed)| {
        // A chain of names shows a path, and one name behind the arrow a new name.
        let says = |part: &str| words::content_words(part).len() >= 2;
        says(case) && says(deed) && !deed.contains(" → ") && !deed.contains(" => ")
    })
}

/// Words of a heading over the steps of a plan.
const STEPS: &[&str] = &[
    "step",
    "task",
    "to do",
    "todo",
    "work item",
    "implementation",
    "execution",
    "checklist",
    "milestone",
    "phase",
    "changes",
    "remaining",
];

/// Words of a heading over what is the matter.
const TELLING: &[&str] = &[
    "context",
    "problem",
    "background",
    "cause",
    "symptom",
    "motivation",
    "current state",
    "current behavio",
    "why",
    "analysis",
];

/// Words of a heading over limits.
const LIMITING: &[&str] = &[
    "constraint",
    "rule",
    "requirement",
    "non-goal",
    "out of scope",
    "not in scope",
    "not modified",
    "not to modify",
    "not changed",
    "not to change",
    "not touched",
    "do not touch",
    "left alone",
    "unchanged",
    "must not",
    "guideline",
];

/// Words in the name of a file that holds a plan.
const PLAN_FILES: &[&str] = &[
    "plan",
    "todo",
    "task",
    "roadmap",
    "checklist",
    "handoff",
    "progress",
    "backlog",
    "milestone",
];

/// True for a document that holds a plan, by its name.
fn is_plan_file(path: &str) -> bool {
    let name = path
        .rsplit(['/', '\\'])
        .next()
        .unwrap_or(path)
        .to_lowercase();
    is_document(&name) && PLAN_FILES.iter().any(|word| name.contains(word))
}

fn is_document(path: &str) -> bool {
    [".md", ".mdx", ".txt", ".org", ".rst"]
        .iter()
        .any(|end| path.ends_with(end))
}

/// Reads a file with a plan that a call shows: its tasks as they stand there.
pub(crate) fn read_shown(registry: &mut Registry, part: &Part<'_>, call: &Call<'_>) {
    let shows = |script: &str| {
        let mut words = script.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ';'));
        words.any(is_plan_file)
    };
    let by_path = call.path.as_deref().is_some_and(is_plan_file);
    let by_script = call.looks_only && call.script.as_deref().is_some_and(shows);
    if !by_path && !by_script {
        return;
    }
    let tasks = part.text.lines().filter_map(task_lists::in_line);
    for task in tasks.take(MAX_PER_DOCUMENT) {
        if words::content_words(task.text).len() >= 2 {
            let place = files::place_of(part, task.text);
            note_task(registry, part, task.text, place, task.state);
        }
    }
}

fn note_task(
    registry: &mut Registry,
    part: &Part<'_>,
    text: &str,
    place: Range<usize>,
    state: TaskState,
) {
    let index = registry.note(FactKind::Todo, sentence_key(text), text);
    let is_new = registry.facts[index].count == 0;
    registry.place(index, part, place, role_weight::READ, Standing::Noticed);
    let fact = &mut registry.facts[index];
    fact.details.task = Some(state);
    if is_new || state == TaskState::Closed {
        fact.lighter = if state == TaskState::Closed { 2 } else { 0 };
    }
}

/// A task in a text: a box to tick, or a heading with the number of a step.
fn task(line: &str) -> Option<(&str, TaskState)> {
    let content = line.trim().trim_start_matches(['-', '*', ' ']);
    for (mark, state) in [
        ("[ ] ", TaskState::Open),
        ("[x] ", TaskState::Closed),
        ("[X] ", TaskState::Closed),
    ] {
        if let Some(text) = content.strip_prefix(mark) {
            return Some((text, state));
        }
    }
    let heading = line
        .trim()
        .strip_prefix('#')?
        .trim_start_matches('#')
        .trim();
    let name = heading.split([':', '.', '-', '–', '—']).next()?.trim();
    let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
    let step = name[..name.len() - digits].trim();
    let numbered = digits > 0
        && matches!(
            step.to_ascii_lowercase().as_str(),
            "step" | "phase" | "task" | "wp" | "work package" | "milestone"
        );
    let done = heading.contains(['✅', '☑']) || heading.to_lowercase().contains("(done");
    let state = if done {
        TaskState::Closed
    } else {
        TaskState::Open
    };
    numbered.then_some((heading, state))
}

/// Reads what a call writes into a document: its tasks in their newest state, and its choices.
pub(crate) fn read_written(registry: &mut Registry, part: &Part<'_>, call: &Call<'_>) {
    let holds_text = |path: &&str| is_document(path) || project_rules::is_rules_file(path);
    let Some(path) = call.path.as_deref().filter(holds_text) else {
        return;
    };
    let Ok(Value::Object(arguments)) = serde_json::from_str(part.text) else {
        return;
    };
    let take = |map: &serde_json::Map<String, Value>| {
        [
            "new_string",
            "newText",
            "new_str",
            "newString",
            "content",
            "contents",
            "file_text",
        ]
        .iter()
        .find_map(|key| map.get(*key)?.as_str().map(str::to_owned))
    };
    let edits = arguments.get("edits").and_then(Value::as_array);
    let edits = edits.into_iter().flatten();
    let mut texts: Vec<String> = take(&arguments).into_iter().collect();
    texts.extend(edits.filter_map(|edit| take(edit.as_object()?)));
    let mut left = MAX_PER_DOCUMENT;
    let sets_rules = project_rules::is_rules_file(path);
    for text in &texts {
        if sets_rules {
            let place = |rule: &str| files::place_of(part, rule);
            project_rules::read_written(registry, part, text, place);
        }
        let boxes = text.matches("- [").count();
        for line in words::lines(text) {
            if left == 0 {
                return;
            }
            let line = &text[line];
            let crowded = boxes > MAX_BOXES && line.trim_start().starts_with("- [");
            let told = task(line).map(|(task, state)| (task, FactKind::Todo, Some(state)));
            let choice = || {
                let sentence = line.trim().trim_start_matches(['-', '*', '>', ' ']);
                let firm =
                    prose::is_firm(&Sentence::of(sentence)) && prose::says_something(sentence);
                let told = told::judge(sentence, false, Voice::Written).filter(|_| firm)?;
                Some((sentence, told.kind, None))
            };
            let Some((text, kind, state)) = told.or_else(choice) else {
                continue;
            };
            let text = &text[..words::floor_boundary(text, 300)];
            if words::content_words(text).len() < 2 {
                continue;
            }
            let index = registry.note(kind, sentence_key(text), text);
            let place = files::place_of(part, text);
            registry.place(index, part, place, role_weight::EDIT, Standing::Noticed);
            let fact = &mut registry.facts[index];
            if let Some(state) = state {
                fact.details.task = Some(state);
                fact.lighter = if state == TaskState::Closed { 2 } else { 0 };
                fact.lighter += if crowded { CROWDED } else { 0 };
            }
            left -= 1;
        }
        let is_plan = is_plan_file(path);
        let fits = |lead: &str| {
            LEFT.iter().any(|cue| lead.contains(cue))
                || is_plan && STEPS.iter().any(|cue| lead.contains(cue))
        };
        for item in outermost(text, items_below(text, fits)) {
            let item = &text[item];
            if left == 0 {
                return;
            }
            let place = files::place_of(part, item);
            note_task(registry, part, item, place, TaskState::Open);
            left -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::span::PartKind;
    use palimpsest_core::EntryIx;

    fn part<'a>(kind: PartKind, text: &'a str, tool: Option<&'a str>) -> Part<'a> {
        Part {
            item: 0,
            entry: EntryIx::new(0),
            message: 0,
            block: 0,
            kind,
            text,
            base: 0,
            tool,
            call_id: None,
            is_error: false,
        }
    }

    #[test]
    fn a_plan_passed_on_has_limits_and_checks() {
        let text = "Implement the following plan:\n\n# Reader\n\nThe reader takes both forms.\n\n\
                    ## Steps\n\n1. New module (follows the writer exactly)\n2. Read rows\n\n\
                    ## Verification\n\n- Manual check: open the old file\n";
        let mut registry = Registry::default();
        let range = plan(text).unwrap();
        read_plan(&mut registry, &part(PartKind::UserText, text, None), range);
        let found: Vec<_> = registry
            .facts
            .iter()
            .map(|fact| (fact.kind, fact.text.as_str()))
            .collect();
        assert_eq!(
            found,
            [
                (
                    FactKind::Constraint,
                    "New module (follows the writer exactly)"
                ),
                (FactKind::Todo, "Manual check: open the old file"),
            ]
        );
        assert_eq!(plan("Fix the reader.\n# not a plan"), None);
    }

    #[test]
    fn limits_in_brackets_rules_and_what_is_not_changed_are_limits_of_a_plan() {
        let text = "Implement the following plan:\n\n# Reader\n\n### Names of rows (confirmed by user)\n\n\
                    **Shared readers** (no duplication):\n- `read_row()` from `rows.rs`\n\n\
                    No rows → print the one line of the header.\nrows → cells → bytes\n\n\
                    ## Files NOT modified\n\n- `cells.rs` keeps its own reader\n\n\
                    ## Verification\n\nManual test: run `rows show` on an old file.\n\n\
                    The details stand in the full transcript at: /home/me/a.jsonl\n";
        let mut registry = Registry::default();
        let range = plan(text).unwrap();
        read_plan(&mut registry, &part(PartKind::UserText, text, None), range);
        let found = registry.facts.iter();
        let found: Vec<_> = found.map(|fact| (fact.kind, fact.text.as_str())).collect();
        assert_eq!(
            found,
            [
                (FactKind::Constraint, "Names of rows (confirmed by user)"),
                (FactKind::Constraint, "**Shared readers** (no duplication):"),
                (
                    FactKind::Constraint,
                    "No rows → print the one line of the header."
                ),
                (FactKind::Constraint, "`cells.rs` keeps its own reader"),
                (
                    FactKind::Todo,
                    "Manual test: run `rows show` on an old file."
                ),
            ]
        );
    }

    #[test]
    fn the_object_of_a_word_above_a_list_weighs_little() {
        let plan = "# Rows\n\n## Approach\n\n- Sort rows by their end\n\n**Remove:**\n\n- the flag `sorted` (line 8)\n\n\
                    Each reader then keeps its own order:\n\n- Sort cells by their column\n";
        let told = told_in(plan);
        let lighter: Vec<_> = told
            .iter()
            .map(|(item, told)| (&plan[item.clone()], told.lighter))
            .collect();
        assert_eq!(
            lighter,
            [
                ("Sort rows by their end", 0),
                ("the flag `sorted` (line 8)", BELOW_WORD),
                ("Sort cells by their column", 0),
            ]
        );
    }

    #[test]
    fn tasks_of_a_document_have_their_newest_state() {
        let first = serde_json::json!({"path": "docs/plan.md", "content":
            "# Plan\n## Step 1: Read both forms\n- [ ] Add the reader\n- [ ] Cover it with a test\n"});
        let then = serde_json::json!({"path": "docs/plan.md", "oldText": "- [ ] Add the reader",
            "newText": "- [x] Add the reader"});
        let mut registry = Registry::default();
        for arguments in [first, then] {
            let text = arguments.to_string();
            let part = part(PartKind::ToolCall, &text, Some("edit"));
            read_written(&mut registry, &part, &Call::read(&part));
        }
        let found: Vec<_> = registry
            .facts
            .iter()
            .map(|fact| (fact.text.as_str(), fact.details.task))
            .collect();
        assert_eq!(
            found,
            [
                ("Step 1: Read both forms", Some(TaskState::Open)),
                ("Add the reader", Some(TaskState::Closed)),
                ("Cover it with a test", Some(TaskState::Open)),
            ]
        );
    }
}
