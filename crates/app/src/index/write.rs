//! Writing what was read: rows, sums, and when a transaction ends.

use super::fields::push_switch;
use super::forks::relate;
use super::kinds::kinds_of;
use super::numbers::Block;
use super::plan::Listed;
use super::project::Projects;
use super::rows::{EntryWords, empty_row, new_entry, summary};
use super::target::Target;
use super::trail::Told;
use super::{ChangeKind, Changed, Control};
use crate::cost::{spent, spent_row};
use crate::session::lock;
use palimpsest_core::{Agent, Entry, Session, SessionMeta, Tree};
use palimpsest_store::index::{
    Beginning, FileUse, IndexReader, SessionNum, SourceRow, SpentRow, TraitKind,
};
use palimpsest_store::{IndexDb, IndexWriter, StoreError};
use palimpsest_tokens::{Catalog, Spending};
use std::collections::{BTreeSet, HashSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

/// A transaction ends after this much text. Smaller ones cost: each leaves a segment of the
/// full-text index behind that is merged later (200 MB of sessions: 2.5 CPU-seconds in pieces of
/// 8 MB, 2.2 in pieces of 32).
const BATCH_BYTES: usize = 32 << 20;

/// The writer of a run, shared by its threads, and the transaction it is in.
pub(super) struct Batches<'a> {
    db: &'a IndexDb,
    projects: Projects,
    control: &'a Control<'a>,
    state: Mutex<State<'a>>,
}

struct State<'a> {
    writer: Option<IndexWriter<'a>>,
    text_bytes: usize,
    /// Files of which a part is written. A transaction only ends when there is none, so that
    /// what is permanent is always whole.
    unsettled: usize,
    /// Beginnings whose sessions came, changed or went in the transaction.
    beginnings: BTreeSet<Beginning>,
}

impl State<'_> {
    /// Notes that a session comes, changes or goes.
    fn touch(&mut self, writer: &IndexReader, session: SessionNum) -> Result<(), StoreError> {
        self.beginnings.extend(writer.beginning(session)?);
        Ok(())
    }

    /// Relates the sessions with the beginnings that were touched, as the transaction ends.
    fn relate(&mut self, writer: &IndexWriter<'_>) -> Result<(), StoreError> {
        for beginning in std::mem::take(&mut self.beginnings) {
            relate(writer, &beginning)?;
        }
        Ok(())
    }
}

impl<'a> Batches<'a> {
    pub(super) fn new(db: &'a IndexDb, control: &'a Control<'a>) -> Batches<'a> {
        let state = State {
            writer: None,
            text_bytes: 0,
            unsettled: 0,
            beginnings: BTreeSet::new(),
        };
        Batches {
            db,
            projects: Projects::default(),
            control,
            state: Mutex::new(state),
        }
    }

    fn with<T>(
        &self,
        write: impl FnOnce(&mut State<'a>, &IndexWriter<'a>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        // One writer for both threads: whoever has a chunk ready writes it, the other goes on
        // parsing.
        let mut state = lock(&self.state);
        let writer = match state.writer.take() {
            Some(writer) => writer,
            None => self.writer()?,
        };
        let result = write(&mut state, &writer);
        if result.is_ok() && state.unsettled == 0 && state.text_bytes >= BATCH_BYTES {
            state.text_bytes = 0;
            state.relate(&writer)?;
            writer.commit()?;
        } else {
            // After an error the run ends, and with it the writer, which takes the batch back.
            state.writer = Some(writer);
        }
        result
    }

    /// Waits until no other program writes to the index, or until the run is cancelled: a change that
    /// was given up would be missing until the next start.
    fn writer(&self) -> Result<IndexWriter<'a>, StoreError> {
        let mut said = false;
        loop {
            match self.db.writer() {
                Err(error @ StoreError::Locked { .. }) if !(self.control.cancelled)() => {
                    if !said {
                        (self.control.waits)(&error);
                    }
                    said = true;
                }
                done => return done,
            }
        }
    }

    /// Ends the last transaction.
    pub(super) fn commit(&self) -> Result<(), StoreError> {
        let mut state = lock(&self.state);
        match state.writer.take() {
            Some(writer) => {
                state.relate(&writer)?;
                writer.commit()
            }
            None => Ok(()),
        }
    }

    /// Takes out a source that is gone.
    pub(super) fn remove(&self, source: &SourceRow) -> Result<Option<Changed>, StoreError> {
        self.with(|state, writer| {
            let session = source
                .session
                .map(|num| writer.session(num))
                .transpose()?
                .flatten();
            if let Some(num) = source.session {
                state.touch(writer, num)?;
            }
            writer.remove_source(&source.path)?;
            Ok(session.map(|row| Changed {
                session: row.id,
                path: PathBuf::from(&source.path),
                kind: ChangeKind::Removed,
                from_ix: 0,
                entries: 0,
            }))
        })
    }

    /// Notes that a file is no session, and takes out the one it was.
    pub(super) fn skip(
        &self,
        listed: &Listed,
        stored: Option<&SourceRow>,
        reason: &str,
    ) -> Result<Option<Changed>, StoreError> {
        let gone = stored
            .map(|stored| self.remove(stored))
            .transpose()?
            .flatten();
        self.with(|_, writer| {
            let source = SourceRow {
                path: listed.path.clone(),
                // The column needs an agent, and a skipped file has none.
                agent: Agent::PI,
                size: listed.size,
                mtime_ns: listed.mtime_ns,
                inode: listed.inode,
                head_hash: 0,
                tail_hash: 0,
                read_to: 0,
                session: None,
                skipped: Some(reason.to_owned()),
                beside: None,
            };
            writer.put_source(&source, "")
        })?;
        Ok(gone)
    }

    /// Notes the states of the databases that unchanged sessions are in.
    pub(super) fn keep_states(&self, states: &[(String, u64)]) -> Result<(), StoreError> {
        if states.is_empty() {
            return Ok(());
        }
        self.with(|_, writer| {
            let mut states = states.iter();
            states.try_for_each(|(path, state)| writer.put_state(path, *state))
        })
    }

    /// Notes the files beside a source whose document they did not change.
    pub(super) fn keep_beside(
        &self,
        stored: &SourceRow,
        beside: Option<&str>,
    ) -> Result<(), StoreError> {
        self.with(|_, writer| {
            // Another process may have read it since the plan was made.
            let same = writer.source(&stored.path)?.as_ref() == Some(stored);
            if !same {
                return Ok(());
            }
            writer.put_beside(&stored.path, beside)
        })
    }

    /// Where the reading of a source goes on, as JSON. Read when it is needed: those of all sources
    /// are megabytes, of which a run mostly needs none.
    pub(super) fn state_of(&self, stored: &SourceRow) -> Result<Option<String>, StoreError> {
        self.with(|_, writer| writer.source_state(&stored.path))
    }

    /// Begins a session whose file is read from its beginning, in place of what was there.
    pub(super) fn begin(
        &self,
        meta: &SessionMeta,
        listed: &Listed,
        block: Option<Arc<Block>>,
    ) -> Result<Target, StoreError> {
        self.with(|state, writer| {
            let mut row = empty_row(meta);
            // The same file may have held another session.
            let before = writer
                .source(&listed.path)?
                .and_then(|source| source.session);
            let known = writer.session_by_id(&row.id)?.map(|known| known.num);
            for num in [before, known].into_iter().flatten() {
                state.touch(writer, num)?;
            }
            if let Some(before) = before.filter(|&before| Some(before) != known) {
                writer.remove_session(before)?;
            }
            row.num = writer.put_session(&row)?;
            // The number stays, so that what refers to the session by number stays right.
            if known.is_some() {
                writer.clear_session(row.num)?;
            }
            state.unsettled += 1;
            let mut target = Target::new(row, Spending::default());
            target.block = block;
            Ok(target)
        })
    }

    /// Goes on with a session. `None` when the source was read further since `stored` was.
    pub(super) fn go_on(
        &self,
        session: SessionNum,
        stored: &SourceRow,
    ) -> Result<Option<Target>, StoreError> {
        self.with(|state, writer| {
            let source = writer.source(&stored.path)?;
            let row = writer.session(session)?;
            // The plan was made before the transaction; another process may have read the same
            // lines since.
            let same = source.is_some_and(|source| {
                source.read_to == stored.read_to && source.session == Some(session)
            });
            let Some(row) = row.filter(|_| same) else {
                return Ok(None);
            };
            let spent = writer.spending(session)?.into_iter().map(spent).collect();
            state.unsettled += 1;
            let mut target = Target::new(row, Spending::behind(spent));
            target.dated_ms = writer.last_dated(session)?;
            Ok(Some(target))
        })
    }

    /// Removes a session that was read only in part; the next run reads it from the beginning.
    pub(super) fn abandon(&self, target: Target, listed: &Listed) -> Result<(), StoreError> {
        self.with(|state, writer| {
            state.unsettled -= 1;
            state.touch(writer, target.row.num)?;
            writer.remove_source(&listed.path)?;
            writer.remove_session(target.row.num)
        })
    }

    /// True when the session already has an entry with an id of `entries`.
    pub(super) fn repeats(&self, target: &Target, entries: &[Entry]) -> Result<bool, StoreError> {
        let ids = entries.iter().map(|entry| entry.id.as_str()).collect();
        self.with(|_, writer| writer.has_any_id(target.row.num, &ids))
    }

    /// True when the parent of one of `entries` is neither among them nor in the index: the whole file
    /// may tell of another.
    pub(super) fn lacks_parent(
        &self,
        target: &Target,
        entries: &[Entry],
    ) -> Result<bool, StoreError> {
        self.with(|_, writer| {
            let orphans = entries.iter().filter(|entry| entry.parent.is_none());
            for id in orphans.filter_map(|entry| entry.missing_parent.as_ref()) {
                let known = writer.entry_by_id(target.row.num, id.as_str(), target.base)?;
                if known.is_none() {
                    return Ok(true);
                }
            }
            Ok(false)
        })
    }

    /// Gives up a session that was only looked at.
    pub(super) fn give_up(&self, target: Target) {
        drop(target);
        lock(&self.state).unsettled -= 1;
    }

    /// Adds the entries of `session` from `from` on; `words` are theirs.
    pub(super) fn add(
        &self,
        target: &mut Target,
        session: &Session,
        from: usize,
        words: &[EntryWords],
    ) -> Result<(), StoreError> {
        let none = EntryWords::default();
        self.with(|state, writer| {
            let num = target.row.num;
            let count = session.entries.len().saturating_sub(from);
            let block = target.block.as_ref().filter(|_| count > 0);
            let first = match block {
                Some(block) => Some(block.take(count, writer)?),
                None => None,
            };
            for (at, entry) in session.entries.iter().enumerate().skip(from) {
                let ix = target.base + position(at);
                // After a restart of the reading the parent is no longer in memory, but the index
                // has it.
                let parent_ix = match (&entry.parent, &entry.missing_parent) {
                    (Some(parent), _) => Some(target.base + position(parent.get())),
                    (None, Some(id)) if target.base > 0 => writer
                        .entry_by_id(num, id.as_str(), target.base)?
                        .map(|row| row.ix),
                    (None, _) => None,
                };
                target.parents.push(parent_ix);
                let words = words.get(at - from).unwrap_or(&none);
                state.text_bytes += words.text.len();
                let change = target.model_switch(entry);
                let switched = change.is_some().then(|| {
                    let mut fields = words.fields.clone();
                    push_switch(&mut fields);
                    fields
                });
                let fields = switched.as_deref().unwrap_or(&words.fields);
                let mut row = new_entry(entry, ix, parent_ix, (&words.text, fields));
                row.change = change;
                row.about = words.about.clone();
                row.subagent = words.subagent.clone();
                row.at_ms = dated(target, writer, entry)?;
                row.num = first.zip(i64::try_from(at - from).ok()).map(|(a, b)| a + b);
                let entry_num = writer.add_entry(num, &row)?;
                if !words.failed.is_empty() {
                    writer.add_failed_calls(entry_num, &words.failed)?;
                }
                let sized;
                let kinds = match &*words.kinds {
                    // Of an entry without words only its sizes are known.
                    [] => {
                        sized = kinds_of(entry, None, &Told::default());
                        &*sized
                    }
                    kinds => kinds,
                };
                for (kind, name) in target.new_traits(entry, kinds) {
                    writer.add_trait(num, kind, &name)?;
                }
                // Last: the model of the entries before it tells whether this one changes it.
                target.count(entry, ix);
                for (path, access) in &words.files {
                    target.uses(path, *access, ix);
                }
                if let Some(row) = summary(entry, ix) {
                    writer.add_summary(num, &row)?;
                }
            }
            Ok(())
        })
    }

    /// Counts leaves and corrects parents once all entries in memory are written; the next ones
    /// are counted from the entry after them.
    pub(super) fn sum_up(&self, target: &mut Target, session: &Session) -> Result<(), StoreError> {
        self.with(|_, writer| {
            let num = target.row.num;
            let base = target.base;
            let parent_of =
                |entry: &Entry| entry.parent.map(|parent| base + position(parent.get()));
            for (at, entry) in session.entries.iter().enumerate() {
                // A parent that was read after its child.
                if entry.parent.is_some() && parent_of(entry) != target.parents[at] {
                    target.parents[at] = parent_of(entry);
                    writer.set_parent(num, base + position(at), parent_of(entry))?;
                }
            }
            target.row.irregular |= is_irregular(session, &target.parents, base);
            // Everything is in memory, so the tree itself is asked.
            if base == 0 {
                target.row.leaves = Tree::new(session).leaves().len() as u64;
            } else {
                let parents: HashSet<u32> = target.parents.iter().flatten().copied().collect();
                let is_leaf = |at: &usize| !parents.contains(&(base + position(*at)));
                target.row.leaves += (0..session.entries.len()).filter(is_leaf).count() as u64;
                for &earlier in parents.iter().filter(|&&parent| parent < base) {
                    // The last entry of a regular session has no children before there are new
                    // ones; and it is where new ones mostly go.
                    let was_leaf = earlier + 1 == base && !target.row.irregular
                        || !writer.has_children(num, earlier, base)?;
                    target.row.leaves -= u64::from(was_leaf);
                }
            }
            target.base += position(session.entries.len());
            target.parents.clear();
            // Only now, because what follows can take a warning back.
            for warning in &session.warnings {
                writer.add_warning(num, warning)?;
                target.row.warnings += 1;
            }
            for ((path, access), (uses, last_ix)) in target.files.drain() {
                let path = path.into_string();
                writer.add_file(
                    num,
                    &FileUse {
                        path,
                        access,
                        uses,
                        last_ix,
                    },
                )?;
            }
            Ok(())
        })
    }

    /// Ends a session: its row and its source's.
    pub(super) fn settle(
        &self,
        target: Target,
        (mut source, reading): (SourceRow, &str),
        kind: ChangeKind,
        meta: &SessionMeta,
    ) -> Result<Changed, StoreError> {
        self.with(|state, writer| {
            let mut row = target.row;
            // Only now: the title is the last name that was given, or the first words, which may
            // come late.
            row.title = meta.title.clone();
            row.agent_version = meta.agent_version.clone();
            // A later record may tell that it is a fork.
            row.parent_session = meta.parent_session.clone();
            row.parent_kind = meta.parent_kind;
            row.updated_at_ms = meta
                .updated_at_ms
                .or(meta.created_at_ms)
                .or(Some(source.mtime_ns.div_euclid(1_000_000)));
            row.created_at_ms = meta.created_at_ms;
            let project = self.projects.of(meta.cwd.as_deref());
            row.cwd = meta.cwd.clone();
            row.project = project.name;
            row.root = project.root;
            row.worktree = project.worktree;
            row.bytes = source.size;
            for branch in &meta.branches {
                writer.add_trait(row.num, TraitKind::Branch, branch)?;
            }
            writer.put_open_todos(row.num, &target.open_todos)?;
            let stored = row
                .usage
                .cost_usd
                .filter(|_| target.spending.models().is_empty());
            let cost = self
                .control
                .catalog
                .map(|catalog| target.spending.cost(catalog));
            let cost = cost.unwrap_or_else(|| target.spending.cost(&Catalog::default()));
            row.usage.cost_usd = cost.map(|cost| cost.usd).or(stored);
            row.cost_computed = cost.is_some_and(|cost| cost.is_computed);
            row.cost_partial = cost.is_some_and(|cost| cost.is_partial);
            let spent: Vec<SpentRow> = target.spending.models().iter().map(spent_row).collect();
            writer.put_spending(row.num, &spent)?;
            writer.put_session(&row)?;
            if let Some(beginning) = &target.beginning {
                // Kept only where none is known: the session may have been read before.
                writer.put_beginning(row.num, beginning)?;
            }
            // Written again below where others have its beginning.
            writer.put_own_from(row.num, None)?;
            state.touch(writer, row.num)?;
            source.session = Some(row.num);
            writer.put_source(&source, reading)?;
            state.unsettled -= 1;
            Ok(Changed {
                session: row.id,
                path: PathBuf::from(source.path),
                kind,
                from_ix: target.from,
                entries: row.entries,
            })
        })
    }
}

/// When an entry was written. One that does not say so takes the time of the one before it; those
/// before the first that does take that of the first.
fn dated(
    target: &mut Target,
    writer: &IndexWriter<'_>,
    entry: &Entry,
) -> Result<Option<i64>, StoreError> {
    if let Some(at) = entry.at_ms {
        if target.dated_ms.is_none() && target.row.entries > 0 {
            writer.date_entries(target.row.num, at)?;
        }
        target.dated_ms = Some(at);
    }
    Ok(target.dated_ms)
}

/// True for a tree whose sums depend on entries far apart: orphans, whose parent may still come;
/// repeated ids; parents after their children.
fn is_irregular(session: &Session, parents: &[Option<u32>], base: u32) -> bool {
    let orphan = session
        .entries
        .iter()
        .zip(parents)
        .any(|(entry, parent)| entry.missing_parent.is_some() && parent.is_none());
    let backwards = parents
        .iter()
        .enumerate()
        .any(|(at, parent)| parent.is_some_and(|p| p >= base + position(at)));
    let ids: HashSet<&str> = session
        .entries
        .iter()
        .map(|entry| entry.id.as_str())
        .collect();
    orphan || backwards || ids.len() < session.entries.len()
}

fn position(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
