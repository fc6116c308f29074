//! Whether a summary is written in the language of what it summarizes. Agents summarize in English what people and they
//! themselves said in Chinese or German: the words of the two cannot be compared, only names and figures.

use crate::content::Content;
use crate::segments::{Segment, Segments};
use crate::tongues::{Heard, Tongue};
use crate::words::stands_alone;
use std::ops::Range;

/// Share of the letters of a saying from which it is in a script; names in Latin letters are long.
const OF_SAYING: f64 = 0.15;

/// Share of the letters of a summary up to which it is not.
const OF_SUMMARY: f64 = 0.1;

/// Share of the letters of a summary from which it is in another script than the Latin one.
const MOSTLY: f64 = 0.5;

/// Fewest names and figures that tell a saying by themselves.
const ANCHORS: usize = 2;

/// Scripts other than the Latin one that the letters of a text may be of.
const SCRIPTS: usize = 8;

fn script(c: char) -> Option<usize> {
    Some(match c {
        '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' => 0,
        '\u{1100}'..='\u{11ff}' | '\u{ac00}'..='\u{d7af}' => 1,
        '\u{0400}'..='\u{052f}' => 2,
        '\u{0600}'..='\u{06ff}' => 3,
        '\u{0590}'..='\u{05ff}' => 4,
        '\u{0370}'..='\u{03ff}' => 5,
        '\u{0900}'..='\u{097f}' => 6,
        '\u{0e00}'..='\u{0e7f}' => 7,
        _ => return None,
    })
}

/// The letters of a text by their script.
#[derive(Debug, Default)]
struct Letters {
    all: usize,
    of: [usize; SCRIPTS],
}

impl Letters {
    fn add(&mut self, text: &str) {
        for c in text.chars().filter(|c| c.is_alphabetic()) {
            self.all += 1;
            if let Some(script) = script(c) {
                self.of[script] += 1;
            }
        }
    }

    fn share(&self, script: usize) -> f64 {
        self.of[script] as f64 / self.all.max(1) as f64
    }

    fn foreign(&self) -> f64 {
        self.of.iter().sum::<usize>() as f64 / self.all.max(1) as f64
    }
}

/// What of a saying in another language a summary shows.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    /// A line has all that it names.
    Named(Range<usize>),
    /// A line has some of what it names.
    Some(Range<usize>),
    /// The words cannot be compared.
    Unknown,
}

/// The language of a summary, without the messages of the user that it quotes, and of what it summarizes.
pub(crate) struct Language<'a> {
    segments: &'a Segments,
    letters: Letters,
    heard: Heard,
    /// The language of most sayings.
    spoken: Option<Tongue>,
}

impl<'a> Language<'a> {
    /// Reads the summary `text` of which `segments` are the lines; `sayings` are what it may tell.
    pub fn of<'s>(
        text: &str,
        segments: &'a Segments,
        sayings: impl Iterator<Item = &'s str>,
    ) -> Language<'a> {
        let mut said = Heard::default();
        sayings.for_each(|saying| said.add(saying));
        let (mut letters, mut heard) = (Letters::default(), Heard::default());
        for line in segments.all.iter().filter(|line| !line.quotes_user) {
            letters.add(&text[line.range.clone()]);
            heard.add(&text[line.range.clone()]);
        }
        Language {
            segments,
            letters,
            heard,
            spoken: said.foreign(),
        }
    }

    /// What the summary shows of a saying that it does not have; `None` where both are in one language, as far as can
    /// be told.
    pub fn shows(&self, saying: &str, of_user: bool) -> Option<Shown> {
        let mut own = Letters::default();
        own.add(saying);
        let differs = match (0..SCRIPTS).max_by(|&a, &b| own.share(a).total_cmp(&own.share(b))) {
            Some(script) if own.share(script) >= OF_SAYING => {
                self.letters.share(script) < OF_SUMMARY
            }
            _ => self.letters.foreign() >= MOSTLY,
        };
        if self.letters.all == 0
            || !differs && !self.heard.differs_from(&Heard::of(saying), self.spoken)
        {
            return None;
        }
        let content = Content::of(saying);
        // In another script a word of Latin letters is a name; in another language of this one it is a word.
        let words = content.words.iter().map(|word| word.text.as_str());
        let words = words.filter(|_| differs);
        let anchors: Vec<&str> = content
            .names
            .iter()
            .map(String::as_str)
            .chain(words)
            .filter(|name| name.len() >= 2 && name.is_ascii())
            .collect();
        // Characters of other scripts are written right beside a name.
        let told = |line: &Segment| {
            anchors
                .iter()
                .filter(|name| {
                    stands_alone(&line.lower, name, |c| c.is_ascii_alphanumeric() || c == '_')
                })
                .count()
        };
        let lines = self.segments.all.iter();
        let best = lines
            .filter(|line| of_user || !line.quotes_user)
            .map(|line| (told(line), line))
            .max_by_key(|(count, line)| (*count, std::cmp::Reverse(line.range.start)));
        Some(match best {
            Some((count, line)) if count >= ANCHORS && count == anchors.len() => {
                Shown::Named(line.range.clone())
            }
            Some((count, line)) if count > 0 => Shown::Some(line.range.clone()),
            _ => Shown::Unknown,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shows(summary: &str, saying: &str) -> Option<Shown> {
        let segments = Segments::new(summary);
        Language::of(summary, &segments, std::iter::empty()).shows(saying, false)
    }

    #[test]
    fn names_tell_a_saying_in_another_script() {
        let summary =
            "- Replaced QFileDialog by RowDialog in all calls\n- The reader drops empty rows";
        let named = "全ての`QFileDialog`を`RowDialog`に置換";
        assert!(matches!(shows(summary, named), Some(Shown::Named(range)) if range.start < 10));
        assert!(matches!(
            shows(summary, "`RowDialog`を追加する"),
            Some(Shown::Some(_))
        ));
        assert_eq!(shows(summary, "空の行は削除される"), Some(Shown::Unknown));
        assert_eq!(
            shows(summary, "пустые строки удаляются"),
            Some(Shown::Unknown)
        );
        assert_eq!(shows(summary, "empty rows are dropped"), None);
        assert_eq!(
            shows("- the build width is kept", "把 id 改成 ui"),
            Some(Shown::Unknown)
        );
    }

    #[test]
    fn names_tell_a_saying_in_another_language() {
        let summary = "- Replaced `FileDialog` by `RowDialog` in all calls of the reader\n- The reader drops the empty \
                       rows and it is the default of the table";
        let named = "ersetze bitte `FileDialog` durch `RowDialog` und nicht nur im Leser";
        assert!(matches!(shows(summary, named), Some(Shown::Named(range)) if range.start < 10));
        assert!(matches!(
            shows(summary, "wieso ist der `RowDialog` hier nicht im Leser?"),
            Some(Shown::Some(_))
        ));
        let without = "leere Zeilen werden nicht vom Leser in die Table geschrieben";
        assert_eq!(shows(summary, without), Some(Shown::Unknown));
        assert_eq!(shows(summary, "the empty rows are not dropped"), None);
    }

    #[test]
    fn a_summary_in_the_same_script_is_compared() {
        let summary = "- 空の行は削除される\n- `RowDialog`を追加";
        assert_eq!(shows(summary, "行を並べ替える"), None);
        assert_eq!(
            shows(summary, "the rows are sorted again"),
            Some(Shown::Unknown)
        );
    }
}
