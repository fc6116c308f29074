//! All that is left behind for a target entry, the newest first, as far as it fits
//! (pi 1.5, `branch-summarization.js`).

use crate::vocabulary::branch::DEFAULT_WINDOW;
use crate::vocabulary::fate::Fate;
use crate::vocabulary::params::{ParamDoc, ParamType};
use crate::vocabulary::selection::Selection;
use crate::workpiece::sized_context::SizedContext;
use serde::{Deserialize, Serialize};

/// Reserve where nothing is known of the preset's (pi's `branchSummary.reserveTokens`).
const RESERVE_TOKENS: u64 = 16_384;

/// Parameters of the choice; the defaults are those of pi 1.5, but for tool results, which the
/// later stages of other presets work on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LeftBehind {
    /// Most tokens of the messages that are summarized.
    pub budget_tokens: Budget,
    /// Whether context edits among the entries count (pi 1.5.0 and later).
    pub honour_edits: bool,
    /// Whether tool results are skipped; their calls tell enough (pi).
    pub skip_tool_results: bool,
}

/// How much is summarized.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Budget {
    /// In tokens; 0 is no limit.
    Tokens(u64),
    /// By a rule.
    Rule(BudgetRule),
}

/// A rule for how much is summarized.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BudgetRule {
    /// What the model's window leaves beside the reserve; of a model whose window is not known,
    /// that of 128,000 tokens (pi).
    Window,
}

impl Budget {
    /// What the window leaves.
    pub const WINDOW: Budget = Budget::Rule(BudgetRule::Window);

    /// The budget in tokens for a model with this window; 0 is no limit, which a reserve as large
    /// as the window also comes to (pi).
    pub fn tokens(self, window: Option<u64>, reserve: u64) -> u64 {
        match self {
            Budget::Tokens(tokens) => tokens,
            Budget::Rule(BudgetRule::Window) => {
                window.unwrap_or(DEFAULT_WINDOW).saturating_sub(reserve)
            }
        }
    }
}

impl Default for LeftBehind {
    fn default() -> Self {
        LeftBehind {
            budget_tokens: Budget::WINDOW,
            honour_edits: true,
            skip_tool_results: false,
        }
    }
}

impl LeftBehind {
    pub(super) const DOCS: &'static [ParamDoc] = &[
        ParamDoc::new(
            "budget_tokens",
            ParamType::IntegerOrWord,
            "tokens to summarize, newest first: a number, 0 for no limit, or 'window' for the \
             context window minus the reserve",
        )
        .unit("tokens")
        .words(&["window"]),
        ParamDoc::yes_no(
            "honour_edits",
            "apply context edits: omit or replace messages",
        ),
        ParamDoc::yes_no(
            "skip_tool_results",
            "skip tool results; their calls are kept",
        ),
    ];

    /// Where nothing is left behind, as at a leaf, it is the whole conversation: the newest that
    /// fits is summarized, and nothing stays.
    pub(super) fn select(&self, sized: &SizedContext<'_>) -> Selection {
        // Without a branch neither the window nor the preset's reserve is known here.
        let budget = self.budget_tokens.tokens(None, RESERVE_TOKENS);
        let (mut cut, mut total) = (sized.len(), 0);
        for at in (sized.start()..sized.len()).rev() {
            total += sized.tokens(at);
            if budget > 0 && total > budget {
                break;
            }
            cut = at;
        }
        // A result whose call does not fit goes with it.
        while cut < sized.len() && !sized.may_cut_before(cut) {
            cut += 1;
        }
        sized.with_fates(|at| {
            if at < cut {
                Fate::Dropped
            } else {
                Fate::Summarized
            }
        })
    }
}
