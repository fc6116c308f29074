//! Of the files that the summarized messages touched the lines that define something are given
//! again after the summary (Roo Code, its folded file context, which parses the files with
//! tree-sitter).
//!
//! The agent reads the files from disk and parses them. A plan knows only the session, so it uses
//! the last content read or written of each file and recognizes definitions by the first words of
//! lines.

use crate::stages::assemble::recent_files::of_last_contents;
use crate::vocabulary::memo::Weight;
use crate::vocabulary::next::NextItem;
use crate::vocabulary::params::{ParamDoc, ParamType};
use crate::workpiece::job::Job;
use palimpsest_core::json::utf16_len;
use palimpsest_core::{BodyError, Role};
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// Parameters of the part; the default is Roo Code's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Definitions {
    /// UTF-16 units of all files together; a file that goes beyond is left out.
    pub max_definition_chars: u64,
}

impl Default for Definitions {
    fn default() -> Self {
        Definitions {
            max_definition_chars: 50_000,
        }
    }
}

/// Words that may stand before the one that tells what is defined.
// Ours, like the words below: Roo Code parses the files instead.
const MODIFIERS: &[&str] = &[
    "abstract",
    "async",
    "const",
    "declare",
    "default",
    "export",
    "extern",
    "final",
    "internal",
    "open",
    "override",
    "private",
    "protected",
    "public",
    "sealed",
    "static",
    "unsafe",
];

/// Words that begin a definition.
const DEFINERS: &[&str] = &[
    "class",
    "def",
    "enum",
    "fn",
    "func",
    "function",
    "fun",
    "impl",
    "interface",
    "macro_rules!",
    "mod",
    "module",
    "namespace",
    "object",
    "protocol",
    "record",
    "struct",
    "trait",
    "type",
];

impl Definitions {
    pub(super) const DOCS: &'static [ParamDoc] = &[ParamDoc::new(
        "max_definition_chars",
        ParamType::Integer,
        "maximum length of the definitions of all files",
    )
    .unit("UTF-16 units")];

    /// One text per file that defines anything, that touched last first.
    pub(super) fn items(&self, job: &Job<'_>) -> Result<Vec<NextItem>, BodyError> {
        let mut out = Vec::new();
        let mut total = 0;
        // Kept from plan to plan: reading every file again took 248 ms of each while a cut was
        // dragged.
        for (path, listed) in of_last_contents(job, "definitions", listed)? {
            if listed.lines.is_empty() {
                continue;
            }
            let head = format!("{path} defines, by line:\n");
            let units = utf16_len(&head) + listed.units;
            if total + units <= self.max_definition_chars {
                total += units;
                out.push(NextItem::text(Role::User, &(head + &listed.lines)));
            }
        }
        Ok(out)
    }
}

/// The lines that define something, each with its number behind a line break.
struct Listed {
    lines: String,
    /// UTF-16 units of `lines`.
    units: u64,
}

impl Weight for Listed {
    fn bytes(&self) -> usize {
        self.lines.len()
    }
}

fn listed(content: &str) -> Listed {
    let mut lines = String::new();
    for (number, line) in definitions(content) {
        // Writing to a String cannot fail.
        let _ = write!(lines, "\n{number} | {line}");
    }
    let units = utf16_len(&lines);
    Listed { lines, units }
}

/// The lines of `content` that define something, by their number from 1; numbers that a tool wrote
/// before the lines are taken.
fn definitions(content: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    for (at, line) in content.lines().enumerate() {
        let (number, line) = match numbered(line) {
            Some((number, line)) => (number, line),
            None => (at + 1, line),
        };
        if defines(line) {
            found.push((number, line.trim_end()));
        }
    }
    found
}

/// A line behind a number and a mark that a tool put before it.
fn numbered(line: &str) -> Option<(usize, &str)> {
    let line = line.trim_start();
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = line.split_at(digits);
    let rest = rest.strip_prefix(['\t', '|', ':', '→'])?;
    Some((number.parse().ok()?, rest))
}

fn defines(line: &str) -> bool {
    let mut words = line.split_whitespace().map(|word| {
        // `pub(crate)` and `extern "C"`.
        let bare = word.split(['(', '<', '{']).next().unwrap_or(word);
        if bare == "pub" || bare.starts_with('"') {
            "public"
        } else {
            bare
        }
    });
    let Some(first) = words.find(|word| !MODIFIERS.contains(word)) else {
        return false;
    };
    // `export const f = () =>` defines a function without a word for it.
    let is_arrow = line.contains("=>") && line.trim_start().starts_with("export const");
    DEFINERS.contains(&first) && words.next().is_some() || is_arrow
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_define_are_told_by_their_words() {
        for line in [
            "pub(crate) async fn turn(gear: &Gear) {",
            "    fn teeth(&self) -> u8 {",
            "impl Gear {",
            "impl<T> Gear for T {",
            "export default class Clock extends Thing {",
            "class Clock:",
            "    def wind(self):",
            "func (c *Clock) Wind() error {",
            "export const wind = (clock) => {",
            "pub unsafe extern \"C\" fn wind() {}",
        ] {
            assert!(defines(line), "{line}");
        }
        for line in [
            "let teeth = 24;",
            "// fn of the past",
            "type",
            "return fn(x)",
            "",
            "pub",
        ] {
            assert!(!defines(line), "{line}");
        }
    }

    #[test]
    fn numbers_that_stand_before_lines_are_taken() {
        let plain = "use x;\n\nfn a() {\n    b();\n}\n  struct S;\n";
        assert_eq!(definitions(plain), [(3, "fn a() {"), (6, "  struct S;")]);
        let numbered = "  40→use x;\n  41→fn a() {\n";
        assert_eq!(definitions(numbered), [(41, "fn a() {")]);
    }
}
