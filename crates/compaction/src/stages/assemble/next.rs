//! The next request, part by part.

use crate::stages::assemble::attachments::Attachments;
use crate::stages::assemble::definitions::Definitions;
use crate::stages::assemble::edited_files::EditedFiles;
use crate::stages::assemble::recent_files::RecentFiles;
use crate::stages::assemble::user_messages::UserMessages;
use crate::vocabulary::call::PlannedCall;
use crate::vocabulary::estimate::{UNITS_PER_TOKEN, estimate};
use crate::vocabulary::fate::Fate;
use crate::vocabulary::needs::Needed;
use crate::vocabulary::next::NextItem;
use crate::vocabulary::params::ParamDoc;
use crate::vocabulary::summary::SummaryPart;
use crate::workpiece::chunks::{chunks, summary_parts};
use crate::workpiece::job::Job;
use crate::workpiece::template::Values;
use palimpsest_core::{BodyError, ContextItem, ItemKind, Role};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// A part of the next request, as a preset orders them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum NextPart {
    /// The system prompt and what else is always sent.
    System,
    /// Of that only what the session does not hold: the system prompt and the tools (Codex, where
    /// stored instructions stand further back).
    NotRecorded,
    /// The summary, in the prompt `shown` where the preset has one.
    Summary {
        /// Under which role it is sent: mostly the user's; the assistant's where it answers a
        /// question (OpenCode), the system's in Coder.
        #[serde(default = "user")]
        role: Role,
    },
    /// The summary and what the user said in the summarized messages as one message of the user, in
    /// the places that the prompt `shown` has for them (Copilot CLI).
    SummaryWithUserMessages(UserMessages),
    /// The previous summary as a user message, where the new one does not take its place (Claude
    /// Code's summary "from here").
    PreviousSummary,
    /// What the user said in the summarized messages, in the user's words.
    UserMessages(UserMessages),
    /// The files read last, as their results have them.
    RecentFiles(RecentFiles),
    /// What the agent attaches by itself, attached again.
    Attachments(Attachments),
    /// What was changed in the files edited last.
    EditedFiles(EditedFiles),
    /// The lines that define something in the files that were touched.
    Definitions(Definitions),
    /// What makes the assistant go on, by where the turn stands: the prompt `continuation_in_tools`
    /// when the newest message is a tool's result or calls a tool, else `continuation` (Goose, when
    /// it compacts automatically).
    Continuation {
        /// Who says it.
        #[serde(default = "user")]
        role: Role,
    },
    /// The user's last prompt in the user's words, where it was summarized (Goose, when it compacts
    /// automatically).
    LastPrompt,
    /// The items that stay, in their order.
    Kept,
    /// The items that stay as one text, written out as for the summarizer (OpenCode's second engine,
    /// which stores them beside the summary).
    KeptText {
        /// Who says it.
        #[serde(default = "user")]
        role: Role,
    },
    /// Of the items that stay those before the summarized ones (OpenHands, where the summary
    /// stands at its place among the messages).
    KeptFirst,
    /// Those behind them.
    KeptLast,
    /// The items that stay, and among them each reply of the summary where the first message stood
    /// that it tells of (Goose's summaries of old tool calls); the summary before comes first.
    InPlace {
        /// Under which role replies are sent.
        #[serde(default = "user")]
        role: Role,
    },
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
    /// What the summary is the answer to (OpenCode).
    Question,
}

impl TextPrompt {
    fn name(self) -> &'static str {
        match self {
            TextPrompt::Acknowledgement => "acknowledgement",
            TextPrompt::Continuation => "continuation",
            TextPrompt::Question => "question",
        }
    }
}

impl NextPart {
    /// Its parameters.
    pub fn docs(&self) -> &'static [ParamDoc] {
        match self {
            NextPart::UserMessages(_) | NextPart::SummaryWithUserMessages(_) => UserMessages::DOCS,
            NextPart::RecentFiles(_) => RecentFiles::DOCS,
            NextPart::Attachments(_) => Attachments::DOCS,
            NextPart::EditedFiles(_) => EditedFiles::DOCS,
            NextPart::Definitions(_) => Definitions::DOCS,
            NextPart::System
            | NextPart::NotRecorded
            | NextPart::Summary { .. }
            | NextPart::PreviousSummary
            | NextPart::Continuation { .. }
            | NextPart::LastPrompt
            | NextPart::Kept
            | NextPart::KeptText { .. }
            | NextPart::KeptFirst
            | NextPart::KeptLast
            | NextPart::InPlace { .. }
            | NextPart::Text { .. } => &[],
        }
    }

    /// The prompts it needs.
    pub(super) fn needed(&self) -> Vec<Needed> {
        match self {
            NextPart::Text { prompt, .. } => vec![(prompt.name(), &[])],
            NextPart::SummaryWithUserMessages(_) => {
                vec![("shown", &["summary", "user_messages"])]
            }
            NextPart::Continuation { .. } => {
                vec![("continuation", &[]), ("continuation_in_tools", &[])]
            }
            _ => Vec::new(),
        }
    }

    /// The items of the next request that it stands for; `stored` is the summary, made of the
    /// replies of `calls`.
    pub fn items(
        &self,
        job: &Job<'_>,
        stored: &[SummaryPart],
        calls: &[PlannedCall],
    ) -> Result<Vec<NextItem>, BodyError> {
        Ok(match self {
            NextPart::System => of_fate(job, Fate::System),
            NextPart::NotRecorded => {
                let mut items = of_fate(job, Fate::System);
                let stored = |at: usize| !job.draft.input.context.items[at].entries.is_empty();
                items.retain(|item| matches!(item, NextItem::Kept { item, .. } if !stored(*item)));
                items
            }
            NextPart::Kept => of_fate(job, Fate::Kept),
            NextPart::KeptText { role } => kept_text(job, *role)?.into_iter().collect(),
            NextPart::KeptFirst => kept(job, |at, gap| at < gap),
            NextPart::KeptLast => kept(job, |at, gap| at >= gap),
            NextPart::InPlace { role } => in_place(job, stored, calls, *role),
            NextPart::UserMessages(own) => own.items(job)?,
            NextPart::RecentFiles(own) => own.items(job)?,
            NextPart::Attachments(own) => own.items(job)?,
            NextPart::EditedFiles(own) => own.items(job)?,
            NextPart::Definitions(own) => own.items(job)?,
            NextPart::Continuation { role } => {
                let prompt = if is_in_tools(job) {
                    "continuation_in_tools"
                } else {
                    "continuation"
                };
                let text = job.text(prompt, &Values::default());
                vec![NextItem::text(*role, &text)]
            }
            NextPart::LastPrompt => last_prompt(job)?.into_iter().collect(),
            NextPart::PreviousSummary => {
                let previous = job.previous.map(|text| NextItem::text(Role::User, text));
                previous.into_iter().collect()
            }
            // A plan that only clears has no summary.
            NextPart::Summary { .. } | NextPart::SummaryWithUserMessages(_)
                if stored.is_empty() =>
            {
                Vec::new()
            }
            NextPart::Summary { role } => vec![NextItem::Summary {
                role: *role,
                parts: shown(job, stored, ""),
                again_tokens: 0,
            }],
            NextPart::SummaryWithUserMessages(own) => {
                let messages = own.tagged(job)?;
                vec![NextItem::Summary {
                    role: Role::User,
                    parts: shown(job, stored, &messages),
                    again_tokens: estimate(&messages),
                }]
            }
            NextPart::Text { role, prompt } => {
                let text = job.text(prompt.name(), &Values::default());
                vec![NextItem::text(*role, &text)]
            }
        })
    }
}

fn user() -> Role {
    Role::User
}

/// The summary in the prompt that shows it, as it is stored where there is none.
fn shown(job: &Job<'_>, stored: &[SummaryPart], user_messages: &str) -> Vec<SummaryPart> {
    if !job.prompts.contains_key("shown") {
        return stored.to_vec();
    }
    let values = Values::default()
        .chunks("summary", chunks(stored))
        .text("user_messages", user_messages);
    summary_parts(job.prompts.template("shown").render(&values))
}

/// True when the newest message is a tool's result, or calls a tool.
fn is_in_tools(job: &Job<'_>) -> bool {
    let input = job.draft.input;
    let said = |item: &&ContextItem| item.role != Role::System && !item.entries.is_empty();
    let newest = input.context.items.iter().rev().find(said);
    newest.is_some_and(|item| match item.role {
        Role::Tool => true,
        Role::Assistant => {
            let mut entries = item.entries.iter();
            entries.any(|&entry| !input.session.entry(entry).tool_calls.is_empty())
        }
        Role::User | Role::System => false,
    })
}

/// The newest prompt, unless it stays where it is.
fn last_prompt(job: &Job<'_>) -> Result<Option<NextItem>, BodyError> {
    let items = job.draft.input.context.items.iter().enumerate();
    let is_prompt = |item: &ContextItem| item.role == Role::User && item.kind == ItemKind::Message;
    let newest = items.rev().find(|(_, item)| is_prompt(item));
    let Some((at, _)) = newest else {
        return Ok(None);
    };
    match job.draft.pieces[at].fate {
        Fate::Summarized | Fate::TurnPrefix => {
            let text = job.draft.message(at)?.text("\n");
            Ok((!text.is_empty()).then(|| NextItem::text(Role::User, &text)))
        }
        _ => Ok(None),
    }
}

/// UTF-16 units after which no further message is written out into a text of the next request where
/// a plan only counts: three times what OpenCode keeps.
const BRIEF_UNITS: u64 = 96_000;

/// The items that stay as one text; nothing where none stays, or none says anything. Where the plan
/// only counts a long text ends early, and has its size all the same: while a cut is dragged, what
/// stays may be nearly all.
fn kept_text(job: &Job<'_>, role: Role) -> Result<Option<NextItem>, BodyError> {
    let transcript = job.transcript;
    let written = transcript.write(job.draft, &job.draft.items(Fate::Kept))?;
    let mut shown = transcript.join(&written);
    let units = shown.units;
    if job.draft.only_counts {
        let mut before = 0;
        let first = written.iter().take_while(|own| {
            let fits = before < BRIEF_UNITS;
            before += own.units;
            fits
        });
        let first: Vec<usize> = first.map(|own| own.item).collect();
        shown = transcript.join(&transcript.write_out(job.draft, &first)?);
    }
    let mut text = String::with_capacity(shown.len);
    shown.write(&mut text);
    Ok((units > 0).then_some(NextItem::Text {
        role,
        text,
        tokens: units.div_ceil(UNITS_PER_TOKEN),
    }))
}

/// The items that stay and lie on the asked side of the first that is summarized.
fn kept(job: &Job<'_>, side: impl Fn(usize, usize) -> bool) -> Vec<NextItem> {
    let first = |list: &Vec<usize>| list.first().copied();
    let gap = [first(&job.history), first(&job.turn_prefix)];
    let gap = gap.into_iter().flatten().min().unwrap_or_default();
    let mut items = of_fate(job, Fate::Kept);
    items.retain(|item| matches!(item, NextItem::Kept { item, .. } if side(*item, gap)));
    items
}

/// The items that stay with each reply before the first of them that is behind its messages. Words
/// of the summary go with the reply before them; blank ones only part replies and are left out.
fn in_place(
    job: &Job<'_>,
    stored: &[SummaryPart],
    calls: &[PlannedCall],
    role: Role,
) -> Vec<NextItem> {
    let mut place = 0;
    let mut replies: VecDeque<(usize, NextItem)> = VecDeque::new();
    for part in stored {
        match part {
            SummaryPart::Text(_) | SummaryPart::ByTail { .. } => {
                if part.known().is_none_or(|text| text.trim().is_empty()) {
                    continue;
                }
            }
            SummaryPart::Reply(call) | SummaryPart::Filled(call, _) => {
                let items = calls.get(*call).map(|call| call.items.as_slice());
                place = items
                    .and_then(|items| items.first())
                    .map_or(place, |at| *at);
            }
        }
        let parts = vec![part.clone()];
        replies.push_back((
            place,
            NextItem::Summary {
                role,
                parts,
                again_tokens: 0,
            },
        ));
    }
    let mut next = Vec::new();
    for own in of_fate(job, Fate::Kept) {
        if let NextItem::Kept { item, .. } = own {
            while let Some((_, reply)) = replies.pop_front_if(|(at, _)| *at < item) {
                next.push(reply);
            }
        }
        next.push(own);
    }
    next.extend(replies.into_iter().map(|(_, reply)| reply));
    next
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
