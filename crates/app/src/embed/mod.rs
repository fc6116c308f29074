//! Vectors of texts: from a provider's embedding model or from a file of word vectors, computed
//! before a plan that asks for them.

pub(crate) mod kept;
mod words;

use crate::error::{AppError, Result};
use crate::providers::Provider;
use crate::session::lock;
use crate::workspace::App;
use kept::LoadedWords;
use palimpsest_compaction::vectors::{VectorSet, Vectors as _};
use palimpsest_core::failure::{Failure as _, Input, NextStep, Problem};
use palimpsest_llm::{CancellationToken, Fault};
use sha2::{Digest as _, Sha256};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use words::WordVectors;

/// The environment variable that names where vectors come from, before the settings.
const VARIABLE: &str = "PALIMPSEST_EMBEDDINGS";

/// What to set where none is set up.
const SET_UP: NextStep = NextStep::Give {
    what: Input::Embeddings,
};

/// Where vectors of texts come from.
#[derive(Debug, Clone, PartialEq)]
pub enum EmbeddingSource {
    /// The model of a provider, which is sent the texts.
    Model {
        /// The provider.
        provider: Box<Provider>,
        /// Its model.
        model: String,
    },
    /// A text file of word vectors on this machine.
    File(PathBuf),
}

impl EmbeddingSource {
    /// Where `count` texts go, in words.
    pub(crate) fn destination(&self, count: usize) -> String {
        match self {
            EmbeddingSource::Model { provider, model } => format!(
                "The plan sends the {count} texts it compares to {} ({}) for the embedding model \
                 {model}, each once.",
                provider.config.name, provider.config.base_url
            ),
            EmbeddingSource::File(path) => format!(
                "The vectors of the {count} compared texts come from {} on this machine.",
                path.display()
            ),
        }
    }

    /// What a search compared, in words; `sent` texts went to the model.
    pub(crate) fn compared(&self, count: usize, sent: usize) -> String {
        match self {
            EmbeddingSource::Model { provider, model } => format!(
                "Compared with the newest {count} prompts, replies and summaries; {sent} texts were \
                 sent to {} ({}) for the embedding model {model}.",
                provider.config.name, provider.config.base_url
            ),
            EmbeddingSource::File(path) => format!(
                "Compared with the newest {count} prompts, replies and summaries by the word vectors \
                 in {} on this machine.",
                path.display()
            ),
        }
    }

    /// True when texts are sent to somewhere.
    pub(crate) fn sends(&self) -> bool {
        matches!(self, EmbeddingSource::Model { .. })
    }

    /// The name under which its vectors are kept.
    fn key(&self) -> String {
        match self {
            EmbeddingSource::Model { provider, model } => {
                // By address, because the same name can be set up for another server.
                format!("{} {model}", provider.config.base_url)
            }
            EmbeddingSource::File(path) => path.display().to_string(),
        }
    }
}

impl App {
    /// Where the vectors of a search come from: what `named` says, the environment or the settings.
    pub(crate) fn search_embeddings(&self, named: Option<&str>) -> Result<EmbeddingSource> {
        let settings = self.settings()?.embeddings;
        let environment = self.options().places.env.get(VARIABLE).map(String::as_str);
        let set_up = [named, environment, settings.as_deref()];
        if set_up
            .into_iter()
            .flatten()
            .all(|text| text.trim().is_empty())
        {
            let message = "a search by meaning needs an embedding model, and none is set up";
            return Err(AppError::bad_request(
                message,
                NextStep::Give {
                    what: Input::SearchEmbeddings,
                },
            ));
        }
        // A search has no strategy whose comparison could be changed.
        let source = self.embedding_source(named);
        source.map_err(|error| match error {
            AppError::BadRequest(problem) if problem.next == Some(SET_UP) => {
                AppError::BadRequest(Problem {
                    next: Some(NextStep::Give {
                        what: Input::SearchEmbeddings,
                    }),
                    ..problem
                })
            }
            other => other,
        })
    }

    /// Where vectors come from: what `named` says, else the environment, else the settings. It is
    /// `PROVIDER:MODEL` for a provider there is, or a file's path. Fails when it is neither, or
    /// none is set up.
    pub fn embedding_source(&self, named: Option<&str>) -> Result<EmbeddingSource> {
        // A variable that is set to nothing counts as not set.
        let given = |text: &str| (!text.trim().is_empty()).then(|| text.trim().to_owned());
        let in_environment = || self.options().places.env.get(VARIABLE).cloned();
        let text = match named.and_then(given) {
            Some(text) => Some(text),
            None => match in_environment().as_deref().and_then(given) {
                Some(text) => Some(text),
                None => self.settings()?.embeddings.as_deref().and_then(given),
            },
        };
        let text = text.ok_or_else(|| {
            AppError::plan(
                "the strategy compares texts by an embedding model, and none is set up",
                SET_UP,
            )
        })?;
        // A Windows path has a colon as well, so a file that exists goes first.
        if let Some((name, model)) = text.split_once(':')
            && !model.is_empty()
            && !Path::new(&text).is_file()
            && let Some(provider) = self
                .providers()?
                .into_iter()
                .find(|own| own.config.name == name)
        {
            return Ok(EmbeddingSource::Model {
                provider: Box::new(provider),
                model: model.to_owned(),
            });
        }
        if Path::new(&text).is_file() {
            return Ok(EmbeddingSource::File(PathBuf::from(text)));
        }
        Err(AppError::plan(
            format!(
                "embeddings cannot be made by '{text}': it is neither the path of a file nor a \
                 known provider with a model (PROVIDER:MODEL)"
            ),
            SET_UP,
        ))
    }

    /// Adds the vectors of `texts` that are on this machine: those from a file, and those a model
    /// made before. Returns the texts that are still without.
    pub(crate) fn vectors_at_hand(
        &self,
        source: &EmbeddingSource,
        texts: Vec<String>,
        vectors: &mut VectorSet,
    ) -> Result<Vec<String>> {
        match source {
            EmbeddingSource::File(path) => {
                let words = self.word_vectors(path)?;
                for text in texts {
                    let vector = words.vector(&text);
                    vectors.insert(text, vector);
                }
                Ok(Vec::new())
            }
            EmbeddingSource::Model { .. } => {
                // Vectors are in the index and not with the user's data: they can always be
                // computed again.
                let reader = self.index_db()?.reader()?;
                let key = source.key();
                let mut missing = Vec::new();
                for text in texts {
                    match reader.vector(&key, &hash(&text))? {
                        Some(vector) => vectors.insert(text, vector),
                        None => missing.push(text),
                    }
                }
                Ok(missing)
            }
        }
    }

    /// Asks the model for the vectors of `texts` and keeps them.
    pub(crate) async fn fetch_vectors(
        self: &Arc<Self>,
        source: &EmbeddingSource,
        texts: &[String],
        cancel: &CancellationToken,
    ) -> Result<VectorSet> {
        let EmbeddingSource::Model { provider, model } = source else {
            return Ok(VectorSet::default());
        };
        let config = &provider.config;
        let key = self.key(config)?;
        let made = palimpsest_llm::embeddings(config, key, model, texts, cancel).await;
        let made = made.map_err(|error| match error.fault {
            Fault::Cancelled => AppError::Cancelled,
            _ => AppError::Provider(Problem {
                message: format!("the texts could not be embedded: {error}"),
                next: error.next(),
            }),
        })?;
        let mut vectors = VectorSet::default();
        for (text, vector) in texts.iter().zip(made) {
            vectors.insert(text.clone(), vector);
        }
        Ok(vectors)
    }

    /// Keeps what a model made of `texts`, so that they are not sent again.
    pub(crate) fn keep_vectors(
        &self,
        source: &EmbeddingSource,
        texts: &[String],
        vectors: &VectorSet,
    ) -> Result<()> {
        let writer = self.index_db()?.writer()?;
        let key = source.key();
        for text in texts {
            if let Some(vector) = vectors.vector(text) {
                writer.put_vector(&key, &hash(text), vector)?;
            }
        }
        Ok(writer.commit()?)
    }

    /// The word vectors of a file, read again only when it has changed.
    fn word_vectors(&self, path: &Path) -> Result<Arc<WordVectors>> {
        let meta = std::fs::metadata(path).map_err(|source| AppError::Read {
            path: path.display().to_string(),
            source,
        })?;
        let (modified, size) = (meta.modified().ok(), meta.len());
        // Held while the file is read: a second plan waits instead of reading the same file.
        let mut kept = lock(&self.words.0);
        if let Some(own) = &*kept
            && (&*own.path, own.modified, own.size) == (path, modified, size)
        {
            return Ok(Arc::clone(&own.words));
        }
        let words = Arc::new(WordVectors::read(path)?);
        if let Some(notice) = words.notice(path) {
            self.notice(&notice);
        }
        *kept = Some(LoadedWords {
            path: path.to_path_buf(),
            modified,
            size,
            words: Arc::clone(&words),
        });
        Ok(words)
    }
}

fn hash(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}

#[cfg(test)]
mod tests;
