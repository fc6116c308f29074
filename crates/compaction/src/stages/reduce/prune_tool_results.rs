//! Tool results beyond a number of tokens are cleared, from the newest back (OpenCode 1.18, prune).

use crate::vocabulary::fate::Fate;
use crate::vocabulary::params::{ParamDoc, ParamType};
use crate::workpiece::draft::Draft;
use crate::workpiece::results::Met;
use palimpsest_core::{BodyError, EntryIx, EntryKind, ItemKind, Role};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// Parameters of the step; the defaults are OpenCode's since it has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PruneToolResults {
    /// Turns of the user that are not touched, the newest.
    pub untouched_turns: u64,
    /// Tokens of older results that stay, the newest of them.
    pub protect_tokens: u64,
    /// Nothing is cleared unless the results to clear have more tokens than this.
    pub more_than_tokens: u64,
    /// Tools whose results are never cleared, nor counted.
    pub protected_tools: Vec<String>,
    /// What stands there afterwards.
    pub placeholder: String,
}

impl Default for PruneToolResults {
    fn default() -> Self {
        PruneToolResults {
            untouched_turns: 2,
            protect_tokens: 40_000,
            more_than_tokens: 20_000,
            protected_tools: vec!["skill".to_owned()],
            placeholder: "[Old tool result content cleared]".to_owned(),
        }
    }
}

impl PruneToolResults {
    const NAME: &'static str = "prune_tool_results";

    pub(super) const DOCS: &'static [ParamDoc] = &[
        ParamDoc::new(
            "untouched_turns",
            ParamType::Integer,
            "number of the newest turns to skip",
        )
        .unit("turns"),
        ParamDoc::tokens(
            "protect_tokens",
            "tokens of earlier results to keep, newest first",
        ),
        ParamDoc::tokens(
            "more_than_tokens",
            "minimum saving, exclusive; otherwise nothing is cleared",
        ),
        ParamDoc::new(
            "protected_tools",
            ParamType::Texts,
            "tools whose results are never cleared",
        ),
        ParamDoc::new(
            "placeholder",
            ParamType::Text,
            "placeholder for a cleared result",
        ),
    ];

    pub(super) fn apply(&self, draft: &mut Draft<'_>) -> Result<(), BodyError> {
        let items = &draft.input.context.items;
        let summarized = before_summary(draft);
        // What is older than a summary has been dealt with before. A tail that stayed is sent behind
        // its summary and is older.
        let is_newer = |at: &usize| {
            let mut entries = items[*at].entries.iter();
            draft.pieces[*at].fate != Fate::Carried && !entries.any(|own| summarized.contains(own))
        };
        let met = (0..items.len()).rev().take_while(is_newer).map(|at| {
            let item = &items[at];
            match item.role {
                Role::User if item.kind == ItemKind::Message => Met::Prompt,
                Role::Tool => Met::Result(draft.result(at)),
                _ => Met::Other,
            }
        });
        let goes = self.goes(met, |at| failed(draft, at))?;
        draft.clear(goes, &self.placeholder, Self::NAME);
        Ok(())
    }

    /// Which results are cleared of those `met` from the newest message back, the newest first; none
    /// where that saves too little. What lies behind a cleared result has been dealt with before.
    /// `failed` says whether the result at a position says that its tool failed.
    pub(crate) fn goes<'a, E>(
        &self,
        met: impl Iterator<Item = Met<'a>>,
        failed: impl Fn(usize) -> Result<bool, E>,
    ) -> Result<Vec<usize>, E> {
        let (mut turns, mut total, mut gain) = (0, 0, 0);
        let mut goes = Vec::new();
        for own in met {
            let result = match own {
                Met::Prompt => {
                    turns += 1;
                    continue;
                }
                Met::Result(result) if turns >= self.untouched_turns => result,
                Met::Result(_) | Met::Other => continue,
            };
            if self.protected_tools.iter().any(|name| name == result.tool) {
                continue;
            }
            if result.is_cleared {
                break;
            }
            if failed(result.at)? {
                continue;
            }
            total += result.tokens;
            if total > self.protect_tokens {
                gain += result.tokens;
                goes.push(result.at);
            }
        }
        if gain <= self.more_than_tokens {
            goes.clear();
        }
        Ok(goes)
    }
}

/// The entries of the path that were written before the newest summary of a compaction.
fn before_summary(draft: &Draft<'_>) -> HashSet<EntryIx> {
    let context = draft.input.context;
    let carried = context.items.iter().zip(&draft.pieces);
    let carried: HashSet<EntryIx> = carried
        .filter(|(_, piece)| piece.fate == Fate::Carried)
        .flat_map(|(item, _)| item.entries.iter().copied())
        .collect();
    let newest = context.path.iter().rposition(|own| carried.contains(own));
    context.path[..newest.unwrap_or(0)]
        .iter()
        .copied()
        .collect()
}

/// Whether the result at this position says that its tool failed.
fn failed(draft: &Draft<'_>, at: usize) -> Result<bool, BodyError> {
    let first = draft.input.context.items[at].entries.first();
    let entry = first.map(|&entry| draft.input.session.entry(entry));
    // An entry that is a result says so itself; one that holds several has to be read.
    match entry.filter(|entry| entry.kind == EntryKind::Message(Role::Tool)) {
        Some(entry) => Ok(entry.is_error),
        None => {
            let answered = draft.input.answered(at)?;
            Ok(answered.as_ref().as_ref().is_some_and(|tool| tool.is_error))
        }
    }
}
