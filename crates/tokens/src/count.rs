//! Counting tokens, exactly and by the agents' rule of thumb.

use std::fmt;
use tiktoken_rs::CoreBPE;

/// A byte-pair encoding of OpenAI's tiktoken.
///
/// Other makers do not publish theirs; for their models a count is a good approximation, not the
/// number the provider will bill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Encoding {
    /// GPT-4o and everything since.
    #[default]
    O200k,
    /// GPT-4 and GPT-3.5.
    Cl100k,
}

impl Encoding {
    /// The name tiktoken gives it.
    pub fn name(self) -> &'static str {
        match self {
            Encoding::O200k => "o200k_base",
            Encoding::Cl100k => "cl100k_base",
        }
    }

    /// The encoding called `name`, with or without `_base`.
    pub fn from_name(name: &str) -> Option<Encoding> {
        let short = name.strip_suffix("_base").unwrap_or(name);
        [Encoding::O200k, Encoding::Cl100k]
            .into_iter()
            .find(|encoding| encoding.name().strip_suffix("_base") == Some(short))
    }

    fn tokenizer(self) -> &'static CoreBPE {
        match self {
            Encoding::O200k => tiktoken_rs::o200k_base_singleton(),
            Encoding::Cl100k => tiktoken_rs::cl100k_base_singleton(),
        }
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A line longer than this many bytes is cut, because the time to encode one word grows with the
/// square of its length. Ordinary lines of source and logs are far shorter.
const LONG_LINE_BYTES: usize = 4_096;

/// Number of tokens of `text`; words that look like control tokens count as ordinary text.
///
/// The tables are built at the first call (a quarter of a second). Text is encoded line by line,
/// which is twice as fast and equal to encoding it whole, because the cuts lie only where both
/// encodings begin a new word anyway. The one exception is a line of more than 4 KiB without a
/// space: each such cut can add at most two tokens, so the count is at most
/// `2 * text.len() / 4096` too high.
pub fn count_tokens(text: &str, encoding: Encoding) -> u64 {
    let tokenizer = encoding.tokenizer();
    let mut rest = text;
    let mut count = 0;
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(piece_end(rest));
        count += tokenizer.count_ordinary(piece) as u64;
        rest = after;
    }
    count
}

/// Where the first piece of `text` ends; `text` is not empty.
fn piece_end(text: &str) -> usize {
    let mut searched = 0;
    // Line ends inside a word of the encoding are skipped; a piece may then hold several lines.
    while let Some(found) = memchr_newline(&text.as_bytes()[searched..]) {
        let end = searched + found + 1;
        if end > LONG_LINE_BYTES {
            break;
        }
        if begins_word(&text[end..]) {
            return end;
        }
        searched = end;
    }
    if text.len() <= LONG_LINE_BYTES {
        text.len()
    } else {
        cut_long_line(text)
    }
}

fn memchr_newline(bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|&byte| byte == b'\n')
}

/// True when a new word begins after a line end: both encodings join a line end with white space
/// up to the next line end, and o200k joins it with slashes.
fn begins_word(after: &str) -> bool {
    let unindented = after.trim_start_matches([' ', '\t']);
    let is_indented = unindented.len() < after.len();
    match unindented.chars().next() {
        None => false,
        Some('/') => is_indented,
        Some(next) => !next.is_whitespace(),
    }
}

/// A cut within the first [`LONG_LINE_BYTES`]: before a lone space if there is one, since a space
/// always begins a word, else wherever a character ends.
fn cut_long_line(text: &str) -> usize {
    let mut limit = LONG_LINE_BYTES;
    while !text.is_char_boundary(limit) {
        limit -= 1;
    }
    let mut from_end = text[..limit].rmatch_indices(' ').map(|(at, _)| at);
    let lone_space = from_end.find(|&at| {
        let before = text[..at].chars().next_back();
        let after = text[at + 1..].chars().next();
        before.is_some_and(|c| !c.is_whitespace()) && after.is_some_and(|c| !c.is_whitespace())
    });
    lone_space.unwrap_or(limit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn whole(text: &str, encoding: Encoding) -> u64 {
        encoding.tokenizer().count_ordinary(text) as u64
    }

    #[test]
    fn counts_known_texts() {
        assert_eq!(count_tokens("", Encoding::O200k), 0);
        assert_eq!(count_tokens("hello world", Encoding::O200k), 2);
        assert_eq!(count_tokens("hello world", Encoding::Cl100k), 2);
        assert!(count_tokens("<|endoftext|>", Encoding::O200k) > 1);
    }

    #[test]
    fn line_ends_join_what_follows_as_in_the_whole_text() {
        for text in [
            "}\n\n\n}",
            "}\n// x",
            "}\n  // x",
            "a \n \n b",
            "a\n\u{a0}\nb",
            "x\r\n\r\ny",
            "\n",
            "a\n   ",
            "x;\n/\n/y",
        ] {
            for encoding in [Encoding::O200k, Encoding::Cl100k] {
                assert_eq!(
                    count_tokens(text, encoding),
                    whole(text, encoding),
                    "{text:?} {encoding}"
                );
            }
        }
    }

    #[test]
    fn a_long_line_with_spaces_is_counted_exactly() {
        let text = "The relay keeps the lease for 30 seconds, then drops it; ".repeat(500);
        assert_eq!(
            count_tokens(&text, Encoding::O200k),
            whole(&text, Encoding::O200k)
        );
    }

    #[test]
    fn a_long_line_without_spaces_stays_within_the_stated_bound() {
        let text = "é0aZ/+".repeat(8_000);
        let (ours, exact) = (
            count_tokens(&text, Encoding::O200k),
            whole(&text, Encoding::O200k),
        );
        assert!(
            ours.abs_diff(exact) <= 2 * text.len() as u64 / 4_096,
            "{ours} against {exact}"
        );
    }

    #[test]
    fn encodings_have_names() {
        assert_eq!(Encoding::from_name("cl100k"), Some(Encoding::Cl100k));
        assert_eq!(Encoding::from_name("o200k_base"), Some(Encoding::O200k));
        assert_eq!(Encoding::from_name("p50k_base"), None);
    }

    proptest! {
        #[test]
        fn line_by_line_equals_whole(text in r"([a-zA-Z0-9'/.;{}()é漢 \t\r\n\u{a0}\u{85}]|\n|  |//|\n\n){0,60}") {
            for encoding in [Encoding::O200k, Encoding::Cl100k] {
                prop_assert_eq!(count_tokens(&text, encoding), whole(&text, encoding));
            }
        }

        #[test]
        fn any_text_can_be_counted(text in any::<String>()) {
            prop_assert_eq!(count_tokens(&text, Encoding::O200k), whole(&text, Encoding::O200k));
        }
    }
}
