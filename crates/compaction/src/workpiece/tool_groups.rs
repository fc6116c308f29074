//! Tool calls that were made together, with their results.

use crate::workpiece::sized_context::SizedContext;
use palimpsest_core::Role;
use std::ops::Range;

/// Calls that were made together, and all up to the next place where a cut may fall.
pub(crate) struct Group {
    /// Positions of entries.
    pub at: Range<usize>,
    /// How many calls there are.
    pub calls: u64,
}

impl Group {
    /// Positions of the calls and their results; none where one of the calls has no result.
    pub fn pairs<'a>(&self, sized: &'a SizedContext<'_>) -> impl Iterator<Item = usize> + 'a {
        let answered: usize = self.at.clone().map(|at| results(sized, at)).sum();
        let at = if answered as u64 == self.calls {
            self.at.clone()
        } else {
            0..0
        };
        at.filter(|&at| sized.tool_calls(at) > 0 || results(sized, at) > 0)
    }
}

/// The groups of calls from `start` on.
pub(crate) fn groups<'a>(
    sized: &'a SizedContext<'_>,
    start: usize,
) -> impl Iterator<Item = Group> + 'a {
    let mut position = start;
    std::iter::from_fn(move || {
        let first = (position..sized.len()).find(|&at| sized.tool_calls(at) > 0)?;
        position = (first + 1..sized.len())
            .find(|&at| sized.may_cut_before(at))
            .unwrap_or(sized.len());
        let at = first..position;
        let calls = at.clone().map(|at| sized.tool_calls(at)).sum();
        Some(Group { at, calls })
    })
}

/// Tool results that the entry at `position` has.
fn results(sized: &SizedContext<'_>, position: usize) -> usize {
    let items = sized.entries[position].items.clone();
    items
        .filter(|&item| sized.input.context.items[item].role == Role::Tool)
        .count()
}
