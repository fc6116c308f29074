//! Prompts and parameters taken over from the settings of agents on this machine.
//!
//! The agents' files are only read, and only when the user asks.

use super::{App, prompt_hash};
use crate::error::Result;
use palimpsest_compaction::agent_settings::{self, Found, FoundContent};
use palimpsest_formats::Places;
use palimpsest_store::regular::read_text;
use palimpsest_store::user::PromptOrigin;
use serde_json::{Map, Value};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// What was found in an agent's settings.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundPrompt {
    /// The agent's strategy.
    pub strategy: String,
    /// The file that says it.
    pub source: String,
    /// Which setting it is, in the agent's words.
    pub setting: String,
    /// The name it is imported under.
    pub name: String,
    /// Where a prompt belongs; `None` for parameters.
    pub place: Option<String>,
    /// A prompt's text.
    pub text: Option<String>,
    /// Parameters.
    pub params: Map<String, Value>,
    /// The version under which a prompt is saved already.
    pub saved: Option<u32>,
}

/// What an import came to.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ImportReport {
    /// What was found and taken over.
    pub imported: Vec<Imported>,
    /// Settings that could not be read, with file and reason.
    pub warnings: Vec<String>,
}

/// One thing that was taken over.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    /// What was found.
    pub found: FoundPrompt,
    /// The version it is saved as; for parameters `None`.
    pub version: Option<u32>,
    /// For parameters the file of the preset made of them.
    pub preset: Option<String>,
}

/// A settings file and how it is read.
struct Settings {
    path: PathBuf,
    /// The project that the file and what it names have to be in; `None` for the user's own files,
    /// which may be anywhere.
    project: Option<PathBuf>,
    /// In words where it applies: for the user or in a project.
    scope: String,
    parse: fn(&str) -> std::result::Result<Vec<Found>, String>,
}

impl Settings {
    /// The text of the file or of one that it names. A project can be anybody's, so its links and
    /// `..` must not lead out of it: what is read becomes part of prompts.
    fn read(&self, path: &Path) -> std::io::Result<String> {
        let Some(project) = &self.project else {
            return read_text(path);
        };
        let place = path.canonicalize()?;
        if !place.starts_with(project.canonicalize()?) {
            return Err(std::io::Error::new(
                ErrorKind::PermissionDenied,
                "it is outside of the project",
            ));
        }
        read_text(&place)
    }
}

impl App {
    /// What the settings of the agents on this machine, and those in `project` where it is
    /// given, say about compaction; with warnings about files that cannot be read.
    pub fn prompts_found(&self, project: Option<&Path>) -> Result<(Vec<FoundPrompt>, Vec<String>)> {
        let places = &self.options().places;
        let mut all = Vec::new();
        let mut warnings = Vec::new();
        if let Some(folder) = project.filter(|folder| !folder.is_dir()) {
            // The project of a session may have been on another machine.
            warnings.push(format!(
                "The project folder {} is not on this machine. Only the user settings were searched.",
                folder.display()
            ));
        }
        for file in settings_files(places, project) {
            let shown = file.path.display().to_string();
            let text = match file.read(&file.path) {
                Ok(text) => text,
                // Most machines have some of the agents only.
                Err(error) if is_absent(&error) => continue,
                Err(error) => {
                    warnings.push(format!("cannot read {shown}: {error}"));
                    continue;
                }
            };
            match (file.parse)(&text) {
                Ok(found) => {
                    for own in found {
                        match self.found(&file, own, &places.home) {
                            Ok(found) => all.push(found),
                            Err(warning) => warnings.push(warning),
                        }
                    }
                }
                // One unreadable file must not hide the settings of the others.
                Err(reason) => warnings.push(format!("cannot use {shown}: {reason}")),
            }
        }
        for own in &mut all {
            if let Some(text) = &own.text {
                let versions = self.user_db()?.prompt_versions(&own.name)?;
                let hash = prompt_hash(text);
                let same = versions.iter().find(|saved| saved.content_hash == hash);
                own.saved = same.map(|saved| saved.version);
            }
        }
        Ok((all, warnings))
    }

    fn found(
        &self,
        file: &Settings,
        own: Found,
        home: &Path,
    ) -> std::result::Result<FoundPrompt, String> {
        let shown = file.path.display().to_string();
        let mut params = Map::new();
        let mut source = shown.clone();
        let (place, text) = match own.content {
            FoundContent::Prompt { place, text } => (Some(place), Some(text)),
            FoundContent::File { place, path } => {
                let path = agent_settings::beside(&file.path, &path, home);
                source = path.display().to_string();
                let text = file.read(&path).map_err(|error| {
                    format!(
                        "{shown} names {source} as {}, which cannot be read: {error}",
                        own.setting
                    )
                })?;
                (Some(place), Some(text))
            }
            FoundContent::Params(found) => {
                params = found;
                (None, None)
            }
        };
        let is_template =
            place.is_some_and(|place| place != super::INSTRUCTIONS && place != super::REQUEST);
        let text = text.map(|text| {
            // Agents' prompts are plain text, in which two braces mean themselves.
            if is_template {
                agent_settings::as_template(text.trim())
            } else {
                text.trim().to_owned()
            }
        });
        let name = match place {
            Some(_) => format!("{} {} ({})", own.strategy, own.setting, file.scope),
            None => format!("my-{}", own.strategy),
        };
        Ok(FoundPrompt {
            strategy: own.strategy.to_owned(),
            source,
            setting: own.setting,
            name,
            place: place.map(str::to_owned),
            text,
            params,
            saved: None,
        })
    }

    /// Takes over what is found: prompts as versions of saved prompts, parameters as presets of
    /// the user. What is saved already is not saved again.
    pub fn import_prompts(&self, project: Option<&Path>) -> Result<ImportReport> {
        let (found, warnings) = self.prompts_found(project)?;
        let mut report = ImportReport {
            warnings,
            ..ImportReport::default()
        };
        for own in found {
            let taken = match &own.text {
                Some(text) => {
                    let origin = PromptOrigin {
                        strategy: Some(own.strategy.clone()),
                        place: own.place.clone(),
                        source: Some(own.source.clone()),
                    };
                    let saved = self.save_prompt(&own.name, text, &origin);
                    saved.map(|saved| (Some(saved.version), None))
                }
                None => {
                    let description =
                        format!("{} from the settings of {}", own.strategy, own.source);
                    // Replaced without asking: an import repeats what the agent's settings say
                    // now.
                    self.save_preset(&own.name, &description, &own.strategy, &own.params, true)
                        .map(|path| (None, Some(path.display().to_string())))
                }
            };
            match taken {
                Ok((version, preset)) => report.imported.push(Imported {
                    found: own,
                    version,
                    preset,
                }),
                Err(error) => report.warnings.push(format!(
                    "cannot take over {} of {}: {error}",
                    own.setting, own.source
                )),
            }
        }
        Ok(report)
    }
}

fn is_absent(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// The settings files of the agents: those of the user, and those in a project.
fn settings_files(places: &Places, project: Option<&Path>) -> Vec<Settings> {
    let set = |name: &str| places.env.get(name).filter(|dir| !dir.is_empty());
    let home = &places.home;
    let folder =
        |name: &str, default: &str| set(name).map_or_else(|| home.join(default), PathBuf::from);
    let codex = folder("CODEX_HOME", ".codex");
    let claude = folder("CLAUDE_CONFIG_DIR", ".claude");
    let pi = folder("PI_CODING_AGENT_DIR", ".pi/agent");
    let opencode = folder("XDG_CONFIG_HOME", ".config").join("opencode");
    let claude_md = |text: &str| Ok(agent_settings::claude_md(text).into_iter().collect());
    let of_pi = |text: &str| agent_settings::pi(text).map(|found| found.into_iter().collect());
    let mut files = Vec::new();
    let mut add = |path: PathBuf, scope: &str, parse| {
        files.push(Settings {
            path,
            project: None,
            scope: scope.to_owned(),
            parse,
        });
    };
    add(codex.join("config.toml"), "user", agent_settings::codex);
    add(claude.join("CLAUDE.md"), "user", claude_md);
    add(pi.join("settings.json"), "user", of_pi);
    for name in ["opencode.json", "opencode.jsonc", "config.json"] {
        add(opencode.join(name), "user", agent_settings::opencode);
    }
    let Some(project) = project else {
        return files;
    };
    let name = project.file_name().unwrap_or_default().to_string_lossy();
    let mut add = |own: &str, parse| {
        files.push(Settings {
            path: project.join(own),
            project: Some(project.to_path_buf()),
            scope: name.to_string(),
            parse,
        });
    };
    for own in ["CLAUDE.md", ".claude/CLAUDE.md"] {
        add(own, claude_md);
    }
    add(".codex/config.toml", agent_settings::codex);
    add(".pi/settings.json", of_pi);
    for own in ["opencode.json", "opencode.jsonc", ".opencode/opencode.json"] {
        add(own, agent_settings::opencode);
    }
    files
}
