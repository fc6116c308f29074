//! Stars, notes and labels of the user.

use super::short;
use super::table::time;
use palimpsest_api::wire::{
    LabelsView, MarkedEntry, MarksView, NoteSaved, RenameView, SearchPage, SessionRow, StarView,
    TreeNode, written,
};

/// Widest that a session or an entry is named, in characters.
const NAME_CHARS: usize = 60;

/// The marks of a session, in its order.
pub(super) fn all(marks: &MarksView) -> String {
    let mut lines = Vec::new();
    if marks.starred {
        lines.push("starred".to_owned());
    }
    let notes = marks.notes.iter();
    lines.extend(notes.map(|note| format!("note on {}: {}", on(note.on.as_ref()), note.text)));
    let labels = marks.labels.iter();
    lines.extend(labels.map(|label| format!("label on {}: {}", on(label.on.as_ref()), label.text)));
    if lines.is_empty() {
        return "no star, notes or labels".to_owned();
    }
    lines.join("\n")
}

fn on(entry: Option<&MarkedEntry>) -> String {
    let Some(entry) = entry else {
        return "the session".to_owned();
    };
    let which = match entry.occurrence {
        0 | 1 => String::new(),
        occurrence => format!(" (number {occurrence})"),
    };
    let id = &entry.entry_id;
    if entry.ix.is_none() {
        return format!("{id}{which}, which is no longer in the session");
    }
    format!("{id}{which} {}", short(&entry.preview, NAME_CHARS))
}

/// A star that was set or removed.
pub(super) fn star(star: &StarView) -> String {
    let done = if star.starred {
        "starred the session"
    } else {
        "star removed from the session"
    };
    done.to_owned()
}

/// A session that was renamed.
pub(super) fn renamed(renamed: &RenameView) -> String {
    match &renamed.title {
        Some(title) => format!("the session is called {title}"),
        None => "the session has its own title again".to_owned(),
    }
}

/// A note that was saved or deleted.
pub(super) fn note(note: &NoteSaved) -> String {
    let place = place(&note.session, note.entry_id.as_deref());
    match (&note.text, &note.before) {
        (None, None) => format!("there was no note on {place}"),
        (None, Some(before)) => format!("note on {place} deleted; it was: {before}"),
        (Some(_), None) => format!("note on {place} saved"),
        (Some(_), Some(before)) => format!("note on {place} saved; before: {before}"),
    }
}

/// The labels on something after a change.
pub(super) fn labels(view: &LabelsView) -> String {
    let place = place(&view.session, view.entry_id.as_deref());
    if view.labels.is_empty() {
        return format!("no labels on {place}");
    }
    format!("labels on {place}: {}", view.labels.join(", "))
}

fn place(session: &str, entry: Option<&str>) -> String {
    match entry {
        Some(entry) => format!("entry {entry}"),
        None => format!("session {session}"),
    }
}

/// The notes and labels found by a search.
pub(super) fn hits(page: &SearchPage) -> String {
    let hits = page.marks.iter().map(|hit| {
        format!(
            "{}  {}{} on {}  {}  {}\n    {}\n",
            hit.shown_id,
            if hit.by_agent { "the agent's " } else { "" },
            written(hit.kind),
            hit.entry_id.as_deref().unwrap_or("the session"),
            time(Some(hit.timestamp)),
            short(&hit.title, NAME_CHARS),
            hit.snippet,
        )
    });
    hits.collect()
}

/// The user's labels and note on an entry of a tree.
pub(super) fn on_node(node: &TreeNode) -> String {
    let labels = node.user_labels.iter();
    let labels: String = labels
        .map(|label| format!(" [your label: {label}]"))
        .collect();
    let note = node.note.as_ref();
    let note = note.map_or_else(String::new, |note| format!(" [note: {}]", short(note, 30)));
    format!("{labels}{note}")
}

/// What stands before the title of a session with a star.
pub(super) fn star_sign(row: &SessionRow) -> &'static str {
    if row.starred { "* " } else { "" }
}
