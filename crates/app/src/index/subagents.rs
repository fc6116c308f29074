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

/// The subagents that calls of the session started.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Subagents(Vec<Started>);

/// A subagent: the call that started it, the agent's id of it as far as known, its name, and whether
/// the call waits for its result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Started(String, String, String, bool);

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
    pub(super) fn pass(&mut self, entry: &Entry, body: &Body) -> Option<String> {
        let name = if entry.is_in_subagent() {
            self.writer(entry)
        } else {
            None
        };
        let starts = entry.calls().any(|call| starts_subagent(&call.name));
        if !starts && self.0.is_empty() {
            return None;
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
                    self.0.push(Started(id.clone(), String::new(), name, true));
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
        name.or(ended).filter(|name| !name.is_empty())
    }

    /// The name of the subagent that wrote an entry. Where the record does not say which one, those
    /// that are at work.
    fn writer(&mut self, entry: &Entry) -> Option<String> {
        let report = entry.subagent.as_ref();
        let call = report.and_then(|report| report.call_id.as_deref());
        let agent = report.map(|report| &*report.agent_id);
        let agent = agent.or(entry.side_agent.as_deref()).unwrap_or_default();
        let known = |own: &&Started| {
            call == Some(&*own.0) || !agent.is_empty() && (own.1 == agent || own.0 == agent)
        };
        if let Some(own) = self.0.iter().find(known) {
            return Some(own.2.clone());
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
            return Some(self.0[at].2.clone());
        }
        let mut names: Vec<&str> = working.iter().map(|&at| &*self.0[at].2).collect();
        names.sort_unstable();
        names.dedup();
        Some(names.join("\n"))
    }
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
