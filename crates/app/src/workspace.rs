//! The program's state: databases, catalog, open sessions, and what runs in the background.

use crate::ambiguous::ambiguous;
use crate::error::{AppError, Result, unreadable};
use crate::index::ChangeKind;
use crate::lab::LabProgress;
use crate::options::Options;
use crate::run::RunsUnderWay;
use crate::session::{OpenSession, SessionCache, lock};
use crate::source::file_of;
use crate::{samples, watch};
use palimpsest_compaction::Purpose;
use palimpsest_core::EntryIx;
use palimpsest_core::entry::ModelRef;
use palimpsest_core::failure::{Input, NextStep};
use palimpsest_core::words::without_codes;
use palimpsest_store::user::RunStatus;
use palimpsest_store::{IndexDb, UserDb};
use palimpsest_tokens::{Catalog, Encoding};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// Sessions that are looked up for a beginning of an id.
const MOST_FITTING: u64 = 5;

/// What the program tells without being asked.
#[derive(Debug, Clone, PartialEq)]
pub enum AppEvent {
    /// Indexing goes on.
    IndexProgress {
        /// Sources done.
        done: u64,
        /// Sources in all.
        total: u64,
        /// The source being read.
        path: Option<String>,
    },
    /// A chain is being made.
    ChainProgress {
        /// The session's id.
        session: String,
        /// Compactions done.
        done: u64,
        /// Compactions in all.
        total: u64,
    },
    /// The list of sessions changed; which ones, or any when empty.
    SessionsChanged(Vec<String>),
    /// A session's source changed.
    SessionChanged {
        /// The session's id.
        session: String,
        /// What happened to it.
        change: ChangeKind,
        /// Entries it has now.
        entries: u64,
    },
    /// The stars, notes or labels of a session changed.
    MarksChanged(String),
    /// A run got text.
    RunDelta {
        /// The name the caller chose.
        stream: String,
        /// Which call of the plan, from 0.
        call: usize,
        /// What the call is for.
        purpose: Purpose,
        /// The text added.
        text: String,
    },
    /// A run waits to try again.
    RunRetry {
        /// The name the caller chose.
        stream: String,
        /// Which try comes next, from 1.
        attempt: u32,
        /// How many tries at most.
        of: u32,
        /// How long it waits.
        wait_ms: u64,
        /// Why.
        reason: String,
    },
    /// A run ended.
    RunFinished {
        /// The name the caller chose.
        stream: String,
        /// The run's id.
        run_id: String,
        /// How it ended.
        status: RunStatus,
    },
    /// A cell of an experiment began or ended, or the experiment itself did.
    LabProgress(LabProgress),
    /// Something the user should know.
    Notice {
        /// How much it matters.
        level: NoticeLevel,
        /// What happened.
        text: String,
    },
}

/// How much a notice matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoticeLevel {
    /// Worth knowing.
    Info,
    /// Something does not work as it should; the program goes on without it.
    Warning,
    /// Something failed.
    Error,
}

/// Gets every event; called from any thread, must return at once.
pub type EventSink = Arc<dyn Fn(AppEvent) + Send + Sync>;

/// Window, threshold and reserve at a place of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionBudget {
    /// The model's context window; `None` when the catalog does not know the model.
    pub window: Option<u64>,
    /// The auto-compaction threshold in tokens.
    pub threshold: Option<u64>,
    /// Automatic compactions of the session that `threshold` was learned from; 0 where it is the
    /// agent's default.
    pub learned_from: u32,
    /// Output reserve in tokens.
    pub reserve: u64,
}

/// The program. Databases are opened when first needed, so that a file can be looked at even when
/// they cannot.
pub struct App {
    options: Options,
    catalog: Catalog,
    sessions: SessionCache,
    index: OnceLock<IndexDb>,
    /// True while the index is empty because it had to be made again.
    pub(crate) index_lost: AtomicBool,
    /// True once the index is kept up to date in the background.
    pub(crate) has_background: AtomicBool,
    user: OnceLock<UserDb>,
    opening: Mutex<()>,
    notices: Mutex<Vec<String>>,
    events: EventSink,
    running: Mutex<HashMap<String, CancellationToken>>,
    /// Runs under way.
    pub(crate) under_way: RunsUnderWay,
    /// Places for calls by provider and limit.
    pub(crate) gates: Mutex<HashMap<(String, usize), Arc<Semaphore>>>,
    pub(crate) ledgers: crate::summary::LedgerShelf,
    pub(crate) last_chain: crate::summary::LastChain,
    pub(crate) shown_plans: crate::run::ShownPlans,
    pub(crate) sent_trees: crate::view::SentTrees,
    pub(crate) words: crate::embed::kept::KeptWords,
    pub(crate) memos: crate::run::KeptMemos,
    pub(crate) unkept: crate::run::UnkeptRuns,
    pub(crate) hashes: crate::writing::KeptHashes,
    watcher: Mutex<Option<watch::Watcher>>,
}

/// True for a name that can only be a path: ids have no separators.
fn looks_like_path(name: &str) -> bool {
    name.contains(['/', '\\']) || name.ends_with(".jsonl")
}

/// Refuses a data folder that is there and cannot be read: each file in it would be named as missing or
/// broken in its place.
fn readable_folder(folder: &Path) -> Result<()> {
    match std::fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
            Err(AppError::bad_request(
                format!(
                    "the data folder cannot be read ({error}): {}",
                    folder.display()
                ),
                NextStep::Give {
                    what: Input::DataFolder,
                },
            ))
        }
        _ => Ok(()),
    }
}

impl App {
    /// Starts the program. Fails only when the user's model catalog is broken or the samples
    /// cannot be unpacked.
    pub fn start(options: Options, events: EventSink) -> Result<Arc<App>> {
        readable_folder(&options.data_dir)?;
        let catalog = Catalog::with_user_file(&options.user_models_path())?;
        if options.samples_only {
            samples::unpack(&options.samples_dir())?;
        }
        Ok(Arc::new(App {
            options,
            catalog,
            sessions: SessionCache::default(),
            index: OnceLock::new(),
            index_lost: AtomicBool::default(),
            has_background: AtomicBool::default(),
            user: OnceLock::new(),
            opening: Mutex::default(),
            notices: Mutex::default(),
            events,
            running: Mutex::default(),
            under_way: RunsUnderWay::default(),
            gates: Mutex::default(),
            ledgers: Default::default(),
            last_chain: Default::default(),
            shown_plans: Default::default(),
            sent_trees: Default::default(),
            words: Default::default(),
            memos: Default::default(),
            unkept: Default::default(),
            hashes: Default::default(),
            watcher: Mutex::default(),
        }))
    }

    /// How it was started.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The models known.
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// Tells everyone who listens.
    pub fn tell(&self, event: AppEvent) {
        (self.events)(event);
    }

    /// A handle that tells everyone, for threads that do not hold the program.
    pub fn event_sink(&self) -> EventSink {
        Arc::clone(&self.events)
    }

    /// Tells the user something worth knowing, and remembers it.
    pub(crate) fn notice(&self, text: &str) {
        self.notice_of(NoticeLevel::Warning, text);
    }

    /// Tells the user something that matters so much, and remembers it.
    pub(crate) fn notice_of(&self, level: NoticeLevel, text: &str) {
        let text = &without_codes(text);
        lock(&self.notices).push(text.to_owned());
        self.tell(AppEvent::Notice {
            level,
            text: text.to_owned(),
        });
    }

    /// What the user should know since the start.
    pub fn notices(&self) -> Vec<String> {
        lock(&self.notices).clone()
    }

    /// The index database, opened at the first call.
    pub fn index_db(&self) -> Result<&IndexDb> {
        if let Some(index) = self.index.get() {
            return Ok(index);
        }
        let one_opens = lock(&self.opening);
        // Another thread may have opened it while this one waited.
        if let Some(index) = self.index.get() {
            return Ok(index);
        }
        let (index, notice) = IndexDb::open(&self.options.index_path())?;
        if let Some(notice) = notice {
            self.notice(&notice.to_string());
        }
        self.index_lost
            .store(index.is_unfilled(), Ordering::Release);
        let index = self.index.get_or_init(|| index);
        drop(one_opens);
        // A command that only names a session would end with an empty index, and the next one would
        // not know which folders were in it.
        if self.must_fill()
            && let Err(error) = self.fill_again()
        {
            self.notice(&error.to_string());
        }
        Ok(index)
    }

    /// True when the index had to be made again and nothing else fills it: in a window it fills
    /// while it is looked at.
    pub(crate) fn must_fill(&self) -> bool {
        !self.has_background.load(Ordering::Acquire) && self.index_lost.load(Ordering::Acquire)
    }

    /// The user database, opened at the first call.
    pub fn user_db(&self) -> Result<&UserDb> {
        if let Some(user) = self.user.get() {
            return Ok(user);
        }
        let _one_opens = lock(&self.opening);
        // Another thread may have opened it while this one waited.
        if let Some(user) = self.user.get() {
            return Ok(user);
        }
        let user = UserDb::open(&self.options.user_path())?;
        Ok(self.user.get_or_init(|| user))
    }

    /// The session named by a path, an id, a unique prefix of an id, or the name of its file, as its
    /// source is now.
    pub fn open(&self, session: &str) -> Result<Arc<OpenSession>> {
        let path = self.locate(session)?;
        let opened = self.sessions.open(&path);
        // A name that is no path comes from a list, which is older than the file.
        let is_named = !file_of(session).exists() && !looks_like_path(session);
        opened.map_err(|error| match error {
            AppError::Read { path, source }
                if is_named && source.kind() == std::io::ErrorKind::NotFound =>
            {
                AppError::Deleted { path }
            }
            other => other,
        })
    }

    /// The source of the session named. A path needs no index.
    fn locate(&self, session: &str) -> Result<PathBuf> {
        if let Some(open) = self.sessions.by_id(session) {
            return Ok(PathBuf::from(&open.session.meta.path));
        }
        let as_path = Path::new(session);
        if file_of(session).exists() {
            // Ids are made over the path: the same file must not have two.
            let absolute = std::path::absolute(as_path);
            return Ok(absolute.unwrap_or_else(|_| as_path.to_path_buf()));
        }
        // What is cut in a list has an ellipsis, which is copied with it.
        let name = session.trim_end_matches('…');
        let is_file_name = !session.contains(['/', '\\']);
        if looks_like_path(session) {
            let by_name = || self.named_by_file(session).ok().flatten();
            if let Some(path) = is_file_name.then(by_name).flatten() {
                return Ok(path);
            }
            // A folder that must not be entered hides its files, which is another error.
            let found = std::fs::metadata(file_of(session));
            let source = found.err().unwrap_or(std::io::ErrorKind::NotFound.into());
            return Err(unreadable(Path::new(session), source));
        }
        let fitting = self.ask_index(|index| {
            let reader = index.reader()?;
            let found = match reader.session_by_id(name)? {
                Some(row) => vec![row],
                None => reader.sessions_by_prefix(name, MOST_FITTING)?,
            };
            if found.is_empty() {
                return reader.sessions_by_file(name, 2);
            }
            Ok(found)
        })?;
        match fitting.as_slice() {
            [only] => Ok(PathBuf::from(&only.path)),
            [] => Err(AppError::NoSuchSession(session.to_owned())),
            several => {
                let shown = self.ask_index(|index| index.reader()?.shown_ids(several))?;
                Err(ambiguous(session, name, several, &shown))
            }
        }
    }

    /// The source of the only session whose file is called so.
    fn named_by_file(&self, name: &str) -> Result<Option<PathBuf>> {
        let found = self.ask_index(|index| index.reader()?.sessions_by_file(name, 2))?;
        Ok(match found.as_slice() {
            [only] => Some(PathBuf::from(&only.path)),
            _ => None,
        })
    }

    /// Window, threshold and reserve for a model used in a session.
    ///
    /// What the session itself says of the window goes before the catalog: users set it.
    pub fn budget(
        &self,
        open: &OpenSession,
        at: Option<EntryIx>,
        model: Option<&ModelRef>,
    ) -> SessionBudget {
        let listed = || {
            let model = model?;
            let info = self.catalog.find(Some(&*model.provider), &model.model)?;
            Some(info.context_window)
        };
        let stated = open.format.window(&open.session, &open.tree, at);
        match stated.or_else(listed) {
            Some(window) => {
                let policy = open.format.policy_at(&open.session, &open.tree, at, window);
                SessionBudget {
                    window: Some(policy.window),
                    threshold: Some(policy.threshold),
                    learned_from: policy.learned_from,
                    reserve: policy.reserve,
                }
            }
            None => SessionBudget {
                window: None,
                threshold: None,
                learned_from: 0,
                reserve: open.format.policy(u64::MAX).reserve,
            },
        }
    }

    /// The encoding tokens are counted with unless the user names another.
    pub fn encoding(&self) -> Encoding {
        Encoding::O200k
    }

    /// A token that cancels what the caller named `stream`; an older one of that name is
    /// cancelled.
    pub(crate) fn begin(&self, stream: &str) -> CancellationToken {
        let token = CancellationToken::new();
        if let Some(older) = lock(&self.running).insert(stream.to_owned(), token.clone()) {
            older.cancel();
        }
        token
    }

    /// Forgets what was named `stream`.
    pub(crate) fn end(&self, stream: &str) {
        lock(&self.running).remove(stream);
    }

    /// Cancels what runs under a name; true when something did.
    pub fn cancel(&self, stream: &str) -> bool {
        let token = lock(&self.running).get(stream).cloned();
        token.as_ref().map(CancellationToken::cancel).is_some()
    }

    /// Cancels everything that runs, and says how much that is.
    pub fn cancel_all(&self) -> usize {
        let running = lock(&self.running);
        running.values().for_each(CancellationToken::cancel);
        running.len()
    }

    /// Closes the index, for a program that ends without dropping this. What writes to it is
    /// stopped first.
    pub fn close(&self) {
        drop(lock(&self.watcher).take());
        if let Some(index) = self.index.get() {
            index.close();
        }
    }

    /// Keeps the watcher alive for as long as the program runs.
    pub(crate) fn keep_watcher(&self, watcher: watch::Watcher) {
        *lock(&self.watcher) = Some(watcher);
    }

    /// Lets the watcher, where there is one, watch the folders of the settings as they are now, and
    /// those that were named to be indexed.
    pub(crate) fn watch_settings_folders(&self) -> Result<()> {
        let roots = self.all_roots(&[])?;
        if let Some(watcher) = lock(&self.watcher).as_ref() {
            watcher.watch(roots);
        }
        Ok(())
    }
}
