//! What the canvas tells the page.

use crate::frame::Distance;
use crate::scene::Scene;
use palimpsest_core::layout::{LaneKind, PictureRow, STEP_TOKENS};
use serde::{Deserialize, Serialize};

/// A row, as far as the page needs to know it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowRef {
    /// Position among the rows.
    pub row: u32,
    /// Position of its entry in the session.
    pub position: u32,
    /// Id of its entry.
    pub entry: String,
}

impl RowRef {
    /// What stands for `row`.
    pub fn of(scene: &Scene, row: &PictureRow) -> RowRef {
        let id = scene.picture().ids.get(row.entry.get());
        RowRef {
            row: row.id,
            position: row.entry.0,
            entry: id.map(ToString::to_string).unwrap_or_default(),
        }
    }
}

/// What is known of a row that the pointer is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowFacts {
    /// The row.
    #[serde(flatten)]
    pub row: RowRef,
    /// Its kind or its tools.
    pub name: String,
    /// Its words, as far as they are known.
    pub words: String,
    /// When it was written, Unix seconds; 0 where that is not known.
    pub at_s: i64,
    /// Its own tokens, by estimate.
    pub tokens: u64,
    /// Size of the context behind it, in tokens.
    pub size: u64,
    /// The same by part, in tokens, from the base of the band.
    pub parts: Vec<u64>,
    /// What the lane is.
    pub lane: LaneKind,
    /// The name of the lane; empty for the active path.
    pub lane_name: String,
    /// Number of its phase, from 1.
    pub phase: u32,
    /// Number of phases.
    pub phases: u32,
    /// Number of subagents that it started or heard from.
    pub subagents: u32,
    /// It failed.
    pub is_error: bool,
}

impl RowFacts {
    /// What is known of `row`.
    pub fn of(scene: &Scene, row: &PictureRow) -> RowFacts {
        let lane = scene.picture().lanes.get(row.lane as usize);
        let sections = scene.sections();
        let turn = sections.turn_of.get(row.id as usize);
        let turn = turn.and_then(|&turn| sections.turns.get(turn as usize));
        RowFacts {
            row: RowRef::of(scene, row),
            name: scene.name(row).to_owned(),
            words: scene.words(row).to_owned(),
            at_s: row.at_s,
            tokens: row.tokens,
            size: row.size,
            parts: row.band.map(|part| u64::from(part) * STEP_TOKENS).to_vec(),
            lane: lane.map_or(LaneKind::Active, |lane| lane.kind),
            lane_name: lane.map(|lane| lane.name.clone()).unwrap_or_default(),
            phase: turn.map_or(0, |turn| turn.phase + 1),
            phases: u32::try_from(sections.phases.len()).unwrap_or(u32::MAX),
            subagents: row.subagents,
            is_error: row.has_error,
        }
    }
}

/// Something the user did on the canvas, or something it needs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum TreeEvent {
    /// A row was clicked and is now the selected one.
    RowSelected(RowRef),
    /// A row was clicked twice.
    RowActivated(RowRef),
    /// The pointer came to a row, or left one (`facts` is null).
    Hover {
        /// The row under the pointer.
        facts: Option<Box<RowFacts>>,
        /// Horizontal place of the pointer in points from the canvas's left edge.
        x: f32,
        /// Vertical place of the pointer in points from the canvas's top edge.
        y: f32,
    },
    /// Texts would be read if they were there.
    TextsWanted {
        /// Positions of the entries, at most a hundred.
        entries: Vec<u32>,
    },
    /// The pointer took hold of the cut.
    CutHeld,
    /// The cut was dragged to another of the places it may be at.
    CutMoved {
        /// Number of the place, from 0.
        place: u32,
    },
    /// The pointer let go of the cut.
    CutReleased,
    /// The grip of the cut came to another place on screen.
    CutShown {
        /// Its middle in points from the canvas's left edge.
        x: f32,
        /// Its middle in points from the canvas's top edge.
        y: f32,
    },
    /// The visible part changed.
    ViewportChanged {
        /// Points on screen per unit.
        scale: f32,
        /// Which of the three ways to look it is; far wherever just the whole session is seen.
        distance: Distance,
        /// The first row on screen.
        first: u32,
        /// The last row on screen.
        last: u32,
        /// Number of rows.
        rows: u32,
    },
}
