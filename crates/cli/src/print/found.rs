//! What a search found, for people.

use super::table::{counted, time};
use super::{marks, short};
use palimpsest_api::wire::{FindColumn, FindView, SearchPage, written};

/// What of a query has no effect, as a line before the answer.
pub(super) fn ignored(ignored: &[String]) -> String {
    if ignored.is_empty() {
        return String::new();
    }
    let lines = ignored.iter().map(|part| format!("ignored: {part}\n"));
    lines.collect()
}

/// Hits over all sessions.
pub(super) fn search(page: &SearchPage) -> String {
    let mut out = ignored(&page.ignored);
    if let Some(note) = &page.note {
        out += &format!("{note}\n");
    }
    // The user's notes and labels come before the hits in sessions: they are few and were written
    // to be found.
    out += &marks::hits(page);
    for hit in &page.hits {
        out += &format!(
            "{}  {}  {}  {}\n    {}\n",
            short(&hit.session, 10),
            hit.entry_id,
            time(hit.timestamp),
            short(&hit.title, 60),
            // One line per hit, also where the snippet spans several; an entry found by a filter
            // alone may have no text.
            match hit.snippet.replace('\n', " ") {
                empty if empty.is_empty() => format!("({} without text)", written(hit.kind)),
                said => said,
            },
        );
    }
    let more = if page.more { " (more available)" } else { "" };
    format!(
        "{out}{}{more} in {} ms",
        counted(page.hits.len() as u64, "hit", "hits"),
        page.elapsed_ms
    )
}

/// Hits inside one session, in three parts.
pub(super) fn inside(found: &FindView) -> String {
    let mut out = ignored(&found.ignored);
    let Some(compaction) = &found.compaction else {
        out += &column("in the session", &found.before);
        out += &column("in summaries", &found.summaries);
        return out.trim_end().to_owned();
    };
    out += &column(
        &format!("before the compaction {compaction}"),
        &found.before,
    );
    out += &column("in summaries", &found.summaries);
    out += &column("after the compaction", &found.after);
    out.trim_end().to_owned()
}

fn column(name: &str, column: &FindColumn) -> String {
    let mut out = format!("{name}: {}\n", counted(column.total, "hit", "hits"));
    for hit in &column.hits {
        let what = hit.role.map_or_else(|| written(hit.kind), written);
        out += &format!(
            "  {}  {}  {what}\n    {}\n",
            hit.entry_id,
            time(hit.timestamp),
            hit.snippet
        );
    }
    let left = column.total.saturating_sub(column.hits.len() as u64);
    if left > 0 {
        out += &format!("  {} more\n", counted(left, "hit", "hits"));
    }
    out
}
