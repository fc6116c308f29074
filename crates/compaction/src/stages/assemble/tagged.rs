//! What the user's messages have in certain tags goes on as it is (Roo Code: the `<command>` blocks
//! that its slash commands leave in a message, and the newest `<environment_details>`).

use crate::vocabulary::fate::Fate;
use crate::vocabulary::memo::{Weight, question};
use crate::workpiece::job::Job;
use palimpsest_core::{BodyError, ItemKind, Role};

/// The blocks in these tags, each once: those that the summary before carried on, then those of
/// the summarized messages, in their order and a line apart. Then, by themselves, the last block of
/// each of the `newest` tags.
pub(super) fn carried(
    job: &Job<'_>,
    tags: &[String],
    newest: &[String],
) -> Result<(String, String), BodyError> {
    let mut found: Vec<String> = Vec::new();
    let mut last: Vec<Option<String>> = vec![None; newest.len()];
    if tags.is_empty() && newest.is_empty() {
        return Ok((String::new(), String::new()));
    }
    let mut note = |own: &Found| {
        for block in &own.all {
            if !found.contains(block) {
                found.push(block.clone());
            }
        }
        for (newer, last) in own.newest.iter().zip(&mut last) {
            if newer.is_some() {
                last.clone_from(newer);
            }
        }
    };
    note(&Found::of(job.previous.unwrap_or_default(), tags, newest));
    let asked = question("tagged blocks", &(tags, newest));
    for (at, piece) in job.draft.pieces.iter().enumerate() {
        let item = &job.draft.input.context.items[at];
        let summarized = matches!(piece.fate, Fate::Summarized | Fate::TurnPrefix);
        if summarized && item.role == Role::User && item.kind == ItemKind::Message {
            let own = job.draft.memo(at, asked, |message| {
                Found::of(&message.text("\n"), tags, newest)
            })?;
            note(&own);
        }
    }
    let last: Vec<String> = last.into_iter().flatten().collect();
    Ok((found.join("\n"), last.join("\n")))
}

/// The blocks of one text.
struct Found {
    /// Those of the tags whose blocks all go on.
    all: Vec<String>,
    /// The last of each tag of which only that goes on.
    newest: Vec<Option<String>>,
}

impl Found {
    fn of(text: &str, tags: &[String], newest: &[String]) -> Found {
        let last = |tag| blocks(text, std::slice::from_ref(tag)).pop();
        Found {
            all: blocks(text, tags).into_iter().map(str::to_owned).collect(),
            newest: newest
                .iter()
                .map(|tag| last(tag).map(str::to_owned))
                .collect(),
        }
    }
}

impl Weight for Found {
    fn bytes(&self) -> usize {
        let texts = self.all.iter().chain(self.newest.iter().flatten());
        texts.map(String::len).sum()
    }
}

/// The blocks of `text` from `<tag>`, or `<tag` with attributes, to `</tag>`, in their order.
fn blocks<'a>(text: &'a str, tags: &[String]) -> Vec<&'a str> {
    let mut found: Vec<(usize, &str)> = Vec::new();
    for tag in tags.iter().filter(|tag| !tag.is_empty()) {
        let (open, close) = (format!("<{tag}"), format!("</{tag}>"));
        let mut from = 0;
        while let Some(start) = text[from..].find(&open).map(|at| from + at) {
            let behind = &text[start + open.len()..];
            from = start + open.len();
            // `<commands` is another tag.
            if !behind.starts_with(['>', ' ', '\n', '\t']) {
                continue;
            }
            // Without an end behind this block no later one has an end either.
            let Some(end) = behind.find(&close) else {
                break;
            };
            from += end + close.len();
            found.push((start, &text[start..from]));
        }
    }
    // Found tag by tag, wanted as they stand in the text.
    found.sort_unstable();
    found.into_iter().map(|(_, block)| block).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_taken_whole_and_in_order() {
        let tags = ["command".to_owned(), "mode".to_owned()];
        let text = "a <mode>x</mode> <command name=\"init\">\ndo\n</command> <commands>n</commands> \
                    <command>open";
        assert_eq!(
            blocks(text, &tags),
            ["<mode>x</mode>", "<command name=\"init\">\ndo\n</command>"]
        );
        assert!(blocks(text, &[String::new()]).is_empty());
    }
}
