//! A program of the user writes the summary.
//!
//! It gets the plan as JSON on its standard input, in the form in which `palimpsest plan --json`
//! prints it, and prints a JSON object whose `summary` is the summary. Its command is never taken
//! from a session: only a setting or a custom preset names it.

use crate::stages::summarize::single::{Single, TurnCalls};
use crate::vocabulary::call::{Program, Worker};
use crate::vocabulary::form::ReplyForm;
use crate::vocabulary::params::{ParamDoc, ParamType};
use crate::workpiece::job::{Job, Outline};
use palimpsest_core::BodyError;
use serde::{Deserialize, Serialize};

/// Parameters of the method. Prompts: `system`, `first` and `update`, for a program that hands
/// them on to a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct External {
    /// The program and its arguments; no shell reads them. While it is empty a plan can be looked
    /// at but not run.
    pub command: Vec<String>,
    /// Seconds after which the program is ended (our choice: what a slow model needs for a long
    /// summary).
    pub timeout_seconds: u64,
}

impl Default for External {
    fn default() -> Self {
        External {
            command: Vec::new(),
            timeout_seconds: 600,
        }
    }
}

impl External {
    pub(super) const DOCS: &'static [ParamDoc] = &[
        ParamDoc::new(
            "command",
            ParamType::Texts,
            "the program and its arguments; it receives the plan as JSON and prints \
             {\"summary\": ...}",
        ),
        ParamDoc::new(
            "timeout_seconds",
            ParamType::Integer,
            "time limit of the program",
        )
        .at_least(1.0)
        .unit("seconds"),
    ];

    pub(super) fn outline(&self, job: &Job<'_>) -> Result<Outline, BodyError> {
        let mut outline = external_call().outline(job)?;
        for call in &mut outline.calls {
            call.form = ReplyForm::Summary;
            call.program = Some(Program {
                command: self.command.clone(),
                timeout_seconds: self.timeout_seconds,
            });
        }
        Ok(outline)
    }
}

/// One call about everything, made by a program.
pub(super) fn external_call() -> Single {
    Single {
        turn_prefix: TurnCalls::Together,
        worker: Worker::External,
        ..Single::default()
    }
}
