//! Texts in JavaScript, also in the middle of a minified bundle.

/// Longest text that is read; prompts have some kilobytes.
const MOST: usize = 64 << 10;
/// Deepest reference that is followed, and deepest text in the code of a text.
const DEEPEST: usize = 4;
/// Characters that are looked at in a piece of source at most: one without ends would take minutes.
const MOST_WORK: usize = 32 << 20;

/// A text with a name: `NAME="..."`, or a template.
#[derive(Debug)]
pub(super) struct Literal<'a> {
    /// The name it is given.
    pub name: &'a str,
    /// Where it begins in the source.
    pub at: usize,
    pieces: Vec<Piece>,
}

#[derive(Debug)]
enum Piece {
    Text(String),
    /// `${NAME}`.
    Name(String),
    /// `${...}` with anything else, which only the agent can evaluate.
    Code,
}

/// The literals of a piece of source, in their order.
pub(super) struct Literals<'a> {
    source: &'a str,
    all: Vec<Literal<'a>>,
}

impl<'a> Literals<'a> {
    /// Reads all texts that are given a name.
    pub(super) fn of(source: &'a str) -> Literals<'a> {
        let mut all = Vec::new();
        let mut work = 0;
        for (at, _) in source.match_indices('=') {
            if work > MOST_WORK {
                break;
            }
            let name = name_before(source[..at].trim_end_matches(' '));
            let rest = &source[at + 1..];
            let start = at + 1 + (rest.len() - rest.trim_start_matches(' ').len());
            let begins = source[start..].starts_with(['`', '"', '\'']);
            if name.is_empty() || !begins {
                continue;
            }
            let Some((pieces, length)) = read(&source[start..], DEEPEST) else {
                work += MOST;
                continue;
            };
            work += length;
            all.push(Literal {
                name,
                at: start,
                pieces,
            });
        }
        Literals { source, all }
    }

    /// The source.
    pub(super) fn source(&self) -> &'a str {
        self.source
    }

    /// Each literal with its text; those with code in them, or with an unknown name, are missing.
    pub(super) fn texts(&self) -> impl Iterator<Item = (&Literal<'a>, String)> {
        self.all
            .iter()
            .filter_map(|own| Some((own, self.text(own, DEEPEST)?)))
    }

    /// The text with this name that is nearest to a place. Minified names are used again.
    pub(super) fn named(&self, name: &str, near: usize) -> Option<String> {
        let own = self.all.iter().filter(|own| own.name == name);
        self.text(own.min_by_key(|own| own.at.abs_diff(near))?, DEEPEST)
    }

    fn text(&self, literal: &Literal<'a>, depth: usize) -> Option<String> {
        let mut text = String::new();
        for piece in &literal.pieces {
            match piece {
                Piece::Text(own) => text.push_str(own),
                Piece::Name(name) => {
                    let of_name = self.all.iter().filter(|own| own.name == *name);
                    let nearest = of_name.min_by_key(|own| own.at.abs_diff(literal.at))?;
                    text.push_str(&self.text(nearest, depth.checked_sub(1)?)?);
                }
                Piece::Code => return None,
            }
        }
        Some(text)
    }

    /// The lists `[a, "b", c].join("...")` of a piece of source, each with its items as texts;
    /// `None` is an item that is no text.
    pub(super) fn joined(
        &self,
        within: std::ops::Range<usize>,
    ) -> Vec<(Vec<Option<String>>, String)> {
        let source = &self.source[within.clone()];
        let mut lists = Vec::new();
        for (at, _) in source.match_indices('[') {
            if let Some(list) = self.list(&source[at + 1..], within.start + at) {
                lists.push(list);
            }
        }
        lists
    }

    fn list(&self, mut rest: &str, at: usize) -> Option<(Vec<Option<String>>, String)> {
        let mut items = Vec::new();
        loop {
            rest = rest.trim_start();
            if let Some((pieces, length)) = read(rest, DEEPEST) {
                let literal = Literal {
                    name: "",
                    at,
                    pieces,
                };
                items.push(self.text(&literal, DEEPEST));
                rest = &rest[length..];
            } else {
                let end = rest.find(|c: char| !is_name(c)).filter(|end| *end > 0)?;
                items.push(self.named(&rest[..end], at));
                rest = &rest[end..];
            }
            rest = rest.trim_start();
            match rest.strip_prefix(',') {
                Some(more) => rest = more,
                None => break,
            }
        }
        let between = rest.strip_prefix("].join(")?.trim_start();
        let (pieces, _) = read(between, DEEPEST)?;
        match pieces.as_slice() {
            [] => Some((items, String::new())),
            [Piece::Text(between)] => Some((items, between.clone())),
            _ => None,
        }
    }
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$'
}

/// The name at the end of `source`.
fn name_before(source: &str) -> &str {
    let from = source.rfind(|c: char| !is_name(c)).map_or(0, |at| {
        at + source[at..].chars().next().map_or(1, char::len_utf8)
    });
    &source[from..]
}

/// The text that `source` begins with, and its length with the quotes; `None` where it begins with
/// no text, or the text does not end or has code of more than `depth` texts in each other.
fn read(source: &str, depth: usize) -> Option<(Vec<Piece>, usize)> {
    let quote = source.chars().next().filter(|c| "`\"'".contains(*c))?;
    let mut pieces = Vec::new();
    let mut text = String::new();
    let mut at = 1;
    loop {
        if at > MOST {
            return None;
        }
        let c = source.get(at..)?.chars().next()?;
        at += c.len_utf8();
        match c {
            _ if c == quote => break,
            '\n' if quote != '`' => return None,
            '\\' => at += escape(&source[at..], &mut text)?,
            '$' if quote == '`' && source[at..].starts_with('{') => {
                let code = &source[at + 1..];
                let end = code_end(code, depth.checked_sub(1)?)?;
                if !text.is_empty() {
                    pieces.push(Piece::Text(std::mem::take(&mut text)));
                }
                let inner = code[..end].trim();
                let is_own = !inner.is_empty() && inner.chars().all(is_name);
                pieces.push(if is_own {
                    Piece::Name(inner.to_owned())
                } else {
                    Piece::Code
                });
                at += 1 + end + 1;
            }
            other => text.push(other),
        }
    }
    if !text.is_empty() {
        pieces.push(Piece::Text(text));
    }
    Some((pieces, at))
}

/// Where code in a template ends: at the brace that closes it.
fn code_end(code: &str, depth: usize) -> Option<usize> {
    let mut open = 0usize;
    let mut at = 0;
    while at < code.len().min(MOST) {
        let c = code[at..].chars().next()?;
        match c {
            '}' if open == 0 => return Some(at),
            '}' => open -= 1,
            '{' => open += 1,
            '`' | '"' | '\'' => {
                at += read(&code[at..], depth)?.1;
                continue;
            }
            _ => {}
        }
        at += c.len_utf8();
    }
    None
}

/// Reads what follows a backslash and returns its length.
fn escape(rest: &str, text: &mut String) -> Option<usize> {
    let c = rest.chars().next()?;
    let length = match c {
        'n' => push(text, '\n'),
        't' => push(text, '\t'),
        'r' => push(text, '\r'),
        '\n' => 1,
        'x' => 1 + hex(rest.get(1..3)?, text)?,
        'u' if rest[1..].starts_with('{') => {
            let end = rest.find('}')?;
            hex(&rest[2..end], text)?;
            end + 1
        }
        'u' => {
            let high = u32::from_str_radix(rest.get(1..5)?, 16).ok()?;
            match char::from_u32(high) {
                Some(c) => push(text, c) + 4,
                // The first half of a character beyond the first 65,536; the second follows.
                None => {
                    let low = rest.get(5..)?.strip_prefix("\\u")?.get(..4)?;
                    let low = u16::from_str_radix(low, 16).ok()?;
                    let pair = [u16::try_from(high).ok()?, low];
                    text.push_str(&String::from_utf16(&pair).ok()?);
                    11
                }
            }
        }
        other => {
            text.push(other);
            other.len_utf8()
        }
    };
    Some(length)
}

fn push(text: &mut String, c: char) -> usize {
    text.push(c);
    1
}

fn hex(digits: &str, text: &mut String) -> Option<usize> {
    text.push(char::from_u32(u32::from_str_radix(digits, 16).ok()?)?);
    Some(digits.len())
}
