//! The calls and results of an entry, as a search sees them.

use crate::view::headline::headline;
use palimpsest_core::body::Block;
use palimpsest_core::{Body, Entry, Message};
use palimpsest_ledger::commands::script_of;
use palimpsest_ledger::script_files::{ScriptFile, of_script};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;

/// Names of arguments that hold a shell command, over the tools of all agents.
const COMMAND_KEYS: [&str; 3] = ["\"command\"", "\"cmd\"", "\"script\""];

/// The arguments of [`COMMAND_KEYS`]; the others are skipped without being kept.
#[derive(Deserialize)]
struct Commands {
    command: Option<Value>,
    cmd: Option<Value>,
    script: Option<Value>,
}

/// Arguments longer than this hold files written whole, not commands.
const MOST_ARGUMENT_BYTES: usize = 512 << 10;
/// Commands are looked at up to this length; what follows is mostly a here-document.
const MOST_COMMAND_BYTES: usize = 8 << 10;

/// So many calls without a result are remembered; agents seldom have more than some at work.
const MOST_WAITING: usize = 64;
/// Of a command that waits for its result so much is remembered.
const MOST_WAITING_BYTES: usize = 1 << 10;
/// Arguments longer than this are those of a call that writes a file; its path is the line of it.
const MOST_LINE_BYTES: usize = 16 << 10;

/// A call that waits for its result, with what the result can be found by: a result has no command
/// and no file of its own, and one that failed is shown behind the line of its call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Waits {
    /// The provider's id of the call.
    pub(super) id: String,
    /// The shell commands.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) command: String,
    /// The files that it names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) files: Vec<String>,
    /// The line that is shown of the call, where the arguments are not kept.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    line: String,
    /// The arguments as stored. Only those of calls that fail are taken apart.
    #[serde(skip)]
    arguments: String,
    /// True where the result is in the record of the call.
    #[serde(skip)]
    pub(super) is_own: bool,
}

impl Waits {
    /// The line that is shown of the call.
    pub(super) fn line(&self) -> Cow<'_, str> {
        if self.arguments.is_empty() {
            return Cow::Borrowed(&self.line);
        }
        let arguments = serde_json::from_str(&self.arguments);
        Cow::Owned(arguments.map(|own| headline(&own)).unwrap_or_default())
    }
}

/// The calls whose results were not read yet, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Waiting(Vec<Waits>);

/// What the calls of an entry run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Runs {
    /// The shell commands.
    pub(super) commands: Vec<String>,
    /// The files that they read, search and change.
    pub(super) files: Vec<ScriptFile>,
}

impl Waiting {
    /// True when every call has its result.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Notes the calls of an entry; gives what they run, and those whose results it holds.
    pub(super) fn pass(&mut self, entry: &Entry, body: &Body) -> (Runs, Vec<Waits>) {
        let mut runs = Runs::default();
        let mut answered = Vec::new();
        for message in said_in(entry, body) {
            for block in &message.blocks {
                if let Block::ToolCall { id, arguments, .. } = block {
                    let call = call_of(entry, id, arguments, &mut runs);
                    if !id.is_empty() {
                        self.0.push(call);
                    }
                }
            }
            if let Some(tool) = &message.tool
                && let Some(at) = self.0.iter().position(|call| call.id == tool.call_id)
            {
                answered.push(self.0.remove(at));
            }
        }
        self.0.iter_mut().for_each(|call| call.is_own = false);
        // A call that was never answered must not be kept for ever.
        let many = self.0.len().saturating_sub(MOST_WAITING);
        self.0.drain(..many);
        (runs, answered)
    }

    /// Keeps of the calls what is stored between two readings.
    pub(super) fn settle(&mut self) {
        for call in &mut self.0 {
            call.line = call.line().into_owned();
            call.arguments.clear();
        }
    }
}

fn call_of(entry: &Entry, id: &str, arguments: &str, runs: &mut Runs) -> Waits {
    let own = entry.calls().filter(|call| &*call.call_id == id);
    let mut files: Vec<String> = own
        .filter_map(|call| Some(call.path.clone()?.into()))
        .collect();
    let mut command = String::new();
    for (text, script) in commands_in(arguments) {
        let script = &script[..script.floor_char_boundary(script.len().min(MOST_COMMAND_BYTES))];
        for file in of_script(script) {
            if !files.contains(&file.path) {
                files.push(file.path.clone());
            }
            runs.files.push(file);
        }
        if !command.is_empty() {
            command.push('\n');
        }
        command.push_str(&text);
        runs.commands.push(text);
    }
    command.truncate(command.floor_char_boundary(MOST_WAITING_BYTES));
    let is_short = arguments.len() <= MOST_LINE_BYTES;
    let line = match (is_short, command.lines().next(), files.first()) {
        (true, _, _) => String::new(),
        (false, Some(line), _) => line.chars().take(200).collect(),
        (false, None, Some(file)) => file.clone(),
        (false, None, None) => String::new(),
    };
    Waits {
        id: id.to_owned(),
        command,
        files,
        line,
        arguments: if is_short {
            arguments.to_owned()
        } else {
            String::new()
        },
        is_own: true,
    }
}

/// The messages in which an entry calls tools and has results: of a record that reports on a subagent
/// those of the subagent.
pub(super) fn said_in<'b>(entry: &Entry, body: &'b Body) -> impl Iterator<Item = &'b Message> {
    let reported: &[Message] = match entry.subagent {
        Some(_) => &body.beside,
        None => &[],
    };
    body.messages.iter().chain(reported)
}

/// A script without its here-documents: what a command writes or commits is not what it runs.
fn without_documents(script: &str) -> Cow<'_, str> {
    if !script.contains("<<") {
        return Cow::Borrowed(script);
    }
    let mut out = String::with_capacity(script.len());
    let mut ends: Option<&str> = None;
    for line in script.split_inclusive('\n') {
        match ends {
            // The end may be followed by the rest of the command.
            Some(end) if line.trim() == end => ends = None,
            Some(_) => continue,
            None => {
                out.push_str(line);
                ends = document_end(line);
            }
        }
    }
    Cow::Owned(out)
}

/// The word that ends the here-document that begins in a line (`cat <<'EOF'`).
fn document_end(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("<<")?;
    // `<<<` gives one word.
    if rest.starts_with('<') {
        return None;
    }
    let rest = rest.trim_start_matches('-').trim_start();
    let bare = rest.trim_start_matches(['\'', '"', '\\']);
    let is_of_word = |c: char| c.is_alphanumeric() || c == '_';
    let end = bare.find(|c| !is_of_word(c)).unwrap_or(bare.len());
    let named = bare.starts_with(|c: char| c.is_alphabetic() || c == '_');
    (end > 0 && named).then(|| &bare[..end])
}

/// The shell commands among the arguments of a call, each as it is searched and as a script.
fn commands_in(arguments: &str) -> Vec<(String, String)> {
    // Parsing the arguments of every call would show in the time of a first index.
    if arguments.len() > MOST_ARGUMENT_BYTES
        || !COMMAND_KEYS.iter().any(|key| arguments.contains(key))
    {
        return Vec::new();
    }
    let Ok(arguments) = serde_json::from_str::<Commands>(arguments) else {
        return Vec::new();
    };
    let command = |value: Value| {
        let script = script_of(&value);
        match value {
            Value::String(command) => Some((without_documents(&command).into_owned(), command)),
            // Codex gives the words of a command as a list.
            Value::Array(words) => {
                let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
                Some((words.join(" "), script.unwrap_or_default()))
            }
            _ => None,
        }
    };
    let all = [arguments.command, arguments.cmd, arguments.script];
    all.into_iter().flatten().filter_map(command).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn here_documents_are_no_commands() {
        for (script, expected) in [
            (
                "git commit -m \"$(cat <<'EOF'\nfix: the test\nEOF\n)\" && git push",
                "git commit -m \"$(cat <<'EOF'\n)\" && git push",
            ),
            (
                "cat > a.py <<-END\nprint(1 << 3)\n\tEND\npython3 a.py",
                "cat > a.py <<-END\npython3 a.py",
            ),
            ("grep x <<< \"word\"\nls", "grep x <<< \"word\"\nls"),
            ("echo $((1 << 4))\nls", "echo $((1 << 4))\nls"),
            ("cargo test", "cargo test"),
        ] {
            assert_eq!(without_documents(script), expected);
        }
    }
}
