//! The wording of the prompts of installed agents: found in their files, imported on request.
//!
//! The files are read and never started or changed.

mod places;
mod scan;
#[cfg(test)]
mod tests;

use super::import::{FoundPrompt, ImportReport, Imported};
use super::prompt_hash;
use crate::error::{AppError, Result};
use crate::workspace::App;
use palimpsest_compaction::wording::{self, PromptAgent};
use palimpsest_core::failure::{Listed, NextStep};
use palimpsest_store::user::PromptOrigin;
use places::{Installation, installations};
use serde_json::Map;
use std::collections::HashSet;
use std::path::Path;

/// An agent that is installed, with the prompts in its files.
#[derive(Debug, Clone, PartialEq)]
pub struct InstalledAgent {
    /// Its name.
    pub agent: &'static str,
    /// Its version, where a file states it.
    pub version: Option<String>,
    /// Its package or program.
    pub path: String,
    /// The prompts that were found.
    pub prompts: Vec<FoundPrompt>,
    /// Why there are none, in a sentence.
    pub problem: Option<String>,
}

/// What a search for installed agents found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct InstalledAgents {
    /// The agents, each place once.
    pub agents: Vec<InstalledAgent>,
    /// Agents of which no prompt was found, by the name of their strategy.
    pub without: Vec<&'static str>,
}

impl App {
    /// Searches for the prompts of installed agents: in the folders of programs and packages, or
    /// only in `folder`, which can also be one file.
    ///
    /// Errors: a folder that does not exist.
    pub fn installed_prompts(&self, folder: Option<&Path>) -> Result<InstalledAgents> {
        if let Some(folder) = folder.filter(|path| !path.exists()) {
            let message = format!("there is no such file or folder: {}", folder.display());
            return Err(AppError::bad_request(message, NextStep::CheckFile));
        }
        let mut found = InstalledAgents::default();
        // Packages of several systems hold the same prompts.
        let mut seen = HashSet::new();
        for own in installations(&self.options().places, folder) {
            let mut agent = self.read_installed(&own)?;
            if agent.prompts.is_empty() && own.is_guess {
                continue;
            }
            let before = agent.prompts.len();
            agent.prompts.retain(|prompt| {
                let text = prompt.text.as_deref().unwrap_or_default();
                seen.insert((prompt.name.clone(), prompt_hash(text)))
            });
            if before == 0 || !agent.prompts.is_empty() {
                found.agents.push(agent);
            }
        }
        let with = |name: &str| {
            let mut agents = found.agents.iter();
            agents.any(|own| own.agent == name && !own.prompts.is_empty())
        };
        found.without = PromptAgent::ALL
            .iter()
            .map(|agent| agent.name())
            .filter(|name| !with(name))
            .collect();
        Ok(found)
    }

    fn read_installed(&self, own: &Installation) -> Result<InstalledAgent> {
        let mut pieces = Vec::new();
        let mut problem = None;
        for file in &own.files {
            match scan::pieces(file, wording::anchors(own.agent), wording::AROUND) {
                Ok(read) => pieces.extend(read),
                Err(error) => problem = Some(format!("{} cannot be read: {error}", file.display())),
            }
        }
        let version = own.version.as_deref();
        let mut prompts = Vec::new();
        for found in wording::wordings(own.agent, version, &pieces) {
            let name = format!("{} {} (installed)", found.strategy, found.place);
            let versions = self.user_db()?.prompt_versions(&name)?;
            let hash = prompt_hash(&found.text);
            let same = versions.iter().find(|saved| saved.content_hash == hash);
            prompts.push(FoundPrompt {
                saved: same.map(|saved| saved.version),
                strategy: found.strategy,
                source: source(own),
                setting: found.setting,
                name,
                place: Some(found.place.to_owned()),
                text: Some(found.text),
                params: Map::new(),
            });
        }
        if prompts.is_empty() && problem.is_none() {
            problem = Some("its files hold no prompt in a known form".to_owned());
        }
        Ok(InstalledAgent {
            agent: own.agent.name(),
            version: own.version.clone(),
            path: own.path.display().to_string(),
            problem: problem.filter(|_| prompts.is_empty()),
            prompts,
        })
    }

    /// Imports what [`App::installed_prompts`] finds, each as a version of a saved prompt; only the
    /// prompts with these names where names are given. Of several installations of an agent the
    /// first one is taken.
    ///
    /// Errors: as of [`App::installed_prompts`], and a name that was not found.
    pub fn import_installed(
        &self,
        folder: Option<&Path>,
        names: &[String],
    ) -> Result<ImportReport> {
        let found = self.installed_prompts(folder)?;
        let mut report = ImportReport::default();
        let mut taken = HashSet::new();
        let mut known: Vec<String> = Vec::new();
        for own in found.agents.into_iter().flat_map(|agent| agent.prompts) {
            known.push(own.name.clone());
            let is_wanted = names.is_empty() || names.contains(&own.name);
            if !is_wanted || !taken.insert(own.name.clone()) {
                continue;
            }
            let origin = PromptOrigin {
                strategy: Some(own.strategy.clone()),
                place: own.place.clone(),
                source: Some(own.source.clone()),
            };
            let text = own.text.as_deref().unwrap_or_default();
            match self.save_prompt(&own.name, text, &origin) {
                Ok(saved) => report.imported.push(Imported {
                    found: own,
                    version: Some(saved.version),
                    preset: None,
                }),
                Err(error) => report.warnings.push(format!(
                    "cannot import {} of {}: {error}",
                    own.setting, own.source
                )),
            }
        }
        if let Some(missing) = names.iter().find(|name| !taken.contains(*name)) {
            return Err(AppError::not_found(
                format!("no installed agent has the prompt '{missing}'"),
                NextStep::choose(Listed::InstalledPrompts, missing, known),
            ));
        }
        Ok(report)
    }
}

/// The file that a prompt was imported from, with agent and version.
fn source(own: &Installation) -> String {
    let path = own.path.display();
    match &own.version {
        Some(version) => format!("{path} ({} {version})", own.agent.name()),
        None => format!("{path} ({})", own.agent.name()),
    }
}
