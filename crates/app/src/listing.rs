//! What is in the index: kept up to date, listed, searched.

use crate::error::{AppError, Result, unreadable};
use crate::index::{self, ChangeKind, Control, IndexReport};
use crate::search::{
    self, CountBy, HitCounts, HitPage, HitSort, ListOptions, SessionName, SessionPage,
};
use crate::session::OpenSession;
use crate::summary::LedgerShelf;
use crate::watch::{WatchEvent, Watcher};
use crate::workspace::{App, AppEvent, NoticeLevel};
use palimpsest_core::EntryIx;
use palimpsest_core::Failure as _;
use palimpsest_core::failure::Problem;
use palimpsest_core::{LinkKind, SessionLink};
use palimpsest_formats::format_of;
use palimpsest_llm::CancellationToken;
use palimpsest_store::index::SessionRow;
use palimpsest_store::{IndexDb, IndexReader, StoreError, UserDb};
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Name under which indexing can be cancelled.
const INDEXING: &str = "index";

/// Most sessions that are listed as made from one.
const MOST_FROM: u64 = 20;

impl App {
    /// Brings the index up to date with the roots named, or with the configured and default ones and
    /// those that were named before.
    pub fn bring_up_to_date(&self, roots: &[String]) -> Result<IndexReport> {
        let cancel = self.begin(INDEXING);
        let sink = self.event_sink();
        let progress = |progress: index::Progress<'_>| {
            sink(AppEvent::IndexProgress {
                done: progress.done,
                total: progress.total,
                path: progress.path.map(|path| path.display().to_string()),
            });
        };
        let control = Control {
            progress: &progress,
            cancelled: &|| cancel.is_cancelled(),
            listed: &|| self.tell(AppEvent::SessionsChanged(Vec::new())),
            waits: &|error| self.notice(&format!("waiting, because {error}")),
            catalog: Some(self.catalog()),
        };
        // Before they are read: a run that is killed has read some of them.
        self.keep_named_roots(roots);
        // This may fail while another program writes. The run takes a little longer then.
        let _ = self.index_db()?.fill_words();
        let report = index::run(self.index_db()?, &self.all_roots(roots)?, &control);
        self.end(INDEXING);
        // After the name is given back, also by a failed run.
        let report = report?;
        self.forget_files_without_session();
        // Marks are the user's data in another database; the index is up to date without them.
        if let Err(error) = self.follow_all() {
            self.notice(&error.to_string());
        }
        for notice in &report.notices {
            self.notice(notice);
        }
        // A page may show a session that was changed or deleted while nothing watched it. New ones
        // are on no page; a first index has thousands of them.
        for change in &report.changes {
            if change.kind != ChangeKind::New {
                self.tell(AppEvent::SessionChanged {
                    session: change.session.clone(),
                    change: change.kind,
                    entries: change.entries,
                });
            }
        }
        // An empty list stands for all: after a whole run the page loads its list again.
        self.tell(AppEvent::SessionsChanged(Vec::new()));
        self.merge_words(roots, &control)?;
        // A folder that was deleted takes its sessions out of the index; one that never was is a
        // slip. What was read is in the index either way.
        if report.removed == 0 {
            for root in roots {
                let found = std::fs::metadata(root);
                found.map_err(|source| unreadable(Path::new(root), source))?;
            }
        }
        Ok(report)
    }

    /// Merges the parts of the full-text index, which makes searches faster. A damaged index is filled
    /// again.
    fn merge_words(&self, roots: &[String], control: &Control<'_>) -> Result<()> {
        let index = self.index_db()?;
        match index.merge_words(|| (control.cancelled)()) {
            Err(StoreError::IndexDamaged { .. }) => {
                let notice = index.rebuild()?;
                self.notice(&notice.to_string());
                index::run(index, &self.all_roots(roots)?, control)?;
                self.tell(AppEvent::SessionsChanged(Vec::new()));
                Ok(())
            }
            // The index is complete without this, and the next run tries again.
            _ => Ok(()),
        }
    }

    /// Palimpsest's ids of sessions that another one names, where they are in the index.
    pub fn linked_sessions(
        &self,
        open: &OpenSession,
        links: &[SessionLink],
    ) -> Vec<Option<String>> {
        // One reader for all: a session can name thousands of subagents.
        let reader = self.index_db().and_then(|index| Ok(index.reader()?)).ok();
        let agent = open.session.meta.agent;
        let one = |link: &SessionLink| {
            let reader = reader.as_ref()?;
            let named = link.path.as_deref().unwrap_or(&link.native_id);
            let found = search::session_named(reader, agent, &link.native_id, named);
            found.ok()?.filter(|id| *id != open.id)
        };
        links.iter().map(one).collect()
    }

    /// The sessions in the index that were forked from this one or continue it: Palimpsest's id,
    /// the agent's, and what this one is to them. Subagents are named by the session itself.
    pub fn sessions_from(&self, open: &OpenSession) -> Vec<(String, String, LinkKind)> {
        let meta = &open.session.meta;
        let rows = self.ask_index(|index| {
            let reader = index.reader()?;
            reader.sessions_by_parent(meta.agent, &meta.native_id, &meta.path, MOST_FROM)
        });
        let of = |row: SessionRow| {
            let kind = row.parent_kind.unwrap_or(LinkKind::ForkedFrom);
            let counts = matches!(kind, LinkKind::ForkedFrom | LinkKind::Continues);
            (counts && row.id != open.id).then_some((row.id, row.native_id, kind))
        };
        rows.unwrap_or_default()
            .into_iter()
            .filter_map(of)
            .collect()
    }

    /// The names of sessions in the index by Palimpsest's ids, for references to them.
    pub fn session_names<'i>(
        &self,
        ids: impl IntoIterator<Item = &'i str>,
    ) -> HashMap<String, SessionName> {
        let ids: HashSet<&str> = ids.into_iter().collect();
        let (user, _) = self.marks_for_search();
        let titles = user.and_then(|user| user.titles().ok()).unwrap_or_default();
        let named = self.index_db().and_then(|index| {
            let reader = index.reader()?;
            let mut rows = Vec::with_capacity(ids.len());
            for id in ids {
                rows.extend(reader.session_by_id(id)?);
            }
            Ok(search::names_of(&reader, &rows, &titles)?)
        });
        named.unwrap_or_default()
    }

    /// Cost of a session in the index in US dollars, and whether it is computed.
    pub fn cost_of_session(&self, session: &str) -> Option<(f64, bool)> {
        let reader = self.index_db().ok()?.reader().ok()?;
        let row = reader.session_by_id(session).ok()??;
        Some((row.usage.cost_usd?, row.cost_computed))
    }

    /// The other files of the same session in the index, by Palimpsest's id: copies, exports, backups.
    pub fn copies_of(&self, open: &OpenSession) -> Vec<String> {
        let meta = &open.session.meta;
        let found = self.ask_index(|index| {
            let reader = index.reader()?;
            reader.files_of(meta.agent, &meta.native_id, MOST_FROM)
        });
        let mut ids = found.unwrap_or_default();
        ids.retain(|id| *id != open.id);
        ids
    }

    /// The first prompt of a session that the others with its beginning do not have: its position and
    /// the id of its entry. `None` where it shares no beginning, and where it goes on as all others do.
    pub fn own_beginning(&self, session: &str) -> Option<(EntryIx, String)> {
        let found = self.ask_index(|index| {
            let reader = index.reader()?;
            let Some(row) = reader.session_by_id(session)? else {
                return Ok(None);
            };
            let Some(from) = reader.own_from(row.num)? else {
                return Ok(None);
            };
            let entry = reader.entries(row.num, from, 1)?.into_iter().next();
            Ok(entry.map(|entry| (EntryIx(entry.ix), entry.entry_id)))
        });
        found.ok().flatten()
    }

    /// Sessions in the index that share records with the beginning of this one, by Palimpsest's id
    /// and the agent's: forks of which no record tells. Ids that are unique in the world say so, and
    /// the first prompt with its time.
    pub fn sharing_beginning(&self, open: &OpenSession) -> Vec<(String, String)> {
        let found = self.index_db().and_then(|index| {
            let reader = index.reader()?;
            let mut found = sharing_ids(&reader, open)?;
            // Copies under new ids have the times of what they were copied from.
            let row = reader.session_by_id(&open.id)?;
            let own = row.map(|row| reader.beginning(row.num)).transpose()?;
            if let Some(beginning) = own.flatten() {
                for num in reader.beginning_alike(&beginning)? {
                    let row = reader.session(num)?.map(|row| (row.id, row.native_id));
                    let other = row.filter(|(_, native)| *native != open.session.meta.native_id);
                    found.extend(other.filter(|row| !found.contains(row)));
                }
            }
            Ok(found)
        });
        found.unwrap_or_default()
    }

    /// A page of the sessions in the index.
    pub fn list_sessions(&self, query: &str, options: ListOptions) -> Result<SessionPage> {
        search::query::check_length(query)?;
        self.flag_where_asked(query)?;
        let (user, unusable) = self.marks_for_search();
        let mut page = self.ask_index(|index| search::sessions(index, user, query, options))?;
        page.ignored.extend(unusable);
        Ok(page)
    }

    /// Entries, notes and labels that contain words, with what to change where nothing or little is
    /// found.
    pub fn search(&self, query: &str, sort: HitSort, offset: u64, limit: u64) -> Result<HitPage> {
        self.asked(query, |index, user| {
            search::search(index, user, query, sort, offset, limit)
        })
    }

    /// The same without what to change.
    pub fn hits(&self, query: &str, sort: HitSort, offset: u64, limit: u64) -> Result<HitPage> {
        self.asked(query, |index, user| {
            search::hits(index, user, query, sort, offset, limit)
        })
    }

    fn asked(
        &self,
        query: &str,
        ask: impl Fn(&IndexDb, Option<&UserDb>) -> std::result::Result<HitPage, StoreError>,
    ) -> Result<HitPage> {
        search::query::check_length(query)?;
        self.flag_where_asked(query)?;
        let (user, unusable) = self.marks_for_search();
        let mut page = self.ask_index(|index| ask(index, user))?;
        page.ignored.extend(unusable);
        self.explain(&mut page)?;
        Ok(page)
    }

    /// The hits of a query counted by what they are of, of which `most` names are listed.
    pub fn count_hits(&self, query: &str, by: CountBy, most: u64) -> Result<HitCounts> {
        search::query::check_length(query)?;
        self.flag_where_asked(query)?;
        let (user, unusable) = self.marks_for_search();
        let mut counts =
            self.ask_index(|index| search::count_hits(index, user, query, by, most))?;
        counts.ignored.extend(unusable);
        Ok(counts)
    }

    /// Reads the sessions for flags where a query asks for them. The index keeps what was found, so a
    /// search fails where that is impossible: an empty list would be a wrong answer.
    fn flag_where_asked(&self, query: &str) -> Result<()> {
        if !search::query::Query::parse(query).asks_for_flags {
            return Ok(());
        }
        self.flag_sessions().map(drop).map_err(|error| {
            let next = error.next();
            let message = format!(
                "the flags of some sessions are not in the index yet and cannot be added to it: {error}"
            );
            AppError::Unflagged(Problem { message, next })
        })
    }

    /// What `ask` finds in the index. An index that is damaged or had to be made again is filled
    /// from the session files first: an empty list would be a wrong answer.
    pub(crate) fn ask_index<T>(
        &self,
        ask: impl Fn(&IndexDb) -> std::result::Result<T, StoreError>,
    ) -> Result<T> {
        let index = self.index_db()?;
        if self.must_fill() {
            self.fill_again()?;
        }
        match ask(index) {
            Err(StoreError::IndexDamaged { .. }) => {
                let notice = index.rebuild()?;
                self.notice(&notice.to_string());
                self.fill_again()?;
                Ok(ask(index)?)
            }
            found => Ok(found?),
        }
    }

    /// Reads all that was indexed before into an empty index: the configured and default folders,
    /// and those that were once named.
    pub(crate) fn fill_again(&self) -> Result<()> {
        let all = self.all_roots(&[])?;
        let mut roots: Vec<String> = all.iter().map(|root| root.display().to_string()).collect();
        // A folder that is gone, or one of an agent that is not installed, has no sessions.
        roots.retain(|root| Path::new(root).exists());
        if !roots.is_empty() && self.bring_up_to_date(&roots)?.cancelled {
            return Ok(());
        }
        self.index_lost.store(false, Ordering::Release);
        self.index_db()?.set_filled();
        Ok(())
    }

    /// The user database, or why stars, notes and labels are left out: a search of sessions works
    /// without it.
    fn marks_for_search(&self) -> (Option<&UserDb>, Option<String>) {
        match self.user_db() {
            Ok(user) => (Some(user), None),
            Err(error) => {
                let mut reason = format!("stars, notes and labels were not searched: {error}");
                // The list has no other place for the advice.
                if let Some(next) = error.next() {
                    reason += &format!(". {next}");
                }
                (None, Some(reason))
            }
        }
    }

    /// Brings the index up to date and then watches the sources, in threads of its own. What
    /// goes wrong is told as a notice: the program works without.
    pub fn start_background(self: &Arc<Self>) {
        self.has_background.store(true, Ordering::Release);
        let app = Arc::clone(self);
        std::thread::spawn(move || {
            // Opened here, so that it is known whether it had to be made again.
            let opened = app.index_db().map(drop);
            let filled = opened.and_then(|()| {
                if app.index_lost.load(Ordering::Acquire) {
                    app.fill_again()
                } else {
                    app.bring_up_to_date(&[]).map(drop)
                }
            });
            if let Err(error) = filled.and_then(|()| app.watch()) {
                app.notice(&error.to_string());
            }
            // Last: it opens every session with a compaction, and the list shows without it.
            if app.flag_sessions().is_ok_and(|found| found > 0) {
                app.tell(AppEvent::SessionsChanged(Vec::new()));
            }
        });
    }

    fn watch(self: &Arc<Self>) -> Result<()> {
        let sink = self.event_sink();
        // The watcher lives in the program; a strong reference would keep both alive forever.
        let app = Arc::downgrade(self);
        let watcher = Watcher::start(
            self.index_db()?.clone(),
            Arc::new(self.catalog().clone()),
            self.all_roots(&[])?,
            move |event| match event {
                WatchEvent::Changed(change) => {
                    // A file that was moved is a new one; what stops its marks from following
                    // is told when the program is used.
                    if change.kind == ChangeKind::New
                        && let Some(app) = app.upgrade()
                    {
                        let _ = app.follow_all();
                    }
                    // The list gains or loses a row; an appended line changes only the
                    // session's own views.
                    if matches!(change.kind, ChangeKind::New | ChangeKind::Removed) {
                        sink(AppEvent::SessionsChanged(vec![change.session.clone()]));
                    }
                    sink(AppEvent::SessionChanged {
                        session: change.session,
                        change: change.kind,
                        entries: change.entries,
                    });
                }
                WatchEvent::Failed(failed) => sink(AppEvent::Notice {
                    level: NoticeLevel::Warning,
                    text: format!("{}: {}", failed.path.display(), failed.reason),
                }),
                WatchEvent::Notice(text) => sink(AppEvent::Notice {
                    level: NoticeLevel::Warning,
                    text,
                }),
            },
        );
        self.keep_watcher(watcher);
        Ok(())
    }

    /// The models a provider offers right now.
    pub async fn offered_models(&self, name: &str) -> Result<Vec<String>> {
        let config = self.provider(name)?.config;
        let key = self.key(&config)?;
        // The request has its own limit of 15 seconds.
        let never = CancellationToken::new();
        let listed = palimpsest_llm::list_models(&config, key, &never).await;
        let listed = listed.map_err(|error| AppError::Provider(error.problem()))?;
        Ok(listed.into_iter().map(|model| model.id).collect())
    }

    /// The ledgers made last.
    pub fn ledger_shelf(&self) -> &LedgerShelf {
        &self.ledgers
    }
}

/// Sessions in the index with the first unique id of a session.
fn sharing_ids(reader: &IndexReader, open: &OpenSession) -> Result<Vec<(String, String)>> {
    const MOST: u64 = 20;
    let meta = &open.session.meta;
    let Some(format) = format_of(meta.agent) else {
        return Ok(Vec::new());
    };
    let entries = &open.session.entries;
    let mut ids = entries.iter().map(|entry| entry.id.as_str());
    // The first record of a fork is a copy of the source's first, with the same id.
    let Some(first) = ids.find(|id| format.is_unique_id(id)) else {
        return Ok(Vec::new());
    };
    // Within the project, because no index is over entry ids.
    let project = index::project_of(meta.cwd.as_deref()).name;
    Ok(reader.sessions_with_entry(meta.agent, &project, first, &open.id, MOST)?)
}
