//! Where a reply goes in a prompt, and where a message stands in it.

use crate::vocabulary::fill::Fill;
use serde::Serialize;
use std::fmt::Write as _;
use std::ops::Range;

/// Where a reply goes in a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, serde::Deserialize)]
pub struct ReplySlot {
    /// The mark that is replaced, in bytes of the prompt.
    pub range: Range<usize>,
    /// Number of the call whose reply goes there.
    pub call: usize,
    /// What of it; and what follows from it.
    pub fill: Fill,
}

impl ReplySlot {
    /// What stands in a prompt until the reply is there.
    pub fn mark(call: usize) -> String {
        ReplySlot::mark_for(call, Fill::Reply)
    }

    /// What stands in a prompt until what follows from a reply is there; rounds and questions are
    /// shown from 1.
    pub fn mark_for(call: usize, fill: Fill) -> String {
        let mut mark = String::new();
        ReplySlot::write_mark(&mut mark, call, fill);
        mark
    }

    /// Puts the mark behind `out`. Where each call quotes all before it there are many.
    pub(crate) fn write_mark(out: &mut String, call: usize, fill: Fill) {
        let written = match fill {
            Fill::Reply => write!(out, "{{{{reply of call {call}}}}}"),
            Fill::Question { question, .. } => {
                write!(out, "{{{{question {} of call {call}}}}}", question + 1)
            }
            Fill::Records { question, .. } => {
                let question = question + 1;
                write!(
                    out,
                    "{{{{records retrieved for question {question} of call {call}}}}}"
                )
            }
            Fill::Insights { .. } => out.write_str("{{insights of the rounds before}}"),
            Fill::Reflections => out.write_str("{{all insights, checked}}"),
            Fill::Memories => out.write_str("{{what is retrieved by the ratings}}"),
        };
        written.expect("a text takes what is written to it");
    }

    /// Length of the mark, in bytes as in UTF-16 units.
    pub(crate) fn mark_len(call: usize, fill: Fill) -> u64 {
        match fill {
            Fill::Reply => {
                let digits = call.checked_ilog10().map_or(1, |log| log + 1);
                "{{reply of call }}".len() as u64 + u64::from(digits)
            }
            fill => ReplySlot::mark_for(call, fill).len() as u64,
        }
    }
}

/// A message in a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, serde::Deserialize)]
pub struct PromptPart {
    /// Its text with the separator after it, in bytes.
    pub range: Range<usize>,
    /// Position in the context's items.
    pub item: usize,
    /// Parts of the same unit are left out together: a call and its results.
    pub unit: usize,
    /// True for the result of a tool.
    pub is_tool_result: bool,
    /// UTF-16 units of its text with the separator.
    pub units: u64,
}
