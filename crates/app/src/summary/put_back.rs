//! What a summary lost, put back: passages of the session in one message.

use palimpsest_core::estimate::text_tokens;
use palimpsest_core::ledger::{Fact, FactStatus, Ledger};
use palimpsest_core::{Block, EntryIx, Role};
use palimpsest_ledger::SpanItem;
use std::collections::HashMap;
use std::ops::Range;

/// Tokens of the message unless another limit is given: a tenth of a small summary's limit.
pub const PUT_BACK_TOKENS: u64 = 2_000;
/// Longest passage around a fact, in bytes; a longer sentence is cut to the words around it.
const MOST_PASSAGE: usize = 600;
/// Shown on each side of a fact in a longer passage, in bytes.
const AROUND: usize = 200;
/// The first line of the message. The agent must not do again what was done before the summary.
const OPENING: &str = "These passages are from earlier in this session. The summary left them out. Some \
     of this may be done already, so check it before you act on it.";

/// A message that gives lost facts back.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PutBack {
    /// The message; empty where nothing was lost or nothing fits.
    pub text: String,
    /// Its estimated tokens.
    pub tokens: u64,
    /// The ids of the facts in it, in their order in the session.
    pub facts: Vec<String>,
    /// The ids of those that do not fit the limit, weightiest first.
    pub left_out: Vec<String>,
    /// The least limit in tokens with which one of these fits alone.
    pub least: Option<u64>,
}

/// A fact with its passage.
struct Passage<'a> {
    fact: &'a Fact,
    /// Position of its message in the span, and of the passage in it.
    place: (usize, usize, usize),
    speaker: &'static str,
    text: String,
}

/// The passages of the facts named, or without names of all that the summary dropped, changed or
/// keeps in part: the weightiest that fit `most` tokens, in the order of the session and its words.
/// Facts of one passage come together. `is_summary` tells entries whose text is an earlier summary.
pub fn put_back(
    items: &[SpanItem<'_>],
    ledger: &Ledger,
    is_summary: &dyn Fn(EntryIx) -> bool,
    named: Option<&[String]>,
    most: u64,
) -> PutBack {
    let is_lost = |fact: &Fact| {
        use FactStatus::{Changed, Dropped, Partial};
        matches!(fact.status, Dropped | Changed | Partial) && !fact.in_kept_tail
    };
    let is_wanted = |fact: &&Fact| match named {
        Some(ids) => ids.contains(&fact.id),
        None => is_lost(fact),
    };
    let positions: HashMap<_, usize> = items
        .iter()
        .enumerate()
        .map(|(at, item)| ((item.entry, item.message_index), at))
        .collect();
    let mut wanted: Vec<Passage<'_>> = ledger
        .facts
        .iter()
        .filter(is_wanted)
        .filter_map(|fact| passage(items, &positions, is_summary, fact))
        .collect();
    wanted.sort_by(|a, b| b.fact.weight.total_cmp(&a.fact.weight));
    let mut taken: Vec<Passage<'_>> = Vec::new();
    let mut left_out = Vec::new();
    let mut least: Option<u64> = None;
    let opening = text_tokens(OPENING);
    let mut tokens = opening;
    for own in wanted {
        let same = taken.iter().any(|other| other.place == own.place);
        // The mark of a quotation and the line of who says it.
        let cost = if same { 0 } else { text_tokens(&own.text) + 6 };
        if tokens + cost > most {
            left_out.push(own.fact.id.clone());
            least = Some(least.map_or(opening + cost, |other| other.min(opening + cost)));
        } else {
            tokens += cost;
            taken.push(own);
        }
    }
    taken.sort_by_key(|one| one.place);
    let text = message(&taken);
    PutBack {
        tokens: text_tokens(&text),
        text,
        facts: taken.iter().map(|own| own.fact.id.clone()).collect(),
        left_out,
        least,
    }
}

/// The sentence or line that holds a fact where it stands first; of a call its own words, as its
/// arguments are JSON.
fn passage<'a>(
    items: &[SpanItem<'_>],
    positions: &HashMap<(EntryIx, usize), usize>,
    is_summary: &dyn Fn(EntryIx) -> bool,
    fact: &'a Fact,
) -> Option<Passage<'a>> {
    let place = fact.places.first()?;
    let at = *positions.get(&(place.entry, place.message))?;
    let message = items[at].message;
    let (range, text) = match message.blocks.get(place.block)? {
        Block::Text(text) | Block::Thinking { text, .. } => {
            let range = sentence(text, &place.range);
            (range.clone(), text[range].trim().to_owned())
        }
        _ => (place.range.clone(), fact.own_words().to_owned()),
    };
    if text.is_empty() {
        return None;
    }
    let speaker = match message.role {
        // Stored in the user's place by most agents.
        _ if is_summary(place.entry) => "An earlier summary:",
        Role::User => "The user:",
        Role::Assistant => "You:",
        Role::Tool => "A tool:",
        Role::System => "The instructions:",
    };
    Some(Passage {
        fact,
        place: (at, place.block, range.start),
        speaker,
        text,
    })
}

/// The line around `range`; of a long line the sentence, or what is nearest.
fn sentence(text: &str, range: &Range<usize>) -> Range<usize> {
    let (from, to) = (boundary(text, range.start), boundary(text, range.end));
    let start = text[..from].rfind('\n').map_or(0, |at| at + 1);
    let end = text[to..].find('\n').map_or(text.len(), |at| to + at);
    if end - start <= MOST_PASSAGE {
        return start..end;
    }
    let begins = text[start..from].rfind(['.', '!', '?']);
    let start = begins.map_or(start, |at| start + at + 1);
    let ends = text[to..end].find(['.', '!', '?']);
    let end = ends.map_or(end, |at| to + at + 1);
    if end - start <= MOST_PASSAGE {
        return start..end;
    }
    boundary(text, start.max(from.saturating_sub(AROUND)))..boundary(text, end.min(to + AROUND))
}

/// The nearest character boundary at or before `at`.
fn boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn message(passages: &[Passage<'_>]) -> String {
    let mut text = String::new();
    let (mut speaker, mut place) = ("", None);
    for own in passages {
        if place == Some(own.place) {
            continue;
        }
        place = Some(own.place);
        if text.is_empty() {
            text.push_str(OPENING);
            text.push('\n');
        }
        // A blank line between two quotations.
        text.push('\n');
        if own.speaker != speaker {
            speaker = own.speaker;
            text.push_str(&format!("{speaker}\n"));
        }
        for line in own.text.lines() {
            text.push_str(&format!("> {line}\n"));
        }
    }
    text.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use palimpsest_core::Message;
    use palimpsest_core::ledger::{FactDetails, FactKind, SourcePlace};

    fn said(role: Role, text: &str) -> Message {
        Message {
            role,
            native_role: "test",
            blocks: vec![Block::Text(text.to_owned())],
            tool: None,
            sent: true,
        }
    }

    fn fact(id: &str, entry: u32, message: &Message, text: &str, weight: f64) -> Fact {
        let Block::Text(whole) = &message.blocks[0] else {
            panic!("a text");
        };
        let at = whole.find(text).unwrap();
        Fact {
            id: id.to_owned(),
            kind: FactKind::Path,
            text: text.to_owned(),
            places: vec![SourcePlace {
                entry: EntryIx(entry),
                message: 0,
                block: 0,
                range: at..at + text.len(),
            }],
            count: 1,
            weight,
            status: FactStatus::Dropped,
            evidence: Vec::new(),
            in_kept_tail: false,
            needed_later: Vec::new(),
            details: FactDetails::default(),
        }
    }

    #[test]
    fn the_weightiest_that_fit_stand_in_the_order_and_words_of_the_session() {
        let messages = [
            said(Role::User, "Fix it.\nNever touch src/other.rs, ever."),
            said(Role::Assistant, "The port is 8417 in src/port.rs."),
            said(Role::User, &"A long story about nothing. ".repeat(60)),
        ];
        let items: Vec<SpanItem<'_>> = (0..)
            .zip(&messages)
            .map(|(at, message)| SpanItem {
                entry: EntryIx(at),
                message_index: 0,
                message,
                at_ms: None,
            })
            .collect();
        let mut kept = fact("kept", 1, &messages[1], "port is", 9.0);
        kept.status = FactStatus::Verbatim;
        let ledger = Ledger {
            facts: vec![
                fact("port", 1, &messages[1], "8417", 2.0),
                fact("file", 1, &messages[1], "src/port.rs", 1.0),
                fact("rule", 0, &messages[0], "src/other.rs", 3.0),
                kept,
                fact("story", 2, &messages[2], "nothing", 0.5),
            ],
            ..Ledger::default()
        };
        let whole = put_back(&items, &ledger, &|_| false, None, 2_000);
        assert_eq!(whole.facts, ["rule", "port", "file", "story"]);
        let told = format!(
            "{OPENING}\n\nThe user:\n> Never touch src/other.rs, ever.\n\nYou:\n> The port is \
             8417 in src/port.rs.\n\nThe user:\n> A long story about nothing."
        );
        assert_eq!(whole.text, told);
        let opening = text_tokens(OPENING);
        let small = put_back(&items, &ledger, &|_| false, None, opening + 31);
        assert_eq!(
            (small.left_out, small.least),
            (vec!["story".to_owned()], Some(opening + 13))
        );
        let none = put_back(&items, &ledger, &|_| false, None, opening + 1);
        let least = none.least.unwrap();
        assert_eq!(
            put_back(&items, &ledger, &|_| false, None, least - 1).facts,
            [""; 0]
        );
        assert_eq!(
            put_back(&items, &ledger, &|_| false, None, least)
                .facts
                .len(),
            1
        );
        assert!(small.tokens <= opening + 31, "{}", small.tokens);
        assert!(whole.text.contains("may be done already, so check it"));
        let summary = put_back(&items, &ledger, &|ix| ix.0 == 0, None, 2_000);
        assert!(summary.text.contains("\nAn earlier summary:\n> Never"));
        assert!(!summary.text.contains("The user:\n> Never"));
        let named = put_back(
            &items,
            &ledger,
            &|_| false,
            Some(&["kept".to_owned()]),
            2_000,
        );
        assert_eq!(named.facts, ["kept"]);
        assert_eq!(
            put_back(&items, &ledger, &|_| false, Some(&[]), 2_000),
            PutBack::default()
        );
    }

    #[test]
    fn a_passage_is_cut_at_characters() {
        let text = format!("{}8417{}", "é".repeat(900), "ü".repeat(900));
        let range = sentence(&text, &(1_800..1_804));
        assert!(text[range.clone()].contains("8417"));
        assert!(range.len() <= 2 * AROUND + 8, "{range:?}");
    }
}
