//! The whole history is summarized (pi 0.18.3's study of strategies, Coder, Claude Code, Roo and
//! others).

use crate::stages::select::keep_recent::KeepRecent;
use crate::vocabulary::fate::Fate;
use crate::vocabulary::params::{ParamDoc, ParamType};
use crate::vocabulary::selection::Selection;
use crate::workpiece::sizes::Sizes;
use serde::{Deserialize, Serialize};

/// Parameters of the choice.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Everything {
    /// Tokens of recent conversation kept verbatim nevertheless, by pi's cut; 0 keeps nothing
    /// (what the agents that summarize everything do).
    pub keep_recent_tokens: u64,
    /// Whether the user's last prompt stays when nothing has followed it (Zed and Goose, when they
    /// compact by themselves).
    pub keep_last_prompt: bool,
    /// What becomes of the newest reply, its tool results and what was said after it.
    pub last_round: LastRound,
    /// With fewer messages since the compaction before, or since the beginning, nothing is done
    /// (Roo Code: "not enough messages", "condensed recently").
    pub min_messages: u64,
}

/// What becomes of the last round: the newest reply with everything behind it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LastRound {
    /// It is summarized with the rest (Claude Code up to 2.1.42, of which no file has a kept round).
    #[default]
    Summarize,
    /// It stays (Claude Code 2.1.329 with `/compact`: 2 of 2).
    Keep,
    /// It stays unless the turn was compacted before: with no prompt since the compaction before
    /// nothing stays (Claude Code 2.1.329 by itself: 9 of 9).
    KeepOncePerTurn,
}

impl Everything {
    pub(super) const DOCS: &'static [ParamDoc] = &[
        ParamDoc::tokens(
            "keep_recent_tokens",
            "tokens of the recent conversation to keep; a last prompt or newest reply that is kept does not count",
        ),
        ParamDoc::yes_no(
            "keep_last_prompt",
            "keep the last prompt if it is unanswered",
        ),
        ParamDoc::word(
            "last_round",
            &["summarize", "keep", "keep_once_per_turn"],
            "the newest reply with everything after it: summarize it, keep it, or keep it unless \
             the turn was compacted before",
        ),
        ParamDoc::new(
            "min_messages",
            ParamType::Integer,
            "minimum number of messages since the previous compaction",
        )
        .unit("messages"),
    ];

    pub(super) fn select(&self, sizes: &Sizes) -> Selection {
        let start = sizes.start();
        if (sizes.messages().len() as u64) < self.min_messages {
            // A tail from the start on, so nothing goes.
            return sizes.tail(start, None, start);
        }
        let newest = (start..sizes.len()).rev().find(|&at| sizes.is_visible(at));
        let waiting = newest.filter(|&at| self.keep_last_prompt && sizes.is_prompt(at));
        let round = self.round(sizes, start);
        match self.keep_recent_tokens {
            0 if round.is_some() => sizes.tail(start, None, round.unwrap_or(start)),
            0 if waiting.is_some() => sizes.tail(start, None, waiting.unwrap_or(start)),
            0 => sizes.with_fates(|_| Fate::Summarized),
            keep_recent_tokens => {
                let tail = KeepRecent {
                    keep_recent_tokens,
                    ..KeepRecent::default()
                };
                tail.select(sizes)
            }
        }
    }

    /// Where the last round begins, where it stays: at the newest reply, which an agent may have
    /// stored in several parts. `None` where nothing stands before it.
    fn round(&self, sizes: &Sizes, start: usize) -> Option<usize> {
        match self.last_round {
            LastRound::Summarize => return None,
            LastRound::Keep => {}
            LastRound::KeepOncePerTurn => {
                let mut positions = start..sizes.len();
                let is_new = |at| sizes.is_prompt(at) && sizes.is_since_previous(at);
                if sizes.previous.is_some() && !positions.any(is_new) {
                    return None;
                }
            }
        }
        let visible = || {
            (start..sizes.len())
                .rev()
                .filter(|&at| sizes.is_visible(at))
        };
        let newest = visible().find(|&at| sizes.is_reply(at))?;
        let parts = visible().filter(|at| *at <= newest);
        let first = parts.take_while(|&at| sizes.is_reply(at)).last()?;
        let first = sizes.cut_at_or_before(first);
        (start..first)
            .any(|at| sizes.is_visible(at))
            .then_some(first)
    }
}
