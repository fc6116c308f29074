//! The subagents a session started: what each was to do, what it said in the end, what it took.
//!
//! What is known of one stands in several places: the call that started it, the result of that
//! call, reports in the same file (Claude Code up to 2.1.40), a conversation beside the main one
//! (1.x), or a file of its own, to which the session has a link.

use crate::cost;
use crate::session::OpenSession;
use palimpsest_core::{
    Block, Bodies as _, Body, EntryIx, EntryKind, LinkKind, Role, SessionLink, SubagentResult,
};
use palimpsest_tokens::Spending;
use serde_json::Value;
use std::collections::HashMap;

/// Names of the tools that start a subagent (Claude Code: `Task`, since 2.1.60 `Agent`; OpenCode and
/// Copilot CLI: `task`).
const TOOLS: [&str; 3] = ["Task", "Agent", "task"];

/// A subagent.
#[derive(Debug, Clone, Default)]
pub struct Subagent {
    /// The agent's id of it, where stored.
    pub agent_id: Option<String>,
    /// The provider's id of the call that started it.
    pub call_id: Option<String>,
    /// The entry with that call.
    pub call: Option<EntryIx>,
    /// The entry with its result.
    pub result: Option<EntryIx>,
    /// Which kind of subagent.
    pub kind: Option<String>,
    /// Its task in a few words.
    pub task: Option<String>,
    /// The text of its result.
    pub text: Option<String>,
    /// True where it failed or was refused.
    pub is_error: bool,
    /// What its result reports.
    pub reported: SubagentResult,
    /// What it used, as far as this session holds its requests.
    pub spending: Spending,
    /// The entries of its conversation that this session holds, in file order.
    pub entries: Vec<EntryIx>,
    /// The link to its own session.
    pub link: Option<SessionLink>,
}

/// The subagents of a session, in the order in which they were started.
pub fn subagents(open: &OpenSession) -> Vec<Subagent> {
    let session = &open.session;
    let mut all: Vec<Subagent> = Vec::new();
    let mut by_call: HashMap<String, usize> = HashMap::new();
    for ix in session.indices() {
        let entry = session.entry(ix);
        if entry.sidechain {
            continue;
        }
        for call in &entry.tool_calls {
            if !TOOLS.contains(&&*call.name) || by_call.contains_key(&*call.call_id) {
                continue;
            }
            by_call.insert(call.call_id.to_string(), all.len());
            all.push(Subagent {
                call_id: Some(call.call_id.to_string()),
                call: Some(ix),
                ..Subagent::default()
            });
        }
    }
    for agent in &mut all {
        describe(open, agent);
    }
    reports(open, &mut all, &by_call);
    results(open, &mut all, &by_call);
    beside(open, &mut all);
    links(open, &mut all);
    all
}

/// Kind and task, from the arguments of the call.
fn describe(open: &OpenSession, agent: &mut Subagent) {
    let Some(Ok(body)) = agent.call.map(|ix| open.bodies.body(ix)) else {
        return;
    };
    let blocks = body.messages.iter().flat_map(|message| &message.blocks);
    for block in blocks {
        if let Block::ToolCall { id, arguments, .. } = block
            && Some(id) == agent.call_id.as_ref()
            && let Ok(arguments) = serde_json::from_str::<Value>(arguments)
        {
            let text = |key: &str| arguments.get(key)?.as_str().map(str::to_owned);
            agent.kind = ["subagent_type", "agent", "agent_type"]
                .iter()
                .find_map(|key| text(key));
            agent.task = text("description").or_else(|| text("prompt"));
        }
    }
}

/// Requests that the session's own file reports.
fn reports(open: &OpenSession, all: &mut [Subagent], by_call: &HashMap<String, usize>) {
    let mut calls = vec![0_u64; all.len()];
    let mut sizes = vec![None; all.len()];
    for ix in open.session.indices() {
        let entry = open.session.entry(ix);
        let Some(report) = &entry.subagent else {
            continue;
        };
        let at = report.call_id.as_deref().and_then(|id| by_call.get(id));
        let Some(&at) = at else { continue };
        let agent = &mut all[at];
        agent
            .agent_id
            .get_or_insert_with(|| report.agent_id.to_string());
        agent.entries.push(ix);
        cost::add(&mut agent.spending, entry);
        calls[at] += report.calls.len() as u64;
        if let Some((_, usage)) = &report.spent
            && usage.context_tokens() > usage.output
        {
            sizes[at] = Some(usage.context_tokens());
        }
    }
    for ((agent, calls), size) in all.iter_mut().zip(calls).zip(sizes) {
        agent.reported.calls = Some(calls).filter(|&calls| calls > 0);
        agent.reported.tokens = size;
    }
}

/// Result and figures, from the entries that answer the calls.
fn results(open: &OpenSession, all: &mut [Subagent], by_call: &HashMap<String, usize>) {
    for ix in open.session.indices() {
        let entry = open.session.entry(ix);
        let may_answer = matches!(entry.kind, EntryKind::Message(Role::Tool | Role::Assistant));
        let answers = entry.messages.iter().any(|message| {
            let tool = message.tool_name.as_deref();
            tool.is_some_and(|name| TOOLS.contains(&name))
        });
        if !may_answer || !answers || entry.sidechain {
            continue;
        }
        if let Ok(body) = open.bodies.body(ix) {
            take_results(&body, ix, all, by_call);
        }
    }
}

fn take_results(body: &Body, ix: EntryIx, all: &mut [Subagent], by_call: &HashMap<String, usize>) {
    for message in &body.messages {
        let Some(tool) = &message.tool else { continue };
        let Some(&at) = by_call.get(&tool.call_id) else {
            continue;
        };
        let agent = &mut all[at];
        agent.result = Some(ix);
        agent.is_error = tool.is_error;
        agent.text = Some(message.text("\n")).filter(|text| !text.trim().is_empty());
        if let Some(told) = &body.subagent {
            agent.agent_id = told.agent_id.clone().or(agent.agent_id.take());
            let known = agent.reported.clone();
            agent.reported = SubagentResult {
                agent_id: None,
                tokens: told.tokens.or(known.tokens),
                duration_ms: told.duration_ms,
                calls: told.calls.or(known.calls),
            };
        }
    }
}

/// Conversations that the session holds beside its own: they begin below the call.
fn beside(open: &OpenSession, all: &mut [Subagent]) {
    let mut of: HashMap<EntryIx, usize> = HashMap::new();
    // Calls without a conversation, the last one first.
    let mut free = by_entry(all, |agent| agent.entries.is_empty());
    for &ix in open.tree.preorder() {
        let entry = open.session.entry(ix);
        if !entry.sidechain {
            continue;
        }
        let Some(parent) = open.tree.parent(ix) else {
            continue;
        };
        let at = match of.get(&parent) {
            Some(&at) => at,
            // Of several calls in one entry the first without a conversation takes it.
            None => match free.get_mut(&parent).and_then(Vec::pop) {
                Some(at) => at,
                None => continue,
            },
        };
        of.insert(ix, at);
        let agent = &mut all[at];
        agent.entries.push(ix);
        cost::add(&mut agent.spending, entry);
        agent.reported.calls =
            Some(agent.reported.calls.unwrap_or(0) + entry.tool_calls.len() as u64);
        if let Some(usage) = entry.usage.filter(|_| entry.usage_trusted) {
            agent.reported.tokens = Some(usage.context_tokens());
        }
    }
}

/// Positions of subagents that fit by the entry with their call, the first of each entry last.
fn by_entry(all: &[Subagent], fits: impl Fn(&Subagent) -> bool) -> HashMap<EntryIx, Vec<usize>> {
    let mut found: HashMap<EntryIx, Vec<usize>> = HashMap::new();
    for (at, agent) in all.iter().enumerate().rev() {
        if let Some(call) = agent.call.filter(|_| fits(agent)) {
            found.entry(call).or_default().push(at);
        }
    }
    found
}

/// Sessions of their own; one without a call that we know is a subagent as well.
fn links(open: &OpenSession, all: &mut Vec<Subagent>) {
    let started = open.session.links.iter();
    let mut unnamed = by_entry(all, |agent| {
        agent.agent_id.is_none() && agent.link.is_none()
    });
    let mut named: HashMap<String, usize> = HashMap::new();
    for (at, agent) in all.iter().enumerate() {
        if let Some(id) = &agent.agent_id {
            named.entry(id.clone()).or_insert(at);
        }
    }
    for link in started.filter(|link| link.kind == LinkKind::Subagent) {
        let by_id = named.get(&link.native_id).copied();
        let at = by_id.or_else(|| unnamed.get_mut(&link.at?)?.pop());
        let at = at.unwrap_or_else(|| {
            all.push(Subagent {
                call: link.at,
                ..Subagent::default()
            });
            all.len() - 1
        });
        let agent = &mut all[at];
        agent.agent_id.get_or_insert_with(|| link.native_id.clone());
        agent.kind = agent
            .kind
            .take()
            .or_else(|| link.label.as_deref().map(str::to_owned));
        agent.link = Some(link.clone());
        named.entry(link.native_id.clone()).or_insert(at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use palimpsest_tokens::Catalog;
    use std::path::Path;

    fn fixture(name: &str) -> OpenSession {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../formats/tests/fixtures");
        OpenSession::read(&fixtures.join("claude-code/valid").join(name)).unwrap()
    }

    #[test]
    fn a_subagent_reported_in_the_file_has_task_result_size_and_cost() {
        let open = fixture("reading.jsonl");
        let [agent] = &subagents(&open)[..] else {
            panic!("one subagent");
        };
        assert_eq!(agent.task.as_deref(), Some("Find the failing test"));
        assert_eq!(agent.kind.as_deref(), Some("Explore"));
        assert_eq!(agent.agent_id.as_deref(), Some("a1b2c3d"));
        assert!(agent.text.as_deref().unwrap().contains("one line too many"));
        assert_eq!(agent.reported.tokens, Some(9_161));
        assert_eq!(agent.reported.duration_ms, Some(48_210));
        assert_eq!(agent.reported.calls, Some(1));
        assert_eq!(agent.entries.len(), 5);
        // Two requests, the first reported twice: 90 and 40 tokens of output.
        let [spent] = agent.spending.models() else {
            panic!("one model");
        };
        assert_eq!((spent.requests, spent.usage.output), (2, 130));
        assert_eq!(spent.usage.cache_write, 9_120);
        assert!(
            agent
                .spending
                .cost(&Catalog::embedded())
                .unwrap()
                .is_computed
        );
    }

    #[test]
    fn conversations_beside_the_main_one_belong_to_their_calls() {
        let open = fixture("sidechains-inside.jsonl");
        let agents = subagents(&open);
        assert_eq!(agents.len(), 2);
        assert!(
            agents.iter().all(|agent| !agent.entries.is_empty()),
            "{agents:?}"
        );
        let inside = open.session.entries.iter().filter(|entry| entry.sidechain);
        let held: usize = agents.iter().map(|agent| agent.entries.len()).sum();
        assert_eq!(held, inside.count());
    }
}
