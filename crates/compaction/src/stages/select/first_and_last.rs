//! The first messages stay and the last, by a number of messages (OpenHands' condensers).

use crate::vocabulary::fate::Fate;
use crate::vocabulary::params::{ParamDoc, ParamType};
use crate::vocabulary::selection::Selection;
use crate::workpiece::sizes::Sizes;
use serde::{Deserialize, Serialize};

/// Parameters of the choice; the defaults are those of OpenHands V1.
///
/// An event of OpenHands is an action or an observation, here a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FirstAndLast {
    /// Messages at the beginning that stay (V1 2, its factory 4; V0 1).
    pub keep_first_messages: u64,
    /// Nothing goes up to this number of messages (V1 240, its factory 80; V0 100).
    pub max_messages: u64,
    /// Messages left afterwards, those at the beginning and the summary included; 0 is half of
    /// `max_messages`.
    pub target_messages: u64,
    /// Room in that number for the summary (1, or 0 where none is written).
    pub summary_messages: u64,
    /// Whether half of the messages go when there are no more than `max_messages` (V1 when it is
    /// asked to: its reason REQUEST). With more than that, the smaller of the two targets counts.
    pub halve_on_request: bool,
    /// Tokens of the context above which messages go until half of that is left, those at the
    /// beginning counted (V1's reason TOKENS, off where no limit is set). 0 is no limit. What leaves
    /// fewest messages counts.
    pub max_tokens: u64,
    /// Share of the messages that must go for it to be worth while (V1 0.1). With fewer, nothing
    /// goes, or all where `reset_when_stuck` says so.
    pub minimum_progress: f64,
    /// Whether all messages go into the summary, the first ones included, when the context must
    /// become smaller (asked to, or for its tokens) and fewer than `minimum_progress` could go (V1's
    /// hard reset). A number of messages alone never leads to it.
    pub reset_when_stuck: bool,
}

impl Default for FirstAndLast {
    fn default() -> Self {
        FirstAndLast {
            keep_first_messages: 2,
            max_messages: 240,
            target_messages: 0,
            summary_messages: 1,
            halve_on_request: true,
            max_tokens: 0,
            minimum_progress: 0.1,
            reset_when_stuck: true,
        }
    }
}

/// What is to be left, by each reason there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Wanted {
    /// How many of the newest messages stay at most; `None` without a reason.
    tail: Option<u64>,
    /// True when the context must become smaller.
    is_hard: bool,
}

impl FirstAndLast {
    pub(super) const DOCS: &'static [ParamDoc] = &[
        ParamDoc::new(
            "keep_first_messages",
            ParamType::Integer,
            "number of messages to keep at the beginning",
        )
        .unit("messages"),
        ParamDoc::new(
            "max_messages",
            ParamType::Integer,
            "number of messages up to which nothing is dropped",
        )
        .at_least(1.0)
        .unit("messages"),
        ParamDoc::new(
            "target_messages",
            ParamType::Integer,
            "number of messages kept; 0 means half of the maximum",
        )
        .unit("messages"),
        ParamDoc::new(
            "summary_messages",
            ParamType::Integer,
            "count the summary as one of the kept messages",
        )
        .unit("messages"),
        ParamDoc::yes_no(
            "halve_on_request",
            "drop half of the messages even if there are few",
        ),
        ParamDoc::tokens(
            "max_tokens",
            "size of the context above which messages are dropped until half remains; 0 means no \
             limit",
        ),
        ParamDoc::new(
            "minimum_progress",
            ParamType::Number,
            "minimum share of the messages to drop",
        )
        .within(0.0, 1.0)
        .unit("share"),
        ParamDoc::yes_no(
            "reset_when_stuck",
            "summarize everything in a manual run if too few messages can be dropped",
        ),
    ];

    pub(super) fn select(&self, sizes: &Sizes) -> Selection {
        let messages = sizes.messages();
        let count = messages.len() as u64;
        let head = self.keep_first_messages.min(count) as usize;
        let wanted = self.wanted(sizes, &messages);
        let kept = || sizes.without_middle(&messages, head, head);
        let Some(tail) = wanted.tail else {
            return kept();
        };
        let tail = tail.min(count);
        let selection = sizes.without_middle(&messages, head, (count - tail) as usize);
        let goes = |item: &&Fate| matches!(item, Fate::Summarized);
        let going = selection.fates.iter().filter(goes).count();
        let all = messages.iter().map(|&at| sizes.entries[at].items.len());
        // More than 0 also where no minimum is set: else there is nothing to summarize.
        if going as f64 >= self.minimum_progress * all.sum::<usize>() as f64 && going > 0 {
            return selection;
        }
        if wanted.is_hard && self.reset_when_stuck {
            sizes.without_middle(&messages, 0, messages.len())
        } else {
            kept()
        }
    }

    /// What is to be left of these messages; the strictest reason counts.
    fn wanted(&self, sizes: &Sizes, messages: &[usize]) -> Wanted {
        let count = messages.len() as u64;
        let beside = self.keep_first_messages + self.summary_messages;
        let target = self.target(count);
        let by_count = (target < count).then(|| target.saturating_sub(beside));
        let total: u64 = messages.iter().map(|&at| sizes.tokens(at)).sum();
        let is_large = self.max_tokens > 0 && total > self.max_tokens;
        let by_tokens = is_large.then(|| {
            let first = messages.iter().take(self.keep_first_messages as usize);
            let mut left: u64 = first.map(|&at| sizes.tokens(at)).sum();
            let newest = messages.iter().skip(self.keep_first_messages as usize);
            let fits = newest.rev().take_while(|&&at| {
                left += sizes.tokens(at);
                left <= self.max_tokens / 2
            });
            fits.count() as u64
        });
        Wanted {
            tail: by_count.into_iter().chain(by_tokens).min(),
            is_hard: self.halve_on_request || is_large,
        }
    }

    /// How many of `count` messages are to be left.
    pub(crate) fn target(&self, count: u64) -> u64 {
        let mut target = count;
        if self.halve_on_request {
            target = count / 2;
        }
        if count > self.max_messages {
            let own = match self.target_messages {
                0 => self.max_messages / 2,
                own => own,
            };
            target = target.min(own);
        }
        target
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strictest_target_wins() {
        let v1 = FirstAndLast::default();
        assert_eq!(v1.target(100), 50);
        assert_eq!(v1.target(240), 120);
        assert_eq!(v1.target(241), 120);
        assert_eq!(v1.target(1_000), 120);
        let v0 = FirstAndLast {
            max_messages: 100,
            halve_on_request: false,
            ..v1
        };
        assert_eq!(v0.target(100), 100);
        assert_eq!(v0.target(101), 50);
    }
}
