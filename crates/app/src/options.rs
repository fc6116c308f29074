//! What the program is started with: the only place that asks the machine where things are.

use crate::error::{AppError, Result};
use palimpsest_core::failure::{Input, NextStep};
use palimpsest_formats::Places;
use std::path::{Path, PathBuf};

/// How the program is started.
#[derive(Debug, Clone)]
pub struct Options {
    /// Folder of the databases, the sample sessions and the user's model catalog.
    pub data_dir: PathBuf,
    /// Where agents keep sessions.
    pub places: Places,
    /// True: the sample sessions are the only ones looked at.
    pub samples_only: bool,
    /// Folder in which the program of the strategy `external` runs: where a command line stands.
    /// `None` is the user's home folder, in which programs set up as providers run always.
    pub programs_in: Option<PathBuf>,
    /// True: only programs that were set up on this machine are started, no others can be set up,
    /// and keys go only where they were set up for. For hosts that answer whoever holds a token.
    pub only_known_programs: bool,
}

impl Options {
    /// Options from the process environment: `data_dir`, or the user's data folder when absent.
    pub fn from_environment(data_dir: Option<PathBuf>, samples_only: bool) -> Result<Options> {
        let home = directories::BaseDirs::new().map(|dirs| dirs.home_dir().to_path_buf());
        let default = || {
            directories::ProjectDirs::from("", "", "palimpsest")
                .map(|dirs| dirs.data_local_dir().to_path_buf())
        };
        let data_dir = data_dir.or_else(default).ok_or_else(|| {
            AppError::bad_request(
                "there is no folder for the databases, because this user has no home folder",
                NextStep::Give {
                    what: Input::DataFolder,
                },
            )
        })?;
        // What is no folder has none below it.
        let is_other = |path: &&std::path::Path| path.exists() && !path.is_dir();
        if let Some(file) = data_dir.ancestors().find(is_other) {
            return Err(AppError::bad_request(
                format!(
                    "the data folder {} cannot be used, because {} is not a folder",
                    data_dir.display(),
                    file.display()
                ),
                NextStep::Give {
                    what: Input::DataFolder,
                },
            ));
        }
        let places = Places {
            home: home.unwrap_or_default(),
            env: std::env::vars().collect(),
        };
        Ok(Options {
            data_dir,
            places,
            samples_only,
            programs_in: None,
            only_known_programs: false,
        })
    }

    /// The index file. Samples have one of their own, so that trying them leaves no trace.
    pub fn index_path(&self) -> PathBuf {
        self.data_dir.join(if self.samples_only {
            "samples-index.db"
        } else {
            "index.db"
        })
    }

    /// The user database.
    pub fn user_path(&self) -> PathBuf {
        self.data_dir.join(if self.samples_only {
            "samples-user.db"
        } else {
            "user.db"
        })
    }

    /// The models the user added to the catalog.
    pub fn user_models_path(&self) -> PathBuf {
        self.data_dir.join("models.json")
    }

    /// Where the sample sessions lie once unpacked.
    pub fn samples_dir(&self) -> PathBuf {
        self.data_dir.join("samples")
    }

    /// True for a path inside the samples folder.
    pub fn is_sample(&self, path: &Path) -> bool {
        path.starts_with(self.samples_dir())
    }
}
