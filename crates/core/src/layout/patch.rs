//! The difference between the tree that the canvas has and the tree that it should have.
//!
//! A host keeps the bytes it sent last. After a line is appended, a chain unfolded or a filter
//! chosen, it sends the difference to them, and the canvas puts both together.

use super::bytes::{GraphBytes, GraphBytesError, Reader, put};
use std::collections::HashMap;

/// What an answer begins with when the whole model follows.
const WHOLE: u8 = 0;
/// What it begins with when a difference follows: revisions before and after, then steps.
const DIFFERENCE: u8 = 1;

/// Names the bytes of a model; equal bytes have equal revisions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct GraphRevision(u64);

impl GraphRevision {
    /// The revision of these bytes (FNV-1a, 64 bits).
    pub fn of(bytes: &[u8]) -> GraphRevision {
        // FNV-1a needs no table and no dependency in the page, and both sides must compute the
        // same. It detects a wrong base, it does not protect against an attacker.
        let step = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        GraphRevision(bytes.iter().fold(0xcbf2_9ce4_8422_2325, step))
    }
}

impl std::fmt::Display for GraphRevision {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl std::str::FromStr for GraphRevision {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<GraphRevision, Self::Err> {
        u64::from_str_radix(text, 16).map(GraphRevision)
    }
}

impl GraphBytes {
    /// The revision of the bytes.
    pub fn revision(&self) -> GraphRevision {
        GraphRevision::of(&self.bytes)
    }

    /// The whole model as an answer.
    pub fn whole(&self) -> Vec<u8> {
        let mut answer = Vec::with_capacity(self.bytes.len() + 1);
        answer.push(WHOLE);
        answer.extend(&self.bytes);
        answer
    }

    /// What changed since `before` as an answer; the whole model where that is shorter.
    pub fn since(&self, before: &GraphBytes) -> Vec<u8> {
        let mut answer = vec![DIFFERENCE];
        answer.extend(before.revision().0.to_le_bytes());
        answer.extend(self.revision().0.to_le_bytes());
        for step in steps(before, self) {
            match step {
                Step::Copy(start, end) => {
                    put(&mut answer, ((end - start) as u64) << 1);
                    put(&mut answer, start as u64);
                }
                Step::Insert(start, end) => {
                    put(&mut answer, ((end - start) as u64) << 1 | 1);
                    answer.extend(&self.bytes[start..end]);
                }
            }
        }
        // After a change of the filter hardly a record is equal.
        if answer.len() > self.bytes.len() {
            self.whole()
        } else {
            answer
        }
    }
}

/// The bytes of the model that `answer` stands for, where `known` are those at hand.
pub fn received(known: &[u8], answer: &[u8]) -> Result<Vec<u8>, GraphBytesError> {
    let mut from = Reader { bytes: answer };
    match from.byte()? {
        WHOLE => Ok(from.bytes.to_vec()),
        DIFFERENCE => {
            let [before, after] = [from.array()?, from.array()?].map(u64::from_le_bytes);
            if GraphRevision::of(known).0 != before {
                return Err(GraphBytesError::OtherBase);
            }
            let mut bytes = Vec::with_capacity(known.len() + from.bytes.len());
            while !from.bytes.is_empty() {
                let head = from.number()?;
                let length = usize::try_from(head >> 1).unwrap_or(usize::MAX);
                if head & 1 == 1 {
                    bytes.extend(from.take(length)?);
                    continue;
                }
                let start = usize::try_from(from.number()?).unwrap_or(usize::MAX);
                let copied = known.get(start..start.saturating_add(length));
                bytes.extend(copied.ok_or(GraphBytesError::Damaged("a copy of nothing"))?);
            }
            // Checked at the end, so that a wrong copy is an error and not a wrong picture.
            if GraphRevision::of(&bytes).0 == after {
                Ok(bytes)
            } else {
                Err(GraphBytesError::Damaged("not what was sent"))
            }
        }
        _ => Err(GraphBytesError::Damaged("the answer has an unknown kind")),
    }
}

/// A stretch of the new bytes: where it is copied from in the old ones, or where it is in the new.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Copy(usize, usize),
    Insert(usize, usize),
}

/// How `after` is put together from `before`: the same records at both ends, and between them each
/// record from where it was, if it was there. Linear in the number of records.
fn steps(before: &GraphBytes, after: &GraphBytes) -> Vec<Step> {
    let (old, new) = (records(before), records(after));
    let same = |old_at: usize, new_at: usize| {
        let ((a, b), (c, d)) = (old[old_at], new[new_at]);
        before.bytes[a..b] == after.bytes[c..d]
    };
    let shorter = old.len().min(new.len());
    // Appending changes the end and unfolding a middle part, so comparing from both ends leaves
    // little for the table of records.
    let head = (0..shorter).take_while(|&at| same(at, at)).count();
    let tail = (1..=shorter - head)
        .take_while(|&at| same(old.len() - at, new.len() - at))
        .count();
    let mut places: HashMap<&[u8], usize> = HashMap::new();
    // Equal records keep the first place; which of them is copied makes no difference to the
    // bytes.
    for (at, &(start, end)) in old.iter().enumerate().take(old.len() - tail).skip(head) {
        places.entry(&before.bytes[start..end]).or_insert(at);
    }
    let mut steps = Vec::new();
    // Neighbouring steps are joined: an unchanged tree is one copy.
    let mut add = |step: Step| match (steps.last_mut(), step) {
        (Some(Step::Copy(_, end)), Step::Copy(from, to))
        | (Some(Step::Insert(_, end)), Step::Insert(from, to))
            if *end == from =>
        {
            *end = to;
        }
        _ => steps.push(step),
    };
    let mut next = head;
    for (at, &(start, end)) in new.iter().enumerate() {
        let from = if at < head {
            Some(at)
        } else if at + tail >= new.len() {
            Some(old.len() + at - new.len())
        // The record after the last copied one is tried first, so that copies are long stretches.
        } else if next + tail < old.len() && same(next, at) {
            Some(next)
        } else {
            places.get(&after.bytes[start..end]).copied()
        };
        match from {
            Some(from) => {
                next = from + 1;
                add(Step::Copy(old[from].0, old[from].1));
            }
            None => add(Step::Insert(start, end)),
        }
    }
    steps
}

/// Where each record lies.
fn records(of: &GraphBytes) -> Vec<(usize, usize)> {
    let starts = std::iter::once(0).chain(of.ends.iter().copied());
    starts.zip(of.ends.iter().copied()).collect()
}
