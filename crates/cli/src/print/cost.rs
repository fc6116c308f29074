//! What a session cost.

use super::found::entry_name;
use super::table::{Table, counted, duration, or, short, thousands, time};
use crate::ask::SessionCost;

/// A table for the models, one for the prompts, one for the subagents.
pub(super) fn of_session(cost: &SessionCost) -> String {
    let whole = match cost.cost_usd {
        Some(_) => usd(cost.cost_usd, cost.cost_computed),
        None => "unknown, no model has a price".to_owned(),
    };
    let partial = if cost.cost_partial {
        ", without models that have no price"
    } else {
        ""
    };
    let computed = if cost.cost_computed {
        " (~ is computed by the prices of the catalog)"
    } else {
        ""
    };
    let mut parts = vec![format!("cost {whole}{partial}{computed}")];
    if !cost.spending.is_empty() {
        parts.push(models(cost));
    }
    if !cost.prompts.is_empty() {
        parts.push(prompts(cost));
    }
    if !cost.subagents.is_empty() {
        parts.push(subagents(cost));
    }
    parts.join("\n\n")
}

fn models(cost: &SessionCost) -> String {
    let mut table = Table::new([
        "cost",
        "requests",
        "input",
        "cache read",
        "cache write",
        "output",
        "model",
    ]);
    table.right(&[0, 1, 2, 3, 4, 5]);
    for own in &cost.spending {
        table.row([
            usd(own.cost_usd, own.cost_computed),
            thousands(own.requests),
            thousands(own.input),
            thousands(own.cache_read),
            thousands(own.cache_write),
            thousands(own.output),
            own.model.clone(),
        ]);
    }
    table.to_string().trim_end().to_owned()
}

fn prompts(cost: &SessionCost) -> String {
    let mut table = Table::new(["cost", "took", "written", "entry", "prompt"]);
    table.right(&[0, 1]);
    for row in &cost.prompts {
        table.row([
            usd(row.turn.cost_usd, row.turn.cost_computed),
            took(row.turn.duration_ms),
            time(row.timestamp),
            entry_name(&row.entry_id),
            short(&row.preview, 60),
        ]);
    }
    let shown = cost.prompts.len() as u64;
    let heading = heading(
        cost.total_prompts,
        shown,
        "prompt",
        "prompts",
        "most expensive",
    );
    format!("{heading}\n{}", table.to_string().trim_end())
}

fn subagents(cost: &SessionCost) -> String {
    let mut table = Table::new(["took", "cost", "tokens", "calls", "entry", "task"]);
    table.right(&[0, 1, 2, 3]);
    for agent in &cost.subagents {
        let entry = agent.entry_id.as_deref().or(agent.first_entry.as_deref());
        let kind = agent.kind.as_deref().map(|kind| format!("{kind}: "));
        let task = agent.task.as_deref().unwrap_or_default();
        table.row([
            took(agent.duration_ms),
            usd(agent.cost_usd, agent.cost_computed),
            or(agent.tokens, "-"),
            or(agent.calls, "-"),
            entry.map_or_else(|| "-".to_owned(), entry_name),
            format!("{}{}", kind.unwrap_or_default(), short(task, 60)),
        ]);
    }
    let shown = cost.subagents.len() as u64;
    let heading = heading(
        cost.total_subagents,
        shown,
        "subagent",
        "subagents",
        "longest",
    );
    format!("{heading}\n{}", table.to_string().trim_end())
}

/// How many there are and are shown, and in which order.
fn heading(total: u64, shown: u64, one: &str, more: &str, first: &str) -> String {
    let counted = counted(total, one, more);
    if shown < total {
        format!(
            "{counted}, the {} {first}; --limit shows more",
            thousands(shown)
        )
    } else if total > 1 {
        format!("{counted}, {first} first")
    } else {
        counted
    }
}

fn usd(cost: Option<f64>, computed: bool) -> String {
    let sign = if computed { "~" } else { "" };
    cost.map_or_else(|| "-".to_owned(), |usd| format!("{sign}${usd:.2}"))
}

fn took(ms: Option<u64>) -> String {
    ms.map_or_else(|| "-".to_owned(), duration)
}
