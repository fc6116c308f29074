//! Searching one session: what was said of something before a compaction, in summaries, and after
//! it.

use super::indexed;
use super::matching::{Pattern, excerpt_of, shown_of};
use super::query::{Query, check_length};
use super::reading::{role_of, with_about};
use super::similar::similar_words;
use super::taken::{Finds, Wider};
use super::trouble::trouble_with;
use super::wider::wider;
use super::worded::kinds_meant;
use crate::error::Result;
use crate::index::{
    FAILED_TEST, REREAD, Told, Trail, fields_of, is_thinking, kind_term, model_behind,
    model_switch, search_text,
};
use crate::session::OpenSession;
use crate::view::calls::{AnsweredCall, troubled_call};
use crate::workspace::App;
use palimpsest_core::{Bodies as _, EntryIx, EntryKind, RecordKind, Role};
use palimpsest_store::index::{
    EntryRow, HitQuery, OPEN_TODO, SessionFilter, SessionSet, Sought, push_field,
};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::convert::Infallible;
use std::ops::Range;

/// What was found in one session, in the order of its entries.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Inside {
    /// The compaction that parts the columns; `None` in a session without one.
    pub compaction: Option<EntryIx>,
    /// Entries before it.
    pub before: Column,
    /// Compactions and branch summaries, wherever they are.
    pub summaries: Column,
    /// Entries after it; all of them are in `before` in a session without a compaction.
    pub after: Column,
    /// What of the query has another effect than it says, in words.
    pub ignored: Vec<String>,
    /// Filters with a value that makes no sense, in words; then there are no hits.
    pub not_understood: Vec<String>,
    /// What to change in a search that finds nothing.
    pub wider: Wider,
}

/// What other entries tell of one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Beside {
    /// The task or the subagent that it is of.
    about: Option<String>,
    /// The subagent that wrote it.
    subagent: Option<String>,
}

impl Inside {
    /// How many entries were found.
    fn total(&self) -> u64 {
        self.before.total + self.summaries.total + self.after.total
    }
}

/// The hits of one column.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Column {
    /// How many there are.
    pub total: u64,
    /// The first of them.
    pub hits: Vec<InsideHit>,
}

/// An entry that fits.
#[derive(Debug, Clone, PartialEq)]
pub struct InsideHit {
    /// The entry.
    pub ix: EntryIx,
    /// What the record is.
    pub kind: RecordKind,
    /// The role, where the entry has one message.
    pub role: Option<Role>,
    /// When it was written, Unix milliseconds.
    pub at_ms: Option<i64>,
    /// The tools it calls or holds results of.
    pub tools: Vec<String>,
    /// The agent's own name for a record that is of no common kind.
    pub own_name: Option<String>,
    /// True for a failed tool or message.
    pub is_error: bool,
    /// The call in the entry itself that failed or was refused and has the words.
    pub call: Option<AnsweredCall>,
    /// True for a reply that the user stopped.
    pub is_aborted: bool,
    /// True for the result of a call that the user refused.
    pub rejected: bool,
    /// True for what a subagent said or did inside the session.
    pub in_subagent: bool,
    /// The subagent that wrote it: its names and what it was started for.
    pub subagent: Option<String>,
    /// True for a reply that has nothing but what the model thought.
    pub is_thinking: bool,
    /// The models before and behind it, where the model changes.
    pub change: Option<String>,
    /// The compaction before it, where the search is for files that are read again.
    pub after_compaction: Option<EntryIx>,
    /// The text around the first match, on one line.
    pub snippet: String,
    /// The matches in the snippet, in UTF-16 code units.
    pub ranges_utf16: Vec<Range<usize>>,
}

impl App {
    /// Searches a session. The compaction that parts the columns is the one named, else the newest
    /// on the active path, else the newest. Each column has at most `limit` hits.
    ///
    /// Errors: when the compaction named is unknown.
    pub fn find_inside(
        &self,
        open: &OpenSession,
        text: &str,
        compaction: Option<&str>,
        limit: usize,
    ) -> Result<Inside> {
        check_length(text)?;
        let compaction = match compaction {
            Some(named) => Some(open.resolve(named)?),
            None => newest_compaction(open),
        };
        let mut found = self.find_in(open, text, compaction, limit);
        if found.total() == 0 && found.not_understood.is_empty() {
            let finds = |query: &str| {
                let found = self.find_in(open, query, compaction, 0);
                let understood = found.not_understood.is_empty();
                Ok::<_, Infallible>(understood.then(|| Finds::Count(found.total())))
            };
            let similar = |words: &[String]| {
                let reader = self.index_db().ok().and_then(|index| index.reader().ok());
                let known = reader.and_then(|reader| {
                    let count = |word: &str| indexed(&reader, word);
                    similar_words(&reader, words, count).ok()
                });
                Ok(known.unwrap_or_else(|| vec![Vec::new(); words.len()]))
            };
            let Ok(meant) = kinds_meant(text, finds);
            let Ok(other) = wider(text, finds, similar);
            found.wider = other;
            found.wider.changes.splice(0..0, meant);
        }
        Ok(found)
    }

    fn find_in(
        &self,
        open: &OpenSession,
        text: &str,
        compaction: Option<EntryIx>,
        limit: usize,
    ) -> Inside {
        let query = Query::parse(text);
        let mut found = Inside {
            compaction,
            ignored: query.ignored.clone(),
            not_understood: query.not_understood.clone(),
            ..Inside::default()
        };
        if !found.not_understood.is_empty() {
            return found;
        }
        // Times are those of the entries.
        let times = (query.filter.after_ms, query.filter.before_ms);
        let sessions_only = SessionFilter {
            after_ms: None,
            before_ms: None,
            ..query.filter.clone()
        };
        if !sessions_only.is_empty() || !query.marks.is_empty() {
            let reason = "filters of sessions have no effect inside a session";
            found.ignored.push(reason.to_owned());
        }
        if !query.asks_for_entries() && times == (None, None) {
            return found;
        }
        let in_time = |at_ms: Option<i64>| {
            at_ms.is_none_or(|at| {
                times.0.is_none_or(|after| at >= after) && times.1.is_none_or(|before| at < before)
            })
        };
        let wanted: Vec<Pattern> = query.in_text().iter().map(Pattern::new).collect();
        // The command of a result is in the text of its call.
        let said: Vec<Pattern> = query.words.iter().map(Pattern::new).collect();
        let mut trail = Trail::default();
        let unwanted: Vec<Pattern> = query.without.iter().map(Pattern::new).collect();
        let from_index = self.candidates(open, &query);
        // What the entries before an entry tell of it is in the index.
        let asks = query.asks_for_entries() || !query.no_fields.is_empty();
        let by_trail = from_index.is_none() && asks;
        let asks_open = query.fields.iter().flatten().chain(&query.no_fields);
        let asks_open = asks_open
            .into_iter()
            .any(|own| own.text == kind_term(OPEN_TODO));
        let open_todos = if by_trail && asks_open {
            open_todos(open)
        } else {
            Vec::new()
        };
        let failed_tests = query.asks_for_kind(FAILED_TEST);
        let rereads = query.asks_for_kind(REREAD);
        let mut newest = None;
        let mut model = None;
        // An entry without a time has that of the one before it.
        let mut at_ms = None;
        for (at, entry) in open.session.entries.iter().enumerate() {
            let ix = EntryIx::new(at);
            if matches!(entry.kind, EntryKind::Compaction(_)) {
                newest = Some(ix);
            }
            let change = model_switch(entry, model);
            model = model_behind(entry, model);
            let known = from_index.as_ref();
            // A call out of the time may have its result in it.
            at_ms = entry.at_ms.or(at_ms);
            let in_time = in_time(at_ms);
            let is_out = !in_time && !by_trail;
            let beside = known.map(|known| known.get(&at));
            if is_out || beside == Some(None) {
                continue;
            }
            let Ok(body) = open.bodies.body(ix) else {
                continue;
            };
            let mut told = if by_trail {
                trail.pass(entry, Some(&body))
            } else {
                Told::default()
            };
            told.is_open_todo = open_todos.contains(&entry.source.line);
            let beside = beside.flatten().cloned().unwrap_or_else(|| Beside {
                about: told.about.clone(),
                subagent: told.subagent.clone(),
            });
            let text = with_about(entry, search_text(entry, &body), beside.about.as_deref());
            let wanted = match role_of(entry) {
                Some(Role::Tool) => &said,
                _ => &wanted,
            };
            // Of the index's own entries the fields are known.
            let has_fields = known.is_some()
                || query.fields.is_empty() && query.no_fields.is_empty()
                || has_fields(
                    &query,
                    &fields_of(entry, Some(&body), change.is_some(), &told),
                );
            if !in_time || !has_fields {
                continue;
            }
            let has_words = |text: &str| wanted.iter().all(|word| word.is_in(text));
            // A failed or rejected result is shown behind the line of its call.
            let troubled = entry.is_found_as_failure() || entry.is_found_as_rejected();
            let call = if troubled && !has_words(&text) {
                troubled_call(open, ix)
            } else {
                None
            };
            let all = match &call {
                Some(call) => Cow::Owned(format!("{}\n{text}", call.headline)),
                None => Cow::Borrowed(&*text),
            };
            let fits = has_words(&all) && !unwanted.iter().any(|word| word.is_in(&all));
            if !fits {
                continue;
            }
            let column = match compaction {
                _ if entry.kind.summary().is_some() => &mut found.summaries,
                Some(compaction) if ix > compaction => &mut found.after,
                _ => &mut found.before,
            };
            column.total += 1;
            if column.hits.len() < limit {
                // A record without words is shown by what its row in the outline says.
                let told = if text.trim().is_empty() {
                    &*entry.preview
                } else {
                    &text
                };
                let trouble = trouble_with(entry, &body, wanted);
                let (call, shown) = match trouble {
                    Some((call, words)) => (Some(call), excerpt_of(&words, true, wanted)),
                    None => {
                        let told = shown_of(told, failed_tests, wanted);
                        (None, excerpt_of(told, entry.is_found_as_rejected(), wanted))
                    }
                };
                column.hits.push(InsideHit {
                    ix,
                    kind: entry.kind.record(),
                    role: role_of(entry),
                    at_ms: entry.at_ms,
                    tools: entry.tools().into_iter().map(str::to_owned).collect(),
                    own_name: entry.kind.own_name().map(str::to_owned),
                    is_error: entry.is_found_as_failure(),
                    is_aborted: entry.is_aborted(),
                    rejected: entry.is_found_as_rejected(),
                    in_subagent: entry.is_in_subagent(),
                    subagent: beside.subagent,
                    is_thinking: is_thinking(entry),
                    call,
                    change,
                    after_compaction: newest.filter(|_| rereads),
                    ranges_utf16: shown.ranges_utf16(),
                    snippet: shown.text,
                });
            }
        }
        found
    }

    /// Positions of the entries with the words, by the index, each with what other entries tell of it;
    /// `None` where the index does not know the session as it is now.
    fn candidates(&self, open: &OpenSession, query: &Query) -> Option<HashMap<usize, Beside>> {
        if !query.asks_for_entries() {
            // Only a time is asked for, which the entries themselves have.
            return None;
        }
        let reader = self.index_db().ok()?.reader().ok()?;
        let row = reader.session_by_id(&open.id).ok()??;
        if row.entries != open.session.entries.len() as u64 {
            return None;
        }
        let request = HitQuery {
            all: query.words.iter().map(|word| word.text.clone()).collect(),
            fields: query.fields.clone(),
            no_fields: query.no_fields.clone(),
            filter: SessionFilter {
                sets: vec![SessionSet {
                    ids: vec![open.id.clone()],
                    inside: true,
                }],
                ..SessionFilter::default()
            },
            limit: row.entries,
            ..HitQuery::default()
        };
        let hits = reader.hits(&request).ok()?;
        let hits = hits.hits.into_iter().map(|hit| hit.entry);
        let beside = |row: EntryRow| Beside {
            about: row.about,
            subagent: row.subagent,
        };
        Some(hits.map(|row| (row.ix as usize, beside(row))).collect())
    }
}

/// The newest compaction on the active path, else the newest of the session.
fn newest_compaction(open: &OpenSession) -> Option<EntryIx> {
    let entries = open.session.entries.iter().enumerate();
    let compactions = entries.filter(|(_, entry)| matches!(entry.kind, EntryKind::Compaction(_)));
    let all: Vec<usize> = compactions.map(|(at, _)| at).collect();
    let active = all.iter().rev().find(|&&at| open.on_active_path[at]);
    active.or(all.last()).copied().map(EntryIx::new)
}

/// The lines of the entries that leave something to do open.
fn open_todos(open: &OpenSession) -> Vec<u32> {
    let mut trail = Trail::default();
    for (at, entry) in open.session.entries.iter().enumerate() {
        trail.pass(entry, open.bodies.body(EntryIx::new(at)).ok().as_deref());
    }
    trail.open_todos()
}

/// True when an entry with these fields has those of a query.
fn has_fields(query: &Query, fields: &str) -> bool {
    let terms: HashSet<&str> = fields.split(' ').collect();
    let has = |sought: &Sought| {
        let mut own = String::new();
        push_field(&mut own, sought.field, &sought.text);
        let mut words = own.split(' ').filter(|word| !word.is_empty()).peekable();
        let mut all = true;
        while let Some(word) = words.next() {
            let open = words.peek().is_none() && sought.text.ends_with('*');
            all &= if open {
                terms.iter().any(|term| term.starts_with(word))
            } else {
                terms.contains(word)
            };
        }
        all
    };
    query.fields.iter().all(|list| list.iter().any(has)) && !query.no_fields.iter().any(has)
}
