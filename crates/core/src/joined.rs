//! What Claude Code joins to an item before it when it sends a context.
//!
//! Reading a session and writing one have to join alike, so the rule stands below both. It is that of
//! 2.1.63 and 2.1.329.

use crate::body::Role;
use crate::context::ContextItem;
use crate::entry::Entry;

/// The word for the role of an attachment's text, which joins the text of a result before it.
pub const ATTACHMENT: &str = "attachment";

/// The word for the role of an attachment's text that stays a text of its own behind a result:
/// stored with the role of the user (2.1.329).
pub const USER_ATTACHMENT: &str = "user_attachment";

/// True for an entry that holds an attachment's text.
pub fn is_attachment(entry: &Entry) -> bool {
    let first = entry.messages.first();
    first.is_some_and(|size| [ATTACHMENT, USER_ATTACHMENT].contains(&size.native_role))
}

/// True for a block of a reply that another entry begins.
pub fn is_further_block(entry: &Entry) -> bool {
    entry.usage.is_some() && !entry.usage_trusted
}

/// The reply that a further block belongs to: results of its earlier blocks may stand between.
pub fn reply_before(items: &mut [ContextItem]) -> Option<&mut ContextItem> {
    let last = items.iter_mut().rev().find(|item| item.role != Role::Tool);
    last.filter(|item| item.role == Role::Assistant)
}

/// The result whose text an attachment joins: attachments that stay apart may stand between.
pub fn result_before(items: &mut [ContextItem]) -> Option<&mut ContextItem> {
    let mut items = items.iter_mut().rev();
    let last = items.find(|item| item.native_role != USER_ATTACHMENT);
    last.filter(|item| item.role == Role::Tool)
}
