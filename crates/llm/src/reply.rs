//! A reply as it grows, whatever API it comes through.

use palimpsest_core::Usage;
use palimpsest_core::call::{ModelReply, StopReason};

/// What has come of a reply.
#[derive(Debug, Default)]
pub(crate) struct GrowingReply {
    pub(crate) text: String,
    /// Where its blocks begin, but for the first.
    pub(crate) block_starts: Vec<usize>,
    pub(crate) usage: Usage,
    pub(crate) model: Option<String>,
    /// Why the model stopped, once it said so.
    pub(crate) stop: Option<StopReason>,
    /// A tool call was seen, whatever the model says about its stop.
    pub(crate) called_tool: bool,
    /// A refusal was seen, whatever the model says about its stop.
    pub(crate) refused: bool,
    /// The protocol's own end was seen: nothing more will come.
    pub(crate) ended: bool,
}

impl GrowingReply {
    /// Notes that a block of text begins here, `before` bytes behind what has been taken in. One
    /// that has nothing in it begins where the next does.
    pub(crate) fn begin_block(&mut self, before: usize) {
        let start = self.text.len() + before;
        if start > 0 && self.block_starts.last() != Some(&start) {
            self.block_starts.push(start);
        }
    }

    /// The whole reply; `None` when neither the model nor the protocol said it was complete.
    pub(crate) fn complete(self) -> Option<ModelReply> {
        let stop = match self.stop {
            // The protocol ended without a reason: some local servers leave it out.
            None if self.ended => StopReason::Stop,
            stop => stop?,
        };
        // A limit that cut the reply matters more than what the model was about to do.
        let stop = match stop {
            StopReason::Length => StopReason::Length,
            _ if self.called_tool => StopReason::ToolCall,
            _ if self.refused => StopReason::Refusal,
            stop => stop,
        };
        Some(ModelReply {
            text: self.text,
            block_starts: self.block_starts,
            stop,
            usage: self.usage,
            model: self.model,
        })
    }
}
