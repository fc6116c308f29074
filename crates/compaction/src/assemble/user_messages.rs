//! What the user said in the summarized messages goes on in the user's own words (Codex,
//! `codex-rs/core/src/compact.rs`, early 2026, `build_compacted_history`).

use super::NextItem;
use crate::params::ParamDoc;
use crate::select::Fate;
use crate::summarize::Job;
use palimpsest_core::{BodyError, ItemKind, Role};
use serde::{Deserialize, Serialize};

/// Bytes that Codex takes for one token.
const BYTES_PER_TOKEN: usize = 4;

/// Parameters of the part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct UserMessages {
    /// Tokens of the user's messages that go on, the newest first; UTF-8 bytes through four,
    /// rounded up. Codex: 20,000, its remote compaction 64,000.
    pub max_user_tokens: u64,
    /// What goes of the first message that does not fit.
    pub cut: Cut,
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
        }
    }
}

impl UserMessages {
    pub(super) const DOCS: &'static [ParamDoc] = &[
        ParamDoc::tokens(
            "max_user_tokens",
            "how much of what the user said goes on verbatim, the newest first",
        ),
        ParamDoc::word(
            "cut",
            &["middle", "end"],
            "what goes of the first message that does not fit",
        ),
    ];

    /// The messages in their order: the newest that fit, and the first that does not with its
    /// middle cut out. What an agent put in under the user's name is not among them, nor are
    /// messages without text.
    pub(super) fn items(&self, job: &Job<'_>) -> Result<Vec<NextItem>, BodyError> {
        let mut left = self.max_user_tokens as usize;
        let mut kept = Vec::new();
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
            let text = job.draft.message(at)?.text("\n");
            if text.is_empty() {
                continue;
            }
            let tokens = text.len().div_ceil(BYTES_PER_TOKEN);
            let fits = tokens <= left;
            let text = match fits {
                true => text,
                false => match self.cut {
                    Cut::Middle => without_middle(&text, left * BYTES_PER_TOKEN),
                    Cut::End => text[..text.floor_char_boundary(left * BYTES_PER_TOKEN)].to_owned(),
                },
            };
            kept.push(NextItem::text(Role::User, &text));
            if !fits {
                break;
            }
            left -= tokens;
        }
        kept.reverse();
        Ok(kept)
    }
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
