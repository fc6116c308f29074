//! No call: a fixed text stands for what is left out, or the previous summary goes on.

use crate::vocabulary::params::ParamDoc;
use crate::vocabulary::summary::SummaryPart;
use crate::workpiece::job::{Job, Outline};
use crate::workpiece::template::Values;
use serde::{Deserialize, Serialize};

/// Parameters of the method. Its text is the prompt `left_out`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Fixed {
    /// Whether a previous summary goes on in place of the fixed text.
    pub reuse_previous_summary: bool,
}

impl Default for Fixed {
    fn default() -> Self {
        Fixed {
            reuse_previous_summary: true,
        }
    }
}

impl Fixed {
    pub(super) const DOCS: &'static [ParamDoc] = &[ParamDoc::yes_no(
        "reuse_previous_summary",
        "keep the previous summary",
    )];

    pub(super) fn outline(&self, job: &Job<'_>) -> Outline {
        let carried = job.previous.filter(|_| self.reuse_previous_summary);
        let text = match carried {
            Some(previous) => previous.to_owned(),
            None => job.text("left_out", &Values::default()),
        };
        Outline {
            summary: vec![SummaryPart::Text(text.clone())],
            fixed_history: Some(text),
            ..Outline::default()
        }
    }
}
