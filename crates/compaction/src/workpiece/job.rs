//! What a way of summarizing works on, and what it makes of it.

use crate::plan::derived::Derived;
use crate::vocabulary::call::{PlannedCall, Purpose, Step};
use crate::vocabulary::fate::Fate;
use crate::vocabulary::prompt::{Chunk, Conversation, Prompt};
use crate::vocabulary::request::{RequestForm, RequestMessage};
use crate::vocabulary::slot::ReplySlot;
use crate::vocabulary::summary::SummaryPart;
use crate::workpiece::draft::Draft;
use crate::workpiece::memory_stream::MemoryStream;
use crate::workpiece::prompts::Prompts;
use crate::workpiece::template::Values;
use crate::workpiece::transcript::Transcript;
use palimpsest_core::Role;
use std::sync::Arc;

/// What a method works on.
pub struct Job<'a> {
    /// The prompts of the preset.
    pub prompts: &'a Prompts,
    /// In which form calls give the conversation.
    pub request: RequestForm,
    /// How messages are written out.
    pub transcript: &'a Transcript,
    /// Tokens the agent keeps free for the reply.
    pub reserve_tokens: u64,
    /// How long a summary should be, in words.
    pub words: u64,
    /// By what memories are scored, where what stays was chosen by that.
    pub memory: Option<&'a MemoryStream>,
    /// The context after the stages before.
    pub draft: &'a Draft<'a>,
    /// Positions of the items to summarize.
    pub history: Vec<usize>,
    /// Positions of the items of a split turn's beginning.
    pub turn_prefix: Vec<usize>,
    /// The summary to carry on; `None` when there is none or it is empty.
    pub previous: Option<&'a str>,
    /// The newest message of the user, where nothing has answered it and a prompt asks for it.
    pub pending: Option<String>,
    /// Number of items at the beginning of the context in which the summary of a branch will stand.
    pub stays: usize,
}

impl<'a> Job<'a> {
    /// No calls, and the previous summary as it is.
    pub fn carried_on(&self) -> Outline {
        let text = |text: &str| SummaryPart::Text(text.to_owned());
        Outline {
            summary: self.previous.map(text).into_iter().collect(),
            ..Outline::default()
        }
    }

    /// These positions with those of what stays, in the order of the context; of the context that
    /// the summary of a branch will stand in nothing.
    pub(crate) fn with_kept(&self, positions: &[usize]) -> Vec<usize> {
        let kept = self.draft.items(Fate::Kept).into_iter();
        let mut all: Vec<usize> = kept.filter(|&at| at >= self.stays).collect();
        all.extend(positions);
        all.sort_unstable();
        all
    }

    /// Values with what every prompt may use: the previous summary and the user's instructions.
    pub fn values(&self) -> Values<'a> {
        Values::default()
            .text("previous_summary", self.previous.unwrap_or_default())
            .text("words", &self.words.to_string())
            .text("pending", self.pending.as_deref().unwrap_or_default())
            .text("transcript_file", &self.draft.input.session.meta.path)
            .instructions(Some(self.draft.input.instructions))
    }

    /// A call whose user message is the prompt called `prompt`, with `values` in it.
    pub fn call(
        &self,
        purpose: Purpose,
        step: Step,
        prompt: &str,
        values: &Values<'_>,
    ) -> PlannedCall {
        let system = self.text("system", &Values::default());
        let prompt = Prompt::of(self.prompts.template(prompt).render(values));
        PlannedCall::of(purpose, step, system, prompt)
    }

    /// A call that sends `conversation` as messages. Behind them stands the reply of the call with
    /// the number `quoted`, where one is given, and then what the prompt called `prompt` has behind
    /// its conversation.
    pub fn call_in_conversation(
        &self,
        purpose: Purpose,
        step: Step,
        prompt: &str,
        values: &Values<'_>,
        conversation: &Arc<Conversation>,
        quoted: Option<usize>,
    ) -> PlannedCall {
        let between = || Chunk::Text(conversation.separator.clone());
        let shown = Arc::clone(conversation);
        // Nothing is left out where a reply to all of it follows.
        let shown = match quoted {
            Some(_) => Chunk::Quoted(shown),
            None => Chunk::Conversation(shown),
        };
        let mut chunks = vec![shown, between()];
        let reply = quoted.map(|call| {
            let start = conversation.len + conversation.separator.len();
            let end = start + ReplySlot::mark(call).len();
            chunks.extend([Chunk::Reply(call), between()]);
            RequestMessage::of_text(Role::Assistant, start..end)
        });
        let before: usize = chunks.iter().map(Chunk::len).sum();
        chunks.extend(request_of(self.prompts.template(prompt).render(values)));
        let mut prompt = Prompt::of(chunks);
        prompt.messages.extend(reply);
        let request = before..prompt.text.len();
        prompt.messages.push(RequestMessage::of_user(request));
        let system = self.text("system", &Values::default());
        let mut call = PlannedCall::of(purpose, step, system, prompt);
        call.request = RequestForm::Conversation;
        call
    }

    /// The prompt called `prompt` as text.
    pub fn text(&self, prompt: &str, values: &Values<'_>) -> String {
        Prompt::of(self.prompts.template(prompt).render(values)).text
    }
}

/// What a prompt has behind its conversation, without the tag that closes it there: the request as a
/// message of its own. All of it where no conversation is in it or nothing stands behind.
fn request_of(mut chunks: Vec<Chunk>) -> Vec<Chunk> {
    let is_conversation = |chunk: &Chunk| matches!(chunk, Chunk::Conversation(_));
    let Some(at) = chunks.iter().position(is_conversation) else {
        return chunks;
    };
    let mut behind = chunks.split_off(at + 1);
    if let Some(Chunk::Text(text)) = behind.first_mut() {
        let said = text.trim_start();
        let said = match said
            .strip_prefix("</")
            .and_then(|rest| rest.split_once('>'))
        {
            Some((_, rest)) => rest.trim_start(),
            None => said,
        };
        *text = said.to_owned();
    }
    let is_empty = |chunk: &Chunk| matches!(chunk, Chunk::Text(text) if text.is_empty());
    if behind.iter().all(is_empty) {
        chunks.pop();
        return chunks;
    }
    behind
}

/// The result of a method.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outline {
    /// The calls.
    pub calls: Vec<PlannedCall>,
    /// The summary: texts, and replies between them.
    pub summary: Vec<SummaryPart>,
    /// What follows from replies beside the summary itself.
    pub derived: Derived,
    /// Text that stands for the history when no call is made for it.
    pub fixed_history: Option<String>,
}
