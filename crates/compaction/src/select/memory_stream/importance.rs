//! How much an exchange matters by itself, 1 to 10, without a model. The table is ours, after the
//! scale of Generative Agents from mundane to poignant.

use palimpsest_core::entry::{FileAccess, ToolCallBrief};

/// What an exchange is judged by.
pub(super) struct Exchange<'a> {
    /// True when the user wrote it.
    pub is_prompt: bool,
    /// Its text in small letters, results included.
    pub text: &'a str,
    /// The tools it calls.
    pub calls: Vec<&'a ToolCallBrief>,
    /// True when one of them failed.
    pub failed: bool,
    /// True when a file it reads is changed later.
    pub edited_later: bool,
}

/// Words by which a user corrects or forbids.
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
    /// Its importance.
    pub fn importance(&self) -> f64 {
        let says = |words: &[&str]| words.iter().any(|word| self.text.contains(word));
        let does = |wanted: fn(FileAccess) -> bool| {
            let accesses = self.calls.iter().filter_map(|call| call.access);
            accesses.into_iter().any(wanted)
        };
        let changes = does(|access| access != FileAccess::Read);
        let reads = does(|access| access == FileAccess::Read);
        let runs = self.calls.iter().any(|call| call.access.is_none());
        match () {
            () if self.is_prompt && says(&FORBIDS) => 10.0,
            () if self.is_prompt => 9.0,
            () if runs && self.failed && says(&TESTS) => 8.0,
            () if changes && !self.failed => 7.0,
            () if runs && says(&["git commit"]) => 7.0,
            () if runs && !self.failed && says(&TESTS) => 6.0,
            () if self.failed => 5.0,
            () if reads && self.edited_later => 4.0,
            () if reads => 2.0,
            () if runs => 3.0,
            () if says(&DECIDES) => 7.0,
            () => 1.0,
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
        let of = |is_prompt, text, call: Option<&ToolCallBrief>, failed, edited_later| {
            let calls = call.into_iter().collect();
            let exchange = Exchange {
                is_prompt,
                text,
                calls,
                failed,
                edited_later,
            };
            exchange.importance()
        };
        assert_eq!(of(true, "never touch it", None, false, false), 10.0);
        assert_eq!(of(true, "add a clock", None, false, false), 9.0);
        assert_eq!(of(false, "cargo test", Some(&bash), true, false), 8.0);
        assert_eq!(of(false, "", Some(&edit), false, false), 7.0);
        assert_eq!(of(false, "i decided to wait", None, false, false), 7.0);
        assert_eq!(of(false, "git commit -m x", Some(&bash), false, false), 7.0);
        assert_eq!(of(false, "cargo test", Some(&bash), false, false), 6.0);
        assert_eq!(of(false, "ls", Some(&bash), true, false), 5.0);
        assert_eq!(of(false, "", Some(&read), false, true), 4.0);
        assert_eq!(of(false, "ls", Some(&bash), false, false), 3.0);
        assert_eq!(of(false, "", Some(&read), false, false), 2.0);
        assert_eq!(of(false, "fine", None, false, false), 1.0);
    }
}
