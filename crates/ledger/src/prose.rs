//! What people and models say in sentences: requests, constraints, decisions and things to do.

use crate::limits::{self, opens_clause};
use crate::sentence::Sentence;
pub(crate) use crate::sentence::spaced;
use crate::turns::Turns;
use crate::words::content_words;
use crate::{eastern, foreign};

static DIRECTIVE_TURNS: Turns = Turns::of_words(DIRECTIVES);
static BESIDE_TURNS: Turns = Turns::of_words(BESIDE_REQUESTS);
static ASKING_TURNS: Turns = Turns::of_words(ASKING);
static DECIDING_TURNS: Turns = Turns::of_words(DECIDING);
static LEFT_TURNS: Turns = Turns::of_words(LEFT_TO_DO);
static FINDING_TURNS: Turns = Turns::of_words(FINDING);
static STATE_TURNS: Turns = Turns::of_words(STATES);
static GUESSING_TURNS: Turns = Turns::of_words(GUESSING);

/// Words by which a sentence of the person sets a limit, whoever they are said of.
#[rustfmt::skip]
const DIRECTIVES: &[&str] = &[
    "must", "must not", "mustn't", "should not", "shouldn't", "at most", "at least",
    "no more than", "not allowed", "make sure", "ensure", "required to", "forbidden", "keep it",
    "stick to", "under no circumstances", "mandatory", "can't use", "let's not", "rather not",
    "no need to", "needs to be", "need to be", "has to be", "have to be", "off limits",
    "especially interested", "i care about", "important to me", "i insist", "nothing else",
];

/// Words that set a limit where they open a clause, and tell a fact behind a subject ("it never
/// returns", "the patterns don't match").
#[rustfmt::skip]
const ORDERS: &[&str] = &[
    "never", "always", "don't", "dont", "do not", "only", "avoid", "prefer", "no longer",
];

/// Words that set a limit to what a sentence asks for ("rename it without breaking the API").
const BESIDE_REQUESTS: &[&str] = &[
    "instead of",
    "without",
    "rather than",
    "never",
    "don't",
    "only",
];

/// First words of a sentence that asks for something.
#[rustfmt::skip]
const IMPERATIVES: &[&str] = &[
    "add", "adjust", "allow", "analyse", "analyze", "apply", "ask", "bring", "build", "bump",
    "change", "check", "clean", "commit", "compare", "compute", "configure", "continue",
    "convert", "copy", "create", "debug", "delete", "describe", "design", "document", "drop",
    "enable", "examine", "expand", "explain", "export", "extend", "extract", "figure", "find",
    "finish", "fix", "focus", "format", "generate", "give", "handle", "help", "hide", "implement",
    "improve", "include", "inspect", "install", "investigate", "let's", "list", "load", "look",
    "make", "merge", "migrate", "move", "open", "optimize", "port", "print", "profile", "publish",
    "push", "put", "raise", "read", "rebase", "redo", "reduce", "refactor", "remove", "rename",
    "replace", "report", "reset", "restore", "return", "revert", "review", "rewrite", "run",
    "save", "search", "send", "set", "show", "simplify", "split", "start", "store", "summarize",
    "support", "switch", "tell", "test", "track", "trim", "try", "turn", "undo", "update",
    "upgrade", "use", "validate", "verify", "wire", "wrap", "write",
];

/// Turns by which a sentence asks for something.
#[rustfmt::skip]
const ASKING: &[&str] = &[
    "please", "can you", "could you", "would you", "i want", "i need", "i'd like", "i would like",
    "we need", "we want", "you need to", "you should", "should be", "needs to", "need to",
    "let's", "have to", "then we", "then you", "we should", "how about", "what about", "let me know",
    "i'm thinking", "i am thinking", "i think we", "i prefer", "i'd prefer", "i'd rather", "feel free",
];

/// Turns by which a model tells a choice.
#[rustfmt::skip]
const DECIDING: &[&str] = &[
    "decided to", "decided on", "decision is", "design decision", "i chose", "we chose", "chose to", "choosing",
    "i'll use", "i will use", "we'll use", "we will use", "let's use", "going with", "let's go with",
    "i'd go with", "we'll go with", "i'll go with",
    "opted", "settled on", "switched to", "switching to", "instead of", "rather than",
    "best approach", "better approach", "simplest approach", "the fix is to", "the right fix",
    "trade-off", "tradeoff", "i'd recommend", "i recommend", "i'd suggest", "i suggest",
    "we decided", "for consistency", "won't fix", "ruled out", "not worth", "opt for",
    "stay consistent", "is safer", "leave it", "leaving it", "keep it as", "kept it as",
    "deliberately", "intentionally", "the plan is to", "i kept", "i left", "simplest fix", "fix is to",
    "simplest solution", "is kept", "are kept", "kept for", "stays in", "skip this", "skip it", "for now",
    "i'd lean", "both changes", "good call", "decision", "i went with", "we went with", "decided against",
    "is enough", "on purpose", "by design", "is cleaner", "is simpler", "is the right", "should live", "belongs in",
    "so that",
];

/// Turns by which a model tells what it found out.
#[rustfmt::skip]
const FINDING: &[&str] = &[
    "root cause", "the cause", "the problem is", "the problem was", "the issue is",
    "the issue was", "the reason", "turns out", "turned out", "due to", "caused by",
    "false positive", "found that", "found the", "found a", "this means", "which means",
    "that means", "comes from", "came from", "because", "explains why", "that's why",
    "this is why", "the bug", "the culprit", "the gap", "the difference is", "i see that",
    "confirmed that", "confirms that", "is broken", "a known", "race condition", "regression",
    "the real problem", "the actual problem", "it's a race", "nothing to do with", "is wrong about", "are wrong about",
    "disagree about", "does not help", "doesn't help", "made no difference", "no measurable difference", "has no effect",
];

/// Turns that tell a state of things, which is worth keeping where a name of the code is with it.
#[rustfmt::skip]
const STATES: &[&str] = &[
    "doesn't", "does not", "isn't", "is not", "aren't", "are not", "never", "already", "still",
    "missing", "hardcoded", "hard-coded", "only when", "only if", "likely", "cannot", "can't",
    "no longer", "not supported", "depends on", "requires", "exists", "fails", "failed",
    "deprecated", "unused", "wasn't", "was not", "weren't", "expects", "ignores", "overrides",
    "looks like", "it appears", "defaults to", "is defined in", "lives in", "handles",
];

/// Turns by which something is left to do.
#[rustfmt::skip]
const LEFT_TO_DO: &[&str] = &[
    "fixme", "next is", "next up", "still need", "still to do", "still missing", "remaining work",
    "remains to", "left to do", "not yet implemented", "not yet done", "follow-up", "follow up",
    "needs to be done", "will need to", "later we", "for later", "not done yet", "haven't yet",
    "have not yet", "still needs", "still has to", "still have to", "remains to be",
];

/// What a sentence is, as far as its cue words tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cues {
    /// It sets a limit.
    pub constraint: bool,
    /// It asks for something.
    pub request: bool,
    /// It tells a choice.
    pub decision: bool,
    /// It names something left to do.
    pub todo: bool,
}

/// Reads the cues of one sentence. Cues are matched as whole words, ignoring case.
pub fn cues(sentence: &str) -> Cues {
    let padded = spaced(sentence);
    let asks = sentence.trim_end().ends_with(['?', '？']);
    let first = padded.split_whitespace().find(|word| {
        !matches!(
            *word,
            "and"
                | "then"
                | "also"
                | "now"
                | "ok"
                | "okay"
                | "so"
                | "next"
                | "first"
                | "finally"
                | "please"
                | "yes"
                | "no"
                | "great"
                | "good"
                | "thanks"
                | "but"
        )
    });
    let first_word = padded.split_whitespace().next();
    // "use X, not Y" limits as well as "use X instead of Y"; "No new dependencies" limits, "No, I
    // meant the other" answers.
    let use_not = padded.contains(" use ") && padded.contains(" not ");
    let asked = asks || first.is_some_and(is_imperative) || ASKING_TURNS.stand_in(&padded);
    let untagged = limits::without_tags(sentence);
    // "Use tabs instead" limits, "let's call it rows instead" and "can we show rows instead?" choose.
    let in_place = padded.contains(" instead ")
        && first.is_some_and(|first| is_imperative(first) && !matches!(first, "let's" | "try"));
    let orders = opens_clause(&untagged, ORDERS)
        || in_place
        || (asked && BESIDE_TURNS.stand_in(&spaced(&untagged)));
    let no_thing = first_word == Some("no")
        && sentence
            .trim_start_matches(|c: char| !c.is_alphanumeric())
            .get(2..)
            .is_some_and(|rest| !rest.starts_with(','));
    let no_limit = limits::no_limit(&padded);
    // What is quoted is said by another: a label, a message. A quote alone is what the user says.
    let own = limits::without_quotes(sentence);
    let unquoted = if says_something(&own) { &own } else { sentence };
    let own_padded = spaced(unquoted);
    Cues {
        // "Can you make sure that..?" limits, "don't we pass it on?" asks.
        constraint: !no_limit
            && (DIRECTIVE_TURNS.stand_in(&own_padded)
                && !(asks && (padded.contains(" must ") || first.is_some_and(is_question)))
                || (!asks && (orders || use_not || no_thing))
                || limits::sets_limit(unquoted, &own_padded, asked)
                || eastern::limits(unquoted)
                || foreign::limits(unquoted, &own_padded)),
        request: asked || eastern::asks(sentence) || foreign::asks(&padded),
        decision: decides(&padded),
        todo: leaves_to_do(&padded),
    }
}

/// True for words (see [`spaced`]) that tell a choice.
pub(crate) fn decides(padded: &str) -> bool {
    DECIDING_TURNS.stand_in(padded) && !leaves_choice(padded)
        || eastern::decides(padded)
        || foreign::decides(padded)
}

/// Words with which something waits for a choice of the user.
static WAITING: Turns = Turns::of_words(&[
    "need", "needs", "require", "requires", "pending", "awaiting", "waiting",
]);

/// True for words that leave a choice to somebody ("decision needed", "these need your decision").
fn leaves_choice(padded: &str) -> bool {
    let open = [
        " decision needed ",
        " decisions needed ",
        " decision before ",
        " is your decision ",
        " is your call ",
        " it's your decision ",
        " it's your call ",
    ];
    open.iter().any(|turn| padded.contains(turn))
        || [" your decision ", " your call "]
            .iter()
            .any(|turn| padded.contains(turn))
            && WAITING.stand_in(padded)
}

/// True for words (see [`spaced`]) by which something is left to do.
pub(crate) fn leaves_to_do(padded: &str) -> bool {
    let none = [
        " no follow-up ",
        " no next step",
        " no remaining ",
        " nothing left ",
        " no todo",
    ];
    if none.iter().any(|turn| padded.contains(turn)) {
        return false;
    }
    // A program has a next step as well.
    let next = [
        " next step ",
        " next steps ",
        " the next step is ",
        " the next steps are ",
        " my next step ",
    ];
    LEFT_TURNS.stand_in(padded)
        // "The TODO list has ten items" leaves nothing.
        || padded.starts_with(" todo ")
        || next[..2].iter().any(|turn| padded.starts_with(turn))
        || next[2..].iter().any(|turn| padded.contains(turn))
}

/// Names of what sets rules for the one who works.
#[rustfmt::skip]
const RULES: &[&str] = &[
    "rule", "rules", "directive", "directives", "instructions", "guideline", "guidelines", "convention", "conventions",
    "claude", "agents", "contributing",
];

/// True for words (see [`spaced`]) in which a model cites a rule that it was given ("according to the rule, all errors
/// are to be addressed").
pub(crate) fn cites_a_rule(padded: &str) -> bool {
    [" according to ", " as per "].iter().any(|turn| {
        padded.split_once(turn).is_some_and(|(_, behind)| {
            behind
                .split_whitespace()
                .take(5)
                .any(|word| RULES.contains(&word))
        })
    })
}

/// True for a word that begins a question about how things are ("what needs to be changed?").
fn is_question(word: &str) -> bool {
    matches!(
        word,
        "what" | "what's" | "why" | "how" | "which" | "where" | "when" | "who" | "whose"
    )
}

/// True for a lower-case verb that begins a request ("fix", "add").
pub(crate) fn is_imperative(word: &str) -> bool {
    IMPERATIVES.binary_search(&word).is_ok()
}

/// True when a sentence says enough to be found again: two content words at least.
pub fn says_something(sentence: &str) -> bool {
    content_words(sentence).len() >= 2
}

/// Words of assent and courtesy, stemmed as content words are.
#[rustfmt::skip]
const ASSENT: &[&str] = &[
    "agre", "ahead", "alright", "awesom", "continu", "cool", "correct", "excellent", "fin",
    "good", "great", "hello", "hey", "hi", "lgtm", "look", "lov", "mak", "nic", "perfect", "proce", "right", "sen", "sound",
    "super", "sur", "thank", "thx", "well", "work", "yeah", "yep",
];

/// True for a sentence of the person that only agrees or thanks ("sounds good, do it"): the thing
/// agreed to is said elsewhere.
pub fn only_agrees(sentence: &str) -> bool {
    content_words(sentence)
        .iter()
        .all(|word| ASSENT.binary_search(&word.as_str()).is_ok())
}

/// True for a sentence by which the model only announces its next call ("Now let me fix this:").
pub fn announces(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    let start = lower
        .trim_start_matches("now ")
        .trim_start_matches("next, ");
    lower.trim_end().ends_with(':') && (start.starts_with("let me ") || start.starts_with("i'll "))
}

/// Turns that contrast two things, which a description does as well as a choice.
const CONTRASTING: &[&str] = &["instead of", "rather than"];

/// True for a sentence of the model that tells a choice or a cause in so many words, rather than
/// describing how things are.
pub(crate) fn is_firm(sentence: &Sentence<'_>) -> bool {
    let padded = sentence.spaced();
    if FINDING_TURNS.stand_in(padded) {
        return true;
    }
    if !DECIDING_TURNS.stand_in(padded) {
        return false;
    }
    // Without the contrast a turn may be left, or come about.
    let bare = |text: String, turn: &&str| text.replace(turn, "");
    DECIDING_TURNS.stand_in(&CONTRASTING.iter().fold(padded.to_owned(), bare))
}

/// Words of a guess, which is confirmed where it matters.
#[rustfmt::skip]
const GUESSING: &[&str] = &[
    "likely", "probably", "perhaps", "maybe", "might", "may be", "could be", "possibly", "presumably",
    "i suspect", "i think", "seems to", "seem to", "hasn't caught up", "haven't been", "aren't registered yet",
];

/// True for a sentence that guesses at a cause or a state.
pub(crate) fn guesses(sentence: &Sentence<'_>) -> bool {
    GUESSING_TURNS.stand_in(sentence.spaced())
}

/// True for a sentence in which the model tells what it found out: by a turn like "the cause is",
/// or by the state of something that it names as code.
pub(crate) fn finds(sentence: &Sentence<'_>) -> bool {
    let words = sentence.text.split_whitespace().count();
    let ends = sentence.text.trim_end().ends_with(['?', ':', '？', '：']);
    if !ends && eastern::finds(sentence.text) {
        return true;
    }
    if !(5..=60).contains(&words) || ends {
        return false;
    }
    let padded = sentence.spaced();
    FINDING_TURNS.stand_in(padded)
        || foreign::finds(padded)
        || STATE_TURNS.stand_in(padded) && sentence.names()
}

/// True for a sentence in which the model says what it does next, offers something or asks: the
/// calls that follow tell it better.
pub(crate) fn is_plan(sentence: &Sentence<'_>) -> bool {
    *sentence.plan.get_or_init(|| plans(sentence))
}

fn plans(sentence: &Sentence<'_>) -> bool {
    if sentence
        .text
        .trim_end()
        .trim_end_matches(['*', ')', '"'])
        .ends_with('?')
    {
        return true;
    }
    let mut start = sentence.spaced().trim_start();
    while let Some(rest) = [
        "now ", "first ", "next ", "then ", "so ", "good ", "ok ", "okay ", "also ", "but ",
        "hmm ", "wait ", "ah ",
    ]
    .iter()
    .find_map(|word| start.strip_prefix(word))
    {
        start = rest;
    }
    if [
        "i'll ",
        "i will ",
        "i need to ",
        "i'm going to ",
        "i should ",
        "we need to ",
        "we should ",
    ]
    .iter()
    .find_map(|begin| start.strip_prefix(begin))
    .is_some_and(|rest| LOOKING_VERBS.contains(&rest.split(' ').next().unwrap_or_default()))
    {
        return true;
    }
    [
        "i'm using the ",
        "looking at ",
        "let me ",
        "let's check",
        "let's see",
        "let's look",
        "let's run",
        "ready ",
        "want me",
        "would you like",
        "shall i",
        "should i",
        "i'm ",
        "you're right",
        "that's fine",
        "perfect",
        "great",
        "done ",
        "all tests pass",
    ]
    .iter()
    .any(|begin| start.starts_with(begin))
}

/// What a model says it will do before a call that does it.
#[rustfmt::skip]
const LOOKING_VERBS: &[&str] = &[
    "add", "address", "analyze", "apply", "check", "commit", "continue", "create", "examine",
    "explore", "fetch", "find", "fix", "get", "implement", "investigate", "look", "make", "now",
    "proceed", "push", "read", "reply", "rerun", "review", "run", "search", "see", "start",
    "summarize", "update", "verify", "write",
];

/// Longest sentence, in bytes, taken as one fact; what is longer is cut there.
const MAX_SENTENCE_BYTES: usize = 600;

/// The sentences in `ranges` of a text that say something.
pub(crate) fn sentences_of(
    text: &str,
    ranges: &[std::ops::Range<usize>],
) -> Vec<std::ops::Range<usize>> {
    ranges
        .iter()
        .flat_map(|range| {
            crate::words::sentences(&text[range.clone()])
                .into_iter()
                .map(move |inner| range.start + inner.start..range.start + inner.end)
        })
        .map(|range| {
            let end = range.end.min(range.start + MAX_SENTENCE_BYTES);
            range.start..crate::words::floor_boundary(text, end)
        })
        .filter(|range| says_something(&text[range.clone()]))
        .collect()
}

/// Turns by which a model recommends a choice and leaves it to the user.
#[rustfmt::skip]
const RECOMMENDING: &[&str] = &[
    " i'd recommend ", " i recommend ", " i would recommend ", " i'd suggest ", " i suggest ", " i would suggest ", " i'd lean ",
    " my recommendation ", " my suggestion ",
];

/// True for words by which a model recommends a choice.
pub(crate) fn recommends(padded: &str) -> bool {
    RECOMMENDING.iter().any(|turn| padded.contains(turn))
}

/// Forms of "to be" in front of what happens to something.
const PASSIVE: &[&str] = &["is", "are", "was", "were", "gets", "got"];

/// True for a word that says how many there are.
fn is_count(word: &str) -> bool {
    word.bytes().all(|b| b.is_ascii_digit())
        || matches!(
            word,
            "one" | "two" | "three" | "four" | "single" | "separate" | "multiple" | "several"
        )
}

/// True for words that tell what happens in place of what should ("the name is being shown instead of the id", "2 rows
/// come instead of 1").
pub(crate) fn observes(padded: &str) -> bool {
    let Some(at) = CONTRASTING
        .iter()
        .filter_map(|turn| padded.find(turn))
        .min()
    else {
        return false;
    };
    let words: Vec<&str> = padded[..at].split_whitespace().collect();
    let behind = padded[at..].split_whitespace().nth(2);
    if behind.is_some_and(is_count) && words.iter().rev().take(5).any(|word| is_count(word)) {
        return true;
    }
    words.windows(2).any(|pair| {
        PASSIVE.contains(&pair[0])
            && (pair[1] == "being" || pair[1].ends_with("ed") && pair[1] != "used")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imperatives_are_sorted_for_the_search() {
        let mut sorted = IMPERATIVES.to_vec();
        sorted.sort_unstable();
        for (is, should) in IMPERATIVES.iter().zip(&sorted) {
            assert_eq!(is, should);
        }
    }

    #[test]
    fn announcements_are_told_from_decisions() {
        assert!(announces("Now let me queue it instead of appending:"));
        assert!(!announces("Let me think: I'll use a queue instead."));
        assert!(!announces("I'll use a queue instead of a lock."));
    }

    #[test]
    fn what_happens_is_told_from_what_is_chosen() {
        for (sentence, is) in [
            ("The name is being shown instead of the id.", true),
            (
                "It takes 2 commits to achieve it instead of 1 batched commit.",
                true,
            ),
            ("We keep one table instead of a cache.", false),
            ("I'll use the new table instead of the old one.", false),
        ] {
            assert_eq!(observes(&spaced(sentence)), is, "for {sentence}");
        }
    }

    #[test]
    fn rules_that_are_cited_are_told_from_plans() {
        let cites = |text| cites_a_rule(&spaced(text));
        assert!(cites("According to the rule, we must address all errors."));
        assert!(cites("According to your CLAUDE.md, rows are sorted."));
        assert!(!cites("I fixed it according to the plan."));
        assert!(!leaves_to_do(&spaced("The todo list has ten items.")));
        assert!(leaves_to_do(&spaced("TODO: sort the rows")));
    }

    #[test]
    fn guesses_are_told_from_findings() {
        let guesses = |text| guesses(&Sentence::of(text));
        assert!(guesses("This is likely because the cache is old."));
        assert!(!guesses("The cause is the old cache."));
    }

    #[test]
    fn assent_is_told_from_wishes() {
        assert!(ASSENT.is_sorted());
        for (sentence, is) in [
            ("sounds good, do it", true),
            ("Alright, looks great. Thanks!", true),
            ("ok, continue", true),
            ("yes, proceed", true),
            ("Does this make sense?", true),
            ("looks good, now add tests", false),
            ("continue with the parser", false),
        ] {
            assert_eq!(only_agrees(sentence), is, "for {sentence:?}");
        }
    }

    #[test]
    fn sentences_are_read_by_their_cues() {
        for (sentence, constraint, request, decision, todo) in [
            (
                "Please add a retry to the client.",
                false,
                true,
                false,
                false,
            ),
            (
                "Never touch the generated files.",
                true,
                false,
                false,
                false,
            ),
            ("Use tabs, not spaces.", true, true, false, false),
            ("No new dependencies.", true, false, false, false),
            ("No, the other one is meant.", false, false, false, false),
            (
                "I'll use a queue because it is bounded.",
                false,
                false,
                true,
                false,
            ),
            ("TODO: cover the empty case.", false, false, false, true),
            ("Why does it hang?", false, true, false, false),
            ("Don't we just pass the key?", false, true, false, false),
            (
                "It never returns and they don't match.",
                false,
                false,
                false,
                false,
            ),
            ("We never commit to main.", true, false, false, false),
            (
                "Can you make sure it stays small?",
                true,
                true,
                false,
                false,
            ),
            ("The build is green.", false, false, false, false),
            ("Nothing lonely here.", false, false, false, false),
            ("What needs to be changed?", false, true, false, false),
            (
                "Make the logs-only test stricter.",
                false,
                true,
                false,
                false,
            ),
        ] {
            let read = cues(sentence);
            assert_eq!(
                read,
                Cues {
                    constraint,
                    request,
                    decision,
                    todo
                },
                "for {sentence:?}"
            );
        }
    }
}
