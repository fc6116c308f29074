//! A session, its tree, one entry and one context as documents.

use super::document::{Document, Part};
use crate::numbers::tokens;
use crate::wire::{ContextView, EntryTextView, PartKind, SessionView, TreeNode, TreeView};
use palimpsest_core::words::thousands;
use std::collections::HashMap;

/// Longest text of an entry in bytes; what follows is said to be left out. JSON has it whole.
const LONGEST: usize = 20_000;

/// The figures of a session.
fn figures(out: &mut Document, view: &SessionView) {
    let row = &view.row;
    out.fields([
        ("Agent", Some(row.agent.clone())),
        ("Version", row.agent_version.clone()),
        ("Model", row.model.clone()),
        ("File", Some(row.path.clone())),
        ("Folder", row.cwd.clone()),
        ("Begun", row.created_at.map(day)),
        ("Changed", row.updated_at.map(day)),
        ("Entries", Some(thousands(row.entries))),
        ("Compactions", Some(row.compactions.to_string())),
        ("Largest context", row.peak_context.map(tokens)),
        ("Cost", row.cost_usd.map(|cost| format!("${cost:.2}"))),
    ]);
}

/// A session: its figures, and the conversation on the active path.
pub(crate) fn session(view: &SessionView, entries: &[EntryTextView]) -> Document {
    let mut out = Document::new(view.row.title.clone());
    figures(&mut out, view);
    out.heading(2, format!("Active path ({} entries)", entries.len()));
    for entry in entries {
        entry_parts(&mut out, 3, entry);
    }
    out
}

/// One entry.
pub(crate) fn entry(entry: &EntryTextView) -> Document {
    let mut out = Document::new(format!("Entry {}", entry.id));
    let details = entry.details.iter();
    out.parts.push(Part::Fields(
        details
            .map(|detail| (detail.name.clone(), detail.value.clone()))
            .collect(),
    ));
    entry_parts(&mut out, 2, entry);
    out
}

fn entry_parts(out: &mut Document, level: u8, entry: &EntryTextView) {
    let who = entry.native_role.clone();
    let who = who.or_else(|| entry.record.clone());
    let mut title = who.unwrap_or_else(|| word(&entry.kind));
    if !entry.tools.is_empty() {
        title += &format!(", {}", entry.tools.join(", "));
    }
    title += match (entry.rejected, entry.aborted, entry.is_error) {
        (true, _, _) => ", rejected",
        (_, true, _) => ", stopped by the user",
        (_, _, true) => ", failed",
        _ => "",
    };
    if entry.undone {
        title += ", taken back";
    }
    if let Some(at) = entry.timestamp {
        title += &format!(", {}", day(at));
    }
    out.heading(level, format!("{title} [{}]", entry.id));
    for part in &entry.parts {
        if part.text.trim().is_empty() {
            continue;
        }
        let text = Part::Verbatim(shortened(&part.text));
        let name = part.tool.as_deref().unwrap_or("tool");
        match part.kind {
            PartKind::Text => out.parts.push(text),
            PartKind::Failure => out.parts.push(Part::Fold("Error".to_owned(), vec![text])),
            PartKind::Thinking => out
                .parts
                .push(Part::Fold("Thinking".to_owned(), vec![text])),
            PartKind::Call => out
                .parts
                .push(Part::Fold(format!("Call of {name}"), vec![text])),
            PartKind::Result => out
                .parts
                .push(Part::Fold(format!("Result of {name}"), vec![text])),
            PartKind::Image => out.text(format!("Image: {}", part.text)),
            PartKind::Other => out
                .parts
                .push(Part::Fold("Record of the agent".to_owned(), vec![text])),
        }
    }
}

/// The tree as an indented outline: deeper by one at each branch point.
pub(crate) fn tree(view: &SessionView, tree: &TreeView) -> Document {
    let mut out = Document::new(format!("Tree of {}", view.row.title));
    figures(&mut out, view);
    let mut children: HashMap<Option<&str>, Vec<&TreeNode>> = HashMap::new();
    let ids: std::collections::HashSet<&str> =
        tree.nodes.iter().map(|node| node.id.as_str()).collect();
    for node in &tree.nodes {
        let parent = node.parent_id.as_deref().filter(|id| ids.contains(id));
        children.entry(parent).or_default().push(node);
    }
    let mut lines = String::new();
    // A stack and no recursion: a branch can be as long as the session.
    let mut stack: Vec<(&TreeNode, usize)> = Vec::new();
    let roots = children.get(&None).cloned().unwrap_or_default();
    let deeper = usize::from(roots.len() > 1);
    stack.extend(roots.into_iter().rev().map(|node| (node, deeper)));
    while let Some((node, depth)) = stack.pop() {
        let sign = if node.on_active_path { "*" } else { " " };
        let who = node.role.clone().unwrap_or_else(|| word(&node.kind));
        let label = node
            .label
            .as_ref()
            .map_or(String::new(), |own| format!(" [{own}]"));
        lines += &format!(
            "{sign} {}{who}{label}: {}\n",
            "  ".repeat(depth.min(30)),
            node.preview
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
        );
        let own = children.get(&Some(node.id.as_str()));
        let own = own.map(Vec::as_slice).unwrap_or_default();
        let deeper = depth + usize::from(own.len() > 1);
        stack.extend(own.iter().rev().map(|node| (*node, deeper)));
    }
    out.heading(2, format!("{} entries", tree.nodes.len()));
    out.text("A star marks the entries on the active path. Branches are indented.");
    out.parts.push(Part::Verbatim(lines));
    out
}

/// The context at an entry, item by item.
pub(crate) fn context(view: &ContextView) -> Document {
    let at = view.at.as_deref().unwrap_or("the beginning");
    let mut out = Document::new(format!("Context at {at}"));
    out.fields([
        ("Model", view.model.clone()),
        ("Size", Some(tokens(view.tokens.size))),
        ("Context window", view.window.map(tokens)),
        ("Auto-compaction threshold", view.threshold.map(tokens)),
        ("Items", Some(view.total_items.to_string())),
    ]);
    let rows = view.by_category.iter();
    let rows = rows.map(|(category, size)| vec![word(category), thousands(*size)]);
    out.parts.push(Part::Table {
        head: vec!["Category".to_owned(), "Tokens".to_owned()],
        rows: rows.collect(),
        right: vec![1],
    });
    for item in &view.items {
        let tool = item.tool_name.as_ref();
        let tool = tool.map_or(String::new(), |tool| format!(", {tool}"));
        let from = item.entry_ids.join(", ");
        let size = tokens(item.tokens.estimated);
        out.heading(3, format!("{}{tool}, {size} [{from}]", item.native_role));
        out.parts.push(Part::Verbatim(shortened(&item.text)));
    }
    out
}

fn shortened(text: &str) -> String {
    if text.len() <= LONGEST {
        return text.to_owned();
    }
    let cut = text.floor_char_boundary(LONGEST);
    let rest = text[cut..].chars().count();
    format!(
        "{}\n[{rest} more characters are in the JSON export]",
        &text[..cut]
    )
}

/// A word of the wire as a reader sees it.
fn word<T: serde::Serialize>(value: &T) -> String {
    let value = serde_json::to_value(value).unwrap_or_default();
    value.as_str().unwrap_or_default().replace('_', " ")
}

/// A time as its day and minute, UTC.
fn day(ms: i64) -> String {
    let minutes = ms.div_euclid(60_000);
    let (days, minute) = (minutes.div_euclid(1_440), minutes.rem_euclid(1_440));
    // Howard Hinnant's days-to-civil algorithm, with years that begin in March.
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 {
        shifted_month + 3
    } else {
        shifted_month - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!(
        "{year:04}-{month:02}-{day:02} {:02}:{:02}",
        minute / 60,
        minute % 60
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_days_and_minutes() {
        assert_eq!(day(0), "1970-01-01 00:00");
        assert_eq!(day(951_782_399_000), "2000-02-28 23:59");
        assert_eq!(day(951_782_400_000), "2000-02-29 00:00");
        assert_eq!(day(1_795_401_960_000), "2026-11-23 02:46");
    }
}
