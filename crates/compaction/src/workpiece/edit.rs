//! What steps do to messages: pure changes that are made when a text is asked for, so that most of
//! what is changed is counted and never read.

use crate::text::edits::without_old;
use crate::text::shorter::without_middle;
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
    /// Its text has at most so many bytes: the middle is left out.
    Elided(u64),
    /// So many equal lines in a row, or more, are one.
    Collapsed(u64),
    /// Its reasoning is gone.
    NoThinking,
    /// A word stands for each of its images, another for each of its documents.
    NoImages {
        /// For an image.
        image: Arc<str>,
        /// For a document.
        document: Arc<str>,
    },
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
            Edit::Elided(most) => {
                let text = without_middle(&message.text("\n"), *most as usize)?;
                put_text(&mut message, text);
            }
            Edit::Collapsed(least) => {
                let mut changed = false;
                for block in &mut message.blocks {
                    if let Block::Text(text) = block
                        && let Some(shorter) = collapsed(text, *least)
                    {
                        *text = shorter;
                        changed = true;
                    }
                }
                changed.then_some(())?;
            }
            Edit::NoThinking => message
                .blocks
                .retain(|block| !matches!(block, Block::Thinking { .. })),
            Edit::NoImages { image, document } => {
                for block in &mut message.blocks {
                    let word = match block {
                        Block::Image { .. } if is_document(block) => document,
                        Block::Image { .. } => image,
                        _ if is_document(block) => document,
                        _ => continue,
                    };
                    *block = Block::Text(word.to_string());
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

/// Whether a block is a file that is no image: a `document` of Anthropic's API, or an attachment of
/// another type.
fn is_document(block: &Block) -> bool {
    match block {
        Block::Opaque { kind, .. } => kind == "document",
        Block::Image { mime, .. } => !mime.is_empty() && !mime.starts_with("image/"),
        _ => false,
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
    let (kept, _) = crate::text::shorter::head(text, most);
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

/// `text` with one line and their number in the place of `least` or more equal lines in a row; `None`
/// when there are none.
fn collapsed(text: &str, least: u64) -> Option<String> {
    let mut out = String::new();
    let mut changed = false;
    let mut lines = text.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let said = line.trim_end_matches(['\n', '\r']);
        let mut run = vec![line];
        while let Some(next) = lines.next_if(|next| next.trim_end_matches(['\n', '\r']) == said) {
            run.push(next);
        }
        if (run.len() as u64) < least {
            out.extend(run);
            continue;
        }
        changed = true;
        // The last line of a text may have no end.
        let end = run.last().map_or("", |last| &last[said.len()..]);
        out.push_str(&format!("{said}\n[{} equal lines]{end}", run.len()));
    }
    changed.then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_equal_lines_become_one_with_their_number() {
        assert_eq!(collapsed("a\nb\nb\nc", 3), None);
        assert_eq!(
            collapsed("a\nbb\nbb\nbb\nc\n", 3).unwrap(),
            "a\nbb\n[3 equal lines]\nc\n"
        );
        assert_eq!(collapsed("b\r\nb\nb", 3).unwrap(), "b\n[3 equal lines]");
        assert_eq!(collapsed("b\nx\nb\nx\nb\n", 3), None);
    }

    #[test]
    fn the_middle_goes_with_its_number_of_bytes() {
        assert_eq!(without_middle("abc", 3), None);
        let text = "x".repeat(100);
        let cut = without_middle(&text, 50).unwrap();
        assert!(cut.len() <= 50, "{}", cut.len());
        assert!(cut.starts_with("xxx") && cut.ends_with("xxx"));
        let gone = 100 - cut.matches('x').count();
        assert!(
            cut.contains(&format!("[... {gone} bytes left out ...]")),
            "{cut}"
        );
        // Characters stay whole.
        let cut = without_middle(&"ä".repeat(50), 51).unwrap();
        assert!(cut.len() <= 51 && cut.starts_with('ä'));
    }

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
