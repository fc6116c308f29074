//! A strategy as data.

use crate::stages::assemble::Assemble;
use crate::stages::reduce::Reduce;
use crate::stages::select::Select;
use crate::stages::summarize::Summarize;
use crate::vocabulary::needs::Needs;
use crate::workpiece::prompts::Prompts;
use crate::workpiece::template::Template;
use serde::{Deserialize, Serialize};

/// A strategy as data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Preset {
    /// Its name.
    pub name: String,
    /// What it does, in one line.
    pub description: String,
    /// Where its rules come from: which agent, which version.
    pub source: String,
    /// What of the agent is left out here, and what is assumed where it cannot be told, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumed: Vec<String>,
    /// What it needs to run.
    #[serde(default)]
    pub needs: Needs,
    /// What is summarized and what is kept.
    pub select: Select,
    /// What is made smaller without a model, step by step.
    #[serde(default)]
    pub reduce: Vec<Reduce>,
    /// How the summary is written.
    pub summarize: Summarize,
    /// What becomes of it.
    #[serde(default)]
    pub assemble: Assemble,
    /// The prompts by name.
    #[serde(default)]
    pub prompts: Prompts,
}

impl Preset {
    /// The prompt called `name`, empty when there is none.
    pub fn prompt(&self, name: &str) -> &Template {
        self.prompts.template(name)
    }
}
