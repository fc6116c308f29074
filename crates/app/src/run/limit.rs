//! What is checked before a plan runs: its cost against the limit of the settings, and that somebody
//! reads the prompt that was given.

use super::planned::Planned;
use crate::error::{AppError, Result};
use crate::workspace::App;
use palimpsest_core::failure::{Input, NextStep, Problem};

impl App {
    /// Refuses what may cost more than the limit of the settings. A cost that is unknown may be
    /// anything.
    pub(crate) fn check_cost_limit(&self, most_usd: Option<f64>) -> Result<()> {
        match self.settings()?.ask_above_usd {
            Some(limit_usd) if most_usd.is_none_or(|most| most > limit_usd) => {
                Err(AppError::AboveLimit {
                    most_usd,
                    limit_usd,
                })
            }
            _ => Ok(()),
        }
    }
}

/// Refuses custom instructions that are to replace the prompt where the offline summarizer stands in
/// for a model: it reads no prompt, so the run would not be what was asked for.
pub(crate) fn check_prompt_is_read(planned: &Planned) -> Result<()> {
    if planned.record.offline_key.is_none() || !planned.instructions.replace {
        return Ok(());
    }
    Err(AppError::Usage(Problem::new(
        "the offline summarizer reads no prompt, so instructions cannot replace it",
        NextStep::LeaveOut {
            what: Input::ReplacePrompt,
        },
    )))
}
