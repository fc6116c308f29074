//! Names and paths replaced by others, the same by the same.

mod paths;
mod people;
mod plain;

use paths::ESCAPES;
use people::people;
use plain::is_plain;
use std::collections::{HashMap, HashSet};

/// Folders that hold the folders of users.
const HOMES: [&str; 3] = ["home", "Users", "users"];

/// Masks the texts of one export. A part of a path is masked in paths; a name that says who somebody
/// is or what the project is called is masked everywhere, so all texts are read first
/// ([`Mask::read`]).
#[derive(Debug, Default)]
pub(crate) struct Mask {
    /// The mask of every name that has one, by the name in lower case.
    names: HashMap<String, String>,
    /// Addresses of the web and of mail.
    addresses: HashMap<String, String>,
    /// Names that are masked outside of paths too, in lower case.
    everywhere: HashSet<String>,
    /// Names of accounts, in lower case; plain words among them are masked where they are mentioned.
    accounts: HashSet<String>,
    /// The most pieces that a name masked everywhere has.
    most_pieces: usize,
    counts: HashMap<&'static str, usize>,
}

impl Mask {
    /// A mask that knows the names in paths of the session: the user's, and the project's.
    pub(crate) fn knowing<'a>(paths: impl IntoIterator<Item = &'a str>) -> Mask {
        let mut mask = Mask::default();
        for path in paths {
            mask.homes(path);
            for part in path.split(['/', '\\']) {
                mask.learn(part);
            }
        }
        mask
    }

    /// Has a name masked wherever it stands alone, unless it is a plain word.
    fn learn(&mut self, name: &str) {
        let name = name.trim();
        if name.starts_with('.') || is_plain(name) || paths::is_everybodys(name) {
            return;
        }
        self.everywhere(name);
    }

    fn everywhere(&mut self, name: &str) {
        self.of("name", name);
        self.everywhere.insert(name.to_lowercase());
        self.most_pieces = self.most_pieces.max(cuts(name).len() - 1);
    }

    /// Learns the user whose home folder a path names, from its root on. Their names may be short.
    fn homes(&mut self, path: &str) {
        for home in HOMES {
            for (at, _) in path.match_indices(home) {
                let rest = &path[at + home.len()..];
                if is_home(&path[..at], home) && rest.starts_with(['/', '\\']) {
                    let mut parts = rest.split(['/', '\\']);
                    if let Some(user) = parts.find(|part| !part.is_empty()) {
                        self.user(user);
                    }
                }
            }
        }
    }

    /// Learns the name of a person, which may be short.
    fn user(&mut self, name: &str) {
        for name in name.split(' ') {
            let letters = name.chars().filter(|c| c.is_alphabetic()).count();
            if letters >= 3 && !plain::is_common(name) && name_like(name) {
                self.everywhere(name);
            }
        }
    }

    /// Learns the names of people in a text.
    pub(crate) fn read(&mut self, text: &str) {
        for line in text.split_inclusive('\n') {
            for person in people(line).into_iter().filter(|person| person.certain) {
                let name = &line[person.range];
                self.accounts.insert(name.to_lowercase());
                self.learn(name);
                self.user(name);
            }
            for home in HOMES {
                for (at, _) in line.match_indices(home) {
                    let rest = &line[at..];
                    let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
                    let goes_on = rest[home.len()..].starts_with(['/', '\\']);
                    if is_home(&line[..at], home) && goes_on {
                        let is_windows = rest[home.len()..].starts_with('\\');
                        let own = Separators::of(&rest[..end]).end(&rest[..end], is_windows);
                        let parts = rest[..own].split(['/', '\\']).skip(1);
                        if let Some(user) = parts.into_iter().find(|part| !part.is_empty()) {
                            self.user(user);
                        }
                    }
                }
            }
        }
    }

    /// Learns the names of people in the texts of a JSON value.
    pub(crate) fn read_value(&mut self, value: &serde_json::Value) {
        use serde_json::Value;
        match value {
            Value::String(text) => self.read(text),
            Value::Array(items) => items.iter().for_each(|item| self.read_value(item)),
            Value::Object(fields) => fields.values().for_each(|own| self.read_value(own)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn of(&mut self, what: &'static str, name: &str) -> String {
        // `Anna` in a text is the `anna` of a folder.
        mask_of(&mut self.names, &mut self.counts, what, name)
    }

    fn address(&mut self, what: &'static str, address: &str) -> String {
        mask_of(&mut self.addresses, &mut self.counts, what, address)
    }

    /// The text with its paths, addresses and known names masked.
    pub(crate) fn text(&mut self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        for line in text.split_inclusive('\n') {
            let mut at = 0;
            for person in people(line) {
                let name = &line[person.range.clone()];
                let known = self.accounts.contains(&name.to_lowercase());
                if person.certain || known {
                    self.words(&mut out, &line[..person.range.start], at);
                    out.push_str(&self.of("name", name));
                    at = person.range.end;
                }
            }
            self.words(&mut out, line, at);
        }
        out
    }

    /// Masks the words of a line from a place on.
    fn words(&mut self, out: &mut String, line: &str, from: usize) {
        let mut at = from;
        while let Some(first) = line[at..].chars().next() {
            let rest = &line[at..];
            let length = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
            if length == 0 {
                out.push(first);
                at += first.len_utf8();
                continue;
            }
            let length = match rest[..length].find("://").map(|at| at + "://".len()) {
                Some(host) => rest[host..]
                    .find(|c| !is_address(c))
                    .map_or(rest.len(), |end| host + end),
                None => length,
            };
            let tagged = line[..at].ends_with('<');
            self.escaped(out, &rest[..length], tagged);
            at += length;
        }
    }

    /// Masks a word between its escapes: `\tname` is a tab and a name.
    fn escaped(&mut self, out: &mut String, word: &str, tagged: bool) {
        let mut rest = word;
        while !rest.is_empty() {
            let separators = Separators::of(rest);
            let end = separators.end(rest, paths::is_windows(rest));
            let (own, after) = rest.split_at(end);
            // The full stop of a sentence is not part of the word, nor is the sign of a diff or a scope.
            let bare = own.trim_end_matches(['.', ':', '-', '?', '&', '=', '#']);
            let start = bare.len() - bare.trim_start_matches(['+', '-', '@']).len();
            out.push_str(&bare[..start]);
            out.push_str(&self.word(&bare[start..], tagged));
            out.push_str(&own[bare.len()..]);
            let escape = escape(after);
            out.push_str(&after[..escape]);
            rest = &after[escape..];
        }
    }

    fn word(&mut self, word: &str, tagged: bool) -> String {
        if let Some((scheme, address)) = word.split_once("://") {
            if !address.chars().any(char::is_alphanumeric) {
                return word.to_owned();
            }
            return format!("{scheme}://{}", self.address("address", address));
        }
        if is_mail(word) {
            return self.address("mail", word);
        }
        // `holm/queue@1.2.0`
        if let Some((name, version)) = word.rsplit_once('@')
            && version.starts_with(|c: char| c.is_ascii_digit())
            // One version: a word of thousands of signs would be taken apart as often.
            && !name.get(1..).is_some_and(|rest| rest.contains('@'))
        {
            return format!("{}@{version}", self.word(name, tagged));
        }
        // `path:src/queue.rs`, but not `C:/code` and not `queue.rs:12`.
        if let Some(slash) = word.find(['/', '\\'])
            && let Some(colon) = word[..slash].rfind(':').filter(|at| *at > 1)
        {
            let (before, path) = word.split_at(colon + 1);
            return self.plain(before) + &self.word(path, tagged);
        }
        if !paths::is_path(word, tagged) {
            return self.plain(word);
        }
        let mut out = String::new();
        let mut parts = word.split_inclusive(['/', '\\']).peekable();
        while let Some(part) = parts.next() {
            let name = part.trim_end_matches(['/', '\\']);
            let is_last = parts.peek().is_none();
            out.push_str(&self.part(name, is_last && name.len() == part.len()));
            out.push_str(&part[name.len()..]);
        }
        out
    }

    /// A part of a path; the last one is a file where it has an ending.
    fn part(&mut self, name: &str, is_last: bool) -> String {
        // `file.rs:12:3`
        let (file, place) = match name.split_once(':') {
            Some((file, place)) if !file.is_empty() => (file, Some(place)),
            _ => (name, None),
        };
        let masked = match file.rsplit_once('.') {
            _ if paths::is_everybodys(file) => file.to_owned(),
            Some((stem, ending)) if is_last && !stem.is_empty() => {
                if paths::is_everybodys(stem) {
                    file.to_owned()
                } else {
                    format!("{}.{ending}", self.of("file", stem))
                }
            }
            _ => self.of("folder", file),
        };
        match place {
            Some(place) if place.bytes().all(|b| b.is_ascii_digit() || b == b':') => {
                format!("{masked}:{place}")
            }
            Some(place) => format!("{masked}:{}", self.plain(place)),
            None => masked,
        }
    }

    /// A word outside of a path: `ana's`, `courier-queue`, `CourierQueue` are a known name with more
    /// around it.
    fn plain(&self, word: &str) -> String {
        if self.everywhere.is_empty() {
            return word.to_owned();
        }
        let cuts = cuts(word);
        let mut out = String::new();
        let mut at = 0;
        'pieces: while at + 1 < cuts.len() {
            for to in (at + 1..cuts.len().min(at + 1 + self.most_pieces)).rev() {
                let piece = &word[cuts[at]..cuts[to]];
                let key = piece.to_lowercase();
                if self.everywhere.contains(&key)
                    && let Some(masked) = self.names.get(&key)
                {
                    out.push_str(masked);
                    at = to;
                    continue 'pieces;
                }
            }
            out.push_str(&word[cuts[at]..cuts[at + 1]]);
            at += 1;
        }
        out
    }

    /// Every text of a JSON value, keys apart. Ranges in texts no longer fit and are emptied.
    pub(crate) fn value(&mut self, value: &mut serde_json::Value) {
        use serde_json::Value;
        match value {
            Value::String(text) => *text = self.text(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.value(item)),
            Value::Object(fields) => {
                for (key, own) in fields.iter_mut() {
                    match (key.as_str(), &mut *own) {
                        ("evidence" | "ranges" | "marks", Value::Array(ranges)) => ranges.clear(),
                        ("start" | "end", Value::Number(_)) => *own = 0.into(),
                        _ => self.value(own),
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

fn mask_of(
    masks: &mut HashMap<String, String>,
    counts: &mut HashMap<&'static str, usize>,
    what: &'static str,
    name: &str,
) -> String {
    let key = name.to_lowercase();
    if let Some(known) = masks.get(&key) {
        return known.clone();
    }
    let count = counts.entry(what).or_default();
    *count += 1;
    let new = format!("{what}-{count}");
    masks.insert(key, new.clone());
    new
}

/// Where the pieces of a word begin and end: at signs and figures, and where a capital follows a small letter.
fn cuts(word: &str) -> Vec<usize> {
    let mut cuts = vec![0];
    let mut before: Option<char> = None;
    for (at, c) in word.char_indices() {
        // `anna2`, but not `f08anna`, which is rather a hash.
        let is_cut = |own: char| {
            own.is_alphanumeric() != c.is_alphanumeric()
                || own.is_alphabetic() && c.is_numeric()
                || own.is_lowercase() && c.is_uppercase()
        };
        if before.is_some_and(is_cut) {
            cuts.push(at);
        }
        before = Some(c);
    }
    cuts.push(word.len());
    cuts
}

/// Most bytes of a path: Linux takes no longer one.
const MOST_PATH: usize = 4096;

/// Whether `home` behind `before` is the folder of all users, and not a part of a project (`src/users`, `POST /users`).
fn is_home(before: &str, home: &str) -> bool {
    let root = before.trim_end_matches(['/', '\\']);
    if root.len() == before.len() {
        return false;
    }
    let drive = root.ends_with(':') && !root.ends_with("file:");
    if home == "users" || drive {
        return drive;
    }
    let is_escape = || {
        let letter = root.trim_end_matches(|c| ESCAPES.contains(c));
        letter.len() + 1 == root.len() && letter.ends_with('\\')
    };
    let stands_alone = !root
        .ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '~' | ']' | '}'));
    let mounted = root
        .char_indices()
        .next_back()
        .is_some_and(|(at, _)| root[..at].ends_with("/mnt/"));
    stands_alone || is_escape() || root.ends_with("/var") || mounted
}

/// What backslashes of a word part its parts.
struct Separators {
    /// Two of them stand together somewhere.
    doubled: bool,
    /// None makes an escape.
    only: bool,
}

impl Separators {
    fn of(word: &str) -> Separators {
        // No path is as long. The arguments of a call in JSON are one word of a megabyte with thousands of escapes.
        if word.len() > MOST_PATH {
            return Separators {
                doubled: true,
                only: false,
            };
        }
        Separators {
            doubled: word.contains("\\\\"),
            only: has_only_separators(word),
        }
    }

    /// Where `rest` of the word ends at an escape. In a path of Windows a backslash is a separator; with two of them
    /// between its parts, a single one is an escape.
    fn end(&self, rest: &str, is_windows: bool) -> usize {
        let mut at = 0;
        while let Some(own) = rest[at..].find('\\') {
            let start = at + own;
            let after = rest[start..].trim_start_matches('\\');
            let count = rest.len() - start - after.len();
            let is_separator = if is_windows {
                !self.doubled || count > 1
            } else {
                // PHP writes a slash so in JSON; `src\queue` has no escape.
                after.starts_with('/') || !after.starts_with(|c| ESCAPES.contains(c)) && self.only
            };
            if !is_separator {
                return start;
            }
            at = start + count;
        }
        rest.len()
    }
}

/// Whether no backslash of a word makes an escape and the last part is a file.
fn has_only_separators(word: &str) -> bool {
    let escapes = |part: &str| part.is_empty() || part.starts_with(|c| ESCAPES.contains(c));
    let mut parts = word.split('\\');
    let first = parts.next().unwrap_or_default();
    let last = word.rsplit('\\').next().unwrap_or_default();
    let named = |part: &str| {
        part.chars()
            .all(|c| c.is_alphanumeric() || "_-.".contains(c))
    };
    !first.is_empty()
        && !parts.clone().any(escapes)
        && std::iter::once(first).chain(parts).all(named)
        && paths::is_path(last, false)
}

/// How many bytes of an escape are at the beginning.
fn escape(text: &str) -> usize {
    let after = text.trim_start_matches('\\');
    let count = text.len() - after.len();
    match after.chars().next() {
        Some('u') if count > 0 && after.get(1..5).is_some_and(is_hex) => count + 5,
        Some('x') if count > 0 && after.get(1..3).is_some_and(is_hex) => count + 3,
        Some(c) if count > 0 && ESCAPES.contains(c) && !matches!(c, 'u' | 'x') => count + 1,
        _ => count,
    }
}

fn is_hex(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_hexdigit())
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.' | '/' | '\\' | '~' | '@' | ':' | '+' | '-')
}

/// What an address of the web goes on with, beside the signs of a word.
fn is_address(c: char) -> bool {
    is_word(c) && c != '\\' || matches!(c, '?' | '&' | '=' | '%' | '#' | '$')
}

/// Whether a word is an address of mail, and not a version (`react@18.2.0`).
fn is_mail(word: &str) -> bool {
    word.rsplit_once('@').is_some_and(|(own, host)| {
        let host = host.split([':', '/']).next().unwrap_or_default();
        let last = host.rsplit('.').next().unwrap_or_default();
        !own.is_empty()
            && host.contains('.')
            && last.len() > 1
            && last.chars().all(char::is_alphabetic)
    })
}

/// Whether the name of a folder can be that of a user.
fn name_like(name: &str) -> bool {
    name.chars()
        .all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ' '))
}

#[cfg(test)]
mod tests;
