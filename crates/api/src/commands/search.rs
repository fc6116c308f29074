//! Search over all sessions and inside one.

use super::queued::QueuedPrompts;
use crate::commands::Empty;
use crate::waits::Waits;
use crate::wire::*;
use palimpsest_app::search::filters::FILTERS;
use palimpsest_app::search::{self as found, HitPage, HitSort};
use palimpsest_app::view::calls::troubled_call;
use palimpsest_app::{App, AppError, AppResult, OpenSession};
use palimpsest_core::flag::Flag;
use std::ops::Range;
use std::sync::Arc;

/// How many hits a column of [`find`] has unless the caller says.
const COLUMN_HITS: u64 = 100;

/// Entries that contain words, or are near them in meaning.
pub(crate) async fn search(app: &Arc<App>, request: SearchRequest) -> AppResult<SearchPage> {
    let limit = request.limit.unwrap_or(50);
    let sort = match request.sort {
        SearchSort::Newest => HitSort::Newest,
        SearchSort::Oldest => HitSort::Oldest,
        SearchSort::Relevance => HitSort::Relevance,
        SearchSort::Size => HitSort::Size,
        SearchSort::Meaning => {
            let count = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
            let (offset, limit) = (count(request.offset), count(limit));
            let named = request.embeddings.as_deref();
            let page = app.search_by_meaning(&request.query, named, offset, limit);
            return Ok(page_of(app, page.await?));
        }
    };
    let app = Arc::clone(app);
    let (wanted, _waits) = Waits::begin();
    let found = move || {
        let mut page = if request.changes == Some(false) {
            app.hits(&request.query, sort, request.offset, limit)?
        } else {
            app.search(&request.query, sort, request.offset, limit)?
        };
        if request.grouped {
            page.group();
        }
        if request.grouped || request.prompts == Some(true) {
            app.with_prompts(&mut page)?;
        }
        Ok(page_of(&app, page))
    };
    let task = tokio::task::spawn_blocking(move || wanted.during(found));
    task.await
        .map_err(|error| AppError::Internal(error.to_string()))?
}

fn page_of(app: &App, page: HitPage) -> SearchPage {
    let copies = page.hits.iter().flat_map(|hit| &hit.also_in);
    let marked = page.marks.shown.iter().map(|hit| &hit.target.session_id);
    let sessions = page.named.iter().filter(|own| {
        own.kind == found::NamedKind::Session || own.kind == found::NamedKind::TakenBack
    });
    let sessions = sessions.map(|own| &own.id);
    let ids = copies.chain(marked).chain(sessions);
    let names = app.session_names(ids.map(String::as_str));
    SearchPage {
        hits: page
            .hits
            .into_iter()
            .map(|hit| SearchHit {
                shown_id: hit.shown_id,
                also_in: hit
                    .also_in
                    .iter()
                    .filter_map(|id| names.get(id))
                    .map(super::names::session)
                    .collect(),
                session: hit.session_id,
                title: hit.title,
                project: hit.project,
                agent: hit.agent.to_string(),
                entry_id: hit.entry_id,
                ix: hit.ix,
                line: hit.line,
                kind: hit.kind,
                role: hit.role,
                tools: hit.tools,
                is_error: hit.is_error,
                aborted: hit.is_aborted,
                rejected: hit.rejected,
                in_subagent: hit.in_subagent,
                subagent: hit.subagent,
                thinking: hit.is_thinking,
                first: hit.is_first,
                record: hit.own_name,
                change: hit.change,
                call: hit.call.map(|call| AnsweredCall {
                    entry_id: call.entry_id,
                    headline: call.headline,
                }),
                queued: hit.queued.map(|queued| QueuedView {
                    fate: queued.fate.into(),
                    entry_id: queued.entry_id,
                }),
                plan: hit.plan.map(PlanAnswer::from),
                after_compaction: hit.after_compaction.map(|own| CompactionAt {
                    entry_id: own.entry_id,
                    timestamp: own.at_ms,
                }),
                timestamp: hit.at_ms,
                tokens: hit.tokens,
                snippet: hit.snippet,
                ranges: ranges(hit.ranges_utf16),
                prompt: hit.prompt,
            })
            .collect(),
        named: page
            .named
            .into_iter()
            .map(|own| NamedHit {
                shown_id: names.get(&own.id).map(|name| name.shown_id.clone()),
                ..named(own)
            })
            .collect(),
        marks_total: page.marks.total,
        marks: super::marks::hits(page.marks, &names),
        note: page.note,
        more: page.more,
        total: page.total,
        together: page.together,
        nothing_asked: page.nothing_asked,
        only_filters: page.only_filters,
        ignored: page.ignored,
        not_understood: page.not_understood,
        wider: wider(page.wider),
        elapsed_ms: page.elapsed_ms,
    }
}

/// What the hits of a query are of, and how many of each.
pub(crate) async fn count_hits(app: &Arc<App>, request: CountRequest) -> AppResult<CountView> {
    /// Names that are returned unless the caller says.
    const NAMES: u64 = 20;
    let by = match request.by {
        CountBy::Tool => found::CountBy::Tool,
        CountBy::Command => found::CountBy::Command,
        CountBy::Project => found::CountBy::Project,
        CountBy::Agent => found::CountBy::Agent,
    };
    let app = Arc::clone(app);
    let (wanted, _waits) = Waits::begin();
    let count = move || {
        let counts = app.count_hits(&request.query, by, request.limit.unwrap_or(NAMES))?;
        Ok(count_view(&app, request.by, counts))
    };
    let task = tokio::task::spawn_blocking(move || wanted.during(count));
    task.await
        .map_err(|error| AppError::Internal(error.to_string()))?
}

fn count_view(app: &App, by: CountBy, counts: found::HitCounts) -> CountView {
    let newest = counts.rows.iter().filter_map(|row| row.newest.as_ref());
    let names = app.session_names(newest.map(|hit| &*hit.session_id));
    let newest = |hit: found::NewestHit| NewestHit {
        shown_id: super::names::shown_id(&names, &hit.session_id),
        session: hit.session_id,
        title: hit.title,
        entry_id: hit.entry_id,
        timestamp: hit.at_ms,
    };
    let row = |row: found::HitCount| CountRow {
        name: row.name,
        count: row.count,
        sessions: row.sessions,
        query: row.query,
        newest: row.newest.map(newest),
    };
    CountView {
        by,
        rows: counts.rows.into_iter().map(row).collect(),
        names: counts.names,
        hits: counts.hits,
        without: counts.without,
        counts_calls: counts.counts_calls,
        nothing_asked: counts.nothing_asked,
        ignored: counts.ignored,
        not_understood: counts.not_understood,
        elapsed_ms: counts.elapsed_ms,
    }
}

/// What to change in a search that finds nothing.
pub(super) fn wider(wider: found::Wider) -> WiderSearch {
    let change = |change: found::Change| SearchChange {
        piece: change.piece,
        instead: change.instead,
        query: change.query,
        total: change.total,
    };
    WiderSearch {
        changes: wider.changes.into_iter().map(change).collect(),
        absent: wider.absent,
    }
}

fn named(one: found::Named) -> NamedHit {
    NamedHit {
        kind: one.kind.into(),
        id: one.id,
        shown_id: None,
        session: one.session_id,
        title: one.title,
        about: one.about,
        has_summary: one.has_summary,
        timestamp: one.at_ms,
    }
}

/// Everything the query language has, in the order of a menu.
pub fn search_filters() -> impl Iterator<Item = SearchFilter> {
    let flags = || {
        Flag::ALL.into_iter().map(|flag| SearchFilter {
            write: format!("flag:{}", flag.name()),
            meaning: flag.brief().to_owned(),
            example: format!("flag:{}", flag.name()),
        })
    };
    FILTERS.iter().flat_map(move |filter| {
        let own = SearchFilter {
            write: filter.write.to_owned(),
            meaning: filter.meaning.to_owned(),
            example: filter.example.to_owned(),
        };
        let has_values = filter.write == "flag:";
        let values = has_values.then(flags).into_iter().flatten();
        std::iter::once(own).chain(values)
    })
}

/// The same as an answer.
pub(crate) fn filters(_: &App, _: Empty) -> AppResult<Vec<SearchFilter>> {
    Ok(search_filters().collect())
}

/// What one session says of something.
pub(crate) fn find(app: &App, request: FindRequest) -> AppResult<FindView> {
    let open = app.open(&request.session)?;
    let limit = request.limit.unwrap_or(COLUMN_HITS);
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let found = app.find_inside(&open, &request.query, request.compaction.as_deref(), limit)?;
    let queued = QueuedPrompts::of_session(&open);
    Ok(FindView {
        session: open.id.clone(),
        compaction: found.compaction.map(|ix| open.session.name_of(ix)),
        before: column(&open, &queued, found.before),
        summaries: column(&open, &queued, found.summaries),
        after: column(&open, &queued, found.after),
        ignored: found.ignored,
        not_understood: found.not_understood,
        wider: wider(found.wider),
    })
}

fn column(open: &OpenSession, queued: &QueuedPrompts<'_>, column: found::Column) -> FindColumn {
    let hit = |hit: found::InsideHit| FindHit {
        entry_id: open.session.name_of(hit.ix),
        kind: hit.kind,
        role: hit.role,
        tools: hit.tools,
        is_error: hit.is_error,
        aborted: hit.is_aborted,
        rejected: hit.rejected,
        in_subagent: hit.in_subagent,
        subagent: hit.subagent,
        thinking: hit.is_thinking,
        record: hit.own_name,
        change: hit.change,
        call: hit
            .call
            .or_else(|| troubled_call(open, hit.ix))
            .map(|call| AnsweredCall {
                entry_id: call.entry_id,
                headline: call.headline,
            }),
        queued: queued.of(hit.ix),
        after_compaction: hit.after_compaction.map(|ix| CompactionAt {
            entry_id: open.session.name_of(ix),
            timestamp: open.session.entry(ix).at_ms,
        }),
        timestamp: hit.at_ms,
        on_active_path: open.on_active_path[hit.ix.get()],
        prompt: found::prompt_above(open, hit.ix),
        snippet: hit.snippet,
        ranges: ranges(hit.ranges_utf16),
    };
    FindColumn {
        total: column.total,
        hits: column.hits.into_iter().map(hit).collect(),
    }
}

fn ranges(all: Vec<Range<usize>>) -> Vec<TextRange> {
    let one = |range: Range<usize>| TextRange {
        start: range.start as u64,
        end: range.end as u64,
    };
    all.into_iter().map(one).collect()
}
