//! What a provider gets of a call in the form of a conversation.
//!
//! Providers demand what a session need not hold: neighbours with different roles, a result for each
//! call in the message behind it, ids of letters and digits. Reasoning is left out, because only who
//! wrote it can send it again.

use crate::vocabulary::call::PlannedCall;
use crate::vocabulary::request::BlockKind;
use palimpsest_core::Role;
use palimpsest_core::call::{ModelBlock, ModelMessage};
use std::collections::{HashMap, HashSet};

impl PlannedCall {
    /// The messages that are sent; none in the form of a transcript.
    pub fn sent_messages(&self) -> Vec<ModelMessage> {
        let mut messages: Vec<ModelMessage> = Vec::new();
        for own in &self.messages {
            let role = match own.role {
                Role::Tool => Role::User,
                other => other,
            };
            let blocks = own.blocks.iter().filter_map(|block| {
                let text = self.prompt.get(block.range.clone()).unwrap_or_default();
                sent(&block.kind, text)
            });
            let blocks: Vec<ModelBlock> = blocks.collect();
            match messages.last_mut() {
                _ if blocks.is_empty() => {}
                Some(last) if last.role == role => last.blocks.extend(blocks),
                _ => messages.push(ModelMessage { role, blocks }),
            }
        }
        pair(&mut messages);
        messages
    }
}

fn sent(kind: &BlockKind, text: &str) -> Option<ModelBlock> {
    let id = |id: &str| id.replace(|c: char| !c.is_ascii_alphanumeric() && c != '-', "_");
    Some(match kind {
        BlockKind::Text if text.trim().is_empty() => return None,
        BlockKind::Text => ModelBlock::Text {
            text: text.to_owned(),
        },
        BlockKind::Thinking => return None,
        BlockKind::ToolCall { id: own, name } => ModelBlock::ToolCall {
            id: id(own),
            name: name.clone(),
            arguments: text.to_owned(),
        },
        BlockKind::ToolResult { id: own, is_error } => ModelBlock::ToolResult {
            id: id(own),
            name: String::new(),
            text: text.to_owned(),
            is_error: *is_error,
        },
        BlockKind::Image { .. } => ModelBlock::Text {
            text: "[image]".to_owned(),
        },
    })
}

/// Names the tool of each result that stands in the message behind its call, before what the user says
/// there. Calls and results without each other become texts.
fn pair(messages: &mut [ModelMessage]) {
    let mut open: HashMap<String, String> = HashMap::new();
    for at in 0..messages.len() {
        let behind = messages.get(at + 1).map(results).unwrap_or_default();
        let calls = std::mem::take(&mut open);
        let own = &mut messages[at];
        for block in &mut own.blocks {
            match block {
                ModelBlock::ToolCall { id, name, .. } if behind.contains(id) => {
                    open.insert(id.clone(), name.clone());
                }
                ModelBlock::ToolResult { id, name, .. } if calls.contains_key(id) => {
                    name.clone_from(&calls[id]);
                }
                ModelBlock::Text { .. } => {}
                other => *other = ModelBlock::Text { text: told(other) },
            }
        }
        own.blocks
            .sort_by_key(|block| !matches!(block, ModelBlock::ToolResult { .. }));
    }
}

fn results(message: &ModelMessage) -> HashSet<String> {
    let ids = message.blocks.iter().filter_map(|block| match block {
        ModelBlock::ToolResult { id, .. } => Some(id.clone()),
        _ => None,
    });
    ids.collect()
}

/// A call or a result in words.
fn told(block: &ModelBlock) -> String {
    match block {
        ModelBlock::Text { text } => text.clone(),
        ModelBlock::ToolCall {
            name, arguments, ..
        } => format!("[Tool call]: {name}({arguments})"),
        ModelBlock::ToolResult { text, .. } => format!("[Tool result]: {text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::request::{RequestBlock, RequestMessage};

    /// A call with these blocks, one message each.
    fn call(blocks: &[(Role, BlockKind, &str)]) -> PlannedCall {
        let mut call = PlannedCall::default();
        for (role, kind, text) in blocks {
            let start = call.prompt.len();
            call.prompt.push_str(text);
            let range = start..call.prompt.len();
            let kind = kind.clone();
            call.messages.push(RequestMessage {
                role: *role,
                item: None,
                blocks: vec![RequestBlock { kind, range }],
            });
        }
        call
    }

    fn tool_call(id: &str) -> BlockKind {
        BlockKind::ToolCall {
            id: id.to_owned(),
            name: "read".to_owned(),
        }
    }

    fn result(id: &str) -> BlockKind {
        BlockKind::ToolResult {
            id: id.to_owned(),
            is_error: false,
        }
    }

    #[test]
    fn neighbours_have_different_roles_and_results_stand_behind_their_calls() {
        let sent = call(&[
            (Role::User, BlockKind::Text, "Look."),
            (Role::Assistant, BlockKind::Thinking, "hm"),
            (Role::Assistant, tool_call("a|b"), "{}"),
            (Role::Tool, result("a|b"), "found"),
            (Role::User, BlockKind::Text, "Go on."),
        ])
        .sent_messages();
        let roles: Vec<Role> = sent.iter().map(|own| own.role).collect();
        assert_eq!(roles, [Role::User, Role::Assistant, Role::User]);
        let answer = &sent[2].blocks;
        let found = ModelBlock::ToolResult {
            id: "a_b".to_owned(),
            name: "read".to_owned(),
            text: "found".to_owned(),
            is_error: false,
        };
        assert_eq!(answer[0], found);
        let said = ModelBlock::Text {
            text: "Go on.".to_owned(),
        };
        assert_eq!(answer[1], said);
        assert_eq!(sent[1].blocks.len(), 1, "reasoning is not sent");
    }

    #[test]
    fn what_has_no_counterpart_becomes_text() {
        let sent = call(&[
            (Role::Tool, result("lost"), "found"),
            (Role::Assistant, tool_call("open"), "{}"),
            (Role::User, BlockKind::Text, "Stop."),
        ])
        .sent_messages();
        let texts = sent.iter().flat_map(|own| &own.blocks);
        let texts: Vec<String> = texts
            .map(|block| match block {
                ModelBlock::Text { text } => text.clone(),
                other => panic!("{other:?} is no text"),
            })
            .collect();
        assert_eq!(
            texts,
            ["[Tool result]: found", "[Tool call]: read({})", "Stop."]
        );
    }
}
