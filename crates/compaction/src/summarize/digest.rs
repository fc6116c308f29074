//! No call: what happened is listed by fixed rules (Cline's SDK, August 2026, its basic way, which
//! it also takes when a summarizer's own window overflows).

use super::{Job, Outline, head};
use crate::params::{ParamDoc, ParamType};
use crate::plan::SummaryPart;
use palimpsest_core::entry::FileAccess;
use palimpsest_core::{Block, BodyError, ItemKind, Role};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Parameters of the method; the defaults are Cline's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Digest {
    /// UTF-16 units of a command that are listed.
    pub command_max_chars: u64,
    /// Replies of the assistant that go on word for word, the newest.
    pub last_replies: u64,
}

impl Default for Digest {
    fn default() -> Self {
        Digest {
            command_max_chars: 100,
            last_replies: 3,
        }
    }
}

/// What was found in the messages.
#[derive(Default)]
struct Found {
    /// What the user wrote, and whether the message before it was the user's as well.
    prompts: Vec<(String, bool)>,
    /// Files with the ranges of lines that were read of them.
    read: BTreeMap<String, Vec<String>>,
    edited: Vec<String>,
    commands: Vec<String>,
    replies: Vec<String>,
}

impl Digest {
    pub(super) const DOCS: &'static [ParamDoc] = &[
        ParamDoc::new(
            "command_max_chars",
            ParamType::Integer,
            "where a command is cut in the list",
        )
        .unit("UTF-16 units"),
        ParamDoc::new(
            "last_replies",
            ParamType::Integer,
            "how many of the newest replies go on word for word",
        )
        .unit("replies"),
    ];

    pub(super) fn outline(&self, job: &Job<'_>) -> Result<Outline, BodyError> {
        let mut sections: Vec<String> = job.previous.map(str::to_owned).into_iter().collect();
        let found = self.find(job)?;
        let mut add = |heading: &str, separator: &str, lines: Vec<String>| {
            if !lines.is_empty() {
                sections.push(format!("## {heading}\n{}", lines.join(separator)));
            }
        };
        let listed = |list: Vec<String>| -> Vec<String> {
            list.into_iter().map(|line| format!("- {line}")).collect()
        };
        add("User Messages", "\n\n", merged(found.prompts));
        let read = found.read.into_iter().map(|(path, ranges)| match ranges {
            ranges if ranges.is_empty() => path,
            ranges => format!("{path} (lines {})", ranges.join(", ")),
        });
        add("Files Read", "\n", listed(read.collect()));
        add("Files Edited", "\n", listed(found.edited));
        add("Commands", "\n", listed(found.commands));
        let older = found
            .replies
            .len()
            .saturating_sub(self.last_replies as usize);
        add("Last Replies", "\n\n", found.replies[older..].to_vec());
        let text = sections.join("\n\n");
        Ok(Outline {
            calls: Vec::new(),
            reflection: None,
            memories: None,
            summary: vec![SummaryPart::Text(text.clone())],
            fixed_history: Some(text),
        })
    }

    fn find(&self, job: &Job<'_>) -> Result<Found, BodyError> {
        let input = job.draft.input;
        let mut found = Found::default();
        let mut before = None;
        for &at in job.history.iter().chain(&job.turn_prefix) {
            let item = &input.context.items[at];
            let message = job.draft.message(at)?;
            let text = message.text("\n");
            match item.role {
                Role::User if item.kind == ItemKind::Message && !text.is_empty() => {
                    found.prompts.push((text, before == Some(Role::User)));
                }
                Role::Assistant => {
                    if !text.trim().is_empty() {
                        found.replies.push(text);
                    }
                    for entry in &item.entries {
                        for call in &input.session.entry(*entry).tool_calls {
                            let arguments = arguments(&message.blocks, &call.call_id);
                            self.note(&mut found, call.path.as_deref(), call.access, &arguments);
                        }
                    }
                }
                _ => {}
            }
            before = Some(item.role);
        }
        Ok(found)
    }

    fn note(
        &self,
        found: &mut Found,
        path: Option<&str>,
        access: Option<FileAccess>,
        arguments: &Value,
    ) {
        match (path, access) {
            (Some(path), Some(FileAccess::Read)) => {
                let ranges = found.read.entry(path.to_owned()).or_default();
                ranges.extend(lines(arguments));
            }
            (Some(path), Some(FileAccess::Edit | FileAccess::Write)) => {
                if !found.edited.iter().any(|own| own == path) {
                    found.edited.push(path.to_owned());
                }
            }
            _ => {
                if let Some(command) = arguments["command"].as_str() {
                    let (shown, _) = head(command, self.command_max_chars);
                    found.commands.push(shown.replace('\n', " "));
                }
            }
        }
    }
}

/// The arguments of the call with this id; null when they are not among the blocks.
fn arguments(blocks: &[Block], call_id: &str) -> Value {
    let own = blocks.iter().find_map(|block| match block {
        Block::ToolCall { id, arguments, .. } if id == call_id => Some(arguments),
        _ => None,
    });
    own.and_then(|text| serde_json::from_str(text).ok())
        .unwrap_or_default()
}

/// The lines that a read was limited to, by its `offset` and `limit`.
fn lines(arguments: &Value) -> Option<String> {
    let offset = arguments["offset"].as_u64();
    let limit = arguments["limit"].as_u64();
    let first = offset.unwrap_or(1);
    match (offset, limit) {
        (None, None) => None,
        (_, Some(limit)) => Some(format!("{first}-{}", (first + limit).saturating_sub(1))),
        (Some(_), None) => Some(format!("{first}-")),
    }
}

/// Messages of which one followed the other become one, which says so.
fn merged(prompts: Vec<(String, bool)>) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for (text, follows) in prompts {
        match out.last_mut() {
            Some(last) if follows => {
                last.push_str(&format!("\n[the next message followed at once]\n{text}"));
            }
            _ => out.push(text),
        }
    }
    out
}
