//! Lists of the model under a line that says what they are: what is left to do, what was found, what is
//! planned, praised or offered.

use crate::{files, prose, words};
use std::ops::Range;

/// Longest item taken from a list of what is left to do, in bytes.
const MAX_ITEM_BYTES: usize = 300;

/// Words of a line over a list of what is left to do.
pub(crate) const LEFT: &[&str] = &[
    "next step",
    "remaining",
    "todo",
    "to do",
    "to-do",
    "still open",
    "still missing",
    "left to do",
    "not done",
    "pending",
    "follow-up",
    "follow up",
    "what's left",
    "what is left",
    "work left",
    "tasks left",
    "outstanding",
    "open item",
    "open task",
    "open point",
    "action item",
    "deferred",
    "postponed",
    "unfinished",
    "incomplete",
    "not yet",
    "still need",
    "still have to",
    "still to",
    "backlog",
    "upcoming",
    "up next",
    "next up",
    "future work",
    "before merging",
    "before this can be merged",
    "before we merge",
    "to finish",
    "you'll need to",
    "you will need to",
    "you still need",
    "manual step",
];

/// Words of a line over a list of what was found.
pub(crate) const FOUND: &[&str] = &[
    "issue",
    "problem",
    "cause",
    "reason",
    "finding",
    "concern",
    "gap",
    "risk",
    "wrong",
    "differ",
    "mismatch",
    "missing",
    "not tested",
    "untested",
    "not covered",
    "not handled",
    "lacks",
];

/// Words of a line over a list of what is going to be done: each item was chosen.
pub(crate) const PLANNED: &[&str] = &[
    "need to",
    "needs to",
    "should",
    "i'll",
    "i will",
    "going to",
    "want to",
    "let's",
    "let me",
    "plan",
    "approach",
    "strategy",
    "requirement",
    "proposal",
    "the fix",
    "changes",
    "steps",
    "must",
];

/// Words of a line over a list of what is as it should be.
pub(crate) const PRAISED: &[&str] = &[
    "strengths",
    "strong point",
    "what works",
    "working well",
    "done well",
    "what's good",
    "what is good",
    "looks good",
    "good parts",
    "positive",
    "well-designed",
    "well designed",
    "pros",
    "already correct",
];

/// Words of a line over options.
pub(crate) const OFFERED: &[&str] = &[
    "option",
    "alternative",
    "choices",
    "could either",
    "ways to",
    "either:",
    "should we",
    "shall we",
    "strategies",
    "approaches",
];

/// Words of a line over what the user may choose from.
const OFFERING: &[&str] = &[
    "?",
    "would you",
    "should i",
    "shall i",
    "want me",
    "option",
    "could either",
    "do you want",
];

/// The items that stand no deeper than the first of their list: those below explain them.
pub(crate) fn outermost(text: &str, items: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let depth = |item: &Range<usize>| {
        let line = text[..item.start].rfind('\n').map_or(0, |at| at + 1);
        let rest = &text[line..];
        rest.len() - rest.trim_start().len()
    };
    let mut out: Vec<Range<usize>> = Vec::new();
    let mut first = 0;
    for item in items {
        let apart = out
            .last()
            .is_none_or(|last| text[last.end..item.start].contains("\n\n"));
        if apart {
            first = depth(&item);
        }
        if depth(&item) <= first {
            out.push(item);
        }
    }
    out
}

/// Verbs by which an item of a plan only looks.
#[rustfmt::skip]
const LOOKING: &[&str] = &[
    "analyze", "check", "confirm", "describe", "determine", "examine", "explain", "explore", "find",
    "identify", "inspect", "investigate", "list", "locate", "look", "read", "report", "return", "review",
    "run", "search", "see", "show", "summarize", "test", "trace", "understand", "verify",
];

/// True for an item that begins with looking at something.
pub(crate) fn looks_first(item: &str) -> bool {
    let padded = prose::spaced(item);
    let first = padded.split_whitespace().next().unwrap_or_default();
    LOOKING.contains(&first)
}

/// Longest line over a list, in bytes.
const MAX_LEAD_BYTES: usize = 120;

/// Items under a line like "Next steps:" or "The issues are:": the list ends at the next line that is
/// neither an item nor empty.
pub(crate) fn items_under(text: &str, cues: &[&str]) -> Vec<Range<usize>> {
    let offers = |lead: &str| OFFERING.iter().any(|offer| lead.contains(offer));
    items_below(text, |lead| {
        cues.iter().any(|cue| lead.contains(cue)) && !offers(lead)
    })
}

/// Items under a line that fits, in lower case and without its marks.
pub(crate) fn items_below(text: &str, fits: impl Fn(&str) -> bool) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut within = false;
    for line in words::lines(text) {
        let content = text[line.clone()].trim();
        let is_item = content.starts_with(['-', '*', '•']) && !content.starts_with("**")
            || content
                .split_once(['.', ')'])
                .is_some_and(|(number, rest)| {
                    !number.is_empty()
                        && number.bytes().all(|b| b.is_ascii_digit())
                        && rest.starts_with(' ')
                });
        if within && is_item {
            let range = words::trim(text, line.clone());
            let end = words::floor_boundary(text, range.end.min(range.start + MAX_ITEM_BYTES));
            let done = content.contains("[x]") || content.contains('✅') || content.contains("~~");
            if prose::says_something(&text[range.start..end]) && !done {
                out.push(range.start..end);
            }
        } else if !content.is_empty() {
            let lower = content.trim_matches(['#', '*', ':', ' ']).to_lowercase();
            within = lower.len() <= MAX_LEAD_BYTES
                && (content.ends_with([':', '*']) || content.starts_with('#'))
                && fits(&lower);
        }
    }
    out
}

/// True for an item of a plan that names a part of the work and not what becomes of it: a noun
/// ("The section on rows"), a file with what it is for.
pub(crate) fn names_a_part(item: &str) -> bool {
    let item = item.trim_start_matches(['*', ' ']);
    let mut words = item.split_whitespace();
    let first = words.next().unwrap_or_default();
    let is_noun = matches!(first, "The" | "A" | "An") && words.count() <= 12;
    let file = item
        .split_once(" - ")
        .map(|(name, _)| name.trim_matches('`'));
    let is_bare = |name: &str| !name.contains([' ', ':', '[']) && files::is_file(name);
    is_noun || file.is_some_and(is_bare)
}

/// True for an item that leads up to others, that is a file, or that reports a step of the work
/// ("Task 2: reader.rs with its types").
pub(crate) fn names_only_work(item: &str) -> bool {
    let item = item.trim_matches(['*', ' ']);
    let first = item.split([' ', ':']).next().unwrap_or_default();
    let is_step = matches!(
        first.to_ascii_lowercase().as_str(),
        "task" | "batch" | "report" | "tests" | "step" | "phase"
    );
    item.ends_with(':') || is_step || files::is_file(item.trim_matches('`'))
}
