//! What the instructions ask for.

use crate::offline::extractive::input::ExtractiveInput;
use crate::offline::extractive::items::collector::{Collector, in_own_words, quote};
use crate::offline::extractive::page::{self, Item};
use crate::offline::extractive::previous::Slot;
use crate::offline::extractive::story::Story;
use crate::vocabulary::call::Purpose;
use palimpsest_ledger::words;
use std::collections::HashSet;

/// Sentences quoted for the instructions.
const MAX_FOCUS: usize = 6;

/// The sentences nearest to the instructions, as a group of their own.
pub fn focused(made: &mut Collector<'_>, input: &ExtractiveInput<'_>, story: &Story) {
    if made.focus.is_empty() {
        return;
    }
    let mut texts: Vec<(usize, String)> = story
        .sentences
        .iter()
        .map(|(item, said)| (*item, quote(said)))
        .collect();
    texts.extend(story.commands.iter().map(|command| {
        let outcome = command
            .failure
            .as_deref()
            .map_or_else(|| "passed".to_owned(), |error| format!("failed: {error}"));
        (
            command.item,
            quote(&format!("`{}` {outcome}", command.command)),
        )
    }));
    texts.extend(story.files.iter().filter_map(|file| {
        let line = file.last_line.as_ref()?;
        Some((file.item, format!("`{}`: `{line}`", file.path)))
    }));
    let borrowed: Vec<&str> = texts.iter().map(|(_, text)| text.as_str()).collect();
    let scores = made.focus.rank(&borrowed);
    let mut order: Vec<usize> = (0..texts.len()).filter(|&at| scores[at] > 0.0).collect();
    order.sort_by(|&a, &b| {
        scores[b]
            .total_cmp(&scores[a])
            // The newer of two sentences that are as near.
            .then(texts[b].0.cmp(&texts[a].0))
            .then(a.cmp(&b))
    });
    let mut chosen: Vec<usize> = Vec::new();
    let mut shown: Vec<HashSet<String>> = Vec::new();
    for at in order {
        let content: HashSet<String> = words::content_words(&texts[at].1).into_iter().collect();
        // Stricter than on the page (0.8): at most six sentences are quoted here.
        let repeats = shown.iter().any(|other| {
            content.intersection(other).count() as f64 >= 0.7 * content.len().max(1) as f64
        });
        if !repeats {
            shown.push(content);
            chosen.push(at);
        }
        if chosen.len() == MAX_FOCUS {
            break;
        }
    }
    let slot = match input.purpose {
        Purpose::History | Purpose::TurnPrefix => Slot::Critical,
        Purpose::Branch => Slot::Decisions,
    };
    // Larger groups first; the page takes the largest that fits and leaves out the others, which
    // repeat it.
    let asked = input
        .instructions
        .map(|text| page::cut(&in_own_words(text, 80), 80))
        .unwrap_or_default();
    for count in (1..=chosen.len()).rev() {
        let mut group = chosen[..count].to_vec();
        group.sort_by_key(|&at| texts[at].0);
        let mut text = format!("Focus ({asked}):");
        for at in group {
            text.push_str("\n  - ");
            text.push_str(&texts[at].1);
        }
        let order = made.at(made.len + 1);
        // Below the goal, above everything else.
        made.items.push(Item {
            slot,
            text,
            weight: 90.0 + count as f64,
            order,
            may_cut: false,
        });
    }
}
