//! The subagents of a session, for showing.

use super::names;
use crate::render::{markdown, utf16_slice};
use crate::wire::SubagentView;
use palimpsest_app::view::subagents::{Subagent, subagents};
use palimpsest_app::{App, OpenSession};
use palimpsest_core::{EntryIx, SessionLink};

/// As much of a result as fits a card, in UTF-16 units.
const FIRST_WORDS: u64 = 600;

/// All subagents of a session.
pub(crate) fn of_session(app: &App, open: &OpenSession) -> Vec<SubagentView> {
    let all = subagents(open);
    views(app, open, &all.iter().collect::<Vec<_>>())
}

/// The subagents that the calls of an entry started.
pub(crate) fn of_entry(app: &App, open: &OpenSession, ix: EntryIx) -> Vec<SubagentView> {
    if open.session.entry(ix).tool_calls.is_empty() {
        return Vec::new();
    }
    let all = subagents(open);
    let own = all.iter().filter(|agent| agent.call == Some(ix));
    views(app, open, &own.collect::<Vec<_>>())
}

fn views(app: &App, open: &OpenSession, agents: &[&Subagent]) -> Vec<SubagentView> {
    let links = agents.iter().filter_map(|agent| agent.link.clone());
    let links: Vec<SessionLink> = links.collect();
    let mut sessions = app.linked_sessions(open, &links).into_iter();
    let mut session = |agent: &Subagent| match agent.link {
        Some(_) => sessions.next().flatten(),
        None => None,
    };
    let views = agents
        .iter()
        .map(|agent| view(app, open, agent, session(agent)));
    views.collect()
}

fn view(app: &App, open: &OpenSession, agent: &Subagent, session: Option<String>) -> SubagentView {
    let own = agent.spending.cost(app.catalog());
    let cost = own.map(|cost| (cost.usd, cost.is_computed));
    let cost = cost.or_else(|| app.cost_of_session(session.as_deref()?));
    let text = agent.text.as_deref().map(str::trim);
    let text = text.map(|text| utf16_slice(text, 0, FIRST_WORDS));
    SubagentView {
        agent_id: agent.agent_id.clone(),
        call_id: agent.call_id.clone(),
        entry_id: agent.call.map(|ix| names::id(&open.session, ix)),
        result_id: agent.result.map(|ix| names::id(&open.session, ix)),
        kind: agent.kind.clone(),
        task: agent.task.clone(),
        result: text.map(str::to_owned),
        result_blocks: text.map(markdown).unwrap_or_default(),
        is_error: agent.is_error,
        tokens: agent.reported.tokens,
        calls: agent.reported.calls,
        duration_ms: agent.reported.duration_ms,
        cost_usd: cost.map(|cost| cost.0),
        cost_computed: cost.is_some_and(|cost| cost.1),
        session,
        first_entry: agent
            .entries
            .first()
            .map(|&ix| names::id(&open.session, ix)),
        entries: agent.entries.len() as u64,
    }
}
