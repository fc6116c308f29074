//! Embeddings: texts as vectors, from any server with an OpenAI-compatible `/embeddings`.

use crate::error::{Fault, LlmError};
use crate::http::{Endpoint, Guard};
use crate::key::ApiKey;
use crate::options::CallOptions;
use crate::provider::{ProviderConfig, ProviderKind};
use crate::status::{excerpt, fault_of_error, looks_like_html};
use serde_json::{Value, json};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Path of the endpoint under the base URL.
const PATH: &str = "embeddings";
/// Most texts of one request. OpenAI takes 2048; local servers have one slot for each text.
const BATCH_TEXTS: usize = 64;
/// Most bytes of text in one request: some 60,000 tokens, well under the 300,000 that OpenAI
/// allows for all texts of one.
const BATCH_BYTES: usize = 240_000;

/// The vector of each text, in the order of the texts, from the provider's `/embeddings`.
///
/// The texts go out in batches, one after the other, each tried again as a call is; vectors come
/// as the model made them, not normalized, all of one length. A blank text is not sent, as
/// OpenAI refuses it; its vector is all zeros (empty when no text was sent at all). A text that
/// is longer than the model's input is the provider's to refuse, as [`Fault::ContextOverflow`]
/// where its answer says so.
///
/// Fails as a call does: [`Fault::Config`] for a provider of a kind that has no such endpoint
/// (only the two OpenAI kinds have), [`Fault::Malformed`] when the vectors are not one for each
/// text and of one length, [`Fault::Cancelled`] soon after `cancel` fires. Must be awaited inside
/// a tokio runtime with its timer on.
pub async fn embeddings(
    config: &ProviderConfig,
    key: Option<ApiKey>,
    model: &str,
    texts: &[String],
    cancel: &CancellationToken,
) -> Result<Vec<Vec<f32>>, LlmError> {
    embeddings_with(config, key, model, texts, cancel, CallOptions::of(config)).await
}

/// As [`embeddings`], with time limits and retries chosen.
pub async fn embeddings_with(
    config: &ProviderConfig,
    key: Option<ApiKey>,
    model: &str,
    texts: &[String],
    cancel: &CancellationToken,
    options: CallOptions,
) -> Result<Vec<Vec<f32>>, LlmError> {
    let endpoint = Endpoint::new(config, key, Some(PATH), options.limits)?;
    if !matches!(config.kind, ProviderKind::OpenAi | ProviderKind::Responses) {
        return Err(endpoint.error(Fault::Config {
            detail: "only providers of the OpenAI kinds can make embeddings".to_owned(),
        }));
    }
    let mut vectors: Vec<Vec<f32>> = vec![Vec::new(); texts.len()];
    let mut dimensions = 0;
    for batch in batches(texts) {
        let made = whole_batch(&endpoint, model, texts, &batch, cancel, &options).await?;
        for (at, vector) in batch.into_iter().zip(made) {
            if dimensions == 0 {
                dimensions = vector.len();
            }
            if vector.len() != dimensions {
                let lengths = format!("vectors of {dimensions} and {} numbers", vector.len());
                let mut error = endpoint.error(malformed(&lengths, ""));
                error.call.model = model.to_owned();
                return Err(error);
            }
            vectors[at] = vector;
        }
    }
    for vector in vectors.iter_mut().filter(|vector| vector.is_empty()) {
        vector.resize(dimensions, 0.0);
    }
    Ok(vectors)
}

/// The positions of the texts that are sent, cut into requests. A text larger than a whole
/// request goes alone.
fn batches(texts: &[String]) -> Vec<Vec<usize>> {
    let mut batches: Vec<Vec<usize>> = Vec::new();
    let mut bytes = 0;
    for (at, text) in texts.iter().enumerate() {
        if text.trim().is_empty() {
            continue;
        }
        match batches.last_mut() {
            Some(batch) if batch.len() < BATCH_TEXTS && bytes + text.len() <= BATCH_BYTES => {
                bytes += text.len();
                batch.push(at);
            }
            _ => {
                bytes = text.len();
                batches.push(vec![at]);
            }
        }
    }
    batches
}

/// One batch, tried again when that can help.
async fn whole_batch(
    endpoint: &Endpoint,
    model: &str,
    texts: &[String],
    batch: &[usize],
    cancel: &CancellationToken,
    options: &CallOptions,
) -> Result<Vec<Vec<f32>>, LlmError> {
    let input: Vec<&str> = batch.iter().map(|&at| texts[at].as_str()).collect();
    let body = json!({ "model": model, "input": input });
    let mut attempt = 1;
    loop {
        let mut fault = match request(endpoint, &body, batch.len(), cancel).await {
            Ok(vectors) => return Ok(vectors),
            Err(fault) => fault,
        };
        if fault.may_pass(false)
            && let Some(wait_ms) = options.retry.wait_ms(attempt, fault.asked_wait_ms())
        {
            tokio::select! {
                biased;
                () = cancel.cancelled() => fault = Fault::Cancelled,
                () = options.pause.pause(Duration::from_millis(wait_ms)) => {
                    attempt += 1;
                    continue;
                }
            }
        }
        let mut error = endpoint.error(fault);
        error.call.model = model.to_owned();
        error.call.attempts = attempt;
        return Err(error);
    }
}

async fn request(
    endpoint: &Endpoint,
    body: &Value,
    count: usize,
    cancel: &CancellationToken,
) -> Result<Vec<Vec<f32>>, Fault> {
    let guard = Guard::new(cancel, endpoint.limits.whole);
    let answer = endpoint
        .send(endpoint.post(endpoint.url.clone()).json(body), &guard)
        .await?;
    let text = endpoint.text(answer, &guard).await?;
    if looks_like_html("", &text) {
        return Err(Fault::WebPage {
            excerpt: excerpt(&text),
        });
    }
    let document: Value =
        serde_json::from_str(&text).map_err(|_| malformed("it is not JSON", &text))?;
    if let Some(error) = document.get("error").filter(|error| !error.is_null()) {
        return Err(fault_of_error(error));
    }
    let list = document["data"].as_array().ok_or_else(|| {
        malformed(
            "the field `data` of the list of embeddings is missing",
            &text,
        )
    })?;
    let mut vectors = vec![Vec::new(); count];
    for (place, item) in list.iter().enumerate() {
        // Servers that leave the index out give the vectors in order.
        let index = item["index"].as_u64().map_or(place, |index| index as usize);
        let numbers = item["embedding"].as_array().map(|numbers| {
            let number = |value: &Value| value.as_f64().map(|number| number as f32);
            // A null or a text among the numbers makes the vector shorter, which the check of
            // lengths finds.
            numbers.iter().map_while(number).collect::<Vec<f32>>()
        });
        if let (Some(vector), Some(numbers)) = (vectors.get_mut(index), numbers) {
            *vector = numbers;
        }
    }
    match vectors.iter().position(Vec::is_empty) {
        None => Ok(vectors),
        Some(at) => {
            let missing = format!("text {} of {count} has no vector", at + 1);
            Err(malformed(&missing, &text))
        }
    }
}

fn malformed(detail: &str, text: &str) -> Fault {
    Fault::Malformed {
        detail: detail.to_owned(),
        excerpt: excerpt(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_hold_each_text_once_and_are_small() {
        let mut texts: Vec<String> = (0..150).map(|n| format!("text {n}")).collect();
        texts[3] = " \n".to_owned();
        texts[100] = "x".repeat(BATCH_BYTES + 1);
        let batches = batches(&texts);
        let all: Vec<usize> = batches.concat();
        let expected: Vec<usize> = (0..150).filter(|&at| at != 3).collect();
        assert_eq!(all, expected, "in order, without the blank one");
        assert!(batches.iter().all(|batch| batch.len() <= BATCH_TEXTS));
        assert!(batches.contains(&vec![100]), "the large one goes alone");
        assert!(super::batches(&[]).is_empty());
    }
}
