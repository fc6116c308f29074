//! Navigation and written sessions.

use super::table::{Table, counted, short, thousands};
use palimpsest_api::wire::{
    ContextSide, NavigateView, WritePlanView, WrittenStanding, WrittenView,
};

/// What navigation would do.
pub(super) fn navigate(view: &NavigateView) -> String {
    let or_none = |id: &Option<String>| id.clone().unwrap_or_else(|| "none".to_owned());
    let mut lines = vec![
        format!("from            {}", or_none(&view.from_id)),
        format!("to              {}", view.to_id),
        format!("new leaf        {}", or_none(&view.new_leaf_id)),
        format!("common ancestor {}", or_none(&view.common_ancestor_id)),
        format!(
            "left behind     {}, {} tokens",
            counted(view.left_behind_ids.len() as u64, "entry", "entries"),
            thousands(view.left_behind_tokens)
        ),
        format!("context now     {}", side(&view.context_before)),
        format!("context there   {}", side(&view.context_after)),
    ];
    let mut list = |title: &str, paths: &[String]| {
        if !paths.is_empty() {
            lines.push(title.to_owned());
            lines.extend(paths.iter().map(|path| format!("  {path}")));
        }
    };
    list("files modified", &view.files.modified);
    list("files read", &view.files.read);
    if let Some(prompt) = &view.prompt {
        lines.push("The target is a prompt. The session continues before it; its text is:".into());
        lines.extend(prompt.lines().map(|line| format!("  {line}")));
    }
    if !view.can_write {
        lines.push("Sessions of this agent cannot be written.".into());
    }
    lines.join("\n")
}

fn side(side: &ContextSide) -> String {
    let window = side
        .window
        .map(|window| format!(" of {}", thousands(window)));
    format!(
        "{}, {}{} tokens",
        counted(side.items, "item", "items"),
        thousands(side.tokens),
        window.unwrap_or_default()
    )
}

/// What a write would do.
pub(super) fn plan(plan: &WritePlanView) -> String {
    let mut table = Table::new(["role", "entry", "tokens", "text"]);
    table.right(&[2]);
    for item in &plan.context {
        table.row([
            item.native_role.clone(),
            item.entry_id
                .as_deref()
                .map_or("new".into(), |id| short(id, 12)),
            thousands(item.tokens),
            short(&item.preview, 60),
        ]);
    }
    let mut lines = vec![
        format!("would write {} bytes: {}", thousands(plan.bytes), plan.path),
        format!(
            "context: {} tokens now, {} then",
            thousands(plan.tokens_before),
            thousands(plan.tokens_after)
        ),
        table.to_string(),
    ];
    lines.extend(plan.notes.iter().cloned());
    lines.join("\n")
}

/// A write that was done or taken back.
pub(super) fn one(written: &WrittenView) -> String {
    if written.standing != WrittenStanding::AsWritten {
        return format!("{} {}: {}", written.id, state(written), written.path);
    }
    let what = if written.appended {
        "appended to"
    } else {
        "wrote"
    };
    let mut lines = vec![
        format!("{what} {}", written.path),
        format!("id      {}", written.id),
        format!("resume  {}", written.resume_command),
    ];
    if let Some(backup) = &written.backup {
        lines.push(format!("backup  {backup}"));
    }
    lines.extend(written.notes.iter().cloned());
    lines.join("\n")
}

/// The list.
pub(super) fn all(rows: &[WrittenView]) -> String {
    if rows.is_empty() {
        return "nothing was written yet".to_owned();
    }
    let mut table = Table::new(["id", "agent", "change", "in", "state", "file"]);
    for row in rows {
        let place = if row.appended { "original" } else { "new file" };
        table.row([
            row.id.clone(),
            row.agent.clone(),
            row.change.replace('_', " "),
            place.to_owned(),
            state(row).to_owned(),
            row.path.clone(),
        ]);
    }
    table.to_string()
}

fn state(row: &WrittenView) -> &'static str {
    match row.standing {
        WrittenStanding::AsWritten => "as written",
        WrittenStanding::Continued => "changed since",
        WrittenStanding::Missing => "missing",
        WrittenStanding::Undone => "undone",
    }
}
