//! Of files that were read several times only the newest result stays (Cline before its SDK, the
//! first thing it does when the context is full).

use super::{Draft, Scope};
use crate::params::{ParamDoc, ParamType};
use crate::plan::PlanInput;
use palimpsest_core::entry::FileAccess;
use palimpsest_core::{BodyError, Role};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap};

/// Parameters of the step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DropRepeatedReads {
    /// Nothing is dropped when less than this share of the tokens would be saved, 0 to 1.
    pub minimum_saving: f64,
    /// Where it applies.
    pub scope: Scope,
    /// What stands there afterwards.
    pub placeholder: String,
}

impl Default for DropRepeatedReads {
    fn default() -> Self {
        DropRepeatedReads {
            minimum_saving: 0.0,
            scope: Scope::All,
            placeholder: "[This file was read again later; see there.]".to_owned(),
        }
    }
}

impl DropRepeatedReads {
    const NAME: &'static str = "drop_repeated_reads";

    pub(super) const DOCS: &'static [ParamDoc] = &[
        ParamDoc::new(
            "minimum_saving",
            ParamType::Number,
            "drop nothing unless at least this much is saved",
        )
        .within(0.0, 1.0)
        .unit("share"),
        ParamDoc::word(
            "scope",
            Scope::WORDS,
            "which part of the context it applies to",
        ),
        ParamDoc::new(
            "placeholder",
            ParamType::Text,
            "what stands in a dropped place",
        ),
    ];

    pub(super) fn apply(&self, draft: &mut Draft<'_>) -> Result<(), BodyError> {
        let within = draft.within(self.scope);
        let older = older_reads(draft.input, &within)?;
        let tokens =
            |list: &[usize]| -> u64 { list.iter().map(|&at| draft.pieces[at].tokens).sum() };
        let (saved, all) = (tokens(&older), tokens(&within));
        if saved as f64 >= self.minimum_saving * all as f64 {
            draft.clear(older, &self.placeholder, Self::NAME);
        }
        Ok(())
    }
}

/// Of the results at `positions` those of reads whose file is read again later, oldest first.
/// Failed reads are none.
pub(crate) fn older_reads(
    input: &PlanInput<'_>,
    positions: &[usize],
) -> Result<Vec<usize>, BodyError> {
    let items = &input.context.items;
    let mut paths: HashMap<&str, &str> = HashMap::new();
    let mut tools: BTreeSet<&str> = BTreeSet::new();
    for entry in items.iter().flat_map(|item| &item.entries) {
        for call in &input.session.entry(*entry).tool_calls {
            if let (Some(path), Some(FileAccess::Read)) = (&call.path, call.access) {
                paths.insert(&call.call_id, path);
                tools.insert(&call.name);
            }
        }
    }
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut older = Vec::new();
    for &at in positions.iter().rev() {
        let tool = items[at].tool_name.as_deref().unwrap_or_default();
        if items[at].role != Role::Tool || !tools.contains(tool) {
            continue;
        }
        let answered = input.answered(at)?;
        let Some(answered) = answered.as_ref().as_ref().filter(|tool| !tool.is_error) else {
            continue;
        };
        if let Some(path) = paths.get(answered.call_id.as_str())
            && !seen.insert(path)
        {
            older.push(at);
        }
    }
    older.reverse();
    Ok(older)
}
