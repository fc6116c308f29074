//! Providers: those that are known and those the user added, their keys, limits and prices.

use crate::error::{AppError, Result};
use crate::key_binding::Lasting;
pub use crate::provider::{KeyState, Provider};
use crate::session::lock;
use crate::user_prices::UserPrices;
use crate::workspace::App;
use palimpsest_core::failure::{Failure as _, Input, Listed, NextStep, Problem};
use palimpsest_llm::{
    ApiKey, CallOptions, CancellationToken, KeyStore as _, ModelClient, OsKeyring, ProviderConfig,
    ProviderKind, environment_without_keys, find_key, list_models_within,
};
use palimpsest_tokens::Prices;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;

/// The provider that needs no network: the extractive summarizer.
pub const OFFLINE: &str = "offline";
/// Settings key of the providers that the user added or changed.
const PROVIDERS: &str = "providers";

/// How long each server on this machine is waited for: one that runs answers in milliseconds.
const PROBE: Duration = Duration::from_millis(300);

/// A model server that answers on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalServer {
    /// The provider's name.
    pub name: String,
    /// Its address.
    pub base_url: String,
    /// The models it offers.
    pub models: Vec<String>,
}

/// The catalog's name for the company behind a provider.
fn catalog_name(config: &ProviderConfig) -> &str {
    // Prices are by company, providers by address and API.
    match (config.name.as_str(), config.kind) {
        ("openai-responses", _) => "openai",
        (_, ProviderKind::Gemini) => "google",
        (name, _) => name,
    }
}

impl App {
    /// The prices of a model at a provider, first those that the user entered; `None` where they are
    /// not known, as for a program.
    pub(crate) fn prices(&self, config: &ProviderConfig, model: &str) -> Option<Prices> {
        // Prices that cannot be read are reported where they are shown.
        let entered = self.user_prices(&config.name).unwrap_or_default();
        if let Some(prices) = entered.of(model) {
            return Some(prices);
        }
        // What a program's call costs depends on what it does with it.
        if config.kind == ProviderKind::Command {
            return None;
        }
        self.catalog()
            .find(Some(catalog_name(config)), model)?
            .prices
    }

    /// A client of a provider with its key and limits. A program gets this process's environment
    /// without any provider's key but its own, and runs in the user's home folder; that of the
    /// strategy `external` where the options say.
    pub(crate) fn client(&self, config: &ProviderConfig) -> Result<Box<dyn ModelClient>> {
        let places = &self.options().places;
        let mut options = CallOptions::of(config);
        if config.kind == ProviderKind::Command {
            self.check_program(&config.command)?;
            let known = self.providers()?.into_iter();
            let names: Vec<String> = known.filter_map(|known| known.config.key_env).collect();
            options.environment = environment_without_keys(&places.env, &names);
            let said = self.options().programs_in.as_ref();
            let folder = said.filter(|_| config.name == crate::run::PROGRAM);
            options.folder = Some(folder.unwrap_or(&places.home).clone()).filter(|it| it.is_dir());
        }
        palimpsest_llm::client_with(config, self.key(config)?, options)
            .map_err(|error| AppError::Provider(error.problem()))
    }

    /// The places for calls to a provider, the same for all runs; `None` when it has no limit.
    pub(crate) fn gate(&self, config: &ProviderConfig) -> Option<Arc<Semaphore>> {
        let most = config.limits.max_concurrent.filter(|most| *most > 0)? as usize;
        let mut gates = lock(&self.gates);
        // With another limit it is another gate; runs under way keep to theirs.
        let gate = gates.entry((config.name.clone(), most));
        Some(Arc::clone(
            gate.or_insert_with(|| Arc::new(Semaphore::new(most))),
        ))
    }

    /// The model servers that answer on this machine now: the known ones at their default ports and
    /// the custom ones. All are asked at the same time, each for at most 300 ms. Asks only when
    /// called; the program never searches for servers on its own.
    pub async fn local_servers(&self) -> Result<Vec<LocalServer>> {
        let never = CancellationToken::new();
        let asked = self.providers()?.into_iter().filter(|provider| {
            provider.config.is_local() && provider.config.kind != ProviderKind::Command
        });
        let questions = asked.map(|provider| {
            let config = provider.config;
            let never = never.clone();
            async move {
                // Without the configured models: only what the server itself lists counts.
                let bare = ProviderConfig {
                    models: Vec::new(),
                    ..config
                };
                let listed = list_models_within(&bare, None, PROBE, &never).await.ok()?;
                Some(LocalServer {
                    name: bare.name,
                    base_url: bare.base_url,
                    models: listed.into_iter().map(|model| model.id).collect(),
                })
            }
        });
        let found = futures::future::join_all(questions).await;
        Ok(found.into_iter().flatten().collect())
    }

    /// The providers that can be chosen, the offline one first.
    pub fn providers(&self) -> Result<Vec<Provider>> {
        let custom = self.custom_providers()?;
        let built_in = ProviderConfig::presets()
            .filter(|preset| custom.iter().all(|config| config.name != preset.name))
            .map(|config| Provider {
                config,
                custom: false,
            });
        let mut providers: Vec<Provider> = built_in.collect();
        providers.extend(custom.iter().cloned().map(|config| Provider {
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
                .filter(|info| info.provider == catalog_name(config));
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
            let names = providers.iter().map(|known| known.config.name.clone());
            let next = NextStep::choose(Listed::Providers, name, names.collect());
            AppError::not_found(format!("there is no provider '{name}'"), next)
        })
    }

    fn custom_providers(&self) -> Result<Vec<ProviderConfig>> {
        let stored = self
            .user_db()?
            .setting(PROVIDERS)?
            .unwrap_or(Value::Array(Vec::new()));
        serde_json::from_value(stored).map_err(|error| {
            AppError::BadRequest(Problem::alone(format!(
                "the saved providers cannot be read ({error}): {}",
                self.options().user_path().display()
            )))
        })
    }

    /// Adds or changes a provider.
    pub fn save_provider(&self, config: ProviderConfig) -> Result<()> {
        if config.name.trim().is_empty() || config.name == OFFLINE {
            return Err(AppError::bad_request(
                format!("a provider cannot be called '{}'", config.name),
                NextStep::ChangeName,
            ));
        }
        if config.kind == ProviderKind::Command
            && config
                .command
                .first()
                .is_none_or(|word| word.trim().is_empty())
        {
            return Err(AppError::bad_request(
                "a provider of the kind `command` has no program to start",
                NextStep::Give {
                    what: Input::Command,
                },
            ));
        }
        self.check_program(&config.command)?;
        let known = self.providers()?.into_iter();
        let known = known.map(|known| known.config);
        let as_set_up = known.into_iter().find(|known| known.name == config.name);
        self.check_key_binding(as_set_up.as_ref(), &config, Lasting::Saved)?;
        let mut custom = self.custom_providers()?;
        custom.retain(|other| other.name != config.name);
        custom.push(config);
        self.keep_providers(&custom)
    }

    /// Removes a provider the user added, or the changes to one that is built in.
    pub fn remove_provider(&self, name: &str) -> Result<()> {
        let mut custom = self.custom_providers()?;
        let built_in = ProviderConfig::preset(name);
        let removed = custom.iter().find(|config| config.name == name);
        // The key of a name that is free again would belong to whoever takes the name next.
        if let Some(removed) = removed {
            let then = built_in.as_ref().unwrap_or(removed);
            self.check_key_binding(Some(removed), then, Lasting::Saved)?;
            if built_in.is_none() && self.key_state(removed) == KeyState::Keyring {
                self.set_key(name, None)?;
            }
        }
        custom.retain(|config| config.name != name);
        if built_in.is_none() {
            self.set_user_prices(name, UserPrices::default())?;
        }
        self.keep_providers(&custom)
    }

    fn keep_providers(&self, custom: &[ProviderConfig]) -> Result<()> {
        let value =
            serde_json::to_value(custom).map_err(|error| AppError::Internal(error.to_string()))?;
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
        let local = config.is_local() && !config.is_program_with_key();
        if config.kind == ProviderKind::Offline || local {
            KeyState::NoneNeeded
        } else if in_environment().is_some() {
            KeyState::Environment
        } else {
            match OsKeyring.get(&config.name) {
                Ok(Some(_)) => KeyState::Keyring,
                // A locked keyring shows as a missing key; a call says what is wrong.
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
            Err(_) => Err(AppError::Provider(Problem::new(
                format!(
                    "{} has no API key: {} is not set, and no system keyring answers on this machine",
                    config.name,
                    config
                        .key_env
                        .as_deref()
                        .unwrap_or("its environment variable"),
                ),
                NextStep::SetKey {
                    provider: config.name.clone(),
                    env: config.key_env.clone(),
                    no_keyring: true,
                },
            ))),
        }
    }

    /// Puts a provider's key into the OS keyring, or removes it.
    pub fn set_key(&self, name: &str, key: Option<&str>) -> Result<()> {
        let done = match key.and_then(ApiKey::new) {
            Some(key) => OsKeyring.set(name, &key),
            None => OsKeyring.remove(name),
        };
        done.map_err(|error| AppError::Provider(error.problem()))
    }
}
