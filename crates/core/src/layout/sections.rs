//! The rows of a picture, parted into turns and phases.

use super::model::{NodeClass, Picture};

/// Rows that belong together: a prompt with what followed it, or a summary alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    /// Its first row.
    pub first: u32,
    /// Its last row; all between are the turn's.
    pub last: u32,
    /// The lane it is in.
    pub lane: u32,
    /// The phase it is in.
    pub phase: u32,
    /// How many of its rows failed.
    pub errors: u32,
}

/// The rows from one compaction of the active path to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Phase {
    /// Its first row: the compaction, or the first row of the session.
    pub first: u32,
    /// Its last row.
    pub last: u32,
    /// Number of prompts in it.
    pub prompts: u32,
    /// Largest context in it, in tokens.
    pub most: u64,
}

/// Turns and phases, in the order of the rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sections {
    /// The turns; every row is in one.
    pub turns: Vec<Turn>,
    /// The phases; every row is in one.
    pub phases: Vec<Phase>,
    /// For each row, its turn.
    pub turn_of: Vec<u32>,
}

impl Sections {
    /// Parts the rows of a picture.
    pub fn of(picture: &Picture) -> Sections {
        let mut sections = Sections::default();
        let mut after_summary = false;
        for row in &picture.rows {
            let is_summary = matches!(row.class, NodeClass::Compaction | NodeClass::BranchSummary);
            let begins_phase = row.class == NodeClass::Compaction && row.lane == 0;
            if begins_phase || sections.phases.is_empty() {
                sections.phases.push(Phase {
                    first: row.id,
                    last: row.id,
                    prompts: 0,
                    most: 0,
                });
            }
            let is_prompt = row.class == NodeClass::User;
            if let Some(phase) = sections.phases.last_mut() {
                phase.last = row.id;
                phase.prompts += u32::from(is_prompt);
                if row.lane == 0 {
                    phase.most = phase.most.max(row.size);
                }
            }
            let goes_on = sections.turns.last().is_some_and(|turn| {
                turn.lane == row.lane && !is_prompt && !is_summary && !after_summary
            });
            if !goes_on {
                sections.turns.push(Turn {
                    first: row.id,
                    last: row.id,
                    lane: row.lane,
                    phase: count(sections.phases.len()) - 1,
                    errors: 0,
                });
            }
            if let Some(turn) = sections.turns.last_mut() {
                turn.last = row.id;
                turn.errors += u32::from(row.has_error);
            }
            sections.turn_of.push(count(sections.turns.len()) - 1);
            after_summary = is_summary;
        }
        sections
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
