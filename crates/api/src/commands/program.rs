//! The program itself: what is set up, models, providers, settings.

use super::Empty;
use crate::wire::*;
use palimpsest_app::{App, AppError, AppResult, Prices, ProviderConfig, UserPrices};
use palimpsest_core::failure::{Listed, NextStep, Problem};

/// What the program is and where it keeps things.
pub(crate) fn app_info(app: &App, _: Empty) -> AppResult<AppInfo> {
    let places = app.agent_places()?;
    Ok(AppInfo {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        data_dir: app.options().data_dir.display().to_string(),
        samples_dir: app.options().samples_dir().display().to_string(),
        first_run: places.iter().all(|place| place.sessions == 0),
        places: places
            .into_iter()
            .map(|place| AgentPlace {
                agent: place.agent.to_string(),
                path: place.path.display().to_string(),
                exists: place.exists,
                sessions: place.sessions,
            })
            .collect(),
        can_start_terminal: app.can_start_terminal(),
        named_roots: app.named_roots()?,
        samples: app.shows_samples()?,
        notices: app.notices(),
    })
}

/// The models of the catalog.
pub(crate) fn models(app: &App, _: Empty) -> AppResult<Vec<ModelRow>> {
    let rows = app.catalog().models().iter().map(|model| ModelRow {
        provider: model.provider.clone(),
        id: model.id.clone(),
        name: model.name.clone(),
        context_window: model.context_window,
        max_output: model.max_output,
        input_price: model.prices.map(|prices| prices.input),
        output_price: model.prices.map(|prices| prices.output),
    });
    Ok(rows.collect())
}

/// The providers that can be chosen, the offline one first.
pub(crate) fn providers(app: &App, _: Empty) -> AppResult<Vec<ProviderRow>> {
    let rows = app.providers()?.into_iter().map(|provider| ProviderRow {
        // Prices that cannot be read must not hide the providers.
        prices: prices(app.user_prices(&provider.config.name).unwrap_or_default()),
        kind: provider.config.kind.into(),
        // The state and never the key itself goes to the page.
        key_state: app.key_state(&provider.config).into(),
        name: provider.config.name,
        base_url: provider.config.base_url,
        key_env: provider.config.key_env,
        models: provider.config.models,
        command: provider.config.command,
        limits: limits(provider.config.limits),
        custom: provider.custom,
    });
    Ok(rows.collect())
}

fn prices(entered: UserPrices) -> Vec<ModelPrice> {
    let rows = entered.0.into_iter().map(|(model, prices)| ModelPrice {
        model,
        input: prices.input,
        output: prices.output,
        cache_read: prices.cache_read,
        cache_write: prices.cache_write,
    });
    rows.collect()
}

fn set_prices(asked: Vec<ModelPrice>) -> UserPrices {
    let rows = asked.into_iter().map(|row| {
        let prices = Prices {
            input: row.input,
            output: row.output,
            cache_read: row.cache_read,
            cache_write: row.cache_write,
        };
        (row.model.trim().to_owned(), prices)
    });
    UserPrices(rows.collect())
}

// Both ways take the fields apart by name, so that a new limit cannot be forgotten in either.
fn limits(set: palimpsest_app::ProviderLimits) -> ProviderLimits {
    let palimpsest_app::ProviderLimits {
        first_byte_s,
        silence_s,
        timeout_s,
        max_concurrent,
        max_retries,
    } = set;
    ProviderLimits {
        first_byte_s,
        silence_s,
        timeout_s,
        max_concurrent,
        max_retries,
    }
}

fn set_limits(asked: ProviderLimits) -> palimpsest_app::ProviderLimits {
    let ProviderLimits {
        first_byte_s,
        silence_s,
        timeout_s,
        max_concurrent,
        max_retries,
    } = asked;
    palimpsest_app::ProviderLimits {
        first_byte_s,
        silence_s,
        timeout_s,
        max_concurrent,
        max_retries,
    }
}

/// Adds or changes a provider.
pub(crate) fn provider_save(app: &App, request: ProviderSaveRequest) -> AppResult<Empty> {
    let kind = palimpsest_app::ProviderKind::from(request.kind);
    // By the list of what is allowed, so that a new kind is refused until it stands there.
    let called = palimpsest_app::ProviderKind::CALLED;
    // The offline summarizer is built in and cannot be added a second time.
    if !called.contains(&kind) {
        let known = called.map(|own| own.name().to_owned()).to_vec();
        let next = NextStep::choose(Listed::ProviderKinds, kind.name(), known);
        let message = format!("a provider cannot be of the kind {}", kind.name());
        return Err(AppError::BadRequest(Problem::new(message, next)));
    }
    let name = request.name.clone();
    app.save_provider(ProviderConfig {
        kind,
        name: request.name,
        base_url: request.base_url,
        key_env: request.key_env,
        models: request.models,
        command: request.command,
        limits: set_limits(request.limits),
    })?;
    if let Some(prices) = request.prices {
        app.set_user_prices(&name, set_prices(prices))?;
    }
    Ok(Empty {})
}

/// The model servers that answer on this machine.
pub(crate) async fn local_servers(app: &App, _: Empty) -> AppResult<Vec<LocalServer>> {
    let found = app.local_servers().await?.into_iter();
    Ok(found
        .map(|server| LocalServer {
            name: server.name,
            base_url: server.base_url,
            models: server.models,
        })
        .collect())
}

/// Removes a provider the user added, or the changes to one that is built in.
pub(crate) fn provider_remove(app: &App, request: ProviderRequest) -> AppResult<Empty> {
    app.remove_provider(&request.name)?;
    Ok(Empty {})
}

/// Puts a key into the OS keyring, or removes it.
pub(crate) fn provider_key(app: &App, request: ProviderKeyRequest) -> AppResult<Empty> {
    app.set_key(&request.name, request.key.as_deref())?;
    Ok(Empty {})
}

/// The models a provider offers right now.
pub(crate) async fn provider_models(
    app: &App,
    request: ProviderRequest,
) -> AppResult<ProviderModels> {
    Ok(ProviderModels {
        models: app.offered_models(&request.name).await?,
    })
}

/// The user's settings.
pub(crate) fn settings(app: &App, _: Empty) -> AppResult<Settings> {
    let settings = app.settings()?;
    Ok(Settings {
        roots: settings.roots,
        theme: settings.theme.map(Theme::from).unwrap_or_default(),
        ui: settings.ui,
        provider: settings.provider,
        model: settings.model,
        embeddings: settings.embeddings,
        ask_above_usd: settings.ask_above_usd,
    })
}

/// Changes settings.
pub(crate) fn settings_set(app: &App, change: SettingsChange) -> AppResult<Settings> {
    app.change_settings(palimpsest_app::SettingsChange {
        roots: change.roots,
        theme: change.theme.map(Into::into),
        ui: change.ui,
        provider: change.provider,
        model: change.model,
        embeddings: change.embeddings,
        ask_above_usd: change.ask_above_usd,
    })?;
    // Read back, so that the page shows what was stored.
    settings(app, Empty {})
}
