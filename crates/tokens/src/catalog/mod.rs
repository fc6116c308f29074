//! Which models there are: windows, output limits, prices.

mod name;

use crate::cost::Prices;
use palimpsest_core::unreadable::json_text_without_line;
use palimpsest_core::{Failure, NextStep};
use serde::Deserialize;
use std::collections::HashMap;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// The catalog that is built in; a model's `source` says where its figures were read.
const EMBEDDED: &str = include_str!("../../../../assets/models.json");

/// What is known about one model.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelInfo {
    /// Who offers it, as pi spells it.
    pub provider: String,
    /// Its id with that provider.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// Context window in tokens.
    pub context_window: u64,
    /// The longest reply in tokens, where it is known.
    pub max_output: Option<u64>,
    /// Prices, where they are known.
    pub prices: Option<Prices>,
    /// Other ids it goes by; `*` at the end stands for any rest.
    pub aliases: Vec<String>,
    /// Where the figures come from.
    pub source: String,
}

/// Models by provider and id.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    models: Vec<ModelInfo>,
    by_id: HashMap<String, Vec<usize>>,
}

/// Why a catalog file could not be used.
#[derive(Debug, thiserror::Error)]
pub enum CatalogError {
    /// The file is there but cannot be read.
    #[error("the model catalog cannot be read ({source}): {path}", path = path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file does not say what a catalog says.
    #[error(
        "the model catalog cannot be used, because of line {line} ({reason}): {path}",
        path = path.display()
    )]
    Content {
        /// The file.
        path: PathBuf,
        /// 1-based line.
        line: usize,
        /// What is wrong there.
        reason: String,
    },
}

impl Failure for CatalogError {
    fn next(&self) -> Option<NextStep> {
        Some(match self {
            CatalogError::Read { .. } => NextStep::CheckFile,
            CatalogError::Content { .. } => NextStep::CorrectFile,
        })
    }
}

/// A catalog file as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CatalogFile {
    /// For readers of the file only.
    #[serde(default, rename = "note")]
    _note: Option<String>,
    models: Vec<ModelRecord>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ModelRecord {
    provider: String,
    id: String,
    name: Option<String>,
    context_window: Option<NonZeroU64>,
    max_output: Option<NonZeroU64>,
    prices: Option<Prices>,
    aliases: Option<Vec<String>>,
    source: Option<String>,
}

impl Catalog {
    /// The built-in catalog.
    pub fn embedded() -> Catalog {
        let file = serde_json::from_str(EMBEDDED).expect("the embedded catalog is tested to parse");
        let mut catalog = Catalog::default();
        catalog
            .merge(file)
            .expect("the embedded catalog is tested to be complete");
        catalog
    }

    /// The built-in catalog with a user's file laid over it; a file that does not exist adds
    /// nothing.
    ///
    /// A model with a known provider and id replaces the fields it gives and keeps the others; any
    /// other model is new and needs a `context_window`.
    ///
    /// # Errors
    /// When the file cannot be read or is not a catalog: with the file, the line and what to do.
    pub fn with_user_file(path: &Path) -> Result<Catalog, CatalogError> {
        let mut catalog = Catalog::embedded();
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            // The user's file is optional: most installations have none.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(catalog),
            Err(source) => {
                return Err(CatalogError::Read {
                    path: path.to_owned(),
                    source,
                });
            }
        };
        let content = |line, reason| CatalogError::Content {
            path: path.to_owned(),
            line,
            reason,
        };
        let file: CatalogFile = serde_json::from_str(&text)
            .map_err(|error| content(error.line(), json_text_without_line(&error)))?;
        catalog.merge(file).map_err(|id| {
            // serde_json has already parsed the file, so the line is searched by the id as it is
            // written.
            let line = text
                .lines()
                .position(|line| line.contains(&format!("\"{id}\"")));
            let reason = format!("the model '{id}' is new and has no context_window");
            content(line.map_or(1, |line| line + 1), reason)
        })?;
        Ok(catalog)
    }

    /// Every model, in the order of the files.
    pub fn models(&self) -> &[ModelInfo] {
        &self.models
    }

    /// The model a session or a user means.
    ///
    /// The id may carry a provider prefix (`anthropic/`, `us.anthropic.`), a date, `-latest`, a
    /// version suffix (`-v1:0`) or an option (`:thinking`, `:free`); case and the choice between
    /// `4.5` and `4-5` do not matter. The exact id is tried first, with the provider given and
    /// then with any. `None` means that nothing is known: there is no window to show.
    pub fn find(&self, provider: Option<&str>, model: &str) -> Option<&ModelInfo> {
        let provider = provider.map(str::to_ascii_lowercase);
        name::candidates(model)
            .iter()
            .find_map(|id| self.find_id(provider.as_deref(), id))
    }

    fn find_id(&self, provider: Option<&str>, id: &str) -> Option<&ModelInfo> {
        let same = |model: &ModelInfo| Some(model.provider.as_str()) == provider;
        // A provider that is unknown (a proxy) still gets the model's window: the same model has
        // the same limits elsewhere. An exact id wins over an alias, the given provider over any
        // other.
        let listed = self
            .by_id
            .get(id)
            .into_iter()
            .flatten()
            .map(|&at| &self.models[at]);
        let aliased = || {
            self.models
                .iter()
                .filter(|model| name::is_alias(&model.aliases, id))
        };
        let mut all = listed.clone().chain(aliased());
        let first = all.next()?;
        Some(
            std::iter::once(first)
                .chain(all)
                .find(|model| same(model))
                .unwrap_or(first),
        )
    }

    /// Lays records over the models; the error is the id of a new model without a window.
    fn merge(&mut self, file: CatalogFile) -> Result<(), String> {
        for record in file.models {
            let known = self
                .models
                .iter_mut()
                .find(|model| model.provider == record.provider && model.id == record.id);
            match known {
                Some(model) => overlay(model, record),
                None => {
                    let Some(window) = record.context_window else {
                        return Err(record.id);
                    };
                    // Lookups compare normal spellings; the stored id keeps the maker's.
                    let key = name::normal(&record.id);
                    self.by_id.entry(key).or_default().push(self.models.len());
                    self.models.push(ModelInfo {
                        name: record.name.unwrap_or_else(|| record.id.clone()),
                        provider: record.provider,
                        id: record.id,
                        context_window: window.get(),
                        max_output: record.max_output.map(NonZeroU64::get),
                        prices: record.prices,
                        aliases: record.aliases.unwrap_or_default(),
                        source: record
                            .source
                            .unwrap_or_else(|| "the user's file".to_owned()),
                    });
                }
            }
        }
        Ok(())
    }
}

fn overlay(model: &mut ModelInfo, record: ModelRecord) {
    let ModelRecord {
        provider: _,
        id: _,
        name,
        context_window,
        max_output,
        prices,
        aliases,
        source,
    } = record;
    if let Some(name) = name {
        model.name = name;
    }
    if let Some(window) = context_window {
        model.context_window = window.get();
    }
    if let Some(max_output) = max_output {
        model.max_output = Some(max_output.get());
    }
    if let Some(prices) = prices {
        model.prices = Some(prices);
    }
    if let Some(aliases) = aliases {
        model.aliases = aliases;
    }
    // A replaced figure is no longer that of the built-in source, even where the file names no
    // other.
    model.source = source.unwrap_or_else(|| "the user's file".to_owned());
}

#[cfg(test)]
mod tests;
