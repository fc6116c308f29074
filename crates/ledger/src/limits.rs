//! The ways in which people set a limit: what is ruled out, what has to stay, how much at most, how it
//! is done here, when it is done.

use crate::turns::Turns;
use std::borrow::Cow;

static LIMIT_TURNS: Turns = Turns::of_words(TURNS);
static CONVENTION_TURNS: Turns = Turns::of_words(CONVENTIONS);
static BOUND_TURNS: Turns = Turns::of_words(BOUNDS);
static TELLING_TURNS: Turns = Turns::of_words(TELLING);
static FEW: Turns = Turns::of_words(&["one", "two", "three"]);
static REPORTING: Turns = Turns::of_words(&["failed", "unable", "error", "fatal"]);

/// Words in front of an order that belong to its clause. "We" is among them, as "we never commit to
/// main" is a rule.
#[rustfmt::skip]
const OPENERS: &[&str] = &[
    "and", "but", "or", "so", "then", "please", "also", "just", "we", "you", "ok", "okay", "yes",
    "no", "well", "though", "btw", "again", "to", "note", "important", "rule", "i'd", "would",
    "should",
];

/// True when one of `list` stands at the beginning of a clause: of the sentence, behind a
/// punctuation mark, or behind a word that opens clauses.
pub(crate) fn opens_clause(sentence: &str, list: &[&str]) -> bool {
    clause(sentence, list).is_some()
}

/// What stands behind the first of `list` that begins a clause, in lower case.
fn clause(sentence: &str, list: &[&str]) -> Option<String> {
    let lower = sentence.to_lowercase().replace('’', "'");
    list.iter().find_map(|cue| {
        let mut all = lower.match_indices(cue);
        let begins = |at: usize| {
            begins_clause(&lower, at, cue.len()) && !reports_never(&lower, at, cue.len())
        };
        let at = all.find(|(at, _)| begins(*at))?.0;
        Some(lower[at + cue.len()..].trim_start().to_owned())
    })
}

/// True where "never" is said of what something does ("and never transitions into the next step").
fn reports_never(lower: &str, at: usize, len: usize) -> bool {
    let before = lower[..at].trim_end();
    let begins = before.is_empty() || before.ends_with(|c: char| !c.is_alphanumeric());
    let rest = lower[at + len..].trim_start();
    let verb = rest
        .split(|c: char| !c.is_alphanumeric())
        .next()
        .unwrap_or_default();
    let of_third_person = verb.len() > 4
        && verb.ends_with('s')
        && !verb.ends_with("ss")
        && !NO_REPORT.contains(&verb);
    !begins && lower[at..].starts_with("never") && of_third_person
}

fn begins_clause(lower: &str, at: usize, len: usize) -> bool {
    let bounded = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '\'' && c != '_');
    if !bounded(lower[..at].chars().next_back()) || !bounded(lower[at + len..].chars().next()) {
        return false;
    }
    // "Read-only" and "logs-only" are one word.
    let compound = lower[..at]
        .strip_suffix('-')
        .is_some_and(|rest| rest.ends_with(char::is_alphanumeric));
    if compound {
        return false;
    }
    let before = lower[..at].trim_end();
    let word = before
        .rsplit(|c: char| c.is_whitespace())
        .next()
        .unwrap_or_default();
    // "We can just keep them" allows.
    let allows = [" can just", " could just", " can also", " could also"];
    // "We could move them or keep them" weighs what may be done.
    let ends = |c: char| c == ';' || c == ',' && word == "and";
    let clause = before.rsplit(ends).next().unwrap_or_default();
    let weighs = matches!(word, "or" | "and")
        && [" could ", " might "]
            .iter()
            .any(|turn| clause.contains(turn))
        && !clause.contains("could you ");
    before.is_empty()
        || before.ends_with([',', ';', ':', '(', '-', '–', '—', '.', '!', '*', '"'])
        || OPENERS.contains(&word) && !weighs && !allows.iter().any(|turn| before.ends_with(turn))
}

/// Turns that rule something out or prefer something, wherever they stand.
#[rustfmt::skip]
const TURNS: &[&str] = &[
    // Wishes about what is not to be.
    "i don't want", "i dont want", "i do not want", "we don't want", "we do not want", "don't want you",
    "i only want", "i would only want", "i'd only want", "nobody wants",
    "i prefer", "we prefer", "i'd prefer", "i would prefer", "i'd rather", "i would rather",
    // What is not to be touched.
    "hands off", "stay away from", "nothing outside", "nowhere else", "nothing more", "nothing but",
    "touch nothing", "change nothing else", "is frozen", "are frozen", "is off limits", "stay out of",
    // Rules for what follows.
    "from now on", "going forward", "from here on", "every time you", "each time you", "whenever you",
    "ask me before", "ask before", "ask first", "check with me", "without asking", "before you commit",
    "before you push", "before committing", "before every commit", "before each commit",
    "until i", "unless i", "unless we", "word by word", "no exceptions", "exactly as",
    "as little as possible", "as few as possible", "as simple as possible", "told you not", "said not to",
    // What has to hold.
    "has to work", "has to stay", "has to match", "has to run", "has to fit", "has to support",
    "have to work", "have to stay", "have to match", "must stay", "should still", "should stay", "should remain",
    "should only", "should never", "should always", "should keep", "needs to stay", "need to stay",
    "needs to work", "need to work", "needs to keep", "backwards compatible", "backward compatible",
    "keep working", "keeps working", "may not", "may only", "not exceed", "zero warnings", "low priority",
    "mobile first", "correctness first", "be careful", "careful with", "keep in mind", "bear in mind",
    "remember that", "mind that", "very important", "the same way as", "same naming", "same style",
    "same pattern", "same format",
];

/// First words of a clause that orders to keep or to leave something.
const KEEPING: &[&str] = &[
    "keep",
    "leave",
    "preserve",
    "limit",
    "restrict",
    "stay",
    "stick",
    "wait for",
    "wait with",
    "wait until",
];

/// What follows those words where nothing is limited.
const GOING_ON: &[&str] = &[
    "going",
    "up",
    "on",
    "me",
    "it up",
    "a comment",
    "a note",
    "the review",
];

/// First words of a clause that tell to end doing something; the next word ends in "ing".
const STOPPING: &[&str] = &["stop", "quit", "avoid"];

/// How people tell what is usual in their project.
const CONVENTIONS: &[&str] = &[
    "we use",
    "we always",
    "we only",
    "we never",
    "we write",
    "we name",
    "we follow",
    "we stick",
    "we rely on",
    "our convention",
    "our style",
    "the convention",
    "the rule is",
    "directive that",
];

/// Words in front of a figure that make it a bound.
#[rustfmt::skip]
const BOUNDS: &[&str] = &[
    "max", "maximum", "at most", "up to", "under", "below", "within", "less than", "fewer than", "no more than",
    "no longer than", "not exceed", "exceed", "limit is", "limited to", "at least", "minimum", "not more than",
    "exactly", "one per", "per user",
];

/// Words behind "no" with which it rules nothing out.
#[rustfmt::skip]
const ANSWERS: &[&str] = &[
    "problem", "problems", "worries", "idea", "wait", "thanks", "it", "it's", "i", "i'm", "i'd", "that", "that's",
    "the", "this", "we", "he", "they", "there", "you", "longer", "one", "need", "not", "way", "luck", "matter",
    "time", "change", "changes", "difference", "error", "errors", "such", "but", "please", "sorry", "just", "what",
    "why", "my", "your", "is", "are", "do", "don't", "let's", "again",
];

/// How people speak of what they saw, thought or did.
#[rustfmt::skip]
const TELLING: &[&str] = &[
    "i see", "i saw", "i think", "i thought", "i guess", "i get", "i got", "i had", "i have", "i was", "i've",
    "i can't", "i cannot", "i don't know", "i don't see", "i don't understand", "it seems", "seems to", "looks like", "it says", "says that",
    "not sure", "there is no", "there's no", "there are no", "there must be", "must be a bug", "it must be", "that must be", "you forgot",
];

/// True for a sentence of the person that sets a limit; `padded` is its words between single spaces,
/// `asked` is true where it asks for something.
pub(crate) fn sets_limit(sentence: &str, padded: &str, asked: bool) -> bool {
    if sentence.trim_end().ends_with(['?', '？']) {
        return false;
    }
    if LIMIT_TURNS.stand_in(padded) {
        return true;
    }
    if no_limit(padded) {
        return false;
    }
    let first = |text: &str| {
        let word = text
            .split(|c: char| !(c.is_alphanumeric() || c == '\''))
            .next();
        word.unwrap_or_default().to_owned()
    };
    let keeps = clause(sentence, KEEPING).is_some_and(|rest| {
        rest.starts_with(char::is_alphanumeric)
            && !GOING_ON.iter().any(|word| rest.starts_with(word))
    });
    let stops = clause(sentence, STOPPING).is_some_and(|rest| first(&rest).ends_with("ing"));
    if keeps || stops {
        return true;
    }
    // "You can't use threads here"; that something does not work is no limit.
    let cannot = [
        "you can't",
        "you cannot",
        "we can't",
        "we cannot",
        "you may",
    ]
    .iter()
    .any(|turn| {
        padded.find(&format!(" {turn} ")).is_some_and(|at| {
            let verb = first(padded[at + turn.len() + 2..].trim_start());
            !matches!(
                verb.as_str(),
                "see"
                    | "find"
                    | "open"
                    | "read"
                    | "connect"
                    | "reach"
                    | "reproduce"
                    | "get"
                    | "log"
                    | "tell"
                    | "know"
                    | "run"
                    | "start"
                    | "want"
                    | "need"
                    | "be"
                    | "also"
                    | "now"
                    | "think"
            )
        })
    });
    if cannot {
        return true;
    }
    if TELLING_TURNS.stand_in(padded) {
        return false;
    }
    // A reason tells how things are ("since each has exactly one row").
    let reason = [" since ", " because "]
        .iter()
        .filter_map(|word| padded.find(word));
    let padded = &padded[..reason.min().map_or(padded.len(), |at| at + 1)];
    let figures = padded.bytes().any(|b| b.is_ascii_digit()) || FEW.stand_in(padded);
    if CONVENTION_TURNS.stand_in(padded)
        || figures && BOUND_TURNS.stand_in(padded) && says_how_much(padded)
    {
        return true;
    }
    // "Write it by hand, no regex"; "No, the other one" answers.
    let behind = sentence.find([',', ';', ':', '-', '–', '—']).is_some();
    let denying: &[&str] = if behind {
        &["no", "zero", "nothing"]
    } else {
        &["no", "zero"]
    };
    let without = clause(sentence, denying).is_some_and(|rest| {
        let word = first(&rest);
        !rest.starts_with([',', '.', '!']) && !word.is_empty() && !ANSWERS.contains(&word.as_str())
    });
    let not = behind && asked && opens_clause(sentence, &["not"]);
    let ends_only = asked && padded.trim_end().ends_with(" only");
    let reports = REPORTING.stand_in(padded);
    without && !reports && (behind || asked || padded.split_whitespace().count() <= 8)
        || not
        || ends_only
}

/// True where the words of a limit tell something else: what must be so, what never happened, what is
/// asked why.
pub(crate) fn no_limit(padded: &str) -> bool {
    [
        " it must be ",
        " there must be ",
        " that must be ",
        " this must be ",
        " never mind ",
        " never had ",
        " never saw ",
        " never got ",
        " never worked ",
        " never happened ",
        " i never ",
        " explain why ",
        " tell me why ",
        " explain how ",
        " no problem ",
        " no worries ",
        " no idea ",
        " only on my machine ",
        " only need ",
    ]
    .iter()
    .any(|turn| padded.contains(turn))
        || is_own_plan(padded)
        || tells_what_is_new(padded)
        || [
            " pass ",
            " passes ",
            " works ",
            " worked ",
            " fails ",
            " failed ",
            " happens ",
            " happened ",
        ]
        .iter()
        .any(|verb| {
            padded.contains(&format!("{verb}but only ")) || padded.contains(&format!("{verb}only "))
        })
}

/// True for what the user will do ("I'll retry this and make sure it's gone").
fn is_own_plan(padded: &str) -> bool {
    let own = [" i'll ", " i will ", " i'm going to "];
    [" make sure ", " ensure "].iter().any(|turn| {
        let at = padded.find(turn);
        at.is_some_and(|at| own.iter().any(|own| padded[..at + 1].contains(own)))
    })
}

/// Words behind "now" and "never" that end as a verb of the third person does and report nothing.
#[rustfmt::skip]
const NO_REPORT: &[&str] = &[
    "needs", "always", "unless", "focus", "process", "address", "access", "perhaps", "compress", "discuss", "express",
    "sometimes", "across", "this", "these", "those",
];

/// True where a subject now does something ("the check now requires at least two lines"): a report of a
/// change, as reviews have it.
fn tells_what_is_new(padded: &str) -> bool {
    padded.split_once(" now ").is_some_and(|(subject, behind)| {
        let verb = behind.split(' ').next().unwrap_or_default();
        let of_third_person = verb.len() > 4 && verb.ends_with('s') && !NO_REPORT.contains(&verb);
        !subject.trim().is_empty() && of_third_person
    })
}

/// Turns that ask for a nod, and rule nothing out ("don't we have a test for that?").
const TAGS: &[&str] = &[
    "don't we",
    "don't you",
    "don't they",
    "don't i",
    "dont we",
    "dont you",
];

/// A sentence without such turns, in lower case where it has one.
pub(crate) fn without_tags(sentence: &str) -> Cow<'_, str> {
    let lower = sentence.to_lowercase().replace('’', "'");
    if !TAGS.iter().any(|tag| lower.contains(tag)) {
        return Cow::Borrowed(sentence);
    }
    let bare = |text: String, tag: &&str| text.replace(tag, "");
    Cow::Owned(TAGS.iter().fold(lower, bare))
}

/// A sentence without what stands in double quotes: a label, a message.
pub(crate) fn without_quotes(sentence: &str) -> String {
    let parts: Vec<&str> = sentence.split('"').collect();
    if parts.len() < 3 {
        return sentence.to_owned();
    }
    let own: Vec<&str> = parts.iter().step_by(2).copied().collect();
    own.join(" ")
}

/// True where a bound stands in front of a figure, at most two words away ("under 300 lines", "100
/// columns max").
fn says_how_much(padded: &str) -> bool {
    let words: Vec<&str> = padded.split_whitespace().collect();
    let is_figure = |word: &str| {
        word.bytes().any(|b| b.is_ascii_digit()) || matches!(word, "one" | "two" | "three")
    };
    BOUNDS.iter().any(|bound| {
        let length = bound.split(' ').count();
        words.windows(length).enumerate().any(|(at, window)| {
            let behind = words.iter().skip(at + length).take(2);
            let before = words[..at].iter().rev().take(2);
            window.join(" ") == *bound
                && (behind.into_iter().any(|word| is_figure(word))
                    || matches!(*bound, "max" | "maximum" | "minimum")
                        && before.into_iter().any(|word| is_figure(word)))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spaced(sentence: &str) -> String {
        let words = sentence.to_lowercase();
        let words = words.split(|c: char| !(c.is_alphanumeric() || c == '\''));
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        format!(" {} ", words.join(" "))
    }

    #[test]
    fn limits_are_told_from_reports() {
        for (sentence, asked, is) in [
            ("I don't want a second table for this.", false, true),
            ("I don't know where the table is.", false, false),
            ("leave the table alone", false, true),
            ("keep going", false, false),
            ("stop adding rows to it", false, true),
            ("I stopped adding rows to it", false, false),
            ("You can't use threads here.", false, true),
            ("We can't see the rows.", false, false),
            ("Stay under 300 rows.", false, true),
            ("rows of 100 columns max", false, true),
            ("I see 300 rows under the table", false, false),
            ("Write it by hand, no helpers.", true, true),
            ("no, the other table", false, false),
            ("no problem, go on", false, false),
            ("from now on sort before you print", false, true),
            ("We use spaces in this repo.", false, true),
            ("Should it keep the rows?", true, false),
            ("ask me before you print anything", false, true),
            ("I'll retry this and make sure it's gone.", false, false),
            ("The check now requires at least 2 lines.", false, false),
            ("It now needs at least 2 lines.", false, true),
            (
                "Let me know when it is done, and ask me before you push.",
                true,
                true,
            ),
            (
                "We now always keep in mind that rows are sorted.",
                false,
                true,
            ),
        ] {
            let padded = spaced(sentence);
            let sets = !no_limit(&padded) && sets_limit(sentence, &padded, asked);
            assert_eq!(sets, is, "for {sentence}");
        }
    }
}
