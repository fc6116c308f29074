//! The entries the user named are summarized, whatever stands between them.

use crate::vocabulary::fate::Fate;
use crate::vocabulary::params::{ParamDoc, ParamType};
use crate::vocabulary::selection::Selection;
use crate::workpiece::sized_context::SizedContext;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// Parameters of the choice.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Entries {
    /// Ids of the entries that are summarized. A call and its results go together: naming one of
    /// them names all.
    pub ids: Vec<String>,
}

impl Entries {
    pub(super) const DOCS: &'static [ParamDoc] = &[ParamDoc::new(
        "ids",
        ParamType::Texts,
        "ids of the entries to summarize; calls include their results",
    )];

    pub(super) fn select(&self, sized: &SizedContext<'_>) -> Selection {
        let named: HashSet<&str> = self.ids.iter().map(String::as_str).collect();
        let start = sized.start();
        let mut summarized = vec![false; sized.len()];
        let mut from = start;
        while from < sized.len() {
            // Between two places for a cut lie a call and its results.
            let next = (from + 1..sized.len()).find(|&at| sized.may_cut_before(at));
            let to = next.unwrap_or(sized.len());
            let is_named = |at: usize| named.contains(sized.id(at));
            if (from..to).any(is_named) {
                summarized[from..to].fill(true);
            }
            from = to;
        }
        sized.with_fates(|position| {
            if summarized[position] {
                Fate::Summarized
            } else {
                Fate::Kept
            }
        })
    }
}
