//! The tree: whole, as rows, as geometry.

use super::names;
use super::queued::QueuedPrompts;
use crate::wire::*;
use palimpsest_app::marks::Placed;
use palimpsest_app::view::branches::branches;
use palimpsest_app::view::brief;
use palimpsest_app::view::outline::{self, Row};
use palimpsest_app::view::timeline;
use palimpsest_app::view::turns::{self, Turn};
use palimpsest_app::{App, AppError, AppResult, OpenSession};
use palimpsest_core::failure::Problem;
use palimpsest_core::layout::{GraphRevision, PictureOptions};
use palimpsest_core::{EntryIx, EntryKind};
use std::collections::{HashMap, HashSet};

/// Most texts that one answer has.
const MOST_TEXTS: usize = 200;

/// Every entry of a session.
pub(crate) fn tree(app: &App, request: SessionRequest) -> AppResult<TreeView> {
    let open = app.open(&request.session)?;
    let session = &open.session;
    let mut nodes: Vec<TreeNode> = session.indices().map(|ix| node(&open, ix)).collect();
    for (ix, sizes) in compaction_sizes(&open, session.indices()) {
        if let Some(node) = nodes.get_mut(ix.get()) {
            node.sizes = Some(sizes);
        }
    }
    for fork in branches(&open).into_iter().filter_map(|branch| branch.from) {
        if let Some(node) = nodes.get_mut(fork.get()) {
            node.is_fork = true;
        }
    }
    let taken_back = app.taken_back_from(&open).map(EntryIx::get);
    for node in nodes.iter_mut().skip(taken_back.unwrap_or(usize::MAX)) {
        node.undone = true;
    }
    // A tree can be shown when the user database cannot be read.
    if let Ok(marks) = app.marks_of(&open) {
        for Placed { mark, ix } in marks.notes {
            if let Some(node) = ix.and_then(|ix| nodes.get_mut(ix.get())) {
                node.note = Some(mark.text);
            }
        }
        for Placed { mark, ix } in marks.labels {
            if let Some(node) = ix.and_then(|ix| nodes.get_mut(ix.get())) {
                node.user_labels.push(mark.text);
            }
        }
    }
    Ok(TreeView {
        id: open.id.clone(),
        agent: session.meta.agent.to_string(),
        leaf_id: session.active_leaf.map(|ix| names::id(session, ix)),
        warnings: super::sessions::warnings(&open),
        nodes,
        merged: session
            .merged
            .iter()
            .map(|merged| MergedRecord {
                line: merged.line,
                into: names::id(session, merged.into),
            })
            .collect(),
    })
}

fn node(open: &OpenSession, ix: EntryIx) -> TreeNode {
    let entry = open.session.entry(ix);
    let place = open.place(ix);
    TreeNode {
        id: names::id(&open.session, ix),
        parent_id: open
            .tree
            .parent(ix)
            .map(|parent| names::id(&open.session, parent)),
        parent_guessed: entry.has_guessed_parent(),
        line: place.line,
        kind: entry.kind.record(),
        role: entry.native_role().map(str::to_owned),
        timestamp: entry.at_ms,
        label: open.labels.get(&ix).map(ToString::to_string),
        tokens: entry.estimate(),
        preview: entry.preview.to_string(),
        is_fork: false,
        sidechain: entry.sidechain,
        on_active_path: open.on_active_path[ix.get()],
        undone: entry.undone,
        file: place.file.map(str::to_owned),
        note: None,
        user_labels: Vec::new(),
        sizes: None,
    }
}

/// A page of the outline.
pub(crate) fn outline(app: &App, request: OutlineRequest) -> AppResult<OutlinePage> {
    let open = app.open(&request.session)?;
    let known = open.session.by_id();
    let named = |ids: &[String]| -> HashSet<EntryIx> {
        let found = ids.iter().filter_map(|id| known.get(id.as_str()).copied());
        found.collect()
    };
    let mut folded = named(&request.folded);
    let unfolded = named(&request.unfolded);
    // Folded unless they are opened: they are other conversations.
    folded.extend(outline::sidechains(&open).filter(|ix| !unfolded.contains(ix)));
    let rows = outline::rows(
        &open,
        filter(request.filter),
        &folded,
        &app.labelled_entries(&open),
    );
    let focus = match &request.around {
        Some(name) => nearest(&open, &rows, open.resolve(name)?),
        None => None,
    };
    let limit = usize::try_from(request.limit).unwrap_or(usize::MAX);
    let offset = match focus {
        // The wanted row is in the middle of the page.
        Some(position) => position.saturating_sub(limit / 2),
        None => usize::try_from(request.offset)
            .unwrap_or(usize::MAX)
            .min(rows.len()),
    };
    let end = offset.saturating_add(limit).min(rows.len());
    let page = &rows[offset..end];
    // For the rows of the page only, because each size needs a context.
    let sizes = compaction_sizes(&open, page.iter().map(|row| row.ix));
    let inside = outline::sidechain_sizes(&open);
    let queued = QueuedPrompts::of_session(&open);
    let failed_tests = app.failed_tests(&open);
    let taken_back = app.taken_back_from(&open);
    let turns = match request.filter {
        TreeFilter::UserOnly => turns::turns(&open, app.catalog()),
        _ => HashMap::new(),
    };
    Ok(OutlinePage {
        total: rows.len() as u64,
        offset: offset as u64,
        rows: page
            .iter()
            .map(|row| OutlineRow {
                is_error: open.session.entry(row.ix).is_failure() || failed_tests.contains(&row.ix),
                undone: open.session.entry(row.ix).undone
                    || taken_back.is_some_and(|from| row.ix >= from),
                inside: inside.get(&row.ix).copied(),
                queued: queued.of(row.ix),
                turn: turns.get(&row.ix).map(turn_view),
                ..outline_row(&open, row, &sizes)
            })
            .collect(),
        focus: focus.map(|position| position as u64),
    })
}

/// What each prompt of a session cost, and how long its turn took.
pub(crate) fn session_turns(app: &App, request: SessionRequest) -> AppResult<TurnsView> {
    let open = app.open(&request.session)?;
    let turns = turns::turns(&open, app.catalog());
    let prompts = open.session.indices();
    let rows = prompts.filter_map(|ix| {
        let entry = open.session.entry(ix);
        Some(TurnRow {
            entry_id: names::id(&open.session, ix),
            line: open.place(ix).line,
            timestamp: entry.at_ms,
            preview: entry.preview.to_string(),
            turn: turns.get(&ix).map(turn_view)?,
        })
    });
    Ok(TurnsView {
        turns: rows.collect(),
    })
}

fn turn_view(turn: &Turn) -> TurnView {
    TurnView {
        cost_usd: turn.cost.map(|cost| cost.usd),
        cost_computed: turn.cost.is_some_and(|cost| cost.is_computed),
        duration_ms: turn.duration_ms,
        costs_most: turn.costs_most,
    }
}

/// The row of `ix`, or of its nearest ancestor that the filter shows.
fn nearest(open: &OpenSession, rows: &[Row], ix: EntryIx) -> Option<usize> {
    let positions: HashMap<EntryIx, usize> = rows
        .iter()
        .enumerate()
        .map(|(position, row)| (row.ix, position))
        .collect();
    let mut at = Some(ix);
    while let Some(ix) = at {
        if let Some(&position) = positions.get(&ix) {
            return Some(position);
        }
        // The filter may hide the entry itself.
        at = open.tree.parent(ix);
    }
    None
}

/// Context sizes before and after each compaction among entries.
fn compaction_sizes(
    open: &OpenSession,
    entries: impl Iterator<Item = EntryIx>,
) -> HashMap<EntryIx, CompactionSizes> {
    let is_compaction =
        |ix: &EntryIx| matches!(open.session.entry(*ix).kind, EntryKind::Compaction(_));
    entries
        .filter(is_compaction)
        .map(|ix| {
            let before = timeline::before_compaction(open, ix);
            let after = open.after_compaction(ix);
            let sizes = CompactionSizes {
                before: before.map(|own| own.tokens),
                before_is_estimate: before.is_some_and(|own| own.is_estimate),
                after: after.tokens,
                after_is_forecast: after.is_forecast,
                summary: after.summary,
            };
            (ix, sizes)
        })
        .collect()
}

fn outline_row(
    open: &OpenSession,
    row: &Row,
    sizes: &HashMap<EntryIx, CompactionSizes>,
) -> OutlineRow {
    let entry = open.session.entry(row.ix);
    // Several calls of a tool are several names; the results of calls in the same record are none.
    let results = entry.messages.iter();
    let results = results.filter_map(|message| message.tool_name.as_deref());
    let calls = entry.tool_calls.iter().map(|call| &*call.name);
    let tools: Vec<&str> = match &*entry.tool_calls {
        [] => results.collect(),
        _ => calls.collect(),
    };
    OutlineRow {
        entry_id: names::id(&open.session, row.ix),
        ix: row.ix.0,
        line: open.place(row.ix).line,
        depth: row.depth,
        kind: entry.kind.record(),
        role: entry.role(),
        tools: tools.into_iter().map(str::to_owned).collect(),
        label: open.labels.get(&row.ix).map(ToString::to_string),
        preview: entry.preview.to_string(),
        tokens: entry.estimate(),
        sizes: sizes.get(&row.ix).copied(),
        timestamp: entry.at_ms,
        turn: None,
        children: u32::try_from(open.tree.children(row.ix).len()).unwrap_or(u32::MAX),
        starts_branch: row.starts_branch,
        folded: row.folded,
        on_active_path: open.on_active_path[row.ix.get()],
        is_active_leaf: row.is_leaf,
        is_error: entry.is_failure(),
        aborted: entry.is_aborted(),
        undone: entry.undone,
        recovered: entry.recovered,
        queued: None,
        rejected: entry.rejected,
        sidechain: entry.sidechain,
        inside: None,
        begins_file: open.begins_file(row.ix).map(str::to_owned),
    }
}

/// The picture of the session, as the bytes the canvas takes.
pub(crate) fn graph(app: &App, request: GraphRequest) -> AppResult<Vec<u8>> {
    let open = app.open(&request.session)?;
    let options = PictureOptions {
        session: open.id.clone(),
        filter: filter(request.filter),
        // Entries that the user marked are rows under every filter, as in the outline.
        keep: app.labelled_entries(&open).into_iter().collect(),
        ..PictureOptions::default()
    };
    let known = match request.known.as_deref() {
        // The canvas names no picture before it has one.
        None | Some("") => None,
        // Refused instead of ignored: a wrong revision is a mistake of the page.
        Some(revision) => Some(revision.parse::<GraphRevision>().map_err(|_| {
            let message = format!("'{revision}' is not the revision of a tree");
            AppError::BadRequest(Problem::alone(message))
        })?),
    };
    Ok(app.geometry(&open, &options, known))
}

/// The first words of entries, for cards.
pub(crate) fn card_texts(app: &App, request: CardTextsRequest) -> AppResult<CardTexts> {
    let open = app.open(&request.session)?;
    let entries = open.session.entries.len();
    // Positions come from the page and may be of a file that was rewritten and is shorter now.
    let text = |&position: &u32| {
        let ix = EntryIx(position);
        if ix.get() < entries {
            brief::brief(&open, ix)
        } else {
            String::new()
        }
    };
    Ok(CardTexts {
        texts: request
            .positions
            .iter()
            .take(MOST_TEXTS)
            .map(text)
            .collect(),
    })
}

fn filter(filter: TreeFilter) -> outline::TreeFilter {
    match filter {
        TreeFilter::Default => outline::TreeFilter::Default,
        TreeFilter::NoTools => outline::TreeFilter::NoTools,
        TreeFilter::UserOnly => outline::TreeFilter::UserOnly,
        TreeFilter::LabeledOnly => outline::TreeFilter::LabeledOnly,
        TreeFilter::All => outline::TreeFilter::All,
    }
}
