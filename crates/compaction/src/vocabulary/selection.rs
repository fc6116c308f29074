//! What was chosen: a fate for each item of the context.

use crate::vocabulary::fate::Fate;
use palimpsest_core::EntryIx;

/// What was chosen.
#[derive(Debug, Clone, PartialEq)]
pub struct Selection {
    /// The fate of each item of the context, by position.
    pub fates: Vec<Fate>,
    /// The entries that stay, those without a message included.
    pub kept: Vec<EntryIx>,
    /// The first of the tail that stays.
    pub first_kept: Option<EntryIx>,
    /// The entry that starts the turn which is split.
    pub turn_start: Option<EntryIx>,
}

impl Selection {
    /// Positions of the items with this fate, in order.
    pub fn items(&self, fate: Fate) -> Vec<usize> {
        (0..self.fates.len())
            .filter(|&item| self.fates[item] == fate)
            .collect()
    }
}

/// A choice that follows another whose summary turned out too long.
pub struct Again {
    /// What is chosen of what stayed.
    pub selection: Selection,
    /// Tokens below which the summary and what stays had to be together.
    pub limit_tokens: u64,
}
