//! The next request, part by part.

use crate::params::ParamDoc;
use crate::plan::SummaryPart;
use crate::preset::Needed;
use crate::preset::template::Values;
use crate::select::Fate;
use crate::summarize::{Job, chunks, summary_parts};
use palimpsest_core::Role;
use serde::{Deserialize, Serialize};

/// A part of the next request, as a preset orders them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum NextPart {
    /// The system prompt and what else is always sent.
    System,
    /// The summary as a user message, in the prompt `shown` where the preset has one.
    Summary,
    /// The items that stay, in their order.
    Kept,
    /// A message with the text of a prompt: an acknowledgement, or an order to go on.
    Text {
        /// Who says it.
        role: Role,
        /// The prompt.
        prompt: TextPrompt,
    },
}

/// A prompt whose text is sent as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextPrompt {
    /// What an assistant answers to the summary (Gemini CLI, aider).
    Acknowledgement,
    /// What makes it go on.
    Continuation,
}

impl TextPrompt {
    fn name(self) -> &'static str {
        match self {
            TextPrompt::Acknowledgement => "acknowledgement",
            TextPrompt::Continuation => "continuation",
        }
    }
}

/// An item of the next request.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum NextItem {
    /// An item of the context, as the reduce stage left it.
    Kept {
        /// Position in the context's items.
        item: usize,
        /// Estimated tokens.
        tokens: u64,
    },
    /// The summary, with words around it.
    Summary {
        /// Under which role it is sent.
        role: Role,
        /// Texts and replies.
        parts: Vec<SummaryPart>,
    },
    /// A text.
    Text {
        /// Who says it.
        role: Role,
        /// The text.
        text: String,
        /// Estimated tokens.
        tokens: u64,
    },
}

impl NextPart {
    /// Its parameters, of which there are none.
    pub fn docs(&self) -> &'static [ParamDoc] {
        &[]
    }

    /// The prompt it needs.
    pub(super) fn needed(&self) -> Option<Needed> {
        match self {
            NextPart::Text { prompt, .. } => Some((prompt.name(), &[])),
            NextPart::System | NextPart::Summary | NextPart::Kept => None,
        }
    }

    /// The items of the next request that it stands for; `stored` is the summary.
    pub fn items(&self, job: &Job<'_>, stored: &[SummaryPart]) -> Vec<NextItem> {
        match self {
            NextPart::System => of_fate(job, Fate::System),
            NextPart::Kept => of_fate(job, Fate::Kept),
            NextPart::Summary if stored.is_empty() => Vec::new(),
            NextPart::Summary => {
                let parts = match job.preset.prompts.contains_key("shown") {
                    true => {
                        let values = Values::default().chunks("summary", chunks(stored));
                        summary_parts(job.preset.prompt("shown").render(&values))
                    }
                    false => stored.to_vec(),
                };
                let role = Role::User;
                vec![NextItem::Summary { role, parts }]
            }
            NextPart::Text { role, prompt } => {
                let text = job.text(prompt.name(), &Values::default());
                vec![NextItem::Text {
                    role: *role,
                    tokens: crate::plan::estimate(&text),
                    text,
                }]
            }
        }
    }
}

fn of_fate(job: &Job<'_>, fate: Fate) -> Vec<NextItem> {
    let positions = job.draft.items(fate).into_iter();
    positions
        .map(|item| NextItem::Kept {
            item,
            tokens: job.draft.pieces[item].tokens,
        })
        .collect()
}
