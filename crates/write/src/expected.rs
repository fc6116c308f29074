//! The context that an agent must read from what is written.

use palimpsest_core::{Bodies, BodyError, ContextItem, Message};

/// One item of the predicted context, in the order sent.
#[derive(Debug, Clone, PartialEq)]
pub enum ExpectedItem {
    /// An item of the original's context, unchanged.
    Original(ContextItem),
    /// A message that the original does not hold.
    New(Message),
}

impl ExpectedItem {
    /// The message the model must get. `read` gives the message of an item of the original.
    ///
    /// Errors: those of `read`.
    pub fn message(
        &self,
        read: &dyn Fn(&ContextItem, &dyn Bodies) -> Result<Message, BodyError>,
        bodies: &dyn Bodies,
    ) -> Result<Message, BodyError> {
        match self {
            ExpectedItem::Original(item) => read(item, bodies),
            ExpectedItem::New(message) => Ok(message.clone()),
        }
    }
}

/// True when the model gets the same from both messages.
pub fn same_message(read: &Message, wanted: &Message) -> bool {
    let mut wanted = wanted.clone();
    // A result in a replacement history of Codex does not say which tool it is of, and no agent
    // sends the name with a result.
    if let (Some(read), Some(wanted)) = (&read.tool, &mut wanted.tool)
        && read.name.is_empty()
    {
        wanted.name.clear();
    }
    *read == wanted
}
