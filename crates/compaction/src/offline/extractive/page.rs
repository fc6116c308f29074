//! Filling a budget with weighed items under fixed headings.

use crate::offline::extractive::previous::Slot;
use crate::vocabulary::call::Purpose;
use palimpsest_core::json::utf16_len;
use palimpsest_ledger::words;
use std::collections::HashSet;

/// One line, or group of lines, of a summary.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// Where it belongs.
    pub slot: Slot,
    /// Its text without list marker; indented lines may follow the first.
    pub text: String,
    /// Heavier items get room first.
    pub weight: f64,
    /// Place among the items of its heading.
    pub order: usize,
    /// True when it may be cut between words to fit.
    pub may_cut: bool,
}

/// Share of an item's content words that an earlier one under the same heading must have for the
/// item to be left out as a repetition.
const REPEATS: f64 = 0.8;

/// Weight of the n-th heaviest item under a heading relative to the first, per rank: so that no
/// heading takes the whole budget.
// The twelfth item weighs half of what it would alone (0.94 to the 11th is 0.51).
const DECLINE: f64 = 0.94;

/// UTF-16 units below which a cut item says nothing.
// Five or six words.
const MIN_CUT_UNITS: u64 = 32;

struct Heading {
    title: &'static str,
    slots: &'static [Slot],
    marker: Marker,
}

#[derive(Clone, Copy, PartialEq)]
enum Marker {
    Plain,
    Bullet,
    Ticked,
    Open,
    Numbered,
}

const fn heading(title: &'static str, slots: &'static [Slot], marker: Marker) -> Heading {
    Heading {
        title,
        slots,
        marker,
    }
}

const HISTORY: &[Heading] = &[
    heading("## Goal", &[Slot::Goal], Marker::Plain),
    heading(
        "## Constraints & Preferences",
        &[Slot::Constraints],
        Marker::Bullet,
    ),
    heading("## Progress", &[], Marker::Plain),
    heading("### Done", &[Slot::Done], Marker::Ticked),
    heading("### In Progress", &[Slot::InProgress], Marker::Open),
    heading("### Blocked", &[Slot::Blocked], Marker::Bullet),
    heading("## Key Decisions", &[Slot::Decisions], Marker::Bullet),
    heading("## Next Steps", &[Slot::Next], Marker::Numbered),
    heading("## Critical Context", &[Slot::Critical], Marker::Bullet),
];

const TURN_PREFIX: &[Heading] = &[
    heading("## Original Request", &[Slot::Goal], Marker::Plain),
    heading(
        "## Progress So Far",
        &[Slot::Done, Slot::InProgress, Slot::Blocked],
        Marker::Bullet,
    ),
    heading(
        "## Context Needed to Continue",
        &[
            Slot::Constraints,
            Slot::Decisions,
            Slot::Next,
            Slot::Critical,
        ],
        Marker::Bullet,
    ),
];

fn headings(purpose: Purpose) -> &'static [Heading] {
    match purpose {
        Purpose::History => HISTORY,
        Purpose::TurnPrefix => TURN_PREFIX,
        // A branch summary has no critical context.
        Purpose::Branch => &HISTORY[..HISTORY.len() - 1],
    }
}

/// Chooses from `items` and writes them under the headings of `purpose` within `budget_tokens`.
pub fn lay_out(purpose: Purpose, mut items: Vec<Item>, budget_tokens: u64) -> String {
    let headings = headings(purpose);
    // pi's estimate: four UTF-16 units are a token.
    let budget = budget_tokens.saturating_mul(4);
    items.sort_by(|a, b| {
        b.weight
            .total_cmp(&a.weight)
            .then(a.order.cmp(&b.order))
            .then_with(|| a.text.cmp(&b.text))
    });
    let mut ranks = vec![0i32; headings.len()];
    let mut placed: Vec<(usize, Item)> = Vec::new();
    for mut item in items {
        if let Some(at) = headings
            .iter()
            .position(|heading| heading.slots.contains(&item.slot))
        {
            item.weight *= DECLINE.powi(ranks[at]);
            ranks[at] += 1;
            placed.push((at, item));
        }
    }
    // Stable, so that equal weights keep the order of the first sort and two runs the same text.
    placed.sort_by(|a, b| b.1.weight.total_cmp(&a.1.weight));
    let mut chosen: Vec<Vec<Item>> = headings.iter().map(|_| Vec::new()).collect();
    let mut shown: Vec<Vec<HashSet<String>>> = headings.iter().map(|_| Vec::new()).collect();
    let mut lines: HashSet<String> = HashSet::new();
    // The headings with "(none)" under each are there whatever is chosen.
    let mut used = utf16_len(&write(headings, &chosen));
    for (at, mut item) in placed {
        let content: HashSet<String> = words::content_words(&item.text).into_iter().collect();
        let repeats = shown[at].iter().any(|other| {
            let shared = content.intersection(other).count();
            !content.is_empty() && shared as f64 >= REPEATS * content.len() as f64
        });
        // What stands under one heading in the same words is not told again under another.
        let key = words::normalize(&item.text);
        if repeats || lines.contains(&key) {
            continue;
        }
        // Five for the longest marker ("- [x]") and its space, one for the line end, less the
        // "(none)" it takes the place of.
        let overhead = 7;
        let freed = if chosen[at].is_empty() { 6 } else { 0 };
        let room = (budget + freed).saturating_sub(used + overhead);
        let mut size = utf16_len(&item.text);
        if size > room {
            if !item.may_cut || room < MIN_CUT_UNITS {
                continue;
            }
            item.text = cut(&item.text, room);
            size = utf16_len(&item.text);
        }
        used = (used + size + overhead).saturating_sub(freed);
        lines.insert(key);
        shown[at].push(content);
        chosen[at].push(item);
    }
    for items in &mut chosen {
        // Chosen by weight, but read in the order in which things happened.
        items.sort_by_key(|item| (item.slot, item.order));
    }
    let text = write(headings, &chosen);
    if utf16_len(&text) <= budget {
        return text;
    }
    // Too little room even for the headings.
    let goal = chosen
        .first()
        .and_then(|items| items.first())
        .map_or("", |item| &item.text);
    cut(if goal.is_empty() { &text } else { goal }, budget)
}

fn write(headings: &[Heading], chosen: &[Vec<Item>]) -> String {
    let mut out = String::new();
    for (at, (heading, items)) in headings.iter().zip(chosen).enumerate() {
        if at > 0 {
            out.push('\n');
        }
        out.push_str(heading.title);
        out.push('\n');
        if heading.slots.is_empty() {
            continue;
        }
        if items.is_empty() {
            out.push_str("(none)\n");
        }
        for (number, item) in items.iter().enumerate() {
            match heading.marker {
                Marker::Plain => {}
                Marker::Bullet => out.push_str("- "),
                Marker::Ticked => out.push_str("- [x] "),
                Marker::Open => out.push_str("- [ ] "),
                Marker::Numbered => {
                    out.push_str(&(number + 1).to_string());
                    out.push_str(". ");
                }
            }
            out.push_str(&item.text);
            out.push('\n');
        }
    }
    out.truncate(out.trim_end().len());
    out
}

/// At most `units` UTF-16 units of `text`, cut between words with an ellipsis; a word is cut only
/// where there is no space to cut at.
pub fn cut(text: &str, units: u64) -> String {
    if utf16_len(text) <= units {
        return text.to_owned();
    }
    // The ellipsis takes one unit.
    let mut used = 1;
    let mut end = 0;
    let mut last_space = None;
    for (at, c) in text.char_indices() {
        if c.is_whitespace() {
            last_space = Some(at);
        }
        used += c.len_utf16() as u64;
        if used > units {
            break;
        }
        end = at + c.len_utf8();
    }
    if units == 0 {
        return String::new();
    }
    let end = match last_space {
        Some(space) if space > 0 && end < text.len() => space.min(end),
        _ => end,
    };
    format!(
        "{}…",
        text[..end].trim_end().trim_end_matches([',', ';', ':'])
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_between_words() {
        assert_eq!(cut("one two three", 9), "one two…");
        assert_eq!(cut("one two", 7), "one two");
        assert_eq!(cut("oneword", 4), "one…");
        assert_eq!(cut("😀😀😀", 4), "😀…");
        assert_eq!(cut("ab", 0), "");
    }
}
