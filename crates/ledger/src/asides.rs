//! Sentences and items that tell nothing of the thing worked on: lists of what there is, praise, where
//! something stands, and what a page says of itself.

use crate::sentence::Sentence;
use crate::turns::Turns;
use crate::under::FOUND;
use crate::{files, prose, statements, words};
use memchr::memchr2_iter;

/// Marks between a name and what it is.
const PARTING: &[&str] = &[" - ", " – ", " — ", ": "];

/// Words by which what stands behind a name tells more than what the name stands for.
#[rustfmt::skip]
const TELLING_MORE: &[&str] = &[
    "no", "not", "unused", "dead", "too", "twice", "stale", "wrong", "broken", "duplicate", "duplicated",
    "redundant", "unnecessary", "leaks", "leak", "slow", "deprecated", "hardcoded", "hard-coded", "skip", "fixed",
];

/// True for an item that lists a file, a name or a command with what it is ("`rows.rs` - types of rows",
/// "`make test` - unit tests"): the thing tells it itself. What it does, lacks or was changed to is no list.
pub(crate) fn is_inventory(item: &str) -> bool {
    let item = item.trim().trim_start_matches(['*', '-', '•', ' ']);
    // The first space or colon decides: before it no mark begins.
    let cut = memchr2_iter(b' ', b':', item.as_bytes()).find_map(|at| {
        let mark = PARTING.iter().find(|mark| item[at..].starts_with(**mark))?;
        Some((at, at + mark.len()))
    });
    let Some((end, start)) = cut else {
        return false;
    };
    let name = item[..end].trim_matches(['*', ' ']);
    let rest = item[start..].trim();
    let quoted = name.len() > 2 && name.starts_with('`') && name.ends_with('`');
    let bare = name.trim_matches('`');
    if bare.is_empty() || bare.contains('`') || bare.contains(' ') && !quoted {
        return false;
    }
    let (file, row) = match bare.rsplit_once(':') {
        Some((file, row)) if row.bytes().all(|b| b.is_ascii_digit() || b == b'-') => (file, true),
        _ => (bare, false),
    };
    let is_file = files::is_file(file);
    if !is_file && !quoted && !statements::names_code(bare) {
        return false;
    }
    if words::content_words(rest).len() < 2 {
        return true;
    }
    // At a line of a file stands what is wrong there.
    if row {
        return false;
    }
    let padded = prose::spaced(rest);
    let first = padded.split_whitespace().next().unwrap_or_default();
    let does = !is_file && first.len() > 3 && first.ends_with('s');
    let tells = does
        || statements::is_change(first)
        || statements::tells_state(&padded)
        || FOUND.iter().any(|cue| padded.contains(cue))
        || padded
            .split_whitespace()
            .any(|word| TELLING_MORE.contains(&word));
    !tells
}

/// Turns by which the model says that something is as it should be.
#[rustfmt::skip]
static PRAISING: Turns = Turns::of_words(&[
    "well-designed", "well designed", "well-structured", "well structured", "looks correct", "look correct",
    "looks good", "look good", "looks fine", "look fine", "looks right", "appears sound", "is sound",
    "a good idea", "same rigor", "nicely done",
]);

/// Words behind which something is wrong after all.
static CONTRASTING: Turns = Turns::of_words(&["but", "however", "except", "though", "because"]);

/// Turns by which the model says where to look, or that something is told elsewhere.
#[rustfmt::skip]
static POINTING: Turns = Turns::of_words(&[
    "the relevant code", "relevant code is", "relevant files", "duplicate of", "same as above", "see above",
    "duplicate comment",
]);

/// True for a sentence that only praises, or only points to a place or to what was told before.
pub(crate) fn tells_nothing(sentence: &Sentence<'_>) -> bool {
    let padded = sentence.spaced();
    PRAISING.stand_in(padded) && !CONTRASTING.stand_in(padded) || POINTING.stand_in(padded)
}

/// How a reaction to what was said or done begins.
#[rustfmt::skip]
const REACTING: &[&str] = &[
    "good call", "good idea", "good point", "good catch", "great", "excellent", "perfect", "nice", "nicely", "awesome",
    "fantastic", "wonderful", "love it", "well done", "great idea", "great point", "great call",
];

/// What parts a reaction from what follows it.
const BEHIND_REACTION: &[&str] = &[" - ", " \u{2013} ", " \u{2014} ", "! ", ", ", ". "];

/// Words by which something said before is the subject of a sentence, and verbs by which it has an effect.
const POINTING_BACK: &[&str] = &["this", "that", "it", "which"];
#[rustfmt::skip]
const HAVING_EFFECT: &[&str] = &[
    "allows", "allow", "gives", "give", "ensures", "ensure", "means", "mean", "makes", "make", "lets", "let", "enables",
    "enable", "helps", "help", "provides", "provide", "prevents", "prevent", "avoids", "avoid", "saves", "save",
];

/// Words with which the speaker chooses in such a sentence all the same ("Good point, I'll use a queue").
#[rustfmt::skip]
const CHOOSING: &[&str] = &[
    "i'll ", "we'll ", "let's ", "i will ", "we will ", "we use ", "we keep ", "we go ", "we should ", "i'd ", "we can ",
];

/// True for a sentence that reacts to a choice or tells what it is good for: the choice itself was told before.
pub(crate) fn comments_on_choice(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    let reacts = BEHIND_REACTION.iter().any(|joint| {
        let lead = lower.split_once(joint).map(|(lead, _)| lead);
        lead.is_some_and(|lead| REACTING.contains(&lead.trim()))
    });
    let mut words = lower.split_whitespace();
    let points = words
        .next()
        .is_some_and(|word| POINTING_BACK.contains(&word));
    let verb = words.find(|word| !matches!(*word, "would" | "will" | "also" | "should" | "could"));
    if CHOOSING.iter().any(|turn| lower.contains(turn)) {
        return false;
    }
    reacts || points && verb.is_some_and(|verb| HAVING_EFFECT.contains(&verb))
}

/// Words that begin what a section answers.
const ANSWERING: &[&str] = &["what", "why", "how", "where", "which", "when", "who"];

/// Most words of the title of a section.
const TITLE_WORDS: usize = 4;

/// True for an entry of a table of contents ("Root cause: why the rows stay").
pub(crate) fn names_a_section(sentence: &str) -> bool {
    let Some((title, rest)) = sentence.split_once(": ") else {
        return false;
    };
    let first = rest
        .split_whitespace()
        .next()
        .unwrap_or_default()
        .to_lowercase();
    title.split_whitespace().count() <= TITLE_WORDS
        && ANSWERING.contains(&first.as_str())
        && !rest.contains(['?', '.', ',', ';'])
}

/// Words by which a page, or who read it, speaks of the page.
#[rustfmt::skip]
static OF_THE_PAGE: Turns = Turns::of_words(&[
    "documentation", "this page", "the page", "page excerpt", "the document", "provided content",
    "redirect", "redirects", "the url", "the article", "the excerpt", "official docs",
]);

/// How advice to a reader of a page begins.
const ADVISING: &[&str] = &["look", "refer", "see", "check", "visit", "consult", "for"];

/// True for a sentence that speaks of the page it stands on, or tells where to read on.
pub(crate) fn speaks_of_page(sentence: &str) -> bool {
    let padded = prose::spaced(sentence);
    let first = padded.split_whitespace().next().unwrap_or_default();
    ADVISING.contains(&first) || OF_THE_PAGE.stand_in(&padded)
}

/// True for a sentence that takes back the one before it.
pub(crate) fn takes_back(next: &str) -> bool {
    let padded = prose::spaced(next);
    [
        "wait",
        "but wait",
        "actually",
        "hmm",
        "no wait",
        "oh wait",
        "oh",
        "scratch that",
        "on second thought",
    ]
    .iter()
    .any(|turn| padded[1..].starts_with(&format!("{turn} ")))
}

/// Turns of a line that leads up to a choice which nobody has made yet.
#[rustfmt::skip]
const CHOICES: &[&str] = &[
    " either ", " options ", " option ", " we'd need ", " you'd need ", " we could ", " you could ", " i could ",
    " ways to ", " choices ", " alternatives ",
];

/// True for a line that leads up to such a choice.
pub(crate) fn offers(lead: &Sentence<'_>) -> bool {
    CHOICES.iter().any(|turn| lead.spaced().contains(turn))
}

/// First words of a sentence that says again what the user said, or apologizes.
#[rustfmt::skip]
const REPEATING: &[&str] = &[
    "the user ", "so the user ", "ah yes", "you're right", "you are right", "you're absolutely right", "i apologize",
    "my apologies", "sorry ",
];

/// True for words of the model (see [`crate::prose::spaced`]) that say again what the user said, or apologize.
pub(crate) fn repeats_user_or_apologizes(padded: &str) -> bool {
    REPEATING
        .iter()
        .any(|begin| padded.trim_start().starts_with(begin))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reactions_and_effects_are_told_from_choices() {
        for comment in [
            "Good call - one table at a time is easier to check than all of them.",
            "Perfect! Rows are streamed instead of read at once.",
            "This allows long names to wrap rather than being cut.",
            "It would also let us keep the old reader instead of the new one.",
        ] {
            assert!(comments_on_choice(comment), "{comment}");
        }
        for choice in [
            "We use `rows` rather than a list.",
            "This is kept in SQLite instead of JSON.",
            "Perfectly sorted rows are kept instead of sorting again.",
            "Good point, I'll use a queue instead of polling.",
            "Great - we'll use SQLite rather than JSON.",
            "That means we keep the old reader instead of the new one.",
        ] {
            assert!(!comments_on_choice(choice), "{choice}");
        }
    }

    #[test]
    fn an_entry_of_a_table_of_contents_is_told_from_a_finding() {
        assert!(names_a_section("Root cause: why the rows are not removed"));
        assert!(!names_a_section("Root cause: the rows are not removed"));
        assert!(!names_a_section(
            "Open: which rows stay, and who reads them?"
        ));
    }

    #[test]
    fn what_is_only_listed_is_told_from_what_is_said_of_it() {
        for (item, is) in [
            ("row_reader.rs - types and helpers for the reader", true),
            ("`make rows` - unit tests of all readers", true),
            ("`RowReader` - Step 1: plain rows and their index", true),
            ("`src/rows.rs:12` - caller", true),
            ("`src/rows.rs:12` - rows are sorted two times", false),
            (
                "row_reader.rs: the index is read before it is written",
                false,
            ),
            ("`RowReader` - sorts rows by their end", false),
            ("`RowReader` - Added a flag for empty rows", false),
            ("row_reader.rs - missing check of the last row", false),
            ("The reader: one table for all rows and indexes", false),
        ] {
            assert_eq!(is_inventory(item), is, "for {item}");
        }
    }

    #[test]
    fn praise_and_pointers_tell_nothing() {
        for (sentence, is) in [
            ("The readers are well-structured and share one table.", true),
            ("The reader looks good, but the last row is lost.", false),
            ("The relevant code is in the `load_rows` function.", true),
            ("Rows are read twice (duplicate of #4)", true),
            ("`load_rows` reads the old table.", false),
        ] {
            assert_eq!(tells_nothing(&Sentence::of(sentence)), is, "for {sentence}");
        }
    }

    #[test]
    fn pages_speak_of_themselves() {
        assert!(speaks_of_page(
            "The documentation describes it as the set of all rules."
        ));
        assert!(speaks_of_page("Look for the section behind the rules."));
        assert!(!speaks_of_page("R501 finds rows that are never read."));
    }
}
