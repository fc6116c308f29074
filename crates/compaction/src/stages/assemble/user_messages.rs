//! What the user said in the summarized messages goes on in the user's own words (Codex,
//! `codex-rs/core/src/compact.rs`, early 2026, `build_compacted_history`).

use crate::vocabulary::fate::Fate;
use crate::vocabulary::next::NextItem;
use crate::vocabulary::params::ParamDoc;
use crate::workpiece::job::Job;
use palimpsest_core::context::RESENT_PROMPT;
use palimpsest_core::{BodyError, ContextItem, ItemKind, Origin, Role};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// Bytes that Codex takes for one token.
const BYTES_PER_TOKEN: usize = 4;

/// Parameters of the part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct UserMessages {
    /// Tokens of the user's messages that go on, the newest first; UTF-8 bytes through four,
    /// rounded up for each message where the middle is cut. Codex: 20,000, its remote compaction 64,000.
    pub max_user_tokens: u64,
    /// What goes of the first message that does not fit.
    pub cut: Cut,
    /// Whether the stored instructions and what the agent put in about its surroundings stand just
    /// before the newest of these messages, of each kind the newest (Codex 0.169.0); first where the
    /// user said nothing.
    pub initial_context: bool,
    /// Whether the user's words go on alone, without what the agent had put around them, such as the
    /// time (Copilot CLI 1.0.102).
    pub bare: bool,
}

/// Which part of a message goes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cut {
    /// Its middle (Codex).
    #[default]
    Middle,
    /// Its end (Zed).
    End,
}

impl Default for UserMessages {
    fn default() -> Self {
        UserMessages {
            max_user_tokens: 20_000,
            cut: Cut::Middle,
            initial_context: false,
            bare: false,
        }
    }
}

impl UserMessages {
    pub(super) const DOCS: &'static [ParamDoc] = &[
        ParamDoc::tokens(
            "max_user_tokens",
            "tokens of user messages kept verbatim, newest first",
        ),
        ParamDoc::word(
            "cut",
            &["middle", "end"],
            "part of the first message that does not fit which is dropped",
        ),
        ParamDoc::yes_no(
            "initial_context",
            "insert instructions and environment before the newest of these messages",
        ),
        ParamDoc::yes_no(
            "bare",
            "send the user's words without what the agent put around them",
        ),
    ];

    /// The messages in their order: the newest that fit, and the first that does not with its
    /// middle cut out. What an agent put in under the user's name is not among them, nor are
    /// messages without text.
    pub(super) fn items(&self, job: &Job<'_>) -> Result<Vec<NextItem>, BodyError> {
        let mut left = (self.max_user_tokens as usize).saturating_mul(BYTES_PER_TOKEN);
        let mut kept = Vec::new();
        let mut seen = HashSet::new();
        let summarized = |at: &usize| {
            matches!(
                job.draft.pieces[*at].fate,
                Fate::Summarized | Fate::TurnPrefix
            )
        };
        for at in (0..job.draft.pieces.len()).rev().filter(summarized) {
            let item = &job.draft.input.context.items[at];
            if item.role != Role::User || item.kind != ItemKind::Message {
                continue;
            }
            if left == 0 {
                break;
            }
            // What was said while a summary was written stands beside it and behind it (Copilot).
            if let Some(&entry) = item.entries.first()
                && self.bare
                && !seen.insert((entry, item.message_index))
            {
                continue;
            }
            // In the user's words, whatever a step has made of them for the summarizer.
            let text = if self.bare {
                let bare = ContextItem {
                    native_role: RESENT_PROMPT,
                    ..item.clone()
                };
                job.draft.input.messages.message(&bare)?.text("\n")
            } else {
                job.draft.input.messages.message(item)?.text("\n")
            };
            if text.is_empty() {
                continue;
            }
            // Codex counts tokens, each message by itself; Zed the bytes of all.
            let size = match self.cut {
                Cut::Middle => text.len().next_multiple_of(BYTES_PER_TOKEN),
                Cut::End => text.len(),
            };
            let fits = size <= left;
            let text = match (fits, self.cut) {
                (true, _) => text,
                (false, Cut::Middle) => without_middle(&text, left),
                (false, Cut::End) => text[..text.floor_char_boundary(left)].to_owned(),
            };
            // Less room than one character leaves nothing of the text.
            if !text.is_empty() {
                kept.push(NextItem::text(Role::User, &text));
            }
            if !fits {
                break;
            }
            left -= size;
        }
        kept.reverse();
        if self.initial_context {
            let place = kept.len().saturating_sub(1);
            kept.splice(place..place, initial_context(job)?);
        }
        Ok(kept)
    }

    /// The same messages as one text, each between tags; empty for none.
    pub(super) fn tagged(&self, job: &Job<'_>) -> Result<String, BodyError> {
        let items = self.items(job)?;
        let texts = items.iter().filter_map(|item| match item {
            NextItem::Text { text, .. } => Some(text.as_str()),
            _ => None,
        });
        let tagged = texts.map(|text| format!("<user_message>\n{text}\n</user_message>"));
        Ok(tagged.collect::<Vec<_>>().join("\n"))
    }
}

/// The instructions that are stored, then what the agent put in of its surroundings, of each kind the
/// newest: these begin with a tag, or as Codex begins the project's instructions, and kinds are told
/// apart by that beginning.
fn initial_context(job: &Job<'_>) -> Result<Vec<NextItem>, BodyError> {
    let items = &job.draft.input.context.items;
    let mut context: Vec<NextItem> = job
        .draft
        .items(Fate::System)
        .into_iter()
        .filter(|&at| !items[at].entries.is_empty())
        .map(|item| NextItem::Kept {
            item,
            tokens: job.draft.pieces[item].tokens,
        })
        .collect();
    let mut newest: Vec<(String, String)> = Vec::new();
    for (at, item) in items.iter().enumerate().rev() {
        let is_put_in = item.role == Role::User
            && item.kind == ItemKind::Custom
            && item.origin == Origin::Injected;
        if !is_put_in
            || !matches!(
                job.draft.pieces[at].fate,
                Fate::Summarized | Fate::TurnPrefix
            )
        {
            continue;
        }
        let text = job.draft.message(at)?.text("\n");
        // What extensions and hooks put in is no part of it.
        if !text.starts_with('<') && !text.starts_with("# AGENTS.md") {
            continue;
        }
        let end = text.find(['>', '\n']).unwrap_or(text.len());
        let opening = text[..end].to_owned();
        if !newest.iter().any(|(known, _)| *known == opening) {
            newest.push((opening, text));
        }
    }
    let texts = newest.iter().rev();
    context.extend(texts.map(|(_, text)| NextItem::text(Role::User, text)));
    Ok(context)
}

/// The beginning and the end of `text`, `bytes` together, with a mark between them that says how
/// many tokens are missing.
fn without_middle(text: &str, bytes: usize) -> String {
    let head = text.floor_char_boundary(bytes / 2);
    let tail = text.ceil_char_boundary(text.len() - (bytes - bytes / 2));
    let gone = (tail - head).div_ceil(BYTES_PER_TOKEN);
    format!(
        "{}…{gone} tokens truncated…{}",
        &text[..head],
        &text[tail..]
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_goes_and_characters_stay_whole() {
        assert_eq!(
            without_middle("aaaabbbbcccc", 8),
            "aaaa…1 tokens truncated…cccc"
        );
        // Each umlaut has two bytes, of which one would fit on each side.
        assert_eq!(without_middle("äöüß", 2), "…2 tokens truncated…");
    }
}
