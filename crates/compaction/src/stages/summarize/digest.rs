//! No call: what happened is listed by fixed rules (Cline's SDK, August 2026, its basic way, which
//! it also takes when a summarizer's own window overflows).

use crate::stages::summarize::lines;
use crate::text::shorter::head;
use crate::vocabulary::memo::{Weight, question};
use crate::vocabulary::params::{ParamDoc, ParamType};
use crate::vocabulary::summary::SummaryPart;
use crate::workpiece::job::{Job, Outline};
use palimpsest_core::entry::{FileAccess, ToolCallBrief};
use palimpsest_core::{Block, BodyError, ContextItem, ItemKind, Message, Role};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};

/// Parameters of the method; the defaults are Cline's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Digest {
    /// UTF-16 units of a command that are listed.
    pub command_max_chars: u64,
    /// Replies of the assistant that go on verbatim, the newest.
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
    /// Files with the ranges of lines that were edited in them, in the order of the first edit.
    edited: Vec<(String, Vec<String>)>,
    commands: Vec<String>,
    /// Positions of the assistant's messages that say something.
    replies: Vec<usize>,
}

/// What the digest needs of a message.
enum Told {
    /// What the user wrote.
    Prompt(String),
    /// An assistant's message.
    Reply {
        /// True when it says something.
        says: bool,
        /// Of each of its calls, in the order of the session's list, what its arguments say.
        calls: Vec<Arguments>,
    },
}

/// What the arguments of a call say.
struct Arguments {
    /// The lines that a read was limited to.
    lines: Option<String>,
    /// The lines that an edit names.
    edited: Vec<String>,
    /// The command, as it is listed.
    command: Option<String>,
}

impl Weight for Told {
    fn bytes(&self) -> usize {
        let length = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        match self {
            Told::Prompt(text) => text.len(),
            Told::Reply { calls, .. } => calls
                .iter()
                .map(|call| {
                    let edited: usize = call.edited.iter().map(String::len).sum();
                    size_of::<Arguments>() + length(&call.lines) + edited + length(&call.command)
                })
                .sum(),
        }
    }
}

impl Digest {
    pub(super) const DOCS: &'static [ParamDoc] = &[
        ParamDoc::new(
            "command_max_chars",
            ParamType::Integer,
            "length at which a listed command is truncated",
        )
        .at_least(1.0)
        .unit("UTF-16 units"),
        ParamDoc::new(
            "last_replies",
            ParamType::Integer,
            "number of the newest replies kept verbatim",
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
        let with_lines = |(path, ranges): (String, Vec<String>)| {
            if ranges.is_empty() {
                path
            } else {
                format!("{path} (lines {})", ranges.join(", "))
            }
        };
        let read = found.read.into_iter().map(with_lines).collect();
        add("Files Read", "\n", listed(read));
        let edited = found.edited.into_iter().map(with_lines).collect();
        add("Files Edited", "\n", listed(edited));
        add("Commands", "\n", listed(found.commands));
        let older = found
            .replies
            .len()
            .saturating_sub(self.last_replies as usize);
        let replies = found.replies[older..].iter();
        let replies: Result<Vec<String>, BodyError> = replies
            .map(|&at| Ok(job.draft.message(at)?.text("\n")))
            .collect();
        add("Last Replies", "\n\n", replies?);
        let text = sections.join("\n\n");
        Ok(Outline {
            summary: vec![SummaryPart::Text(text.clone())],
            fixed_history: Some(text),
            ..Outline::default()
        })
    }

    fn find(&self, job: &Job<'_>) -> Result<Found, BodyError> {
        let input = job.draft.input;
        let mut found = Found::default();
        let mut edited: HashMap<&str, usize> = HashMap::new();
        let mut before = None;
        let told = question("digest", self);
        for &at in job.history.iter().chain(&job.turn_prefix) {
            let item = &input.context.items[at];
            let was_user = before == Some(Role::User);
            before = Some(item.role);
            if item.role == Role::Tool {
                continue;
            }
            let calls = || {
                let entries = item.entries.iter();
                entries.flat_map(|&entry| &input.session.entry(entry).tool_calls)
            };
            let told = job
                .draft
                .memo(at, told, |message| self.told(item, message, calls()))?;
            match told.as_ref() {
                Some(Told::Prompt(text)) => found.prompts.push((text.clone(), was_user)),
                Some(Told::Reply { says, calls: said }) => {
                    if *says {
                        found.replies.push(at);
                    }
                    for (call, said) in calls().zip(said) {
                        match (call.path.as_deref(), call.access) {
                            (Some(path), Some(FileAccess::Read)) => {
                                let ranges = match found.read.get_mut(path) {
                                    Some(ranges) => ranges,
                                    // Looked up first, so that a known path is not copied.
                                    None => found.read.entry(path.to_owned()).or_default(),
                                };
                                ranges.extend(said.lines.clone());
                            }
                            (Some(path), Some(FileAccess::Edit | FileAccess::Write)) => {
                                let place = *edited.entry(path).or_insert(found.edited.len());
                                if place == found.edited.len() {
                                    found.edited.push((path.to_owned(), Vec::new()));
                                }
                                found.edited[place].1.extend(said.edited.iter().cloned());
                            }
                            _ => found.commands.extend(said.command.clone()),
                        }
                    }
                }
                None => {}
            }
        }
        Ok(found)
    }

    fn told<'a>(
        &self,
        item: &ContextItem,
        message: &Message,
        calls: impl Iterator<Item = &'a ToolCallBrief>,
    ) -> Option<Told> {
        let text = message.text("\n");
        match item.role {
            Role::User if item.kind == ItemKind::Message && !text.is_empty() => {
                Some(Told::Prompt(text))
            }
            Role::Assistant => Some(Told::Reply {
                says: !text.trim().is_empty(),
                calls: calls
                    .map(|call| self.said(&arguments(&message.blocks, &call.call_id)))
                    .collect(),
            }),
            _ => None,
        }
    }

    fn said(&self, arguments: &Value) -> Arguments {
        let command = arguments["command"].as_str().map(|command| {
            let (shown, _) = head(command, self.command_max_chars);
            // An item of a list is one line.
            shown.replace('\n', " ")
        });
        Arguments {
            lines: lines::read(arguments),
            edited: lines::edited(arguments),
            command,
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
