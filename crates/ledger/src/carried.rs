//! What an earlier summary says: its requests, limits, errors, decisions and open tasks are facts
//! of the span, one generation older.

use crate::candidate::{Registry, role_weight};
use crate::headings::element;
use crate::sentence::Sentence;
use crate::span::Part;
use crate::words::sentence_key;
use crate::{introduced, mask, prose, task_lists, words};
use palimpsest_core::ledger::{FactKind, TaskState};
use std::ops::Range;

/// What the lines under a heading are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Slot {
    Requests,
    Constraints,
    Decisions,
    Errors,
    Todos,
    Other,
}

/// Fewest content words of a line that is a fact.
const TELLING_WORDS: usize = 2;

/// How many ranks lighter a request is that an earlier summary lists.
const OLD_REQUEST: i32 = 3;

/// The part of an earlier summary that its writer wrote: without the lines that the agent adds
/// behind it.
pub(crate) fn written(text: &str) -> Range<usize> {
    let behind = introduced::fixed_texts(text)
        .into_iter()
        .map(|line| line.start)
        .find(|&start| start > text.len() / 2);
    0..behind.unwrap_or(text.len())
}

/// Reads the text of an earlier summary line by line, under its headings. What stands in front of
/// a heading "Summary" (the notes a model makes first) is left out.
pub(crate) fn read(registry: &mut Registry, part: &Part<'_>) {
    let text = part.text;
    let from = ["\nSummary:", "<summary>"]
        .iter()
        .find_map(|mark| text.find(mark).map(|at| at + mark.len()))
        .unwrap_or(0);
    let written = written(text);
    // Where the messages of the user are listed, the request in the model's words repeats them.
    let lists_messages = text.to_lowercase().contains("user messages");
    let mut slot = Slot::Other;
    let mut outer = Vec::new();
    for prose in words::prose(text) {
        for line in words::lines(&text[prose.clone()]) {
            let line = prose.start + line.start..prose.start + line.end;
            if line.start < from || line.end > written.end {
                continue;
            }
            let content = &text[line.clone()];
            let restates = |found: Slot, title: &str| {
                found == Slot::Requests
                    && lists_messages
                    && !title.to_lowercase().contains("message")
            };
            if let Some(element) = element(content) {
                let found = heading(&format!("# {}", element.name)).unwrap_or(Slot::Other);
                let own = match found {
                    found if restates(found, element.name) => Slot::Other,
                    // `<task>` within `<current_plan>`.
                    Slot::Other if !element.inner.is_empty() => slot,
                    found => found,
                };
                if !element.inner.is_empty() {
                    let start = element.inner.as_ptr() as usize - text.as_ptr() as usize;
                    item(registry, part, start..start + element.inner.len(), own);
                } else if element.opens && !element.closes {
                    outer.push(slot);
                    slot = own;
                } else if !element.opens {
                    slot = outer.pop().unwrap_or(Slot::Other);
                }
                continue;
            }
            if let Some(found) = heading(content) {
                slot = if restates(found, content) {
                    Slot::Other
                } else {
                    found
                };
                continue;
            }
            if let Some(task) = task_lists::in_line(content) {
                let start = task.text.as_ptr() as usize - text.as_ptr() as usize;
                let open = task.state == TaskState::Open;
                let slot = if open { Slot::Todos } else { Slot::Other };
                item(registry, part, start..start + task.text.len(), slot);
                continue;
            }
            item(registry, part, words::trim(text, line), slot);
        }
    }
}

/// The slot that a heading opens: `## Title`, `**Title**`, `3. Title:`.
fn heading(line: &str) -> Option<Slot> {
    let content = line.trim();
    let numbered = content.trim_start_matches(|c: char| c.is_ascii_digit());
    let marked = content.starts_with('#')
        || (content.starts_with("**") && content.trim_end_matches(':').ends_with("**"))
        || (numbered.len() < content.len()
            && numbered.starts_with(". ")
            && content.ends_with(':')
            && !line.starts_with(' '));
    if !marked || content.len() > 80 {
        return None;
    }
    let lower = content.to_lowercase().replace('_', " ");
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    Some(
        if has(&[
            "user message",
            "user request",
            "all user",
            "goal",
            "primary request",
            "task overview",
        ]) {
            Slot::Requests
        } else if has(&["constraint", "preference", "rules", "requirement"]) {
            Slot::Constraints
        } else if has(&["error", "bug", "blocked", "failure"]) {
            Slot::Errors
        } else if has(&[
            "pending",
            "todo",
            "to-do",
            "next step",
            "remaining",
            "in progress",
            "open task",
            "outstanding",
            "to do",
            "current plan",
        ]) {
            Slot::Todos
        } else if has(&[
            "decision",
            "problem solving",
            "finding",
            "learned",
            "discover",
            "insight",
        ]) {
            Slot::Decisions
        } else {
            Slot::Other
        },
    )
}

/// True for a line that tells what the user prefers or insists on.
fn tells_wish(line: &str) -> bool {
    let padded = prose::spaced(line);
    ["user", "they"].iter().any(|who| {
        [
            "prefers",
            "insists",
            "requires",
            "wants only",
            "only wants",
            "does not want",
            "doesn't want",
        ]
        .iter()
        .any(|verb| padded.contains(&format!(" {who} {verb} ")))
    })
}

/// True for a line that tells what the user said to what was done.
fn tells_feedback(line: &str) -> bool {
    let lower = line.trim_start_matches(['*', ' ']).to_lowercase();
    [
        "user feedback",
        "user said",
        "user corrected",
        "user correction",
        "the user said",
        "user explicitly",
        "feedback from the user",
    ]
    .iter()
    .any(|start| lower.starts_with(start))
}

/// True for a line that is a path or another name alone: the files of a task are facts of their own.
fn is_name(inner: &str) -> bool {
    !inner.contains(char::is_whitespace) && inner.contains(['/', '.', '_'])
}

/// True for a line that proves the one above it with words of the conversation, which Claude Code's summaries do
/// under their next step: `Relevant quote: User: "go on"`.
fn quotes(inner: &str) -> bool {
    let lower = inner.trim_start_matches(['*', ' ']).to_lowercase();
    let lead = lower.split(':').next().unwrap_or_default();
    lead.len() < inner.len()
        && matches!(
            lead.trim_matches(['*', ' ']),
            "quote"
                | "quotes"
                | "relevant quote"
                | "relevant quotes"
                | "direct quote"
                | "direct quotes"
        )
}

fn item(registry: &mut Registry, part: &Part<'_>, range: Range<usize>, slot: Slot) {
    let text = part.text;
    // A quoted message is said without its quotes.
    let inner = text[range.clone()].trim_matches(['"', '“', '”']);
    let start = inner.as_ptr() as usize - text.as_ptr() as usize;
    let range = start..start + inner.len();
    let none = inner
        .trim_matches(['(', ')', '.', '-', ' '])
        .to_ascii_lowercase();
    if words::content_words(inner).len() < TELLING_WORDS && slot != Slot::Requests
        || inner.is_empty()
        || slot != Slot::Requests && (is_name(inner) || quotes(inner))
        || none.starts_with("none")
        || none.starts_with("no pending")
        || none.starts_with("no remaining")
        || none.starts_with("nothing")
        || ["no explicit next step", "no next step", "no further work"]
            .iter()
            .any(|cue| none.contains(cue))
        || (inner.ends_with(':') && slot != Slot::Todos)
    {
        return;
    }
    let cues = prose::cues(inner);
    let kind = match slot {
        _ if tells_wish(inner) => FactKind::Constraint,
        _ if tells_feedback(inner) && cues.constraint => FactKind::Constraint,
        _ if tells_feedback(inner) => FactKind::UserRequest,
        Slot::Requests if cues.constraint => FactKind::Constraint,
        Slot::Requests => FactKind::UserRequest,
        Slot::Constraints => FactKind::Constraint,
        Slot::Decisions if cues.decision => FactKind::Decision,
        Slot::Decisions if prose::finds(&Sentence::of(inner)) => FactKind::Finding,
        Slot::Errors
            if !text[..start].ends_with("  - ")
                && !inner.to_ascii_lowercase().starts_with("fix") =>
        {
            FactKind::Error
        }
        Slot::Todos => FactKind::Todo,
        Slot::Decisions | Slot::Errors | Slot::Other if cues.decision => FactKind::Decision,
        Slot::Decisions if words::content_words(inner).len() >= 3 => FactKind::Finding,
        Slot::Other if prose::finds(&Sentence::of(inner)) => FactKind::Finding,
        _ => return,
    };
    let key = match kind {
        FactKind::Error => mask::mask(inner),
        _ => sentence_key(inner),
    };
    let end = words::floor_boundary(text, range.end.min(range.start + 600));
    let index = registry.add(kind, key, part, range.start..end, role_weight::EDIT);
    // What was asked before the earlier compaction is mostly done: of such requests that a summary lists,
    // people name none of six, of limits and open tasks most.
    let fact = &mut registry.facts[index];
    if kind == FactKind::UserRequest && fact.count == 1 {
        fact.lighter = OLD_REQUEST;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wishes_of_the_user_are_limits_wherever_they_stand() {
        assert!(tells_wish("User prefers **short names** - no prefixes"));
        assert!(tells_wish("The user doesn't want a new table"));
        assert!(!tells_wish("The user asked for a table"));
    }

    #[test]
    fn elements_are_sections_and_no_facts() {
        let text = "<overview>\nTwo rows.\n</overview>\n<next_steps>\n- Cover the empty row\n\
                    <task>Write the header of rows</task>\n- shop/rows/header.rs\n\
                    Relevant quote: User: \"yes, write the rest of it\"\n</next_steps>\n\n\
                    <checkpoint_title>Rows of the table</checkpoint_title>";
        let part = Part {
            item: 0,
            entry: palimpsest_core::EntryIx::new(0),
            message: 0,
            block: 0,
            kind: crate::span::PartKind::Summary,
            text,
            base: 0,
            tool: None,
            call_id: None,
            is_error: false,
        };
        let mut registry = Registry::default();
        read(&mut registry, &part);
        let found = registry.facts.iter();
        let found: Vec<_> = found.map(|fact| (fact.kind, fact.text.as_str())).collect();
        assert_eq!(
            found,
            [
                (FactKind::Todo, "Cover the empty row"),
                (FactKind::Todo, "Write the header of rows"),
            ]
        );
    }

    #[test]
    fn headings_open_slots() {
        for (line, found) in [
            ("6. All user messages:", true),
            ("## Next Steps", true),
            ("**Key decisions**", true),
            ("- **Empty reply**: fixed by a flag", false),
            ("   1. General purpose:", false),
        ] {
            assert_eq!(heading(line).is_some(), found, "for {line}");
        }
    }
}
