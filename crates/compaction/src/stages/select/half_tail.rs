//! A tail of at most half of a limit stays, and what goes ends with a reply (aider, `history.py`).

use crate::vocabulary::fate::Fate;
use crate::vocabulary::params::{ParamDoc, ParamType};
use crate::vocabulary::selection::{Again, Selection};
use crate::workpiece::sizes::Sizes;
use serde::{Deserialize, Serialize};

/// Parameters of the choice; the defaults are those of aider.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HalfTail {
    /// Tokens the history may have. aider: a sixteenth of the model's input, at least 1,024 and at
    /// most 8,192, which every model with 131,072 tokens of input or more has.
    pub history_limit_tokens: u64,
    /// With fewer messages than this everything is summarized, where they are over the limit
    /// (aider 4).
    pub min_messages: u64,
    /// How often a summary that is together with the tail not below the limit is parted again
    /// with it, the summary as the first message; after that all of it becomes one summary. 0
    /// takes the summary as it is (aider 3).
    pub max_depth: u64,
}

impl Default for HalfTail {
    fn default() -> Self {
        HalfTail {
            history_limit_tokens: HalfTail::limit_for(131_072),
            min_messages: 4,
            max_depth: 3,
        }
    }
}

impl HalfTail {
    pub(super) const DOCS: &'static [ParamDoc] = &[
        ParamDoc::tokens(
            "history_limit_tokens",
            "token limit of the history; half of it can be kept",
        )
        .at_least(1.0),
        ParamDoc::new(
            "min_messages",
            ParamType::Integer,
            "number of messages below which all are summarized if they exceed the limit",
        )
        .unit("messages"),
        ParamDoc::new(
            "max_depth",
            ParamType::Integer,
            "number of further summaries if summary and tail exceed the limit, before everything \
             becomes one; 0 accepts it",
        )
        .unit("times"),
    ];

    /// The limit that aider takes for a model with so many tokens of input.
    pub fn limit_for(input_tokens: u64) -> u64 {
        (input_tokens / 16).clamp(1_024, 8_192)
    }

    pub(super) fn select(&self, sizes: &Sizes) -> Selection {
        let messages = sizes.messages();
        let start = sizes.start();
        let tokens = messages.iter().map(|&at| sizes.tokens(at));
        let fits = tokens.sum::<u64>() <= self.history_limit_tokens;
        if fits {
            return sizes.tail(start, None, start);
        }
        match self.split(sizes, &messages, 0) {
            Some(split) => {
                let first_kept = messages.get(split).copied().unwrap_or(sizes.len());
                sizes.tail(start, None, first_kept)
            }
            None => sizes.with_fates(|_| Fate::Summarized),
        }
    }

    /// Where the tail begins among `messages`, before which `ahead` others stand; `None` when all
    /// of them go: because they are few, or because what would be left to summarize is too little
    /// to be worth it.
    fn split(&self, sizes: &Sizes, messages: &[usize], ahead: usize) -> Option<usize> {
        if ((messages.len() + ahead) as u64) < self.min_messages {
            return None;
        }
        let mut split = messages.len();
        let mut tail = 0;
        while split > 0 {
            tail += sizes.tokens(messages[split - 1]);
            if tail >= self.history_limit_tokens / 2 {
                break;
            }
            split -= 1;
        }
        let ends_with_reply = |split: usize| {
            let last = split.checked_sub(1).map(|last| messages[last]);
            let next = messages.get(split);
            last.is_some_and(|last| sizes.entries[last].ends_with_reply)
                && next.is_none_or(|&at| sizes.may_cut_before(at))
        };
        while split + ahead > 1 && split > 0 && !ends_with_reply(split) {
            split -= 1;
        }
        (split + ahead > 1).then_some(split)
    }

    /// The summary is the first message, the user's; then comes what stayed.
    pub(super) fn again(&self, sizes: &Sizes, before: &Selection, depth: u64) -> Option<Again> {
        let first_kept = before.first_kept?;
        let tail = (0..sizes.len()).find(|&at| sizes.entry(at) == first_kept)?;
        if self.max_depth == 0 || tail >= sizes.len() {
            return None;
        }
        let mut messages = sizes.messages();
        messages.retain(|&at| at >= tail);
        let split = if depth < self.max_depth {
            self.split(sizes, &messages, 1)
        } else {
            None
        };
        let first_kept = match split {
            Some(split) => messages.get(split).copied().unwrap_or(sizes.len()),
            None => sizes.len(),
        };
        Some(Again {
            selection: sizes.tail(tail, None, first_kept),
            limit_tokens: self.history_limit_tokens,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_a_sixteenth_within_bounds() {
        assert_eq!(HalfTail::limit_for(8_000), 1_024);
        assert_eq!(HalfTail::limit_for(64_000), 4_000);
        assert_eq!(HalfTail::limit_for(200_000), 8_192);
        assert_eq!(HalfTail::default().history_limit_tokens, 8_192);
    }
}
