//! Failures that no command printed: what a tool answers in place of what was asked, what an editor or
//! a hook hands to the model, and what somebody quotes.

use crate::candidate::{Registry, Standing, role_weight};
use crate::span::{Part, PartKind, ToolAction};
use crate::{diagnostics, error_forms, errors, mask, words};
use palimpsest_core::ledger::FactKind;
use std::ops::Range;

/// Longest answer of a tool that shows texts, in bytes, which may be a failure and nothing else.
const MAX_ANSWER_BYTES: usize = 600;

/// Longest sentence, in bytes, by which a tool refuses in place of an answer.
const MAX_SENTENCE_BYTES: usize = 200;

/// True for the result of a tool that says in its first line that it failed, although its agent does
/// not mark it so.
pub(crate) fn says_it_failed(part: &Part<'_>, action: ToolAction) -> bool {
    let shows = !matches!(action, ToolAction::Other);
    if shows && part.text.len() > MAX_ANSWER_BYTES {
        return false;
    }
    let first = part.text.trim_start().lines().next().unwrap_or_default();
    let lower = first.trim_start_matches(['#', ' ']).to_ascii_lowercase();
    // One sentence in place of an answer.
    let is_short =
        !shows && part.text.len() <= MAX_SENTENCE_BYTES && part.text.trim().lines().count() == 1;
    if is_short
        && ["not found: ", " does not exist"]
            .iter()
            .any(|turn| lower.contains(turn))
    {
        return true;
    }
    [
        "error: ",
        "error executing",
        "error calling",
        "mcp error",
        "<error>",
        "failed to ",
        "error -",
    ]
    .iter()
    .any(|start| lower.starts_with(start))
}

/// The messages of problems that a tool lists as JSON (`{"message": "...", "severity": "Error"}`).
pub(crate) fn listed(text: &str) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    if !text.trim_start().starts_with(['[', '{']) {
        return out;
    }
    for key in ["\"message\":\"", "\"message\": \""] {
        for (at, _) in text.match_indices(key) {
            let start = at + key.len();
            let mut escaped = false;
            let end = text[start..].find(|c: char| {
                let ends = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                ends
            });
            let Some(end) = end.map(|end| start + end) else {
                continue;
            };
            let behind = &text[end..words::floor_boundary(text, end + 200)];
            let behind = behind.split("\"message\"").next().unwrap_or_default();
            let is_error = !behind.contains("severity")
                || behind.contains("\"Error\"")
                || behind.contains("\"error\"");
            if is_error && text[start..end].split_whitespace().count() >= 2 {
                out.push(start..end);
            }
        }
    }
    out.truncate(errors::MAX_PER_OUTPUT);
    out
}

/// Reads what an agent puts in for its model: the diagnostics of an editor, what a hook complains of.
pub(crate) fn handed(registry: &mut Registry, part: &Part<'_>) {
    let head = &part.text[..words::floor_boundary(part.text, 400)];
    let lower = head.to_ascii_lowercase();
    let mut found: Vec<Range<usize>> = Vec::new();
    if lower.contains("diagnostic") {
        for line in words::lines(part.text) {
            if let Some(at) = error_forms::diagnostic(&part.text[line.clone()]) {
                found.push(line.start + at..line.end);
            }
        }
    }
    if lower.contains(" hook ") || lower.contains("hook error") {
        found.extend(errors::error_lines(part.text, false));
    }
    found.truncate(errors::MAX_PER_OUTPUT);
    for range in found {
        note(registry, part, words::trim(part.text, range));
    }
}

/// What somebody quotes: the message of a failure in backticks or double quotes.
pub(crate) fn quoted(part: &Part<'_>) -> Vec<Range<usize>> {
    let mut all = quotes(part.text);
    all.retain(|range| {
        let text = &part.text[range.clone()];
        let lower = text.to_ascii_lowercase();
        let named = errors::error_code(text).is_some() || lower.contains("error: ");
        let by_user = part.kind == PartKind::UserText
            && diagnostics::complains(text)
            && REFUSING.iter().any(|word| lower.contains(word));
        (by_user || named && errors::is_error_line(text))
            && !error_forms::is_in_code(part.text, range)
    });
    all
}

/// Notes the failures that somebody quotes, as [`quoted`] gives them.
pub(crate) fn note_quoted(registry: &mut Registry, part: &Part<'_>, quoted: Vec<Range<usize>>) {
    for range in quoted {
        note(registry, part, range);
    }
}

/// Words with which a program refuses.
#[rustfmt::skip]
const REFUSING: &[&str] = &[
    "violates", "not found", "cannot", "can't", "could not", "failed", "invalid", "unexpected", "missing",
    "denied", "refused", "unknown", "no such", "not allowed", "not permitted", "expired", "timed out",
];

/// Fewest words of a quote that may be a message.
const LEAST_WORDS: usize = 3;

/// What stands in backticks or double quotes on one line.
fn quotes(text: &str) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    for prose in words::prose(text) {
        for line in words::lines(&text[prose.clone()]) {
            let start = prose.start + line.start;
            let line = &text[start..prose.start + line.end];
            for quote in ['`', '"'] {
                let marks: Vec<usize> = line.match_indices(quote).map(|(at, _)| at).collect();
                for pair in marks.chunks_exact(2) {
                    let inner = start + pair[0] + 1..start + pair[1];
                    if text[inner.clone()].split_whitespace().count() >= LEAST_WORDS {
                        out.push(inner);
                    }
                }
            }
        }
    }
    out
}

fn note(registry: &mut Registry, part: &Part<'_>, range: Range<usize>) {
    let text = &part.text[range.clone()];
    let index = registry.note(FactKind::Error, mask::mask(text), text);
    let by_user = part.kind == PartKind::UserText;
    let (role, standing) = if by_user {
        (role_weight::USER, Standing::Said)
    } else {
        (role_weight::ERROR, Standing::Noticed)
    };
    registry.place(index, part, range, role, standing);
}

#[cfg(test)]
mod tests {
    use super::*;
    use palimpsest_core::EntryIx;

    fn part<'a>(kind: PartKind, text: &'a str) -> Part<'a> {
        Part {
            item: 0,
            entry: EntryIx::new(0),
            message: 0,
            block: 0,
            kind,
            text,
            base: 0,
            tool: None,
            call_id: None,
            is_error: false,
        }
    }

    /// What somebody quotes is noted as it is read.
    fn read_quoted(registry: &mut Registry, part: &Part<'_>) {
        note_quoted(registry, part, quoted(part));
    }

    fn found(kind: PartKind, text: &str, read: fn(&mut Registry, &Part<'_>)) -> Vec<String> {
        let mut registry = Registry::default();
        read(&mut registry, &part(kind, text));
        registry.facts.into_iter().map(|fact| fact.text).collect()
    }

    #[test]
    fn messages_that_somebody_quotes_are_failures() {
        let user = "it dies with \"db: duplicate key violates the index\", see `src/a.rs`";
        assert_eq!(
            found(PartKind::UserText, user, read_quoted),
            ["db: duplicate key violates the index"]
        );
        let model = "The build says `error: linker not found`, and `let error: u8 = 3` is fine.";
        assert_eq!(
            found(PartKind::AssistantText, model, read_quoted),
            ["error: linker not found"]
        );
        let label = "call it \"title: my new rows\"";
        assert!(found(PartKind::UserText, label, read_quoted).is_empty());
    }

    #[test]
    fn diagnostics_that_an_agent_hands_on_are_failures() {
        let text = "<new-diagnostics>The following new diagnostic issues were detected:\n\na.ts:\n  ✘ [Line 3:5] Cannot find name 'x'. [2304] (ts)\n  ⚠ [Line 4:1] 'y' is unused (ts)\n</new-diagnostics>";
        assert_eq!(
            found(PartKind::Injected, text, handed),
            ["Cannot find name 'x'. [2304] (ts)"]
        );
        assert!(found(PartKind::Injected, "✘ [Line 3:5] Cannot find it", handed).is_empty());
    }

    #[test]
    fn problems_are_read_from_json() {
        let text = "[{\"message\":\"Cannot find 'x'\",\"severity\":\"Error\"},{\"message\":\"y is unused\",\"severity\":\"Hint\"}]";
        let all = listed(text);
        assert_eq!(all.len(), 1);
        assert_eq!(&text[all[0].clone()], "Cannot find 'x'");
    }

    #[test]
    fn tools_say_in_their_first_line_that_they_failed() {
        let failed = part(
            PartKind::ToolOutput,
            "Error: net::ERR_REFUSED at http://a\nCall log:",
        );
        assert!(says_it_failed(&failed, ToolAction::Other));
        let page = part(PartKind::ToolOutput, "# Errors\nError: is shown");
        assert!(!says_it_failed(&page, ToolAction::Other));
    }
}
