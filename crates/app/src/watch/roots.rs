//! Which folders are watched, and which are looked at in intervals instead.

use notify::{ErrorKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How often folders are looked at that cannot be watched.
pub(super) const POLL: Duration = Duration::from_secs(5);

/// The roots and how each of them is observed.
#[derive(Debug)]
pub(super) struct WatchedRoots {
    roots: Vec<PathBuf>,
    watched: Vec<PathBuf>,
    /// The nearest existing folders above roots that do not exist, watched for their appearance.
    awaited: Vec<PathBuf>,
    polled: Vec<PathBuf>,
    next_poll: Option<Instant>,
}

impl WatchedRoots {
    pub(super) fn new(roots: Vec<PathBuf>) -> WatchedRoots {
        WatchedRoots {
            roots: outermost(roots),
            watched: Vec::new(),
            awaited: Vec::new(),
            polled: Vec::new(),
            next_poll: None,
        }
    }

    /// Takes other roots; those that are no longer among them are not watched any more. What is
    /// new is watched by [`WatchedRoots::watch`].
    pub(super) fn replace(
        &mut self,
        roots: Vec<PathBuf>,
        watcher: Option<&mut RecommendedWatcher>,
    ) {
        self.roots = outermost(roots);
        let stays = |root: &PathBuf| self.roots.contains(root);
        let (watched, gone) = std::mem::take(&mut self.watched)
            .into_iter()
            .partition(stays);
        self.watched = watched;
        self.polled.retain(stays);
        if let Some(watcher) = watcher {
            let gone: Vec<PathBuf> = gone;
            for root in gone {
                // The folder may be gone as well.
                watcher.unwatch(&root).ok();
            }
        }
    }

    pub(super) fn roots(&self) -> &[PathBuf] {
        &self.roots
    }

    /// Watches what can be watched and is not yet; returns what the user should know.
    pub(super) fn watch(&mut self, watcher: Option<&mut RecommendedWatcher>) -> Vec<String> {
        let mut notices = Vec::new();
        let Some(watcher) = watcher else {
            self.polled = self.roots.clone();
            self.plan_poll();
            return notices;
        };
        // A root that went away and came back is another folder to the system.
        self.watched.retain(|root| {
            let stays = root.exists();
            if !stays {
                watcher.unwatch(root).ok();
            }
            stays
        });
        // Those that are still needed are watched again below.
        for folder in std::mem::take(&mut self.awaited) {
            watcher.unwatch(&folder).ok();
        }
        for root in self.roots.clone() {
            if self.watched.contains(&root) || self.polled.contains(&root) {
                continue;
            }
            if root.exists() {
                match watcher.watch(&root, RecursiveMode::Recursive) {
                    Ok(()) => self.watched.push(root),
                    Err(error) => {
                        watcher.unwatch(&root).ok();
                        notices.push(unwatchable(&root, &error));
                        self.polled.push(root);
                    }
                }
            } else if let Some(above) = root.ancestors().skip(1).find(|folder| folder.is_dir()) {
                let above = above.to_path_buf();
                let is_new = !self.awaited.contains(&above) && !self.watched.contains(&above);
                if is_new && watcher.watch(&above, RecursiveMode::NonRecursive).is_ok() {
                    self.awaited.push(above);
                }
            }
        }
        self.plan_poll();
        notices
    }

    /// True for a path at or below a root.
    pub(super) fn contains(&self, path: &Path) -> bool {
        self.roots.iter().any(|root| path.starts_with(root))
    }

    /// True when what happened at `path` may make a root appear or go away.
    pub(super) fn concerns_a_root(&self, path: &Path) -> bool {
        self.roots.iter().any(|root| root.starts_with(path))
    }

    /// The folders that are looked at in intervals.
    pub(super) fn polled(&self) -> &[PathBuf] {
        &self.polled
    }

    /// When to look at them next; `None` when everything is watched.
    pub(super) fn next_poll(&self) -> Option<Instant> {
        self.next_poll
    }

    /// Looks at every root in intervals from now on, because new folders in them can no longer
    /// be watched; returns what the user should know the first time.
    pub(super) fn poll_all(&mut self) -> Option<String> {
        let is_new = self.polled.len() < self.roots.len();
        self.polled = self.roots.clone();
        self.plan_poll();
        is_new.then(|| {
            format!(
                "the limit of watched folders is reached (on Linux fs.inotify.max_user_watches); \
                 sessions are also scanned every {} seconds",
                POLL.as_secs()
            )
        })
    }

    pub(super) fn plan_poll(&mut self) {
        self.next_poll = (!self.polled.is_empty()).then(|| Instant::now() + POLL);
    }
}

/// Absolute, in order, without those inside another: they are watched with it.
fn outermost(roots: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut roots: Vec<PathBuf> = roots
        .into_iter()
        .map(|root| std::path::absolute(&root).unwrap_or(root))
        .collect();
    roots.sort();
    roots.dedup_by(|inner, outer| inner.starts_with(outer));
    roots
}

fn unwatchable(root: &Path, error: &notify::Error) -> String {
    let hint = match error.kind {
        ErrorKind::MaxFilesWatch => {
            ", because the system's limit of watched folders is reached (on Linux \
             fs.inotify.max_user_watches)"
        }
        _ => "",
    };
    format!(
        "the folder cannot be watched ({error}{hint}) and is read every {} seconds instead: {}",
        POLL.as_secs(),
        root.display()
    )
}
