//! Lists of tasks as they are printed: in results of tools, in what an agent reminds its model of, in
//! files that hold a plan.

use palimpsest_core::ledger::TaskState;

/// Longest text of a task, in bytes.
pub(crate) const MAX_TASK_BYTES: usize = 400;

/// A line of a printed list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Listed<'a> {
    /// The number under which the agent calls it (`#3`); the place in a list (`3.`) is none.
    pub number: Option<&'a str>,
    /// What is to do.
    pub text: &'a str,
    /// Its state.
    pub state: TaskState,
}

/// Signs that stand in front of tasks: open, then closed ones.
const OPEN_SIGNS: &[char] = &[
    '☐', '◻', '□', '⬜', '🔲', '⏳', '⌛', '🔄', '🚧', '◼', '🔜', '⏸', '🟡',
];
const CLOSED_SIGNS: &[char] = &['☑', '☒', '✅', '✔', '✓'];

/// The state that a word in brackets or in the cell of a table names, in any spelling.
pub(crate) fn state_named(word: &str) -> Option<TaskState> {
    let lower = word.to_ascii_lowercase();
    let bare: String = lower
        .chars()
        .filter(|c| !matches!(c, '_' | '-' | ' '))
        .collect();
    match bare.as_str() {
        "completed" | "complete" | "done" | "cancelled" | "canceled" | "deleted" | "skipped"
        | "x" | "closed" | "finished" => Some(TaskState::Closed),
        "pending" | "inprogress" | "todo" | "notstarted" | "open" | "blocked" | "active"
        | "planned" | "remaining" | "next" | "waiting" | "~" | ">" => Some(TaskState::Open),
        // `[ ]`, `[]`, `[-]`.
        "" => Some(TaskState::Open),
        _ => None,
    }
}

/// The state of a sign that a text begins with, and the text behind it.
pub(crate) fn signed(text: &str) -> Option<(TaskState, &str)> {
    let sign = text.chars().next()?;
    let state = if OPEN_SIGNS.contains(&sign) {
        TaskState::Open
    } else if CLOSED_SIGNS.contains(&sign) {
        TaskState::Closed
    } else {
        return None;
    };
    // Some signs are followed by one that only chooses how they look.
    let rest = text[sign.len_utf8()..].trim_start_matches(['\u{fe0e}', '\u{fe0f}']);
    Some((state, rest.trim_start()))
}

/// A line behind the number that a tool for reading files puts in front of it (`  12→text`).
fn unnumbered(line: &str) -> &str {
    let trimmed = line.trim_start();
    let digits = trimmed.bytes().take_while(u8::is_ascii_digit).count();
    let arrow = |rest: &str| ['→', '\t'].iter().any(|arrow| rest.starts_with(*arrow));
    match trimmed.get(digits..) {
        Some(rest) if digits > 0 && arrow(rest) => rest.trim_start_matches(['→', '\t']),
        _ => line,
    }
}

/// The task in a line: `#3 [pending] text`, `2. [in_progress] text`, `- [ ] text`, `⏳ text`.
pub(crate) fn in_line(line: &str) -> Option<Listed<'_>> {
    let mut rest = unnumbered(line).trim();
    let wrapped = rest
        .strip_prefix('[')
        .filter(|inner| inner.starts_with(|c: char| c.is_ascii_digit() || c == '#'));
    rest = wrapped.unwrap_or(rest);
    rest = rest.trim_start_matches(['-', '*', '•', '+', ' ']);
    let named = rest.strip_prefix('#');
    let digits = named
        .unwrap_or(rest)
        .bytes()
        .take_while(u8::is_ascii_digit)
        .count();
    let mut number = None;
    if digits > 0 {
        let (figure, behind) = named.unwrap_or(rest).split_at(digits);
        number = named.map(|_| figure);
        rest = behind.trim_start_matches(['.', ')', ':']).trim_start();
    }
    let (state, text) = match rest.strip_prefix('[') {
        Some(inner) => {
            let (word, text) = inner.split_once(']')?;
            (state_named(word)?, text)
        }
        None => signed(rest)?,
    };
    let mut text = text.trim().trim_start_matches(['*', ':']).trim_start();
    if wrapped.is_some() {
        text = text.strip_suffix(']').unwrap_or(text);
    }
    // What it waits for and who has it.
    for mark in [" [blocked by", " (blocked by", " (owner", " [owner"] {
        text = text.find(mark).map_or(text, |at| &text[..at]);
    }
    let text = text.trim();
    let says = text.chars().filter(|c| c.is_alphabetic()).count() >= 2;
    (says && text.len() <= MAX_TASK_BYTES).then_some(Listed {
        number,
        text,
        state,
    })
}

/// The tasks of a printed list, in order; also the single task of a page about it (`Task #3: text`
/// above `Status: pending`).
pub(crate) fn read(text: &str) -> Vec<Listed<'_>> {
    let listed: Vec<Listed<'_>> = text.lines().filter_map(in_line).collect();
    if listed.is_empty() {
        return page(text).into_iter().collect();
    }
    listed
}

fn page(text: &str) -> Option<Listed<'_>> {
    let (head, rest) = text.trim_start().split_once('\n')?;
    let (number, subject) = head.strip_prefix("Task #")?.split_once(':')?;
    let status = rest
        .lines()
        .find_map(|line| line.trim().strip_prefix("Status:"))?;
    Some(Listed {
        number: Some(number.trim()),
        text: subject.trim(),
        state: state_named(status.trim())?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_tasks_have_a_state() {
        let (open, closed) = (TaskState::Open, TaskState::Closed);
        for (line, expected) in [
            (
                "#3 [pending] Drop it [blocked by #2]",
                Some(("Drop it", open)),
            ),
            ("#12. [in_progress] Split it", Some(("Split it", open))),
            ("[1. [completed] Sketch it", Some(("Sketch it", closed))),
            ("3. [pending] Send it]", Some(("Send it]", open))),
            ("- [x] Read it", Some(("Read it", closed))),
            ("     4→- [ ] Write it", Some(("Write it", open))),
            ("2. 🔄 Bisect it", Some(("Bisect it", open))),
            ("✅ Reproduce it", Some(("Reproduce it", closed))),
            ("☒ Tick it", Some(("Tick it", closed))),
            ("- [link](a.md) text", None),
            ("[INFO] started", None),
            ("1. Plain item", None),
            ("[12, 13]", None),
        ] {
            let found = in_line(line).map(|task| (task.text, task.state));
            assert_eq!(found, expected, "for {line:?}");
        }
        assert_eq!(
            in_line("#3 [pending] Drop it").and_then(|task| task.number),
            Some("3")
        );
        assert_eq!(
            in_line("3. [pending] Drop it").and_then(|task| task.number),
            None
        );
    }

    #[test]
    fn a_page_about_a_task_names_it() {
        let page = "Task #7: Drop the old route\nStatus: in_progress\nDescription: all of it";
        let expected = Listed {
            number: Some("7"),
            text: "Drop the old route",
            state: TaskState::Open,
        };
        assert_eq!(read(page), [expected]);
        assert!(read("Task #7 updated").is_empty());
    }
}
