//! What a plan is made from.

use crate::vocabulary::memo::{Memo, MemoKey, Weight};
use palimpsest_core::{BodyError, Context, ContextItem, Message, Session};
use serde::Serialize;
use std::sync::Arc;

/// Gives the messages of a context's items; a format's `item_message` behind a closure.
pub trait ItemMessages {
    /// The message of `item` as the model gets it, edits applied.
    fn message(&self, item: &ContextItem) -> Result<Message, BodyError>;

    /// What was worked out under this key before, or else by `make`. Whoever plans the same
    /// session again and again keeps such memos: a cut that is dragged asks for most of them with
    /// every step. Keeping none, or forgetting any of them, changes nothing but the time a plan
    /// takes.
    fn memo(
        &self,
        _key: MemoKey,
        make: &mut dyn FnMut() -> Result<Memo, BodyError>,
    ) -> Result<Memo, BodyError> {
        make()
    }

    /// True when nobody will read or send the prompts of the plan: the conversations in them are
    /// then counted and left out. All else of the plan is the same.
    fn only_counts(&self) -> bool {
        false
    }
}

impl<F: Fn(&ContextItem) -> Result<Message, BodyError>> ItemMessages for F {
    fn message(&self, item: &ContextItem) -> Result<Message, BodyError> {
        self(item)
    }
}

/// The memo that `messages` keep under this key, or else what `make` makes.
pub(crate) fn memoized<T: Weight + Send + Sync + 'static>(
    messages: &dyn ItemMessages,
    key: MemoKey,
    mut make: impl FnMut() -> Result<T, BodyError>,
) -> Result<Arc<T>, BodyError> {
    let mut make_memo = || {
        let value = make()?;
        let bytes = size_of::<T>() + value.bytes();
        Ok(Memo {
            value: Arc::new(value),
            bytes,
        })
    };
    let memo = messages.memo(key, &mut make_memo)?;
    match memo.value.downcast::<T>() {
        Ok(value) => Ok(value),
        // Two questions of the same number: then this one is answered without being kept.
        Err(_) => make().map(Arc::new),
    }
}

/// What a plan is made from.
#[derive(Clone, Copy)]
pub struct PlanInput<'a> {
    /// The session.
    pub session: &'a Session,
    /// The context at the entry where the compaction would be made.
    pub context: &'a Context,
    /// The texts.
    pub messages: &'a dyn ItemMessages,
    /// The user's custom instructions.
    pub instructions: &'a Instructions,
    /// Vectors of texts; `None` where no embedding model is set up.
    pub vectors: Option<&'a dyn Vectors>,
}

/// The user's custom instructions for a summary.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, serde::Deserialize)]
pub struct Instructions {
    /// The text; blank means none.
    pub text: Option<String>,
    /// True when the text takes the place of the built-in request instead of following it.
    pub replace: bool,
}

impl Instructions {
    /// The text, unless it is blank.
    pub fn given(&self) -> Option<&str> {
        self.text
            .as_deref()
            .map(str::trim)
            .filter(|text| !text.is_empty())
    }
}

/// Gives the vectors of texts.
pub trait Vectors {
    /// The vector of exactly this text; `None` when it has not been computed. All vectors of one
    /// source have the same length.
    fn vector(&self, text: &str) -> Option<&[f32]>;
}
