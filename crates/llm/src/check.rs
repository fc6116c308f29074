//! Which replies are not a summary, however politely they arrived.

use palimpsest_core::call::{ModelReply, StopReason};
use palimpsest_core::{Failure, NextStep};

/// Why a reply was not taken as a summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ReplyRefusal {
    /// The output limit cut it.
    #[error("the reply is incomplete, because it reached the limit of output tokens")]
    Incomplete,
    /// It holds a tool call.
    #[error("the model called a tool instead of writing a summary")]
    ToolCall,
    /// The model or its provider declined.
    #[error("the model refused to answer")]
    Declined,
    /// It has no text.
    #[error("the reply has no text")]
    Empty,
}

impl Failure for ReplyRefusal {
    fn next(&self) -> Option<NextStep> {
        Some(match self {
            ReplyRefusal::Incomplete => NextStep::AllowMoreOutput { limit: None },
            ReplyRefusal::Declined => NextStep::ChangeModelOrInstructions,
            ReplyRefusal::ToolCall | ReplyRefusal::Empty => NextStep::ChangeModel,
        })
    }
}

/// Whether a reply can be kept as a summary.
///
/// The rules are pi's: a reply cut by its limit is refused as incomplete (since 0.84.3), one with
/// a tool call is refused, and an empty one too; a refusal is told apart from an empty reply.
pub fn check_reply(reply: &ModelReply) -> Result<(), ReplyRefusal> {
    match reply.stop {
        StopReason::Length => return Err(ReplyRefusal::Incomplete),
        StopReason::ToolCall => return Err(ReplyRefusal::ToolCall),
        StopReason::Refusal => return Err(ReplyRefusal::Declined),
        // Servers have their own names for an ordinary end, such as `eos`.
        StopReason::Stop | StopReason::Other(_) => {}
    }
    if reply.text.trim().is_empty() {
        return Err(ReplyRefusal::Empty);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use palimpsest_core::Usage;

    fn checked(text: &str, stop: StopReason) -> Result<(), ReplyRefusal> {
        let text = text.to_owned();
        check_reply(&ModelReply {
            text,
            block_starts: Vec::new(),
            stop,
            usage: Usage::default(),
            model: None,
        })
    }

    #[test]
    fn only_a_whole_text_passes() {
        assert_eq!(checked("text", StopReason::Stop), Ok(()));
        assert_eq!(checked("text", StopReason::Other("eos".to_owned())), Ok(()));
        assert_eq!(
            checked("text", StopReason::Length),
            Err(ReplyRefusal::Incomplete)
        );
        assert_eq!(
            checked("text", StopReason::ToolCall),
            Err(ReplyRefusal::ToolCall)
        );
        assert_eq!(
            checked("text", StopReason::Refusal),
            Err(ReplyRefusal::Declined)
        );
        assert_eq!(
            checked("", StopReason::Refusal),
            Err(ReplyRefusal::Declined)
        );
        assert_eq!(checked(" \n", StopReason::Stop), Err(ReplyRefusal::Empty));
    }
}
