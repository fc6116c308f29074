//! Stars, notes and labels of the user.

use crate::commands::Empty;
use crate::wire::*;
use palimpsest_app::kept::Target;
use palimpsest_app::marks::{Labelled, MarkPlace, Placed};
use palimpsest_app::search as found;
use palimpsest_app::{App, AppResult, OpenSession};
use palimpsest_core::EntryIx;
use std::collections::HashMap;

/// Puts a star on a session or takes it off.
pub(crate) fn star(app: &App, request: StarRequest) -> AppResult<StarView> {
    let session = app.star(&request.session, request.starred)?;
    Ok(StarView {
        session,
        starred: request.starred,
    })
}

/// Gives a session a title.
pub(crate) fn rename(app: &App, request: RenameRequest) -> AppResult<RenameView> {
    let (session, title) = app.rename(&request.session, &request.title)?;
    Ok(RenameView { session, title })
}

/// Saves or deletes a note.
pub(crate) fn note_save(app: &App, request: NoteSaveRequest) -> AppResult<NoteSaved> {
    let place = MarkPlace {
        session: &request.session,
        entry: request.entry.as_deref(),
        ix: request.ix,
    };
    let change = app.save_note(place, &request.text)?;
    Ok(NoteSaved {
        session: change.target.session_id,
        entry_id: change.target.entry_id,
        occurrence: change.target.occurrence,
        text: change.text,
        before: change.before,
    })
}

/// Puts a label on something or takes it off.
pub(crate) fn label_set(app: &App, request: LabelRequest) -> AppResult<LabelsView> {
    let place = MarkPlace {
        session: &request.session,
        entry: request.entry.as_deref(),
        ix: request.ix,
    };
    let Labelled {
        target,
        labels,
        missing,
    } = app.label(place, &request.text, request.on.unwrap_or(true))?;
    Ok(LabelsView {
        session: target.session_id,
        entry_id: target.entry_id,
        occurrence: target.occurrence,
        labels,
        missing,
    })
}

/// The labels in use.
pub(crate) fn labels(app: &App, _: Empty) -> AppResult<Vec<LabelUse>> {
    let counts = app.label_counts()?.into_iter();
    let used = counts.map(|count| LabelUse {
        text: count.text,
        uses: count.uses,
    });
    Ok(used.collect())
}

/// The marks of a session and its entries.
pub(crate) fn marks(app: &App, request: SessionRequest) -> AppResult<MarksView> {
    let open = app.open(&request.session)?;
    let marks = app.marks_of(&open)?;
    let notes = marks.notes.into_iter().map(|Placed { mark, ix }| NoteView {
        on: marked_entry(&open, &mark.target, ix),
        text: mark.text,
        updated_at: mark.updated_at_ms,
    });
    let labels = marks.labels.into_iter();
    let labels = labels.map(|Placed { mark, ix }| UserLabelView {
        on: marked_entry(&open, &mark.target, ix),
        text: mark.text,
        created_at: mark.created_at_ms,
    });
    Ok(MarksView {
        session: marks.session_id,
        starred: marks.starred,
        notes: notes.collect(),
        labels: labels.collect(),
    })
}

fn marked_entry(open: &OpenSession, target: &Target, ix: Option<EntryIx>) -> Option<MarkedEntry> {
    // A mark on the session itself has no entry.
    let entry_id = target.entry_id.clone()?;
    let entry = ix.map(|ix| open.session.entry(ix));
    Some(MarkedEntry {
        entry_id,
        occurrence: target.occurrence,
        ix: ix.map(|ix| ix.0),
        // A mark outlives its entry when the file is rewritten.
        preview: entry
            .map(|entry| entry.preview.to_string())
            .unwrap_or_default(),
        role: entry.and_then(|entry| entry.role()),
        kind: entry.map(|entry| entry.kind.record()),
        tools: entry.map_or_else(Vec::new, |entry| {
            entry.tools().into_iter().map(str::to_owned).collect()
        }),
        is_error: entry.is_some_and(|entry| entry.is_failure()),
        rejected: entry.is_some_and(|entry| entry.rejected),
        record: entry.and_then(|entry| entry.kind.own_name().map(str::to_owned)),
    })
}

/// Notes and labels found, for showing.
pub(crate) fn hits(
    found: found::MarkHits,
    names: &HashMap<String, found::SessionName>,
) -> Vec<MarkHit> {
    let hits = found.shown.into_iter().map(|hit| MarkHit {
        kind: match hit.kind {
            found::MarkKind::Note => MarkKind::Note,
            found::MarkKind::Label => MarkKind::Label,
        },
        by_agent: hit.by_agent,
        shown_id: super::names::shown_id(names, &hit.target.session_id),
        session: hit.target.session_id,
        title: hit.title,
        project: hit.project,
        agent: hit.agent.to_string(),
        entry_id: hit.target.entry_id,
        occurrence: hit.target.occurrence,
        timestamp: hit.at_ms,
        snippet: hit.snippet,
        ranges: hit
            .ranges_utf16
            .into_iter()
            .map(|range| TextRange {
                start: range.start as u64,
                end: range.end as u64,
            })
            .collect(),
    });
    hits.collect()
}
