//! Which programs may be started.
//!
//! Programs are named by providers of the kind `command` and by the strategy `external`. Who sits
//! at the machine may start any; who only holds the token of a served interface may start those
//! that were set up at the machine, and may not set up others.

use crate::error::{AppError, Result};
use crate::workspace::App;
use palimpsest_compaction::Preset;
use palimpsest_compaction::summarize::Method;

/// The program that a preset of the strategy `external` names; empty for all others.
pub(crate) fn command_of(preset: &Preset) -> &[String] {
    match &preset.summarize.method {
        Method::External(own) => &own.command,
        _ => &[],
    }
}

impl App {
    /// Fails for a program that may not be started here, with what to do about it. The same
    /// words, arguments included, must be those of a saved provider or of a custom preset.
    pub(crate) fn check_program(&self, command: &[String]) -> Result<()> {
        let Some(name) = command.first() else {
            return Ok(());
        };
        if !self.options().only_known_programs || self.is_set_up(command)? {
            return Ok(());
        }
        Err(AppError::ProgramNotSetUp {
            name: name.clone(),
            presets: self.presets_dir().display().to_string(),
        })
    }

    fn is_set_up(&self, command: &[String]) -> Result<bool> {
        let providers = self.providers()?;
        // Arguments included, because an interpreter with other arguments is another program.
        if providers.iter().any(|own| own.config.command == command) {
            return Ok(true);
        }
        let presets = self.custom_presets()?;
        let mut readable = presets
            .iter()
            .filter_map(|custom| custom.preset.as_ref().ok());
        Ok(readable.any(|preset| command_of(preset) == command))
    }
}
