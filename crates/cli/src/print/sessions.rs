//! Sessions, their trees and contexts, and what is found in them, for people.

use super::table::{Table, counted, duration, thousands, time};
use super::{found, marks, or, short};
use palimpsest_api::wire::{
    CompactionSizes, ContextView, IndexReport, LinkKind, RecordKind, SearchPage, SessionPage,
    SessionRow, SessionSort, SizeBasis, TreeNode, TreeView, written,
};
use std::collections::HashMap;
use std::path::Path;

/// What indexing did.
pub(super) fn index(report: &IndexReport) -> String {
    let sessions = counted(report.sessions, "session", "sessions");
    // What cannot be read may hold sessions.
    let unread = |folder: &&String| !report.failed.iter().any(|failed| failed.path == **folder);
    let empty = report
        .without_session
        .iter()
        .filter(unread)
        .map(|folder| format!("No session of a known agent in {folder}."));
    let empty: Vec<String> = empty.collect();
    // Nothing was read, so that figures of the whole index would be taken for those of the folder.
    if !empty.is_empty() && report.bytes + report.unchanged + report.removed == 0 {
        let failed = failed_sources(report);
        return format!("{} The index has {sessions}.{failed}", empty.join("\n"));
    }
    let mut out = format!(
        "{sessions}, {}; {} read in {}; {} unchanged, {} removed, {}",
        counted(report.entries, "entry", "entries"),
        counted(report.bytes, "byte", "bytes"),
        duration(report.elapsed_ms),
        report.unchanged,
        report.removed,
        counted(report.warnings, "warning", "warnings"),
    );
    if report.warnings > 0 {
        out += "\nWarnings are of all sessions in the index: `palimpsest sessions has:warning` lists these, \
                and `palimpsest tree SESSION` prints the warnings.";
    }
    for line in empty {
        out += &format!("\n{line}");
    }
    out + &failed_sources(report)
}

/// More files with one reason are named by the first of them: a folder of another program would
/// push everything else off the screen.
const MOST_NAMED: usize = 3;

/// The files that were not read, one reason after the other.
fn failed_sources(report: &IndexReport) -> String {
    let mut by_reason: Vec<(&str, Vec<&str>)> = Vec::new();
    for failed in &report.failed {
        match by_reason.iter_mut().find(|own| own.0 == failed.reason) {
            Some((_, paths)) => paths.push(&failed.path),
            None => by_reason.push((&failed.reason, vec![&failed.path])),
        }
    }
    let lines = by_reason.into_iter().map(|(reason, paths)| {
        let named = paths.iter().take(MOST_NAMED);
        let named: String = named.map(|path| format!("\n  {path}")).collect();
        let more = match paths.len().saturating_sub(MOST_NAMED) {
            0 => String::new(),
            more => format!("\n  and {more} more, which --json lists"),
        };
        let folders = paths.iter().all(|path| Path::new(path).is_dir());
        let (one, many) = if folders {
            ("folder", "folders")
        } else {
            ("file", "files")
        };
        let files = counted(paths.len() as u64, one, many);
        format!("\nNot read, {files}: {reason}{named}{more}")
    });
    lines.collect()
}

/// The agent, with the program whose version it is where that is another: Kilo keeps OpenCode's store.
fn agent(row: &SessionRow) -> String {
    let version = row.agent_version.as_deref().unwrap_or_default();
    match version.split_once(' ') {
        Some((program, _)) if program.starts_with(char::is_alphabetic) => {
            format!("{} ({program})", row.agent)
        }
        _ => row.agent.clone(),
    }
}

/// What a session cost; a computed cost has a sign before it.
fn cost(row: &SessionRow) -> String {
    let sign = if row.cost_computed { "~" } else { "" };
    let cost = row.cost_usd.map(|usd| format!("{sign}${usd:.2}"));
    cost.unwrap_or_else(|| "-".to_owned())
}

/// The head and the value of a column for an order whose value is in no other column.
type SortColumn = (&'static str, fn(&SessionRow) -> String);

fn sorted_by(sort: &SessionSort) -> Option<SortColumn> {
    match sort {
        SessionSort::Size => Some(("bytes", |row| thousands(row.bytes))),
        SessionSort::Created => Some(("created", |row| time(row.created_at))),
        SessionSort::Context => Some(("context", |row| {
            row.peak_context.map_or("-".to_owned(), thousands)
        })),
        SessionSort::Errors => Some(("errors", |row| thousands(row.errors))),
        SessionSort::Rejections => Some(("rejected", |row| thousands(row.rejections))),
        SessionSort::Relevance => Some(("hits", |row| row.hits.map_or("0".to_owned(), thousands))),
        SessionSort::Updated
        | SessionSort::Cost
        | SessionSort::Title
        | SessionSort::Compactions
        | SessionSort::Entries => None,
    }
}

/// Says that words or filters left no session.
pub(super) fn no_match(page: &SessionPage) -> String {
    let note = found::ignored(&page.ignored);
    let wider = found::wider(
        &page.wider,
        "sessions",
        ("session", "sessions"),
        "No session",
    );
    format!(
        "{note}No session matches.\n{wider}`palimpsest search` looks for words in the text of all entries; \
         `palimpsest sessions` lists all sessions."
    )
}

/// Sessions in a table.
pub(super) fn sessions(page: &SessionPage) -> String {
    // What the list is sorted or filtered by is shown.
    let mut shown: Vec<SortColumn> = Vec::new();
    for column in [&page.sort]
        .into_iter()
        .chain(&page.asked)
        .filter_map(sorted_by)
    {
        if shown.iter().all(|(head, _)| *head != column.0) {
            shown.push(column);
        }
    }
    let mut heads = vec!["id", "agent", "changed", "entries", "compact", "cost"];
    heads.extend(shown.iter().map(|(head, _)| *head));
    heads.extend(["project", "title"]);
    let mut table = Table::new(heads);
    let numbers: Vec<usize> = (3..6 + shown.len()).collect();
    table.right(&numbers);
    for row in &page.sessions {
        let mut cells = vec![
            row.shown_id.clone(),
            agent(row),
            time(row.updated_at),
            thousands(row.entries),
            thousands(row.compactions),
            cost(row),
        ];
        cells.extend(shown.iter().map(|(_, value)| value(row)));
        cells.push(short(&project(row), 20));
        let differs = row.differs.as_ref();
        let differs = differs.map(|words| format!(" (then: {})", short(words, 40)));
        let copy = row.copy.as_ref();
        let copy = copy.map(|id| format!(" (same session as {})", short(id, 10)));
        cells.push(format!(
            "{}{}{}{}{}",
            marks::star_sign(row),
            short(&row.title, 60),
            kin(row),
            differs.unwrap_or_default(),
            copy.unwrap_or_default()
        ));
        table.row(cells);
    }
    // Before the table: with a filter that is not understood the table is not the answer.
    let note = found::ignored(&page.ignored);
    let more = match page.total {
        0 => ". `palimpsest index` reads the session folders.",
        _ => "",
    };
    let shown = page.sessions.len() as u64;
    let of = if shown < page.total {
        format!("{} of ", thousands(shown))
    } else {
        String::new()
    };
    format!(
        "{note}{table}\n{of}{}{more}",
        counted(page.total, "session", "sessions")
    )
}

/// The sessions that the filters of a search choose, and how their entries are searched.
pub(super) fn by_search(page: &SearchPage, chosen: &SessionPage) -> String {
    let found = match chosen.total {
        0 => no_match(chosen),
        _ => sessions(chosen),
    };
    let marks = marks::hits(page);
    format!(
        "{marks}{found}\nThe filters choose sessions. To search their entries, add words or a filter of \
         entries, such as kind:error."
    )
}

/// How a session is related to others, which tells rows with one title apart.
fn kin(row: &SessionRow) -> String {
    let next = row.continued_in.as_ref().map(|name| {
        format!(
            " (continued in {}, {}{})",
            name.shown_id,
            time(name.timestamp),
            without(row)
        )
    });
    format!("{}{}", kin_of_parent(row), next.unwrap_or_default())
}

/// What the continuation leaves out.
fn without(row: &SessionRow) -> String {
    let prompt = row.taken_back.as_ref();
    prompt.map_or_else(String::new, |prompt| {
        format!(", without {}", short(prompt, 40))
    })
}

/// How a session is related to the one its record names.
fn kin_of_parent(row: &SessionRow) -> String {
    let Some(parent) = &row.parent else {
        return String::new();
    };
    // pi tells the session and not how they are related: `is:fork` finds it as a fork.
    let how = match row.parent_kind.unwrap_or(LinkKind::ForkedFrom) {
        LinkKind::ForkedFrom => "fork of",
        LinkKind::SharesBeginning => "begins like",
        LinkKind::Continues => "continues",
        LinkKind::SubagentOf => "subagent of",
        LinkKind::Subagent | LinkKind::SameSession => return String::new(),
    };
    match &row.parent_name {
        Some(name) => {
            // Said once, beside the session that continues this one.
            let left = match (row.parent_kind, &row.continued_in) {
                (Some(LinkKind::Continues), None) => without(row),
                _ => String::new(),
            };
            format!(" ({how} {}, {}{left})", name.shown_id, time(name.timestamp))
        }
        None => {
            // pi names the file, whose name ends in the id.
            let name = parent.rsplit(['/', '\\', '_']).next().unwrap_or(parent);
            let name = short(name.trim_end_matches(".jsonl"), 9);
            format!(" ({how} {name}, not in the index)")
        }
    }
}

/// The project with the worktree in it.
fn project(row: &SessionRow) -> String {
    match &row.worktree {
        Some(worktree) => format!("{} ({worktree})", row.project),
        None => row.project.clone(),
    }
}

/// Most branch points that indent; beyond them a line would be mostly white space, and no more than
/// 65,535 columns can be asked of a formatter.
const MAX_INDENTED: usize = 60;

/// A tree, a branch indented where it leaves another.
pub(super) fn tree(tree: &TreeView) -> String {
    let nodes = &tree.nodes;
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    // Reversed, because the last one pushed is the first one popped.
    let mut stack: Vec<(usize, usize)> = Vec::new();
    for (at, parent) in parents(nodes).into_iter().enumerate().rev() {
        match parent {
            Some(parent) => children[parent].push(at),
            None => stack.push((at, 0)),
        }
    }
    let mut out = String::new();
    while let Some((at, depth)) = stack.pop() {
        let node = &nodes[at];
        let label = node.label.as_ref();
        let label = label.map(|label| format!(" [{label}]")).unwrap_or_default();
        let own = marks::on_node(node);
        let leaf = if tree.leaf_id.as_ref() == Some(&node.id) {
            "  <- leaf"
        } else {
            ""
        };
        // A summary on another branch is in no context that the agent goes on from.
        let is_summary = matches!(
            node.kind,
            RecordKind::Compaction | RecordKind::BranchSummary
        );
        let aside = if node.undone {
            " (taken back)"
        } else if is_summary && !node.on_active_path {
            " (not on the active path)"
        } else {
            ""
        };
        let role = node.role.as_ref();
        let role = role.map(|role| format!(" {role}")).unwrap_or_default();
        let size = node.sizes.map_or_else(|| thousands(node.tokens), sizes);
        out += &format!(
            "{:indent$}{} {}{role}{aside}{label}{own} {size}  {}{leaf}\n",
            "",
            node.id,
            written(node.kind),
            short(&node.preview, 70),
            indent = depth.min(MAX_INDENTED) * 2,
        );
        let below = &children[at];
        // Only a branch point indents: a line of 50,000 entries stays at the margin.
        let depth = depth + usize::from(below.len() > 1);
        stack.extend(below.iter().map(|&child| (child, depth)));
    }
    for warning in &tree.warnings {
        // People count lines from 1, as editors do; names of entries count from 0.
        let line = warning
            .line
            .map(|line| format!("line {} of the file: ", line + 1));
        out += &format!("warning: {}{}\n", line.unwrap_or_default(), warning.reason);
    }
    out
}

/// The context before and after a compaction: `155,000 -> 60,123 tokens, summary 2,900`; an estimate
/// is marked `~`.
fn sizes(sizes: CompactionSizes) -> String {
    let sign = |is_estimate: bool| if is_estimate { "~" } else { "" };
    let before = sizes.before.map_or_else(
        || "unknown".to_owned(),
        |tokens| format!("{}{}", sign(sizes.before_is_estimate), thousands(tokens)),
    );
    format!(
        "{before} -> {}{} tokens, summary {}",
        sign(sizes.after_is_forecast),
        thousands(sizes.after),
        thousands(sizes.summary)
    )
}

/// The position of each node's parent. An id can occur several times: the first entry with it is
/// meant, as in the agents' own readers. What would be its own ancestor is a root.
fn parents(nodes: &[TreeNode]) -> Vec<Option<usize>> {
    let mut first: HashMap<&str, usize> = HashMap::with_capacity(nodes.len());
    for (at, node) in nodes.iter().enumerate() {
        first.entry(&node.id).or_insert(at);
    }
    let of = |node: &TreeNode| first.get(node.parent_id.as_deref()?).copied();
    let mut parents: Vec<Option<usize>> = nodes.iter().map(of).collect();
    // Each node is looked at once: what was reached in an earlier walk leads to a root.
    let mut walk = vec![0_usize; nodes.len()];
    for start in 0..nodes.len() {
        let mut at = start;
        while walk[at] == 0 {
            walk[at] = start + 1;
            match parents[at] {
                Some(parent) if walk[parent] == start + 1 => parents[at] = None,
                Some(parent) => at = parent,
                None => break,
            }
        }
    }
    parents
}

/// A context: its sizes, then item by item.
pub(super) fn context(context: &ContextView) -> String {
    let tokens = &context.tokens;
    let mut out = format!(
        "at {}  model {}  window {}  threshold {}\nsize: {} tokens{}\n",
        context.at.as_deref().unwrap_or("(before the first entry)"),
        context.model.as_deref().unwrap_or("(unknown)"),
        or(context.window, "unknown"),
        or(context.threshold, "unknown"),
        thousands(tokens.counted.unwrap_or(tokens.size)),
        match (tokens.counted, context.basis) {
            (Some(_), _) => ", counted with the tokenizer, only text in the file".to_owned(),
            (None, SizeBasis::Reported) => match context.estimated_since {
                0 => ", reported by the provider".to_owned(),
                since => format!(
                    ": {} reported by the provider, about {} estimated since",
                    thousands(tokens.size.saturating_sub(since)),
                    thousands(since),
                ),
            },
            (None, SizeBasis::Forecast) =>
                ", a forecast: no reply since the context changed".to_owned(),
            (None, SizeBasis::Estimated) =>
                ", estimated: the provider reported no size here".to_owned(),
        },
    );
    out += &format!(
        "other measures: {} estimated by the agent's rule{}\n",
        thousands(tokens.estimated),
        match tokens.counted {
            Some(_) => format!(", {} with all that is sent", thousands(tokens.size)),
            None => String::new(),
        },
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
            thousands(item.tokens.counted.unwrap_or(item.tokens.size)),
            short(&item.text, 70),
        ]);
    }
    format!("{out}{table}")
}
