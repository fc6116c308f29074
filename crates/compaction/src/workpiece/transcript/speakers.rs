//! The form of Droid (0.225.2, its summary requests): each row under its speaker, parts on lines of
//! their own, rows separated by rules, and a note in place of what the agent tells its model.

use crate::vocabulary::params::{ParamDoc, ParamType};
use crate::workpiece::draft::Draft;
use crate::workpiece::transcript::written::Written;
use palimpsest_core::json::utf16_len;
use palimpsest_core::{Block, ContextItem, ItemKind, Message, Role};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The formats' words for what an agent sends again behind a summary: it is no part of the
/// conversation.
const GIVEN_AGAIN: [&str; 2] = ["standing_reminder", "system_info"];

/// Parameters of the form.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Speakers {
    /// What stands for each text that the agent put in the user's place; empty leaves the row out.
    pub reminder: String,
}

impl Default for Speakers {
    fn default() -> Self {
        Speakers {
            reminder: "[reminder omitted]".to_owned(),
        }
    }
}

impl Speakers {
    /// Between two rows.
    pub(crate) const SEPARATOR: &'static str = "\n\n---\n\n";
    /// Between the messages of one row.
    pub(crate) const TIGHT: &'static str = "\n";

    pub(crate) const DOCS: &'static [ParamDoc] = &[ParamDoc::new(
        "reminder",
        ParamType::Text,
        "placeholder for each text the agent added as user; empty omits it",
    )];

    /// What a message says, without its speaker.
    pub(crate) fn text(&self, item: &ContextItem, message: &Message) -> String {
        // The model did not get it, so the summarizer does not either.
        if !message.sent || GIVEN_AGAIN.contains(&item.native_role) {
            return String::new();
        }
        match message.role {
            Role::System => String::new(),
            Role::User if item.kind == ItemKind::Custom => self.reminder.clone(),
            Role::Tool => format!("TOOL_RESULT: {}", message.text("\n")),
            Role::User | Role::Assistant => {
                let parts = message.blocks.iter().filter_map(|block| match block {
                    Block::Text(text) => Some(text.clone()),
                    Block::ToolCall {
                        name, arguments, ..
                    } => Some(format!("TOOL_CALL: {name} input={arguments}")),
                    _ => None,
                });
                parts.collect::<Vec<_>>().join("\n")
            }
        }
    }

    /// Puts the speaker before the first message of each row, and the others of the row right
    /// behind it.
    pub(crate) fn introduce(draft: &Draft<'_>, written: &mut [Written]) {
        let items = &draft.input.context.items;
        let row = |own: &Written| {
            let item = &items[own.item];
            (item.entries.first().copied(), item.role)
        };
        let mut before = None;
        for at in 0..written.len() {
            let own = row(&written[at]);
            // A row with one speaker is told once.
            if before == Some(own) && own.0.is_some() {
                written[at - 1].is_tight = true;
                continue;
            }
            before = Some(own);
            let speaker = match own.1 {
                Role::Assistant => "ASSISTANT: ",
                Role::Tool => "TOOL: ",
                Role::User | Role::System => "USER: ",
            };
            let written = &mut written[at];
            written.units += utf16_len(speaker);
            written.bytes += speaker.len() as u64;
            // Where texts are only counted there is none to put it before.
            if !written.text.is_empty() {
                written.text = Arc::new(format!("{speaker}{}", written.text));
            }
        }
    }
}
