//! Keeping the index up to date while agents write.
//!
//! The operating system tells which files changed; shortly after, those files alone are read into
//! the index and whoever started the watcher is told what is new. Between changes one thread
//! waits and nothing runs. Where the system cannot watch a folder (too many of them, a network
//! file system) it is looked at in intervals instead, which the user is told.

mod roots;

use crate::index::{self, Changed, Control, Failed};
use notify::{ErrorKind, Event, EventKind, RecommendedWatcher};
use palimpsest_store::IndexDb;
use palimpsest_tokens::Catalog;
use roots::{POLL, WatchedRoots};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How long nothing must happen before files are read. An agent writes an entry in one go, so
/// there is little to wait for.
const QUIET: Duration = Duration::from_millis(80);
/// How long at most events are gathered when they do not cease.
const LONGEST_WAIT: Duration = Duration::from_millis(250);

/// What the watcher has to say.
#[derive(Debug)]
pub enum WatchEvent {
    /// A session is not what it was; the index already knows.
    Changed(Changed),
    /// A file that was written cannot be read.
    Failed(Failed),
    /// Something the user should know.
    Notice(String),
}

enum Message {
    Event(notify::Result<Event>),
    /// Other folders are to be watched from now on.
    Roots(Vec<PathBuf>),
    Stop,
}

/// What a burst of events comes to.
#[derive(Debug, Default, PartialEq, Eq)]
struct Burst {
    files: BTreeSet<PathBuf>,
    /// Events were lost: look at everything.
    everything: bool,
    /// The system's limit of watches is reached.
    full: bool,
    notices: Vec<String>,
    /// The folders to watch from now on, where they changed.
    roots: Option<Vec<PathBuf>>,
}

/// Watches until it is dropped.
pub struct Watcher {
    messages: Sender<Message>,
    thread: Option<JoinHandle<()>>,
    /// Set when it is time to stop: another program may hold the index for ever.
    stops: Arc<AtomicBool>,
}

/// What a watcher keeps up to date.
struct Kept {
    db: IndexDb,
    catalog: Arc<Catalog>,
    stops: Arc<AtomicBool>,
}

/// Who is told, from any thread of an index run.
type Tell<'a> = &'a (dyn Fn(WatchEvent) + Sync);

impl Watcher {
    /// Watches `roots`, which need not exist yet, and brings them up to date once. `tell` is called
    /// from threads of the watcher; `catalog` prices what is read.
    pub fn start(
        db: IndexDb,
        catalog: Arc<Catalog>,
        roots: Vec<PathBuf>,
        tell: impl Fn(WatchEvent) + Send + Sync + 'static,
    ) -> Watcher {
        let (messages, received) = channel();
        let for_events = messages.clone();
        let stops = Arc::new(AtomicBool::default());
        let kept = Kept {
            db,
            catalog,
            stops: Arc::clone(&stops),
        };
        let thread = std::thread::Builder::new()
            .name("watch".to_owned())
            .spawn(move || watch(&kept, roots, &for_events, &received, &tell))
            .ok();
        Watcher {
            messages,
            thread,
            stops,
        }
    }

    /// Watches `roots` from now on, and no others, and brings them up to date.
    pub fn watch(&self, roots: Vec<PathBuf>) {
        // Fails only when the thread has ended, as the program does.
        self.messages.send(Message::Roots(roots)).ok();
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.stops.store(true, Ordering::Release);
        // Fails only when the thread has ended already.
        self.messages.send(Message::Stop).ok();
        if let Some(thread) = self.thread.take() {
            thread.join().ok();
        }
    }
}

impl std::fmt::Debug for Watcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watcher").finish_non_exhaustive()
    }
}

fn watch(
    index: &Kept,
    roots: Vec<PathBuf>,
    messages: &Sender<Message>,
    received: &Receiver<Message>,
    tell: Tell<'_>,
) {
    let to_self = messages.clone();
    let handler = move |event| {
        to_self.send(Message::Event(event)).ok();
    };
    let mut watcher: Option<RecommendedWatcher> = match notify::recommended_watcher(handler) {
        Ok(watcher) => Some(watcher),
        Err(error) => {
            tell(WatchEvent::Notice(format!(
                "watching files failed ({error}); folders are scanned every {} seconds instead",
                POLL.as_secs()
            )));
            None
        }
    };
    let mut watched = WatchedRoots::new(roots);
    let notice = |text| tell(WatchEvent::Notice(text));
    watched.watch(watcher.as_mut()).into_iter().for_each(notice);
    // What was written before the watch stood.
    bring_up_to_date(index, watched.roots(), tell);
    loop {
        let first = match watched.next_poll() {
            None => received.recv().unwrap_or(Message::Stop),
            Some(at) => match received.recv_timeout(at.saturating_duration_since(Instant::now())) {
                Ok(message) => message,
                Err(RecvTimeoutError::Timeout) => {
                    watched.plan_poll();
                    bring_up_to_date(index, watched.polled(), tell);
                    continue;
                }
                Err(RecvTimeoutError::Disconnected) => Message::Stop,
            },
        };
        let Some(burst) = gather(first, received) else {
            return;
        };
        burst.notices.into_iter().for_each(notice);
        if burst.full {
            watched.poll_all().into_iter().for_each(notice);
        }
        if let Some(roots) = burst.roots {
            watched.replace(roots, watcher.as_mut());
        }
        if burst.everything || burst.files.iter().any(|path| watched.concerns_a_root(path)) {
            watched.watch(watcher.as_mut()).into_iter().for_each(notice);
            bring_up_to_date(index, watched.roots(), tell);
        } else {
            let inside: Vec<PathBuf> = burst
                .files
                .into_iter()
                .filter(|path| watched.contains(path))
                .collect();
            bring_up_to_date(index, &inside, tell);
        }
    }
}

/// Gathers events until there are none for a moment; `None` when it is time to stop.
fn gather(first: Message, received: &Receiver<Message>) -> Option<Burst> {
    let mut burst = Burst::default();
    let deadline = Instant::now() + LONGEST_WAIT;
    let mut next = first;
    loop {
        match next {
            Message::Stop => return None,
            Message::Event(event) => burst.add(event),
            Message::Roots(roots) => {
                burst.roots = Some(roots);
                burst.everything = true;
            }
        }
        if burst == Burst::default() {
            // Nothing but reading: nothing to wait for.
            return Some(burst);
        }
        let left = deadline.saturating_duration_since(Instant::now());
        next = match received.recv_timeout(QUIET.min(left)) {
            Ok(message) => message,
            Err(RecvTimeoutError::Timeout) => return Some(burst),
            Err(RecvTimeoutError::Disconnected) => return None,
        };
    }
}

impl Burst {
    fn add(&mut self, event: notify::Result<Event>) {
        match event {
            // Reading a session is not a change of it; without this the watcher would wake
            // itself.
            Ok(event) if matches!(event.kind, EventKind::Access(_)) => {}
            Ok(event) => {
                self.everything |= event.need_rescan();
                self.files.extend(event.paths);
            }
            Err(error) => {
                // An error may stand for events that were lost.
                self.everything = true;
                match error.kind {
                    ErrorKind::MaxFilesWatch => self.full = true,
                    _ => self.notices.push(format!("watching files failed: {error}")),
                }
            }
        }
    }
}

fn bring_up_to_date(kept: &Kept, places: &[PathBuf], tell: Tell<'_>) {
    let places = candidates(places);
    if places.is_empty() {
        return;
    }
    let control = Control {
        catalog: Some(&kept.catalog),
        cancelled: &|| kept.stops.load(Ordering::Acquire),
        waits: &|error| tell(WatchEvent::Notice(format!("waiting, because {error}"))),
        ..Control::QUIET
    };
    match index::run(&kept.db, &places, &control) {
        Ok(report) => {
            report
                .changes
                .into_iter()
                .for_each(|change| tell(WatchEvent::Changed(change)));
            report
                .failed
                .into_iter()
                .for_each(|failed| tell(WatchEvent::Failed(failed)));
            report
                .notices
                .into_iter()
                .for_each(|notice| tell(WatchEvent::Notice(notice)));
        }
        Err(error) => tell(WatchEvent::Notice(error.to_string())),
    }
}

/// Drops files that are no sessions by their name; what is gone may have been a folder.
fn candidates(places: &[PathBuf]) -> Vec<PathBuf> {
    let formats = palimpsest_formats::formats();
    let places: BTreeSet<PathBuf> = places.iter().map(|path| owner(path)).collect();
    places
        .iter()
        .filter(|path| !path.is_file() || formats.iter().any(|format| format.is_candidate(path)))
        .cloned()
        .collect()
}

/// The database that a log beside it belongs to, the session that a small file beside it tells of;
/// any other path as it is.
fn owner(path: &Path) -> PathBuf {
    let mut formats = palimpsest_formats::formats().iter();
    if let Some(session) = formats.find_map(|format| format.session_beside(path)) {
        return session;
    }
    let name = path.file_name().and_then(|name| name.to_str());
    let owner = name.and_then(|name| {
        name.strip_suffix("-wal")
            .or_else(|| name.strip_suffix("-shm"))
    });
    match owner {
        Some(owner) if is_container(&path.with_file_name(owner)) => path.with_file_name(owner),
        _ => path.to_path_buf(),
    }
}

fn is_container(path: &Path) -> bool {
    palimpsest_formats::formats()
        .iter()
        .any(|format| format.is_container(path))
}

#[cfg(test)]
mod tests;
