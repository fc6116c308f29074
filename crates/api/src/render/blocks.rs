//! Blocks of messages as the interface shows them.

use super::ansi::styled;
use super::calls::call_shape;
use super::code::{code_spans, language_of};
use super::{markdown, utf16_len, utf16_slice};
use crate::wire::{BlockView, CallOutcome};
use palimpsest_app::rejection;
use palimpsest_app::view::headline::headline;
use palimpsest_core::entry::ToolCallBrief;
use palimpsest_core::{Block, Role};
use serde_json::Value;

/// Longest text sent with an entry, in UTF-16 units; the rest is fetched page by page.
const MOST_SHOWN: u64 = 24_000;

/// What became of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The entry with the result.
    pub entry_id: String,
    /// Done, failed or refused.
    pub outcome: CallOutcome,
}

/// What the entry of a block knows of it.
pub struct Shown<'a> {
    /// Who speaks in its message.
    pub role: Role,
    /// The calls of its entry.
    pub calls: &'a [ToolCallBrief],
    /// The file whose text a result holds.
    pub file: Option<&'a str>,
    /// Finds what became of a call.
    pub answer: &'a dyn Fn(&str) -> Option<Answer>,
}

/// A block of a message, ready to be painted.
pub fn block_view(block: &Block, shown: &Shown<'_>) -> BlockView {
    match block {
        Block::Text(text) => text_view(text, shown),
        Block::Thinking { text, redacted } => BlockView::Thinking {
            text: utf16_slice(text, 0, MOST_SHOWN).to_owned(),
            redacted: *redacted || text.trim().is_empty(),
        },
        Block::ToolCall {
            id,
            name,
            arguments,
        } => call_view(id, name, arguments, shown),
        Block::Image { mime, base64_len } => BlockView::Image {
            mime: mime.clone(),
            // Four characters of base64 are three bytes; padding is not subtracted.
            bytes: base64_len / 4 * 3,
            // The entry counts its images through all its messages.
            number: 0,
        },
        Block::Section { name, text } => BlockView::Section {
            name: name.clone(),
            text: text.clone(),
        },
        Block::ToolsAdded(json) => BlockView::Section {
            name: "tools added".to_owned(),
            text: Some(pretty(json)),
        },
        Block::Opaque { kind, json } => BlockView::Opaque {
            kind: kind.clone(),
            json: pretty(json),
        },
    }
}

fn call_view(id: &str, name: &str, arguments: &str, shown: &Shown<'_>) -> BlockView {
    let value = serde_json::from_str::<Value>(arguments).ok();
    let own = shown.calls.iter().filter(|call| &*call.call_id == id);
    let briefs: Vec<&ToolCallBrief> = own.collect();
    let answer = (shown.answer)(id);
    BlockView::ToolCall {
        call_id: id.to_owned(),
        name: name.to_owned(),
        headline: value.as_ref().map(headline).unwrap_or_default(),
        // Arguments that are no JSON (a call that was cut) are shown as stored.
        arguments: value
            .and_then(|value| serde_json::to_string_pretty(&value).ok())
            .map(|pretty| utf16_slice(&pretty, 0, MOST_SHOWN).to_owned())
            .unwrap_or_else(|| arguments.to_owned()),
        outcome: answer
            .as_ref()
            .map_or(CallOutcome::Unanswered, |answer| answer.outcome),
        result_id: answer.map(|answer| answer.entry_id),
        shape: call_shape(arguments, &briefs),
    }
}

fn text_view(text: &str, about: &Shown<'_>) -> BlockView {
    let total_chars = utf16_len(text);
    let shown = utf16_slice(text, 0, MOST_SHOWN);
    let cut = total_chars > MOST_SHOWN;
    match about.role {
        Role::Tool => match rejection(text) {
            Some(refused) => BlockView::Rejection { said: refused.said },
            // What tools print is not markdown: asterisks and indentation mean themselves.
            None => {
                let (text, styles) = styled(shown);
                let language = about.file.and_then(language_of);
                BlockView::Plain {
                    spans: code_spans(&text, language),
                    text,
                    total_chars,
                    cut,
                    styles,
                }
            }
        },
        Role::System | Role::User | Role::Assistant => BlockView::Markdown {
            blocks: markdown(&styled(shown).0),
            total_chars,
            cut,
        },
    }
}

/// JSON with indentation; what is none as it is.
pub fn pretty(json: &str) -> String {
    serde_json::from_str::<Value>(json)
        .ok()
        .and_then(|value| serde_json::to_string_pretty(&value).ok())
        .unwrap_or_else(|| json.to_owned())
}
