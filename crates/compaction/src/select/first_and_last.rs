//! The first messages stay and the last, by a number of messages (OpenHands' condensers).

use super::{Scene, Selection};
use crate::params::{ParamDoc, ParamType};
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
    /// asked to). With more than that, the smaller of the two targets counts.
    pub halve_on_request: bool,
}

impl Default for FirstAndLast {
    fn default() -> Self {
        FirstAndLast {
            keep_first_messages: 2,
            max_messages: 240,
            target_messages: 0,
            summary_messages: 1,
            halve_on_request: true,
        }
    }
}

impl FirstAndLast {
    pub(super) const DOCS: &'static [ParamDoc] = &[
        ParamDoc::new(
            "keep_first_messages",
            ParamType::Integer,
            "how many messages stay at the beginning",
        )
        .unit("messages"),
        ParamDoc::new(
            "max_messages",
            ParamType::Integer,
            "up to how many messages nothing goes",
        )
        .unit("messages"),
        ParamDoc::new(
            "target_messages",
            ParamType::Integer,
            "how many are left afterwards; 0 is half of the most",
        )
        .unit("messages"),
        ParamDoc::new(
            "summary_messages",
            ParamType::Integer,
            "room for the summary among them",
        )
        .unit("messages"),
        ParamDoc::yes_no(
            "halve_on_request",
            "let half of the messages go even when there are few",
        ),
    ];

    pub(super) fn select(&self, scene: &Scene<'_>) -> Selection {
        let messages = scene.messages();
        let count = messages.len() as u64;
        let target = self.target(count);
        let beside = self.keep_first_messages + self.summary_messages;
        let tail = target.saturating_sub(beside).min(count);
        let head = self.keep_first_messages.min(count);
        match target >= count {
            true => scene.without_middle(&messages, head as usize, head as usize),
            false => scene.without_middle(&messages, head as usize, (count - tail) as usize),
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
