//! What happened in a span: turns, files, commands, commits, failures and what fixed them.

use crate::offline::extractive::deeds::{Deed, deed};
use palimpsest_core::{Message, Role};
use palimpsest_ledger::span::{Call, Part, PartKind, Span, ToolAction};
use palimpsest_ledger::{commands, errors, outcome, pasted, prose, words};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// One request of the person and what followed.
#[derive(Debug, Default)]
pub struct Turn {
    /// The person's message.
    pub ask: String,
    /// The question of the model that the message answers.
    pub answers: Option<String>,
    /// The last thing the model said in the turn, when no call followed it.
    pub closing: Option<String>,
    /// The last thing the model said in the turn, whatever followed it.
    pub last_words: Option<String>,
    /// Index of its first item in the span.
    pub item: usize,
    /// True when a call of the turn changed something: a file, or what a command or tool acts on.
    pub acted: bool,
}

/// A file that was changed.
#[derive(Debug)]
pub struct FileWork {
    /// The path as the calls spell it.
    pub path: String,
    /// How often part of it was changed.
    pub edits: usize,
    /// How often it was written whole.
    pub writes: usize,
    /// A line the last change brought in.
    pub last_line: Option<String>,
    /// Index of the last change in the span.
    pub item: usize,
}

/// A command and how it ended.
#[derive(Debug)]
pub struct CommandWork {
    /// The command on one line.
    pub command: String,
    /// How often it ran.
    pub runs: usize,
    /// What the last run said when it failed; `None` when it passed.
    pub failure: Option<String>,
    /// Index of the last run in the span.
    pub item: usize,
    /// True for a test, a build or another check, whose verdict stands until the next one.
    pub checks: bool,
}

/// A commit that was made.
#[derive(Debug)]
pub struct Commit {
    /// Its hash, as git printed it.
    pub hash: String,
    /// Its subject.
    pub subject: String,
    /// Index of its result in the span.
    pub item: usize,
}

/// A failure that went away.
#[derive(Debug)]
pub struct Fix {
    /// What it said.
    pub error: String,
    /// The command that failed and passed again.
    pub command: String,
    /// Files changed in between.
    pub files: Vec<String>,
    /// Index of the passing run in the span.
    pub item: usize,
}

/// A span read as a story.
#[derive(Debug, Default)]
pub struct Story {
    /// Turns in order; the first may begin without a message of the person.
    pub turns: Vec<Turn>,
    /// Changed files by first change.
    pub files: Vec<FileWork>,
    /// Commands that do more than look, by first run.
    pub commands: Vec<CommandWork>,
    /// Failures that went away, in order.
    pub fixes: Vec<Fix>,
    /// Commits, in order.
    pub commits: Vec<Commit>,
    /// What other tools changed, in order.
    pub deeds: Vec<Deed>,
    /// Index of the result with which all changes were last thrown away; 0 where they never were.
    pub reset: usize,
    /// Items that hold a failure nobody has repaired.
    pub failed: HashSet<usize>,
    /// The last few things that were done, oldest first.
    pub last_actions: Vec<String>,
    /// Sentences people and models wrote, with the item they stand in.
    pub sentences: Vec<(usize, String)>,
    /// Number of items.
    pub len: usize,
}

/// How many of the last actions the summary lists.
const LAST_ACTIONS: usize = 4;

/// A failed run that has not passed yet.
struct Pending {
    error: String,
    files: Vec<String>,
    items: Vec<usize>,
}

/// Maximum number of lines of a failure that are quoted.
const FAILURE_LINES: usize = 3;

impl Story {
    /// Reads `span`.
    pub fn read(span: &Span<'_>) -> Story {
        let mut story = Story {
            len: span.items.len(),
            ..Story::default()
        };
        let calls = span.calls();
        // Nothing came of what the person refused; what they said with it is a message of theirs.
        let refused = span.refused();
        let mut pending: Vec<(String, Pending)> = Vec::new();
        let mut arguments: HashMap<&str, &str> = HashMap::new();
        // Messages and calls first: a result is described with the arguments of its call.
        for part in span.parts() {
            match part.kind {
                PartKind::UserText => story.user(&part),
                PartKind::AssistantText => story.assistant(&part),
                PartKind::ToolCall => {
                    arguments.extend(part.call_id.map(|id| (id, part.text)));
                    if let Some(turn) = story.turns.last_mut() {
                        // Words before a call do not end a turn.
                        turn.closing = None;
                    }
                }
                PartKind::ToolOutput
                | PartKind::Thinking
                | PartKind::Summary
                | PartKind::Injected => {}
            }
        }
        for (index, item) in span.items.iter().enumerate() {
            let id = item.message.tool.as_ref().map(|tool| tool.call_id.as_str());
            if item.message.role == Role::Tool
                && let Some(id) = id
                && !refused.contains(id)
                && let Some(call) = calls.get(id)
            {
                let arguments = arguments.get(id).copied().unwrap_or_default();
                story.result(index, item.message, call, arguments, &mut pending);
            }
        }
        let from = story.last_actions.len().saturating_sub(LAST_ACTIONS);
        story.last_actions.drain(..from);
        story
    }

    /// True for an item that holds a failure nobody has repaired; what the person pasted is theirs.
    pub fn holds_failure(&self, item: usize) -> bool {
        self.failed.contains(&item)
    }

    fn user(&mut self, part: &Part<'_>) {
        if !part.text.chars().any(char::is_alphanumeric) {
            return;
        }
        let said = self.turns.last().and_then(|turn| turn.closing.as_deref());
        self.turns.push(Turn {
            ask: part.text.to_owned(),
            answers: said.and_then(question),
            item: part.item,
            ..Turn::default()
        });
        self.note_sentences(part, pasted::own_words(part.text));
    }

    fn assistant(&mut self, part: &Part<'_>) {
        // A span may begin inside a turn.
        if self.turns.is_empty() {
            self.turns.push(Turn::default());
        }
        if let Some(turn) = self.turns.last_mut() {
            turn.closing = Some(part.text.to_owned());
            turn.last_words = Some(part.text.to_owned());
        }
        self.note_sentences(part, words::prose(part.text));
    }

    fn note_sentences(&mut self, part: &Part<'_>, ranges: Vec<Range<usize>>) {
        for range in ranges {
            let text = &part.text[range];
            for sentence in words::sentences(text) {
                let sentence = &text[sentence];
                if prose::says_something(sentence) {
                    self.sentences.push((part.item, sentence.to_owned()));
                }
            }
        }
    }

    fn result(
        &mut self,
        index: usize,
        message: &Message,
        call: &Call<'_>,
        arguments: &str,
        pending: &mut Vec<(String, Pending)>,
    ) {
        let output = message.text("\n");
        let reported = message.tool.as_ref().is_some_and(|tool| tool.is_error);
        match (&call.path, &call.command) {
            (Some(path), _) if call.action.changes_files() => {
                if reported {
                    self.last_actions.push(format!("failed to change `{path}`"));
                    return;
                }
                self.acts(index);
                self.change(index, path, call.action, arguments);
                // Any failure that is still open may be fixed by this change.
                for (_, pending) in pending.iter_mut() {
                    if !pending.files.contains(path) {
                        pending.files.push(path.clone());
                    }
                }
                self.last_actions.push(format!("changed `{path}`"));
            }
            (Some(path), _) if call.action == ToolAction::Read => {
                self.last_actions.push(format!("read `{path}`"));
            }
            (_, Some(command)) => {
                let short = words::one_line(command, 160);
                let script = call.script.as_deref().unwrap_or(command);
                if call.looks_only {
                    // `grep error app.log` prints errors and has none.
                    let brief = words::one_line(command, 90);
                    self.last_actions.push(format!("looked with `{brief}`"));
                    return;
                }
                if outcome::was_interrupted(&output) {
                    // Nobody knows how it would have ended.
                    let brief = words::one_line(command, 90);
                    self.last_actions.push(format!("ran `{brief}` (aborted)"));
                    return;
                }
                let failed = outcome::went_well(script, &output, reported) == Some(false);
                let ended = match (failed, outcome::exit_code(&output)) {
                    (true, Some(code)) if code != 0 => format!("failed, exit {code}"),
                    (true, _) => "failed".to_owned(),
                    (false, _) => "passed".to_owned(),
                };
                let brief = words::one_line(command, 90);
                self.last_actions.push(format!("ran `{brief}` ({ended})"));
                self.commits.extend(commit(script, &output, index));
                if !failed {
                    self.acts(index);
                    if outcome::throws_changes_away(script) {
                        self.reset = index;
                    }
                }
                let failure = failed.then(|| failure(&output));
                self.run(index, &short, script, failure, pending);
            }
            _ if !reported => {
                if let Some(text) = deed(call.tool, arguments) {
                    self.acts(index);
                    self.last_actions.push(format!("called {text}"));
                    self.deeds.push(Deed { text, item: index });
                }
            }
            _ => {}
        }
    }

    /// Notes that the turn around an item changed something.
    fn acts(&mut self, item: usize) {
        let mut turns = self.turns.iter_mut().rev();
        if let Some(turn) = turns.find(|turn| turn.item <= item) {
            turn.acted = true;
        }
    }

    fn change(&mut self, index: usize, path: &str, action: ToolAction, arguments: &str) {
        let at = self
            .files
            .iter()
            .position(|file| file.path == path)
            .unwrap_or_else(|| {
                self.files.push(FileWork {
                    path: path.to_owned(),
                    edits: 0,
                    writes: 0,
                    last_line: None,
                    item: index,
                });
                self.files.len() - 1
            });
        let file = &mut self.files[at];
        if action == ToolAction::Write {
            file.writes += 1;
        } else {
            file.edits += 1;
            // An edit without a telling line keeps the one before.
            file.last_line = new_line(arguments).or(file.last_line.take());
        }
        file.item = index;
    }

    fn run(
        &mut self,
        index: usize,
        command: &str,
        script: &str,
        failure: Option<String>,
        pending: &mut Vec<(String, Pending)>,
    ) {
        let head = task(commands::doing(command));
        match &failure {
            Some(error) => {
                self.failed.insert(index);
                match pending.iter_mut().find(|(known, _)| *known == head) {
                    // The first error stays: it is what the fix is about.
                    Some((_, known)) => known.items.push(index),
                    None => {
                        let made = Pending {
                            error: error.split("; ").next().unwrap_or(error).to_owned(),
                            files: Vec::new(),
                            items: vec![index],
                        };
                        pending.push((head, made));
                    }
                }
            }
            None => {
                // A line that passed has passed in each of its commands, and a run of the same
                // program that passed makes up for the one that failed.
                let acting = commands::acting(command);
                let passed: Vec<String> = acting.iter().copied().map(task).collect();
                let makes_up = |line: &str, checks: bool| {
                    let done = commands::doing(line);
                    passed.contains(&task(done))
                        || (!checks && acting.iter().any(|own| does_the_same(own, done)))
                };
                for other in &mut self.commands {
                    if makes_up(&other.command, other.checks) {
                        other.failure = None;
                    }
                }
                while let Some(at) = pending.iter().position(|(head, _)| passed.contains(head)) {
                    let (_, was) = pending.remove(at);
                    self.failed.retain(|item| !was.items.contains(item));
                    self.fixes.push(Fix {
                        error: was.error,
                        command: command.to_owned(),
                        files: was.files,
                        item: index,
                    });
                }
            }
        }
        match self
            .commands
            .iter_mut()
            .find(|known| known.command == command)
        {
            Some(known) => {
                known.runs += 1;
                known.failure = failure;
                known.item = index;
            }
            None => self.commands.push(CommandWork {
                command: command.to_owned(),
                runs: 1,
                failure,
                item: index,
                checks: outcome::is_check(script),
            }),
        }
    }
}

/// The question with which a text ends: its last sentence that asks, where little follows it.
pub fn question(text: &str) -> Option<String> {
    let prose: Vec<Range<usize>> = words::prose(text);
    let mut all = prose.iter().flat_map(|range| {
        let inner = &text[range.clone()];
        let start = range.start;
        words::sentences(inner)
            .into_iter()
            .map(move |own| start + own.start..start + own.end)
    });
    let last = all.rfind(|own| {
        let said = text[own.clone()].trim_end_matches(['*', '_', ')', '"', ' ']);
        said.ends_with('?')
    })?;
    // A question in the middle of a report is no question to the person.
    let near = text.len() - last.end <= QUESTION_TAIL;
    near.then(|| words::one_line(&text[last], 240))
}

/// Most bytes behind a question for it to be what the text ends with: a list of options may follow.
const QUESTION_TAIL: usize = 400;

/// The commit that git tells of (`[main 1a2b3c4] Add the queue`).
fn commit(script: &str, output: &str, item: usize) -> Option<Commit> {
    if !script.contains("git commit") {
        return None;
    }
    output.lines().find_map(|line| {
        let (head, subject) = line.strip_prefix('[')?.split_once("] ")?;
        let hash = head.rsplit(' ').next()?;
        let is_hash = hash.len() >= 7 && hash.bytes().all(|b| b.is_ascii_hexdigit());
        is_hash.then(|| Commit {
            hash: hash.to_owned(),
            subject: words::one_line(subject, 120),
            item,
        })
    })
}

/// What a command is about: its first three words that are no options, so that a narrower run of
/// the same tests counts as the same task and `migrate info` does not count as `migrate run`.
fn task(command: &str) -> String {
    let words = command
        .split_whitespace()
        // Variables that are set for the command.
        .skip_while(|word| word.contains('='))
        .filter(|word| !word.starts_with('-'));
    words.take(3).collect::<Vec<_>>().join(" ")
}

/// True for two commands that do the same to other things (`gh api a/b`, `gh api a/c`); `migrate info`
/// does not do what `migrate run` does.
fn does_the_same(a: &str, b: &str) -> bool {
    let third = |command: &str| {
        let mut words = command
            .split_whitespace()
            .skip_while(|word| word.contains('='))
            .filter(|word| !word.starts_with('-'));
        words.nth(2).map(str::to_owned)
    };
    let is_verb = |word: &Option<String>| {
        let word = word.as_deref();
        word.is_some_and(|word| word.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'))
    };
    let (one, other) = (third(a), third(b));
    commands::head(a) == commands::head(b) && (one == other || !is_verb(&one) || !is_verb(&other))
}

/// What a failed run said: its first lines that report an error, or that it said nothing.
fn failure(output: &str) -> String {
    let lines = errors::error_lines(output, true);
    let told: Vec<String> = lines
        .into_iter()
        .take(FAILURE_LINES)
        .map(|range| words::one_line(&output[range], 160))
        .collect();
    if told.is_empty() {
        return "without a message".to_owned();
    }
    told.join("; ")
}

/// The first telling line that an edit brings in: in the new text and not in the old.
fn new_line(arguments: &str) -> Option<String> {
    let value: serde_json::Value = serde_json::from_str(arguments).ok()?;
    // Some agents take several edits in one call.
    let last = match value.get("edits").and_then(|edits| edits.as_array()) {
        Some(edits) => edits.last()?,
        None => &value,
    };
    let text = |keys: [&str; 3]| keys.iter().find_map(|key| last.get(*key)?.as_str());
    let old = text(["oldText", "old_string", "old_str"]).unwrap_or_default();
    let new = text(["newText", "new_string", "new_str"])?;
    let known: std::collections::HashSet<&str> = old.lines().map(str::trim).collect();
    new.lines()
        .map(str::trim)
        .find(|line| {
            // "});" and "fi" tell nothing of a change.
            !known.contains(line) && line.chars().filter(|c| c.is_alphanumeric()).count() >= 4
        })
        // It is quoted between backticks.
        .map(|line| words::one_line(&line.replace('`', "'"), 80))
}
