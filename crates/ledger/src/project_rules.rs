//! Rules that a model writes into the files in which a project sets them for everybody who works in it: `CLAUDE.md`,
//! `AGENTS.md`, `CONTRIBUTING.md`. What is only read there is none: of some thirty rules in the labelled stretches
//! people name two, and agents read the file again whenever they begin.

use crate::candidate::{Registry, Standing, role_weight};
use crate::span::Part;
use crate::{prose, words};
use palimpsest_core::ledger::FactKind;
use std::ops::Range;

/// How many ranks lighter than a rule of the user's own words it is.
const WRITTEN: i32 = 2;

/// Most rules taken from one file.
const MAX_PER_FILE: usize = 30;

/// Longest rule, in bytes.
const MAX_BYTES: usize = 300;

/// Names of such files, in lower case.
#[rustfmt::skip]
const FILES: &[&str] = &[
    "claude.md", "claude.local.md", "agents.md", "agent.md", "gemini.md", "qwen.md", "contributing.md",
    "conventions.md", ".cursorrules", ".windsurfrules", ".clinerules", "copilot-instructions.md",
];

/// Words by which a line of such a file orders or forbids.
#[rustfmt::skip]
const ORDERING: &[&str] = &[
    " must ", " must not ", " do not ", " don't ", " should ", " should not ", " forbidden ", " mandatory ", " make sure ",
    " only run ", " only use ",
];

/// Words by which it does so where it begins with them.
const OPENING: &[&str] = &[" never ", " always ", " avoid ", " prefer ", " only "];

/// True for a file with the rules of a project.
pub(crate) fn is_rules_file(path: &str) -> bool {
    let lower = path.to_lowercase().replace('\\', "/");
    let name = lower.rsplit('/').next().unwrap_or_default();
    FILES.contains(&name) || lower.contains(".cursor/rules/") || lower.contains(".clinerules/")
}

/// Reads the rules in a text that a call writes into such a file; `place` tells where they stand in the part.
pub(crate) fn read_written(
    registry: &mut Registry,
    part: &Part<'_>,
    text: &str,
    place: impl Fn(&str) -> Range<usize>,
) {
    for rule in rules(text) {
        let rule = &text[rule];
        let key = words::sentence_key(rule);
        let index = registry.note(FactKind::Constraint, key, rule);
        let role = role_weight::EDIT;
        // What the user said is a rule of the user, wherever it is written then.
        if registry.facts[index].count == 0 {
            registry.facts[index].lighter = WRITTEN;
        }
        registry.place(index, part, place(rule), role, Standing::Noticed);
    }
}

/// Lines that order or forbid something, without their marks.
fn rules(text: &str) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut fenced = false;
    for line in words::lines(text) {
        if out.len() == MAX_PER_FILE {
            break;
        }
        let line = content(text, line);
        let rule = &text[line.clone()];
        if rule.starts_with("```") {
            fenced = !fenced;
        }
        let lead = rule.trim_end_matches('*').ends_with(':');
        if fenced || lead || rule.starts_with(['#', '|', '<']) || rule.len() > MAX_BYTES {
            continue;
        }
        let padded = prose::spaced(rule);
        let orders = ORDERING.iter().any(|turn| padded.contains(turn))
            || OPENING.iter().any(|word| padded.starts_with(word));
        if orders && words::content_words(rule).len() >= 3 {
            out.push(line);
        }
    }
    out
}

/// The line without the mark in front of its text.
fn content(text: &str, line: Range<usize>) -> Range<usize> {
    let whole = &text[line.clone()];
    let bare = whole.trim_start_matches(['-', '*', '>', ' ', '\t']);
    let digits = bare.bytes().take_while(u8::is_ascii_digit).count();
    let bare = match bare[digits..].strip_prefix(['.', ')']) {
        Some(rest) if digits > 0 => rest.trim_start(),
        _ => bare,
    };
    let start = line.start + whole.len() - bare.len();
    start..start + bare.trim_end().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_order_are_told_from_others() {
        let text = "# Rows must be sorted\n\n- Every reader must close its file.\n- Reads rows and never writes.\n\
                    **Do NOT sort rows** before they are read.\n1. Always print the count of rows.\n\
                    ```\nyou must not run this line\n```\n";
        let found: Vec<&str> = rules(text).into_iter().map(|rule| &text[rule]).collect();
        assert_eq!(
            found,
            [
                "Every reader must close its file.",
                "Do NOT sort rows** before they are read.",
                "Always print the count of rows.",
            ]
        );
    }

    #[test]
    fn files_of_rules_are_known_by_name() {
        assert!(is_rules_file("/home/dev/app/CLAUDE.md"));
        assert!(is_rules_file("app/.cursor/rules/rows.mdc"));
        assert!(!is_rules_file("docs/rows.md"));
    }
}
