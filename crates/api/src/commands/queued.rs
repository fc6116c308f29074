//! Prompts that the user wrote while the model was at work, with what became of them.

use crate::wire::QueuedView;
use palimpsest_app::view::queued::queued_in;
use palimpsest_app::{OpenSession, QueueFate};
use palimpsest_core::EntryIx;
use std::cell::OnceCell;
use std::collections::HashMap;

/// The queued prompts of a session, looked for once one of its records may be one.
pub(crate) struct QueuedPrompts<'a> {
    open: &'a OpenSession,
    known: OnceCell<HashMap<EntryIx, (QueueFate, Option<EntryIx>)>>,
}

impl<'a> QueuedPrompts<'a> {
    /// Those of a session.
    pub(crate) fn of_session(open: &'a OpenSession) -> QueuedPrompts<'a> {
        QueuedPrompts {
            open,
            known: OnceCell::new(),
        }
    }

    /// What became of the prompt in an entry; `None` of other entries.
    pub(crate) fn of(&self, ix: EntryIx) -> Option<QueuedView> {
        let open = self.open;
        open.format.queueing(open.session.entry(ix))?;
        let known = self.known.get_or_init(|| queued_in(open));
        known.get(&ix).map(|&(fate, sent_as)| QueuedView {
            fate: fate.into(),
            entry_id: sent_as.map(|ix| open.session.name_of(ix)),
        })
    }
}
