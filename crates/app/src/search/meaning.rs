//! Search by meaning: prompts, replies and summaries whose vectors are near that of the query.
//!
//! The texts go to the embedding model that is set up for plans, each once: their vectors are kept
//! by content. Without a model there is no such search.

use super::found::{EntryHit, HitPage};
use super::query::{Query, check_length};
use super::{Collected, collect};
use crate::embed::EmbeddingSource;
use crate::error::{AppError, Result};
use crate::workspace::App;
use palimpsest_compaction::vectors::{VectorSet, Vectors as _};
use palimpsest_llm::CancellationToken;
use std::sync::Arc;
use std::time::Instant;

/// Entries that are compared: the newest of those that pass the filters. A first search sends as
/// many texts.
const MOST_COMPARED: u64 = 1_000;
/// Bytes of a text that are compared: the beginning says what it is about, and models cut long
/// texts themselves.
const COMPARED_BYTES: usize = 2_000;

impl App {
    /// The entries that mean what the words of a query mean, nearest first. Filters hold as they do
    /// in [`App::search`]; `kind:` replaces the usual choice of prompts, replies and summaries.
    ///
    /// The embedding model is `embeddings`, else the one that is set up.
    ///
    /// Errors: when there is none, or it fails.
    pub async fn search_by_meaning(
        self: &Arc<Self>,
        text: &str,
        embeddings: Option<&str>,
        offset: usize,
        limit: usize,
    ) -> Result<HitPage> {
        let started = Instant::now();
        check_length(text)?;
        let query = Query::parse(text);
        let wanted: Vec<&str> = query.words.iter().map(|word| &*word.text).collect();
        let wanted = wanted.join(" ");
        let mut page = HitPage {
            ignored: query.ignored.clone(),
            not_understood: query.not_understood.clone(),
            ..HitPage::default()
        };
        if !page.not_understood.is_empty() {
            return Ok(page);
        }
        if wanted.is_empty() {
            page.nothing_asked = true;
            page.only_filters = !query.is_empty();
            page.ignored
                .push("the query has only filters, and a search by meaning needs words".to_owned());
            return Ok(page);
        }
        let (app, own) = (Arc::clone(self), wanted.clone());
        let named = embeddings.map(str::to_owned);
        let found = blocking(move || app.compared(&query, own, named.as_deref())).await?;
        let Found {
            source,
            candidates,
            mut vectors,
            missing,
        } = found;
        if !missing.is_empty() {
            let cancel = CancellationToken::new();
            let made = self.fetch_vectors(&source, &missing, &cancel).await?;
            let (app, fresh, own) = (Arc::clone(self), made.clone(), source.clone());
            let sent = missing.clone();
            blocking(move || app.keep_vectors(&own, &sent, &fresh)).await?;
            vectors.extend(made);
        }
        page.note = Some(source.compared(candidates.len(), missing.len()));
        let mut hits = near(&wanted, candidates, &vectors);
        let total = hits.len();
        hits.drain(..offset.min(total));
        hits.truncate(limit);
        page.more = offset.saturating_add(limit) < total;
        page.hits = hits;
        page.elapsed_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        Ok(page)
    }

    /// The entries to compare, with the vectors that are at hand.
    fn compared(&self, query: &Query, wanted: String, named: Option<&str>) -> Result<Found> {
        let source = self.search_embeddings(named)?;
        let user = self.user_db().ok();
        let found = collect(self.index_db()?, user, query, MOST_COMPARED)?;
        let candidates: Vec<Collected> = found
            .into_iter()
            .map(|(hit, text)| {
                let end = text.floor_char_boundary(text.len().min(COMPARED_BYTES));
                (hit, text[..end].trim().to_owned())
            })
            .filter(|(_, text)| !text.is_empty())
            .collect();
        let mut texts: Vec<String> = candidates.iter().map(|(_, text)| text.clone()).collect();
        texts.push(wanted);
        texts.sort();
        texts.dedup();
        let mut vectors = VectorSet::default();
        let missing = self.vectors_at_hand(&source, texts, &mut vectors)?;
        Ok(Found {
            source,
            candidates,
            vectors,
            missing,
        })
    }
}

/// What is known before a model is asked.
struct Found {
    source: EmbeddingSource,
    candidates: Vec<Collected>,
    vectors: VectorSet,
    missing: Vec<String>,
}

/// The candidates by the cosine of their vectors with that of `wanted`, largest first; those
/// that point away are left out.
fn near(wanted: &str, candidates: Vec<Collected>, vectors: &VectorSet) -> Vec<EntryHit> {
    let Some(wanted) = vectors.vector(wanted) else {
        return Vec::new();
    };
    let mut hits: Vec<EntryHit> = candidates
        .into_iter()
        .filter_map(|(mut hit, text)| {
            hit.relevance = cosine(wanted, vectors.vector(&text)?);
            (hit.relevance > 0.0).then_some(hit)
        })
        .collect();
    hits.sort_by(|a, b| b.relevance.total_cmp(&a.relevance));
    hits
}

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    if a.len() != b.len() {
        return 0.0;
    }
    let dot = |a: &[f32], b: &[f32]| -> f64 {
        let products = a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b));
        products.sum()
    };
    let lengths = (dot(a, a) * dot(b, b)).sqrt();
    if lengths > 0.0 {
        dot(a, b) / lengths
    } else {
        0.0
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| AppError::Internal(error.to_string()))?
}
