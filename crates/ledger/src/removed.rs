//! Files that the span made and removed again: a probe, a build product that was tried. Nothing of them is left, and so
//! nothing of the commands that only dealt with them.

use crate::braces::is_same_file;
use crate::candidate::Candidate;
use crate::files::is_scratch;
use crate::identifiers::path_key;
use crate::span::{Call, ToolAction};
use crate::{commands, scripts};
use palimpsest_core::ledger::{FactKind, FileRole};
use rustc_hash::FxHashMap as HashMap;

/// How many ranks lighter a file is that is gone, as one in a folder for temporary files.
const GONE: i32 = 3;

/// Folders that programs make, and what they leave beside: removing them removes nothing of the work.
#[rustfmt::skip]
const GENERATED: &[&str] = &[
    ".DS_Store", ".cache", ".gradle", ".mypy_cache", ".next", ".nuxt", ".parcel-cache", ".pytest_cache", ".ruff_cache",
    ".svelte-kit", ".terraform", ".terraform.lock.hcl", ".turbo", ".venv", ".vite", "DerivedData", "__pycache__", "build",
    "coverage", "dist", "node_modules", "out", "target", "venv",
];

/// What the calls made of a file so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// It was there before.
    Known,
    /// The span made it.
    Made,
    /// The span made it and removed it.
    Gone,
}

/// The files of the calls of a span, in order.
#[derive(Debug, Default)]
pub(crate) struct Removed(HashMap<String, State>);

/// True for what a program makes.
fn is_generated(path: &str) -> bool {
    let key = path_key(path);
    let name = key.trim_end_matches('/').rsplit('/').next();
    name.is_some_and(|name| GENERATED.binary_search(&name).is_ok())
}

/// Programs that write what they make to the path behind `-o`.
const COMPILERS: [&str; 10] = [
    "c++", "cc", "clang", "clang++", "g++", "gcc", "go", "javac", "nvcc", "rustc",
];

impl Removed {
    /// Notes a call that did not fail.
    pub(crate) fn note(&mut self, call: &Call<'_>) {
        if let Some(script) = call.script.as_deref() {
            self.script(script);
        } else if let Some(path) = call.path.as_deref() {
            match call.action {
                ToolAction::Write => self.makes(path),
                ToolAction::Edit => self.changes(path),
                ToolAction::Read => self.meets(path),
                _ => {}
            }
        }
    }

    fn script(&mut self, script: &str) {
        for step in scripts::steps(script) {
            let text = step.text(script);
            let words = commands::words_of(text);
            let paths = || words.iter().skip(1).filter(|word| !word.starts_with('-'));
            match words.first().copied().unwrap_or_default() {
                "rm" => {
                    for path in paths() {
                        self.removes(path);
                    }
                }
                "cp" | "touch" => {
                    if let Some(target) = paths().next_back() {
                        self.makes(target);
                    }
                }
                "cat" | "head" | "tail" | "sed" if step.writes.is_none() => {
                    for path in paths() {
                        self.meets(path);
                    }
                }
                _ => {}
            }
            match &step.writes {
                Some(file) if text.contains(">>") => self.meets(file),
                Some(file) => self.makes(file),
                None => {}
            }
        }
    }

    fn makes(&mut self, path: &str) {
        let state = self.0.entry(path_key(path)).or_insert(State::Made);
        if *state == State::Gone {
            *state = State::Made;
        }
    }

    fn changes(&mut self, path: &str) {
        let state = self.0.entry(path_key(path)).or_insert(State::Known);
        if *state == State::Gone {
            *state = State::Known;
        }
    }

    fn meets(&mut self, path: &str) {
        self.0.entry(path_key(path)).or_insert(State::Known);
    }

    fn removes(&mut self, path: &str) {
        let key = path_key(path);
        if is_generated(&key) {
            self.0.insert(key, State::Gone);
        } else if let Some(state) = self.0.get_mut(&key)
            && *state == State::Made
        {
            *state = State::Gone;
        }
    }

    /// True for a file that is not left behind.
    fn is_passing(&self, path: &str) -> bool {
        is_scratch(path) || self.0.get(&path_key(path)) == Some(&State::Gone)
    }

    /// True for a command that only copies, moves or removes what is not left behind, or compiles into it.
    pub(crate) fn only_deals_with(&self, command: &str) -> bool {
        let words = commands::words_of(command);
        let is_path = |word: &&&str| !word.starts_with('-');
        let mut paths = words.iter().skip(1).filter(is_path).peekable();
        match words.first().copied().unwrap_or_default() {
            "rm" | "mv" | "touch" | "mkdir" | "rmdir" => {
                paths.peek().is_some() && paths.all(|path| self.is_passing(path))
            }
            "cp" => paths
                .next_back()
                .is_some_and(|target| self.is_passing(target)),
            program if COMPILERS.contains(&program) => words
                .windows(2)
                .any(|pair| pair[0] == "-o" && self.is_passing(pair[1])),
            _ => false,
        }
    }

    /// Makes the facts of files lighter that are gone.
    pub(crate) fn settle(&self, facts: &mut [Candidate]) {
        let gone = self.0.iter().filter(|(_, state)| **state == State::Gone);
        let gone: Vec<&String> = gone.map(|(path, _)| path).collect();
        if gone.is_empty() {
            return;
        }
        for fact in facts.iter_mut().filter(|fact| {
            fact.kind == FactKind::Path
                && fact.details.file_role == Some(FileRole::Edited)
                // A bare name may be that of files elsewhere.
                && gone.iter().any(|path| {
                    fact.key == **path || path.contains('/') && is_same_file(&fact.key, path)
                })
        }) {
            fact.lighter = fact.lighter.max(GONE);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(scripts: &[&str]) -> Removed {
        let mut out = Removed::default();
        for script in scripts {
            out.script(script);
        }
        out
    }

    #[test]
    fn what_was_made_and_removed_is_gone() {
        let removed = after(&[
            "cp /tmp/rows.gch src/rows.gch && make",
            "cat notes.md",
            "rm src/rows.gch; rm -f notes.md old.rs",
        ]);
        assert!(removed.is_passing("src/rows.gch"));
        // What was there before is missed.
        assert!(!removed.is_passing("notes.md"));
        assert!(!removed.is_passing("old.rs"));
        assert!(!after(&["echo a > a.txt", "rm a.txt", "echo b > a.txt"]).is_passing("a.txt"));
    }

    #[test]
    fn commands_about_it_leave_nothing() {
        let removed = after(&[
            "cp /tmp/rows.gch src/rows.gch",
            "rm src/rows.gch",
            "rm -rf infra/.terraform",
        ]);
        assert!(GENERATED.is_sorted());
        for (command, only) in [
            ("rm -f /tmp/a.o /tmp/b.o", true),
            ("rm src/rows.gch", true),
            ("rm src/rows.rs", false),
            ("cp /tmp/rows.gch src/rows.gch", true),
            ("cp src/rows.rs src/table.rs", false),
            ("g++ -c -O0 -o /tmp/rows.o src/rows.cc", true),
            ("g++ -o rows src/rows.cc", false),
            ("rm", false),
            ("rm -rf infra/.terraform", true),
            ("rm packages/build/index.ts", false),
            ("mv src/rows.rs /tmp/rows.rs", false),
            ("curl -s -o /tmp/rows.json https://rows.example.org", false),
        ] {
            assert_eq!(removed.only_deals_with(command), only, "{command}");
        }
    }
}
