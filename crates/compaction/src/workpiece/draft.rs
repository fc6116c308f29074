//! The context between the stages: each item with its fate, its size and what was done to it.

use crate::vocabulary::estimate::estimate_message;
use crate::vocabulary::fate::Fate;
use crate::vocabulary::input::{PlanInput, memoized};
use crate::vocabulary::memo::{MemoKey, Weight, item_subject, question};
use crate::vocabulary::selection::Selection;
use crate::vocabulary::summary::Change;
use crate::workpiece::edit::Edit;
use crate::workpiece::results::ToolResult;
use palimpsest_core::{BodyError, Message, Origin};
use serde::{Deserialize, Serialize};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Arc, LazyLock};

/// To which items a step applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// What stays and what is summarized.
    #[default]
    All,
    /// What stays.
    Kept,
    /// What is summarized.
    Summarized,
}

impl Scope {
    /// The words of a parameter of this type.
    pub(crate) const WORDS: &'static [&'static str] = &["all", "kept", "summarized"];

    pub(crate) fn takes(self, fate: Fate) -> bool {
        match fate {
            Fate::Kept => self != Scope::Summarized,
            Fate::Summarized | Fate::TurnPrefix => self != Scope::Kept,
            Fate::System | Fate::Carried | Fate::Dropped => false,
        }
    }
}

/// An item on its way through the stages.
#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    /// What becomes of it.
    pub fate: Fate,
    /// Its estimated tokens, as it is now.
    pub tokens: u64,
    /// What was done to it, step by step. A message is changed when it is asked for: most of
    /// what is cleared lies in what no call shows.
    edits: Vec<Edit>,
    /// True when nothing stands in its place.
    is_gone: bool,
    /// The step that changed it last.
    by: Option<&'static str>,
}

/// The context between the stages.
pub struct Draft<'a> {
    /// What the plan is made from.
    pub input: &'a PlanInput<'a>,
    /// One for each item of the context.
    pub pieces: Vec<Piece>,
    /// True when the conversations of calls are counted and not written out.
    pub only_counts: bool,
    /// Most bytes of the conversation in a call, where the method has such a limit.
    pub call_budget_bytes: Option<u64>,
}

impl<'a> Draft<'a> {
    /// The context as it is, with the fates that were chosen.
    pub fn new(input: &'a PlanInput<'a>, selection: &Selection) -> Draft<'a> {
        let items = input.context.items.iter().zip(&selection.fates);
        let pieces = items
            .map(|(item, &fate)| Piece {
                fate,
                tokens: item.estimate,
                edits: Vec::new(),
                is_gone: false,
                by: None,
            })
            .collect();
        Draft {
            input,
            pieces,
            only_counts: input.messages.only_counts(),
            call_budget_bytes: None,
        }
    }

    /// Positions of the pieces with this fate that are still there, in order.
    pub fn items(&self, fate: Fate) -> Vec<usize> {
        (0..self.pieces.len())
            .filter(|&at| self.pieces[at].fate == fate && !self.is_gone(at))
            .collect()
    }

    /// Positions of the pieces to which a step of this scope applies, in order.
    pub fn within(&self, scope: Scope) -> Vec<usize> {
        (0..self.pieces.len())
            .filter(|&at| scope.takes(self.pieces[at].fate) && !self.is_gone(at))
            .collect()
    }

    pub(crate) fn is_gone(&self, at: usize) -> bool {
        self.pieces[at].is_gone
    }

    /// The message of the item at this position, as it is now.
    pub fn message(&self, at: usize) -> Result<Message, BodyError> {
        let mut message = self.input.messages.message(&self.input.context.items[at])?;
        for edit in &self.pieces[at].edits {
            // On a copy: an edit that changes nothing gives nothing back.
            if let Some(changed) = edit.apply(message.clone()) {
                message = changed;
            }
        }
        Ok(message)
    }

    /// What `answer` makes of the message of the item at this position, as it is now. `question`
    /// stands for what is asked, with all its parameters: the answer is kept for the next plan.
    pub(crate) fn memo<T: Weight + Send + Sync + 'static>(
        &self,
        at: usize,
        question: u64,
        answer: impl Fn(&Message) -> T,
    ) -> Result<Arc<T>, BodyError> {
        let key = MemoKey {
            question,
            subject: self.subject(at, None),
            place: Some(at),
        };
        memoized(self.input.messages, key, || {
            self.message(at).map(|message| answer(&message))
        })
    }

    /// A number that stands for the item at this position as it is now, and after one more change.
    pub(crate) fn subject(&self, at: usize, more: Option<&Edit>) -> u64 {
        let own = item_subject(&self.input.context.items[at]);
        let edits = &self.pieces[at].edits;
        // The number that `MemoKey::item` has as well, so unchanged items share their answers.
        if edits.is_empty() && more.is_none() {
            return own;
        }
        let mut hasher = DefaultHasher::new();
        own.hash(&mut hasher);
        for edit in edits.iter().chain(more) {
            edit.hash(&mut hasher);
        }
        hasher.finish()
    }

    /// Estimated tokens of the item at this position after one more change; `None` when there is
    /// nothing to change.
    pub(crate) fn tokens_after(&self, at: usize, edit: &Edit) -> Result<Option<u64>, BodyError> {
        static QUESTION: LazyLock<u64> = LazyLock::new(|| question("tokens after edits", &()));
        let key = MemoKey {
            question: *QUESTION,
            subject: self.subject(at, Some(edit)),
            place: Some(at),
        };
        let tokens = memoized(self.input.messages, key, || {
            let changed = edit.apply(self.message(at)?);
            Ok(changed.map(|message| estimate_message(&message)))
        })?;
        Ok(*tokens)
    }

    /// Puts `placeholder` in the place of all that the items at these positions say, where that
    /// is smaller.
    pub fn clear(
        &mut self,
        positions: impl IntoIterator<Item = usize>,
        placeholder: &str,
        by: &'static str,
    ) {
        let tokens = crate::vocabulary::estimate::estimate(placeholder);
        let placeholder: Arc<str> = placeholder.into();
        for at in positions {
            self.put(at, Edit::Cleared(Arc::clone(&placeholder)), tokens, by);
        }
    }

    /// Changes the item at this position, where that makes it smaller.
    pub(crate) fn edit(
        &mut self,
        at: usize,
        edit: Edit,
        by: &'static str,
    ) -> Result<(), BodyError> {
        if let Some(tokens) = self.tokens_after(at, &edit)? {
            self.put(at, edit, tokens, by);
        }
        Ok(())
    }

    /// The same where the tokens that are left are known.
    pub(crate) fn put(&mut self, at: usize, edit: Edit, tokens: u64, by: &'static str) {
        let piece = &mut self.pieces[at];
        if tokens < piece.tokens {
            // Earlier edits have no effect on a message that is cleared.
            if matches!(edit, Edit::Cleared(_)) {
                piece.edits.clear();
            }
            piece.tokens = tokens;
            piece.edits.push(edit);
            piece.by = Some(by);
        }
    }

    /// Takes the item at this position out. A step that takes out a tool call must take out its
    /// results as well.
    pub fn remove(&mut self, at: usize, by: &'static str) {
        let piece = &mut self.pieces[at];
        piece.tokens = 0;
        piece.edits.clear();
        piece.is_gone = true;
        piece.by = Some(by);
    }

    /// The item at this position as a result of a tool.
    pub(crate) fn result(&self, at: usize) -> ToolResult<'a> {
        let item = &self.input.context.items[at];
        ToolResult {
            at,
            tokens: self.pieces[at].tokens,
            tool: item.tool_name.as_deref().unwrap_or_default(),
            is_cleared: item.origin == Origin::Cleared,
        }
    }

    /// What was changed.
    pub fn changes(&self) -> Vec<Change> {
        let items = self.input.context.items.iter().zip(&self.pieces);
        items
            .enumerate()
            .filter_map(|(at, (item, piece))| {
                let by = piece.by?;
                Some(Change {
                    item: at,
                    entry: item.entries.first().copied(),
                    by,
                    tokens_before: item.estimate,
                    tokens_after: piece.tokens,
                })
            })
            .collect()
    }
}
