//! A sentence taken apart: what it names, and its other words.

use crate::clauses::unlabelled;
use crate::segments::{Segment, joined_stems, stem};
use crate::{identifiers, words};
use palimpsest_core::ledger::FactKind;
use std::ops::Range;

/// A sentence taken apart.
#[derive(Debug, Clone)]
pub(crate) struct Content {
    /// What it names: files by their last part, symbols, figures; in lower case.
    pub names: Vec<String>,
    /// Its other content words, each once.
    pub words: Vec<ContentWord>,
}

/// A content word of a sentence.
#[derive(Debug, Clone)]
pub(crate) struct ContentWord {
    /// Its stem.
    pub stem: String,
    /// The word in lower case.
    pub text: String,
    /// Stems of it with a neighbour written as one word: `github` for "git hub".
    pub joined: Vec<String>,
}

impl ContentWord {
    /// True where a line has the word, alone or written with its neighbour as one.
    pub fn stands_in(&self, line: &Segment) -> bool {
        line.has(&self.stem) || self.joined.iter().any(|joined| line.has(joined))
    }
}

/// Words of speech that tell nothing by themselves.
#[rustfmt::skip]
const FILLERS: &[&str] = &[
    "able", "actually", "ah", "already", "alright", "anything", "aren", "around", "basically", "bit", "btw",
    "couldn", "crap", "currently", "damn", "didn", "doesn", "don", "else", "even", "feel", "feeling",
    "following", "guess", "hmm", "idea", "iirc", "imo", "isn", "kind", "kinda", "lets", "like", "look", "looks",
    "make", "makes", "maybe", "need", "needs", "nice", "not", "perhaps", "please", "prefers", "probably",
    "really", "shit", "shitty", "shouldn", "simply", "something", "sort", "still", "stuff", "sure", "thing",
    "things", "think", "typically", "user", "want", "wants", "wasn", "way", "won", "wouldn", "yeah",
];

impl Content {
    /// Takes a sentence apart.
    pub fn of(sentence: &str) -> Content {
        let sentence = unlabelled(sentence);
        let found = identifiers::scan(sentence);
        let mut names: Vec<String> = Vec::new();
        for name in &found {
            let text = match name.kind {
                FactKind::Path => identifiers::basename(&name.key).to_owned(),
                FactKind::Number => name
                    .key
                    .trim_start_matches("port ")
                    .split(' ')
                    .next()
                    .unwrap_or_default()
                    .to_owned(),
                _ => name.key.clone(),
            };
            let text = text.to_lowercase();
            if text.len() >= 2 && !names.contains(&text) {
                names.push(text);
            }
        }
        // A type in backticks is a name as well (`interface{}`, `Vec<Row>`).
        for span in sentence.split('`').skip(1).step_by(2) {
            let name = span.to_lowercase();
            let is_name = (4..=30).contains(&span.len())
                && span.contains(['{', '[', '<'])
                && !span.contains([' ', '/', ':'])
                && !names.iter().any(|known| name.contains(known.as_str()));
            if is_name {
                names.push(name);
            }
        }
        // Tickets (`ABC-12`) and long numbers name things as well.
        let mut tickets: Vec<Range<usize>> = Vec::new();
        for (at, word) in
            crate::words::raw_words(sentence).map(|range| (range.clone(), &sentence[range]))
        {
            let digits = word.bytes().all(|b| b.is_ascii_digit());
            let before = &sentence[..at.start];
            let prefix = before.strip_suffix('-').map_or("", |rest| {
                let start = rest.len()
                    - rest
                        .bytes()
                        .rev()
                        .take_while(u8::is_ascii_uppercase)
                        .count();
                &rest[start..]
            });
            if digits && (prefix.len() >= 2 || word.len() >= 5) {
                let start = at.start
                    - if prefix.len() >= 2 {
                        prefix.len() + 1
                    } else {
                        0
                    };
                let name = sentence[start..at.end].to_lowercase();
                if !names.contains(&name) {
                    names.push(name);
                }
                tickets.push(start..at.end);
            }
        }
        let in_name = |range: &Range<usize>| {
            tickets
                .iter()
                .any(|name| name.start <= range.start && range.end <= name.end)
                || found
                    .iter()
                    .any(|name| name.range.start <= range.start && range.end <= name.range.end)
        };
        let joined = joined_stems(sentence);
        let mut told: Vec<ContentWord> = Vec::new();
        for word in words::words(sentence) {
            if word.text.len() < 2
                || words::is_stop_word(&word.text)
                || FILLERS.binary_search(&word.text.as_str()).is_ok()
                || in_name(&word.range)
            {
                continue;
            }
            let stem = stem(&word.text);
            if !told.iter().any(|known| known.stem == stem) {
                let parts = joined.iter().filter(|(range, _)| {
                    range.start == word.range.start || range.end == word.range.end
                });
                told.push(ContentWord {
                    stem,
                    text: word.text,
                    joined: parts.map(|(_, joined)| joined.clone()).collect(),
                });
            }
        }
        Content { names, words: told }
    }

    /// How many names and words it has.
    pub fn len(&self) -> usize {
        self.names.len() + self.words.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::segments::Segments;

    #[test]
    fn labels_and_fillers_say_nothing() {
        assert!(FILLERS.is_sorted());
        let words = |sentence| -> Vec<String> {
            Content::of(sentence)
                .words
                .into_iter()
                .map(|word| word.text)
                .collect()
        };
        assert_eq!(
            words("**Design decision:** Keep one table for rows"),
            ["keep", "one", "table", "rows"]
        );
        assert_eq!(
            words("btw, I think we actually want one table"),
            ["one", "table"]
        );
    }

    #[test]
    fn two_words_written_as_one_are_one() {
        let line = |text| Segments::new(text).all.remove(0);
        let has = |text, sentence| {
            let content = Content::of(sentence);
            let line = line(text);
            content.words.iter().all(|word| word.stands_in(&line))
        };
        assert!(has("Tag the release on GitHub", "Tag a git hub release"));
        assert!(has("the file name is kept", "keep the filename"));
        assert!(!has("Tag the hub", "Tag a git hub"));
    }
}
