//! What the agent attaches to a conversation is attached again after the summary (Claude Code
//! 2.1.329: its tools, agents and skills, the environment, the model, the date).

use crate::vocabulary::fate::Fate;
use crate::vocabulary::next::NextItem;
use crate::vocabulary::params::{ParamDoc, ParamType};
use crate::workpiece::job::Job;
use palimpsest_core::{BodyError, ContextItem, EntryKind, Role};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Parameters of the part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Attachments {
    /// The types that are attached again, as records name them, in this order: of each the newest, or
    /// with a number behind it (`context#2`) that message, from 0, of the first (Factory Droid).
    pub attachment_types: Vec<String>,
}

/// What stands behind each of eleven compactions of 2.1.329, in the order of its files.
const AGAIN: [&str; 8] = [
    "deferred_tools_delta",
    "agent_listing_delta",
    "skill_listing",
    "environment",
    "model",
    "session_context",
    "date",
    "remote_session_change",
];

impl Default for Attachments {
    fn default() -> Self {
        Attachments {
            attachment_types: AGAIN.map(str::to_owned).to_vec(),
        }
    }
}

impl Attachments {
    pub(super) const DOCS: &'static [ParamDoc] = &[ParamDoc::new(
        "attachment_types",
        ParamType::Texts,
        "types of the attachments that are sent again; TYPE#N is message N, from 0, of the first",
    )];

    /// One text for each type of which an attachment goes: the newest. The agent makes them again,
    /// and a plan knows only those of the session.
    pub(super) fn items(&self, job: &Job<'_>) -> Result<Vec<NextItem>, BodyError> {
        let input = job.draft.input;
        let mut newest: HashMap<&str, usize> = HashMap::new();
        let items = input.context.items.iter().zip(&job.draft.pieces);
        for (at, (item, piece)) in items.enumerate() {
            let goes = matches!(piece.fate, Fate::Summarized | Fate::TurnPrefix);
            if !goes || item.role != Role::User {
                continue;
            }
            let kind = item
                .entries
                .first()
                .map(|&ix| &input.session.entry(ix).kind);
            if let Some(EntryKind::CustomMessage { custom_type, .. }) = kind {
                newest.insert(custom_type, at);
            }
        }
        let mut out = Vec::new();
        for name in &self.attachment_types {
            let numbered = name.rsplit_once('#');
            let numbered = numbered.and_then(|(name, number)| Some((name, number.parse().ok()?)));
            let at = match numbered {
                Some((name, number)) => Attachments::of_first(job, name, number),
                None => newest.get(name.as_str()).copied(),
            };
            let Some(at) = at else {
                continue;
            };
            let text = job.draft.message(at)?.text("\n");
            if !text.is_empty() {
                out.push(NextItem::text(Role::User, &text));
            }
        }
        Ok(out)
    }

    /// Position of message `number` of the first attachment of a type, where it goes.
    fn of_first(job: &Job<'_>, name: &str, number: usize) -> Option<usize> {
        let input = job.draft.input;
        let entry_of = |item: &ContextItem| {
            let &entry = item.entries.first()?;
            let kind = &input.session.entry(entry).kind;
            let is_of_type = matches!(kind, EntryKind::CustomMessage { custom_type, .. }
                if **custom_type == *name);
            is_of_type.then_some(entry)
        };
        let items = &input.context.items;
        let first = items.iter().find_map(entry_of)?;
        let goes = |at: &usize| {
            let fate = job.draft.pieces[*at].fate;
            matches!(fate, Fate::Summarized | Fate::TurnPrefix)
        };
        (0..items.len())
            .filter(goes)
            .find(|&at| entry_of(&items[at]) == Some(first) && items[at].message_index == number)
    }
}
