//! What happened in a span, as far as claims can be held against it: outcomes of commands, what was
//! committed and pushed, checks, files, branches and values that were replaced.

use crate::claims::values::{self, Replaced};
use crate::span::{Call, PartKind, Span, ToolAction};
use crate::{commands, files, identifiers, outcome, scripts, test_counts};
use palimpsest_core::ledger::FileRole;
use palimpsest_core::{EntryIx, Role};
use rustc_hash::FxHashMap as HashMap;

/// A run of a command: its entry, and whether it went well.
#[derive(Clone, Copy)]
pub(super) struct Ran {
    pub entry: EntryIx,
    pub well: bool,
}

/// The counts of tests in one output.
pub(super) struct Counted {
    pub entry: EntryIx,
    pub command: String,
    pub keys: Vec<String>,
}

/// What a command does to what others see.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Deed {
    Commit,
    Push,
    Merge,
    PullRequest,
    Migrate,
    Install(Vec<String>),
}

/// What a check looks at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Check {
    Tests,
    Lint,
    Build,
}

/// What became of a file.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Became {
    Written,
    Edited { brought: Vec<String> },
    Removed,
    Renamed(String),
    Restored,
}

/// What happened in a span, in order.
#[derive(Default)]
pub(super) struct Log {
    /// The runs of each command that a call makes alone, in order, by the key of the command.
    pub by_command: HashMap<String, Vec<Ran>>,
    /// The same by the head of the command.
    pub by_head: HashMap<String, Vec<Ran>>,
    /// Counts of tests, in order.
    pub counted: Vec<Counted>,
    /// What was done, and whether it came about.
    pub deeds: Vec<(Deed, Ran)>,
    /// Subjects of the commits that were made.
    pub commits: Vec<(String, EntryIx)>,
    /// Verdicts of checks, with whether all of the project was checked.
    pub checks: Vec<(Check, Ran, bool)>,
    /// What became of files, by the key of their path.
    pub files: Vec<(String, Became, EntryIx)>,
    /// The branches that were switched to.
    pub branches: Vec<(String, EntryIx)>,
    /// Values that another took the place of.
    pub replaced: Vec<Replaced>,
}

/// The result of a call.
#[derive(Clone, Copy)]
struct Output<'a> {
    entry: EntryIx,
    text: &'a str,
    is_error: bool,
}

/// Reads what happened in `span`.
pub(super) fn read(span: &Span<'_>) -> Log {
    let calls = span.calls();
    let refused = span.refused();
    let mut arguments: HashMap<&str, &str> = HashMap::default();
    let mut log = Log::default();
    for part in span.parts() {
        if let (PartKind::ToolCall, Some(id)) = (part.kind, part.call_id) {
            arguments.insert(id, part.text);
        }
    }
    for item in span.items {
        // A command that prints nothing has a result as well, which is no part of the texts.
        let Some(tool) = item
            .message
            .tool
            .as_ref()
            .filter(|_| item.message.role == Role::Tool)
        else {
            continue;
        };
        let id = tool.call_id.as_str();
        let Some(call) = calls.get(id) else { continue };
        let text = item.message.text("\n");
        let output = Output {
            entry: item.entry,
            text: &text,
            is_error: tool.is_error,
        };
        let given = arguments.get(id).copied().unwrap_or_default();
        if refused.contains(id) {
            log.refused(call, item.entry);
        } else if call.action.changes_files() {
            log.changed(call, given, output);
        } else if call.command.is_some() {
            log.ran(call, output);
        }
    }
    log.replaced.extend(values::said_again(span));
    log
}

impl Log {
    /// What a refused call would have done did not come about.
    fn refused(&mut self, call: &Call<'_>, entry: EntryIx) {
        let script = call.script.as_deref().unwrap_or_default();
        let steps = scripts::steps(script);
        for deed in steps.iter().filter_map(|step| deed(step.text(script))) {
            self.deeds.push((deed, Ran { entry, well: false }));
        }
    }

    fn changed(&mut self, call: &Call<'_>, given: &str, part: Output<'_>) {
        if part.is_error {
            return;
        }
        let changes = values::changes(given);
        for (path, role) in files::of_call(call, given) {
            if role != FileRole::Edited {
                continue;
            }
            let became = if call.action == ToolAction::Write {
                Became::Written
            } else {
                Became::Edited {
                    brought: changes.iter().flat_map(values::brought).collect(),
                }
            };
            self.files
                .push((identifiers::path_key(&path), became, part.entry));
        }
        let replaced = changes
            .iter()
            .flat_map(|change| values::replaced(change, part.entry));
        self.replaced.extend(replaced);
    }

    fn ran(&mut self, call: &Call<'_>, part: Output<'_>) {
        let (Some(command), Some(script)) = (call.command.as_deref(), call.script.as_deref())
        else {
            return;
        };
        let counts = test_counts::counts(part.text);
        if !counts.is_empty() && !call.looks_only {
            self.counted.push(Counted {
                entry: part.entry,
                command: commands::head(commands::doing(command)),
                keys: counts.into_iter().map(|(_, key)| key).collect(),
            });
        }
        let Some(well) = outcome::went_well(script, part.text, part.is_error) else {
            return;
        };
        let made = Ran {
            entry: part.entry,
            well,
        };
        let steps = scripts::steps(script);
        // What trims the output is no command of its own.
        let trims = |step: &&scripts::Step| step.piped && scripts::looks(step, script);
        let steps = steps.iter().filter(|step| !trims(step));
        let texts = steps.map(|step| step.text(script));
        let tells = |text: &&str| {
            !text.is_empty() && !text.starts_with("cd ") && !text.starts_with("git add")
        };
        let telling: Vec<&str> = texts.filter(tells).collect();
        // Of a line that failed nobody knows which of its commands did.
        let alone = telling.len() == 1;
        if alone {
            let head = commands::head(commands::doing(command));
            self.by_head.entry(head).or_default().push(made);
            let own = self.by_command.entry(commands::key(command)).or_default();
            own.push(made);
        }
        for text in &telling {
            self.did(text, made, alone, part.text);
        }
        let checks = telling.iter().filter_map(|text| check(text));
        let checks: Vec<(Check, bool)> = checks.collect();
        for &(kind, whole) in &checks {
            if well || checks.len() == 1 {
                self.checks.push((kind, made, whole));
            }
        }
    }

    /// Notes what one command of a script did.
    fn did(&mut self, text: &str, made: Ran, alone: bool, output: &str) {
        if let Some(deed) = deed(text) {
            // Git says of a commit that it was made, whatever came behind it.
            let mut subjects = output.lines().filter_map(commit_subject);
            let subject = (deed == Deed::Commit).then(|| subjects.next()).flatten();
            let committed = subject.is_some();
            let subject = subject.map(|subject| (subject.to_owned(), made.entry));
            self.commits.extend(subject);
            let well = made.well || committed;
            let conflict = deed == Deed::Merge && output.contains("CONFLICT");
            if well || alone {
                let well = well && !conflict;
                let ran = Ran { well, ..made };
                // The commit behind a conflict ends the merge.
                let merging = matches!(self.deeds.iter().rev().find(|(own, _)| *own == Deed::Merge), Some((_, last)) if !last.well);
                if deed == Deed::Commit && well && merging {
                    self.deeds.push((Deed::Merge, ran));
                }
                self.deeds.push((deed, ran));
            }
        }
        if !made.well {
            return;
        }
        let words = commands::words_of(text);
        let plain: Vec<&str> = words
            .iter()
            .copied()
            .filter(|word| !word.starts_with('-'))
            .collect();
        match plain.as_slice() {
            ["rm", paths @ ..] | ["git", "rm", paths @ ..] => {
                for path in paths.iter().filter(|path| files::is_file(path)) {
                    self.files
                        .push((identifiers::path_key(path), Became::Removed, made.entry));
                }
            }
            ["mv", from, to] | ["git", "mv", from, to] if files::is_file(from) => {
                let renamed = Became::Renamed(identifiers::path_key(to));
                self.files
                    .push((identifiers::path_key(from), renamed, made.entry));
                self.files
                    .push((identifiers::path_key(to), Became::Written, made.entry));
            }
            ["git", "restore", paths @ ..] => self.restored(paths, made.entry),
            ["git", "checkout", paths @ ..] if words.contains(&"--") => {
                self.restored(paths, made.entry);
            }
            ["git", "checkout" | "switch", name] => {
                self.branches.push(((*name).to_owned(), made.entry));
            }
            _ => {}
        }
    }

    fn restored(&mut self, paths: &[&str], entry: EntryIx) {
        let paths = paths.iter().filter(|path| files::is_file(path));
        let all = paths.map(|path| (identifiers::path_key(path), Became::Restored, entry));
        self.files.extend(all);
    }

    /// The last change of a file; `None` where no file was changed.
    pub(super) fn last_change(&self) -> Option<EntryIx> {
        self.files.iter().map(|(_, _, entry)| *entry).max()
    }
}

/// The subject in git's line about a commit (`[main 1a2b3c4] Add the queue`).
fn commit_subject(line: &str) -> Option<&str> {
    let (head, subject) = line.strip_prefix('[')?.split_once(']')?;
    let hash = head.rsplit(' ').next()?;
    (hash.len() >= 7 && hash.bytes().all(|b| b.is_ascii_hexdigit())).then(|| subject.trim())
}

fn deed(text: &str) -> Option<Deed> {
    let words = commands::words_of(text);
    if words
        .iter()
        .any(|word| matches!(*word, "--dry-run" | "--abort" | "--help"))
    {
        return None;
    }
    let plain: Vec<&str> = words
        .iter()
        .copied()
        .filter(|word| !word.starts_with('-'))
        .collect();
    match plain.as_slice() {
        ["git", "commit", ..] => Some(Deed::Commit),
        ["git", "push", ..] => Some(Deed::Push),
        ["git", "merge", ..] => Some(Deed::Merge),
        ["gh", "pr", "create", ..] => Some(Deed::PullRequest),
        [
            "npm" | "pnpm" | "yarn" | "pip" | "pip3" | "cargo" | "brew" | "uv",
            "install" | "add" | "i",
            names @ ..,
        ] if !names.is_empty() => Some(Deed::Install(
            names.iter().map(|name| name.to_lowercase()).collect(),
        )),
        [_, rest @ ..]
            if rest.iter().take(2).any(|word| word.contains("migrate"))
                && rest
                    .iter()
                    .any(|word| matches!(*word, "run" | "up" | "deploy" | "apply")) =>
        {
            Some(Deed::Migrate)
        }
        _ => None,
    }
}

/// What a command checks, and whether it checks all there is.
fn check(text: &str) -> Option<(Check, bool)> {
    if !outcome::is_check(text) {
        return None;
    }
    let words = commands::words_of(text);
    let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let names = |list: &[&str]| {
        let parts = lower.iter().flat_map(|word| word.split([':', '/']));
        parts.into_iter().any(|word| list.contains(&word))
    };
    let kind = if names(&[
        "test", "tests", "pytest", "jest", "vitest", "mocha", "nextest", "ctest", "rspec",
    ]) {
        Check::Tests
    } else if names(&[
        "lint",
        "clippy",
        "eslint",
        "golangci-lint",
        "ruff",
        "flake8",
        "biome",
        "vet",
        "staticcheck",
    ]) {
        Check::Lint
    } else if names(&["build", "make", "compile", "mvn", "gradle", "gradlew"]) {
        Check::Build
    } else {
        return None;
    };
    let narrow = lower.iter().any(|word| {
        matches!(
            word.as_str(),
            "-run" | "-k" | "-t" | "--grep" | "-p" | "--package" | "--test" | "--filter"
        ) || word.contains("::")
            || (word.contains('/') && !word.ends_with("...") && !word.starts_with('-'))
            || word.starts_with("test:")
            || files::is_file(word)
    });
    Some((kind, !narrow))
}
