//! Joining the index with the user's marks.
//!
//! Notes and labels are in the user database, not in the index, which can be deleted at any time.
//! Few are ever written, so a query asks the user database first, by a scan: what it gives are
//! ids of sessions, which restrict the question to the index, and the marks that have the words
//! themselves, which are shown before the entries.

use super::matching::{Pattern, excerpt};
use super::opened::Opened;
use super::query::{Query, Word};
use super::reading::record_of;
use palimpsest_core::{Agent, EntryKind};
use palimpsest_store::index::{
    EntryOrSet, Field, HitQuery, SessionFilter, SessionRow, SessionSet, SessionSort, SessionWord,
    Sought,
};
use palimpsest_store::{IndexReader, StoreError, Target, UserDb};
use std::collections::HashMap;
use std::ops::Range;

/// Marks shown for one query. A user with more hits adds a word.
const MOST_SHOWN: usize = 20;
/// Labels of agents that are read for one query, each from its file.
const MOST_OF_AGENTS: u64 = 100;

/// What kind of mark a text is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkKind {
    /// A note.
    Note,
    /// A label.
    Label,
}

/// A note or label that fits.
#[derive(Debug, Clone, PartialEq)]
pub struct MarkHit {
    /// Note or label.
    pub kind: MarkKind,
    /// True for a label that the agent stores.
    pub by_agent: bool,
    /// What it is on.
    pub target: Target,
    /// The session's title; empty when it has none.
    pub title: String,
    /// Its project.
    pub project: String,
    /// The agent that wrote it.
    pub agent: Agent,
    /// When the mark was made or last changed, Unix milliseconds.
    pub at_ms: i64,
    /// The text around the first match, on one line.
    pub snippet: String,
    /// The matches in the snippet, in bytes.
    pub ranges: Vec<Range<usize>>,
    /// The same in UTF-16 code units.
    pub ranges_utf16: Vec<Range<usize>>,
}

/// Marks that fit a query.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MarkHits {
    /// The newest of them.
    pub shown: Vec<MarkHit>,
    /// How many there are in all.
    pub total: u64,
}

impl Query {
    /// The filters with those by marks as sets of sessions. Without a user database only those by
    /// labels restrict, to the labels of agents.
    pub(super) fn filter_with(&self, user: Option<&UserDb>) -> Result<SessionFilter, StoreError> {
        let mut filter = self.filter.clone();
        let marks = &self.marks;
        // Labels that agents store are in the index, those of the user are not.
        let labelled = |ids: Vec<String>, field: Field, text: String| EntryOrSet {
            entry: Sought { field, text },
            ids,
        };
        for word in &marks.labels {
            let ids = user.map(|user| user.sessions_with_label(Some(part(word))));
            let ids = ids.transpose()?.unwrap_or_default();
            let text = format!("{}*", part(word));
            filter.either.push(labelled(ids, Field::Label, text));
        }
        if let Some(wanted) = marks.has_label {
            let ids = user.map(|user| user.sessions_with_label(None));
            let ids = ids.transpose()?.unwrap_or_default();
            let has = labelled(ids, Field::Kind, "label".to_owned());
            if wanted {
                filter.either.push(has);
            } else {
                filter.without.push(SessionFilter {
                    either: vec![has],
                    ..SessionFilter::default()
                });
            }
        }
        let Some(user) = user else {
            return Ok(filter);
        };
        let mut set = |ids: Vec<String>, inside: bool| {
            filter.sets.push(SessionSet { ids, inside });
        };
        if let Some(inside) = marks.starred {
            set(user.starred_sessions()?, inside);
        }
        if let Some(inside) = marks.has_note {
            set(user.sessions_with_note(None)?, inside);
        }
        for word in &marks.notes {
            set(user.sessions_with_note(Some(part(word)))?, true);
        }
        for word in &mut filter.title {
            word.also = user.sessions_titled(&word.text)?;
        }
        Ok(filter)
    }

    /// The filters, and the words as something to be found in a session's row or in a note or
    /// label of it.
    pub(super) fn session_filter(
        &self,
        user: Option<&UserDb>,
    ) -> Result<SessionFilter, StoreError> {
        let mut filter = self.filter_with(user)?;
        self.of_entries(&mut filter);
        for word in &self.words {
            let text = part(word);
            let mut also = Vec::new();
            if let Some(user) = user {
                also.extend(user.sessions_with_note(Some(text))?);
                also.extend(user.sessions_with_label(Some(text))?);
                also.extend(user.sessions_titled(text)?);
            }
            filter.text.push(SessionWord {
                text: text.to_owned(),
                also,
            });
        }
        Ok(filter)
    }

    /// True when it asks for marks by what they say.
    pub(super) fn asks_for_marks(&self) -> bool {
        !self.marks.notes.is_empty() || !self.marks.labels.is_empty()
    }
}

/// A word as a part of a text: its beginning where it is open.
fn part(word: &Word) -> &str {
    word.text.trim_end_matches('*')
}

/// The notes and labels that have the words of a query, newest first, of the sessions that pass
/// `filter`.
pub(super) fn mark_hits(
    reader: &IndexReader,
    user: &UserDb,
    query: &Query,
    filter: &SessionFilter,
) -> Result<MarkHits, StoreError> {
    let mut hits = Vec::new();
    // A mark is no entry of another kind, of no tool and of no file.
    if !query.fields.is_empty() && !query.asks_for_kind("label") {
        return Ok(MarkHits::default());
    }
    let words = |own: &[Word]| -> Vec<Word> { query.words.iter().chain(own).cloned().collect() };
    let unwanted: Vec<Pattern> = query.without.iter().map(Pattern::new).collect();
    let wanted = words(&query.marks.notes);
    if !wanted.is_empty() {
        let patterns: Vec<Pattern> = wanted.iter().map(Pattern::new).collect();
        // LIKE ignores the case of ASCII letters only; the patterns decide, it saves work.
        let parts = patterns.iter().flat_map(Pattern::terms);
        let parts: Vec<&str> = parts.filter(|term| term.is_ascii()).collect();
        for note in user.notes_with(&parts)? {
            if fits(&note.text, &patterns, &unwanted) {
                let at = note.updated_at_ms;
                hits.push(found(
                    MarkKind::Note,
                    note.target,
                    at,
                    &note.text,
                    &patterns,
                ));
            }
        }
    }
    let wanted = words(&query.marks.labels);
    if !wanted.is_empty() {
        let patterns: Vec<Pattern> = wanted.iter().map(Pattern::beginning).collect();
        for label in user.labels(None)? {
            if fits(&label.text, &patterns, &unwanted) {
                let at = label.created_at_ms;
                hits.push(found(
                    MarkKind::Label,
                    label.target,
                    at,
                    &label.text,
                    &patterns,
                ));
            }
        }
        for (at, target, text) in labels_of_agents(reader, &wanted, filter)? {
            if fits(&text, &patterns, &unwanted) {
                hits.push(MarkHit {
                    by_agent: true,
                    ..found(MarkKind::Label, target, at, &text, &patterns)
                });
            }
        }
    }
    if hits.is_empty() {
        return Ok(MarkHits::default());
    }
    let sessions = sessions_among(reader, filter, &hits)?;
    let titles = user.titles()?;
    hits.retain_mut(|hit| match sessions.get(&hit.target.session_id) {
        Some(row) => {
            let own = titles.get(&row.id).cloned();
            hit.title = own.or_else(|| row.title.clone()).unwrap_or_default();
            hit.project.clone_from(&row.project);
            hit.agent = row.agent;
            true
        }
        None => false,
    });
    hits.sort_by_key(|hit| std::cmp::Reverse(hit.at_ms));
    let total = hits.len() as u64;
    hits.truncate(MOST_SHOWN);
    Ok(MarkHits { shown: hits, total })
}

/// Labels that agents store, with these words: when they were set, on what, and what they say.
fn labels_of_agents(
    reader: &IndexReader,
    words: &[Word],
    filter: &SessionFilter,
) -> Result<Vec<(i64, Target, String)>, StoreError> {
    let sought = |word: &Word| Sought {
        field: Field::Label,
        text: format!("{}*", part(word)),
    };
    let request = HitQuery {
        fields: words.iter().map(|word| vec![sought(word)]).collect(),
        filter: filter.clone(),
        limit: MOST_OF_AGENTS,
        ..HitQuery::default()
    };
    let mut opened = Opened::default();
    let mut labels = Vec::new();
    for hit in reader.hits(&request)?.hits {
        let Some(session) = reader.session(hit.entry.session)? else {
            continue;
        };
        let read = record_of(&session, &hit.entry, &mut opened);
        let Some(EntryKind::Label {
            target_id,
            text: Some(text),
            ..
        }) = read.map(|record| record.entry.kind)
        else {
            continue;
        };
        let target = Target {
            session_id: session.id,
            entry_id: Some(target_id.to_string()),
            occurrence: 1,
        };
        labels.push((
            hit.entry.at_ms.unwrap_or_default(),
            target,
            text.to_string(),
        ));
    }
    Ok(labels)
}

fn fits(text: &str, wanted: &[Pattern], unwanted: &[Pattern]) -> bool {
    wanted.iter().all(|pattern| pattern.is_in(text))
        && !unwanted.iter().any(|pattern| pattern.is_in(text))
}

fn found(kind: MarkKind, target: Target, at_ms: i64, text: &str, patterns: &[Pattern]) -> MarkHit {
    let excerpt = excerpt(text, patterns);
    MarkHit {
        kind,
        by_agent: false,
        target,
        title: String::new(),
        project: String::new(),
        // Replaced by the session's own agent below, or the hit is dropped.
        agent: Agent::PI,
        at_ms,
        ranges_utf16: excerpt.ranges_utf16(),
        ranges: excerpt.ranges,
        snippet: excerpt.text,
    }
}

/// The sessions of `hits` that pass `filter`, by id. A session that is not in the index cannot be
/// opened from a hit, so it is left out.
fn sessions_among(
    reader: &IndexReader,
    filter: &SessionFilter,
    hits: &[MarkHit],
) -> Result<HashMap<String, SessionRow>, StoreError> {
    let ids = hits.iter().map(|hit| hit.target.session_id.clone());
    let mut filter = filter.clone();
    filter.sets.push(SessionSet {
        ids: ids.collect(),
        inside: true,
    });
    let list = reader.sessions(&filter, SessionSort::Updated, 0, u64::MAX)?;
    let by_id = list.sessions.into_iter().map(|row| (row.id.clone(), row));
    Ok(by_id.collect())
}
