//! The words of code that have a kind.

use super::languages::Language;
use crate::wire::CodeKind;
use std::ops::Range;

/// A word, comment or string.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// Where it stands, in bytes.
    pub range: Range<usize>,
    /// What it is.
    pub kind: CodeKind,
}

/// The tokens of `code` in order; what has no kind is left out.
pub fn tokens(code: &str, language: &Language) -> Vec<Token> {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(c) = code[at..].chars().next() {
        let rest = &code[at..];
        let (len, kind) = next(rest, c, before(code, at), language);
        if let Some(kind) = kind {
            out.push(Token {
                range: at..at + len,
                kind,
            });
        }
        at += len;
    }
    out
}

fn before(code: &str, at: usize) -> Option<char> {
    code[..at].chars().next_back()
}

/// Length in bytes of what `rest` begins with, and what it is.
fn next(
    rest: &str,
    c: char,
    before: Option<char>,
    language: &Language,
) -> (usize, Option<CodeKind>) {
    // `#` and `--` inside a word (a colour, a flag) begin no comment.
    let apart = before.is_none_or(|c| c.is_whitespace() || "({[;,".contains(c));
    let comments = language.block_comments.iter();
    if let Some((open, close)) = comments.clone().find(|(open, _)| rest.starts_with(open)) {
        let end = rest[open.len()..].find(close);
        let len = end.map_or(rest.len(), |end| open.len() + end + close.len());
        return (len, Some(CodeKind::Comment));
    }
    let mut begins = language.line_comments.iter();
    if let Some(begin) = begins.find(|begin| rest.starts_with(**begin))
        && (apart || *begin == "//" && before != Some(':'))
    {
        return (line_len(rest), Some(CodeKind::Comment));
    }
    if let Some(quote) = language.long_strings.iter().find(|q| rest.starts_with(**q)) {
        return (string_len(rest, quote, true), Some(CodeKind::String));
    }
    if language.quotes.contains(&c) && before.is_none_or(|c| c != '\\') {
        let mut quote = [0; 4];
        let quote = c.encode_utf8(&mut quote);
        // An apostrophe inside a word.
        if c == '\'' && before.is_some_and(char::is_alphanumeric) {
            return (1, None);
        }
        return (string_len(rest, quote, false), Some(CodeKind::String));
    }
    if c.is_ascii_digit() {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
        let len = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        return (len, Some(CodeKind::Number));
    }
    if is_word(c) || c == '@' {
        let len = rest[c.len_utf8()..]
            .find(|c| !is_word(c))
            .map_or(rest.len(), |len| c.len_utf8() + len);
        let (word, behind) = rest.split_at(len);
        return (len, word_kind(word, behind, language));
    }
    (c.len_utf8(), None)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn word_kind(word: &str, behind: &str, language: &Language) -> Option<CodeKind> {
    let lower = word.to_ascii_lowercase();
    let key = if language.any_case { &lower } else { word };
    if language.keywords.contains(&key) {
        Some(CodeKind::Keyword)
    } else if behind.starts_with('(') {
        Some(CodeKind::Function)
    } else if language.capital_types && word.starts_with(char::is_uppercase) {
        Some(CodeKind::Type)
    } else {
        None
    }
}

fn line_len(rest: &str) -> usize {
    rest.find('\n').unwrap_or(rest.len())
}

/// Length of a string with its quotes; one that is not closed ends with its line, unless it may be
/// long.
fn string_len(rest: &str, quote: &str, long: bool) -> usize {
    let mut at = quote.len();
    while let Some(c) = rest[at..].chars().next() {
        if rest[at..].starts_with(quote) {
            return at + quote.len();
        }
        if c == '\n' && !long {
            return at;
        }
        at += c.len_utf8();
        if c == '\\' {
            at += rest[at..]
                .chars()
                .next()
                .filter(|&c| c != '\n')
                .map_or(0, char::len_utf8);
        }
    }
    rest.len()
}
