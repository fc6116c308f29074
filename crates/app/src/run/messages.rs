//! The messages of a session, for planning and for execution.

use crate::session::OpenSession;
use palimpsest_compaction::ItemMessages;
use palimpsest_core::{BodyError, ContextItem, Message};

/// Messages of an open session's context items.
pub(crate) struct SessionMessages<'a>(pub &'a OpenSession);

impl ItemMessages for SessionMessages<'_> {
    fn message(&self, item: &ContextItem) -> Result<Message, BodyError> {
        let open = self.0;
        open.format.item_message(&open.session, item, &open.bodies)
    }
}
