//! The calls of a plan: their prompts, what they wait for, and where replies go.

use crate::vocabulary::estimate::{UNITS_PER_TOKEN, estimate};
use crate::vocabulary::fill::Fill;
use crate::vocabulary::form::ReplyForm;
use crate::vocabulary::prompt::{Prompt, remove_ends, tag_around};
use crate::vocabulary::request::{RequestForm, RequestMessage};
use crate::vocabulary::slot::{PromptPart, ReplySlot};
use palimpsest_core::json::utf16_len;
use serde::Serialize;
use std::ops::Range;

/// What a call is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// Summarizes history.
    #[default]
    History,
    /// Summarizes the beginning of a turn whose end is kept.
    TurnPrefix,
    /// Summarizes a branch that is left.
    Branch,
}

/// Which step of its purpose a call is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, serde::Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Step {
    /// The only one.
    #[default]
    Whole,
    /// One segment of several.
    Slice {
        /// Which, from 0.
        index: usize,
        /// How many there are.
        of: usize,
    },
    /// One tool call with its result, of several.
    Pair {
        /// Which, from 0.
        index: usize,
        /// How many there are.
        of: usize,
    },
    /// Makes one summary of those of all segments.
    Stitch,
    /// Looks over a summary and writes it again.
    Check,
    /// Asks for questions to reflect on.
    Questions {
        /// Which round, from 0.
        round: usize,
    },
    /// Asks for insights that answer a question.
    Insights {
        /// Which round, from 0.
        round: usize,
        /// Which question, from 0.
        question: usize,
    },
    /// Asks how important exchanges are.
    Ratings {
        /// Which of several calls, from 0.
        batch: usize,
        /// How many there are.
        of: usize,
    },
}

/// Who answers a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Worker {
    /// The model that was chosen.
    #[default]
    Model,
    /// The weaker model in [`PlannedCall::model`] first, and the chosen one if it fails (aider).
    /// Where no weaker one is named both are the chosen one.
    Weak,
    /// The offline summarizer, whatever was chosen.
    Offline,
    /// The program in [`PlannedCall::program`], whatever was chosen.
    External,
}

/// A program that answers a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, serde::Deserialize)]
pub struct Program {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Seconds after which it is ended.
    pub timeout_seconds: u64,
}

/// The text a call's summary goes on from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BuildsOn {
    /// None.
    #[default]
    Nothing,
    /// The plan's previous summary.
    Previous,
    /// The reply of an earlier call.
    Reply(usize),
}

/// One call to a summarizer, complete but for the replies of other calls it quotes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, serde::Deserialize)]
pub struct PlannedCall {
    /// What it is about.
    pub purpose: Purpose,
    /// Which step of that it is.
    pub step: Step,
    /// The system prompt.
    pub system: String,
    /// The user message: these very bytes are sent, with a reply in the place of each of `slots`.
    pub prompt: String,
    /// Where the serialized conversation lies in `prompt`, in bytes.
    pub conversation: Range<usize>,
    /// The messages in it, oldest first; for leaving some out.
    #[serde(skip)]
    pub parts: Vec<PromptPart>,
    /// In which form the conversation is sent.
    #[serde(default, skip_serializing_if = "RequestForm::is_transcript")]
    pub request: RequestForm,
    /// In the form of a conversation: the messages that are sent, the request last. Their texts are
    /// ranges of `prompt`, which has labels between them for programs that take one text. `system`
    /// then stands in the place of the agent's own system prompt, which no session holds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<RequestMessage>,
    /// Of `input_tokens`, those at the beginning that the session's provider has in its cache since
    /// the last reply; 0 in the form of a transcript.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cached_tokens: u64,
    /// Where replies of earlier calls go, in order.
    pub slots: Vec<ReplySlot>,
    /// Calls that must be answered before this one is made; all that are quoted are among them.
    pub after: Vec<usize>,
    /// What its summary goes on from.
    pub builds_on: BuildsOn,
    /// Who answers it.
    pub worker: Worker,
    /// The model it is sent to, of the same provider; `None` is the one that was chosen.
    #[serde(default)]
    pub model: Option<String>,
    /// The program that does, where a program does.
    pub program: Option<Program>,
    /// What form its reply must have.
    pub form: ReplyForm,
    /// Most tokens of the reply; `None` leaves it to the model.
    pub max_output_tokens: Option<u64>,
    /// The temperature it asks for; `None` leaves it to the provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Tokens sent, by pi's estimate (UTF-16 units divided by four) of both prompts. A quoted reply
    /// is assumed to be as long as it may be, or 2,000 tokens where it has no limit.
    pub input_tokens: u64,
    /// Positions in the context's items of the messages it summarizes.
    pub items: Vec<usize>,
    /// UTF-16 units of the user message, those included that a plan which only counts leaves out.
    #[serde(skip)]
    pub(crate) units: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl PlannedCall {
    /// Whether it is for a program of the user's and none is named.
    pub fn lacks_program(&self) -> bool {
        let program = self.program.as_ref().and_then(|own| own.command.first());
        self.worker == Worker::External && program.is_none_or(|name| name.trim().is_empty())
    }

    /// The serialized conversation.
    pub fn conversation(&self) -> &str {
        self.prompt
            .get(self.conversation.clone())
            .unwrap_or_default()
    }

    /// Tokens of the serialized conversation, by pi's estimate; the same where it is only counted.
    pub(crate) fn conversation_tokens(&self) -> u64 {
        match self.parts.as_slice() {
            [] => estimate(self.conversation()),
            parts => parts
                .iter()
                .map(|part| part.units)
                .sum::<u64>()
                .div_ceil(UNITS_PER_TOKEN),
        }
    }

    /// A call with these prompts, to be made after those it quotes.
    pub fn of(purpose: Purpose, step: Step, system: String, prompt: Prompt) -> PlannedCall {
        let mut after: Vec<usize> = prompt.slots.iter().map(|slot| slot.call).collect();
        after.sort_unstable();
        after.dedup();
        PlannedCall {
            purpose,
            step,
            input_tokens: estimate(&system) + prompt.units.div_ceil(UNITS_PER_TOKEN),
            units: prompt.units,
            system,
            prompt: prompt.text,
            conversation: prompt.conversation,
            parts: prompt.parts,
            messages: prompt.messages,
            slots: prompt.slots,
            after,
            ..PlannedCall::default()
        }
    }

    /// What the call does, in words.
    pub fn label(&self) -> String {
        let what = match self.purpose {
            Purpose::History => "the summary",
            Purpose::TurnPrefix => "the summary of the split turn's beginning",
            Purpose::Branch => "the branch summary",
        };
        match self.step {
            Step::Whole => what.to_owned(),
            Step::Slice { index, of } => format!("{what} (segment {} of {of})", index + 1),
            Step::Pair { index, of } => {
                format!("the summary of a tool call ({} of {of})", index + 1)
            }
            Step::Stitch => format!("{what} (segments put together)"),
            Step::Check => format!("{what} (looked over)"),
            Step::Questions { round } => format!("{what} (questions of round {})", round + 1),
            Step::Ratings { batch, of } => {
                format!("the ratings of exchanges (part {} of {of})", batch + 1)
            }
            Step::Insights { round, question } => format!(
                "{what} (insights on question {} of round {})",
                question + 1,
                round + 1
            ),
        }
    }

    /// The call with `reply` by number in the places kept for whole replies. Places of missing
    /// replies stay marked; what follows from replies is known to [`Plan::sent`] only.
    pub fn filled(&self, reply: impl Fn(usize) -> Option<String>) -> PlannedCall {
        let mut call = self.clone();
        // From the last, so that the ranges before it stay right.
        for at in (0..call.slots.len()).rev() {
            let ReplySlot {
                range,
                call: from,
                fill,
            } = call.slots[at].clone();
            if fill != Fill::Reply {
                continue;
            }
            let Some(text) = reply(from) else { continue };
            call.fill(range, text);
            call.slots.remove(at);
        }
        call
    }

    /// The call without the parts whose items `leave_out` names.
    pub fn without(&self, leave_out: &dyn Fn(usize) -> bool) -> PlannedCall {
        let parts = self.parts.iter();
        let gone = parts.filter(|part| leave_out(part.item));
        let stays = |own: &&RequestMessage| !own.item.is_some_and(leave_out);
        let messages = self.messages.iter().filter(stays).cloned().collect();
        let gone = gone.map(|part| (part.range.clone(), String::new()));
        let mut call = self.rewritten(gone, messages);
        let out: u64 = self.units_of(leave_out);
        call.parts.retain(|part| !leave_out(part.item));
        call.items.retain(|&item| !leave_out(item));
        call.take_units(self, self.units.saturating_sub(out));
        call
    }

    /// Tokens sent when the parts whose items `leave_out` names are left out.
    pub(crate) fn tokens_without(&self, leave_out: &dyn Fn(usize) -> bool) -> u64 {
        let left = self.units.saturating_sub(self.units_of(leave_out));
        (self.input_tokens + left.div_ceil(UNITS_PER_TOKEN))
            .saturating_sub(self.units.div_ceil(UNITS_PER_TOKEN))
    }

    /// The call with `shorter` in the place of each message for which it gives a text; what parts
    /// a message from the next stays.
    pub fn shortened(&self, shorter: &dyn Fn(&str) -> Option<String>) -> PlannedCall {
        let mut units: Vec<u64> = self.parts.iter().map(|part| part.units).collect();
        let mut changes = Vec::new();
        let mut messages = self.messages.clone();
        for (part, units) in self.parts.iter().zip(&mut units) {
            let text = self.prompt.get(part.range.clone()).unwrap_or_default();
            let said = text.trim_end();
            if let Some(own) = shorter(said) {
                *units = (*units + utf16_len(&own)).saturating_sub(utf16_len(said));
                let range = part.range.start..part.range.start + said.len();
                let of_item = |own: &&mut RequestMessage| own.item == Some(part.item);
                if let Some(message) = messages.iter_mut().find(of_item) {
                    *message = message.whole(range.clone());
                }
                changes.push((range, own));
            }
        }
        let mut call = self.rewritten(changes.into_iter(), messages);
        let before: u64 = self.parts.iter().map(|part| part.units).sum();
        let after: u64 = units.iter().sum();
        for (part, units) in call.parts.iter_mut().zip(units) {
            part.units = units;
        }
        call.take_units(self, (self.units + after).saturating_sub(before));
        call
    }

    fn units_of(&self, which: &dyn Fn(usize) -> bool) -> u64 {
        let parts = self.parts.iter().filter(|part| which(part.item));
        parts.map(|part| part.units).sum()
    }

    /// Counts the call, which was `before`, with a user message of this many units.
    fn take_units(&mut self, before: &PlannedCall, units: u64) {
        let tokens = |units: u64| units.div_ceil(UNITS_PER_TOKEN);
        self.units = units;
        self.input_tokens =
            (before.input_tokens + tokens(units)).saturating_sub(tokens(before.units));
    }

    /// The call with texts in the place of ranges of its prompt, which are in order and do not
    /// overlap. A prompt can be as long as the session, so it is gone through once.
    fn rewritten(
        &self,
        changes: impl Iterator<Item = (Range<usize>, String)>,
        messages: Vec<RequestMessage>,
    ) -> PlannedCall {
        let mut prompt = String::with_capacity(self.prompt.len());
        // Ends of what is replaced, before and after.
        let mut ends: Vec<(usize, usize)> = Vec::new();
        let mut from = 0;
        for (range, text) in changes {
            prompt.push_str(&self.prompt[from..range.start]);
            prompt.push_str(&text);
            from = range.end;
            ends.push((range.end, prompt.len()));
        }
        prompt.push_str(&self.prompt[from..]);
        let moved = |at: usize| match ends.partition_point(|(end, _)| *end <= at).checked_sub(1) {
            Some(last) => at - ends[last].0 + ends[last].1,
            None => at,
        };
        let moved = |range: &Range<usize>| moved(range.start)..moved(range.end);
        let parts = self.parts.iter().map(|part| PromptPart {
            range: moved(&part.range),
            ..part.clone()
        });
        let slots = self.slots.iter().map(|slot| ReplySlot {
            range: moved(&slot.range),
            ..slot.clone()
        });
        PlannedCall {
            conversation: moved(&self.conversation),
            messages: messages.iter().map(|own| own.at(moved)).collect(),
            slots: slots.collect(),
            parts: parts.collect(),
            items: self.items.clone(),
            system: self.system.clone(),
            after: self.after.clone(),
            model: self.model.clone(),
            program: self.program.clone(),
            form: self.form.clone(),
            prompt,
            ..*self
        }
    }

    /// Puts a text in a place kept for one; it does not end the part of the prompt it is in.
    pub(crate) fn fill(&mut self, range: Range<usize>, mut text: String) {
        let (before, behind) = (&self.prompt[..range.start], &self.prompt[range.end..]);
        if let Some(tag) = tag_around(before, behind) {
            remove_ends(&mut text, 0, tag);
        }
        self.replace(range, &text);
    }

    /// Puts `text` at `range` of the prompt and moves what lies behind.
    fn replace(&mut self, range: Range<usize>, text: &str) {
        let units = self.units + utf16_len(text);
        self.units = units.saturating_sub(utf16_len(&self.prompt[range.clone()]));
        self.prompt.replace_range(range.clone(), text);
        let moved = |at: usize| {
            if at >= range.end {
                at - range.len() + text.len()
            } else {
                at
            }
        };
        self.conversation = moved(self.conversation.start)..moved(self.conversation.end);
        for part in &mut self.parts {
            part.range = moved(part.range.start)..moved(part.range.end);
        }
        for slot in &mut self.slots {
            slot.range = moved(slot.range.start)..moved(slot.range.end);
        }
        for message in &mut self.messages {
            *message = message.at(|own| moved(own.start)..moved(own.end));
        }
    }
}
