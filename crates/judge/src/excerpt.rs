//! The texts of a span as they stand in prompts: entry by entry, in pieces that fit a window.

use crate::call::Cite;
use crate::fence::fenced;
use palimpsest_core::EntryIx;
use palimpsest_core::estimate::text_tokens;
use palimpsest_ledger::Span;
use palimpsest_ledger::span::{Part, PartKind};
use std::collections::HashMap;

/// Who says a text of an excerpt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    /// The user.
    User,
    /// The agent, its reasoning included.
    Agent,
    /// A tool call of the agent.
    Call,
    /// What a tool returned.
    Result,
    /// An earlier summary.
    Summary,
}

impl Speaker {
    /// Who says a part of this kind; `None` for what the agent sends again when it needs it.
    pub(crate) fn of(kind: PartKind) -> Option<Speaker> {
        Some(match kind {
            PartKind::UserText => Speaker::User,
            PartKind::AssistantText | PartKind::Thinking => Speaker::Agent,
            PartKind::ToolCall => Speaker::Call,
            PartKind::ToolOutput => Speaker::Result,
            PartKind::Summary => Speaker::Summary,
            PartKind::Injected => return None,
        })
    }

    fn name(self) -> &'static str {
        match self {
            Speaker::User => "user",
            Speaker::Agent => "agent",
            Speaker::Call => "tool call",
            Speaker::Result => "tool result",
            Speaker::Summary => "earlier summary",
        }
    }
}

/// Most characters of one text by who says it; of a longer one the middle is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Of the user and of an earlier summary.
    pub said: usize,
    /// Of the agent.
    pub agent: usize,
    /// Of a tool call.
    pub call: usize,
    /// Of a result.
    pub result: usize,
}

impl Limits {
    /// Decisions, findings and limits are said; outputs only show what was found (our guess).
    pub const FACTS: Limits = Limits {
        said: 20_000,
        agent: 8_000,
        call: 600,
        result: 1_200,
    };

    fn of(self, speaker: Speaker) -> usize {
        match speaker {
            Speaker::User | Speaker::Summary => self.said,
            Speaker::Agent => self.agent,
            Speaker::Call => self.call,
            Speaker::Result => self.result,
        }
    }
}

/// A text of a span as it stands in a prompt.
pub(crate) struct Piece {
    /// The line that opens it.
    pub head: String,
    /// The text, fenced.
    pub text: String,
    /// The entry's name in the prompt.
    pub label: String,
    /// The entry.
    pub entry: EntryIx,
    /// True for words of the user.
    pub by_user: bool,
    /// Estimated tokens with its marks.
    pub tokens: u64,
}

/// A part of a span as text, with the places that can be cited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Excerpt {
    /// The text, between marks.
    pub text: String,
    /// What can be cited; ranges are bytes of `text`.
    pub cites: Vec<Cite>,
}

const OPEN: &str = "<session>\n";
const CLOSE: &str = "</session>";

/// The span in excerpts of at most `most_tokens` each; one text alone may not be larger, so it is cut.
pub(crate) fn excerpts(
    span: &Span<'_>,
    name: &dyn Fn(EntryIx) -> String,
    limits: Limits,
    most_tokens: u64,
) -> Vec<Excerpt> {
    let pieces = pieces(span, limits, most_tokens);
    let mut groups: Vec<Vec<Piece>> = Vec::new();
    let mut size = 0;
    for piece in pieces {
        if groups.is_empty() || size + piece.tokens > most_tokens {
            groups.push(Vec::new());
            size = 0;
        }
        size += piece.tokens;
        if let Some(last) = groups.last_mut() {
            last.push(piece);
        }
    }
    groups.iter().map(|group| written(group, name)).collect()
}

/// Most characters of texts, from generous to bare: what the user said is cut last (our guess).
const STEPS: [Limits; 5] = [
    Limits {
        said: 20_000,
        agent: 8_000,
        call: 1_200,
        result: 4_000,
    },
    Limits {
        said: 12_000,
        agent: 3_000,
        call: 600,
        result: 1_200,
    },
    Limits {
        said: 6_000,
        agent: 1_200,
        call: 300,
        result: 400,
    },
    Limits {
        said: 3_000,
        agent: 500,
        call: 150,
        result: 150,
    },
    Limits {
        said: 1_000,
        agent: 200,
        call: 80,
        result: 60,
    },
];

/// The span in one excerpt of at most `most_tokens`: long texts are cut further until all of it fits;
/// where nothing helps, the oldest texts are left out, and the excerpt says so.
pub(crate) fn fitted(
    span: &Span<'_>,
    name: &dyn Fn(EntryIx) -> String,
    most_tokens: u64,
) -> Excerpt {
    let mut last = Vec::new();
    for limits in STEPS {
        last = pieces(span, limits, most_tokens);
        if size(&last) <= most_tokens {
            return written(&last, name);
        }
    }
    let mut left_out = 0;
    while size(&last[left_out..]) > most_tokens {
        left_out += 1;
    }
    let mut excerpt = written(&last[left_out..], name);
    let note = format!("[{left_out} earlier texts are left out]\n");
    excerpt.text.insert_str(OPEN.len(), &note);
    for cite in &mut excerpt.cites {
        cite.start += note.len();
        cite.end += note.len();
    }
    excerpt
}

fn size(pieces: &[Piece]) -> u64 {
    pieces.iter().map(|piece| piece.tokens).sum()
}

fn pieces(span: &Span<'_>, limits: Limits, most_tokens: u64) -> Vec<Piece> {
    let mut numbers: HashMap<EntryIx, usize> = HashMap::new();
    let mut pieces = Vec::new();
    // Four characters are about a token; a third less than the room leaves space for the marks.
    let fits = usize::try_from(most_tokens)
        .unwrap_or(usize::MAX)
        .saturating_mul(8)
        / 3;
    for part in span.parts() {
        let Some(speaker) = Speaker::of(part.kind) else {
            continue;
        };
        if part.text.trim().is_empty() {
            continue;
        }
        let next = numbers.len() + 1;
        let number = *numbers.entry(part.entry).or_insert(next);
        let label = format!("e{number}");
        let text = fenced(&cut(part.text, limits.of(speaker).min(fits)));
        let head = format!("<entry id=\"{label}\" by=\"{}\">\n", by(&part, speaker));
        pieces.push(Piece {
            tokens: text_tokens(&text) + text_tokens(&head) + 4,
            head,
            text,
            label,
            entry: part.entry,
            by_user: speaker == Speaker::User,
        });
    }
    pieces
}

/// Who says a part, in words.
pub(crate) fn by(part: &Part<'_>, speaker: Speaker) -> String {
    let tool = part
        .tool
        .filter(|_| matches!(speaker, Speaker::Call | Speaker::Result));
    let failed = if part.is_error { ", failed" } else { "" };
    match tool {
        Some(tool) => {
            let tool: String = tool
                .chars()
                .filter(|c| c.is_alphanumeric() || *c == '_')
                .collect();
            format!("{} of {tool}{failed}", speaker.name())
        }
        None => speaker.name().to_owned(),
    }
}

/// Pieces as one text.
pub(crate) fn written<'a>(
    pieces: impl IntoIterator<Item = &'a Piece>,
    name: &dyn Fn(EntryIx) -> String,
) -> Excerpt {
    let mut text = String::from(OPEN);
    let mut cites = Vec::new();
    for piece in pieces {
        text.push_str(&piece.head);
        let start = text.len();
        text.push_str(&piece.text);
        cites.push(Cite {
            label: piece.label.clone(),
            entry: name(piece.entry),
            by_user: piece.by_user,
            start,
            end: text.len(),
        });
        text.push_str("\n</entry>\n");
    }
    text.push_str(CLOSE);
    Excerpt { text, cites }
}

/// The beginning and the end of a text that is too long, with what lies between counted.
pub(crate) fn cut(text: &str, most: usize) -> String {
    let count = text.chars().count();
    if count <= most {
        return text.to_owned();
    }
    let head: String = text.chars().take(most - most / 3).collect();
    let tail: String = text.chars().skip(count - most / 3).collect();
    format!("{head}\n[{} characters cut]\n{tail}", count - most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_loses_its_middle() {
        assert_eq!(cut("short", 5), "short");
        let text: String = ('a'..='z').collect();
        assert_eq!(cut(&text, 9), "abcdef\n[17 characters cut]\nxyz");
        assert_eq!(cut(&"é".repeat(10), 3), "éé\n[7 characters cut]\né");
    }
}
