//! Names and paths replaced by others, the same by the same.

use std::collections::HashMap;

/// Folders whose names say nothing of a user or a project.
const COMMON: [&str; 24] = [
    "home", "Users", "users", "root", "tmp", "var", "usr", "etc", "opt", "mnt", "src", "lib",
    "bin", "test", "tests", "docs", "target", "build", "dist", "work", "code", "projects",
    "crates", "packages",
];

/// Endings that make a word a file. Others are taken for words with a dot (`e.g`, `foo.bar()`).
const ENDINGS: [&str; 46] = [
    "rs", "ts", "tsx", "js", "jsx", "mjs", "cjs", "py", "go", "c", "h", "cc", "cpp", "hpp", "java",
    "kt", "rb", "php", "cs", "swift", "sh", "bash", "zsh", "sql", "md", "txt", "json", "jsonl",
    "toml", "yaml", "yml", "xml", "html", "css", "svelte", "vue", "lock", "log", "csv", "env",
    "ini", "cfg", "conf", "patch", "diff", "proto",
];

/// Masks the texts of one export. A name that was masked once is masked everywhere, so texts that
/// hold paths are read first ([`Mask::learn`]).
#[derive(Debug, Default)]
pub(crate) struct Mask {
    names: HashMap<String, String>,
    counts: HashMap<&'static str, usize>,
}

impl Mask {
    /// A mask that knows the names in paths of the session: the user's, and the project's.
    pub(crate) fn knowing<'a>(paths: impl IntoIterator<Item = &'a str>) -> Mask {
        let mut mask = Mask::default();
        for path in paths {
            for part in path.split(['/', '\\']) {
                mask.learn(part);
            }
        }
        mask
    }

    /// Has a name masked wherever it stands alone. Names of two letters are words too often.
    pub(crate) fn learn(&mut self, name: &str) {
        let name = name.trim();
        if name.chars().count() > 2 && !COMMON.contains(&name) && !name.starts_with('.') {
            self.of("name", name);
        }
    }

    fn of(&mut self, what: &'static str, name: &str) -> String {
        // `Anna` in a text is the `anna` of a folder.
        let key = name.to_lowercase();
        if let Some(known) = self.names.get(&key) {
            return known.clone();
        }
        let count = self.counts.entry(what).or_default();
        *count += 1;
        let new = format!("{what}-{count}");
        self.names.insert(key, new.clone());
        new
    }

    /// The text with its paths, addresses and known names masked.
    pub(crate) fn text(&mut self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        for line in text.split_inclusive('\n') {
            self.author(line);
            self.line(&mut out, line);
        }
        out
    }

    /// Learns the name before an address in angle brackets, as git writes authors.
    fn author(&mut self, line: &str) {
        let Some((before, _)) = line.split_once('<').filter(|(_, rest)| rest.contains('@')) else {
            return;
        };
        let name = before.rsplit(':').next().unwrap_or_default().trim();
        let plain = |c: char| c.is_alphabetic() || " .-'".contains(c);
        if name.chars().all(plain) && name.split(' ').count() <= 4 {
            for part in name.split(' ') {
                self.learn(part);
            }
        }
    }

    fn line(&mut self, out: &mut String, line: &str) {
        let mut rest = line;
        while let Some(first) = rest.chars().next() {
            let length = rest
                .find(|c: char| !is_word(c))
                .unwrap_or(rest.len())
                .max(if is_word(first) { 1 } else { 0 });
            if length == 0 {
                out.push(first);
                rest = &rest[first.len_utf8()..];
                continue;
            }
            let word = &rest[..length];
            // The full stop of a sentence is not part of the word.
            let bare = word.trim_end_matches(['.', ':', '-']);
            out.push_str(&self.word(bare));
            out.push_str(&word[bare.len()..]);
            rest = &rest[length..];
        }
    }

    fn word(&mut self, word: &str) -> String {
        if let Some((scheme, address)) = word.split_once("://") {
            return format!("{scheme}://{}", self.of("address", address));
        }
        if word.contains('@')
            && word
                .split('@')
                .next_back()
                .is_some_and(|own| own.contains('.'))
        {
            return self.of("mail", word);
        }
        let slashes = word.contains(['/', '\\']);
        if !slashes && !is_file(word) {
            return self.plain(word);
        }
        // Only figures and signs: a date, a ratio.
        if !word.chars().any(char::is_alphabetic) {
            return word.to_owned();
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
        let signs = name.is_empty() || COMMON.contains(&name);
        if signs || !name.chars().any(char::is_alphabetic) || matches!(name, "~" | "C:") {
            return name.to_owned();
        }
        // `file.rs:12:3`
        let (file, place) = match name.split_once(':') {
            Some((file, place)) if !file.is_empty() => (file, Some(place)),
            _ => (name, None),
        };
        let masked = match file.rsplit_once('.') {
            Some((stem, ending)) if is_last && !stem.is_empty() => {
                format!("{}.{ending}", self.of("file", stem))
            }
            _ => self.of("folder", file),
        };
        match place {
            Some(place) if place.bytes().all(|b| b.is_ascii_digit() || b == b':') => {
                format!("{masked}:{place}")
            }
            Some(place) => format!("{masked}:{}", self.of("name", place)),
            None => masked,
        }
    }

    fn plain(&self, word: &str) -> String {
        let known = |part: &str| self.names.get(&part.to_lowercase()).cloned();
        if let Some(known) = known(word) {
            return known;
        }
        // `ana's`, `courier-queue`, `courier_queue`: a known name with more around it.
        let mut out = String::new();
        for part in word.split_inclusive(['-', '_', '.', ':']) {
            let bare = part.trim_end_matches(['-', '_', '.', ':']);
            match known(bare) {
                Some(new) => out.push_str(&new),
                None => out.push_str(bare),
            }
            out.push_str(&part[bare.len()..]);
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

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.' | '/' | '\\' | '~' | '@' | ':' | '+' | '-')
}

fn is_file(word: &str) -> bool {
    let name = word.split(':').next().unwrap_or_default();
    match name.rsplit_once('.') {
        Some((stem, ending)) => stem.chars().any(char::is_alphabetic) && ENDINGS.contains(&ending),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_name_is_masked_the_same_way_and_words_stay() {
        let mut mask = Mask::knowing(["/home/anna/code/courier"]);
        let text = "Anna, anna edits /home/anna/code/courier/src/queue.rs:12 and src/queue.rs; \
                    see courier-queue, e.g. 3/4 of it. Ask ana@corp.example.";
        let masked = mask.text(text);
        for gone in ["/anna", " anna", "courier", "queue.rs", "corp"] {
            assert!(!masked.contains(gone), "{gone} is still in: {masked}");
        }
        assert!(
            masked.contains("src/file-1.rs:12 and src/file-1.rs;"),
            "{masked}"
        );
        assert!(masked.contains("e.g. 3/4 of it. Ask mail-1."), "{masked}");
    }

    #[test]
    fn authors_of_commits_are_masked() {
        let mut mask = Mask::default();
        let log = "Author: Vera Holm <vera@holm.example>\nVera wrote it.";
        assert_eq!(
            mask.text(log),
            "Author: name-1 name-2 <mail-1>\nname-1 wrote it."
        );
    }

    #[test]
    fn ranges_of_masked_json_are_emptied() {
        let mut value = serde_json::json!({
            "text": "a/secret.rs", "evidence": [{"start": 1, "end": 3}], "start": 4, "keep": 7
        });
        Mask::default().value(&mut value);
        assert_eq!(
            value,
            serde_json::json!({"text": "folder-1/file-1.rs", "evidence": [], "start": 0, "keep": 7})
        );
    }
}
