//! Lists, search, opening, indexing.

use super::names;
use super::search::wider;
use crate::wire::*;
use palimpsest_app::index::{project_labels, project_of};
use palimpsest_app::kept::SessionMarks;
use palimpsest_app::search::{ListOptions, ListSort};
use palimpsest_app::view::timeline;
use palimpsest_app::writing;
use palimpsest_app::{AfterCompaction, SizeBasis};
use palimpsest_app::{App, AppResult, Cost, OpenSession, cost};
use palimpsest_app::{file_of, stored, strategy_of};
use palimpsest_core::rows::reading_place;
use palimpsest_core::words::without_codes;
use palimpsest_core::{EntryIx, EntryKind, LinkKind, SessionLink, SummaryKind};
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A source written within this time counts as live.
const LIVE: Duration = Duration::from_secs(60);
/// How much older than the source its newest entry may be: a record without a time, such as a
/// snapshot, can be written long after the last message.
const LONGEST_STEP_MS: i64 = 15 * 60 * 1000;

/// Brings the index up to date.
pub(crate) fn index(app: &App, request: IndexRequest) -> AppResult<IndexReport> {
    let report = app.bring_up_to_date(&request.roots)?;
    Ok(IndexReport {
        sessions: report.sessions,
        entries: report.entries,
        bytes: report.bytes,
        warnings: report.warnings,
        unchanged: report.unchanged,
        removed: report.removed,
        failed: report
            .failed
            .into_iter()
            .map(|failed| FailedSource {
                path: failed.path.display().to_string(),
                reason: without_codes(&failed.reason),
            })
            .collect(),
        // Of an index that was stopped it is not known.
        without_session: if report.cancelled {
            Vec::new()
        } else {
            app.without_session(&request.roots)?
        },
        elapsed_ms: report.elapsed_ms,
    })
}

/// A page of sessions.
pub(crate) fn sessions(app: &App, request: SessionsRequest) -> AppResult<SessionPage> {
    let sort = match request.sort {
        SessionSort::Updated => ListSort::By(stored::SessionSort::Updated),
        SessionSort::Size => ListSort::By(stored::SessionSort::Size),
        SessionSort::Cost => ListSort::By(stored::SessionSort::Cost),
        SessionSort::Title => ListSort::By(stored::SessionSort::Title),
        SessionSort::Created => ListSort::By(stored::SessionSort::Created),
        SessionSort::Compactions => ListSort::By(stored::SessionSort::Compactions),
        SessionSort::Errors => ListSort::By(stored::SessionSort::Errors),
        SessionSort::Rejections => ListSort::By(stored::SessionSort::Rejections),
        SessionSort::Context => ListSort::By(stored::SessionSort::PeakContext),
        SessionSort::Entries => ListSort::By(stored::SessionSort::Entries),
        SessionSort::Relevance => ListSort::Relevance,
    };
    let mut query = request.query.unwrap_or_default();
    if let Some(agent) = &request.agent {
        // As a filter of the query, so that both are understood in one place.
        query += &format!(" agent:{agent}");
    }
    let options = ListOptions {
        sort,
        offset: request.offset,
        limit: request.limit,
        hide_subagents: request.hide_subagents,
    };
    let page = app.list_sessions(&query, options)?;
    let marks = listed_marks(app);
    let flags = app.known_flags();
    Ok(SessionPage {
        total: page.total,
        sessions: page
            .sessions
            .iter()
            .map(|row| SessionRow {
                hits: page.hits.get(&row.num).copied(),
                differs: page.differs.get(&row.num).cloned(),
                copy: page.copies.get(&row.num).cloned(),
                shown_id: page.shown.get(&row.num).cloned().unwrap_or_default(),
                parent_name: page.parents.get(&row.num).map(names::session),
                continued_in: page.continued.get(&row.num).map(names::session),
                taken_back: page.taken_back.get(&row.num).cloned(),
                flags: flags.get(&row.num).cloned().unwrap_or_default(),
                ..listed_row(app, row, marks.get(&row.id))
            })
            .collect(),
        sort: request.sort,
        asked: page.numbers.into_iter().map(sort_by_number).collect(),
        projects: projects(&page.groups),
        hidden: page.hidden,
        ignored: page.ignored,
        not_understood: page.not_understood,
        wider: wider(page.wider),
    })
}

/// The order by a number.
fn sort_by_number(number: stored::SessionNumber) -> SessionSort {
    match number {
        stored::SessionNumber::Compactions => SessionSort::Compactions,
        stored::SessionNumber::Errors => SessionSort::Errors,
        stored::SessionNumber::Rejections => SessionSort::Rejections,
        stored::SessionNumber::Tokens => SessionSort::Context,
        stored::SessionNumber::Cost => SessionSort::Cost,
        stored::SessionNumber::Entries => SessionSort::Entries,
    }
}

/// The projects of a list, newest first.
fn projects(groups: &[stored::GroupCount]) -> Vec<ProjectCount> {
    let mut projects: Vec<ProjectCount> = Vec::new();
    // Groups are by project, worktree and agent; the page lists projects only.
    for group in groups {
        let known = projects
            .iter_mut()
            .find(|known| (&known.project, &known.root) == (&group.project, &group.root));
        match known {
            Some(known) => known.sessions += group.sessions,
            None => projects.push(ProjectCount {
                project: group.project.clone(),
                root: group.root.clone(),
                label: String::new(),
                sessions: group.sessions,
            }),
        }
    }
    let roots: Vec<&str> = projects
        .iter()
        .filter_map(|project| project.root.as_deref())
        .collect();
    let labels = project_labels(&roots);
    let labels: Vec<String> = projects
        .iter()
        .map(|project| {
            let label = project.root.as_ref().and_then(|root| labels.get(root));
            label.unwrap_or(&project.project).clone()
        })
        .collect();
    for (project, label) in projects.iter_mut().zip(labels) {
        project.label = label;
    }
    projects
}

/// The marks of all sessions; none when the user database cannot be read, which searching says.
fn listed_marks(app: &App) -> HashMap<String, SessionMarks> {
    app.session_marks().unwrap_or_default()
}

fn listed_row(app: &App, row: &stored::SessionRow, marks: Option<&SessionMarks>) -> SessionRow {
    let marks = marks.cloned().unwrap_or_default();
    // Asked of the file system for each row of the page: the index is older than the file while
    // an agent writes.
    let metadata = std::fs::metadata(file_of(&row.path)).ok();
    let modified = metadata
        .as_ref()
        .and_then(|metadata| metadata.modified().ok());
    // Samples are written by this program, not by an agent at work.
    let live_until = live_until(modified, row.updated_at_ms)
        .filter(|_| !app.options().is_sample(Path::new(&row.path)));
    SessionRow {
        id: row.id.clone(),
        shown_id: String::new(),
        agent: row.agent.to_string(),
        agent_version: row.agent_version.clone(),
        parent: row.parent_session.clone(),
        parent_kind: row.parent_kind,
        parent_name: None,
        continued_in: None,
        taken_back: None,
        path: row.path.clone(),
        title: row.title.clone().unwrap_or_else(|| untitled(&row.path)),
        renamed: marks.title.is_some(),
        cwd: row.cwd.clone(),
        project: row.project.clone(),
        project_root: row.root.clone(),
        worktree: row.worktree.clone(),
        entries: row.entries,
        leaves: row.leaves,
        compactions: row.compactions,
        branch_summaries: row.branch_summaries,
        flags: Vec::new(),
        errors: row.errors,
        rejections: row.rejections,
        warnings: row.warnings,
        // 0 for a source that was removed since it was indexed.
        bytes: metadata.map_or(0, |metadata| metadata.len()),
        model: row.model.clone(),
        peak_context: row.peak_context,
        cost_usd: row.usage.cost_usd,
        cost_computed: row.cost_computed,
        cost_partial: row.cost_partial,
        created_at: row.created_at_ms,
        updated_at: row.updated_at_ms,
        live: live_until.is_some(),
        live_until,
        sample: app.options().is_sample(Path::new(&row.path)),
        written: app.is_as_written(&row.path),
        hits: None,
        differs: None,
        copy: None,
        starred: marks.starred,
        notes: marks.notes,
        labels: marks.labels,
    }
}

fn untitled(path: &str) -> String {
    let name = Path::new(path)
        .file_stem()
        .map(|stem| stem.to_string_lossy().into_owned());
    name.unwrap_or_else(|| "untitled".to_owned())
}

/// Until when a source counts as being written, in milliseconds since 1970; `None` where it is not.
///
/// A file that was copied or restored has a new time and old entries: an agent at work writes both.
fn live_until(modified: Option<SystemTime>, newest_entry_ms: Option<i64>) -> Option<i64> {
    let modified = modified?.duration_since(UNIX_EPOCH).ok()?;
    let until = i64::try_from((modified + LIVE).as_millis()).ok()?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    let now = i64::try_from(now.as_millis()).ok()?;
    let written = i64::try_from(modified.as_millis()).ok()?;
    let lag = newest_entry_ms.map_or(0, |newest| written.saturating_sub(newest));
    (now < until && lag < LONGEST_STEP_MS).then_some(until)
}

/// What could not be read, a line still being written included.
pub(crate) fn warnings(open: &OpenSession) -> Vec<WireWarning> {
    let all = open.session.warnings.iter().chain(&open.partial_line);
    all.map(|warning| WireWarning {
        line: warning.line,
        reason: warning.reason.clone(),
    })
    .collect()
}

/// A session opened.
pub(crate) fn open(app: &App, request: SessionRequest) -> AppResult<SessionView> {
    let open = app.open(&request.session)?;
    let session = &open.session;
    let context = session
        .active_leaf
        .map(|leaf| open.format.context(session, &open.tree, Some(leaf)));
    let model = context.and_then(|context| context.model);
    let budget = app.budget(&open, session.active_leaf, model.as_ref());
    let summaries = session
        .indices()
        .filter_map(|ix| summary_node(&open, ix))
        .collect();
    let leaves = open.tree.leaves();
    let spending = cost::spending(session);
    let cost = spending.cost(app.catalog());
    let opens_at = session
        .active_leaf
        .and_then(|leaf| reading_place(session, &open.tree, leaf).or(Some(leaf)));
    Ok(SessionView {
        row: opened_row(
            app,
            &open,
            leaves.len(),
            model.as_ref().map(|model| &*model.model),
            cost,
        ),
        native_id: session.meta.native_id.clone(),
        format_version: session.meta.format_version,
        strategy: strategy_of(session.meta.agent).to_owned(),
        can_write: writing::can_write(session.meta.agent),
        can_append: writing::can_append(session.meta.agent),
        parent_session: session.meta.parent_session.clone(),
        links: {
            let mut all = links(app, &open, |_| true);
            let known: HashSet<String> =
                all.iter().filter_map(|link| link.session.clone()).collect();
            // Claude Code's forks copy records with their ids and say nothing of it; a link that
            // is stored goes first.
            let from = app.sessions_from(&open).into_iter();
            let from = from.filter(|(id, ..)| !known.contains(id));
            all.extend(from.map(|(id, native_id, kind)| SessionLinkView {
                kind,
                reversed: true,
                native_id,
                session: Some(id),
                name: None,
                entry_id: None,
                other_entry_id: None,
                label: None,
            }));
            let known: HashSet<String> =
                all.iter().filter_map(|link| link.session.clone()).collect();
            let copies = app.copies_of(&open).into_iter();
            all.extend(copies.map(|id| SessionLinkView {
                kind: LinkKind::SameSession,
                reversed: false,
                native_id: session.meta.native_id.clone(),
                session: Some(id),
                name: None,
                entry_id: None,
                other_entry_id: None,
                label: None,
            }));
            let sharing = app.sharing_beginning(&open).into_iter();
            all.extend(
                sharing
                    // What a stored link tells already is not told a second time.
                    .filter(|(id, _)| !known.contains(id))
                    .map(|(id, native_id)| SessionLinkView {
                        kind: LinkKind::SharesBeginning,
                        reversed: false,
                        native_id,
                        session: Some(id),
                        name: None,
                        entry_id: None,
                        other_entry_id: None,
                        label: None,
                    }),
            );
            name_all(app, &mut all);
            for link in all.iter_mut().filter(|link| parts(link.kind)) {
                let other = link.session.as_deref().and_then(|id| app.own_beginning(id));
                link.other_entry_id = other.map(|(_, entry)| entry);
            }
            all
        },
        own_from: app
            .own_beginning(&open.id)
            // The index may be of another state of the file.
            .filter(|(ix, _)| ix.get() < session.entries.len())
            .map(|(ix, _)| names::id(session, ix)),
        taken_back_from: app.taken_back_from(&open).map(|ix| names::id(session, ix)),
        files: files(&open),
        leaf_id: session.active_leaf.map(|ix| names::id(session, ix)),
        opens_at: opens_at.map(|ix| names::id(session, ix)),
        spending: super::spending::views(app, &spending),
        subagents: super::subagents::of_session(app, &open),
        leaf_ids: names::ids(session, &leaves),
        summaries,
        warnings: warnings(&open),
        model: model.map(|model| format!("{}/{}", model.provider, model.model)),
        window: budget.window,
        threshold: budget.threshold,
        threshold_from: (budget.learned_from > 0).then_some(budget.learned_from),
        reserve: budget.reserve,
        generation: open.generation,
    })
}

/// True for a session that goes on from the same beginning in another way.
fn parts(kind: LinkKind) -> bool {
    matches!(kind, LinkKind::ForkedFrom | LinkKind::SharesBeginning)
}

/// The sessions a session belongs with, those that `wanted` accepts; the parent its header names
/// is one of them.
pub(crate) fn links(
    app: &App,
    open: &OpenSession,
    wanted: impl Fn(&SessionLink) -> bool,
) -> Vec<SessionLinkView> {
    let meta = &open.session.meta;
    let parent = meta.parent_session.as_ref().map(|parent| SessionLink {
        kind: meta.parent_kind.unwrap_or(LinkKind::ForkedFrom),
        native_id: parent.clone(),
        path: None,
        at: None,
        label: None,
    });
    let stored = open.session.links.iter().cloned();
    let links: Vec<SessionLink> = stored.chain(parent).filter(wanted).collect();
    let sessions = app.linked_sessions(open, &links);
    let mut views: Vec<SessionLinkView> = links
        .into_iter()
        .zip(sessions)
        .map(|(link, session)| SessionLinkView {
            kind: link.kind,
            reversed: false,
            session,
            name: None,
            native_id: link.native_id,
            entry_id: link.at.map(|ix| names::id(&open.session, ix)),
            other_entry_id: None,
            label: link.label.map(String::from),
        })
        .collect();
    name_all(app, &mut views);
    views
}

/// Names the sessions of links that are in the index.
fn name_all(app: &App, links: &mut [SessionLinkView]) {
    let ids = links.iter().filter_map(|link| link.session.as_deref());
    let known = app.session_names(ids);
    for link in links {
        let id = link.session.as_ref();
        link.name = id.and_then(|id| known.get(id)).map(names::session);
    }
}

fn files(open: &OpenSession) -> Vec<SourceFileView> {
    let entries = &open.session.entries;
    // Entries are in file order, so their offsets are sorted.
    // Several files are read as one text, so an offset tells the file.
    let first_at = |offset: u64| entries.partition_point(|entry| entry.source.offset < offset);
    let parts = &open.session.parts;
    let ends = parts.iter().skip(1).map(|part| first_at(part.offset));
    parts
        .iter()
        .zip(ends.chain([entries.len()]))
        .map(|(part, end)| {
            let first = first_at(part.offset);
            SourceFileView {
                path: part.path.clone(),
                first_entry_id: entries
                    .get(first)
                    .map(|_| names::id(&open.session, EntryIx::new(first))),
                entries: end.saturating_sub(first) as u64,
            }
        })
        .collect()
}

fn summary_node(open: &OpenSession, ix: EntryIx) -> Option<SummaryNode> {
    let entry = open.session.entry(ix);
    let before = match &entry.kind {
        EntryKind::Compaction(_) => timeline::before_compaction(open, ix),
        EntryKind::BranchSummary(_) => None,
        _ => return None,
    };
    let after = match entry.kind.summary()? {
        SummaryKind::Compaction => open.after_compaction(ix),
        // The context there would be computed for each.
        SummaryKind::BranchSummary if !open.sizes_summaries() => AfterCompaction {
            tokens: entry.estimate(),
            is_forecast: true,
            summary: entry.estimate(),
        },
        SummaryKind::BranchSummary => {
            let sized = open.measured_context(Some(ix));
            AfterCompaction {
                tokens: sized.tokens,
                // A branch summary compacts nothing, so its size is that of the context there.
                is_forecast: sized.basis != SizeBasis::Reported,
                summary: entry.estimate(),
            }
        }
    };
    Some(SummaryNode {
        entry_id: names::id(&open.session, ix),
        kind: entry.kind.summary()?,
        timestamp: entry.at_ms,
        tokens_before: before.map(|before| before.tokens),
        before_is_estimate: before.is_some_and(|before| before.is_estimate),
        tokens_after: after.tokens,
        after_is_forecast: after.is_forecast,
        summary_tokens: after.summary,
        trigger: match &entry.kind {
            EntryKind::Compaction(compaction) => compaction.trigger,
            _ => None,
        },
        preview: entry.preview.to_string(),
        on_active_path: open.on_active_path[ix.get()],
    })
}

/// The row of an opened session, from the session itself: it need not be in the index.
fn opened_row(
    app: &App,
    open: &OpenSession,
    leaves: usize,
    model: Option<&str>,
    cost: Option<Cost>,
) -> SessionRow {
    let session = &open.session;
    let meta = &session.meta;
    let count = |wanted: fn(&EntryKind) -> bool| {
        session
            .entries
            .iter()
            .filter(|entry| wanted(&entry.kind))
            .count() as u64
    };
    // pi does not trust the usage of aborted and failed messages.
    let trusted = session.entries.iter().filter(|entry| entry.usage_trusted);
    let sizes = trusted.filter_map(|entry| Some(entry.usage?.context_tokens()));
    let told = session
        .entries
        .iter()
        .filter_map(|entry| match &entry.kind {
            EntryKind::Compaction(told) => told.tokens_before,
            _ => None,
        });
    let peak = sizes.chain(told).max();
    let project = project_of(meta.cwd.as_deref());
    let marks = listed_marks(app).remove(&open.id).unwrap_or_default();
    let live_until = live_until(open.source_modified(), meta.updated_at_ms)
        .filter(|_| !app.options().is_sample(Path::new(&meta.path)));
    SessionRow {
        id: open.id.clone(),
        shown_id: names::shown_id(&app.session_names([&*open.id]), &open.id),
        agent: meta.agent.to_string(),
        agent_version: meta.agent_version.clone(),
        parent: meta.parent_session.as_deref().map(str::to_owned),
        parent_kind: meta.parent_kind,
        parent_name: None,
        continued_in: None,
        taken_back: None,
        path: meta.path.clone(),
        renamed: marks.title.is_some(),
        title: marks
            .title
            .or_else(|| meta.title.clone())
            .unwrap_or_else(|| untitled(&meta.path)),
        cwd: meta.cwd.clone(),
        project: project.name,
        project_root: project.root,
        worktree: project.worktree,
        entries: session.entries.len() as u64,
        leaves: leaves as u64,
        compactions: count(|kind| matches!(kind, EntryKind::Compaction(_))),
        flags: Vec::new(),
        branch_summaries: count(|kind| matches!(kind, EntryKind::BranchSummary(_))),
        errors: session
            .entries
            .iter()
            .filter(|entry| entry.is_failure())
            .count() as u64,
        rejections: session
            .entries
            .iter()
            .filter(|entry| entry.rejected)
            .count() as u64,
        warnings: session.warnings.len() as u64 + u64::from(open.partial_line.is_some()),
        bytes: open.source_bytes(),
        model: model.map(str::to_owned),
        peak_context: peak,
        cost_usd: cost.map(|cost| cost.usd),
        cost_computed: cost.is_some_and(|cost| cost.is_computed),
        cost_partial: cost.is_some_and(|cost| cost.is_partial),
        created_at: meta.created_at_ms,
        // Formats without times, such as aider's transcript, have the time of their file.
        updated_at: meta.updated_at_ms.or_else(|| {
            let since = open.source_modified()?.duration_since(UNIX_EPOCH).ok()?;
            i64::try_from(since.as_millis()).ok()
        }),
        live: live_until.is_some(),
        live_until,
        sample: app.options().is_sample(Path::new(&meta.path)),
        written: app.is_as_written(&meta.path),
        hits: None,
        differs: None,
        copy: None,
        starred: marks.starred,
        notes: marks.notes,
        labels: marks.labels,
    }
}
