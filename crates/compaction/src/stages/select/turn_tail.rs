//! Whole turns stay, the newest, as far as they fit a budget; the first that does not is split
//! (OpenCode 1.18, compaction).

use crate::vocabulary::fate::Fate;
use crate::vocabulary::params::{ParamDoc, ParamType};
use crate::vocabulary::selection::Selection;
use crate::workpiece::sizes::Sizes;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Parameters of the choice; the defaults are those of OpenCode 1.18 for a model with a window of
/// 200,000 tokens and 32,000 for the reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TurnTail {
    /// Tokens of the newest turns that stay (OpenCode's `preserve_recent_tokens`); `share` is a
    /// share of what the model can take.
    pub tail_tokens: TailTokens,
    /// Tokens that the model can take: its window without the room for the reply.
    pub usable_tokens: u64,
    /// The share of `usable_tokens`, in percent.
    pub share_percent: u64,
    /// Least tokens of that share.
    pub share_min_tokens: u64,
    /// Most tokens of that share.
    pub share_max_tokens: u64,
    /// Newest turns that may stay (OpenCode's `tail_turns`: none unless set, 2 from about 1.2 to
    /// 1.18.2; 0 keeps nothing); `any` is no limit.
    pub tail_turns: TailTurns,
    /// Whether the user's last message is left out of it all and stays at the end, without what came
    /// after it, which is lost (OpenCode, when a request did not fit: the message is sent again after
    /// the compaction). Nothing of the kind where it is the only one.
    pub replay_last_prompt: bool,
}

/// Size of a tail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum TailTokens {
    /// In tokens.
    Tokens(u64),
    /// By a rule.
    Rule(TailRule),
}

/// A rule for the size of a tail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TailRule {
    /// A share of what the model can take.
    Share,
}

/// A number of turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum TailTurns {
    /// So many.
    Turns(u64),
    /// By a word.
    Word(TurnsWord),
}

/// A word for a number of turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnsWord {
    /// As many as there are.
    Any,
}

impl Default for TurnTail {
    fn default() -> Self {
        TurnTail {
            tail_tokens: TailTokens::Rule(TailRule::Share),
            usable_tokens: 168_000,
            share_percent: 25,
            share_min_tokens: 2_000,
            share_max_tokens: 15_000,
            tail_turns: TailTurns::Word(TurnsWord::Any),
            replay_last_prompt: false,
        }
    }
}

impl TurnTail {
    pub(super) fn clash(&self) -> Option<String> {
        let (least, most) = (self.share_min_tokens, self.share_max_tokens);
        (least > most).then(|| {
            format!("share_min_tokens is {least} and must not exceed share_max_tokens, {most}")
        })
    }

    pub(super) const DOCS: &'static [ParamDoc] = &[
        ParamDoc::new(
            "tail_tokens",
            ParamType::IntegerOrWord,
            "tokens of the newest turns to keep, or 'share' for share_percent of the input limit",
        )
        .unit("tokens")
        .words(&["share"]),
        ParamDoc::tokens(
            "usable_tokens",
            "input limit of the model without the output reserve",
        ),
        ParamDoc::new(
            "share_percent",
            ParamType::Integer,
            "share of that limit to keep",
        )
        .within(0.0, 100.0)
        .unit("percent"),
        ParamDoc::tokens("share_min_tokens", "minimum of that share"),
        ParamDoc::tokens("share_max_tokens", "maximum of that share"),
        ParamDoc::new(
            "tail_turns",
            ParamType::IntegerOrWord,
            "maximum number of kept turns, or 'any'",
        )
        .unit("turns")
        .words(&["any"]),
        ParamDoc::yes_no(
            "replay_last_prompt",
            "remove the last request and everything after it, and repeat the request at the end",
        ),
    ];

    /// The budget in tokens.
    pub fn budget(&self) -> u64 {
        match self.tail_tokens {
            TailTokens::Tokens(tokens) => tokens,
            // Not `clamp`, which panics on bounds the wrong way round: a policy sets them without
            // `clash`.
            TailTokens::Rule(TailRule::Share) => (self.usable_tokens * self.share_percent / 100)
                .max(self.share_min_tokens)
                .min(self.share_max_tokens),
        }
    }

    pub(super) fn select(&self, sizes: &Sizes) -> Selection {
        let start = sizes.start();
        let turns: Vec<usize> = (start..sizes.len())
            .filter(|&at| sizes.is_prompt(at))
            .collect();
        let most = match self.tail_turns {
            TailTurns::Turns(turns) => turns,
            TailTurns::Word(TurnsWord::Any) => u64::MAX,
        };
        let (turns, end) = match turns.split_last() {
            Some((&last, others)) if self.replay_last_prompt && !others.is_empty() => {
                (others, last)
            }
            _ => (&turns[..], sizes.len()),
        };
        let mut left = self.budget();
        let mut first_kept = end;
        let considered = turns.iter().rev();
        for &turn in considered.take(usize::try_from(most).unwrap_or(usize::MAX)) {
            let needed = tokens(sizes, turn..first_kept);
            if needed > left {
                first_kept = split(sizes, turn, first_kept, left);
                break;
            }
            left -= needed;
            first_kept = turn;
        }
        // OpenCode keeps no tail when nothing would be summarized.
        if sizes.entries[first_kept..end]
            .iter()
            .all(|seen| seen.items.is_empty())
            || tokens(sizes, start..first_kept) == 0
        {
            first_kept = end;
        }
        let mut selection = sizes.tail(start, None, first_kept);
        for seen in &sizes.entries[(end + 1).min(sizes.len())..] {
            for item in seen.items.clone() {
                if selection.fates[item] == Fate::Kept {
                    selection.fates[item] = Fate::Dropped;
                }
            }
            selection.kept.retain(|kept| *kept != seen.entry);
        }
        selection
    }
}

/// The earliest position inside the turn at `turn`, behind its own first message, from which on the
/// messages before `end` fit into `budget` tokens; `end` when there is none.
fn split(sizes: &Sizes, turn: usize, end: usize, budget: u64) -> usize {
    let mut sum = 0;
    let mut first = end;
    for at in (turn + 1..end).rev() {
        sum += sizes.tokens(at);
        if sum > budget {
            break;
        }
        if sizes.may_cut_before(at) {
            first = at;
        }
    }
    first
}

fn tokens(sizes: &Sizes, positions: Range<usize>) -> u64 {
    positions.map(|at| sizes.tokens(at)).sum()
}
