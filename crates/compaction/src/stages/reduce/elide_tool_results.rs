//! Long tool results keep their beginning and end, whatever the tool (the Zed fork kask, whose notes
//! tell of a step with exemptions that took 1.8 % off a request of 3.2 million tokens).

use crate::vocabulary::params::{ParamDoc, ParamType};
use crate::workpiece::draft::{Draft, Scope};
use crate::workpiece::edit::Edit;
use palimpsest_core::{BodyError, Role};
use serde::{Deserialize, Serialize};

/// Parameters of the step; the defaults are kask's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ElideToolResults {
    /// A result may have the budget of a call divided by this, in bytes of UTF-8; 0, or where the
    /// calls have no budget, the most below counts.
    pub budget_parts: u64,
    /// It may have so many bytes in any case.
    pub least_bytes: u64,
    /// It may never have more bytes than this.
    pub most_bytes: u64,
    /// Where it applies.
    pub scope: Scope,
}

impl Default for ElideToolResults {
    fn default() -> Self {
        ElideToolResults {
            budget_parts: 32,
            least_bytes: 8 * 1024,
            most_bytes: 64 * 1024,
            scope: Scope::Summarized,
        }
    }
}

impl ElideToolResults {
    const NAME: &'static str = "elide_tool_results";

    pub(super) const DOCS: &'static [ParamDoc] = &[
        ParamDoc::new(
            "budget_parts",
            ParamType::Integer,
            "the budget of a call divided by this number is the limit of a result",
        )
        .unit("parts"),
        ParamDoc::new(
            "least_bytes",
            ParamType::Integer,
            "minimum limit of a result",
        )
        .unit("bytes"),
        ParamDoc::new(
            "most_bytes",
            ParamType::Integer,
            "maximum limit of a result",
        )
        .unit("bytes"),
        ParamDoc::word(
            "scope",
            Scope::WORDS,
            "the part of the context it applies to",
        ),
    ];

    pub(super) fn apply(&self, draft: &mut Draft<'_>) -> Result<(), BodyError> {
        let most = self.most(draft.call_budget_bytes);
        for at in draft.within(self.scope) {
            let is_result = draft.input.context.items[at].role == Role::Tool;
            // A token is four UTF-16 units, each of which has three bytes at most.
            if !is_result || draft.pieces[at].tokens * 12 <= most {
                continue;
            }
            draft.edit(at, Edit::Elided(most), Self::NAME)?;
        }
        Ok(())
    }

    /// Most bytes of a result where a call may have so many.
    fn most(&self, budget: Option<u64>) -> u64 {
        let share = budget.and_then(|budget| budget.checked_div(self.budget_parts));
        // `clamp` panics where the least is above the most.
        let least = self.least_bytes.min(self.most_bytes);
        share.unwrap_or(u64::MAX).clamp(least, self.most_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_has_a_32nd_of_the_budget_within_8_and_64_kib() {
        let own = ElideToolResults::default();
        assert_eq!(own.most(Some(340_000)), 10_625);
        assert_eq!(own.most(Some(100_000)), 8_192);
        assert_eq!(own.most(Some(10_000_000)), 65_536);
        assert_eq!(own.most(None), 65_536);
    }
}
