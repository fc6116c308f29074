//! Identifiers in a text: paths, symbols and numbers, found in one pass.
//!
//! The text is cut into chunks at white space and punctuation that no identifier contains; each
//! chunk is then one identifier or none, so that nothing is counted twice. The rules:
//!
//! - path: a URL; contains `/` and has a known extension, a known first directory, a root, two
//!   slashes or backticks round it; or is a bare file name with a known extension. A `:line` or
//!   `#L` suffix is not part of it.
//! - symbol: snake_case, camelCase, PascalCase with two humps, a qualified name (`a::b`), a name
//!   followed by `(`, a `--flag`, a commit hash (7 to 40 hexadecimal digits with a letter and a
//!   digit), the name of a linter's rule (`SA5011`), or any single word of three letters in backticks.
//! - number: digits with a unit, a version `x.y.z`, a port after `:` or the word "port", an
//!   amount of money, an issue `#n`.

use crate::known_names::{
    ATTACHED_ONLY, COUNTED, DIRECTORIES, EXTENSIONS, FILE_NAMES, PRODUCTS, UNITS,
};
use crate::words::{self, is_word_char};
use palimpsest_core::ledger::FactKind;
use std::ops::Range;

/// An identifier in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identifier {
    /// `Path`, `Symbol` or `Number`.
    pub kind: FactKind,
    /// Byte range in the text, without trimmed punctuation and line suffix.
    pub range: Range<usize>,
    /// The form under which two spellings are the same thing.
    pub key: String,
}

/// All identifiers of `text` in order, not overlapping.
pub fn scan(text: &str) -> Vec<Identifier> {
    let mut out = Vec::new();
    let chunks = chunks(text);
    for (index, chunk) in chunks.iter().enumerate() {
        let previous = index.checked_sub(1).map(|at| &chunks[at]);
        let next = chunks.get(index + 1);
        if let Some(found) = identify(text, chunk, previous, next) {
            out.push(found);
        } else {
            names_in(text, chunk, &mut out);
        }
    }
    out
}

fn is_delimiter(c: char) -> bool {
    c.is_whitespace()
        || matches!(
            c,
            '"' | '\''
                | '`'
                | '<'
                | '>'
                | '('
                | ')'
                | '{'
                | '}'
                | '['
                | ']'
                | ','
                | ';'
                | '|'
                | '\\'
                | '!'
                | '?'
                | '='
                | '*'
                | '&'
                | '^'
                | '…'
                | '“'
                | '”'
                | '‘'
                | '’'
        )
        || (!c.is_ascii() && !c.is_alphanumeric() && c != 'µ')
}

/// Chunks between delimiters. An asterisk belongs to a chunk when it stands in a glob, a comma
/// when it groups thousands.
fn chunks(text: &str) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices() {
        let glob = c == '*' && start.is_some() && text[..at].ends_with(['/', '*']);
        let grouping = c == ',' && start.is_some() && groups_thousands(text.as_bytes(), at);
        if is_delimiter(c) && !glob && !grouping {
            if let Some(from) = start.take() {
                push_chunk(&mut out, text, from..at);
            }
        } else if start.is_none() {
            start = Some(at);
        }
    }
    if let Some(from) = start {
        push_chunk(&mut out, text, from..text.len());
    }
    out
}

fn groups_thousands(text: &[u8], comma: usize) -> bool {
    let digit = |at: usize| text.get(at).is_some_and(u8::is_ascii_digit);
    comma > 0 && digit(comma - 1) && (1..=3).all(|n| digit(comma + n)) && !digit(comma + 4)
}

fn push_chunk(out: &mut Vec<Range<usize>>, text: &str, range: Range<usize>) {
    let chunk = &text[range.clone()];
    let end = range.start
        + chunk
            .trim_end_matches(['.', ':', '-', '_', '~', '+', '@', '#'])
            .len();
    let keep_front = |c: char| !matches!(c, ':' | '+' | '_');
    let front = chunk.find(keep_front).unwrap_or(chunk.len());
    // A leading `__name__` stays whole, and so does `_readRows`; `_why_` is emphasis.
    let private =
        chunk.starts_with('_') && !chunk.ends_with('_') && has_code_shape(&chunk[front..]);
    let front = if private || chunk.starts_with("__") {
        0
    } else {
        front
    };
    let start = range.start + front;
    if start < end {
        out.push(start..end);
    } else if chunk.chars().all(|c| matches!(c, '.' | '/')) && chunk.contains('/') {
        out.push(range);
    }
}

fn identify(
    text: &str,
    chunk: &Range<usize>,
    previous: Option<&Range<usize>>,
    next: Option<&Range<usize>>,
) -> Option<Identifier> {
    let word = &text[chunk.clone()];
    if word.len() < 2 || word.len() > 400 {
        return None;
    }
    let before = text[..chunk.start].chars().next_back();
    let after = text[chunk.end..].chars().next();
    let quoted = before == Some('`') && after == Some('`');
    let called = after == Some('(') && word.len() >= 3;
    // Most of a text: nothing else names something in small letters.
    if !quoted && !called && is_bare_word(word) {
        return None;
    }
    let has_slash = word.contains('/');
    if has_slash && word.contains("://") {
        let range = chunk.start..chunk.end;
        let key = word.trim_end_matches('/').to_owned();
        return Some(Identifier {
            kind: FactKind::Path,
            range,
            key,
        });
    }
    if let Some((range, key)) = path(text, chunk, quoted, before, after) {
        return Some(Identifier {
            kind: FactKind::Path,
            range,
            key,
        });
    }
    if let Some((range, key)) = number(text, chunk, previous, next) {
        return Some(Identifier {
            kind: FactKind::Number,
            range,
            key,
        });
    }
    if has_slash {
        return None;
    }
    let name = word.trim_start_matches('@');
    if !is_symbol(name, quoted, called) {
        return None;
    }
    let range = chunk.end - name.len()..chunk.end;
    Some(Identifier {
        kind: FactKind::Symbol,
        range,
        key: name.to_owned(),
    })
}

/// True for small letters, the first of which may be a capital, where they are no file by themselves.
fn is_bare_word(word: &str) -> bool {
    let mut bytes = word.bytes();
    let first = bytes.next().is_some_and(|b| b.is_ascii_alphabetic());
    first && bytes.all(|b| b.is_ascii_lowercase()) && !FILE_NAMES.contains(&word)
}

/// Symbols inside a chunk that is none itself, such as `a/fooBar` or `key:someValue`.
fn names_in(text: &str, chunk: &Range<usize>, out: &mut Vec<Identifier>) {
    let word = &text[chunk.clone()];
    if word.len() > 400 || !word.contains([':', '/', '.', '-', '@', '#', '$', '%', '+', '~']) {
        return;
    }
    let mut start = chunk.start;
    for piece in word.split(|c: char| !is_word_char(c)) {
        let range = start..start + piece.len();
        start = range.end + text[range.end..].chars().next().map_or(0, char::len_utf8);
        if is_symbol(piece, false, false) {
            out.push(Identifier {
                kind: FactKind::Symbol,
                key: piece.to_owned(),
                range,
            });
        }
    }
}

/// The names that a text of code defines: behind `fn`, `func`, `def`, `class`, `struct`,
/// `interface`, `type`, `enum`, `trait` or `function`. Common short names are left out.
pub fn defined(code: &str) -> Vec<&str> {
    const KEYWORDS: [&str; 10] = [
        "fn",
        "func",
        "def",
        "class",
        "struct",
        "interface",
        "type",
        "enum",
        "trait",
        "function",
    ];
    let mut out: Vec<&str> = Vec::new();
    for line in code.lines() {
        let mut words = line.split_whitespace();
        while let Some(word) = words.next() {
            if !KEYWORDS.contains(&word) {
                if !matches!(
                    word,
                    "pub"
                        | "export"
                        | "async"
                        | "default"
                        | "static"
                        | "public"
                        | "private"
                        | "abstract"
                        | "pub(crate)"
                        | "const"
                        | "final"
                ) {
                    break;
                }
                continue;
            }
            let mut name = words.next().unwrap_or_default();
            // `func (r *Reader) Read(` names the method behind its receiver.
            if word == "func" && name.starts_with('(') {
                let rest = line.split_once(')').map_or("", |(_, rest)| rest);
                name = rest.trim_start();
            }
            let end = name.find(|c: char| !is_word_char(c)).unwrap_or(name.len());
            let name = &name[..end];
            if name.len() >= 5 && has_code_shape(name) && !out.contains(&name) {
                out.push(name);
            }
            break;
        }
    }
    out.truncate(40);
    out
}

/// The names of rules of linters and compilers in a text: one to four capitals and three to five
/// digits (`SA5011`, `G306`, `TS2345`, `E0308`).
pub fn rule_codes(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    words::raw_words(text).filter(|range| is_rule_code(&text[range.clone()]))
}

/// True for the name of a rule; statuses and tickets (`HTTP404`, `PR112`) are none.
pub fn is_rule_code(word: &str) -> bool {
    let letters = word.bytes().take_while(u8::is_ascii_uppercase).count();
    let digits = word.len() - letters;
    (1..=4).contains(&letters)
        && (3..=5).contains(&digits)
        && word.bytes().skip(letters).all(|b| b.is_ascii_digit())
        && !matches!(
            &word[..letters],
            "HTTP" | "PR" | "RFC" | "ISO" | "WP" | "SHA" | "UTF" | "CVE" | "GPT"
        )
}

/// The file a path names: without a leading `./` and a trailing `/`.
pub fn path_key(path: &str) -> String {
    let mut path = path.replace('\\', "/");
    while let Some(rest) = path.strip_prefix("./") {
        path = rest.to_owned();
    }
    // `./readers/...` are the packages of Go in a folder.
    let trimmed = path.strip_suffix("/...").unwrap_or(&path);
    let trimmed = trimmed.trim_end_matches('/');
    if trimmed.is_empty() {
        path
    } else {
        trimmed.to_owned()
    }
}

/// The last component of a path.
pub fn basename(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn path(
    text: &str,
    chunk: &Range<usize>,
    quoted: bool,
    before: Option<char>,
    after: Option<char>,
) -> Option<(Range<usize>, String)> {
    let end = chunk.end - line_suffix(&text[chunk.clone()]);
    // `--out=x` was cut at `=`; a lone leading `-` or `@` belongs to the shell or to a mention,
    // `@scope/package` and `#` anchors stay as they are.
    let word = &text[chunk.start..end];
    let mut start = chunk.start + (word.len() - word.trim_start_matches(['-', '#']).len());
    // `@src/a.rs` mentions a file, `@scope/package` is a name.
    if let Some(file) = text[start..end].strip_prefix('@')
        && file.contains('/')
        && (DIRECTORIES.contains(&file.split('/').next().unwrap_or_default())
            || file.starts_with(['/', '.', '~']))
    {
        start += 1;
    }
    let word = &text[start..end];
    if !word.chars().any(char::is_alphanumeric)
        || word.contains("//")
        || word.contains(':')
        || word.starts_with("/dev/")
    {
        return None;
    }
    let file = basename(word.trim_end_matches('/'));
    let extension = file
        .rsplit_once('.')
        .filter(|(stem, _)| !stem.is_empty())
        .map(|(_, ext)| ext);
    let known_extension = extension.is_some_and(|ext| EXTENSIONS.binary_search(&ext).is_ok());
    let known_file = FILE_NAMES.contains(&file);
    let is_path = if word.contains('/') {
        let first = word.split('/').next().unwrap_or_default();
        let slashes = word.trim_end_matches('/').matches('/').count();
        if before == Some('<') {
            // A closing tag.
            false
        } else if first.is_empty() {
            slashes >= 2 || known_extension || DIRECTORIES.contains(&file)
        } else if word
            .split('/')
            .all(|part| part.bytes().all(|b| b.is_ascii_digit()))
        {
            // A date or a fraction.
            false
        } else {
            known_extension
                || known_file
                || quoted
                || (slashes >= 2 && !is_alternatives(word))
                || DIRECTORIES.contains(&first)
                || (word.ends_with('/') && word.len() > 3)
        }
    } else {
        let dotted_call = after == Some('(') || word == "console.log" || word.starts_with("this.");
        // `Node.js`, `Next.js`: a capital and nothing but a runtime's ending.
        let product = extension == Some("js")
            && file.starts_with(|c: char| c.is_ascii_uppercase())
            && file.len() <= 8;
        (known_extension && !dotted_call && !product && !version_like(word)) || known_file
    };
    is_path.then(|| (start..end, path_key(word)))
}

/// `read/write/edit`: words between slashes of which none looks like a directory or a file.
fn is_alternatives(word: &str) -> bool {
    word.split('/')
        .all(|part| part.bytes().all(|b| b.is_ascii_alphabetic()) && !DIRECTORIES.contains(&part))
}

/// Length of a `:12`, `:12:5`, `:12-20` or `#L12` suffix.
fn line_suffix(word: &str) -> usize {
    if let Some((_, anchor)) = word.rsplit_once("#L")
        && anchor
            .chars()
            .all(|c| c.is_ascii_digit() || matches!(c, '-' | 'L'))
    {
        return anchor.len() + 2;
    }
    let stripped = word.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, ':' | '-'));
    match word[stripped.len()..].find(':') {
        Some(0) => word.len() - stripped.len(),
        _ => 0,
    }
}

fn version_like(word: &str) -> bool {
    word.trim_start_matches('v')
        .bytes()
        .all(|b| b.is_ascii_digit() || b == b'.')
}

fn number(
    text: &str,
    chunk: &Range<usize>,
    previous: Option<&Range<usize>>,
    next: Option<&Range<usize>>,
) -> Option<(Range<usize>, String)> {
    let word = &text[chunk.clone()];
    if let Some(issue) = word.strip_prefix('#') {
        let digits =
            !issue.is_empty() && issue.len() <= 7 && issue.bytes().all(|b| b.is_ascii_digit());
        return digits.then(|| (chunk.clone(), word.to_owned()));
    }
    // host:port
    if let Some((host, port)) = word.rsplit_once(':')
        && (2..=5).contains(&port.len())
        && port.bytes().all(|b| b.is_ascii_digit())
        && (host == "localhost" || (host.contains('.') && version_like(host)))
    {
        return Some((chunk.end - port.len()..chunk.end, format!("port {port}")));
    }
    if is_version(word) {
        return Some((chunk.clone(), word.trim_start_matches('v').to_owned()));
    }
    let money = word.starts_with(['$', '€', '£']);
    let body = word.trim_start_matches(['$', '€', '£', '~', '-']);
    let digits = body
        .bytes()
        .take_while(|b| b.is_ascii_digit() || b".,_".contains(b))
        .count();
    let written = body[..digits].trim_end_matches(['.', ',', '_']);
    if !written.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let figure = written.replace([',', '_'], "");
    let unit = &body[written.len()..];
    let (start, end) = (chunk.end - body.len(), chunk.end);
    if !unit.is_empty() {
        let canonical = UNITS
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(unit))?
            .1;
        return Some((start..end, format!("{figure} {canonical}")));
    }
    if money {
        return Some((chunk.start..end, format!("${figure}")));
    }
    let said_before = previous.map(|range| text[range.clone()].to_ascii_lowercase());
    if figure.len() >= 2
        && said_before
            .as_deref()
            .is_some_and(|word| matches!(word, "port" | "ports" | "port:"))
    {
        return Some((start..end, format!("port {figure}")));
    }
    // The unit may be the next word, if nothing but a space stands between.
    let following = next?;
    if text[end..following.start]
        .chars()
        .any(|c| c != ' ' && c != '-')
    {
        return None;
    }
    let unit = text[following.clone()].to_ascii_lowercase();
    let canonical = if COUNTED.contains(&unit.as_str()) && figure.len() >= 2 {
        unit.as_str()
    } else {
        let (name, canonical) = UNITS.iter().find(|(name, _)| *name == unit)?;
        if ATTACHED_ONLY.contains(name) {
            return None;
        }
        canonical
    };
    Some((start..following.end, format!("{figure} {canonical}")))
}

fn is_version(word: &str) -> bool {
    let body = word.strip_prefix('v').unwrap_or(word);
    if !body.starts_with(|c: char| c.is_ascii_digit()) {
        return false;
    }
    let (core, _) = body.split_once(['-', '+']).unwrap_or((body, ""));
    let parts: Vec<&str> = core.split('.').collect();
    (parts.len() == 3 || (parts.len() == 2 && body.len() < word.len()))
        && parts.iter().all(|part| {
            !part.is_empty() && part.len() <= 6 && part.bytes().all(|b| b.is_ascii_digit())
        })
}

fn is_symbol(name: &str, quoted: bool, called: bool) -> bool {
    let letters = name.bytes().filter(u8::is_ascii_alphabetic).count();
    if letters < 2 || name.len() > 120 || PRODUCTS.contains(&name) {
        return false;
    }
    if let Some(flag) = name.strip_prefix("--") {
        return flag.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    }
    if is_hash(name) || is_rule_code(name) {
        return true;
    }
    if name.contains("::") {
        return name
            .split("::")
            .all(|part| part.is_empty() || is_plain_name(part));
    }
    if name.contains('.') || name.contains('#') {
        let mut parts = name.split(['.', '#']);
        // `e.g`, `2.x` and sentence joints are not members; a member is named like code.
        return letters >= 4
            && parts.clone().all(is_plain_name)
            && (quoted || called || parts.any(has_code_shape));
    }
    if quoted && letters >= 3 {
        return name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'$'));
    }
    is_plain_name(name) && (has_code_shape(name) || (called && letters >= 3))
}

fn is_plain_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$'))
}

/// snake_case, camelCase, or PascalCase with two humps.
fn has_code_shape(name: &str) -> bool {
    if !is_plain_name(name) || name.len() < 3 || PRODUCTS.contains(&name) {
        return false;
    }
    let inner = name.trim_matches('_');
    if inner.contains('_') || (name.starts_with("__") && inner.len() >= 3) {
        return inner.bytes().any(|b| b.is_ascii_alphabetic());
    }
    let bytes = inner.as_bytes();
    let hump = |at: usize| bytes[at].is_ascii_uppercase() && bytes[at - 1].is_ascii_lowercase();
    let humps = (1..bytes.len()).any(hump);
    // "APIs" and "IDs" have no lower-to-upper step; "HTTPServer" has an upper run before a hump.
    let acronym_hump = (2..bytes.len().saturating_sub(1)).any(|at| {
        bytes[at].is_ascii_uppercase()
            && bytes[at - 1].is_ascii_uppercase()
            && bytes[at + 1].is_ascii_lowercase()
            && bytes.len() - at > 2
    });
    humps || acronym_hump
}

/// True for a name that is written like an English word: `retry`, `Agent`, `main`.
pub fn is_plain_word(name: &str) -> bool {
    name.bytes().all(|b| b.is_ascii_alphabetic()) && !has_code_shape(name)
}

/// True when `range` of `text` is marked as a name: in backticks, or called.
pub fn is_marked(text: &str, range: &Range<usize>) -> bool {
    let behind = &text[range.end..];
    behind.starts_with('(') || (behind.starts_with('`') && text[..range.start].ends_with('`'))
}

/// True for the hash of a commit.
pub fn is_hash(name: &str) -> bool {
    (7..=40).contains(&name.len())
        && name.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
        && name.bytes().any(|b| b.is_ascii_digit())
        && name.bytes().filter(u8::is_ascii_alphabetic).count() >= 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, kind: FactKind) -> Vec<String> {
        scan(text)
            .into_iter()
            .filter(|found| found.kind == kind)
            .map(|found| found.key)
            .collect()
    }

    #[test]
    fn paths_are_told_from_prose() {
        let text = "Look at `src/a.rs:12:5`, ./lib/b.ts and main.py. Either/or, I/O, read/write/edit and 3/4 \
                    are not. @src/c.rs is, @scope/name. /etc/hosts is; </div> is not; console.log(x) and Node.js are not. \
                    See https://example.com/a?b and crates/core, `client/server`, src/**/*.rs.";
        assert_eq!(
            found(text, FactKind::Path),
            [
                "src/a.rs",
                "lib/b.ts",
                "main.py",
                "src/c.rs",
                "/etc/hosts",
                "https://example.com/a",
                "crates/core",
                "client/server",
                "src/**/*.rs"
            ]
        );
    }

    #[test]
    fn symbols_look_like_code() {
        let text = "The parse_header function calls fooBar, HttpClient and Session::leaf; GitHub \
                    and JavaScript are names. `retry` counts, run(x) and --no-verify too. \
                    Commit 3f2a9bc. MAX_SIZE, APIs, HTTPServer.";
        assert_eq!(
            found(text, FactKind::Symbol),
            [
                "parse_header",
                "fooBar",
                "HttpClient",
                "Session::leaf",
                "retry",
                "run",
                "--no-verify",
                "3f2a9bc",
                "MAX_SIZE",
                "HTTPServer"
            ]
        );
    }

    #[test]
    fn numbers_need_a_meaning() {
        let text = "Wait 250ms or 30 seconds, port 8080, localhost:5432, v1.2.3, $47,500, 95%, \
                    #123, at 18:00, 2 files, 40 files, the year 2024 and 16,384 tokens.";
        assert_eq!(
            found(text, FactKind::Number),
            [
                "250 ms",
                "30 s",
                "port 8080",
                "port 5432",
                "1.2.3",
                "$47500",
                "95 %",
                "#123",
                "40 files",
                "16384 tokens"
            ]
        );
    }

    #[test]
    fn ranges_cut_the_identifier_out() {
        let text = "see (src/a.rs:7), ok";
        assert_eq!(&text[scan(text)[0].range.clone()], "src/a.rs");
    }
}
