//! Which questions go into one call, with the passages that they need.

use crate::passage::Passages;
use std::collections::BTreeSet;
use std::ops::Range;

/// A question as it is put into calls.
pub(super) struct Question {
    /// Its line in the prompt.
    pub line: String,
    /// Estimated tokens of the line.
    pub tokens: u64,
    /// The passages that speak of it, the most important first.
    pub near: Vec<usize>,
}

/// What one call may have.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    /// Tokens of questions and passages.
    pub tokens: u64,
    /// Questions, so that the reply fits.
    pub questions: usize,
}

/// Questions of one call, and its passages.
pub(super) struct Grouped {
    /// Positions of the questions.
    pub questions: Range<usize>,
    /// The passages.
    pub passages: BTreeSet<usize>,
}

/// The questions in calls, in their order; of a question whose passages do not fit into a call of its
/// own the least important are left out.
pub(super) fn grouped(questions: &[Question], passages: &Passages, room: Room) -> Vec<Grouped> {
    let mut out: Vec<Grouped> = Vec::new();
    let mut size = 0;
    for (at, question) in questions.iter().enumerate() {
        let added = |group: &Grouped| -> u64 {
            let new = question.near.iter();
            let new = new.filter(|passage| !group.passages.contains(passage));
            let new: u64 = new.map(|&passage| passages.tokens_of(passage)).sum();
            new + question.tokens
        };
        if let Some(group) = out.last_mut()
            && group.questions.len() < room.questions
        {
            let added = added(group);
            if size + added <= room.tokens {
                size += added;
                group.questions.end = at + 1;
                group.passages.extend(&question.near);
                continue;
            }
        }
        size = question.tokens;
        let mut own = BTreeSet::new();
        for &passage in &question.near {
            let tokens = passages.tokens_of(passage);
            if size + tokens <= room.tokens {
                size += tokens;
                own.insert(passage);
            }
        }
        out.push(Grouped {
            questions: at..at + 1,
            passages: own,
        });
    }
    out
}
