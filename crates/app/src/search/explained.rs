//! What a hit is about where its own text does not say it: the call of a failed or rejected result,
//! what became of a queued prompt. Read from the records around the hits of one page.

use super::answered::call_behind;
use super::found::{CompactionAt, EntryHit, HitPage, PlanAnswer, QueuedHit};
use super::opened::Opened;
use super::reading::record_of;
use crate::error::Result;
use crate::view::calls::AnsweredCall;
use crate::view::queued::{NEAR, is_prompt, is_sent};
use crate::workspace::App;
use palimpsest_core::{RecordKind, Role, SummaryKind};
use palimpsest_formats::{QueueFate, Queued, queued};
use palimpsest_store::index::{EntryRow, SessionRow};
use palimpsest_store::{IndexReader, StoreError};
use std::collections::HashMap;

/// Records below a plan that are looked through for its answer: the agent waits for it.
const MOST_BELOW: u64 = 32;

/// The queued prompts of one session by their positions.
type Prompts = HashMap<u32, QueuedHit>;

impl App {
    /// Adds to the hits of a page what their own records do not say.
    pub(crate) fn explain(&self, page: &mut HitPage) -> Result<()> {
        let reader = self.index_db()?.reader()?;
        let mut desk = Desk {
            reader: &reader,
            opened: Opened::default(),
            sessions: HashMap::new(),
            prompts: HashMap::new(),
        };
        let ids = page.hits.iter().map(|hit| &*hit.session_id);
        let names = self.session_names(ids);
        for hit in &mut page.hits {
            let name = names.get(&hit.session_id);
            hit.shown_id = name.map_or_else(String::new, |name| name.shown_id.clone());
            if page.plans && !hit.rejected {
                hit.plan = desk.plan_answer(hit)?;
            }
            if page.rereads {
                hit.after_compaction = desk.compaction_before(hit)?;
            }
            let is_result = hit.role == Some(Role::Tool);
            if is_result && (hit.is_error || hit.rejected) {
                hit.call = desk.call(hit)?;
            } else if hit.kind == RecordKind::Custom {
                hit.queued = desk.queued(hit)?;
            }
        }
        Ok(())
    }
}

/// What is at hand for one page.
struct Desk<'a> {
    reader: &'a IndexReader,
    opened: Opened,
    sessions: HashMap<String, Option<SessionRow>>,
    prompts: HashMap<String, Prompts>,
}

impl Desk<'_> {
    fn session(&mut self, id: &str) -> std::result::Result<Option<SessionRow>, StoreError> {
        if let Some(known) = self.sessions.get(id) {
            return Ok(known.clone());
        }
        let row = self.reader.session_by_id(id)?;
        self.sessions.insert(id.to_owned(), row.clone());
        Ok(row)
    }

    /// The newest compaction above an entry.
    fn compaction_before(
        &mut self,
        hit: &EntryHit,
    ) -> std::result::Result<Option<CompactionAt>, StoreError> {
        let Some(session) = self.session(&hit.session_id)? else {
            return Ok(None);
        };
        let summaries = self.reader.summaries(session.num)?.into_iter().rev();
        let mut compactions = summaries.filter(|row| row.kind == SummaryKind::Compaction);
        let Some(row) = compactions.find(|row| row.ix < hit.ix) else {
            return Ok(None);
        };
        let found = self.reader.entries(session.num, row.ix, 1)?;
        Ok(found.into_iter().next().map(|entry| CompactionAt {
            entry_id: entry.entry_id,
            at_ms: entry.at_ms,
        }))
    }

    /// What the user answered to the plan of a call: the next result of the tool.
    fn plan_answer(
        &mut self,
        hit: &EntryHit,
    ) -> std::result::Result<Option<PlanAnswer>, StoreError> {
        let Some(session) = self.session(&hit.session_id)? else {
            return Ok(None);
        };
        let rows = self.reader.entries(session.num, hit.ix + 1, MOST_BELOW)?;
        let answers = |row: &&EntryRow| {
            let is_result = row.role == Some(Role::Tool) || row.kind == RecordKind::ToolResult;
            is_result && row.tools.iter().any(|tool| hit.tools.contains(tool))
        };
        Ok(rows.iter().find(answers).and_then(|row| {
            if row.rejected {
                Some(PlanAnswer::Rejected)
            } else {
                (!row.is_error).then_some(PlanAnswer::Approved)
            }
        }))
    }

    /// The call that a result answers, in a record above it.
    fn call(&mut self, hit: &EntryHit) -> std::result::Result<Option<AnsweredCall>, StoreError> {
        let Some(session) = self.session(&hit.session_id)? else {
            return Ok(None);
        };
        let found = self.reader.entries(session.num, hit.ix, 1)?;
        let Some(own) = found.into_iter().find(|row| row.ix == hit.ix) else {
            return Ok(None);
        };
        match record_of(&session, &own, &mut self.opened) {
            Some(record) => call_behind(self.reader, &session, &own, &record, &mut self.opened),
            None => Ok(None),
        }
    }

    /// What became of a queued prompt; `None` of other records.
    fn queued(&mut self, hit: &EntryHit) -> std::result::Result<Option<QueuedHit>, StoreError> {
        let Some(name) = &hit.own_name else {
            return Ok(None);
        };
        let Some(session) = self.session(&hit.session_id)? else {
            return Ok(None);
        };
        if !self.prompts.contains_key(&session.id) {
            let rows = self.reader.entries(session.num, hit.ix, 1)?;
            let is_queue = rows.first().is_some_and(|row| {
                let record = record_of(&session, row, &mut self.opened);
                record.is_some_and(|record| record.queueing().is_some())
            });
            if !is_queue {
                return Ok(None);
            }
            let found = self.prompts_of(&session, name)?;
            self.prompts.insert(session.id.clone(), found);
        }
        let known = self.prompts.get(&session.id);
        Ok(known.and_then(|prompts| prompts.get(&hit.ix).cloned()))
    }

    fn prompts_of(
        &mut self,
        session: &SessionRow,
        name: &str,
    ) -> std::result::Result<Prompts, StoreError> {
        let rows = self.reader.entries_named(session.num, name)?;
        let records: Vec<_> = rows
            .iter()
            .filter_map(|row| {
                let record = record_of(session, row, &mut self.opened)?;
                Some((row.ix, record.queueing()?))
            })
            .collect();
        let mut prompts = Prompts::new();
        for own in queued(records) {
            let entry_id = self.sent_as(session, &own)?;
            let fate: QueueFate = own.fate;
            prompts.insert(own.at, QueuedHit { fate, entry_id });
        }
        Ok(prompts)
    }

    /// The entry that a prompt was sent as.
    fn sent_as(
        &mut self,
        session: &SessionRow,
        own: &Queued<u32>,
    ) -> std::result::Result<Option<String>, StoreError> {
        let Some(until) = own.until.filter(|_| is_sent(own.fate)) else {
            return Ok(None);
        };
        let near = self.reader.entries(session.num, until + 1, NEAR as u64)?;
        for row in near {
            let may_be = row.role == Some(Role::User) || row.kind == RecordKind::CustomMessage;
            if !may_be {
                continue;
            }
            let record = record_of(session, &row, &mut self.opened);
            if record.is_some_and(|record| is_prompt(&record.entry, &own.words)) {
                return Ok(Some(row.entry_id));
            }
        }
        Ok(None)
    }
}
