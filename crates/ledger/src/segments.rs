//! The lines of a summary with the stems of their words, against which sentences and commands are
//! held.

use crate::drawn::Drawn;
use crate::words;
use palimpsest_core::ledger::FactStatus;
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use std::ops::Range;

/// Lines longer than this, in bytes, are compared sentence by sentence.
const MAX_SEGMENT_BYTES: usize = 400;

/// A line, or a sentence of a long line.
#[derive(Debug)]
pub(crate) struct Segment {
    /// Where it stands.
    pub range: Range<usize>,
    /// Its text in lower case, quotes evened out.
    pub lower: String,
    /// The stems of its words.
    pub stems: HashSet<String>,
    /// The stems of neighbouring words written as one: "file name" tells of a `filename`.
    joined: HashSet<String>,
    /// Its letters and digits without what stands between them, so that `agent-session.ts` and
    /// `AgentSession` meet.
    pub squashed: String,
    /// True for a message of the user that the text quotes: it tells what was asked, not what was done or
    /// found.
    pub quotes_user: bool,
    /// How far an item of a list or a row of a table is indented, in bytes.
    item: Option<usize>,
}

impl Segment {
    /// True where it has the word of a stem, written as one word or as two.
    pub fn has(&self, stem: &str) -> bool {
        self.stems.contains(stem) || self.joined.contains(stem)
    }

    /// True where the next segment goes on with what this one tells: it is no further item beside or above
    /// it.
    pub fn goes_on_with(&self, next: &Segment) -> bool {
        match (self.item, next.item) {
            (Some(own), Some(next)) => next > own,
            _ => true,
        }
    }
}

/// All segments of a text.
#[derive(Debug, Default)]
pub(crate) struct Segments {
    /// In order.
    pub all: Vec<Segment>,
    /// The files of trees that the text draws.
    pub drawn: Drawn,
    /// Which segments have a stem.
    pub by_stem: HashMap<String, Vec<usize>>,
}

/// What a text shows of one fact.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Found {
    /// The status.
    pub status: FactStatus,
    /// Where.
    pub range: Range<usize>,
    /// What a partly kept fact lacks.
    pub missing: Vec<String>,
    /// What a changed fact says in the source, and what it says here.
    pub difference: Option<(String, String)>,
}

impl Segments {
    /// Reads `text`.
    pub fn new(text: &str) -> Segments {
        let mut out = Segments {
            drawn: Drawn::read(text),
            ..Segments::default()
        };
        let mut messages = false;
        for range in ranges(text) {
            let line = &text[line_start(text, range.start)..range.end];
            if let Some(title) = heading(line) {
                messages = title.contains("user message");
            }
            let mut stems: HashSet<String> = stems(&text[range.clone()]).into_iter().collect();
            stems.extend(parts_of_names(&text[range.clone()]));
            for stem in &stems {
                out.by_stem
                    .entry(stem.clone())
                    .or_default()
                    .push(out.all.len());
            }
            out.all.push(Segment {
                lower: words::normalize(&text[range.clone()]),
                squashed: squash(&text[range.clone()]),
                quotes_user: messages || is_quote(line),
                item: item(line),
                joined: joined_stems(&text[range.clone()])
                    .into_iter()
                    .map(|(_, joined)| joined)
                    .collect(),
                range,
                stems,
            });
        }
        out
    }

    /// How much finding a stem says: 1 where one line has it or none, less the more have it.
    pub fn weight(&self, stem: &str) -> f64 {
        let lines = self.by_stem.get(stem).map_or(0, Vec::len);
        1.0 / (1.0 + (lines.max(1) as f64).ln() / 6.0)
    }

    /// The segments that share most of `stems`, best first, at most `most`. Those of names, which stand
    /// behind the first `words`, count twice: a line with the name tells more than one with "implement".
    pub fn nearest(&self, stems: &[String], words: usize, most: usize) -> Vec<usize> {
        // A count for each segment: summaries have some hundreds, and every saying is looked for.
        let mut shared = vec![0_usize; self.all.len()];
        for (nth, stem) in stems.iter().enumerate() {
            for &at in self.by_stem.get(stem).into_iter().flatten() {
                shared[at] += if nth < words { 1 } else { 2 };
            }
        }
        let counts = shared.into_iter().enumerate();
        let mut out: Vec<(usize, usize)> = counts.filter(|&(_, count)| count > 0).collect();
        out.sort_by_key(|&(at, count)| (std::cmp::Reverse(count), at));
        out.truncate(most);
        out.into_iter().map(|(at, _)| at).collect()
    }
}

/// The beginning of the line that has a byte.
fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |at| at + 1)
}

/// Letters and digits in lower case, nothing between them.
pub(crate) fn squash(text: &str) -> String {
    let kept = text.chars().filter(|c| c.is_alphanumeric());
    kept.flat_map(char::to_lowercase).collect()
}

/// How far an item or a row is indented; `None` for a line that is none.
fn item(line: &str) -> Option<usize> {
    let content = line.trim_start();
    // A tree of folders.
    if content.starts_with(['├', '└', '│']) {
        return Some(0);
    }
    let number = content.bytes().take_while(u8::is_ascii_digit).count();
    let counted = number > 0 && content[number..].starts_with([')', '.']);
    let marked = ["- ", "* ", "+ ", "• ", "|"]
        .iter()
        .any(|mark| content.starts_with(mark));
    (counted || marked).then(|| line.len() - content.len())
}

/// The title of a heading in lower case: `## Title`, `6. Title:` and `**Title**` at the beginning of a line.
fn heading(line: &str) -> Option<String> {
    let content = line.trim_end();
    let bare = content.trim_start_matches(|c: char| c.is_ascii_digit());
    let counted = bare.len() < content.len() && bare.starts_with(". ") && content.ends_with(':');
    let bold = content.starts_with("**") && content.trim_end_matches(':').ends_with("**");
    (content.starts_with('#') || counted || bold).then(|| content.to_lowercase())
}

/// True for an item that is one quote (`- "fix it"`), or `User: "fix it"`.
fn is_quote(line: &str) -> bool {
    let content = line.trim_start_matches(|c: char| {
        c.is_whitespace() || c.is_ascii_digit() || matches!(c, '-' | '*' | '•' | '.' | ')')
    });
    let behind = content.trim_end().trim_end_matches(['.', ',', ')']);
    content.starts_with(['"', '“']) && behind.len() > 2 && behind.ends_with(['"', '”'])
}

/// The lines of a text, long ones by sentence.
fn ranges(text: &str) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    for line in words::lines(text) {
        if line.len() <= MAX_SEGMENT_BYTES {
            let line = words::trim(text, line);
            if !line.is_empty() {
                out.push(line);
            }
        } else {
            let inner = words::sentences(&text[line.clone()]);
            out.extend(
                inner
                    .into_iter()
                    .map(|r| line.start + r.start..line.start + r.end),
            );
        }
    }
    out
}

/// The stems of the words that names are made of: `TestReadsRows` and `reads_rows` tell of reading rows.
fn parts_of_names(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    for range in words::raw_words(text) {
        let name = &text[range];
        let is_name = name.contains('_')
            || name
                .as_bytes()
                .windows(2)
                .any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
        if !is_name {
            continue;
        }
        let mut part = String::new();
        let mut was_lower = false;
        for c in name.chars().chain(['_']) {
            if c == '_' || (c.is_uppercase() && was_lower) {
                if part.len() >= 4 && !words::is_stop_word(&part) {
                    out.push(stem(&part));
                }
                part.clear();
            }
            if c != '_' {
                part.extend(c.to_lowercase());
            }
            was_lower = c.is_lowercase();
        }
    }
    out
}

/// Fewest letters of two words written as one.
const JOINED_LETTERS: usize = 6;

/// The stems of neighbouring words written as one ("git hub", "file-name"), each with the range of both words.
pub(crate) fn joined_stems(text: &str) -> Vec<(Range<usize>, String)> {
    let mut out = Vec::new();
    let mut before: Option<Range<usize>> = None;
    for range in words::raw_words(text) {
        if let Some(first) = before.replace(range.clone())
            && matches!(&text[first.end..range.start], " " | "-")
        {
            let parts = [&text[first.clone()], &text[range.clone()]];
            let is_plain =
                |part: &&str| part.len() > 1 && part.bytes().all(|b| b.is_ascii_alphabetic());
            if first.len() + range.len() >= JOINED_LETTERS && parts.iter().all(is_plain) {
                let joined = parts.concat().to_ascii_lowercase();
                out.push((first.start..range.end, stem(&joined)));
            }
        }
    }
    out
}

/// The stems of the content words of a text, each once, in order.
pub(crate) fn stems(text: &str) -> Vec<String> {
    let mut seen = HashSet::default();
    words::words(text)
        .filter(|word| word.text.len() > 1 && !words::is_stop_word(&word.text))
        .map(|word| stem(&word.text))
        .filter(|stem| seen.insert(stem.clone()))
        .collect()
}

/// Past forms that no ending makes, and their verbs.
#[rustfmt::skip]
const IRREGULAR: &[(&str, &str)] = &[
    ("broke", "break"), ("broken", "break"), ("brought", "bring"), ("built", "build"), ("chose", "choose"),
    ("chosen", "choose"), ("drew", "draw"), ("found", "find"), ("froze", "freeze"), ("gave", "give"),
    ("given", "give"), ("held", "hold"), ("hid", "hide"), ("hidden", "hide"), ("kept", "keep"),
    ("lost", "lose"), ("made", "make"), ("meant", "mean"), ("ran", "run"), ("rewritten", "rewrite"),
    ("rewrote", "rewrite"), ("sent", "send"), ("shown", "show"), ("stuck", "stick"), ("taken", "take"),
    ("threw", "throw"), ("thrown", "throw"), ("told", "tell"), ("took", "take"), ("written", "write"),
    ("wrote", "write"),
];

/// The verb of an irregular past form; else the word.
fn base_of(word: &str) -> &str {
    let at = IRREGULAR.binary_search_by(|(past, _)| past.cmp(&word));
    at.map_or(word, |at| IRREGULAR[at].1)
}

/// A lower-case word without the commonest English endings, so that "configurable", "configured"
/// and "configuration" meet; identifiers and other scripts stay as they are.
pub(crate) fn stem(word: &str) -> String {
    if !word.bytes().all(|b| b.is_ascii_lowercase()) {
        return word.to_owned();
    }
    // Too short for the endings below.
    if matches!(word, "use" | "uses" | "used" | "using") {
        return "use".to_owned();
    }
    let mut rest = base_of(word);
    let last = rest.bytes().next_back();
    for ending in [
        "abilities",
        "ability",
        "ically",
        "ical",
        "ations",
        "ation",
        "ments",
        "ment",
        "ions",
        "ion",
        "ings",
        "ing",
        "able",
        "ably",
        "ies",
        "ied",
        "ying",
        "ly",
        "ed",
        "es",
        "ers",
        "er",
        "al",
        "s",
        "y",
        "e",
    ] {
        // Comparing the last letter first skips most endings.
        if ending.bytes().next_back() == last
            && let Some(short) = rest.strip_suffix(ending)
            && short.len()
                >= if ending.len() > 2 || ending == "ly" {
                    4
                } else {
                    3
                }
        {
            rest = words::without_s(short, ending);
            break;
        }
    }
    // "dropped" is "drop", "added" stays "add".
    let bytes = rest.as_bytes();
    let doubled = bytes.len() >= 4
        && bytes[bytes.len() - 1] == bytes[bytes.len() - 2]
        && !matches!(bytes[bytes.len() - 1], b'l' | b's' | b'd' | b'f');
    let rest = if doubled {
        &rest[..rest.len() - 1]
    } else {
        rest
    };
    // "generat(e)" and "gener(ation)".
    let rest = match rest.strip_suffix("at") {
        Some(short) if short.len() >= 4 => short,
        _ => rest,
    };
    rest.trim_end_matches(['e', 'i']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_of_words() {
        assert_eq!(
            parts_of_names("Made TestReadsRows_Empty pure, and load_rows"),
            ["test", "read", "rows", "empt", "load", "rows"].map(stem)
        );
    }

    #[test]
    fn quoted_messages_and_items_are_known() {
        let text = "6. All user messages:\n   - \"fix the rows\"\n   - also that\n7. Pending Tasks:\n   - \
                    Sort rows\n   - Push it\n     behind the tests\n- \"say hello\"\n";
        let segments = Segments::new(text).all;
        let quoted: Vec<bool> = segments.iter().map(|own| own.quotes_user).collect();
        assert_eq!(quoted, [true, true, true, false, false, false, false, true]);
        assert!(!segments[4].goes_on_with(&segments[5]));
        assert!(segments[5].goes_on_with(&segments[6]));
    }

    #[test]
    fn irregular_forms_and_far_endings_meet() {
        assert!(IRREGULAR.is_sorted());
        for (one, other) in [
            ("kept", "keep"),
            ("rewritten", "rewrite"),
            ("chronologically", "chronological"),
            ("testability", "testable"),
        ] {
            assert_eq!(stem(one), stem(other), "for {one}");
        }
    }

    #[test]
    fn a_line_with_the_name_comes_first() {
        let text = "Implement rows.\nImplement tables.\nImplement cells.\nMade RowSorter.";
        let segments = Segments::new(text);
        let stems = [stem("implement"), stem("rowsorter")];
        assert_eq!(segments.nearest(&stems, 1, 1), [3]);
    }

    #[test]
    fn forms_of_a_word_have_one_stem() {
        for group in [
            &[
                "configure",
                "configured",
                "configuration",
                "configurable",
                "configures",
            ][..],
            &["drop", "dropped", "dropping", "drops"],
            &["reply", "replies", "replied"],
            &["generate", "generated", "generation"],
            &["use", "used", "using"],
            &["alias", "aliases", "aliased"],
            &["process", "processes", "processing"],
            &["class", "classes"],
            &["close", "closes", "closed", "closing"],
            &["pass", "passes", "passed"],
        ] {
            let stems: HashSet<String> = group.iter().map(|word| stem(word)).collect();
            assert_eq!(stems.len(), 1, "{group:?}: {stems:?}");
        }
    }
}
