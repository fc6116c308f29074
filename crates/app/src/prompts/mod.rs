//! The user's prompts in versions, and which version a run was made with.

mod import;
mod installed;
mod prompt_use;
mod scored;
mod used;

pub use import::{FoundPrompt, ImportReport, Imported};
pub use installed::{InstalledAgent, InstalledAgents};
pub use prompt_use::{PromptUse, UsedBy};
pub use scored::PromptScore;

use crate::error::{AppError, Result};
use crate::workspace::App;
use palimpsest_compaction::{ParamError, Preset};
use palimpsest_core::failure::{Failure as _, Input, Listed, NextStep};
pub use palimpsest_store::user::{PromptOrigin, PromptVersion};
use sha2::{Digest as _, Sha256};

/// The place of custom instructions, added to the request.
pub const INSTRUCTIONS: &str = "instructions";
/// The place of a prompt that replaces the request.
pub const REQUEST: &str = "request";

/// Most characters of the label of a version: it stands beside its name.
const MOST_LABEL: usize = 40;

/// The hash a prompt is known by: the first 16 hex digits of its SHA-256.
pub fn prompt_hash(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// The name and the version in `NAME` or `NAME@VERSION`.
fn parts(name: &str) -> (&str, Option<u32>) {
    match name.rsplit_once('@') {
        Some((own, version)) => match version.parse() {
            Ok(version) => (own, Some(version)),
            Err(_) => (name, None),
        },
        None => (name, None),
    }
}

impl App {
    /// Every version of every saved prompt, by name, newest first; of one name where it is given.
    pub fn prompts(&self, name: Option<&str>) -> Result<Vec<PromptVersion>> {
        let user = self.user_db()?;
        if let Some(name) = name {
            return Ok(user.prompt_versions(name)?);
        }
        let mut all = Vec::new();
        for newest in user.prompts()? {
            all.extend(user.prompt_versions(&newest.name)?);
        }
        Ok(all)
    }

    /// The saved prompt called `NAME` (its newest version) or `NAME@VERSION`.
    pub fn prompt(&self, name: &str) -> Result<PromptVersion> {
        let (own, version) = parts(name);
        let user = self.user_db()?;
        match user.prompt(own, version)? {
            Some(found) => Ok(found),
            None => Err(match version {
                Some(version) if user.prompt(own, None)?.is_some() => no_version(own, version),
                _ => no_prompt(name),
            }),
        }
    }

    /// Saves a text as the next version of `name`, or returns the version that already says it.
    ///
    /// A prompt for a place of a strategy is held against what that place needs: one that misses
    /// a placeholder or has an unknown one is refused with the reason.
    pub fn save_prompt(
        &self,
        name: &str,
        text: &str,
        origin: &PromptOrigin,
    ) -> Result<PromptVersion> {
        let name = prompt_name(name)?;
        if text.trim().is_empty() {
            return Err(AppError::bad_request(
                format!("the prompt '{name}' is empty"),
                NextStep::Give {
                    what: Input::PromptText,
                },
            ));
        }
        // Parameters are listed with their group in front.
        let place = origin.place.as_deref();
        let origin = &PromptOrigin {
            place: place.map(|place| place.strip_prefix("prompts.").unwrap_or(place).to_owned()),
            ..origin.clone()
        };
        // Refused when it is saved and not when a run needs it.
        self.check_prompt(text, origin)?;
        let now = crate::clock::now_ms();
        let user = self.user_db()?;
        Ok(user.save_prompt(name, text, &prompt_hash(text), origin, now)?)
    }

    /// Renames a saved prompt with all its versions.
    pub fn rename_prompt(&self, name: &str, to: &str) -> Result<()> {
        let to = prompt_name(to)?;
        let user = self.user_db()?;
        if user.prompt(to, None)?.is_some() {
            return Err(AppError::bad_request(
                format!("a saved prompt '{to}' exists already"),
                NextStep::ChangeName,
            ));
        }
        if user.rename_prompt(name, to)? {
            Ok(())
        } else {
            Err(no_prompt(name))
        }
    }

    /// Labels one version of a saved prompt, `NAME@VERSION` or the newest; a blank label removes it.
    /// Returns the version.
    pub fn label_prompt(&self, name: &str, label: &str) -> Result<PromptVersion> {
        let saved = self.prompt(name)?;
        let label = label.trim();
        if label.chars().count() > MOST_LABEL || label.contains(char::is_control) {
            return Err(AppError::bad_request(
                format!("a label has one line of at most {MOST_LABEL} characters"),
                NextStep::ChangeName,
            ));
        }
        let label = (!label.is_empty()).then_some(label);
        let user = self.user_db()?;
        user.label_prompt(&saved.name, saved.version, label)?;
        self.prompt(&format!("{}@{}", saved.name, saved.version))
    }

    /// Deletes a saved prompt with all its versions.
    pub fn delete_prompt(&self, name: &str) -> Result<()> {
        if self.user_db()?.delete_prompt(name)? {
            Ok(())
        } else {
            Err(no_prompt(name))
        }
    }

    /// Refuses a text that cannot stand in the place it is meant for.
    fn check_prompt(&self, text: &str, origin: &PromptOrigin) -> Result<()> {
        if let Some(strategy) = &origin.strategy {
            // Says which there are when it is none of them.
            self.preset(strategy)?;
        }
        let place = origin.place.as_deref();
        let Some(place) = place.filter(|place| ![INSTRUCTIONS, REQUEST].contains(place)) else {
            return Ok(());
        };
        let strategy = origin.strategy.as_deref().ok_or_else(|| {
            AppError::bad_request(
                format!("'{place}' is a prompt of a strategy, and no strategy is given"),
                NextStep::Give {
                    what: Input::Strategy,
                },
            )
        })?;
        let preset = self.preset(strategy)?;
        has_place(&preset, place)?;
        let set = [(format!("prompts.{place}"), text.into())];
        let with: std::result::Result<Preset, ParamError> = preset.with(&set.into_iter().collect());
        with.map(drop)
            .map_err(|error| AppError::Plan(error.problem()))
    }
}

/// Refuses a place that is no prompt of the strategy. Custom instructions and the request of a branch summary are
/// places of every strategy, and are named with its own.
pub(crate) fn has_place(preset: &Preset, place: &str) -> Result<()> {
    let specs = preset.specs();
    let own = specs
        .iter()
        .filter_map(|spec| spec.path.strip_prefix("prompts."));
    let mut known: Vec<String> = own.map(str::to_owned).collect();
    if known.iter().any(|own| own == place) {
        return Ok(());
    }
    known.extend([INSTRUCTIONS, REQUEST].map(str::to_owned));
    Err(AppError::bad_request(
        format!("the strategy {} has no prompt '{place}'", preset.name),
        NextStep::Choose {
            what: Listed::PromptPlaces,
            similar: Vec::new(),
            known,
        },
    ))
}

/// The name of a prompt without blanks around it, where a prompt can have it.
fn prompt_name(name: &str) -> Result<&str> {
    let name = name.trim();
    let has_version = parts(name).1.is_some();
    if name.is_empty() || has_version || name.contains(['\n', '=']) {
        return Err(AppError::bad_request(
            format!(
                "a prompt cannot be called '{name}': its name is on one line, has no '=' and \
                 does not end like a version (@1)"
            ),
            NextStep::ChangeName,
        ));
    }
    Ok(name)
}

fn no_prompt(name: &str) -> AppError {
    let next = NextStep::choose(Listed::Prompts, name, Vec::new());
    AppError::not_found(format!("there is no saved prompt '{name}'"), next)
}

fn no_version(name: &str, version: u32) -> AppError {
    let next = NextStep::choose(Listed::Prompts, name, Vec::new());
    AppError::not_found(
        format!("the saved prompt '{name}' has no version {version}"),
        next,
    )
}
