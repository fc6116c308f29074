//! What steps do to messages: pure changes that are made when a text is asked for, so that most of
//! what is changed is counted and never read.

use crate::edits::without_old;
use palimpsest_core::json::utf16_len;
use palimpsest_core::{Block, Message};
use std::sync::Arc;

/// A change of one message.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Edit {
    /// A text stands for all of its content.
    Cleared(Arc<str>),
    /// Its text is cut to this many UTF-16 units, with a note of how many are missing.
    Capped(u64),
    /// The ends of its text stay, this many characters of each.
    Ends {
        /// Characters of the beginning.
        head: usize,
        /// Characters of the end.
        tail: usize,
    },
    /// Its reasoning is gone.
    NoThinking,
    /// A word stands for each of its images.
    NoImages(Arc<str>),
    /// The edits it makes are without what they replaced.
    ResultingCode,
    /// The arguments of the calls with these ids are empty.
    NoArguments(Arc<[Box<str>]>),
}

impl Edit {
    /// `message` after the change; `None` when there is nothing to change.
    pub(crate) fn apply(&self, mut message: Message) -> Option<Message> {
        match self {
            Edit::Cleared(placeholder) => {
                message.blocks = vec![Block::Text(placeholder.to_string())];
            }
            Edit::Capped(most) => {
                let text = capped(&message.text(""), *most)?;
                put_text(&mut message, text);
            }
            Edit::Ends { head, tail } => {
                let text = ends(&message.text("\n"), *head, *tail)?;
                put_text(&mut message, text);
            }
            Edit::NoThinking => message
                .blocks
                .retain(|block| !matches!(block, Block::Thinking { .. })),
            Edit::NoImages(placeholder) => {
                for block in &mut message.blocks {
                    if matches!(block, Block::Image { .. }) {
                        *block = Block::Text(placeholder.to_string());
                    }
                }
            }
            Edit::ResultingCode => {
                for block in &mut message.blocks {
                    if let Block::ToolCall { arguments, .. } = block
                        && let Some(left) = without_old(arguments)
                    {
                        *arguments = left;
                    }
                }
            }
            Edit::NoArguments(calls) => {
                for block in &mut message.blocks {
                    if let Block::ToolCall { id, arguments, .. } = block
                        && calls.iter().any(|call| **call == **id)
                    {
                        *arguments = "{}".to_owned();
                    }
                }
            }
        }
        Some(message)
    }
}

/// Puts `text` in the place of all text of a message.
fn put_text(message: &mut Message, text: String) {
    message
        .blocks
        .retain(|block| !matches!(block, Block::Text(_)));
    message.blocks.insert(0, Block::Text(text));
}

/// The first `most` UTF-16 units of `text` with a note; `None` when it has no more.
fn capped(text: &str, most: u64) -> Option<String> {
    let cut = utf16_len(text).checked_sub(most).filter(|&cut| cut > 0)?;
    let (kept, _) = crate::summarize::head(text, most);
    Some(format!("{kept}\n\n[{cut} characters cut]"))
}

/// The beginning and the end of `text` with the number of characters between them; `None` when
/// there are none.
fn ends(text: &str, head: usize, tail: usize) -> Option<String> {
    let count = text.chars().count();
    let ends = head.checked_add(tail)?;
    let cut = count.checked_sub(ends).filter(|&cut| cut > 0)?;
    let byte = |chars: usize| {
        text.char_indices()
            .nth(chars)
            .map_or(text.len(), |(at, _)| at)
    };
    let (head, tail) = (&text[..byte(head)], &text[byte(count - tail)..]);
    Some(format!("{head}\n… {cut} characters cut …\n{tail}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_stay() {
        assert_eq!(ends("äbcde", 2, 1).unwrap(), "äb\n… 2 characters cut …\ne");
        assert_eq!(ends("abc", 2, 1), None);
    }

    #[test]
    fn a_cut_text_says_what_is_missing() {
        assert_eq!(capped("abcde", 2).unwrap(), "ab\n\n[3 characters cut]");
        assert_eq!(capped("ab", 2), None);
    }
}
