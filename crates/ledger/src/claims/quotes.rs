//! What a summary quotes as the user's words: the same words with a denial put in or taken out say
//! the opposite.

use crate::claims::told::plain_words;
use crate::claims::verdict::{Decided, Verdict};
use crate::span::{PartKind, Span};
use crate::words;
use palimpsest_core::EntryIx;
use rustc_hash::FxHashMap as HashMap;

/// Fewer words than these stand in texts by chance.
const LEAST_WORDS: usize = 3;

/// The pairs of marks between which words are quoted.
const MARKS: [(char, char); 2] = [('"', '"'), ('\u{201c}', '\u{201d}')];

/// A text as its words without denials, and where the denials stand between them.
struct Worded {
    words: Vec<String>,
    /// How many denials stand before each word, from the beginning of the text on.
    denied: Vec<usize>,
}

impl Worded {
    fn of(text: &str) -> Worded {
        let (mut words, mut denied, mut so_far) = (Vec::new(), Vec::new(), 0);
        for word in plain_words(text) {
            let (stem, denies) = stem(&word);
            // The denial of "don't" stands behind its word.
            if let Some(stem) = stem {
                words.push(stem);
                denied.push(so_far);
            }
            so_far += usize::from(denies);
        }
        Worded { words, denied }
    }

    /// Denials within and right before the words from `at` on.
    fn denials(&self, at: usize, length: usize) -> usize {
        let before = at.checked_sub(1).map_or(0, |last| self.denied[last]);
        self.denied[at + length - 1] - before
    }
}

/// What is left of a word without its denial, and whether it had one. "Always" is the opposite of
/// "never" and no word of what is ruled.
fn stem(word: &str) -> (Option<String>, bool) {
    match word {
        "not" | "never" => (None, true),
        "always" => (None, false),
        "cannot" | "can't" | "cant" => (Some("can".to_owned()), true),
        "won't" => (Some("will".to_owned()), true),
        "dont" => (Some("do".to_owned()), true),
        _ => match word.strip_suffix("n't") {
            Some(stem) => (Some(stem.to_owned()), true),
            None => (Some(word.trim_matches(['\'', '-']).to_owned()), false),
        },
    }
}

/// What the user said in a span.
#[derive(Default)]
pub(super) struct Said<'a> {
    texts: Vec<(EntryIx, &'a str, Worded)>,
    /// The texts and places of each word.
    places: HashMap<String, Vec<(usize, usize)>>,
}

impl<'a> Said<'a> {
    /// Reads what the user said, where the summary quotes anything.
    pub(super) fn of(summary: &str, span: &Span<'a>) -> Said<'a> {
        let mut said = Said::default();
        if quotes(summary).is_empty() {
            return said;
        }
        for part in span.parts() {
            if part.kind != PartKind::UserText {
                continue;
            }
            let worded = Worded::of(part.text);
            for (at, word) in worded.words.iter().enumerate() {
                let places = said.places.entry(word.clone()).or_default();
                places.push((said.texts.len(), at));
            }
            said.texts.push((part.entry, part.text, worded));
        }
        said
    }

    /// The user's text that a quoted one turns around; `None` where it stands as it is quoted, or
    /// nowhere.
    fn turned(&self, quoted: &str) -> Option<(EntryIx, &'a str)> {
        let own = Worded::of(quoted);
        let length = own.words.len();
        if length < LEAST_WORDS {
            return None;
        }
        let mut found = None;
        for &(text, at) in self.places.get(&own.words[0])? {
            let (entry, said, worded) = &self.texts[text];
            if worded.words.get(at..at + length) != Some(&own.words[..]) {
                continue;
            }
            let denials = worded.denials(at, length);
            // The quotation may begin behind a denial.
            let before = at.checked_sub(1).map_or(0, |last| worded.denied[last]);
            let leading = worded.denied[at] - before;
            if own.denials(0, length) == denials || own.denials(0, length) == denials - leading {
                return None;
            }
            found = Some((*entry, *said));
        }
        found
    }
}

/// The quoted passages of a line, as byte ranges.
fn quotes(line: &str) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    let mut rest = 0;
    while let Some(open) = line[rest..].find(MARKS.map(|(open, _)| open)) {
        let open = rest + open;
        let Some(mark) = line[open..].chars().next() else {
            break;
        };
        let close = MARKS.iter().find(|(own, _)| *own == mark);
        let close = close.map_or(mark, |(_, close)| *close);
        let from = open + mark.len_utf8();
        let Some(length) = line[from..].find(close) else {
            break;
        };
        found.push(from..from + length);
        rest = from + length + close.len_utf8();
    }
    found
}

/// A quotation in this sentence that says the opposite of what the user said.
pub(super) fn misquoted(sentence: &str, line: &str, said: &Said<'_>) -> Option<Decided> {
    if said.texts.is_empty() {
        return None;
    }
    let at = line.find(sentence)?;
    // A quotation of several sentences belongs to the one it begins in.
    let begins_here =
        |quote: &std::ops::Range<usize>| quote.start >= at && quote.start < at + sentence.len();
    let own = quotes(line).into_iter().filter(begins_here);
    let mut turned = own.filter_map(|quote| said.turned(&line[quote]));
    turned.next().map(|(entry, text)| {
        let reason = format!("the user said: {}", words::one_line(text, 160));
        (Verdict::Contradicted, vec![entry], reason)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::span::SpanItem;
    use palimpsest_core::{Block, Message, Role};

    fn verdict(user: &str, line: &str) -> Option<String> {
        let message = Message {
            role: Role::User,
            native_role: "user",
            blocks: vec![Block::Text(user.to_owned())],
            tool: None,
            sent: true,
        };
        let items = [SpanItem {
            entry: EntryIx(4),
            message_index: 0,
            message: &message,
            at_ms: None,
        }];
        let span = Span::new(&items);
        let said = Said::of(line, &span);
        misquoted(line, line, &said).map(|(verdict, entries, reason)| {
            assert_eq!(
                (verdict, entries),
                (Verdict::Contradicted, vec![EntryIx(4)])
            );
            reason
        })
    }

    #[test]
    fn a_quotation_without_the_users_denial_is_contradicted() {
        let user = "Looks good. But don't check this in, it is only for us.";
        assert_eq!(
            verdict(user, "- \"do check this in\" (about the notes)").as_deref(),
            Some("the user said: Looks good. But don't check this in, it is only for us.")
        );
        let always = "Always run the tests before you commit";
        assert!(
            verdict(
                always,
                "- \u{201c}never run the tests before you commit\u{201d}"
            )
            .is_some()
        );
        let asked = "is the fix not to make the local run match?";
        assert!(verdict(asked, "- \"is the fix to make the local run match?\"").is_some());
        assert!(verdict("do check this in", "said \"don't check this in\"").is_some());
    }

    #[test]
    fn what_the_user_said_so_stands() {
        for (user, line) in [
            ("don't check this in", "- \"don't check this in\""),
            ("Don\u{2019}t check this in", "- \"do not check this in\""),
            // The quotation begins behind the denial.
            (
                "please never run make clean here",
                "no \"run make clean here\"",
            ),
            // Said both ways.
            (
                "do not check it in. Well, do check it in",
                "\"do check it in\"",
            ),
            // Too short, and nobody's words.
            ("do not stop", "\"do stop\""),
            ("go on", "\"the file is not found\""),
            ("don't check this in", "an odd \" mark, do check this in"),
        ] {
            assert_eq!(verdict(user, line), None, "{line}");
        }
    }
}
