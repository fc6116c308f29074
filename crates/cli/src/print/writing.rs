//! Navigation and written sessions.

use super::table::{Table, counted, short, thousands};
use palimpsest_api::wire::{
    BranchCompareView, BranchKind, BranchSide, BranchesView, ContextSide, ContextSideName,
    NavigateView, PutBackView, WritePlanView, WrittenStanding, WrittenView,
};

/// What a summary lost.
pub(super) fn put_back(view: &PutBackView) -> String {
    match (view.text.as_str(), view.left_out_ids.len() as u64) {
        ("", 0) => "the summary lost nothing".to_owned(),
        ("", count) => format!(
            "no fact fits: {} longer than the message may be. Give --budget {} or more.",
            counted(count, "fact is", "facts are"),
            view.least_tokens.unwrap_or(view.tokens)
        ),
        (text, 0) => text.to_owned(),
        (text, count) => format!(
            "{text}\n\n({} left out by the budget)",
            counted(count, "fact", "facts")
        ),
    }
}

/// The branches of a session.
pub(super) fn branches(view: &BranchesView) -> String {
    if view.branches.is_empty() {
        return "the session has one branch".to_owned();
    }
    let mut table = Table::new(["branch", "from", "tip", "entries", "tokens", "name"]);
    table.right(&[3, 4]);
    let active = view.active.iter().map(|branch| (true, branch));
    let others = view.branches.iter().map(|branch| (false, branch));
    for (is_active, branch) in active.chain(others) {
        let kind = match branch.kind {
            _ if is_active => "active",
            BranchKind::Branch => "branch",
            BranchKind::Root => "root",
        };
        table.row([
            kind.to_owned(),
            branch
                .from_id
                .as_deref()
                .map_or_else(|| "none".to_owned(), |id| short(id, 12)),
            short(&branch.tip_id, 12),
            thousands(branch.entries),
            thousands(branch.tokens),
            short(&branch.name, 60),
        ]);
    }
    table.to_string()
}

/// Two branches since they parted.
pub(super) fn branch_compare(view: &BranchCompareView) -> String {
    let ancestor = view.common_ancestor_id.as_deref().unwrap_or("none");
    let mut table = Table::new(["", "left", "right"]);
    let mut row = |name: &str, of: fn(&BranchSide) -> String| {
        table.row([name.to_owned(), of(&view.left), of(&view.right)]);
    };
    row("tip", |side| short(&side.tip_id, 12));
    row("entries", |side| thousands(side.entries));
    row("prompts", |side| thousands(side.prompts));
    row("tool calls", |side| thousands(side.calls));
    row("failed", |side| thousands(side.failed));
    row("commands", |side| thousands(side.total_commands));
    row("files modified", |side| {
        thousands(side.files.modified.len() as u64)
    });
    row("files only read", |side| {
        thousands(side.files.read.len() as u64)
    });
    row("tokens", |side| thousands(side.tokens));
    row("context", |side| self::side(&side.context));
    row("cost", |side| {
        side.cost_usd
            .map_or_else(|| "unknown".into(), |usd| format!("${usd:.4}"))
    });
    let mut lines = vec![format!("common ancestor {ancestor}"), table.to_string()];
    for (name, side) in [("left", &view.left), ("right", &view.right)] {
        let files = side
            .files
            .modified
            .iter()
            .map(|path| format!("  modified {path}"));
        let commands = side.commands.iter().map(|own| {
            let failed = if own.failed { " (failed)" } else { "" };
            format!("  ran {}{failed}", short(&own.command, 90))
        });
        let did: Vec<String> = files.chain(commands).collect();
        if !did.is_empty() {
            lines.push(name.to_owned());
            lines.extend(did);
        }
        if !side.answer.is_empty() {
            lines.push(format!(
                "last answer of {name}: {}",
                short(&side.answer, 300)
            ));
        }
    }
    lines.join("\n")
}

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
    if let Some(items) = &view.items {
        lines.push(format!(
            "items           {} in both, {} only now, {} only there",
            thousands(items.same),
            thousands(items.removed),
            thousands(items.added)
        ));
        for row in &items.rows {
            let (sign, item) = match (row.side, &row.item) {
                (ContextSideName::Before, Some(item)) => ('-', item),
                (ContextSideName::After, Some(item)) => ('+', item),
                _ => continue,
            };
            let text: Vec<&str> = item.text.split_whitespace().collect();
            lines.push(format!(
                "  {sign} {:>8} {} {}",
                thousands(row.tokens),
                item.native_role,
                short(&text.join(" "), 60)
            ));
        }
    }
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
        let WrittenView { id, path, .. } = written;
        // A note says what is different from a write that was taken back just now.
        return if written.notes.is_empty() {
            format!("{id} {}: {path}", state(written))
        } else {
            format!("{id}: {}\nfile    {path}", written.notes.join(" "))
        };
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
        format!("undo    palimpsest written undo {}", written.id),
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
