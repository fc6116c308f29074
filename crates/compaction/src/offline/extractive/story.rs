//! What happened in a span: turns, files, commands, failures and what fixed them.

use palimpsest_core::{Message, Role};
use palimpsest_ledger::span::{Call, Part, PartKind, Span, ToolAction};
use palimpsest_ledger::{commands, errors, pasted, prose, words};
use std::collections::HashMap;
use std::ops::Range;

/// One request of the person and what followed.
#[derive(Debug, Default)]
pub struct Turn {
    /// The person's message.
    pub ask: String,
    /// The last thing the model said in the turn, when no call followed it.
    pub closing: Option<String>,
    /// Index of its first item in the span.
    pub item: usize,
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
}

impl Story {
    /// Reads `span`.
    pub fn read(span: &Span<'_>) -> Story {
        let mut story = Story {
            len: span.items.len(),
            ..Story::default()
        };
        let calls = span.calls();
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

    fn user(&mut self, part: &Part<'_>) {
        if !part.text.chars().any(char::is_alphanumeric) {
            return;
        }
        self.turns.push(Turn {
            ask: part.text.to_owned(),
            closing: None,
            item: part.item,
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
                // `grep error app.log` prints errors and has none.
                let failure = (!call.looks_only || reported)
                    .then(|| failure(&output, reported))
                    .flatten();
                let outcome = match &failure {
                    Some(_) => exit_code(&output).map_or_else(
                        || "failed".to_owned(),
                        |code| format!("failed, exit {code}"),
                    ),
                    None => "passed".to_owned(),
                };
                if call.looks_only {
                    self.last_actions.push(format!("looked with `{short}`"));
                    return;
                }
                self.last_actions.push(format!("ran `{short}` ({outcome})"));
                self.run(index, &short, failure, pending);
            }
            _ => {}
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
        failure: Option<String>,
        pending: &mut Vec<(String, Pending)>,
    ) {
        let head = task(commands::doing(command));
        match &failure {
            Some(error) => {
                // The first error stays: it is what the fix is about.
                if !pending.iter().any(|(known, _)| *known == head) {
                    let made = Pending {
                        error: error.clone(),
                        files: Vec::new(),
                    };
                    pending.push((head, made));
                }
            }
            None => {
                // A line that passed has passed in each of its commands, and a run of the same
                // program that passed makes up for the one that failed.
                let passed: Vec<String> = commands::acting(command).into_iter().map(task).collect();
                let passed = |head: &String| passed.contains(head);
                for other in &mut self.commands {
                    if passed(&task(commands::doing(&other.command))) {
                        other.failure = None;
                    }
                }
                while let Some(at) = pending.iter().position(|(head, _)| passed(head)) {
                    let (_, was) = pending.remove(at);
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
            }),
        }
    }
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

/// What a failed run said: its first error line, or that it said nothing; `None` for a run that
/// passed.
fn failure(output: &str, reported: bool) -> Option<String> {
    let bad_exit = exit_code(output).is_some_and(|code| code != 0);
    let failed = reported || bad_exit;
    match errors::error_lines(output, failed).first() {
        Some(range) => Some(words::one_line(&output[range.clone()], 240)),
        None if failed => Some("without a message".to_owned()),
        None => None,
    }
}

/// The exit code an agent puts under a command's output ("exited with code 1").
fn exit_code(output: &str) -> Option<i32> {
    // The last one: the output may quote the same words.
    let at = output.rfind("exited with code ")? + "exited with code ".len();
    let digits: String = output[at..]
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    digits.parse().ok()
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
