//! The messages that a plan's calls are about.

use crate::plan::planned::Plan;
use crate::vocabulary::input::ItemMessages;
use palimpsest_core::{BodyError, Context, EntryIx, Message, Session};
use palimpsest_ledger::SpanItem;

/// The messages of a plan's calls, loaded.
#[derive(Debug, Clone, Default)]
pub struct CallMessages {
    calls: Vec<Vec<Spoken>>,
    /// That of the plan's fallbacks, in their order.
    fallbacks: Vec<CallMessages>,
}

/// One message with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Spoken {
    /// The entry.
    pub entry: EntryIx,
    /// Which message of the entry.
    pub message_index: usize,
    /// The message as the model got it.
    pub message: Message,
    /// When it was written, Unix milliseconds.
    pub at_ms: Option<i64>,
}

impl Spoken {
    /// The message as the ledger takes it.
    pub fn as_span_item(&self) -> SpanItem<'_> {
        SpanItem {
            entry: self.entry,
            message_index: self.message_index,
            message: &self.message,
            at_ms: self.at_ms,
        }
    }
}

impl CallMessages {
    /// Loads the messages that the calls of `plan` are about.
    pub fn load(
        plan: &Plan,
        session: &Session,
        context: &Context,
        messages: &dyn ItemMessages,
    ) -> Result<CallMessages, BodyError> {
        let mut calls = Vec::with_capacity(plan.calls.len());
        for call in &plan.calls {
            let mut spoken = Vec::with_capacity(call.items.len());
            for item in call
                .items
                .iter()
                .filter_map(|&position| context.items.get(position))
            {
                let Some(&entry) = item.entries.first() else {
                    // No entry stands behind what is always sent.
                    continue;
                };
                spoken.push(Spoken {
                    entry,
                    message_index: item.message_index,
                    message: messages.message(item)?,
                    at_ms: session.entry(entry).at_ms,
                });
            }
            calls.push(spoken);
        }
        let others = plan.fallbacks.iter();
        let others = others.map(|own| CallMessages::load(&own.plan, session, context, messages));
        Ok(CallMessages {
            calls,
            fallbacks: others.collect::<Result<_, _>>()?,
        })
    }

    /// The messages of the fallback with this number.
    pub(crate) fn fallback(&self, number: usize) -> CallMessages {
        self.fallbacks.get(number).cloned().unwrap_or_default()
    }

    /// The messages of the call with this number.
    pub(crate) fn call(&self, number: usize) -> &[Spoken] {
        self.calls.get(number).map_or(&[], Vec::as_slice)
    }
}
