//! Sessions, their trees and contexts, and what is found in them, for people.

use super::table::{Table, counted, thousands, time};
use super::{found, marks, or, short};
use palimpsest_api::wire::{
    ContextView, IndexReport, SessionPage, SessionRow, TreeNode, TreeView, written,
};
use std::collections::HashMap;

/// What indexing did.
pub(super) fn index(report: &IndexReport) -> String {
    let mut out = format!(
        "{}, {}; {} read in {} ms; {} unchanged, {} removed, {}",
        counted(report.sessions, "session", "sessions"),
        counted(report.entries, "entry", "entries"),
        counted(report.bytes, "byte", "bytes"),
        report.elapsed_ms,
        report.unchanged,
        report.removed,
        counted(report.warnings, "warning", "warnings"),
    );
    for failed in &report.failed {
        out += &format!("\nfailed: {}: {}", failed.path, failed.reason);
    }
    out
}

/// What a session cost; a computed cost has a sign before it.
fn cost(row: &SessionRow) -> String {
    let sign = if row.cost_computed { "~" } else { "" };
    let cost = row.cost_usd.map(|usd| format!("{sign}${usd:.2}"));
    cost.unwrap_or_else(|| "-".to_owned())
}

/// Sessions in a table.
pub(super) fn sessions(page: &SessionPage) -> String {
    let mut table = Table::new([
        "id", "agent", "changed", "entries", "compact", "cost", "project", "title",
    ]);
    table.right(&[3, 4, 5]);
    for row in &page.sessions {
        table.row([
            short(&row.id, 10),
            row.agent.clone(),
            time(row.updated_at),
            thousands(row.entries),
            thousands(row.compactions),
            cost(row),
            short(&project(row), 20),
            format!("{}{}", marks::star_sign(row), short(&row.title, 60)),
        ]);
    }
    // Before the table: with a filter that is not understood the table is not the answer.
    let note = found::ignored(&page.ignored);
    let more = match page.total {
        0 => ". `palimpsest index` reads the session folders.",
        _ => "",
    };
    format!(
        "{note}{table}\n{}{more}",
        counted(page.total, "session", "sessions")
    )
}

/// The project with the worktree in it.
fn project(row: &SessionRow) -> String {
    match &row.worktree {
        Some(worktree) => format!("{} ({worktree})", row.project),
        None => row.project.clone(),
    }
}

/// A tree, a branch indented where it leaves another.
pub(super) fn tree(tree: &TreeView) -> String {
    // By id, since the answer is the one that programs get and has no positions.
    let mut children: HashMap<Option<&str>, Vec<&TreeNode>> = HashMap::new();
    for node in &tree.nodes {
        let parent = node.parent_id.as_deref();
        children.entry(parent).or_default().push(node);
    }
    let mut out = String::new();
    // Reversed, because the last one pushed is the first one popped.
    let roots = children.get(&None).into_iter().flatten().rev();
    let mut stack: Vec<(&TreeNode, usize)> = roots.map(|&root| (root, 0)).collect();
    while let Some((node, depth)) = stack.pop() {
        let label = node.label.as_ref();
        let label = label.map(|label| format!(" [{label}]")).unwrap_or_default();
        let own = marks::on_node(node);
        let leaf = if tree.leaf_id.as_ref() == Some(&node.id) {
            "  <- leaf"
        } else {
            ""
        };
        let role = node.role.as_ref();
        let role = role.map(|role| format!(" {role}")).unwrap_or_default();
        out += &format!(
            "{:indent$}{} {}{role}{label}{own} {}  {}{leaf}\n",
            "",
            node.id,
            written(node.kind),
            thousands(node.tokens),
            short(&node.preview, 70),
            indent = depth * 2,
        );
        let below = children.get(&Some(node.id.as_str()));
        let below = below.map(Vec::as_slice).unwrap_or_default();
        // Only a branch point indents: a line of 50,000 entries stays at the margin.
        let depth = depth + usize::from(below.len() > 1);
        stack.extend(below.iter().rev().map(|&child| (child, depth)));
    }
    for warning in &tree.warnings {
        let line = warning.line.map(|line| format!("line {line}: "));
        out += &format!("warning: {}{}\n", line.unwrap_or_default(), warning.reason);
    }
    out
}

/// A context: its sizes, then item by item.
pub(super) fn context(context: &ContextView) -> String {
    let tokens = &context.tokens;
    let mut out = format!(
        "at {}  model {}  window {}  threshold {}\ntokens: {} estimated, {} counted, {} reported\n",
        context.at.as_deref().unwrap_or("(before the first entry)"),
        context.model.as_deref().unwrap_or("(unknown)"),
        or(context.window, "unknown"),
        or(context.threshold, "unknown"),
        thousands(tokens.estimated),
        or(tokens.counted, "-"),
        or(tokens.reported, "-"),
    );
    let categories = context.by_category.iter();
    // Maps have no order; sorted names keep the output of two runs comparable.
    let mut categories: Vec<(String, u64)> = categories
        .map(|(&category, &tokens)| (written(category), tokens))
        .collect();
    categories.sort();
    for (name, tokens) in categories {
        out += &format!("  {name:<16}{:>12}\n", thousands(tokens));
    }
    let mut table = Table::new(["entry", "role", "origin", "tokens", "text"]);
    table.right(&[3]);
    for item in &context.items {
        let entry = item.entry_ids.first();
        table.row([
            entry.cloned().unwrap_or_else(|| "-".to_owned()),
            item.native_role.clone(),
            written(item.origin),
            thousands(item.tokens.estimated),
            short(&item.text, 70),
        ]);
    }
    format!("{out}{table}")
}
