//! The models a provider offers.

use crate::error::{Fault, LlmError};
use crate::http::{Endpoint, Guard, Limits, content_type};
use crate::key::ApiKey;
use crate::provider::{ProviderConfig, ProviderKind};
use crate::status::{excerpt, looks_like_html};
use serde::Serialize;
use serde_json::Value;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// A model as its provider lists it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListedModel {
    /// The id to ask for.
    pub id: String,
    /// A name for people, where the provider has one.
    pub name: Option<String>,
    /// Context window in tokens, where the provider tells (OpenRouter `context_length`, vLLM
    /// `max_model_len`, llama.cpp `meta.n_ctx_train`).
    pub context_window: Option<u64>,
}

/// Asks a provider for its models, sorted by id; those named in the configuration are included.
///
/// The offline kind and programs have only those. One request, never repeated, of at most 15 seconds; fails
/// like a call does.
pub async fn list_models(
    config: &ProviderConfig,
    key: Option<ApiKey>,
    cancel: &CancellationToken,
) -> Result<Vec<ListedModel>, LlmError> {
    list_models_within(config, key, Duration::from_secs(15), cancel).await
}

/// As [`list_models`], with the time it may take in all.
pub async fn list_models_within(
    config: &ProviderConfig,
    key: Option<ApiKey>,
    whole: Duration,
    cancel: &CancellationToken,
) -> Result<Vec<ListedModel>, LlmError> {
    let named = config.models.iter().map(|id| ListedModel {
        id: id.clone(),
        name: None,
        context_window: None,
    });
    let mut models: Vec<ListedModel> = named.collect();
    if !matches!(config.kind, ProviderKind::Offline | ProviderKind::Command) {
        let endpoint = Endpoint::new(config, key, Some("models"), Limits::within(whole))?;
        let guard = Guard::new(cancel, endpoint.limits.whole);
        let listed = fetch(&endpoint, &guard)
            .await
            .map_err(|fault| endpoint.error(fault))?;
        // The listed one replaces the configured one, because it may have a window.
        models.retain(|model| listed.iter().all(|other| other.id != model.id));
        models.extend(listed);
    }
    models.sort_by(|a, b| a.id.cmp(&b.id));
    models.dedup_by(|a, b| a.id == b.id);
    Ok(models)
}

async fn fetch(endpoint: &Endpoint, guard: &Guard<'_>) -> Result<Vec<ListedModel>, Fault> {
    let mut url = endpoint.url.clone();
    // The largest page of each; there are some dozens of models.
    match endpoint.config.kind {
        ProviderKind::Anthropic => url.set_query(Some("limit=1000")),
        ProviderKind::Gemini => url.set_query(Some("pageSize=1000")),
        _ => {}
    }
    let answer = endpoint.send(endpoint.get(url), guard).await?;
    let kind = content_type(answer.headers()).to_ascii_lowercase();
    let body = endpoint.text(answer, guard).await?;
    if looks_like_html(&kind, &body) {
        return Err(Fault::WebPage {
            excerpt: excerpt(&body),
        });
    }
    let malformed = |detail: String| Fault::Malformed {
        detail,
        excerpt: excerpt(&body),
    };
    let document: Value =
        serde_json::from_str(&body).map_err(|_| malformed("it is not JSON".to_owned()))?;
    let gemini = endpoint.config.kind == ProviderKind::Gemini;
    let (field, read): (_, fn(&Value) -> Option<ListedModel>) = if gemini {
        ("models", listed_by_gemini)
    } else {
        ("data", listed)
    };
    let list = document[field].as_array().ok_or_else(|| {
        malformed(format!(
            "the field `{field}` of the list of models is missing"
        ))
    })?;
    Ok(list.iter().filter_map(read).collect())
}

/// Gemini lists models for other uses as well; those that cannot write text are left out.
fn listed_by_gemini(model: &Value) -> Option<ListedModel> {
    let writes = |uses: &Vec<Value>| uses.iter().any(|name| name == "generateContent");
    let uses = model["supportedGenerationMethods"].as_array();
    if !uses.is_none_or(writes) {
        return None;
    }
    let name = model["name"].as_str()?;
    Some(ListedModel {
        id: name.strip_prefix("models/").unwrap_or(name).to_owned(),
        name: model["displayName"].as_str().map(str::to_owned),
        context_window: model["inputTokenLimit"].as_u64(),
    })
}

fn listed(model: &Value) -> Option<ListedModel> {
    let text = |name: &str| model[name].as_str().map(str::to_owned);
    Some(ListedModel {
        id: text("id")?,
        name: text("display_name").or_else(|| text("name")),
        context_window: model["context_length"]
            .as_u64()
            .or_else(|| model["max_model_len"].as_u64())
            .or_else(|| model["meta"]["n_ctx_train"].as_u64()),
    })
}
