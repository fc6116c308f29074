//! What the user set up: settings, and providers with their keys.

use crate::error::{AppError, Result};
use crate::workspace::App;
use palimpsest_core::Agent;
use palimpsest_llm::{ApiKey, KeyStore as _, OsKeyring, ProviderConfig, ProviderKind, find_key};
use palimpsest_store::index::SessionFilter;
use serde_json::Value;
use std::path::PathBuf;

/// The provider that needs no network: the extractive summarizer.
pub const OFFLINE: &str = "offline";
/// Settings key of the providers that the user added or changed.
const PROVIDERS: &str = "providers";
/// Settings key of where vectors of texts come from.
const EMBEDDINGS: &str = "embeddings";

/// The user's settings.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Settings {
    /// Further folders to look for sessions in.
    pub roots: Vec<String>,
    /// `system`, `light` or `dark`.
    pub theme: Option<String>,
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
    /// `system`, `light` or `dark`.
    pub theme: Option<String>,
    /// State of the window.
    pub ui: Option<Value>,
    /// Provider chosen last.
    pub provider: Option<String>,
    /// Model chosen last.
    pub model: Option<String>,
    /// Where vectors of texts come from; blank is nowhere.
    pub embeddings: Option<String>,
}

/// A provider that can be chosen for a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Provider {
    /// Name, kind, address, key variable, models.
    pub config: ProviderConfig,
    /// True for one the user added or changed.
    pub custom: bool,
}

/// Where a provider's key comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyState {
    /// It needs none.
    NoneNeeded,
    /// The environment.
    Environment,
    /// The OS keyring.
    Keyring,
    /// Nowhere: it must be given first.
    Missing,
}

/// A place where an agent keeps sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentPlace {
    /// The agent.
    pub agent: Agent,
    /// The folder.
    pub path: PathBuf,
    /// True when it is there.
    pub exists: bool,
    /// Sessions of this agent in the index.
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
            theme: text("theme")?,
            ui: user.setting("ui")?.unwrap_or_default(),
            provider: text("provider")?,
            model: text("model")?,
            embeddings: text(EMBEDDINGS)?,
        })
    }

    /// Changes settings.
    pub fn change_settings(&self, change: SettingsChange) -> Result<()> {
        let roots = change.roots.map(Value::from);
        let texts = [
            ("theme", change.theme),
            ("provider", change.provider),
            ("model", change.model),
            (EMBEDDINGS, change.embeddings),
        ];
        let changes = texts
            .into_iter()
            .map(|(key, text)| (key, text.map(Value::from)))
            .chain([("roots", roots), ("ui", change.ui)]);
        let user = self.user_db()?;
        for (key, value) in changes {
            if let Some(value) = value {
                user.set_setting(key, Some(&value))?;
            }
        }
        Ok(())
    }

    /// The agents' default places with the number of sessions found.
    pub fn agent_places(&self) -> Result<Vec<AgentPlace>> {
        let reader = self.index_db()?.reader()?;
        let mut places = Vec::new();
        for format in palimpsest_formats::formats() {
            let filter = SessionFilter {
                agents: vec![format.agent()],
                ..SessionFilter::default()
            };
            let groups = reader.session_groups(&filter)?;
            let sessions = groups.iter().map(|group| group.sessions).sum();
            for path in format.default_roots(&self.options().places) {
                let exists = path.is_dir();
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

    /// The providers that can be chosen, the offline one first.
    pub fn providers(&self) -> Result<Vec<Provider>> {
        let own = self.own_providers()?;
        let built_in = ProviderConfig::presets()
            .filter(|preset| own.iter().all(|config| config.name != preset.name))
            .map(|config| Provider {
                config,
                custom: false,
            });
        let mut providers: Vec<Provider> = built_in.collect();
        providers.extend(own.iter().cloned().map(|config| Provider {
            config,
            custom: true,
        }));
        for provider in &mut providers {
            self.offer_known_models(&mut provider.config);
        }
        Ok(providers)
    }

    /// A provider without models of its own is offered those the catalog knows it by.
    fn offer_known_models(&self, config: &mut ProviderConfig) {
        if config.models.is_empty() {
            let known = self
                .catalog()
                .models()
                .iter()
                .filter(|info| info.provider == config.name);
            config.models = known.map(|info| info.id.clone()).collect();
        }
    }

    /// The provider called `name`.
    pub fn provider(&self, name: &str) -> Result<Provider> {
        if name == OFFLINE {
            // Works without any database.
            let config = ProviderConfig::preset(OFFLINE);
            return config
                .map(|config| Provider {
                    config,
                    custom: false,
                })
                .ok_or_else(|| AppError::Internal("the offline provider is not built in".into()));
        }
        let providers = self.providers()?;
        let found = providers
            .iter()
            .find(|provider| provider.config.name == name);
        found.cloned().ok_or_else(|| {
            let names: Vec<&str> = providers.iter().map(|p| p.config.name.as_str()).collect();
            AppError::NotFound {
                what: "provider",
                name: name.to_owned(),
                hint: format!(
                    "there are {}, and you can add your own in the settings",
                    names.join(", ")
                ),
            }
        })
    }

    fn own_providers(&self) -> Result<Vec<ProviderConfig>> {
        let stored = self
            .user_db()?
            .setting(PROVIDERS)?
            .unwrap_or(Value::Array(Vec::new()));
        serde_json::from_value(stored).map_err(|error| {
            AppError::BadRequest(format!(
                "the providers kept in {} are not understood ({error}); remove them in the settings",
                self.options().user_path().display()
            ))
        })
    }

    /// Adds or changes a provider.
    pub fn save_provider(&self, config: ProviderConfig) -> Result<()> {
        if config.name.trim().is_empty() || config.name == OFFLINE {
            let message = "a provider needs a name of its own; choose another";
            return Err(AppError::BadRequest(message.into()));
        }
        let mut own = self.own_providers()?;
        own.retain(|other| other.name != config.name);
        own.push(config);
        self.keep_providers(&own)
    }

    /// Removes a provider the user added, or the changes to one that is built in.
    pub fn remove_provider(&self, name: &str) -> Result<()> {
        let mut own = self.own_providers()?;
        own.retain(|config| config.name != name);
        self.keep_providers(&own)
    }

    fn keep_providers(&self, own: &[ProviderConfig]) -> Result<()> {
        let value =
            serde_json::to_value(own).map_err(|error| AppError::Internal(error.to_string()))?;
        Ok(self.user_db()?.set_setting(PROVIDERS, Some(&value))?)
    }

    /// Where the provider's key comes from. Does not touch the keyring for providers that need
    /// no key, because opening it can ask the user for a password.
    pub fn key_state(&self, config: &ProviderConfig) -> KeyState {
        let in_environment = || {
            let name = config.key_env.as_ref()?;
            let key = self.options().places.env.get(name)?;
            (!key.trim().is_empty()).then_some(())
        };
        if config.kind == ProviderKind::Offline || config.is_local() {
            KeyState::NoneNeeded
        } else if in_environment().is_some() {
            KeyState::Environment
        } else {
            match OsKeyring.get(&config.name) {
                Ok(Some(_)) => KeyState::Keyring,
                Ok(None) | Err(_) => KeyState::Missing,
            }
        }
    }

    /// The provider's key, if it has one.
    pub(crate) fn key(&self, config: &ProviderConfig) -> Result<Option<ApiKey>> {
        let env = |name: &str| self.options().places.env.get(name).cloned();
        match find_key(config, &env, &OsKeyring) {
            Ok(key) => Ok(key),
            // A provider may do without a key; one that does not will say so in its answer.
            Err(error) if config.key_env.is_none() => {
                let _ = error;
                Ok(None)
            }
            Err(error) => Err(AppError::Provider {
                message: match &config.key_env {
                    Some(variable) => {
                        format!(
                            "no key for {}: {variable} is not set, and {error}",
                            config.name
                        )
                    }
                    None => error.to_string(),
                },
            }),
        }
    }

    /// Puts a provider's key into the OS keyring, or removes it.
    pub fn set_key(&self, name: &str, key: Option<&str>) -> Result<()> {
        let done = match key.and_then(ApiKey::new) {
            Some(key) => OsKeyring.set(name, &key),
            None => OsKeyring.remove(name),
        };
        done.map_err(|error| AppError::Provider {
            message: error.to_string(),
        })
    }
}
