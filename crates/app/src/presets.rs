//! Custom presets: files in the folder `presets` beside the databases.

use crate::error::{AppError, Result};
use crate::programs::command_of;
use crate::workspace::App;
use palimpsest_compaction::{ParamError, Preset, PresetError};
use palimpsest_core::Agent;
use palimpsest_core::failure::{Failure as _, Listed, NextStep, Problem};
use palimpsest_store::regular::read_text;
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// A custom preset, or why it cannot be used.
#[derive(Debug, Clone)]
pub struct CustomPreset {
    /// The file's name without its ending, which is the preset's name.
    pub name: String,
    /// The file.
    pub path: PathBuf,
    /// The preset.
    pub preset: std::result::Result<Preset, Problem>,
}

/// The built-in strategy that an agent compacts with: the preset of its name, else `pi`.
pub fn strategy_of(agent: Agent) -> &'static str {
    Preset::named(agent.name()).map_or("pi", |preset| preset.name.as_str())
}

impl App {
    pub(crate) fn presets_dir(&self) -> PathBuf {
        self.options().data_dir.join("presets")
    }

    /// The custom presets by name; also those that cannot be used, with the reason.
    pub fn custom_presets(&self) -> Result<Vec<CustomPreset>> {
        let folder = self.presets_dir();
        let files = json_files(&folder)?.into_iter();
        let custom = files.map(|(name, path)| CustomPreset {
            preset: read_preset(&path, &name),
            name,
            path,
        });
        let others = unread_files(&folder)?.into_iter();
        let others = others.map(|(name, path)| CustomPreset {
            preset: Err(not_json(&name)),
            name,
            path,
        });
        Ok(custom.chain(others).collect())
    }

    /// The preset called `name`, built-in or custom.
    pub fn preset(&self, name: &str) -> Result<Cow<'static, Preset>> {
        if let Some(preset) = Preset::named(name) {
            return Ok(Cow::Borrowed(preset));
        }
        let custom = self.custom_presets()?;
        // A file of another kind is meant by its name without the ending as well.
        let is_meant = |preset: &&CustomPreset| {
            preset.name == name || preset.path.file_stem().is_some_and(|stem| stem == name)
        };
        if let Some(found) = custom.iter().find(is_meant) {
            return match &found.preset {
                Ok(preset) => Ok(Cow::Owned(preset.clone())),
                Err(problem) => Err(AppError::Plan(Problem {
                    message: format!(
                        "the preset cannot be used ({problem}): {}",
                        found.path.display()
                    ),
                    next: problem.next(),
                })),
            };
        }
        let built_in = Preset::built_in().map(|preset| preset.name.clone());
        let names: Vec<String> = built_in
            .chain(
                custom
                    .into_iter()
                    .filter(|custom| custom.preset.is_ok())
                    .map(|custom| custom.name),
            )
            .collect();
        let next = NextStep::choose(Listed::Strategies, name, names);
        Err(AppError::plan(
            format!("there is no strategy '{name}'"),
            next,
        ))
    }

    /// Saves `strategy` with some parameters set as a custom preset, and returns its file.
    /// An older one of that name is replaced only where `replace` says so.
    pub fn save_preset(
        &self,
        name: &str,
        description: &str,
        strategy: &str,
        set: &Map<String, Value>,
        replace: bool,
    ) -> Result<PathBuf> {
        check_name(name)?;
        let base = self.preset(strategy)?;
        let with = base
            .with(set)
            .map_err(|error: ParamError| AppError::Plan(error.problem()))?;
        // Before it is written: a saved preset counts as set up on this machine.
        self.check_program(command_of(&with))?;
        // Written out in full, so that a later change of the built-in preset does not change it.
        let mut whole =
            serde_json::to_value(&with).map_err(|error| AppError::Internal(error.to_string()))?;
        whole["name"] = json!(name);
        whole["description"] = json!(description);
        whole["source"] = json!(format!("custom, based on {strategy}"));
        let folder = self.presets_dir();
        let path = folder.join(format!("{name}.json"));
        if path.exists() && !replace {
            return Err(taken(name, &path));
        }
        let text = serde_json::to_string_pretty(&whole)
            .map_err(|error| AppError::Internal(error.to_string()))?;
        let write = |source| AppError::Write {
            path: path.display().to_string(),
            source,
        };
        std::fs::create_dir_all(&folder).map_err(write)?;
        // Whole or not at all: a file half written would be a broken preset.
        let half = folder.join(format!(".{name}.json.part"));
        std::fs::write(&half, text + "\n").map_err(write)?;
        std::fs::rename(&half, &path).map_err(write)?;
        Ok(path)
    }

    /// Renames a custom preset, and returns its file. The preset itself stays as it is.
    pub fn rename_preset(&self, name: &str, to: &str) -> Result<PathBuf> {
        let from = self.custom_preset_file(name)?;
        check_name(to)?;
        let path = self.presets_dir().join(format!("{to}.json"));
        if path.exists() {
            return Err(taken(to, &path));
        }
        let write = |source| AppError::Write {
            path: path.display().to_string(),
            source,
        };
        std::fs::rename(&from, &path).map_err(write)?;
        Ok(path)
    }

    /// Deletes a custom preset.
    pub fn delete_preset(&self, name: &str) -> Result<()> {
        let path = self.custom_preset_file(name)?;
        std::fs::remove_file(&path).map_err(|source| AppError::Write {
            path: path.display().to_string(),
            source,
        })
    }

    fn custom_preset_file(&self, name: &str) -> Result<PathBuf> {
        let custom = self.custom_presets()?;
        let found = custom.iter().find(|preset| preset.name == name);
        found.map(|found| found.path.clone()).ok_or_else(|| {
            let names = custom.iter().map(|preset| preset.name.clone()).collect();
            let next = NextStep::choose(Listed::Presets, name, names);
            AppError::not_found(format!("there is no custom strategy '{name}'"), next)
        })
    }
}

/// Refuses a name that a custom preset cannot have: it becomes a file name.
fn check_name(name: &str) -> Result<()> {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let is_name = !name.is_empty() && name.len() <= 60 && name.chars().all(fits);
    // No separators, no hidden file.
    if is_name && !name.starts_with('.') && Preset::named(name).is_none() {
        return Ok(());
    }
    Err(AppError::bad_request(
        format!(
            "a custom strategy cannot be called '{name}': its name has letters, digits, '-', '_' \
             and '.' only, and is not the name of a built-in preset"
        ),
        NextStep::ChangeName,
    ))
}

fn taken(name: &str, path: &Path) -> AppError {
    AppError::bad_request(
        format!(
            "a custom strategy '{name}' exists already: {}",
            path.display()
        ),
        NextStep::ChangeName,
    )
}

/// The files of a folder that end in `.json`, by their names without it; none where there is no
/// such folder.
pub(crate) fn json_files(folder: &Path) -> Result<Vec<(String, PathBuf)>> {
    let mut files = files(folder)?;
    files.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
    let named = |path: PathBuf| {
        let name = path.file_stem().unwrap_or_default();
        (name.to_string_lossy().into_owned(), path)
    };
    let mut named: Vec<(String, PathBuf)> = files.into_iter().map(named).collect();
    // By name: with the endings `a-b` would come before `a`.
    named.sort();
    Ok(named)
}

/// Files of a folder of presets or policies that hold settings in another language than JSON, by
/// their whole names: their users expect that they are read.
pub(crate) fn unread_files(folder: &Path) -> Result<Vec<(String, PathBuf)>> {
    const ENDINGS: [&str; 5] = ["toml", "yaml", "yml", "json5", "jsonc"];
    let mut files = files(folder)?;
    files.retain(|path| {
        let ending = path.extension().and_then(|ending| ending.to_str());
        ending.is_some_and(|ending| ENDINGS.contains(&ending))
    });
    let named = |path: PathBuf| {
        let name = path.file_name().unwrap_or_default();
        (name.to_string_lossy().into_owned(), path)
    };
    Ok(files.into_iter().map(named).collect())
}

/// What is wrong with a file that is no JSON.
pub(crate) fn not_json(name: &str) -> Problem {
    Problem::new(
        format!("{name} is not read: only files with the ending .json are, which hold JSON"),
        NextStep::CorrectFile,
    )
}

/// The files of a folder in their order; none where there is no such folder.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let read = |source| AppError::Read {
        path: folder.display().to_string(),
        source,
    };
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(read(error)),
    };
    let mut files = Vec::new();
    for entry in entries {
        files.push(entry.map_err(read)?.path());
    }
    // The system lists files in any order.
    files.sort();
    Ok(files)
}

fn read_preset(path: &Path, name: &str) -> std::result::Result<Preset, Problem> {
    if Preset::named(name).is_some() {
        return Err(Problem::new(
            format!("the built-in strategy {name} has the same name and is used instead"),
            NextStep::RenameFile {
                name: format!("my-{name}.json"),
            },
        ));
    }
    let text =
        read_text(path).map_err(|error| Problem::new(error.to_string(), NextStep::CheckFile))?;
    let mut preset = Preset::parse(&text).map_err(|error| {
        let message = match &error {
            PresetError::Unreadable { reason, .. } => reason.clone(),
            other => other.to_string(),
        };
        Problem::new(message, NextStep::CorrectFile)
    })?;
    let takes_over = preset.summarize.fallbacks.iter();
    // Checked when it is read: the run that needs its fallback is a bad time to find it missing.
    for strategy in takes_over.filter_map(|fallback| fallback.strategy.as_deref()) {
        if Preset::named(strategy).is_none() {
            return Err(Problem::new(
                format!(
                    "the fallback '{strategy}' in `summarize.fallbacks` is not a built-in \
                     strategy"
                ),
                NextStep::CorrectFile,
            ));
        }
    }
    // The file's name is what the user sees in the folder.
    name.clone_into(&mut preset.name);
    Ok(preset)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_agent_that_is_read_has_a_strategy_of_its_name() {
        for format in palimpsest_formats::formats() {
            let agent = format.agent();
            assert_eq!(strategy_of(agent), agent.name());
        }
        assert_eq!(strategy_of(Agent::from_stored("unheard-of")), "pi");
    }

    #[test]
    fn a_file_of_settings_that_are_no_json_is_named() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.json", "a.toml", "b.yaml", "notes.md", ".a.json.part"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let names = |files: Vec<(String, PathBuf)>| -> Vec<String> {
            files.into_iter().map(|(name, _)| name).collect()
        };
        assert_eq!(names(json_files(folder.path()).unwrap()), ["a"]);
        assert_eq!(
            names(unread_files(folder.path()).unwrap()),
            ["a.toml", "b.yaml"]
        );
        assert_eq!(
            names(unread_files(&folder.path().join("none")).unwrap()),
            [""; 0]
        );
    }

    #[test]
    fn a_file_whose_fallback_is_no_built_in_strategy_cannot_be_used() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mine.json");
        let read = |strategy: &str| {
            let preset = json!({
                "name": "mine", "extends": "pi", "description": "", "source": "",
                "summarize": {"fallbacks": [
                    {"on": ["failed"], "meaning": "the other", "strategy": strategy}
                ]},
            });
            std::fs::write(&path, preset.to_string()).unwrap();
            read_preset(&path, "mine")
        };
        assert!(read("extractive").is_ok());
        for unknown in ["fbb", "mine"] {
            let problem = read(unknown).unwrap_err();
            let told = format!("'{unknown}' in `summarize.fallbacks` is not a built-in");
            assert!(problem.message.contains(&told), "{problem}");
            assert_eq!(problem.next, Some(NextStep::CorrectFile));
        }
    }
}
