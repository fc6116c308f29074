//! The pieces of a query: words, phrases and filters, as they are written.

/// The filters there are.
pub(super) const NAMES: [&str; 26] = [
    "tool",
    "cmd",
    "file",
    "kind",
    "note",
    "label",
    "flag",
    "has",
    "is",
    "agent",
    "session",
    "project",
    "title",
    "path",
    "model",
    "branch",
    "worktree",
    "compactions",
    "errors",
    "rejected",
    "tokens",
    "cost",
    "entries",
    "after",
    "since",
    "before",
];

/// Those whose value may begin with a slash.
const PATH_NAMES: [&str; 4] = ["project", "path", "file", "cmd"];

/// A piece of the query text.
pub(super) struct Piece<'a> {
    pub(super) negated: bool,
    /// The name before a colon.
    pub(super) name: Option<&'a str>,
    pub(super) value: &'a str,
    pub(super) quoted: bool,
    /// As written.
    pub(super) written: &'a str,
}

/// Splits the next piece off; `text` begins with no space.
pub(super) fn next_piece<'a>(text: &'a str, ignored: &mut Vec<String>) -> (Piece<'a>, &'a str) {
    let negated = text.starts_with('-');
    let body = if negated { &text[1..] } else { text };
    // Letters only, so that `src/a.rs:12` is a word and not a filter.
    let name_end = body
        .find(|c: char| !c.is_ascii_alphabetic())
        .unwrap_or(body.len());
    // `std::fs`, `https://...` and `C:\...` are words, and so is `error:` before a space.
    let value_start = body[name_end..].strip_prefix(':');
    let is_value = |value: &str| {
        let next = value.chars().next();
        !matches!(next, Some(':' | '/' | '\\'))
            && (next.is_some_and(|c| !c.is_whitespace()) || NAMES.contains(&&body[..name_end]))
    };
    let has_name = name_end > 0
        && (value_start.is_some_and(is_value)
            || value_start.is_some() && PATH_NAMES.contains(&&body[..name_end]));
    let (name, value) = if has_name {
        (Some(&body[..name_end]), &body[name_end + 1..])
    } else {
        (None, body)
    };
    let (value, rest, quoted) = match value.strip_prefix('"') {
        Some(inner) => match inner.split_once('"') {
            Some((value, rest)) => (value, rest, true),
            None => {
                ignored.push(format!("the closing quote is missing after \"{inner}"));
                (inner, "", true)
            }
        },
        None => {
            // A quote begins a new piece even without a space before it.
            let end = value
                .find(|c: char| c.is_whitespace() || c == '"')
                .unwrap_or(value.len());
            (&value[..end], &value[end..], false)
        }
    };
    let written = text[..text.len() - rest.len()].trim_end();
    (
        Piece {
            negated,
            name,
            value,
            quoted,
            written,
        },
        rest,
    )
}

/// The pieces of a query as they are written, in order.
pub(in crate::search) fn written(text: &str) -> Vec<&str> {
    let mut rest = text.trim_start();
    let mut pieces = Vec::new();
    while !rest.is_empty() {
        let (piece, after) = next_piece(rest, &mut Vec::new());
        rest = after.trim_start();
        if !piece.written.is_empty() {
            pieces.push(piece.written);
        }
    }
    pieces
}
