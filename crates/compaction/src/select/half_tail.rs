//! A tail of at most half of a limit stays, and what goes ends with a reply (aider, `history.py`).

use super::{Fate, Scene, Selection};
use crate::params::{ParamDoc, ParamType};
use palimpsest_core::Role;
use serde::{Deserialize, Serialize};

/// Parameters of the choice; the defaults are those of aider.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HalfTail {
    /// Tokens the history may have. aider: a sixteenth of the model's input, at least 1,024 and at
    /// most 8,192, which every model with 131,072 tokens of input or more has.
    pub history_limit_tokens: u64,
    /// With fewer messages than this everything is summarized (aider 4).
    pub min_messages: u64,
}

impl Default for HalfTail {
    fn default() -> Self {
        HalfTail {
            history_limit_tokens: HalfTail::limit_for(131_072),
            min_messages: 4,
        }
    }
}

impl HalfTail {
    pub(super) const DOCS: &'static [ParamDoc] = &[
        ParamDoc::tokens(
            "history_limit_tokens",
            "most the history may have; half of it may stay as it is",
        ),
        ParamDoc::new(
            "min_messages",
            ParamType::Integer,
            "with fewer messages everything is summarized",
        )
        .unit("messages"),
    ];

    /// The limit that aider takes for a model with so many tokens of input.
    pub fn limit_for(input_tokens: u64) -> u64 {
        (input_tokens / 16).clamp(1_024, 8_192)
    }

    pub(super) fn select(&self, scene: &Scene<'_>) -> Selection {
        let messages = scene.messages();
        let start = scene.start();
        if (messages.len() as u64) < self.min_messages {
            return scene.with_fates(|_| Fate::Summarized);
        }
        let sizes = messages.iter().map(|&at| scene.tokens(at));
        if sizes.sum::<u64>() <= self.history_limit_tokens {
            return scene.tail(start, None, start);
        }
        let mut split = messages.len();
        let mut tail = 0;
        while split > 0 {
            tail += scene.tokens(messages[split - 1]);
            if tail >= self.history_limit_tokens / 2 {
                break;
            }
            split -= 1;
        }
        let ends_with_reply = |split: usize| {
            let last = scene.entries[messages[split - 1]].items.clone().next_back();
            let role = last.map(|item| scene.input.context.items[item].role);
            let next = messages.get(split);
            role == Some(Role::Assistant) && next.is_none_or(|&at| scene.may_cut_before(at))
        };
        while split > 1 && !ends_with_reply(split) {
            split -= 1;
        }
        // What would be left to summarize is too little to be worth it: all of it goes.
        match split <= 1 {
            true => scene.with_fates(|_| Fate::Summarized),
            false => {
                let first_kept = messages.get(split).copied().unwrap_or(scene.len());
                scene.tail(start, None, first_kept)
            }
        }
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
