//! Codex: texts of its program (0.169.0), which lie one behind the other without a mark between
//! them, beside the path of the source file that uses them.

use super::frame::{Part, Raw};

const SOURCE: &str = "core/src/compact.rs";
pub(super) const ANCHORS: &[&str] = &[SOURCE];

/// The prompts stand this close to the path.
const NEAR: usize = 4 << 10;
/// Points that the request lists, at least.
const POINTS: usize = 3;
/// Bytes of what stands before a summary.
const PROSE: std::ops::Range<usize> = 150..1_500;

pub(super) fn read(pieces: &[Vec<u8>]) -> Vec<Raw> {
    let mut found = Vec::new();
    for piece in pieces {
        let text = String::from_utf8_lossy(piece);
        for (at, _) in text.match_indices(SOURCE) {
            let from = boundary(&text, at.saturating_sub(NEAR));
            let to = boundary(&text, (at + NEAR).min(text.len()));
            if let Some(words) = request(&text[from..to]) {
                for place in ["first", "update"] {
                    found.push(raw(place, words.to_owned(), Part::Request));
                }
            }
            if let Some(words) = before(&text[from..at]) {
                found.push(raw("stored", format!("{words}\n"), Part::Before));
            }
        }
    }
    found
}

fn raw(place: &'static str, words: String, part: Part) -> Raw {
    Raw {
        strategy: "codex".to_owned(),
        place,
        setting: format!("text beside {SOURCE}"),
        words,
        part,
    }
}

/// The request: a paragraph, a list of points under a line with a colon, and a last line.
fn request(text: &str) -> Option<&str> {
    for (at, _) in text.match_indices(":\n- ") {
        let heading = text[..at].rfind("\n\n")?;
        let mut end = at + 2;
        let mut points = 0;
        while let Some(line) = text[end..].split_inclusive('\n').next()
            && line.starts_with("- ")
        {
            end += line.len();
            points += 1;
        }
        let last = text[end..].strip_prefix('\n')?;
        let length = last.find('\n')?;
        if points >= POINTS && text[heading + 2..at].lines().count() == 1 {
            let intro = text[..heading].rfind('\n').map_or(0, |at| at + 1);
            let from = intro + start_of_last(&text[intro..heading]);
            return Some(&text[from..end + 1 + length]);
        }
    }
    None
}

/// What stands before a summary: sentences up to a colon, behind which the path follows.
fn before(text: &str) -> Option<&str> {
    let colon = text.rfind(":event ")? + 1;
    let prose = &text[boundary(text, colon.saturating_sub(PROSE.end))..colon];
    let words = &prose[start_of_last(prose)..];
    let is_prose = PROSE.contains(&words.len()) && !words.contains('\0');
    (is_prose && words.matches(". ").count() >= 2).then_some(words)
}

/// Where the last of several texts begins that follow each other without a mark: at a capital
/// directly behind a small letter, a digit or a full stop, with a word behind it.
fn start_of_last(text: &str) -> usize {
    let bytes = text.as_bytes();
    let begins = |at: usize| {
        let (before, own) = (bytes[at - 1], bytes[at]);
        let rest = &bytes[at + 1..];
        let letters = rest.iter().take_while(|c| c.is_ascii_lowercase()).count();
        let ends = rest.get(letters).is_some_and(|c| b" ,.".contains(c));
        own.is_ascii_uppercase()
            && !b" \n(-\"'`/".contains(&before)
            && !before.is_ascii_uppercase()
            && ends
    };
    (1..bytes.len())
        .rev()
        .find(|at| begins(*at))
        .filter(|at| text.is_char_boundary(*at))
        .unwrap_or(0)
}

/// The next place between two characters.
fn boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}
