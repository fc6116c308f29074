//! Plans that compare texts by their vectors, which are had before.

use super::planned::{PlanSpec, Planned};
use super::planning::{Refused, blocking};
use super::prepared::Prepared;
use super::record::CallRecord;
use crate::embed::EmbeddingSource;
use crate::error::{AppError, Result};
use crate::session::OpenSession;
use crate::workspace::App;
use palimpsest_compaction::vectors::VectorSet;
use palimpsest_core::NextStep;
use palimpsest_llm::{CancellationToken, ProviderKind};
use std::sync::Arc;

/// What planning with some vectors came to.
enum Attempt {
    /// A plan.
    Done(Box<Planned>),
    /// More vectors are needed, which a model must make.
    Wants {
        source: EmbeddingSource,
        texts: Vec<String>,
        vectors: VectorSet,
    },
}

impl App {
    /// Plans, without doing anything. Vectors of texts are taken from what is on this machine:
    /// from a file, or as a model made them before; see [`App::plan_with_vectors`].
    pub fn plan(&self, spec: &PlanSpec) -> Result<Planned> {
        match self.attempt(&self.prepare(None, spec)?, VectorSet::default())? {
            Attempt::Done(planned) => Ok(*planned),
            Attempt::Wants { texts, .. } => Err(AppError::plan(
                format!(
                    "{} texts have no vectors of the embedding model yet",
                    texts.len()
                ),
                NextStep::PlanAgain,
            )),
        }
    }

    /// Plans as [`App::plan`] does, after asking the embedding model for vectors where the plan
    /// compares texts by them and they are not known yet. Nothing is sent for other plans. Fails
    /// where the strategy needs a model and the offline summarizer is chosen.
    pub async fn plan_with_vectors(
        self: &Arc<Self>,
        spec: &PlanSpec,
        cancel: &CancellationToken,
    ) -> Result<Planned> {
        self.plan_in(None, spec, cancel).await
    }

    /// The same on `open` where it is given, which may be an earlier state of the session.
    pub(super) async fn plan_in(
        self: &Arc<Self>,
        open: Option<Arc<OpenSession>>,
        spec: &PlanSpec,
        cancel: &CancellationToken,
    ) -> Result<Planned> {
        let (app, own) = (Arc::clone(self), spec.clone());
        let prepared = blocking(move || app.prepare(open.as_ref(), &own)).await?;
        let prepared = Arc::new(prepared);
        let mut vectors = VectorSet::default();
        // Planning names the texts whose vectors are missing, and is repeated with them.
        loop {
            let (app, own) = (Arc::clone(self), Arc::clone(&prepared));
            let attempt = blocking(move || app.attempt(&own, vectors)).await?;
            let (source, mut texts, known) = match attempt {
                Attempt::Done(planned) => return planned.can_run(),
                Attempt::Wants {
                    source,
                    texts,
                    vectors,
                } => (source, texts, vectors),
            };
            let mut made = self.fetch_vectors(&source, &texts, cancel).await?;
            let lengths = (known.length(), made.length());
            if let (Some(before), Some(now)) = lengths
                && before != now
            {
                // Another model goes by the same name now: what it made before is of no use.
                texts.extend(known.texts().map(str::to_owned));
                made = self.fetch_vectors(&source, &texts, cancel).await?;
            }
            let (app, fresh) = (Arc::clone(self), made.clone());
            // Stored before the next round: a cancelled plan must not pay for them again.
            blocking(move || app.keep_vectors(&source, &texts, &fresh)).await?;
            vectors = known;
            vectors.extend(made);
        }
    }

    /// The call with this number, from 0, with its texts. Its plan is the one shown under `hash`, or a
    /// new one without a hash. Fails when the plan has no such call.
    pub async fn planned_call(
        self: &Arc<Self>,
        spec: &PlanSpec,
        hash: Option<&str>,
        number: usize,
    ) -> Result<CallRecord> {
        let cancel = CancellationToken::new();
        let planned = self.plan_to_run(spec, hash, &cancel).await?;
        let calls = &planned.record.calls;
        calls.get(number).cloned().ok_or_else(|| {
            AppError::bad_request(
                format!(
                    "the plan has {} calls, and none with the number {}",
                    calls.len(),
                    number.saturating_add(1)
                ),
                NextStep::PlanAgain,
            )
        })
    }

    /// The plan shown under `hash`, or a new one without a hash. It has the texts of its prompts
    /// also when `spec` leaves them out, because they are sent.
    pub(super) async fn plan_to_run(
        self: &Arc<Self>,
        spec: &PlanSpec,
        hash: Option<&str>,
        cancel: &CancellationToken,
    ) -> Result<Arc<Planned>> {
        if let Some(hash) = hash {
            return self.plan_named(hash, spec, cancel).await;
        }
        let whole = PlanSpec {
            brief: false,
            ..spec.clone()
        };
        self.plan_with_vectors(&whole, cancel).await.map(Arc::new)
    }

    /// Plans with these vectors and what more is on this machine.
    fn attempt(&self, prepared: &Prepared, mut vectors: VectorSet) -> Result<Attempt> {
        let asked = prepared.spec.embeddings.as_deref();
        let mut source = None;
        loop {
            match self.plan_on(prepared, &vectors) {
                Err(Refused::Vectors(texts)) => {
                    // Looked up only when vectors are needed, because most plans need none and no
                    // source may be set up.
                    let source = match &mut source {
                        Some(source) => source,
                        empty => empty.insert(self.embedding_source(asked)?),
                    };
                    let texts = self.vectors_at_hand(source, texts, &mut vectors)?;
                    if !texts.is_empty() {
                        return Ok(Attempt::Wants {
                            source: source.clone(),
                            texts,
                            vectors,
                        });
                    }
                }
                Err(Refused::Other(error)) => return Err(error),
                Ok(mut planned) => {
                    if !vectors.is_empty() {
                        let source = match source {
                            Some(source) => source,
                            None => self.embedding_source(asked)?,
                        };
                        let own = &mut Arc::make_mut(&mut planned.record).destination;
                        if source.sends() && planned.provider.config.kind == ProviderKind::Offline {
                            *own = "The summary is written on this machine.".to_owned();
                        }
                        *own = format!("{own} {}", source.destination(vectors.len()));
                    }
                    return Ok(Attempt::Done(Box::new(planned)));
                }
            }
        }
    }
}
