//! The subagents inside a session: who wrote what.

use super::calls::said_in;
use palimpsest_core::body::Block;
use palimpsest_core::{Body, Entry};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Subagents that are remembered, the newest.
const MOST: usize = 32;
/// Of a name so many characters are kept.
const MOST_NAME_CHARS: usize = 80;

/// Arguments that name a subagent or its kind, over the tools of all agents.
const NAME_KEYS: [&str; 7] = [
    "name",
    "agent_name",
    "subagent_type",
    "agent_type",
    "agentType",
    "agentName",
    "agentId",
];

/// Arguments that say what a subagent is to do, the shortest first.
const TASK_KEYS: [&str; 5] = ["description", "title", "task", "prompt", "message"];

/// The subagents that calls of the session started.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Subagents(Vec<Started>);

/// A subagent: the call that started it, the agent's id of it as far as known, its names, whether
/// the call waits for its result, and what it was started for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Started(String, String, String, bool, String);

impl Started {
    fn named(&self) -> Named {
        let names = self.2.replace('\n', ", ");
        let parts = [&*names, &*self.4].into_iter();
        let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
        Named {
            names: Some(self.2.clone()).filter(|names| !names.is_empty()),
            label: Some(parts.join(": ")).filter(|label| !label.is_empty()),
        }
    }
}

/// What is known of the subagent of an entry.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Named {
    /// Its names, one per line, by which the entry is found: of what it wrote and of its result.
    pub(super) names: Option<String>,
    /// Its names and what it was started for, of what it wrote.
    pub(super) label: Option<String>,
}

/// True for a tool that starts a subagent.
pub(super) fn starts_subagent(tool: &str) -> bool {
    let bytes = tool.as_bytes();
    let ends = |end: &[u8]| {
        let from = bytes.len().checked_sub(end.len());
        from.is_some_and(|from| bytes[from..].eq_ignore_ascii_case(end))
    };
    // Most tools are others, and each call of a session is looked at.
    if !ends(b"task") && !ends(b"agent") {
        return false;
    }
    let last = tool.rsplit(['.', ':']).next().unwrap_or(tool);
    // Claude Code: Task, from 2.1 Agent; OpenCode, Mux, Droid, Copilot: task; Codex and Coder:
    // spawn_agent; VS Code: runSubagent.
    [
        "task",
        "agent",
        "subagent",
        "spawn_agent",
        "runsubagent",
        "run_subagent",
    ]
    .iter()
    .any(|name| last.eq_ignore_ascii_case(name))
}

/// True for a call of the session itself that starts a subagent.
pub(super) fn starts_one(entry: &Entry) -> bool {
    !entry.is_in_subagent() && entry.calls().any(|call| starts_subagent(&call.name))
}

/// True for what a subagent said or did, the call that started it and the result of that.
pub(super) fn is_of_subagent(entry: &Entry) -> bool {
    if entry.is_in_subagent() {
        // Records of turns, permissions and usage say nothing.
        let tells = entry
            .kind
            .own_name()
            .is_some_and(|name| name.contains("subagent"));
        return entry.subagent.is_some() || entry.role().is_some() || tells;
    }
    let results = entry.messages.iter();
    let mut results = results.filter_map(|message| message.tool_name.as_deref());
    entry.calls().any(|call| starts_subagent(&call.name)) || results.any(starts_subagent)
}

impl Subagents {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Notes an entry; gives the names of the subagent that wrote it or whose result it is.
    pub(super) fn pass(&mut self, entry: &Entry, body: &Body) -> Named {
        let own = if entry.is_in_subagent() {
            self.writer(entry)
        } else {
            Named::default()
        };
        let starts = entry.calls().any(|call| starts_subagent(&call.name));
        if !starts && self.0.is_empty() {
            return Named::default();
        }
        let mut ended = None;
        for message in said_in(entry, body) {
            for block in message.blocks.iter().filter(|_| starts) {
                if let Block::ToolCall {
                    id,
                    name,
                    arguments,
                } = block
                    && starts_subagent(name)
                {
                    let name = name_in(arguments);
                    let task = task_in(arguments);
                    let none = String::new();
                    self.0.push(Started(id.clone(), none, name, true, task));
                }
            }
            if let Some(tool) = &message.tool
                && let Some(own) = self.0.iter_mut().find(|own| own.0 == tool.call_id)
            {
                own.3 = false;
                ended = Some(own.2.clone());
            }
        }
        let many = self.0.len().saturating_sub(MOST);
        self.0.drain(..many);
        Named {
            names: own.names.or(ended).filter(|names| !names.is_empty()),
            label: own.label,
        }
    }

    /// The name of the subagent that wrote an entry. Where the record does not say which one, those
    /// that are at work.
    fn writer(&mut self, entry: &Entry) -> Named {
        let report = entry.subagent.as_ref();
        let call = report.and_then(|report| report.call_id.as_deref());
        let agent = report.map(|report| &*report.agent_id);
        let agent = agent.or(entry.side_agent.as_deref()).unwrap_or_default();
        let known = |own: &&Started| {
            call == Some(&*own.0) || !agent.is_empty() && (own.1 == agent || own.0 == agent)
        };
        if let Some(own) = self.0.iter().find(known) {
            return own.named();
        }
        let working: Vec<usize> = (0..self.0.len())
            .filter(|&at| self.0[at].3 && self.0[at].1.is_empty())
            .collect();
        // The first record of a subagent names it.
        let named = working.iter().copied().find(|&at| {
            let mut words = self.0[at].2.lines();
            words.any(|word| entry.preview.contains(word))
        });
        let only = match working.as_slice() {
            [at] => Some(*at),
            _ => named,
        };
        if let Some(at) = only {
            agent.clone_into(&mut self.0[at].1);
            return self.0[at].named();
        }
        let mut names: Vec<&str> = working.iter().map(|&at| &*self.0[at].2).collect();
        names.retain(|names| !names.is_empty());
        names.sort_unstable();
        names.dedup();
        Named {
            names: Some(names.join("\n")),
            label: Some(names.join(" or ").replace('\n', ", ")).filter(|label| !label.is_empty()),
        }
    }
}

/// What a subagent was started for, by the arguments of the call.
fn task_in(arguments: &str) -> String {
    let Ok(Value::Object(arguments)) = serde_json::from_str(arguments) else {
        return String::new();
    };
    let texts = TASK_KEYS
        .iter()
        .filter_map(|key| arguments.get(*key)?.as_str());
    let mut lines = texts.filter_map(|text| text.lines().find(|line| !line.trim().is_empty()));
    let line = lines.next().unwrap_or_default();
    line.trim().chars().take(MOST_NAME_CHARS).collect()
}

/// The names of a subagent in the arguments of the call that starts it, one per line.
fn name_in(arguments: &str) -> String {
    let Ok(Value::Object(arguments)) = serde_json::from_str(arguments) else {
        return String::new();
    };
    let mut names: Vec<String> = Vec::new();
    for key in NAME_KEYS {
        let name = arguments.get(key).and_then(Value::as_str);
        let name: String = name
            .unwrap_or_default()
            .chars()
            .take(MOST_NAME_CHARS)
            .collect();
        if !name.trim().is_empty() && !names.contains(&name) {
            names.push(name);
        }
    }
    names.join("\n")
}
