//! Code as spans of words of one kind. Colours are the page's; here is only what a word is.
//!
//! The lexer knows comments, strings, numbers and the keywords of a language. It does not parse:
//! half of a file, a hunk of a diff and code with errors are read as well as whole files.

mod languages;
mod lex;

pub use languages::{Language, language_named, language_of};
pub use lex::{Token, tokens};

use super::offsets::Utf16Offsets;
use crate::wire::CodeSpan;

/// Code longer than this is not coloured, in bytes: nobody reads it to the end.
const LONGEST: usize = 200_000;

/// The spans of `code` in the language; none for a language we do not know. Offsets are UTF-16.
pub fn code_spans(code: &str, language: Option<&Language>) -> Vec<CodeSpan> {
    let offsets = Utf16Offsets::new(code);
    coloured(code, language)
        .into_iter()
        .map(|token| CodeSpan {
            start: offsets.at(token.range.start),
            end: offsets.at(token.range.end),
            kind: token.kind,
        })
        .collect()
}

/// The spans of each line of `code`, in UTF-16 units from the beginning of the line. A comment or
/// string of several lines is a span on each.
pub fn line_spans(code: &str, language: Option<&Language>) -> Vec<Vec<CodeSpan>> {
    let tokens = coloured(code, language);
    let mut tokens = tokens.iter().peekable();
    let mut from = 0;
    let mut lines = Vec::new();
    for line in code.split('\n') {
        let to = from + line.len();
        let offsets = Utf16Offsets::new(line);
        let mut spans = Vec::new();
        while let Some(token) = tokens.peek() {
            let (start, end) = (token.range.start.max(from), token.range.end.min(to));
            if start < end {
                spans.push(CodeSpan {
                    start: offsets.at(start - from),
                    end: offsets.at(end - from),
                    kind: token.kind,
                });
            }
            if token.range.end > to {
                break;
            }
            tokens.next();
        }
        lines.push(spans);
        from = to + 1;
    }
    lines
}

fn coloured(code: &str, language: Option<&Language>) -> Vec<Token> {
    match language {
        Some(language) if code.len() <= LONGEST => tokens(code, language),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::CodeKind;

    fn kinds(code: &str, name: &str) -> Vec<(String, CodeKind)> {
        let language = language_named(name).expect("a language we know");
        let of = |token: Token| (code[token.range.clone()].to_owned(), token.kind);
        tokens(code, language).into_iter().map(of).collect()
    }

    #[test]
    fn words_of_a_language_are_told_apart() {
        let found = kinds("fn main() { let a: Vec<u8> = f(1_0); } // é \"x\"", "rust");
        let expected = [
            ("fn", CodeKind::Keyword),
            ("main", CodeKind::Function),
            ("let", CodeKind::Keyword),
            ("Vec", CodeKind::Type),
            ("f", CodeKind::Function),
            ("1_0", CodeKind::Number),
            ("// é \"x\"", CodeKind::Comment),
        ];
        let expected = expected.map(|(text, kind)| (text.to_owned(), kind));
        assert_eq!(found, expected);
    }

    #[test]
    fn a_comment_of_several_lines_is_a_span_on_each() {
        let lines = line_spans("a /* b\nç */ \"d\"", language_of("x.ts"));
        let shown: Vec<Vec<(u64, u64, CodeKind)>> = lines
            .iter()
            .map(|line| line.iter().map(|s| (s.start, s.end, s.kind)).collect())
            .collect();
        assert_eq!(
            shown,
            [
                vec![(2, 6, CodeKind::Comment)],
                vec![(0, 4, CodeKind::Comment), (5, 8, CodeKind::String)]
            ]
        );
    }

    #[test]
    fn a_lifetime_is_no_string_and_an_open_string_ends_with_its_line() {
        assert_eq!(kinds("&'a T", "rust").len(), 1, "only the type");
        let found = kinds("x = 'open\ny = 1", "python");
        assert_eq!(found[0], ("'open".to_owned(), CodeKind::String));
        assert_eq!(found[1], ("1".to_owned(), CodeKind::Number));
    }

    #[test]
    fn languages_are_known_by_file_and_by_name() {
        assert!(language_of("/a/b/Main.TSX").is_some());
        assert!(language_of("Dockerfile").is_some());
        assert!(language_of("notes.unknown").is_none());
        assert!(language_named("javascript").is_some() && language_named("sh").is_some());
    }
}
