//! What the user set up: settings, and the places sessions are looked for in.

use crate::error::Result;
use crate::workspace::App;
use palimpsest_core::Agent;
use serde::Deserialize;
use serde_json::Value;
use std::path::PathBuf;

/// Settings key of where vectors of texts come from.
const EMBEDDINGS: &str = "embeddings";

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
        })
    }

    /// Changes settings.
    pub fn change_settings(&self, change: SettingsChange) -> Result<()> {
        let changes_folders = change.roots.is_some();
        let roots = change.roots.map(Value::from);
        let theme = change.theme.map(|theme| Value::from(theme.name()));
        let texts = [
            ("provider", change.provider),
            ("model", change.model),
            (EMBEDDINGS, change.embeddings),
        ];
        let changes = texts
            .into_iter()
            .map(|(key, text)| (key, text.map(Value::from)))
            .chain([("roots", roots), ("ui", change.ui), ("theme", theme)]);
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
        roots.dedup();
        Ok(roots)
    }
}
