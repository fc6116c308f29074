//! Rust source as the few tokens that say which names a file uses.

/// One token of Rust source. Comments, numbers, characters and lifetimes are left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Token {
    /// A name or a keyword; `r#type` is `type`.
    Ident(String),
    /// The text of a string, as it is written.
    Str(String),
    /// `::`
    PathSep,
    /// Any other character.
    Punct(char),
}

impl Token {
    /// The name, for a token that is one.
    pub fn ident(&self) -> Option<&str> {
        match self {
            Token::Ident(name) => Some(name),
            _ => None,
        }
    }

    /// Whether this is the character `sign`.
    pub fn is(&self, sign: char) -> bool {
        *self == Token::Punct(sign)
    }

    /// Whether this is the name or keyword `word`.
    pub fn is_word(&self, word: &str) -> bool {
        self.ident() == Some(word)
    }
}

/// The tokens of one file.
pub fn tokens(source: &str) -> Vec<Token> {
    let text: Vec<char> = source.chars().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let here = text[at];
        let next = text.get(at + 1).copied();
        match here {
            '/' if next == Some('/') => at = end_of_line(&text, at),
            '/' if next == Some('*') => at = end_of_comment(&text, at),
            '"' => at = take_string(&text, at, &mut found),
            '\'' => at = end_of_quote(&text, at),
            ':' if next == Some(':') => {
                found.push(Token::PathSep);
                at += 2;
            }
            _ if here == '_' || here.is_alphabetic() => at = take_word(&text, at, &mut found),
            _ if here.is_ascii_digit() => at = end_of_word(&text, at),
            _ if here.is_whitespace() => at += 1,
            _ => {
                found.push(Token::Punct(here));
                at += 1;
            }
        }
    }
    found
}

fn end_of_line(text: &[char], at: usize) -> usize {
    let rest = text[at..].iter().position(|&c| c == '\n');
    rest.map_or(text.len(), |length| at + length)
}

/// Where a block comment ends; they nest.
fn end_of_comment(text: &[char], mut at: usize) -> usize {
    let mut depth = 0;
    while at < text.len() {
        match (text[at], text.get(at + 1)) {
            ('/', Some('*')) => {
                depth += 1;
                at += 2;
            }
            ('*', Some('/')) => {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    return at;
                }
            }
            _ => at += 1,
        }
    }
    at
}

/// Where a character or a lifetime ends: `'a'`, `'\n'`, `'static`.
fn end_of_quote(text: &[char], at: usize) -> usize {
    if text.get(at + 1) == Some(&'\\') {
        let rest = text[at + 3..].iter().position(|&c| c == '\'');
        return rest.map_or(text.len(), |length| at + 3 + length + 1);
    }
    if text.get(at + 2) == Some(&'\'') {
        return at + 3;
    }
    end_of_word(text, at + 1)
}

fn end_of_word(text: &[char], at: usize) -> usize {
    let is_part = |c: &char| *c == '_' || c.is_alphanumeric();
    let rest = text[at..].iter().position(|c| !is_part(c));
    rest.map_or(text.len(), |length| at + length)
}

/// Takes a name, or the string or raw name it is the prefix of.
fn take_word(text: &[char], at: usize, found: &mut Vec<Token>) -> usize {
    let end = end_of_word(text, at);
    let word: String = text[at..end].iter().collect();
    let is_prefix = matches!(word.as_str(), "r" | "b" | "br" | "c" | "cr");
    match text.get(end) {
        Some('"') if word.contains('r') && is_prefix => take_raw_string(text, end, 0, found),
        Some('"') if is_prefix => take_string(text, end, found),
        Some('\'') if word == "b" => end_of_quote(text, end),
        Some('#') if is_prefix && word.contains('r') => {
            let hashes = text[end..].iter().take_while(|&&c| c == '#').count();
            if text.get(end + hashes) == Some(&'"') {
                return take_raw_string(text, end + hashes, hashes, found);
            }
            let last = end_of_word(text, end + 1);
            found.push(Token::Ident(text[end + 1..last].iter().collect()));
            last
        }
        _ => {
            found.push(Token::Ident(word));
            end
        }
    }
}

/// Takes a string whose opening quote is at `at`.
fn take_string(text: &[char], at: usize, found: &mut Vec<Token>) -> usize {
    let mut end = at + 1;
    while end < text.len() && text[end] != '"' {
        end += if text[end] == '\\' { 2 } else { 1 };
    }
    let end = end.min(text.len());
    found.push(Token::Str(text[at + 1..end].iter().collect()));
    end + 1
}

/// Takes a raw string whose opening quote is at `at`, after `hashes` signs `#`.
fn take_raw_string(text: &[char], at: usize, hashes: usize, found: &mut Vec<Token>) -> usize {
    let mut end = at + 1;
    while end < text.len() {
        let closed = text[end] == '"'
            && text[end + 1..].len() >= hashes
            && text[end + 1..end + 1 + hashes].iter().all(|&c| c == '#');
        if closed {
            break;
        }
        end += 1;
    }
    found.push(Token::Str(text[at + 1..end].iter().collect()));
    end + 1 + hashes
}

#[test]
fn what_is_not_code_gives_no_names() {
    let source = r##"
        // use crate::one;
        /* crate::two /* nested */ crate::three */
        let a = "crate::four \" crate::five"; let b = r#"crate::"six""#; let c = b"seven";
        let d: &'static str = f('"', '\'', '\u{1F600}', b'x', 12_u8, r#type);
    "##;
    let names: Vec<String> = tokens(source)
        .iter()
        .filter_map(|token| token.ident().map(str::to_owned))
        .collect();
    assert_eq!(
        names,
        [
            "let", "a", "let", "b", "let", "c", "let", "d", "str", "f", "type"
        ]
    );
}
