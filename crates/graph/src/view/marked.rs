//! What a plan and the user make of entries, per row.

use crate::draw::plan::Marks;
use crate::draw::user::UserMark;
use crate::scene::Scene;
use palimpsest_core::EntryIx;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Entries that a plan is about, by their position in the session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Highlight {
    /// Summarized away.
    pub summarized: Vec<u32>,
    /// The beginning of a split turn, summarized apart.
    pub turn_prefix: Vec<u32>,
    /// Kept as they are.
    pub kept: Vec<u32>,
    /// Left out, without a summary.
    pub dropped: Vec<u32>,
    /// Made smaller without a model; each has another part as well.
    pub cleared: Vec<u32>,
}

/// Entries with marks of the user, by their position in the session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct UserMarks {
    /// With a note.
    pub noted: Vec<u32>,
    /// With a label of the user.
    pub labelled: Vec<u32>,
}

/// Both, as they were told and as they lie on the rows of a picture.
#[derive(Debug, Default)]
pub(super) struct Marked {
    /// Kept for the next picture of the session.
    highlight: Highlight,
    user_marks: UserMarks,
    /// Per row, its part in the plan; empty when no plan is on show.
    pub plan: Vec<Marks>,
    /// What the user put on rows.
    pub user: HashMap<u32, UserMark>,
}

impl Marked {
    /// Shows another plan; true when it is another.
    pub(super) fn set_plan(&mut self, highlight: &Highlight, scene: &Scene) -> bool {
        let is_other = self.highlight != *highlight;
        if is_other {
            self.highlight = highlight.clone();
            self.place_plan(scene);
        }
        is_other
    }

    /// Shows other notes and labels; true when they are others.
    pub(super) fn set_user(&mut self, marks: UserMarks, scene: &Scene) -> bool {
        let is_other = self.user_marks != marks;
        if is_other {
            self.user_marks = marks;
            self.place_user(scene);
        }
        is_other
    }

    /// Finds the rows again in another picture.
    pub(super) fn place(&mut self, scene: &Scene) {
        self.place_plan(scene);
        self.place_user(scene);
    }

    fn place_user(&mut self, scene: &Scene) {
        self.user.clear();
        let row_of = |entry: &u32| scene.row_of(EntryIx(*entry)).map(|row| row.id);
        for row in self.user_marks.noted.iter().filter_map(row_of) {
            self.user.entry(row).or_default().note = true;
        }
        for row in self.user_marks.labelled.iter().filter_map(row_of) {
            self.user.entry(row).or_default().label = true;
        }
    }

    fn place_plan(&mut self, scene: &Scene) {
        self.plan.clear();
        if self.highlight == Highlight::default() {
            return;
        }
        let rows = scene.picture().rows.len();
        self.plan.resize(rows, Marks::default());
        let plan = &mut self.plan;
        let mut mark = |entries: &[u32], set: fn(&mut Marks)| {
            for &entry in entries {
                if let Some(row) = scene.row_of(EntryIx(entry)) {
                    set(&mut plan[row.id as usize]);
                }
            }
        };
        mark(&self.highlight.summarized, |marks| marks.summarized = true);
        mark(&self.highlight.turn_prefix, |marks| {
            marks.turn_prefix = true
        });
        mark(&self.highlight.kept, |marks| marks.kept = true);
        mark(&self.highlight.dropped, |marks| marks.dropped = true);
        mark(&self.highlight.cleared, |marks| marks.cleared = true);
    }
}
