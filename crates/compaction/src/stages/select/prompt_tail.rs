//! A tail that never begins after the user's last prompt and is no larger than what a target leaves
//! for it (Cline's SDK, August 2026).

use crate::vocabulary::params::{ParamDoc, ParamType};
use crate::vocabulary::selection::Selection;
use crate::workpiece::sizes::Sizes;
use serde::{Deserialize, Serialize};

/// Parameters of the choice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PromptTail {
    /// Tokens of recent conversation that stay, and whatever more lies behind the last prompt
    /// (Cline 20,000). Less stays where the context would be above its target with that.
    pub keep_recent_tokens: u64,
    /// The model's window (Cline takes 128,000 where it is not known).
    pub window_tokens: u64,
    /// Most tokens the model takes in; 0 is not known, and nine tenths of the window then count
    /// (Cline).
    pub model_input_tokens: u64,
    /// Most tokens the model writes; 0 is not known.
    pub model_output_tokens: u64,
    /// The size aimed at, as a share of Cline's auto-compaction threshold (Cline 0.7).
    pub target_share: f64,
    /// The size aimed at, as a share of what may be sent, once there are `min_pairs` and the model's
    /// longest reply is known and below that (Cline 0.5).
    pub paired_share: f64,
    /// So many prompts with an answer make for `paired_share` (Cline 5).
    pub min_pairs: u64,
    /// Whether the compaction is asked for by hand: `manual_ratio` then says what is aimed at.
    pub manual: bool,
    /// The size aimed at by hand, as a share of what the context has (Cline 0.5), taken as 0.05 where
    /// it is less and as 0.95 where it is more.
    pub manual_ratio: f64,
    /// Room for the summary in the size aimed at (Cline's summary has at most 4,096).
    pub summary_tokens: u64,
}

/// Share of the window that may be sent where the model has no limit of input of its own, and share
/// of what may be sent at which Cline compacts automatically.
const NINE_TENTHS: f64 = 0.9;

/// The context whose tail is chosen, by sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sized {
    /// Tokens of all of it.
    pub context: u64,
    /// Of these, tokens of what is sent beside the conversation and is there afterwards as well.
    pub besides: u64,
    /// Prompts of the user that have an answer.
    pub pairs: u64,
}

impl Default for PromptTail {
    fn default() -> Self {
        PromptTail {
            keep_recent_tokens: 20_000,
            window_tokens: 128_000,
            model_input_tokens: 0,
            model_output_tokens: 0,
            target_share: 0.7,
            paired_share: 0.5,
            min_pairs: 5,
            manual: false,
            manual_ratio: 0.5,
            summary_tokens: 4_096,
        }
    }
}

impl PromptTail {
    pub(super) const DOCS: &'static [ParamDoc] = &[
        ParamDoc::tokens(
            "keep_recent_tokens",
            "tokens of the recent conversation to keep, at least from the last prompt",
        ),
        ParamDoc::tokens("window_tokens", "the context window of the model"),
        ParamDoc::tokens(
            "model_input_tokens",
            "input limit of the model; 0 means 90 % of its context window",
        ),
        ParamDoc::tokens(
            "model_output_tokens",
            "maximum output of the model; 0 means unknown",
        ),
        ParamDoc::new(
            "target_share",
            ParamType::Number,
            "target size as a share of the auto-compaction threshold",
        )
        .unit("share")
        .within(0.0, 1.0),
        ParamDoc::new(
            "paired_share",
            ParamType::Number,
            "target size as a share of the input limit, if enough prompts are answered and the \
             maximum output is below the input limit",
        )
        .unit("share")
        .within(0.0, 1.0),
        ParamDoc::new(
            "min_pairs",
            ParamType::Integer,
            "number of answered prompts required for that",
        )
        .unit("prompts"),
        ParamDoc::yes_no(
            "manual",
            "use a share of the current context as target size, as in a manual run",
        ),
        ParamDoc::new(
            "manual_ratio",
            ParamType::Number,
            "that share, between 0.05 and 0.95",
        )
        .unit("share")
        .within(0.0, 1.0),
        ParamDoc::tokens(
            "summary_tokens",
            "tokens reserved for the summary in the target size",
        ),
    ];

    /// Tokens that may be sent.
    fn usable(&self) -> f64 {
        match self.model_input_tokens {
            0 => self.window_tokens as f64 * NINE_TENTHS,
            own => own as f64,
        }
    }

    /// The size the context should have afterwards, in tokens.
    pub(crate) fn target(&self, of: Sized) -> u64 {
        let usable = self.usable();
        let writes_less =
            self.model_output_tokens > 0 && (self.model_output_tokens as f64) < usable;
        let target = if self.manual {
            of.context as f64 * self.manual_ratio.clamp(0.05, 0.95)
        } else if of.pairs >= self.min_pairs && writes_less {
            usable * self.paired_share
        } else {
            usable * NINE_TENTHS * self.target_share
        };
        // Rounded, as 0.7 of 90,720 is a little less than 63,504 in floating point.
        target.max(0.0).round() as u64
    }

    /// Most tokens of the tail with which the context has its target.
    pub(crate) fn most(&self, of: Sized) -> u64 {
        let beside = of.besides + self.summary_tokens;
        self.target(of).saturating_sub(beside)
    }

    /// The boundary is a reply or a prompt, never a tool result. Where the target ends the tail it
    /// is the next such place, where the recent tokens do the one before.
    pub(super) fn select(&self, sizes: &Sizes) -> Selection {
        let start = sizes.start();
        let most = self.most(sized(sizes));
        let mut sum = 0;
        let mut first_kept = sizes.len();
        let mut is_full = false;
        while first_kept > start && sum < self.keep_recent_tokens {
            sum += sizes.tokens(first_kept - 1);
            is_full = sum > most;
            if is_full {
                break;
            }
            first_kept -= 1;
        }
        let prompt = (start..sizes.len()).rev().find(|&at| sizes.is_prompt(at));
        let first_kept = first_kept.min(prompt.unwrap_or(first_kept));
        let first_kept = if first_kept == sizes.len() {
            first_kept
        } else if is_full {
            let mut later = first_kept..sizes.len();
            later
                .find(|&at| sizes.may_cut_before(at))
                .unwrap_or(sizes.len())
        } else {
            sizes.cut_at_or_before(first_kept).max(start)
        };
        sizes.tail(start, None, first_kept)
    }
}

/// What of a context counts for its target.
fn sized(sizes: &Sizes) -> Sized {
    let mut pairs = 0;
    let mut asked = false;
    for at in sizes.start()..sizes.len() {
        if sizes.is_prompt(at) {
            asked = true;
        // A prompt counts once, however many replies it has.
        } else if asked && sizes.is_reply(at) {
            pairs += 1;
            asked = false;
        }
    }
    Sized {
        context: sizes.context_tokens,
        besides: sizes.besides_tokens,
        pairs,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: u64) -> Sized {
        Sized {
            context: 60_000,
            besides: 8_000,
            pairs,
        }
    }

    #[test]
    fn the_target_is_a_share_of_the_trigger_or_of_what_may_be_sent() {
        let own = PromptTail::default();
        // 0.9 of 128,000; 0.9 of that; 0.7 of that.
        assert_eq!(own.target(of(4)), 72_576);
        assert_eq!(own.target(of(5)), 72_576, "the longest reply is not known");
        let known = PromptTail {
            model_output_tokens: 8_192,
            ..own.clone()
        };
        assert_eq!(known.target(of(4)), 72_576);
        assert_eq!(known.target(of(5)), 57_600);
        let no_less = PromptTail {
            model_output_tokens: 115_200,
            ..own.clone()
        };
        assert_eq!(no_less.target(of(5)), 72_576);
        let limited = PromptTail {
            model_input_tokens: 100_000,
            ..own
        };
        assert_eq!(limited.target(of(4)), 63_000);
    }

    #[test]
    fn by_hand_it_is_a_share_of_the_context_within_bounds() {
        let by_hand = |manual_ratio: f64| PromptTail {
            manual: true,
            manual_ratio,
            ..PromptTail::default()
        };
        assert_eq!(by_hand(0.5).target(of(9)), 30_000);
        assert_eq!(by_hand(0.0).target(of(9)), 3_000);
        assert_eq!(by_hand(1.0).target(of(9)), 57_000);
    }

    #[test]
    fn what_is_sent_beside_and_the_summary_take_from_it() {
        let own = PromptTail::default();
        assert_eq!(own.most(of(0)), 72_576 - 8_000 - 4_096);
        let none = PromptTail {
            window_tokens: 10_000,
            ..own
        };
        assert_eq!(none.most(of(0)), 0);
    }
}
