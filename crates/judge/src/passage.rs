//! A span in passages that can be chosen one by one: those that speak of a sentence.

use crate::excerpt::{Excerpt, Piece, Speaker, by, written};
use crate::fence::fenced;
use palimpsest_core::EntryIx;
use palimpsest_core::estimate::text_tokens;
use palimpsest_ledger::{Span, identifiers, words};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

/// Most characters of a passage: a screen of output or some paragraphs (our guess).
const MOST_CHARACTERS: usize = 1_200;

/// Passages for one sentence (our guess).
const MOST_NEAR: usize = 6;

/// How much a shared name counts beside a shared word.
const NAME: f64 = 3.0;

/// Share of the best score from which a passage speaks of the same thing.
const NEARLY_BEST: f64 = 0.6;

/// The passages of a span with the names and words they have.
pub(crate) struct Passages {
    all: Vec<Piece>,
    /// For each name or word the passages that have it, in order.
    having: HashMap<String, Vec<u32>>,
}

impl Passages {
    /// Reads a span.
    pub fn of(span: &Span<'_>) -> Passages {
        let mut numbers: HashMap<EntryIx, usize> = HashMap::new();
        let mut all = Vec::new();
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
            let text = fenced(part.text);
            let ranges = passages(&text);
            let of = ranges.len();
            for (at, range) in ranges.into_iter().enumerate() {
                let text = text[range].trim_matches('\n').to_owned();
                if text.trim().is_empty() {
                    continue;
                }
                let piece = match of {
                    1 => String::new(),
                    _ => format!(" part=\"{} of {of}\"", at + 1),
                };
                let head = format!(
                    "<entry id=\"{label}\" by=\"{}\"{piece}>\n",
                    by(&part, speaker)
                );
                all.push(Piece {
                    tokens: text_tokens(&text) + text_tokens(&head) + 4,
                    head,
                    text,
                    label: label.clone(),
                    entry: part.entry,
                    by_user: speaker == Speaker::User,
                });
            }
        }
        let mut having: HashMap<String, Vec<u32>> = HashMap::new();
        for (at, piece) in (0_u32..).zip(&all) {
            for term in terms(&piece.text).into_keys() {
                having.entry(term).or_default().push(at);
            }
        }
        Passages { all, having }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Estimated tokens of all.
    pub fn tokens(&self) -> u64 {
        self.all.iter().map(|piece| piece.tokens).sum()
    }

    /// Estimated tokens of one.
    pub fn tokens_of(&self, at: usize) -> u64 {
        self.all[at].tokens
    }

    /// The passages that speak of `text`, the most important first: those of `shown`, the entries that
    /// rules name for it, then those that share its rarest names and words, and of nearly equal ones
    /// the last and the first, because what was so may have changed.
    pub fn near(&self, text: &str, shown: &[EntryIx]) -> Vec<usize> {
        let mut scores = vec![0.0; self.all.len()];
        for (term, weight) in terms(text) {
            let Some(having) = self.having.get(&term) else {
                continue;
            };
            let rare = (1.0 + self.all.len() as f64 / having.len() as f64).ln();
            for &at in having {
                scores[at as usize] += weight * rare;
            }
        }
        let mut order: Vec<usize> = (0..self.all.len()).filter(|&at| scores[at] > 0.0).collect();
        // Of equal ones the later: it has the last state.
        order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]).then(b.cmp(&a)));
        let mut chosen: Vec<usize> = Vec::new();
        let mut take = |at: Option<usize>| {
            if let Some(at) = at
                && !chosen.contains(&at)
            {
                chosen.push(at);
            }
        };
        for entry in shown {
            let of_entry = |at: &usize| self.all[*at].entry == *entry;
            let best = order.iter().copied().find(of_entry);
            take(best.or_else(|| (0..self.all.len()).find(of_entry)));
        }
        take(order.first().copied());
        if let Some(&best) = order.first() {
            let is_near = |at: &&usize| scores[**at] >= NEARLY_BEST * scores[best];
            take(order.iter().filter(is_near).max().copied());
            take(order.iter().filter(is_near).min().copied());
        }
        order
            .into_iter()
            .take(MOST_NEAR)
            .for_each(|at| take(Some(at)));
        chosen.truncate(MOST_NEAR + shown.len());
        chosen
    }

    /// Some of them as one text, in the order of the session.
    pub fn written(&self, chosen: &BTreeSet<usize>, name: &dyn Fn(EntryIx) -> String) -> Excerpt {
        written(chosen.iter().map(|&at| &self.all[at]), name)
    }
}

/// The names and content words of a text with their weight, in a fixed order: sums of the same
/// numbers in another order are not the same.
fn terms(text: &str) -> BTreeMap<String, f64> {
    let words = words::content_words(text).into_iter();
    let mut out: BTreeMap<String, f64> = words.map(|word| (word, 1.0)).collect();
    for name in identifiers::scan(text) {
        out.insert(format!("={}", name.key), NAME);
    }
    out
}

/// A text cut at ends of lines, or within a line that is too long.
fn passages(text: &str) -> Vec<Range<usize>> {
    let mut out: Vec<Range<usize>> = Vec::new();
    let mut start = 0;
    let mut count = 0;
    for line in words::lines(text) {
        let own = text[line.clone()].chars().count() + 1;
        if count > 0 && count + own > MOST_CHARACTERS {
            out.push(start..line.start);
            start = line.start;
            count = 0;
        }
        count += own;
        while count > MOST_CHARACTERS + 1 {
            let ends = text[start..].char_indices().nth(MOST_CHARACTERS);
            let Some((at, _)) = ends else { break };
            out.push(start..start + at);
            start += at;
            count -= MOST_CHARACTERS;
        }
    }
    if start < text.len() {
        out.push(start..text.len());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use palimpsest_core::{Block, Message, Role};
    use palimpsest_ledger::SpanItem;

    fn said(role: Role, text: &str) -> Message {
        Message {
            role,
            native_role: "",
            blocks: vec![Block::Text(text.to_owned())],
            tool: None,
            sent: true,
        }
    }

    fn read(texts: &[String]) -> Passages {
        let messages: Vec<Message> = texts
            .iter()
            .map(|text| said(Role::Assistant, text))
            .collect();
        let items = messages.iter().zip(0..).map(|(message, entry)| SpanItem {
            entry: EntryIx(entry),
            message_index: 0,
            message,
            at_ms: None,
        });
        let items: Vec<SpanItem<'_>> = items.collect();
        Passages::of(&Span { items: &items })
    }

    #[test]
    fn a_text_is_cut_at_lines_and_nothing_is_lost() {
        let line = "one two three four five six seven eight nine ten\n";
        for text in [
            String::new(),
            "short".to_owned(),
            line.repeat(200),
            "é".repeat(5_000),
            format!("{}\n{}", "a".repeat(3_000), line.repeat(3)),
        ] {
            let ranges = passages(&text);
            let whole: String = ranges.iter().map(|range| &text[range.clone()]).collect();
            assert_eq!(whole, text);
            for range in ranges {
                assert!(text[range].chars().count() <= MOST_CHARACTERS + 1);
            }
        }
    }

    #[test]
    fn the_passages_of_a_sentence_share_its_names() {
        let mut texts: Vec<String> = (0..60)
            .map(|n| format!("I looked at src/part{n}.rs and it is fine."))
            .collect();
        texts[3] = "The port of the relay is 7351.".to_owned();
        texts[40] = "The relay moved: its port is 7352 now.".to_owned();
        let read = read(&texts);
        let near = read.near("The relay listens on port 7351.", &[]);
        assert_eq!(near[0], 3);
        assert!(near.contains(&40), "what changed later: {near:?}");
        assert!(near.len() <= MOST_NEAR);
        let named = read.near("src/part7.rs is fine.", &[EntryIx(50)]);
        assert_eq!(named[..2], [50, 7], "what rules name comes first");
        assert_eq!(read.near("Nothing xyzzy.", &[]), Vec::<usize>::new());
    }
}
