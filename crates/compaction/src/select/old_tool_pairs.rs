//! Old tool calls with their results are summarized, each pair by itself; all else stays (Goose,
//! behind a flag that is off).

use super::{Fate, Scene, Selection};
use crate::params::{ParamDoc, ParamType};
use palimpsest_core::Role;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Parameters of the choice; the defaults are those of Goose for a window of up to 125,000 tokens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct OldToolPairs {
    /// Tool calls that stay, the newest (Goose, `GOOSE_TOOL_CALL_CUTOFF`: 10; in later versions one
    /// for each 10,000 tokens below the line of its compaction, within 10 and 500).
    pub keep_tool_uses: u64,
    /// Whether those since the user's last prompt stay beside them and are not counted (Goose).
    pub spare_turn: bool,
    /// Most tool calls that are summarized at once, the oldest; 0 is no limit. Goose, which looks
    /// again and again while it works, takes a fifth of those that stay, and at least three.
    pub most_tool_uses: u64,
}

impl Default for OldToolPairs {
    fn default() -> Self {
        OldToolPairs {
            keep_tool_uses: 10,
            spare_turn: true,
            most_tool_uses: 0,
        }
    }
}

impl OldToolPairs {
    pub(super) const DOCS: &'static [ParamDoc] = &[
        ParamDoc::new(
            "keep_tool_uses",
            ParamType::Integer,
            "how many of the newest tool uses stay as they are",
        )
        .unit("tool uses"),
        ParamDoc::yes_no("spare_turn", "keep those since the last prompt beside them"),
        ParamDoc::new(
            "most_tool_uses",
            ParamType::Integer,
            "how many of the oldest are summarized at once; 0 is all",
        )
        .unit("tool uses"),
    ];

    /// Calls that were made together go together, with all their results, and only when the newest
    /// of them may go. A call without its result stays.
    pub(super) fn select(&self, scene: &Scene<'_>) -> Selection {
        let start = scene.start();
        let calls = |from: usize, to: usize| -> u64 {
            (from..to).map(|position| scene.tool_calls(position)).sum()
        };
        let prompt = (start..scene.len()).rev().find(|&at| scene.is_prompt(at));
        let spared = match prompt {
            Some(at) if self.spare_turn => calls(at, scene.len()),
            _ => 0,
        };
        let stay = spared.saturating_add(self.keep_tool_uses);
        let old = calls(start, scene.len()).saturating_sub(stay);
        let most = match self.most_tool_uses {
            0 => old,
            most => old.min(most),
        };
        let mut goes = vec![false; scene.len()];
        let mut seen = 0;
        for group in groups(scene, start) {
            seen += group.calls;
            if seen > most {
                break;
            }
            group.pairs(scene).for_each(|at| goes[at] = true);
        }
        scene.with_fates(|position| match (position < start, goes[position]) {
            (true, _) => Fate::Dropped,
            (false, true) => Fate::Summarized,
            (false, false) => Fate::Kept,
        })
    }
}

/// Of a choice for a method that summarizes tool pairs and nothing else: the pairs that lie whole
/// in what would be summarized. All else of it stays, for no call would tell of it.
pub(crate) fn pairs_only(scene: &Scene<'_>, chosen: &Selection) -> Selection {
    let start = scene.start();
    let fate = |position: usize| {
        let first = scene.entries[position].items.clone().next();
        first.map(|item| chosen.fates[item])
    };
    let is_in_span =
        |position: usize| matches!(fate(position), Some(Fate::Summarized | Fate::TurnPrefix));
    let mut goes = vec![false; scene.len()];
    for group in groups(scene, start) {
        if group.pairs(scene).all(is_in_span) {
            group.pairs(scene).for_each(|at| goes[at] = true);
        }
    }
    scene.with_fates(|position| match fate(position) {
        _ if position < start => Fate::Dropped,
        _ if goes[position] => Fate::Summarized,
        Some(Fate::Dropped) => Fate::Dropped,
        _ => Fate::Kept,
    })
}

/// Calls that were made together, and all up to the next place where a cut may fall.
struct Group {
    /// Positions of entries.
    at: Range<usize>,
    /// How many calls there are.
    calls: u64,
}

impl Group {
    /// Positions of the calls and their results; none where one of the calls has no result.
    fn pairs<'a>(&self, scene: &'a Scene<'_>) -> impl Iterator<Item = usize> + 'a {
        let answered: usize = self.at.clone().map(|at| results(scene, at)).sum();
        let at = match answered as u64 == self.calls {
            true => self.at.clone(),
            false => 0..0,
        };
        at.filter(|&at| scene.tool_calls(at) > 0 || results(scene, at) > 0)
    }
}

/// The groups of calls from `start` on.
fn groups<'a>(scene: &'a Scene<'_>, start: usize) -> impl Iterator<Item = Group> + 'a {
    let mut position = start;
    std::iter::from_fn(move || {
        let first = (position..scene.len()).find(|&at| scene.tool_calls(at) > 0)?;
        position = (first + 1..scene.len())
            .find(|&at| scene.may_cut_before(at))
            .unwrap_or(scene.len());
        let at = first..position;
        let calls = at.clone().map(|at| scene.tool_calls(at)).sum();
        Some(Group { at, calls })
    })
}

/// Tool results that the entry at `position` has.
fn results(scene: &Scene<'_>, position: usize) -> usize {
    let items = scene.entries[position].items.clone();
    items
        .filter(|&item| scene.input.context.items[item].role == Role::Tool)
        .count()
}
