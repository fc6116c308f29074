//! What was written, read again and compared with the prediction.

use crate::error::Result;
use crate::session::OpenSession;
use palimpsest_core::{Bodies, ContextItem, Message};
use palimpsest_write::{ExpectedItem, same_message};
use std::path::Path;

/// The first difference between the context of the session at `path` and the one predicted from
/// `original`; `None` where they are equal item by item.
///
/// Errors: the file cannot be read as a session.
pub(super) fn difference(
    original: &OpenSession,
    path: &Path,
    wanted: &[ExpectedItem],
) -> Result<Option<String>> {
    let read = OpenSession::read(path)?;
    let leaf = read.session.active_leaf;
    let context = read.format.context(&read.session, &read.tree, leaf);
    let of_original = |item: &ContextItem, bodies: &dyn Bodies| {
        original
            .format
            .item_message(&original.session, item, bodies)
    };
    if context.items.len() != wanted.len() {
        let (has, should) = (context.items.len(), wanted.len());
        return Ok(Some(format!("{has} items and not {should}")));
    }
    for (place, (item, wanted)) in context.items.iter().zip(wanted).enumerate() {
        let got = read
            .format
            .item_message(&read.session, item, &read.bodies)?;
        let wanted: Message = wanted.message(&of_original, &original.bodies)?;
        if !same_message(&got, &wanted) {
            let (has, should) = (got.native_role, wanted.native_role);
            return Ok(Some(format!(
                "item {place} is {has} and should be {should}, or has another text"
            )));
        }
    }
    Ok(None)
}
