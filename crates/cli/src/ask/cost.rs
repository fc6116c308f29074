//! What a session cost, its turns and its subagents.

use palimpsest_api::Api;
use palimpsest_api::wire::{SessionRequest, SpendingView, SubagentView, TurnRow, WireError};
use serde::Serialize;
use std::cmp::Reverse;

/// What a session cost.
#[derive(Debug, Serialize)]
pub struct SessionCost {
    /// The session.
    pub id: String,
    /// US dollars; absent where no model has a price.
    pub cost_usd: Option<f64>,
    /// True where the catalog's prices gave it, or a part of it.
    pub cost_computed: bool,
    /// True where it leaves out models without a price.
    pub cost_partial: bool,
    /// By model.
    pub spending: Vec<SpendingView>,
    /// The prompts, most expensive first, as many as asked for.
    pub prompts: Vec<TurnRow>,
    /// How many prompts there are.
    pub total_prompts: u64,
    /// The subagents, longest first, as many as asked for.
    pub subagents: Vec<SubagentView>,
    /// How many subagents there are.
    pub total_subagents: u64,
}

/// Asks what a session cost, with at most `limit` prompts and subagents.
pub(super) async fn of_session(
    api: &Api,
    session: &str,
    limit: u64,
) -> Result<SessionCost, WireError> {
    let request = || SessionRequest {
        session: session.to_owned(),
    };
    let view = api.commands().open(request()).await?;
    let mut prompts = api.commands().session_turns(request()).await?.turns;
    let mut subagents = view.subagents;
    // Those without a known cost or time come last; equal ones keep the order of the file.
    prompts.sort_by(|one, other| {
        let usd = |row: &TurnRow| row.turn.cost_usd.unwrap_or(-1.0);
        usd(other).total_cmp(&usd(one))
    });
    subagents.sort_by_key(|agent| Reverse(agent.duration_ms));
    let (total_prompts, total_subagents) = (prompts.len() as u64, subagents.len() as u64);
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    prompts.truncate(limit);
    subagents.truncate(limit);
    Ok(SessionCost {
        id: view.row.id,
        cost_usd: view.row.cost_usd,
        cost_computed: view.row.cost_computed,
        cost_partial: view.row.cost_partial,
        spending: view.spending,
        prompts,
        total_prompts,
        subagents,
        total_subagents,
    })
}
