//! Texts that break code which slices, lowers, folds or measures text.

use super::split::split;
use palimpsest_testkit::seeded::Rng;
use serde_json::Value;

/// Characters whose length in bytes, in UTF-16 or in columns differs from one, that change their
/// length when the case changes, or that join with their neighbours.
const CHARACTERS: &[char] = &[
    'é',
    'ß',
    'İ',
    'ı',
    'ŉ',
    'ẞ',
    'K',
    'ﬁ',
    'Σ',
    'ς',
    '\u{301}',
    '\u{36f}',
    '\u{200d}',
    '\u{200b}',
    '\u{202e}',
    '\u{2066}',
    '\u{feff}',
    '\u{fffd}',
    '\u{fffe}',
    '\u{85}',
    '\u{2028}',
    '\u{a0}',
    '\u{3000}',
    '日',
    '本',
    'א',
    'ع',
    'ٱ',
    '한',
    '\u{1100}',
    '𱍐',
    '😀',
    '👨',
    '🏽',
    '🇩',
    '𝔸',
    '\u{10ffff}',
    '\u{e0041}',
    '\0',
    '\u{1b}',
    '\u{7f}',
    '\r',
    '…',
    '—',
    '“',
    '’',
    '«',
    '٣',
    '１',
    '½',
    '…',
    '→',
    '•',
];

/// Beginnings and parts of what is looked for in texts: errors, paths, commands, markup, numbers.
const PARTS: &[&str] = &[
    "error",
    "error:",
    "Error: ",
    "error[E0",
    "TypeError",
    "panicked at ",
    "Traceback",
    "  File \"",
    "FAILED ",
    "FAIL ",
    "✗ ",
    "exit code ",
    "thread '",
    "at ",
    " line ",
    "/src/",
    "src/main.rs",
    "./",
    "../",
    "C:\\",
    "~/",
    ".rs",
    ".py:",
    ":12:5",
    "https://",
    "http://[",
    "file:",
    "`",
    "```",
    "~~~",
    "```rust\n",
    "**",
    "*",
    "_",
    "# ",
    "## Goal\n",
    "- ",
    "- [ ] ",
    "1. ",
    "> ",
    "| a | b |\n|--|\n",
    "<",
    ">",
    "</",
    "<x>",
    "</summary>",
    "<file>",
    "<!--",
    "]]>",
    "&amp;",
    "[",
    "](",
    "![",
    "$ ",
    "cargo test",
    "npm ",
    "git commit -m \"",
    "git ",
    "rm -rf ",
    "|",
    "&&",
    ";",
    "\"",
    "'",
    "\\",
    "{",
    "}",
    "{{",
    "}}",
    "{{conversation}}",
    "must ",
    "never ",
    "don't ",
    "please ",
    "always ",
    "instead ",
    "I want ",
    "no, ",
    "use ",
    "TODO",
    "FIXME",
    "fn ",
    "def ",
    "class ",
    "::",
    "->",
    "0x",
    "0123456789abcdef",
    "e3b0c442",
    "v1.2.3",
    "1,000",
    "12%",
    "3.14",
    "-1",
    "99999999999999999999",
    "10 passed; 2 failed",
    "test ",
    " ... ok",
    "warning: ",
    "note: ",
    "\n",
    "\n\n",
    "\r\n",
    "\t",
    " ",
    "  ",
    ".",
    ". ",
    ", ",
    "?",
    "!",
    ":",
    "=",
    "==",
    "@@ -1 +1 @@\n",
    "+",
    "-",
    "--- a/x\n+++ b/x\n",
    "*** Begin Patch\n",
    "*** Update File: ",
    "\u{1b}[31m",
    "\u{1b}[",
    "\u{1b}]8;;",
    "kind:",
    "file:",
    "after:",
    "is:",
    "OR ",
    "NOT ",
    "NEAR(",
    "*",
    "^",
    "sk-ant-api03-",
    "AKIA",
    "data:image/png;base64,",
];

/// A text of up to `most` pieces, each a character or a part that something looks for.
pub fn nasty(rng: &mut Rng, most: usize) -> String {
    let mut text = String::new();
    for _ in 0..=rng.below(most) {
        match rng.below(5) {
            0 | 1 => text.push(*rng.pick(CHARACTERS)),
            2 | 3 => text.push_str(rng.pick::<&str>(PARTS)),
            _ => {
                let c = char::from_u32((rng.next_u64() & 0x1f_ffff) as u32);
                text.push(c.unwrap_or('x'));
            }
        }
    }
    if rng.chance(3) {
        text = text.repeat(rng.between(2, 400) as usize);
    }
    text
}

/// Changes strings inside the records, which stay JSON; returns how many records changed.
pub fn damage(file: &mut Vec<u8>, rng: &mut Rng) -> u64 {
    let mut touched = 0;
    let mut lines = split(file);
    let share = rng.between(1, 100);
    for line in &mut lines {
        if !rng.chance(share) {
            continue;
        }
        let Ok(mut record) = serde_json::from_slice::<Value>(line) else {
            continue;
        };
        if in_strings(&mut record, rng, 0) {
            touched += 1;
            *line = record.to_string().into_bytes();
            line.push(b'\n');
        }
    }
    *file = lines.concat();
    touched
}

/// Changes some of the longer strings of a value, and the strings inside strings that are JSON.
fn in_strings(value: &mut Value, rng: &mut Rng, depth: usize) -> bool {
    if depth > 100 {
        return false;
    }
    match value {
        // Short strings are names of kinds and ids, without which a record is not read at all.
        Value::String(text) if text.len() > 24 || rng.chance(4) => {
            if rng.chance(50) {
                *text = changed(text, rng);
                return true;
            }
            false
        }
        Value::Array(items) => items.iter_mut().fold(false, |changed, item| {
            in_strings(item, rng, depth + 1) | changed
        }),
        Value::Object(fields) => fields.values_mut().fold(false, |changed, item| {
            in_strings(item, rng, depth + 1) | changed
        }),
        _ => false,
    }
}

/// The text with characters put in, put in place of others, or all of it replaced.
fn changed(text: &str, rng: &mut Rng) -> String {
    if rng.chance(15) {
        return nasty(rng, 120);
    }
    let mut characters: Vec<char> = text.chars().take(200_000).collect();
    for _ in 0..=rng.below(24) {
        let at = rng.below(characters.len() + 1);
        match rng.below(4) {
            0 => characters.insert(at, *rng.pick(CHARACTERS)),
            1 if at < characters.len() => characters[at] = *rng.pick(CHARACTERS),
            2 => {
                let part: Vec<char> = rng.pick::<&str>(PARTS).chars().collect();
                characters.splice(at..at, part);
            }
            _ => {
                let part: Vec<char> = nasty(rng, 6).chars().collect();
                characters.splice(at..at, part);
            }
        }
    }
    characters.into_iter().collect()
}
