//! Flags kept in the index, so that a search finds the sessions that have them.

use super::flagged::Flagged;
use super::records::of_records;
use crate::error::Result;
use crate::session::OpenSession;
use crate::workspace::App;
use palimpsest_core::flag::Flag;
use palimpsest_store::index::{SessionFilter, SessionNum, SessionSort, TraitKind};
use std::collections::HashMap;

/// Most sessions whose records are read for one search.
const MOST_SESSIONS: u64 = 20_000;

impl App {
    /// Reads the records of every session with a compaction that was not read for flags, or has
    /// grown since, and gives how many of those have flags. Sessions that cannot be read are left
    /// out.
    pub(crate) fn flag_sessions(&self) -> Result<usize> {
        let mut flagged = 0;
        let filter = SessionFilter {
            has_compaction: Some(true),
            ..SessionFilter::default()
        };
        let (rows, read) = {
            let index = self.index_db()?.reader()?;
            let rows = index
                .sessions(&filter, SessionSort::Updated, 0, MOST_SESSIONS)?
                .sessions;
            (rows, index.flagged()?)
        };
        for row in rows {
            if read.get(&row.num) == Some(&row.entries) {
                continue;
            }
            let Ok(open) = self.open(&row.id) else {
                continue;
            };
            // A damaged file keeps no others from being found.
            let Ok(found) = of_records(&open) else {
                continue;
            };
            flagged += usize::from(!found.is_empty());
            let writer = self.index_db()?.writer()?;
            for name in names(&found) {
                writer.add_trait(row.num, TraitKind::Flag, name)?;
            }
            writer.put_flagged(row.num, row.entries)?;
            writer.commit()?;
        }
        Ok(flagged)
    }

    /// The flags of sessions that were read for them. An index that cannot be read has none.
    pub fn known_flags(&self) -> HashMap<SessionNum, Vec<Flag>> {
        let read = || -> Result<_> {
            let index = self.index_db()?.reader()?;
            Ok(index.all_traits(TraitKind::Flag)?)
        };
        let mut flags: HashMap<SessionNum, Vec<Flag>> = HashMap::new();
        for (session, name) in read().unwrap_or_default() {
            flags
                .entry(session)
                .or_default()
                .extend(Flag::from_name(&name));
        }
        for own in flags.values_mut() {
            own.sort_by_key(|flag| Flag::ALL.iter().position(|known| known == flag));
        }
        flags
    }

    /// Keeps what a ledger showed. A search finds it until the session is read again as a whole.
    pub fn keep_flags(&self, open: &OpenSession, found: &[Flagged]) -> Result<()> {
        if found.is_empty() {
            return Ok(());
        }
        let db = self.index_db()?;
        let Some(row) = db.reader()?.session_by_id(&open.id)? else {
            return Ok(());
        };
        let known = db.reader()?.traits(row.num, TraitKind::Flag)?;
        let new: Vec<&str> = names(found)
            .into_iter()
            .filter(|name| !known.iter().any(|own| own == name))
            .collect();
        // Most ledgers show what is known already.
        if new.is_empty() {
            return Ok(());
        }
        let writer = db.writer()?;
        for name in new {
            writer.add_trait(row.num, TraitKind::Flag, name)?;
        }
        writer.commit()?;
        Ok(())
    }
}

fn names(found: &[Flagged]) -> Vec<&'static str> {
    let has = |flag: &Flag| found.iter().any(|own| own.flag == *flag);
    Flag::ALL.into_iter().filter(has).map(Flag::name).collect()
}
