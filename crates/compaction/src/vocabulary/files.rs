//! Which files a span of conversation read and changed.

use palimpsest_core::entry::FileAccess;
use serde::Serialize;
use std::collections::HashSet;

/// Files by what was done to them, as the agent counts it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileOps {
    read: HashSet<String>,
    modified: HashSet<String>,
}

/// The two lists of a summary: only read, and changed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, serde::Deserialize)]
pub struct FileLists {
    /// Files read and not changed, sorted by UTF-16 units.
    pub read: Vec<String>,
    /// Files edited or written, sorted likewise.
    pub modified: Vec<String>,
}

impl FileOps {
    /// Notes one access.
    pub fn add(&mut self, path: &str, access: FileAccess) {
        let set = match access {
            FileAccess::Read => &mut self.read,
            FileAccess::Edit | FileAccess::Write => &mut self.modified,
        };
        // A file is named hundreds of times in a long session.
        if !set.contains(path) {
            set.insert(path.to_owned());
        }
    }

    /// True when nothing was noted.
    pub fn is_empty(&self) -> bool {
        self.read.is_empty() && self.modified.is_empty()
    }

    /// Takes over the lists that an earlier summary stored.
    pub fn seed(&mut self, read: &[Box<str>], modified: &[Box<str>]) {
        read.iter()
            .for_each(|path| self.add(path, FileAccess::Read));
        modified
            .iter()
            .for_each(|path| self.add(path, FileAccess::Edit));
    }

    /// Notes a tool call by its name and arguments (compact JSON), by pi's rule: the tools
    /// `read`, `write` and `edit` with a `path` that is text and not empty.
    pub fn add_call(&mut self, name: &str, arguments: &str) {
        let access = match name {
            "read" => FileAccess::Read,
            "write" => FileAccess::Write,
            "edit" => FileAccess::Edit,
            _ => return,
        };
        let arguments: serde_json::Value = serde_json::from_str(arguments).unwrap_or_default();
        if let Some(path) = arguments["path"].as_str().filter(|path| !path.is_empty()) {
            self.add(path, access);
        }
    }

    /// The lists: what was changed is not listed as read.
    pub fn lists(&self) -> FileLists {
        let mut read: Vec<String> = self.read.difference(&self.modified).cloned().collect();
        let mut modified: Vec<String> = self.modified.iter().cloned().collect();
        read.sort_unstable_by(|a, b| by_utf16(a, b));
        modified.sort_unstable_by(|a, b| by_utf16(a, b));
        FileLists { read, modified }
    }
}

impl FileLists {
    /// The tagged blocks that pi appends to a summary; empty when there are no files.
    pub fn blocks(&self) -> String {
        let mut text = String::new();
        for (tag, files) in [
            ("read-files", &self.read),
            ("modified-files", &self.modified),
        ] {
            if !files.is_empty() {
                text.push_str(&format!("\n\n<{tag}>\n{}\n</{tag}>", files.join("\n")));
            }
        }
        text
    }
}

/// The order of UTF-16 units, in which JavaScript sorts; it differs from that of code points beyond
/// U+FFFF.
pub(crate) fn by_utf16(a: &str, b: &str) -> std::cmp::Ordering {
    if a.is_ascii() && b.is_ascii() {
        a.cmp(b)
    } else {
        a.encode_utf16().cmp(b.encode_utf16())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_files_are_not_listed_as_read() {
        let mut ops = FileOps::default();
        ops.add_call("read", r#"{"path":"b"}"#);
        ops.add_call("read", r#"{"path":"a"}"#);
        ops.add_call("edit", r#"{"path":"b"}"#);
        ops.add_call("read", r#"{"file":"c"}"#);
        ops.add_call("read", r#"{"path":""}"#);
        ops.add_call("bash", r#"{"path":"d"}"#);
        let lists = ops.lists();
        assert_eq!(lists.read, ["a"]);
        assert_eq!(
            lists.blocks(),
            "\n\n<read-files>\na\n</read-files>\n\n<modified-files>\nb\n</modified-files>"
        );
        assert_eq!(FileLists::default().blocks(), "");
    }

    #[test]
    fn order_is_that_of_utf16() {
        let mut ops = FileOps::default();
        ops.seed(&["\u{ff5e}".into(), "\u{1d11e}".into()], &[]);
        assert_eq!(ops.lists().read, ["\u{1d11e}", "\u{ff5e}"]);
    }
}
