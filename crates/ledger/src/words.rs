//! Words, sentences and normalized text with offsets back into the original.

use crate::escapes;
use memchr::memmem;
use rustc_hash::FxHashSet as HashSet;
use std::ops::Range;

/// A word of a text: lower case, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// The word in lower case.
    pub text: String,
    /// Byte range in the text.
    pub range: Range<usize>,
}

/// The words of `text`: runs of letters, digits and `_`; each character of a script written
/// without spaces (Han, Kana, Hangul, Thai) is a word of its own.
pub fn words(text: &str) -> impl Iterator<Item = Word> + '_ {
    raw_words(text).map(move |range| Word {
        text: text[range.clone()].to_lowercase(),
        range,
    })
}

/// Byte ranges of the words of `text`, as [`words`] defines them.
pub fn raw_words(text: &str) -> impl DoubleEndedIterator<Item = Range<usize>> + '_ {
    RawWords {
        text,
        from: 0,
        to: text.len(),
    }
}

/// The words between two places of a text.
struct RawWords<'a> {
    text: &'a str,
    from: usize,
    to: usize,
}

/// What a character is to words. Every text of a span is asked byte by byte, so ASCII has a table.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Between,
    Within,
    Alone,
}

const ASCII_WORD: [bool; 128] = {
    let mut table = [false; 128];
    let mut byte = 0_u8;
    while byte < 128 {
        table[byte as usize] = byte == b'_' || byte.is_ascii_alphanumeric();
        byte += 1;
    }
    table
};

fn place_of(c: char) -> Place {
    if is_spaceless(c) {
        Place::Alone
    } else if is_word_char(c) {
        Place::Within
    } else {
        Place::Between
    }
}

fn place_of_ascii(byte: u8) -> Place {
    if ASCII_WORD[usize::from(byte)] {
        Place::Within
    } else {
        Place::Between
    }
}

impl RawWords<'_> {
    /// What stands at `at`, and how long it is.
    fn at(&self, at: usize) -> Option<(Place, usize)> {
        if at >= self.to {
            return None;
        }
        let byte = self.text.as_bytes()[at];
        if byte.is_ascii() {
            return Some((place_of_ascii(byte), 1));
        }
        let c = self.text[at..].chars().next()?;
        Some((place_of(c), c.len_utf8()))
    }

    /// What ends at `at`, and how long it is.
    fn before(&self, at: usize) -> Option<(Place, usize)> {
        if at <= self.from {
            return None;
        }
        let byte = self.text.as_bytes()[at - 1];
        if byte.is_ascii() {
            return Some((place_of_ascii(byte), 1));
        }
        let c = self.text[..at].chars().next_back()?;
        Some((place_of(c), c.len_utf8()))
    }
}

impl Iterator for RawWords<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        loop {
            let (place, len) = self.at(self.from)?;
            let start = self.from;
            self.from += len;
            match place {
                Place::Between => {}
                Place::Alone => return Some(start..self.from),
                Place::Within => {
                    while let Some((Place::Within, len)) = self.at(self.from) {
                        self.from += len;
                    }
                    return Some(start..self.from);
                }
            }
        }
    }
}

impl DoubleEndedIterator for RawWords<'_> {
    fn next_back(&mut self) -> Option<Range<usize>> {
        loop {
            let (place, len) = self.before(self.to)?;
            let end = self.to;
            self.to -= len;
            match place {
                Place::Between => {}
                Place::Alone => return Some(self.to..end),
                Place::Within => {
                    while let Some((Place::Within, len)) = self.before(self.to) {
                        self.to -= len;
                    }
                    return Some(self.to..end);
                }
            }
        }
    }
}

/// True for what words and identifiers are made of.
pub fn is_word_char(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

/// True where `word` stands in `text` and no character that `goes_on` with a word is beside it.
pub(crate) fn stands_alone(text: &str, word: &str, goes_on: impl Fn(char) -> bool) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let outside = |c: Option<char>| !c.is_some_and(&goes_on);
        outside(text[..at].chars().next_back()) && outside(text[at + word.len()..].chars().next())
    })
}

/// The same where no letter or digit is beside it.
pub(crate) fn has_word(text: &str, word: &str) -> bool {
    stands_alone(text, word, is_word_char)
}

fn is_spaceless(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}'
        | '\u{f900}'..='\u{faff}' | '\u{e00}'..='\u{e7f}' | '\u{20000}'..='\u{2ffff}')
}

/// English words that carry no content for overlap measures.
const STOP_WORDS: &[&str] = &[
    "a", "about", "after", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be",
    "because", "been", "before", "being", "but", "by", "can", "could", "did", "do", "does",
    "doing", "done", "for", "from", "get", "go", "had", "has", "have", "he", "her", "here", "him",
    "his", "how", "i", "if", "in", "into", "is", "it", "its", "just", "let", "ll", "may", "me",
    "might", "more", "most", "my", "now", "of", "ok", "okay", "on", "or", "our", "out", "please",
    "re", "s", "she", "so", "some", "such", "t", "than", "that", "the", "their", "them", "then",
    "there", "these", "they", "this", "those", "to", "too", "up", "us", "ve", "very", "was", "we",
    "were", "what", "when", "where", "which", "while", "who", "will", "with", "would", "yes",
    "you", "your",
];

/// Bytes of the longest of them.
const LONGEST_STOP_WORD: usize = 7;

/// Where the stop words with each first letter begin in the list, and where those with the last one end.
const STOP_WORDS_BY_LETTER: [usize; 27] = {
    let mut begins = [0; 27];
    let mut letter = 0;
    while letter < 27 {
        let mut at = 0;
        while at < STOP_WORDS.len() && STOP_WORDS[at].as_bytes()[0] < b'a' + letter as u8 {
            at += 1;
        }
        begins[letter] = at;
        letter += 1;
    }
    begins
};

/// True for a lower-case English word that carries no content.
pub fn is_stop_word(word: &str) -> bool {
    // Most words are longer than any of them.
    if word.len() > LONGEST_STOP_WORD {
        return false;
    }
    let letter = word.bytes().next().unwrap_or_default().wrapping_sub(b'a');
    match STOP_WORDS_BY_LETTER.get(usize::from(letter)..) {
        Some([from, to, ..]) => STOP_WORDS[*from..*to].contains(&word),
        _ => false,
    }
}

/// So many words are compared with each other; of more a set is made.
const FEW_WORDS: usize = 24;

/// The content words of `text`, each once, in order: stop words and single ASCII characters left
/// out, endings taken off so that "fixing" and "fixed" meet.
pub fn content_words(text: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut seen: HashSet<String> = HashSet::default();
    for word in words(text) {
        let mut word = word.text;
        if !has_content(&word) {
            continue;
        }
        word.truncate(stem(&word).len());
        if out.len() < FEW_WORDS {
            if !out.contains(&word) {
                out.push(word);
            }
            continue;
        }
        if seen.is_empty() {
            seen.extend(out.iter().cloned());
        }
        if seen.insert(word.clone()) {
            out.push(word);
        }
    }
    out
}

fn has_content(word: &str) -> bool {
    word.len() > 1 && !is_stop_word(word)
}

/// A lower-case word without its ending; `None` when it carries no content.
pub fn content_word(word: &str) -> Option<String> {
    has_content(word).then(|| stem(word).to_owned())
}

/// Takes off the commonest English endings where at least three characters remain. Words with
/// digits or `_` are identifiers and stay as they are.
fn stem(word: &str) -> &str {
    if !word.bytes().all(|b| b.is_ascii_lowercase()) {
        return word;
    }
    for ending in ["ing", "ed", "es", "s", "e"] {
        if let Some(rest) = word.strip_suffix(ending)
            && rest.len() >= 3
        {
            return without_s(rest, ending);
        }
    }
    word
}

/// What is left of a word whose `ending` was taken off, without an `s` at its end: of "alias" the `s` was
/// taken off, of "aliases" `es`.
pub(crate) fn without_s<'a>(word: &'a str, ending: &str) -> &'a str {
    let shorter = word.strip_suffix('s').filter(|rest| rest.len() >= 3);
    let takes = matches!(ending, "ing" | "ed" | "es" | "e");
    shorter.filter(|_| takes).unwrap_or(word)
}

/// Text in lower case with white space collapsed and quotes, backticks, asterisks and backslashes
/// removed, keeping for every byte where it came from.
#[derive(Debug, Clone, Default)]
pub struct Normalized {
    /// The normalized text.
    pub text: String,
    /// For each byte of `text`, the byte offset of its character in the original.
    origin: Vec<u32>,
}

impl Normalized {
    /// Normalizes `text`; what lies beyond 4 GiB is left out.
    pub fn new(text: &str) -> Normalized {
        let mut out = Normalized {
            text: String::with_capacity(text.len()),
            origin: Vec::with_capacity(text.len()),
        };
        let mut space = true;
        for (at, c) in text.char_indices() {
            let Ok(at) = u32::try_from(at) else { break };
            if c.is_whitespace() {
                if !space {
                    out.text.push(' ');
                    out.origin.push(at);
                }
                space = true;
                continue;
            }
            if matches!(c, '"' | '\'' | '`' | '*' | '\\' | '’' | '‘' | '“' | '”') {
                continue;
            }
            space = false;
            if c.is_ascii() {
                out.text.push(c.to_ascii_lowercase());
                out.origin.push(at);
                continue;
            }
            for lower in c.to_lowercase() {
                out.text.push(lower);
                out.origin.resize(out.text.len(), at);
            }
        }
        if out.text.ends_with(' ') {
            out.text.pop();
            out.origin.pop();
        }
        out
    }

    /// The byte range of the original that `range` of the normalized text stands for, on
    /// character boundaries of `original`.
    pub fn original(&self, range: Range<usize>, original: &str) -> Range<usize> {
        if range.is_empty() || range.end > self.origin.len() {
            return 0..0;
        }
        let start = self.origin[range.start] as usize;
        let last = self.origin[range.end - 1] as usize;
        let width = original[last..].chars().next().map_or(0, char::len_utf8);
        start..last + width
    }
}

/// A sentence without its full stop, which is not part of what it says.
pub(crate) fn without_end(sentence: &str) -> &str {
    let trimmed = sentence.trim_end_matches(['.', '!', '?', ':', ';', ',']);
    if trimmed.len() < 2 { sentence } else { trimmed }
}

/// The normalized form of a short text (see [`Normalized`]).
pub fn normalize(text: &str) -> String {
    Normalized::new(text).text
}

/// Byte ranges of the sentences of `text`: ends at `.`, `!`, `?` before white space and at their wide
/// forms, not inside of backticks, and at line ends; list markers and white space round them are left out.
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    for line in lines(text) {
        let content = &text[line.clone()];
        let mut start = 0;
        // A command in backticks (`go test ./... -v`) is not cut.
        let mut in_code = false;
        let mut chars = content.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            let next = chars.peek().map(|(_, next)| *next);
            if c == '`' {
                in_code = !in_code && content[at + 1..].contains('`');
            }
            let ends = match c {
                _ if in_code => false,
                '!' | '?' => {
                    next.is_none_or(char::is_whitespace)
                        && !guesses_a_figure(&content[start..at], &content[at + 1..])
                }
                '.' => {
                    next.is_none_or(char::is_whitespace)
                        && !is_abbreviation(&content[start..at])
                        && !trails_off(&content[start..at], &content[at + 1..])
                }
                '。' | '！' | '？' => true,
                _ => false,
            };
            if ends {
                push_trimmed(
                    &mut out,
                    text,
                    line.start + start..line.start + at + c.len_utf8(),
                );
                start = at + c.len_utf8();
            }
        }
        push_trimmed(&mut out, text, line.start + start..line.end);
    }
    out
}

/// Byte ranges of the lines of `text` without their ends.
pub fn lines(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut start = 0;
    text.split('\n').map(move |line| {
        let range = start..start + line.len();
        start = range.end + 1;
        range
    })
}

/// True where a question mark stands behind a figure and the sentence goes on ("the last 20? rows of it").
fn guesses_a_figure(before: &str, behind: &str) -> bool {
    before.ends_with(|c: char| c.is_ascii_digit())
        && behind.trim_start().starts_with(char::is_lowercase)
}

/// True for dots in the middle of a sentence ("the newest.. 20 rows of it").
fn trails_off(before: &str, behind: &str) -> bool {
    let next = behind.trim_start();
    before.ends_with('.') && next.starts_with(|c: char| c.is_lowercase() || c.is_ascii_digit())
}

fn is_abbreviation(before: &str) -> bool {
    let last = before
        .rsplit(|c: char| c.is_whitespace() || c == '(')
        .next()
        .unwrap_or_default();
    matches!(
        last,
        "e.g" | "i.e" | "etc" | "vs" | "cf" | "approx" | "resp"
    ) || (last.len() <= 2 && !last.is_empty() && last.bytes().all(|b| b.is_ascii_digit()))
}

fn push_trimmed(out: &mut Vec<Range<usize>>, text: &str, range: Range<usize>) {
    let range = trim(text, range);
    if text[range.clone()].chars().any(char::is_alphanumeric) {
        out.push(range);
    }
}

/// `range` without list markers, quote marks and white space in front and white space behind.
pub fn trim(text: &str, range: Range<usize>) -> Range<usize> {
    let mut inner = &text[range.clone()];
    let end = range.start + inner.trim_end().len();
    loop {
        let trimmed = inner.trim_start();
        let rest = [
            "- [ ] ", "- [x] ", "- [X] ", "- ", "* ", "+ ", "> ", "# ", "## ", "### ", "• ",
        ]
        .iter()
        .find_map(|marker| trimmed.strip_prefix(marker))
        .or_else(|| strip_number(trimmed));
        match rest {
            Some(rest) => inner = rest,
            None => {
                let start = range.end - trimmed.len();
                return if start > end { end..end } else { start..end };
            }
        }
    }
}

/// `1. text` and `2) text` without their number.
fn strip_number(text: &str) -> Option<&str> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = text.get(digits..)?;
    (digits > 0 && digits <= 3)
        .then(|| rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") ")))
        .flatten()
}

/// The byte ranges of `text` outside fenced code blocks, whole lines each.
pub fn prose(text: &str) -> Vec<Range<usize>> {
    let fences = [b"```", b"~~~"];
    if !fences
        .iter()
        .any(|fence| memmem::find(text.as_bytes(), *fence).is_some())
    {
        return std::iter::once(0..text.len()).collect();
    }
    let mut out: Vec<Range<usize>> = Vec::new();
    let mut fenced = false;
    for line in lines(text) {
        let content = text[line.clone()].trim_start();
        if content.starts_with("```") || content.starts_with("~~~") {
            fenced = !fenced;
            continue;
        }
        if fenced {
            continue;
        }
        match out.last_mut() {
            Some(last) if last.end + 1 == line.start => last.end = line.end,
            _ => out.push(line),
        }
    }
    out
}

/// The end of `text` moved back to a character boundary at or below `at`.
pub fn floor_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// At most `max` bytes of `text` on one line, white space collapsed, cut between words with an
/// ellipsis.
pub fn one_line(text: &str, max: usize) -> String {
    let text = escapes::bare(text).text;
    let mut line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.len() <= max {
        return line;
    }
    let mut end = floor_boundary(&line, max.saturating_sub('…'.len_utf8()));
    if let Some(space) = line[..end].rfind(' ')
        && space > end / 2
    {
        end = space;
    }
    line.truncate(end);
    line.push('…');
    line
}

/// A sentence without the marks of Markdown round its words: bold and headings. What stands in backticks
/// stays as it is.
pub(crate) fn without_markup(sentence: &str) -> String {
    let start = sentence.trim_start_matches(['#', ' ']);
    // `#5 is slow` is no heading.
    let is_heading = sentence.starts_with('#') && sentence.trim_start_matches('#').starts_with(' ');
    let rest = if is_heading { start } else { sentence };
    let mut out = String::with_capacity(rest.len());
    for (at, piece) in rest.split('`').enumerate() {
        if at > 0 {
            out.push('`');
        }
        if at % 2 == 0 {
            out.push_str(&piece.replace("**", ""));
        } else {
            out.push_str(piece);
        }
    }
    out.trim().to_owned()
}

/// The form under which two sentences are the same.
pub(crate) fn sentence_key(sentence: &str) -> String {
    normalize(sentence)
        .trim_end_matches(['.', '!', '?', ':', ';', ','])
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<&str> {
        sentences(text)
            .into_iter()
            .map(|range| &text[range])
            .collect()
    }

    #[test]
    fn no_stop_word_is_longer_than_the_longest() {
        let longest = STOP_WORDS.iter().map(|word| word.len()).max();
        assert_eq!(longest, Some(LONGEST_STOP_WORD));
    }

    #[test]
    fn marks_of_markdown_are_taken_off_outside_of_code() {
        for (sentence, plain) in [
            (
                "**Lower bound**: the first row",
                "Lower bound: the first row",
            ),
            ("Tests for rows** (`a.rs`)", "Tests for rows (`a.rs`)"),
            ("### Sort the rows", "Sort the rows"),
            ("#5 is **slow**", "#5 is slow"),
            ("takes `**kwargs` as **rows**", "takes `**kwargs` as rows"),
        ] {
            assert_eq!(without_markup(sentence), plain);
        }
    }

    #[test]
    fn stop_words_are_sorted_for_the_search() {
        assert!(STOP_WORDS.is_sorted());
        assert!(STOP_WORDS.iter().all(|word| is_stop_word(word)));
        for other in ["", "zebra", "abou", "{", "\u{e4}", "9", "yours"] {
            assert!(!is_stop_word(other), "for {other:?}");
        }
    }

    #[test]
    fn content_words_are_each_there_once() {
        let text = (0..60)
            .map(|nth| format!("row{} ", nth % 40))
            .collect::<String>();
        let expected: Vec<String> = (0..40).map(|nth| format!("row{nth}")).collect();
        assert_eq!(content_words(&text), expected);
    }

    #[test]
    fn words_are_the_same_from_either_end() {
        for text in [
            "let x_1 = Read.file(\"a/b\");",
            "\u{65e5}\u{672c}go\u{672c}x \u{e4}b\u{e4} _ \u{2014}c",
            "",
            "one",
        ] {
            let forward: Vec<_> = raw_words(text).collect();
            let mut backward: Vec<_> = raw_words(text).rev().collect();
            backward.reverse();
            assert_eq!(forward, backward, "for {text:?}");
        }
        let words: Vec<&str> = raw_words("x_1 \u{65e5}\u{672c}go \u{e4}b-c")
            .map(|at| &"x_1 \u{65e5}\u{672c}go \u{e4}b-c"[at])
            .collect();
        assert_eq!(words, ["x_1", "\u{65e5}", "\u{672c}", "go", "\u{e4}b", "c"]);
    }

    #[test]
    fn a_command_in_backticks_is_not_cut() {
        let whole = "Run `go test ./... -v` and mend it.";
        assert_eq!(split(whole), [whole]);
        // One that is never closed is no code.
        assert_eq!(split("Mind the ` here. Then go on.").len(), 2);
    }

    #[test]
    fn sentences_keep_file_names_and_versions_whole() {
        assert_eq!(
            split("Edit src/main.rs to 1.2.3. Then run it! Why?\n- [ ] e.g. this one\n2. second"),
            [
                "Edit src/main.rs to 1.2.3.",
                "Then run it!",
                "Why?",
                "e.g. this one",
                "second"
            ]
        );
    }

    #[test]
    fn normalized_ranges_lead_back() {
        let text = "Use  `İX` \"now\"";
        let normalized = Normalized::new(text);
        let at = normalized.text.find("x now").unwrap();
        let range = normalized.original(at..at + 5, text);
        assert_eq!(&text[range], "X` \"now");
    }

    #[test]
    fn content_words_meet_across_endings() {
        assert_eq!(
            content_words("Fixing the tests"),
            content_words("fixed a test")
        );
        assert_eq!(
            content_words("the alias of a process"),
            content_words("aliases processed")
        );
        assert_ne!(content_words("process"), content_words("proceed"));
    }

    #[test]
    fn prose_leaves_out_fences() {
        let text = "a\n```\nb\n```\nc\nd";
        let parts: Vec<_> = prose(text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(parts, ["a", "c\nd"]);
    }
}
