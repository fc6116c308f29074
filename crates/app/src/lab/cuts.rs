//! Cuts of an experiment: found by a query or named one by one, and stored with a hash of what they
//! cut.

use crate::clock::now_ms;
use crate::error::{AppError, Result};
use crate::fnv::fnv_of;
use crate::search::{ListOptions, ListSort};
use crate::session::OpenSession;
use crate::stored::SessionSort;
use crate::summary::stored_cut;
use crate::workspace::App;
use palimpsest_core::failure::{Input, Listed, NextStep};
use palimpsest_core::{EntryIx, SummaryKind};
use palimpsest_lab::{CutSpec, Cuts};
use palimpsest_store::user::CutSetRow;
use serde::{Deserialize, Serialize};

/// A place where a context is cut, with a hash of the context.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct StoredCut {
    /// The session's file or address.
    pub session: String,
    /// The session's id; empty in sets that were stored without it.
    #[serde(default)]
    pub session_id: String,
    /// The session's title.
    pub title: String,
    /// The agent.
    pub agent: String,
    /// The entry: a stored summary that is made again, or an entry to compact at.
    pub entry: String,
    /// For a branch summary the target entry; `entry` is the start entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// True for a summary that the session holds: it takes part in the comparison.
    #[serde(default)]
    pub stored: bool,
    /// Hash of the records that the context is made of.
    pub hash: String,
}

/// A stored set of cuts.
#[derive(Debug, Clone, PartialEq)]
pub struct CutSet {
    /// Its name.
    pub name: String,
    /// The query that chose them.
    pub query: Option<String>,
    /// The cuts.
    pub cuts: Vec<StoredCut>,
    /// When it was saved, Unix milliseconds.
    pub made_at_ms: i64,
}

impl App {
    /// The cuts that an experiment names, in order, with their hashes.
    pub fn find_cuts(&self, cuts: &Cuts) -> Result<Vec<StoredCut>> {
        if let Some(name) = &cuts.set {
            return self.cut_set(name).map(|set| set.cuts);
        }
        let found = match &cuts.query {
            Some(query) => self.cuts_of_query(query, cuts.limit)?,
            None => {
                let cuts = cuts.list.iter().map(|cut| self.cut_of(cut));
                cuts.collect::<Result<Vec<_>>>()?
            }
        };
        if found.is_empty() {
            let (message, next) = match &cuts.query {
                Some(query) => (
                    format!(
                        "no session with a compaction or branch summary fits the query `{query}`"
                    ),
                    NextStep::WidenQuery,
                ),
                None => (
                    "the experiment names no cut".to_owned(),
                    NextStep::Give {
                        what: Input::Compaction,
                    },
                ),
            };
            return Err(AppError::bad_request(message, next));
        }
        Ok(found)
    }

    /// The stored summaries on the active paths of the sessions that fit, newest session first.
    fn cuts_of_query(&self, query: &str, limit: Option<usize>) -> Result<Vec<StoredCut>> {
        let options = ListOptions {
            sort: ListSort::By(SessionSort::Updated),
            ..ListOptions::default()
        };
        let page = self.list_sessions(query, options)?;
        if let Some(reason) = page.not_understood.first() {
            return Err(AppError::bad_request(
                reason.clone(),
                NextStep::CorrectFilter,
            ));
        }
        let mut found = Vec::new();
        for row in page.sessions {
            // A session that was deleted meanwhile has no cut.
            let Ok(open) = self.open(&row.path) else {
                continue;
            };
            for ix in summaries(&open) {
                // A summary whose entries are not in the file measures nothing.
                if stored_cut(&open, ix).is_ok_and(|cut| !cut.summarized.is_empty()) {
                    found.push(self.with_hash(&open, ix, None)?);
                }
                if limit.is_some_and(|most| found.len() >= most) {
                    return Ok(found);
                }
            }
        }
        Ok(found)
    }

    pub(super) fn cut_of(&self, cut: &CutSpec) -> Result<StoredCut> {
        let open = self.open(&cut.session)?;
        let ix = open.resolve(&cut.entry)?;
        let to = cut.to.as_deref().map(|to| open.resolve(to)).transpose()?;
        self.with_hash(&open, ix, to)
    }

    fn with_hash(&self, open: &OpenSession, ix: EntryIx, to: Option<EntryIx>) -> Result<StoredCut> {
        let entry = open.session.entry(ix);
        let stored = to.is_none() && entry.kind.summary().is_some();
        let title = self.title_of(open);
        Ok(StoredCut {
            session: open.session.meta.path.clone(),
            session_id: open.id.clone(),
            title,
            agent: open.session.meta.agent.name().to_owned(),
            entry: open.session.name_of(ix),
            to: to.map(|to| open.session.name_of(to)),
            stored,
            hash: hash_at(
                open,
                if stored {
                    open.tree.parent(ix)
                } else {
                    Some(ix)
                },
            )?,
        })
    }

    fn title_of(&self, open: &OpenSession) -> String {
        let row = self.index_db().ok().and_then(|index| {
            let reader = index.reader().ok()?;
            reader.session_by_id(&open.id).ok()?
        });
        row.and_then(|row| row.title)
            .unwrap_or_else(|| open.session.meta.path.clone())
    }

    /// Why a stored cut is not what it was; `None` where it is.
    pub(crate) fn changed_cut(&self, cut: &StoredCut) -> Option<String> {
        let now = self.cut_of(&CutSpec {
            session: cut.session.clone(),
            entry: cut.entry.clone(),
            to: cut.to.clone(),
        });
        match now {
            Ok(now) if now.hash == cut.hash => None,
            Ok(_) => Some("the session changed at this cut since the cut was stored".to_owned()),
            Err(error) => Some(error.to_string()),
        }
    }

    /// Stores the cuts under a name; a set of the same name is replaced.
    pub fn save_cut_set(&self, name: &str, cuts: &Cuts) -> Result<CutSet> {
        let name = name.trim();
        if name.is_empty() {
            return Err(AppError::bad_request(
                "a set of cuts needs a name",
                NextStep::Give { what: Input::Name },
            ));
        }
        let set = CutSet {
            name: name.to_owned(),
            query: cuts.query.clone(),
            cuts: self.find_cuts(cuts)?,
            made_at_ms: now_ms(),
        };
        self.store_cut_set(&set)?;
        Ok(set)
    }

    pub(super) fn store_cut_set(&self, set: &CutSet) -> Result<()> {
        self.user_db()?.save_cut_set(&CutSetRow {
            name: set.name.clone(),
            query: set.query.clone(),
            cuts: super::to_json(&set.cuts)?,
            made_at_ms: set.made_at_ms,
        })?;
        Ok(())
    }

    /// The stored sets of cuts, by name.
    pub fn cut_sets(&self) -> Result<Vec<CutSet>> {
        let rows = self.user_db()?.cut_sets()?;
        // A set of a newer program must not hide the others.
        let sets = rows.into_iter().filter_map(|row| {
            Some(CutSet {
                cuts: serde_json::from_str(&row.cuts).ok()?,
                name: row.name,
                query: row.query,
                made_at_ms: row.made_at_ms,
            })
        });
        Ok(sets.collect())
    }

    pub(super) fn cut_set(&self, name: &str) -> Result<CutSet> {
        let sets = self.cut_sets()?;
        let known: Vec<String> = sets.iter().map(|set| set.name.clone()).collect();
        let found = sets.into_iter().find(|set| set.name == name);
        found.ok_or_else(|| {
            AppError::not_found(
                format!("there is no set of cuts '{name}'"),
                NextStep::choose(Listed::CutSets, name, known),
            )
        })
    }

    /// Deletes a set of cuts; experiments on it keep their cuts.
    pub fn delete_cut_set(&self, name: &str) -> Result<()> {
        self.cut_set(name)?;
        self.user_db()?.delete_cut_set(name)?;
        Ok(())
    }
}

/// The stored summaries on the active path, oldest first.
fn summaries(open: &OpenSession) -> Vec<EntryIx> {
    let leaf = open.session.active_leaf;
    let path = leaf.map(|leaf| open.tree.path(leaf)).unwrap_or_default();
    let is_summary = |ix: &EntryIx| {
        let kind = open.session.entry(*ix).kind.summary();
        matches!(
            kind,
            Some(SummaryKind::Compaction | SummaryKind::BranchSummary)
        )
    };
    path.into_iter().filter(is_summary).collect()
}

/// A hash of the records that the context at `at` is made of.
fn hash_at(open: &OpenSession, at: Option<EntryIx>) -> Result<String> {
    let context = open.format.context(&open.session, &open.tree, at);
    let items = context.items.iter();
    let mut entries: Vec<EntryIx> = items.flat_map(|item| item.entries.clone()).collect();
    entries.sort_unstable();
    entries.dedup();
    let hashes = open.bodies.content_hashes(&entries)?;
    let bytes: Vec<[u8; 8]> = hashes.iter().map(|hash| hash.to_le_bytes()).collect();
    let hash = fnv_of(bytes.iter().map(<[u8; 8]>::as_slice));
    Ok(format!("{hash:016x}"))
}
