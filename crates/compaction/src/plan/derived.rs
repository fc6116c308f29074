//! What follows from replies by rules of a plan's own, where its summary or a later call needs more
//! than a reply as it is. A plan, the engine and a run know only this door; what a place is filled
//! with is a pure function of the plan and the replies.

use crate::plan::rate::Memories;
use crate::plan::reflect::data::Reflection;
use crate::vocabulary::fill::{Fill, Replies};
use serde::{Deserialize, Serialize};

/// What replies are read against.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Derived {
    /// What reflections are made from, where the summary is made of them.
    pub reflection: Option<Box<Reflection>>,
    /// What is retrieved from once a model has rated it, where one is asked to.
    #[serde(default)]
    pub memories: Option<Box<Memories>>,
}

impl Derived {
    /// What goes to a place; `None` while a reply that it needs is missing, and for a reply as it
    /// is.
    pub(crate) fn text(&self, fill: Fill, replies: &Replies<'_>) -> Option<String> {
        match fill {
            Fill::Memories => self.memories.as_ref()?.text(replies),
            _ => self.reflection.as_ref()?.text(fill, replies),
        }
    }

    /// Tokens that go to a place of a prompt at most; `None` where that is a reply as it is.
    /// `lengths` are those replies may have, by call.
    pub(crate) fn expected_in_prompt(&self, fill: Fill, lengths: &[u64]) -> Option<u64> {
        match (&self.reflection, fill) {
            (None, _) | (_, Fill::Reply) => None,
            (Some(reflection), fill) => Some(reflection.expected_tokens(fill, lengths)),
        }
    }

    /// Tokens that a place of the summary is taken to have before it is filled; `limits` is the sum
    /// of those that replies may have.
    pub(crate) fn expected_in_summary(&self, fill: Fill, limits: u64) -> u64 {
        match fill {
            Fill::Memories => {
                let memories = self.memories.as_ref();
                memories.map_or(0, |own| own.expected_tokens())
            }
            // Our guess: a quarter of what is asked for is insights.
            _ => limits / 4,
        }
    }
}
