//! What planning reads again and again, kept while one session is planned.

use super::planning::SessionMessages;
use crate::session::{OpenSession, lock};
use palimpsest_compaction::ItemMessages;
use palimpsest_compaction::plan::ItemText;
use palimpsest_core::{BodyError, ContextItem, Message};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Arc, Mutex, Weak};

/// Bytes of written-out items that are kept at most: those of a session of about 60 MB, tool
/// results cut as most strategies cut them. When they are used up, what came first stays: a cut
/// that is dragged asks for all in the same order each time, so that keeping the newest would
/// keep nothing that is asked for next.
const KEPT_BYTES: usize = 64 << 20;

/// The texts of the session planned last.
#[derive(Default)]
pub(crate) struct KeptTexts(Mutex<Texts>);

#[derive(Default)]
struct Texts {
    session: Weak<OpenSession>,
    texts: HashMap<(u64, u64), ItemText>,
    bytes: usize,
}

/// The messages of a session, and its texts as far as they are kept.
pub(crate) struct PlanningMessages<'a> {
    /// The session.
    pub open: &'a Arc<OpenSession>,
    /// Where its texts are kept.
    pub kept: &'a KeptTexts,
}

impl ItemMessages for PlanningMessages<'_> {
    fn message(&self, item: &ContextItem) -> Result<Message, BodyError> {
        SessionMessages(self.open).message(item)
    }

    fn written(
        &self,
        item: &ContextItem,
        form: u64,
        make: &mut dyn FnMut() -> Result<ItemText, BodyError>,
    ) -> Result<ItemText, BodyError> {
        let key = (number(item), form);
        {
            let mut texts = lock(&self.kept.0);
            if !std::ptr::eq(texts.session.as_ptr(), Arc::as_ptr(self.open)) {
                *texts = Texts {
                    session: Arc::downgrade(self.open),
                    ..Texts::default()
                };
            } else if let Some(text) = texts.texts.get(&key) {
                return Ok(text.clone());
            }
        }
        // Not under the lock: this reads the source.
        let text = make()?;
        lock(&self.kept.0).keep(self.open, key, &text);
        Ok(text)
    }
}

impl Texts {
    fn keep(&mut self, open: &Arc<OpenSession>, key: (u64, u64), text: &ItemText) {
        let bytes = text.text.len() + size_of::<((u64, u64), ItemText)>();
        let is_same = std::ptr::eq(self.session.as_ptr(), Arc::as_ptr(open));
        if is_same && self.bytes + bytes <= KEPT_BYTES {
            self.bytes += bytes;
            self.texts.insert(key, text.clone());
        }
    }
}

/// A number that stands for the message of an item: its entries, which of their messages, and
/// what became of it.
fn number(item: &ContextItem) -> u64 {
    let mut hasher = DefaultHasher::new();
    item.entries.hash(&mut hasher);
    item.message_index.hash(&mut hasher);
    item.edited_by.hash(&mut hasher);
    item.native_role.hash(&mut hasher);
    std::mem::discriminant(&item.kind).hash(&mut hasher);
    std::mem::discriminant(&item.origin).hash(&mut hasher);
    hasher.finish()
}
