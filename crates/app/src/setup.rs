//! What the user set up: settings, and the places sessions are looked for in.

use crate::error::{AppError, Result};
use crate::workspace::App;
use palimpsest_core::Agent;
use palimpsest_core::failure::{NextStep, Problem};
use serde::Deserialize;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Settings key of the folders that were indexed by name.
const NAMED_ROOTS: &str = "indexed";
/// So many of them are remembered.
const MOST_NAMED_ROOTS: usize = 200;
/// Settings key of where vectors of texts come from.
const EMBEDDINGS: &str = "embeddings";
/// Settings key of the cost above which a plan is only run when the user agrees.
const ASK_ABOVE: &str = "ask_above_usd";

/// The colours of the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Theme {
    /// Those of the desktop.
    #[default]
    System,
    /// Dark text on a light ground.
    Light,
    /// Light text on a dark ground.
    Dark,
}

impl Theme {
    /// The name in the settings and on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Theme::System => "system",
            Theme::Light => "light",
            Theme::Dark => "dark",
        }
    }
}

/// The user's settings.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Settings {
    /// Further folders to look for sessions in.
    pub roots: Vec<String>,
    /// The colours of the window.
    pub theme: Option<Theme>,
    /// State of the window, as the interface stored it.
    pub ui: Value,
    /// Provider chosen last.
    pub provider: Option<String>,
    /// Model chosen last.
    pub model: Option<String>,
    /// Where vectors of texts come from: `PROVIDER:MODEL`, or a file of word vectors.
    pub embeddings: Option<String>,
    /// A plan that may cost more, in dollars, is only run when the user agrees; `None` is no limit.
    pub ask_above_usd: Option<f64>,
}

/// A change of settings; what is `None` stays.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SettingsChange {
    /// Further folders to look for sessions in.
    pub roots: Option<Vec<String>>,
    /// The colours of the window.
    pub theme: Option<Theme>,
    /// State of the window.
    pub ui: Option<Value>,
    /// Provider chosen last.
    pub provider: Option<String>,
    /// Model chosen last.
    pub model: Option<String>,
    /// Where vectors of texts come from; blank is nowhere.
    pub embeddings: Option<String>,
    /// The cost above which a plan is only run when the user agrees; below 0 there is none.
    pub ask_above_usd: Option<f64>,
}

/// A place where an agent keeps sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentPlace {
    /// The agent.
    pub agent: Agent,
    /// The folder, or the file of a database.
    pub path: PathBuf,
    /// True when it is there.
    pub exists: bool,
    /// Sessions of this agent in the index whose files are in the folder.
    pub sessions: u64,
}

impl App {
    /// The user's settings.
    pub fn settings(&self) -> Result<Settings> {
        let user = self.user_db()?;
        let text = |key: &str| -> Result<Option<String>> {
            Ok(user
                .setting(key)?
                .and_then(|value| value.as_str().map(str::to_owned)))
        };
        let roots = user.setting("roots")?.unwrap_or_default();
        let roots = roots.as_array().into_iter().flatten();
        Ok(Settings {
            roots: roots.filter_map(Value::as_str).map(str::to_owned).collect(),
            theme: user
                .setting("theme")?
                .and_then(|value| serde_json::from_value(value).ok()),
            ui: user.setting("ui")?.unwrap_or_default(),
            provider: text("provider")?,
            model: text("model")?,
            embeddings: text(EMBEDDINGS)?,
            ask_above_usd: user
                .setting(ASK_ABOVE)?
                .and_then(|value| value.as_f64())
                .filter(|limit| *limit >= 0.0),
        })
    }

    /// Changes settings. Nothing changes when a folder that is added is relative or missing.
    pub fn change_settings(&self, change: SettingsChange) -> Result<()> {
        let changes_folders = change.roots.is_some();
        if let Some(roots) = &change.roots {
            self.check_added(roots)?;
        }
        let roots = change.roots.map(Value::from);
        let limit = change.ask_above_usd.map(Value::from);
        let theme = change.theme.map(|theme| Value::from(theme.name()));
        let texts = [
            ("provider", change.provider),
            ("model", change.model),
            (EMBEDDINGS, change.embeddings),
        ];
        let changes = texts
            .into_iter()
            .map(|(key, text)| (key, text.map(Value::from)))
            .chain([
                ("roots", roots),
                ("ui", change.ui),
                ("theme", theme),
                (ASK_ABOVE, limit),
            ]);
        let user = self.user_db()?;
        for (key, value) in changes {
            if let Some(value) = value {
                user.set_setting(key, Some(&value))?;
            }
        }
        if changes_folders {
            self.watch_settings_folders()?;
        }
        Ok(())
    }

    /// Refuses new folders that cannot be read. Those that were set before are left alone: a disk
    /// may be away for a while.
    fn check_added(&self, roots: &[String]) -> Result<()> {
        let known = self.settings()?.roots;
        // The samples are written when they are first listed.
        let samples = self.options().samples_dir();
        for root in roots.iter().filter(|root| !known.contains(root)) {
            let path = Path::new(root);
            let message = if path == samples {
                continue;
            } else if !path.is_absolute() {
                format!("the folder '{root}' is not an absolute path")
            } else if let Err(error) = path.metadata() {
                match error.kind() {
                    std::io::ErrorKind::NotFound => format!("there is no such folder: {root}"),
                    _ => format!("the folder cannot be read ({error}): {root}"),
                }
            } else {
                continue;
            };
            return Err(AppError::BadRequest(Problem::new(
                message,
                NextStep::CheckFile,
            )));
        }
        Ok(())
    }

    /// The agents' default places with the number of sessions found.
    pub fn agent_places(&self) -> Result<Vec<AgentPlace>> {
        let reader = self.index_db()?.reader()?;
        let mut places = Vec::new();
        for format in palimpsest_formats::formats() {
            for path in format.default_roots(&self.options().places) {
                let exists = path.exists();
                let sessions = reader.sessions_below(format.agent(), &path.to_string_lossy())?;
                places.push(AgentPlace {
                    agent: format.agent(),
                    path,
                    exists,
                    sessions,
                });
            }
        }
        Ok(places)
    }

    /// True when the sample sessions are among those listed.
    pub fn shows_samples(&self) -> Result<bool> {
        let samples = self.options().samples_dir().display().to_string();
        Ok(self.options().samples_only || self.settings()?.roots.contains(&samples))
    }

    /// The folders and files that were named to be indexed, the oldest first.
    pub fn named_roots(&self) -> Result<Vec<String>> {
        let named = self.user_db()?.setting(NAMED_ROOTS)?.unwrap_or_default();
        let named = named.as_array().into_iter().flatten();
        Ok(named.filter_map(Value::as_str).map(str::to_owned).collect())
    }

    /// Those of `roots` that are folders without a session of a known agent in the index.
    ///
    /// # Errors
    /// As of the index.
    pub fn without_session(&self, roots: &[String]) -> Result<Vec<String>> {
        let reader = self.index_db()?.reader()?;
        let mut empty = Vec::new();
        for root in roots.iter().filter(|root| Path::new(root).is_dir()) {
            // The index names files by their absolute paths.
            let folder = std::path::absolute(root).unwrap_or_else(|_| PathBuf::from(root));
            if !reader.has_session_under(&folder.to_string_lossy())? {
                empty.push(root.clone());
            }
        }
        Ok(empty)
    }

    /// Remembers folders that were indexed by name, for the day when the index has to be made
    /// again. It works without: such a folder can be indexed again.
    pub(crate) fn keep_named_roots(&self, roots: &[String]) {
        let absolute = |root: &String| std::path::absolute(root).ok();
        let (Ok(mut named), Ok(usual)) = (self.named_roots(), self.roots(&[])) else {
            return;
        };
        let before = named.len();
        for root in roots.iter().filter_map(absolute) {
            // A slip of the pen is not a folder to look into again.
            if !root.exists() {
                continue;
            }
            let is_usual = usual.contains(&root);
            let root = root.display().to_string();
            if !is_usual && !named.contains(&root) {
                named.push(root);
            }
        }
        if named.len() > before
            && let Ok(user) = self.user_db()
        {
            let oldest = named.len().saturating_sub(MOST_NAMED_ROOTS);
            let _ = user.set_setting(NAMED_ROOTS, Some(&Value::from(named.split_off(oldest))));
        }
    }

    /// Forgets files that were named and turned out to hold no session: the settings list what was
    /// named among the folders, and the next index would fail on them again.
    pub(crate) fn forget_files_without_session(&self) {
        let (Ok(named), Ok(index)) = (self.named_roots(), self.index_db()) else {
            return;
        };
        let Ok(reader) = index.reader() else {
            return;
        };
        let is_skipped = |root: &String| {
            let source = reader.source(root).ok().flatten();
            source.is_some_and(|source| source.skipped.is_some())
        };
        let left: Vec<String> = named
            .iter()
            .filter(|root| !is_skipped(root))
            .cloned()
            .collect();
        if left.len() < named.len()
            && let Ok(user) = self.user_db()
        {
            let _ = user.set_setting(NAMED_ROOTS, Some(&Value::from(left)));
        }
    }

    /// The folders and files of a whole index: those named, else the configured and default ones and
    /// those that were named before, which the settings list too.
    pub(crate) fn all_roots(&self, named: &[String]) -> Result<Vec<PathBuf>> {
        let mut roots = self.roots(named)?;
        if named.is_empty() && !self.options().samples_only {
            // They are the user's data in another database; the rest is read without.
            let before = self.named_roots().unwrap_or_default();
            roots.extend(before.into_iter().map(PathBuf::from));
        }
        Ok(roots)
    }

    /// The folders and files to look for sessions in: those named, else the configured and
    /// default ones.
    pub fn roots(&self, named: &[String]) -> Result<Vec<PathBuf>> {
        if !named.is_empty() {
            return Ok(named.iter().map(PathBuf::from).collect());
        }
        if self.options().samples_only {
            return Ok(vec![self.options().samples_dir()]);
        }
        let defaults = palimpsest_formats::formats()
            .iter()
            .flat_map(|format| format.default_roots(&self.options().places));
        let mut roots: Vec<PathBuf> = self
            .settings()?
            .roots
            .into_iter()
            .map(PathBuf::from)
            .collect();
        roots.extend(defaults);
        // Chats that were read from servers.
        roots.push(self.coder_root());
        roots.dedup();
        Ok(roots)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::ChangeKind;
    use crate::options::Options;
    use crate::workspace::AppEvent;

    fn options(home: &Path) -> Options {
        Options {
            data_dir: home.join("data"),
            places: palimpsest_formats::Places {
                home: home.join("home"),
                env: Default::default(),
            },
            samples_only: false,
            programs_in: None,
            only_known_programs: false,
        }
    }

    #[test]
    fn a_folder_that_was_named_is_watched() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("named");
        std::fs::create_dir(&folder).unwrap();
        let write = |name: &str| {
            let line = format!(
                "{{\"type\":\"session\",\"version\":3,\"id\":\"{name}\",\
                 \"timestamp\":\"2026-10-05T10:00:00.000Z\",\"cwd\":\"/home/dev/a\"}}\n"
            );
            std::fs::write(folder.join(format!("{name}.jsonl")), line).unwrap();
        };
        write("before");
        let options = options(home.path());
        let (told, heard) = std::sync::mpsc::channel();
        let sink = move |event: AppEvent| drop(told.send(event));
        let app = App::start(options, std::sync::Arc::new(sink)).unwrap();
        app.bring_up_to_date(&[folder.display().to_string()])
            .unwrap();
        app.start_background();
        let began = std::time::Instant::now();
        let mut count = 0;
        // Written again until it is heard of: when the watcher stands is not told.
        let found = loop {
            write(&format!("new{count}"));
            count += 1;
            let is_new = |event: &AppEvent| {
                matches!(
                    event,
                    AppEvent::SessionChanged {
                        change: ChangeKind::New,
                        ..
                    }
                )
            };
            let wait = std::time::Duration::from_millis(500);
            match heard.recv_timeout(wait) {
                Ok(event) if is_new(&event) => break true,
                _ if began.elapsed() > std::time::Duration::from_secs(20) => break false,
                _ => {}
            }
        };
        assert!(found);
    }

    #[test]
    fn an_added_folder_must_be_there() {
        let home = tempfile::tempdir().unwrap();
        let there = home.path().join("there");
        std::fs::create_dir(&there).unwrap();
        let options = options(home.path());
        let app = App::start(options, std::sync::Arc::new(|_| {})).unwrap();
        let set = |roots: &[&Path]| {
            let roots = roots.iter().map(|root| root.display().to_string());
            app.change_settings(SettingsChange {
                roots: Some(roots.collect()),
                ..SettingsChange::default()
            })
        };
        for wrong in ["elsewhere/sessions", "/nowhere/at/all"] {
            let refused = set(&[&there, Path::new(wrong)]).unwrap_err().to_string();
            assert!(refused.contains(wrong), "{refused}");
            assert!(app.settings().unwrap().roots.is_empty());
        }
        set(&[&there]).unwrap();
        std::fs::remove_dir(&there).unwrap();
        set(&[&there, home.path()]).unwrap();
        assert_eq!(app.settings().unwrap().roots.len(), 2);
    }

    #[test]
    fn a_named_file_without_a_session_is_not_remembered() {
        let home = tempfile::tempdir().unwrap();
        let options = options(home.path());
        let app = App::start(options, std::sync::Arc::new(|_| {})).unwrap();
        let file = |name: &str, text: &str| {
            let path = home.path().join(name);
            std::fs::write(&path, text).unwrap();
            path.display().to_string()
        };
        let broken = file("broken.jsonl", "no session at all\n");
        let session = file(
            "session.jsonl",
            "{\"type\":\"session\",\"version\":3,\"id\":\"a1\",\
             \"timestamp\":\"2026-10-05T10:00:00.000Z\",\"cwd\":\"/home/dev/a\"}\n",
        );
        let report = app
            .bring_up_to_date(&[broken.clone(), session.clone()])
            .unwrap();
        assert_eq!(report.failed.len(), 1, "{report:?}");
        assert_eq!(app.named_roots().unwrap(), [session]);
    }
}
