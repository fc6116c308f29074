//! Where a provider's key may be sent.
//!
//! Who sits at the machine may send any key anywhere. Who only holds the token of a served
//! interface may use a provider as it was set up at the machine: its key goes to its own origin
//! (scheme, host and port), and no other variable of the environment is read as a key. Otherwise
//! one request could have any secret of the environment sent to any address.

use crate::error::{AppError, Result};
use crate::provider::KeyState;
use crate::workspace::App;
use palimpsest_core::failure::{NextStep, Problem};
use palimpsest_llm::{ProviderConfig, ProviderKind, same_origin};

/// True when a key of `known` may go where `config` leads.
fn leads_to_the_same(known: &ProviderConfig, config: &ProviderConfig) -> bool {
    match config.kind {
        ProviderKind::Command => known.command == config.command,
        _ => known.kind != ProviderKind::Command && same_origin(&known.base_url, &config.base_url),
    }
}

/// How long a provider leads where it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lasting {
    /// For one call: what counts is the key there is now.
    Once,
    /// It is saved: a key may be set up later.
    Saved,
}

impl App {
    /// Fails where `config` would take a key to another address than the one it was set up for.
    /// `as_set_up` is the provider of that name as it stands, if there is one.
    pub(crate) fn check_key_binding(
        &self,
        as_set_up: Option<&ProviderConfig>,
        config: &ProviderConfig,
        lasting: Lasting,
    ) -> Result<()> {
        if !self.options().only_known_programs || config.kind == ProviderKind::Offline {
            return Ok(());
        }
        if lasting == Lasting::Saved
            && let Some(variable) = &config.key_env
        {
            let set_up = self.providers()?.into_iter().map(|known| known.config);
            let is_bound = set_up.chain(ProviderConfig::presets()).any(|known| {
                known.key_env.as_ref() == Some(variable) && leads_to_the_same(&known, config)
            });
            if !is_bound {
                return Err(refused(format!(
                    "the variable {variable} is not set up as the key for this address: {}",
                    config.base_url
                )));
            }
        }
        // The keyring has keys by the names of providers.
        let moved = as_set_up.filter(|known| !leads_to_the_same(known, config));
        let has_key = |known: &ProviderConfig| {
            let state = self.key_state(known);
            matches!(state, KeyState::Environment | KeyState::Keyring)
        };
        match moved.filter(|known| has_key(known) || has_key(config)) {
            Some(known) => Err(refused(format!(
                "the key of {} was set up for {} and is not sent to {}",
                known.name, known.base_url, config.base_url
            ))),
            None => Ok(()),
        }
    }
}

fn refused(message: String) -> AppError {
    AppError::BadRequest(Problem::new(message, NextStep::SetUpKeyAtMachine))
}
