//! The older half of the messages goes, or three quarters of them, unless dropping repeated reads
//! is enough (Cline before its SDK, its `ContextManager`).

use crate::stages::select::drop_share::DropShare;
use crate::vocabulary::fate::Fate;
use crate::vocabulary::params::{ParamDoc, ParamType};
use crate::vocabulary::selection::Selection;
use crate::workpiece::repeated_reads::older_reads;
use crate::workpiece::sized_context::SizedContext;
use crate::workpiece::sizes::Sizes;
use palimpsest_core::BodyError;
use serde::{Deserialize, Serialize};

/// Parameters of the choice; the defaults are Cline's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WindowShare {
    /// The model's window, from which the limit of the context follows.
    pub window_tokens: u64,
    /// Share of the tokens that repeated reads must have for nothing else to go.
    pub enough_saving: f64,
    /// Messages at the beginning that stay.
    pub keep_first_messages: u64,
}

impl Default for WindowShare {
    fn default() -> Self {
        WindowShare {
            window_tokens: 200_000,
            enough_saving: 0.3,
            keep_first_messages: 2,
        }
    }
}

impl WindowShare {
    pub(super) const DOCS: &'static [ParamDoc] = &[
        ParamDoc::tokens(
            "window_tokens",
            "context window of the model; more is dropped if the context is twice the limit",
        )
        .at_least(1.0),
        ParamDoc::new(
            "enough_saving",
            ParamType::Number,
            "share of repeated reads from which only they are dropped",
        )
        .within(0.0, 1.0)
        .unit("share"),
        ParamDoc::new(
            "keep_first_messages",
            ParamType::Integer,
            "number of messages to keep at the beginning",
        )
        .unit("messages"),
    ];

    /// Tokens the context may have in a window of this size: 27,000 less than 64,000, 30,000 less
    /// than 128,000, 40,000 less than 200,000, else the larger of 40,000 less and four fifths.
    pub fn limit_for(window: u64) -> u64 {
        match window {
            64_000 => 37_000,
            128_000 => 98_000,
            200_000 => 160_000,
            other => other.saturating_sub(40_000).max(other * 4 / 5),
        }
    }

    pub(super) fn select(&self, sized: &SizedContext<'_>) -> Result<Selection, BodyError> {
        let items = &sized.input.context.items;
        let all: Vec<usize> = (0..items.len()).collect();
        let tokens = |list: &[usize]| -> u64 { list.iter().map(|&at| items[at].estimate).sum() };
        let saved = tokens(&older_reads(sized.input, &all)?);
        // Then the preset's step for repeated reads is all that happens.
        if saved > 0 && saved as f64 >= self.enough_saving * tokens(&all) as f64 {
            return Ok(sized.with_fates(|_| Fate::Kept));
        }
        Ok(self.by_size(sized))
    }

    /// The choice where repeated reads are not enough, or cannot be seen.
    pub(super) fn by_size(&self, sizes: &Sizes) -> Selection {
        let limit = WindowShare::limit_for(self.window_tokens);
        let is_far_over = sizes.context_tokens / 2 > limit;
        let share = DropShare {
            drop_share: if is_far_over { 0.75 } else { 0.5 },
            keep_first_messages: self.keep_first_messages,
            even_count: true,
        };
        share.select(sizes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_follows_from_the_window() {
        assert_eq!(WindowShare::limit_for(64_000), 37_000);
        assert_eq!(WindowShare::limit_for(128_000), 98_000);
        assert_eq!(WindowShare::limit_for(200_000), 160_000);
        assert_eq!(WindowShare::limit_for(1_000_000), 960_000);
        assert_eq!(WindowShare::limit_for(100_000), 80_000);
    }
}
