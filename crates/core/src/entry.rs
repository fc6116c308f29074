//! One record of a session, without its text.

use crate::body::Role;
use crate::category::Category;
use crate::ids::{EntryId, EntryIx};
use crate::usage::{MOST_TOKENS, Usage};
use serde::{Deserialize, Serialize};

/// Where the bytes of an entry lie in its source file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SourceSpan {
    /// 0-based physical line; blank and broken lines count.
    pub line: u32,
    /// Byte offset of the record from the start of the file.
    pub offset: u64,
    /// Length of the record in bytes, without the line end.
    pub len: u32,
}

/// Stop reasons of replies that the user stopped: pi and Mux; OpenCode.
const ABORTED: [&str; 3] = ["aborted", "MessageAbortedError", "interrupted"];

/// The purpose of a usage record that a fork copied from the session it began in.
pub const COPIED_USAGE: &str = "copied";

/// One record of a session.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The entry's id.
    pub id: EntryId,
    /// The parent: the stored one where it exists, else the one taken in its place
    /// ([`Entry::has_guessed_parent`]).
    pub parent: Option<EntryIx>,
    /// The parent's id as stored when no such entry exists.
    pub missing_parent: Option<EntryId>,
    /// What the record is.
    pub kind: EntryKind,
    /// When it was written, Unix milliseconds.
    pub at_ms: Option<i64>,
    /// Where it lies in the source.
    pub source: SourceSpan,
    /// Sizes of the messages it stands for, in the order of its [`crate::Body`].
    pub messages: Vec<MessageSize>,
    /// Names and key arguments of the tools it calls.
    pub tool_calls: Vec<ToolCallBrief>,
    /// Usage the provider reported for the request that produced the entry.
    pub usage: Option<Usage>,
    /// True when `usage` describes the context (pi: not from an aborted or failed message).
    pub usage_trusted: bool,
    /// The stop reason as stored, for assistant messages.
    pub stop_reason: Option<Box<str>>,
    /// True for a failed tool result, a failed or aborted assistant message. Of a reply that is stored
    /// with the results of its calls it tells only of the reply ([`MessageSize::outcome`]).
    pub is_error: bool,
    /// True where the user refused a call whose result it holds: the user's decision, not an error.
    pub rejected: bool,
    /// True for what the user took back: the agent keeps it and does not continue from it.
    pub undone: bool,
    /// Provider and model named by the entry.
    pub model: Option<ModelRef>,
    /// The first words, one line, at most 160 characters.
    pub preview: Box<str>,
    /// True for a record that the agent itself does not see (pi skips a line holding two records);
    /// it is in the tree but never the active leaf, and nothing descends from it by position.
    pub recovered: bool,
    /// True for a subagent's conversation kept in the file of the session that started it
    /// (Claude Code 1.x, `isSidechain`): in the tree, but not what the main model saw.
    pub sidechain: bool,
    /// The subagent's message that the record holds, where it reports on one (Claude Code 2.0 and
    /// 2.1, `agent_progress`).
    pub subagent: Option<Box<SubagentReport>>,
    /// The agent's id of the subagent that wrote a record kept in the file of the session that started
    /// it, or the id of the call that did, where the record names one.
    pub side_agent: Option<Box<str>>,
}

/// A message of a subagent, stored in the session that started it beside the conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct SubagentReport {
    /// The agent's id of the subagent.
    pub agent_id: Box<str>,
    /// The provider's id of the call that started it, as stored.
    pub call_id: Option<Box<str>>,
    /// True for a reply of the subagent's model.
    pub is_reply: bool,
    /// The tools it calls.
    pub calls: Vec<ToolCallBrief>,
    /// The results it holds, in the order of its messages.
    pub results: Vec<ResultBrief>,
    /// Model and usage of the request, for the first record of a reply.
    pub spent: Option<(ModelRef, Usage)>,
    /// Estimated size of what the subagent's model wrote in it, in tokens.
    pub written: u64,
}

impl SubagentReport {
    /// Who speaks in the message.
    pub fn role(&self) -> Role {
        match (self.is_reply, self.results.is_empty()) {
            (true, _) => Role::Assistant,
            (false, true) => Role::User,
            (false, false) => Role::Tool,
        }
    }

    /// Whether one of its results has this outcome.
    pub fn has(&self, outcome: Outcome) -> bool {
        self.results.iter().any(|result| result.outcome == outcome)
    }
}

/// A result in a message of a subagent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultBrief {
    /// The tool; empty where its call is unknown.
    pub tool: Box<str>,
    /// The provider's id of the call.
    pub call_id: Box<str>,
    /// How the call went.
    pub outcome: Outcome,
}

/// The provider and model of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelRef {
    /// Provider name, as the agent spells it.
    pub provider: Box<str>,
    /// Model id, as the agent spells it.
    pub model: Box<str>,
}

/// A tool call, as far as lists and file tracking need it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCallBrief {
    /// The tool's name.
    pub name: Box<str>,
    /// The provider's id of the call.
    pub call_id: Box<str>,
    /// The `path` argument, or its equivalent, when it is a string.
    pub path: Option<Box<str>>,
    /// What the call does to that path, by the agent's own rules.
    pub access: Option<FileAccess>,
}

/// What a tool call does to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FileAccess {
    /// Reads it.
    Read,
    /// Changes part of it.
    Edit,
    /// Writes it whole.
    Write,
}

/// The size of one message of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageSize {
    /// The common role.
    pub role: Role,
    /// The agent's own word for the role.
    pub native_role: &'static str,
    /// Tokens by the agent's own estimate.
    pub estimate: u64,
    /// The parts of the message in the agent's own unit (pi: UTF-16 code units, before the
    /// division by four), by category; for showing shares, their sum need not be `estimate`.
    pub units: Vec<(Category, u64)>,
    /// Name of the tool whose result this is.
    pub tool_name: Option<Box<str>>,
    /// How the call went whose result this is.
    pub outcome: Outcome,
    /// False for what the agent does not send.
    pub sent: bool,
}

/// How a call went, as its result tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Outcome {
    /// It went well, the user stopped it, or the message is no result.
    #[default]
    Fine,
    /// It failed.
    Failed,
    /// The user did not allow it.
    Rejected,
}

/// What a record is.
#[derive(Debug, Clone, PartialEq)]
pub enum EntryKind {
    /// A message; its role is in [`Entry::messages`].
    Message(Role),
    /// A shell command the user ran beside the model (pi's `bashExecution`).
    UserShell,
    /// A message put in by an extension, sent to the model as user text.
    CustomMessage {
        /// The extension's name for it.
        custom_type: Box<str>,
        /// Whether the agent shows it.
        display: bool,
    },
    /// A summary that replaces the beginning of the context.
    Compaction(Box<Compaction>),
    /// A summary of entries left behind on another branch.
    BranchSummary(Box<BranchSummary>),
    /// A change to what the model sees of an earlier entry (pi 0.87 and later).
    ContextEdit {
        /// Id of the edited entry, as stored.
        target_id: EntryId,
        /// The edited entry, where it exists.
        target: Option<EntryIx>,
        /// True when the target is dropped from the context, false when its content is replaced.
        omit: bool,
        /// Size of the replacement in tokens by the agent's own estimate, as if it stood in the
        /// target (0 for `omit`).
        estimate: u64,
    },
    /// Old tool results that the model no longer sees though the session keeps them (Claude
    /// Code's microcompaction, OpenCode's pruning).
    Clearing(Box<Clearing>),
    /// A label on another entry; empty text clears it.
    Label {
        /// Id of the labelled entry, as stored.
        target_id: EntryId,
        /// The labelled entry, where it exists.
        target: Option<EntryIx>,
        /// The label.
        text: Option<Box<str>>,
    },
    /// The model was changed ([`Entry::model`]).
    ModelChange,
    /// The reasoning level was changed.
    ThinkingChange {
        /// The new level, as the agent spells it.
        level: Box<str>,
    },
    /// The session was named.
    SessionInfo {
        /// The new name; `None` clears it.
        name: Option<Box<str>>,
    },
    /// Data an extension stored; never sent.
    Custom {
        /// The extension's name for it.
        custom_type: Box<str>,
    },
    /// Usage of a request outside the conversation.
    UsageRecord {
        /// What the request was for.
        purpose: Box<str>,
    },
    /// A record of a type we do not know, kept so that the tree is not cut in two.
    Opaque {
        /// The `type` it carries.
        type_name: Box<str>,
    },
}

/// What a compaction record says about itself.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Compaction {
    /// Id of the first entry kept before the compaction, as stored or migrated.
    pub first_kept_id: Option<EntryId>,
    /// That entry, where it exists. Equal to the compaction's own position when nothing is kept.
    pub first_kept: Option<EntryIx>,
    /// Context size before, as stored.
    pub tokens_before: Option<u64>,
    /// Files the agent recorded as read.
    pub read_files: Vec<Box<str>>,
    /// Files the agent recorded as modified.
    pub modified_files: Vec<Box<str>>,
    /// True when an extension, not the agent, wrote the summary.
    pub from_hook: bool,
    /// True when the record also stores a system message.
    pub has_system_message: bool,
    /// What started it, where stored.
    pub trigger: Option<Trigger>,
    /// Context size after, as stored.
    pub tokens_after: Option<u64>,
    /// How long it took, in milliseconds, where stored.
    pub duration_ms: Option<u64>,
    /// What the user asked the summary to mind, where stored.
    pub instructions: Option<Box<str>>,
    /// Earlier entries kept verbatim in the context, in the order sent, if the agent lists them
    /// instead of naming the first one.
    pub kept: Vec<EntryIx>,
    /// For each of `kept`, how many of the record's own messages are sent before it; empty where
    /// all of these are sent before the first (Codex mixes the two).
    pub kept_after: Vec<u32>,
    /// Size in bytes of a summary that only the provider can read (Codex's remote compaction).
    pub opaque_bytes: Option<u64>,
}

/// What started a compaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export_to = "wire.ts"))]
#[serde(rename_all = "snake_case")]
pub enum Trigger {
    /// The agent, because the context had grown too large.
    Auto,
    /// The user.
    Manual,
}

impl Trigger {
    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Trigger::Auto => "auto",
            Trigger::Manual => "manual",
        }
    }
}

/// What a record about cleared tool results says.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Clearing {
    /// The cleared results, by the ids of their calls, as stored.
    pub call_ids: Vec<Box<str>>,
    /// The entries of the cleared results, as far as they are known.
    pub results: Vec<EntryIx>,
    /// Context size before, as stored.
    pub tokens_before: Option<u64>,
    /// Tokens the agent says it saved.
    pub tokens_saved: Option<u64>,
}

impl Clearing {
    /// What is sent in place of a cleared result by Claude Code (2.0.53 to 2.1.197) and OpenCode
    /// (1.0 to 1.18).
    pub const PLACEHOLDER: &str = "[Old tool result content cleared]";
}

/// What a branch-summary record says about itself.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BranchSummary {
    /// Id of the entry that was left, as stored; before pi 0.84.3 it names the destination.
    pub from_id: Option<EntryId>,
    /// The abandoned leaf, where the record really names it.
    pub from: Option<EntryIx>,
    /// Files the agent recorded as read.
    pub read_files: Vec<Box<str>>,
    /// Files the agent recorded as modified.
    pub modified_files: Vec<Box<str>>,
    /// True when an extension, not the agent, wrote the summary.
    pub from_hook: bool,
    /// True when the summary text is empty, so that the record contributes no message.
    pub is_empty: bool,
}

/// The latest time that a date in a browser has (ECMA-262), and its negative the earliest; Unix
/// milliseconds.
const LATEST_MS: i64 = 8_640_000_000_000_000;

impl Entry {
    /// Takes no reported size for more than [`MOST_TOKENS`] and no time for later than [`LATEST_MS`], so
    /// that sums and differences of them stay numbers. What the record says is shown from its body.
    pub fn bound(&mut self) {
        self.at_ms = self.at_ms.map(|ms| ms.clamp(-LATEST_MS, LATEST_MS));
        let most = |tokens: &mut Option<u64>| *tokens = tokens.map(|own| own.min(MOST_TOKENS));
        self.usage = self.usage.map(|usage| usage.bounded());
        if let Some((_, usage)) = self.subagent.as_mut().and_then(|own| own.spent.as_mut()) {
            *usage = usage.bounded();
        }
        match &mut self.kind {
            EntryKind::Compaction(told) => {
                most(&mut told.tokens_before);
                most(&mut told.tokens_after);
            }
            EntryKind::Clearing(told) => {
                most(&mut told.tokens_before);
                most(&mut told.tokens_saved);
            }
            _ => {}
        }
    }

    /// True where the stored parent is missing and `parent` is the entry taken in its place.
    pub fn has_guessed_parent(&self) -> bool {
        self.parent.is_some() && self.missing_parent.is_some()
    }

    /// The sum of the estimates of the entry's messages, in tokens.
    pub fn estimate(&self) -> u64 {
        self.messages.iter().map(|message| message.estimate).sum()
    }

    /// Whether a tool or a request failed: what the user stopped is no failure.
    pub fn is_failure(&self) -> bool {
        self.is_error && !self.is_aborted() || self.has_failed_call()
    }

    /// Whether a call failed whose result it holds.
    pub fn has_failed_call(&self) -> bool {
        let mut outcomes = self.messages.iter().map(|message| message.outcome);
        outcomes.any(|outcome| outcome == Outcome::Failed)
    }

    /// Whether the record itself is a failure: a failed result, or a reply that failed, and not one
    /// that went well and is stored with the result of a call that failed.
    pub fn failed_itself(&self) -> bool {
        self.is_error && !self.is_aborted()
            || self.has_failed_call() && self.role() != Some(Role::Assistant)
    }

    /// Whether a search for failures finds it: it is one, or a call of a subagent in it failed.
    pub fn is_found_as_failure(&self) -> bool {
        self.is_failure() || self.reports(Outcome::Failed)
    }

    /// Whether a search for rejected calls finds it, those of a subagent included.
    pub fn is_found_as_rejected(&self) -> bool {
        self.rejected || self.reports(Outcome::Rejected)
    }

    fn reports(&self, outcome: Outcome) -> bool {
        let report = self.subagent.as_ref();
        report.is_some_and(|report| report.has(outcome))
    }

    /// Whether a subagent said or did it inside the session that started it.
    pub fn is_in_subagent(&self) -> bool {
        self.sidechain || self.subagent.is_some()
    }

    /// The calls of the record, those of a subagent's message in it included.
    pub fn calls(&self) -> impl Iterator<Item = &ToolCallBrief> {
        let reported = self.subagent.iter().flat_map(|report| &report.calls);
        self.tool_calls.iter().chain(reported)
    }

    /// Whether it is a reply that the user stopped.
    pub fn is_aborted(&self) -> bool {
        let stop = self.stop_reason.as_deref();
        stop.is_some_and(|stop| ABORTED.contains(&stop))
    }

    /// The role of the entry's message: of a reply stored with the results of its calls the
    /// model's, of other records that of their only message.
    pub fn role(&self) -> Option<Role> {
        match (&self.kind, self.messages.as_slice()) {
            // A Codex or OpenCode record can hold a reply and the results of its calls; the reply
            // names the record.
            (EntryKind::Message(role), [_, ..]) => Some(*role),
            (_, [only]) => Some(only.role),
            _ => None,
        }
    }

    /// What was used in this session: a usage that a fork copied tells the size of its context, and was
    /// spent in the other one.
    pub fn spent(&self) -> Option<&Usage> {
        let is_copied =
            matches!(&self.kind, EntryKind::UsageRecord { purpose } if &**purpose == COPIED_USAGE);
        self.usage.as_ref().filter(|_| !is_copied)
    }

    /// The tools it calls or holds results of, each once, in order; those of a subagent's message in it
    /// included.
    pub fn tools(&self) -> Vec<&str> {
        let called = self.calls().map(|call| &*call.name);
        let results = self.messages.iter();
        let results = results.filter_map(|message| message.tool_name.as_deref());
        let reported = self.subagent.iter().flat_map(|report| &report.results);
        let reported = reported.map(|result| &*result.tool);
        let mut tools: Vec<&str> = Vec::new();
        for tool in called.chain(results).chain(reported) {
            if !tool.is_empty() && !tools.contains(&tool) {
                tools.push(tool);
            }
        }
        tools
    }

    /// True when the size of a message of it counts an image.
    pub fn has_image(&self) -> bool {
        let mut units = self.messages.iter().flat_map(|message| &message.units);
        units.any(|&(category, units)| category == Category::Images && units > 0)
    }

    /// The agent's own word for that role; of a record with several messages the last one's.
    pub fn native_role(&self) -> Option<&'static str> {
        let role = self.role();
        let main = self
            .messages
            .iter()
            .find(|message| Some(message.role) == role);
        main.or(self.messages.last())
            .map(|message| message.native_role)
    }
}
