//! Navigation, and sessions written for their agents.

use super::{Empty, names, side_by_side};
use crate::render::{utf16_len, utf16_slice};
use crate::wire::*;
use palimpsest_app::view::side_by_side::Side;
use palimpsest_app::writing::{self, ExpectedItem, Foreseen, Source, Target, WriteSpec, Written};
use palimpsest_app::{App, AppResult, OpenSession};
use palimpsest_core::estimate::text_tokens;
use palimpsest_core::{Bodies as _, EntryIx};

/// What navigation to another entry would do.
pub(crate) fn navigate(app: &App, request: NavigateRequest) -> AppResult<NavigateView> {
    let left = app.leaving(&request.session, request.from.as_deref(), &request.to)?;
    let open = &left.open;
    let id = |ix| names::id(&open.session, ix);
    let entries = &left.branch.entries;
    let files = writing::files_of(open, entries);
    let run = request.run.map(|run| app.run_named(&run)).transpose()?;
    let of_run = run.as_ref().and_then(|run| run.own_summary());
    let summary = request.summary.as_deref().or(of_run);
    let prompt = if left.written_anew {
        let body = open.bodies.body(left.to)?;
        Some(body.messages.iter().map(|own| own.text("\n")).collect())
    } else {
        None
    };
    let mut after = side(app, open, left.new_leaf);
    let mut items = match request.items {
        Some(true) => {
            let (from, to) = (Side::at(open, left.from), Side::at(open, left.new_leaf));
            Some(side_by_side::rows(&from, &to)?)
        }
        _ => None,
    };
    if let Some(summary) = summary {
        let tokens = text_tokens(summary);
        after.items += 1;
        after.tokens += tokens;
        if let Some(items) = &mut items {
            items.added += 1;
            items.added_tokens += tokens;
            items.rows.push(new_summary(summary, tokens));
        }
    }
    Ok(NavigateView {
        from_id: left.from.map(id),
        to_id: id(left.to),
        new_leaf_id: left.new_leaf.map(id),
        prompt,
        common_ancestor_id: left.branch.common_ancestor.map(id),
        left_behind_ids: entries.iter().map(|&ix| id(ix)).collect(),
        left_behind_tokens: entries
            .iter()
            .map(|&ix| open.session.entry(ix).estimate())
            .sum(),
        files: FileLists {
            read: files.read,
            modified: files.modified,
        },
        context_before: side(app, open, left.from),
        context_after: after,
        items,
        run_id: run.map(|run| run.row.id),
        can_write: writing::can_write(open.session.meta.agent),
    })
}

pub(super) fn side(app: &App, open: &OpenSession, at: Option<EntryIx>) -> ContextSide {
    let sized = open.measured_context(at);
    let budget = app.budget(open, at, sized.context.model.as_ref());
    ContextSide {
        items: sized.context.items.len() as u64,
        tokens: sized.tokens,
        window: budget.window,
        threshold: budget.threshold,
    }
}

/// The branch summary that is to be written, as a row of the new context.
fn new_summary(summary: &str, tokens: u64) -> ContextRow {
    /// As of the other rows, in UTF-16 units.
    const MOST: u64 = 400;
    ContextRow {
        side: ContextSideName::After,
        count: 1,
        tokens,
        item: Some(ContextItemView {
            role: Role::User,
            native_role: "branchSummary".to_owned(),
            kind: ItemKind::BranchSummary,
            entry_ids: Vec::new(),
            origin: Origin::Summary,
            tokens: TokenFigures {
                estimated: tokens,
                size: tokens,
                ..TokenFigures::default()
            },
            category: Category::Summaries,
            tool_name: None,
            sent: true,
            text: utf16_slice(summary, 0, MOST).to_owned(),
            total_chars: utf16_len(summary),
        }),
    }
}

/// The context of the session that a write was made from, and of what was written, item by item:
/// of an addition the backup is what was before.
pub(crate) fn written_contexts(app: &App, request: WrittenRequest) -> AppResult<WrittenContexts> {
    let [before, after] = app.written_sessions(&request.id)?;
    let of = |open: &'_ OpenSession| side(app, open, open.session.active_leaf);
    Ok(WrittenContexts {
        before: of(&before),
        after: of(&after),
        items: side_by_side::rows(
            &Side::at(&before, before.session.active_leaf),
            &Side::at(&after, after.session.active_leaf),
        )?,
    })
}

/// What a write would do.
pub(crate) fn write_plan(app: &App, request: WriteRequest) -> AppResult<WritePlanView> {
    let foreseen = app.foresee_write(&spec(request))?;
    let prepared = &foreseen.prepared;
    let open = &prepared.open;
    let context = items(&foreseen)?;
    Ok(WritePlanView {
        change: prepared.change_name().to_owned(),
        leaf_id: prepared.leaf.map(|ix| names::id(&open.session, ix)),
        path: foreseen.path.display().to_string(),
        bytes: foreseen.bytes,
        tokens_before: prepared.context.estimated,
        tokens_after: context.iter().map(|item| item.tokens).sum(),
        context,
        notes: prepared.notes.clone(),
    })
}

fn items(foreseen: &Foreseen) -> AppResult<Vec<WrittenItem>> {
    let open = &foreseen.prepared.open;
    let item = |item: &ExpectedItem| {
        Ok(match item {
            ExpectedItem::Original(item) => {
                let message = palimpsest_app::view::context::item_message(open, item)?;
                WrittenItem {
                    role: item.role,
                    native_role: item.native_role.to_owned(),
                    entry_id: item.entries.first().map(|&ix| names::id(&open.session, ix)),
                    tokens: item.estimate,
                    preview: preview(&message.text(" ")),
                }
            }
            ExpectedItem::New(message) => {
                let text = message.text("\n");
                WrittenItem {
                    role: message.role,
                    native_role: message.native_role.to_owned(),
                    entry_id: None,
                    tokens: text_tokens(&text),
                    preview: preview(&text),
                }
            }
        })
    };
    foreseen.context.iter().map(item).collect()
}

/// The first words of a text on one line.
fn preview(text: &str) -> String {
    /// As long as the previews of entries.
    const MOST: usize = 160;
    let mut line = String::new();
    for word in text.split_whitespace() {
        if line.chars().count() + word.chars().count() >= MOST {
            line.push('…');
            break;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

/// Writes a session.
pub(crate) fn write(app: &App, request: WriteRequest) -> AppResult<WrittenView> {
    Ok(view(&app.write(&spec(request))?))
}

/// Everything that was written, newest first.
pub(crate) fn written(app: &App, _: Empty) -> AppResult<Vec<WrittenView>> {
    Ok(app.written()?.iter().map(view).collect())
}

/// Starts a terminal in which the agent resumes what was written.
pub(crate) fn written_resume(app: &App, request: WrittenRequest) -> AppResult<Empty> {
    app.resume_written(&request.id)?;
    Ok(Empty {})
}

/// Takes a write back.
pub(crate) fn written_undo(app: &App, request: WrittenRequest) -> AppResult<WrittenView> {
    Ok(view(&app.undo_written(&request.id)?))
}

fn spec(request: WriteRequest) -> WriteSpec {
    WriteSpec {
        session: request.session,
        source: match request.from {
            WriteFrom::Navigation { to, from, summary } => Source::Navigation { to, from, summary },
            WriteFrom::Run { run, text } => Source::Run { run, text },
            WriteFrom::Edited { summary, text } => Source::Edited { summary, text },
            WriteFrom::Message { text } => Source::Message { text },
            WriteFrom::Undone { compaction } => Source::Undone { compaction },
        },
        leaf: request.leaf,
        target: match request.append {
            Some(true) => Target::Append,
            _ => Target::New {
                out: request.out.map(Into::into),
            },
        },
    }
}

fn view(written: &Written) -> WrittenView {
    let row = &written.row;
    WrittenView {
        id: row.id.clone(),
        path: row.path.clone(),
        agent: row.agent.name().to_owned(),
        resume_command: written.resume_command(),
        sha256: row.hash.clone(),
        appended: row.appended,
        change: row.change.clone(),
        session: row.session_id.clone(),
        session_path: row.session_path.clone(),
        leaf_id: row.leaf_id.clone(),
        run_id: row.run_id.clone(),
        backup: row.backup.clone(),
        standing: written.standing.into(),
        written_at: row.written_at_ms,
        notes: written.notes.clone(),
    }
}
