//! What kind of thing an exchange is, and how much that matters by itself, 1 to 10, without a
//! model. The kinds and the table are ours, after the scale of Generative Agents from mundane to
//! poignant.

use palimpsest_core::entry::{FileAccess, ToolCallBrief};
use serde::{Deserialize, Serialize};

/// What an observation is, by the table's order from what matters most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The user corrects or forbids.
    Correction,
    /// The user asks.
    Ask,
    /// Tests or a build fail.
    FailedTests,
    /// A file is changed.
    Edit,
    /// A decision is told.
    Decision,
    /// Work is committed.
    Commit,
    /// The summary of a compaction or a branch.
    Summary,
    /// Tests or a build pass.
    PassedTests,
    /// Something else fails, and nothing shows that it ever worked.
    OpenError,
    /// Something else fails that works later: the same tool on the same file, or the same command.
    #[serde(alias = "error")]
    FixedError,
    /// A file is read that is changed later.
    ReadThenEdited,
    /// A command runs.
    Command,
    /// A file is read, or something is searched.
    Read,
    /// Anything else that is said.
    Chatter,
    /// An insight that a model drew from other memories.
    Reflection,
}

/// Every kind with its name and its importance unless the user says otherwise. That of summaries
/// and reflections is ours: as much as a decision, which they tell of; so is that of an error which
/// was never fixed: more than one that was, less than a failed test.
// In the order of `Kind`, which is the index.
const TABLE: [(Kind, &str, u8); 15] = [
    (Kind::Correction, "correction", 10),
    (Kind::Ask, "ask", 9),
    (Kind::FailedTests, "failed_tests", 8),
    (Kind::Edit, "edit", 7),
    (Kind::Decision, "decision", 7),
    (Kind::Commit, "commit", 7),
    (Kind::Summary, "summary", 7),
    (Kind::PassedTests, "passed_tests", 6),
    (Kind::OpenError, "open_error", 6),
    (Kind::FixedError, "fixed_error", 5),
    (Kind::ReadThenEdited, "read_then_edited", 4),
    (Kind::Command, "command", 3),
    (Kind::Read, "read", 2),
    (Kind::Chatter, "chatter", 1),
    (Kind::Reflection, "reflection", 7),
];

impl Kind {
    /// Its name, as tables and prompts have it.
    pub fn name(self) -> &'static str {
        TABLE[self as usize].1
    }
}

/// The importance of each kind; written as a list of `kind=importance`, of which those that are
/// not named have the value of the built-in table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
pub struct ImportanceTable([u8; TABLE.len()]);

impl Default for ImportanceTable {
    fn default() -> Self {
        ImportanceTable(TABLE.map(|(_, _, importance)| importance))
    }
}

impl ImportanceTable {
    /// The importance of a kind, 1 to 10.
    pub fn of(&self, kind: Kind) -> f64 {
        f64::from(self.0[kind as usize])
    }
}

impl TryFrom<Vec<String>> for ImportanceTable {
    type Error = String;

    fn try_from(list: Vec<String>) -> Result<Self, String> {
        let mut table = ImportanceTable::default();
        for line in &list {
            let parts = line.split_once('=');
            let found = parts.and_then(|(name, value)| {
                let at = TABLE.iter().position(|(_, own, _)| *own == name.trim())?;
                Some((at, value.trim().parse::<u8>().ok()?))
            });
            match found {
                Some((at, value @ 1..=10)) => table.0[at] = value,
                _ => {
                    let names = TABLE.map(|(_, name, _)| name).join(", ");
                    return Err(format!(
                        "'{line}' must be a kind, '=' and a number from 1 to 10; kinds are {names}"
                    ));
                }
            }
        }
        Ok(table)
    }
}

impl From<ImportanceTable> for Vec<String> {
    fn from(table: ImportanceTable) -> Self {
        let rows = TABLE.iter().zip(table.0);
        rows.map(|((_, name, _), value)| format!("{name}={value}"))
            .collect()
    }
}

/// What an exchange is judged by.
pub(crate) struct Exchange<'a> {
    /// True when the user wrote it.
    pub is_prompt: bool,
    /// True when it is the summary of a compaction or a branch.
    pub is_summary: bool,
    /// Its text, results included.
    pub text: &'a str,
    /// The tools it calls.
    pub calls: Vec<&'a ToolCallBrief>,
    /// True when one of them failed.
    pub failed: bool,
    /// True when all that failed in it works later.
    pub fixed_later: bool,
    /// True when a file it reads is changed later.
    pub edited_later: bool,
}

/// Words by which a user corrects or forbids.
// Our choice, like the lists below.
const FORBIDS: [&str; 9] = [
    "never", "don't", "do not", "must not", "stop", "wrong", "instead", "no,", "not what",
];
/// Words by which a decision is told.
const DECIDES: [&str; 5] = [
    "decided",
    "decision",
    "i will use",
    "we will use",
    "let's use",
];
/// Words of a run of tests or of a build.
const TESTS: [&str; 7] = [
    "test",
    "cargo build",
    "cargo check",
    "npm run",
    "make ",
    "pytest",
    "compil",
];

impl Exchange<'_> {
    /// What kind it is.
    pub fn kind(&self) -> Kind {
        // Words are English ones, so a session in another language has fewer kinds.
        let text = self.text.to_lowercase();
        let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
        let does = |wanted: fn(FileAccess) -> bool| {
            let accesses = self.calls.iter().filter_map(|call| call.access);
            accesses.into_iter().any(wanted)
        };
        let changes = does(|access| access != FileAccess::Read);
        let reads = does(|access| access == FileAccess::Read);
        let runs = self.calls.iter().any(|call| call.access.is_none());
        // The first that applies. What the user said outweighs what tools did, and a failure what
        // was tried.
        match () {
            // Its text tells of corrections and tests that happened elsewhere.
            () if self.is_summary => Kind::Summary,
            () if self.is_prompt && says(&FORBIDS) => Kind::Correction,
            () if self.is_prompt => Kind::Ask,
            () if runs && self.failed && says(&TESTS) => Kind::FailedTests,
            // An edit that failed changed nothing.
            () if changes && !self.failed => Kind::Edit,
            () if runs && says(&["git commit"]) => Kind::Commit,
            () if runs && !self.failed && says(&TESTS) => Kind::PassedTests,
            () if self.failed && self.fixed_later => Kind::FixedError,
            () if self.failed => Kind::OpenError,
            () if reads && self.edited_later => Kind::ReadThenEdited,
            () if reads => Kind::Read,
            () if runs => Kind::Command,
            () if says(&DECIDES) => Kind::Decision,
            () => Kind::Chatter,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_goes_from_prohibitions_to_chatter() {
        let call = |name: &str, access: Option<FileAccess>| ToolCallBrief {
            name: name.into(),
            call_id: "c".into(),
            path: access.map(|_| "a.rs".into()),
            access,
        };
        let (read, edit) = (
            call("read", Some(FileAccess::Read)),
            call("edit", Some(FileAccess::Edit)),
        );
        let bash = call("bash", None);
        let of = |is_prompt, text, call: Option<&ToolCallBrief>, failed, later| {
            let calls = call.into_iter().collect();
            let exchange = Exchange {
                is_prompt,
                is_summary: false,
                text,
                calls,
                failed,
                fixed_later: later,
                edited_later: later,
            };
            ImportanceTable::default().of(exchange.kind())
        };
        assert_eq!(of(true, "never touch it", None, false, false), 10.0);
        assert_eq!(of(true, "add a clock", None, false, false), 9.0);
        assert_eq!(of(false, "cargo test", Some(&bash), true, false), 8.0);
        assert_eq!(of(false, "", Some(&edit), false, false), 7.0);
        assert_eq!(of(false, "i decided to wait", None, false, false), 7.0);
        assert_eq!(of(false, "git commit -m x", Some(&bash), false, false), 7.0);
        assert_eq!(of(false, "cargo test", Some(&bash), false, false), 6.0);
        assert_eq!(of(false, "ls", Some(&bash), true, true), 5.0);
        assert_eq!(of(false, "ls", Some(&bash), true, false), 6.0);
        assert_eq!(of(false, "", Some(&read), false, true), 4.0);
        assert_eq!(of(false, "ls", Some(&bash), false, false), 3.0);
        assert_eq!(of(false, "", Some(&read), false, false), 2.0);
        assert_eq!(of(false, "fine", None, false, false), 1.0);
    }

    #[test]
    fn the_table_can_be_changed_kind_by_kind() {
        let table = ImportanceTable::try_from(vec!["read = 9".to_owned()]).unwrap();
        assert_eq!(table.of(Kind::Read), 9.0);
        assert_eq!(table.of(Kind::Ask), 9.0);
        assert_eq!(
            ImportanceTable::try_from(Vec::<String>::from(table.clone())),
            Ok(table)
        );
        for wrong in ["read", "read=0", "read=11", "reads=3", "read=x"] {
            let error = ImportanceTable::try_from(vec![wrong.to_owned()]).unwrap_err();
            assert!(error.contains(wrong) && error.contains("failed_tests"));
        }
    }

    #[test]
    fn the_table_has_its_kinds_in_order() {
        for (at, (kind, _, _)) in TABLE.iter().enumerate() {
            assert_eq!(*kind as usize, at);
        }
    }
}
