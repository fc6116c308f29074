//! Sentences of the model that tell a choice or a state without a turn of phrase: reports of what
//! was changed, announcements of a change, and statements about something it names as code.

use crate::prose;
use crate::sentence::Sentence;
use crate::turns::Words;

/// Verbs of a change as a report begins with them: past, third person, or in the imperative of a
/// commit.
#[rustfmt::skip]
const CHANGES: &[&str] = &[
    "add", "adjust", "adopt", "allow", "apply", "avoid", "bump", "cache", "change", "clean", "collapse",
    "configure", "consolidate", "convert", "correct", "create", "decrease", "deduplicate", "defer",
    "delete", "deprecate", "disable", "document", "drop", "enable", "ensure", "exclude", "expose",
    "extract", "fix", "generate", "group", "guard", "handle", "hardcode", "implement", "improve",
    "include", "increase", "inline", "install", "introduce", "invalidate", "keep", "limit", "log",
    "lower", "make", "merge", "migrate", "mock", "modify", "move", "override", "parametrize", "pass",
    "patch", "pin", "prefer", "prevent", "raise", "reduce", "refactor", "register", "reject", "relax",
    "remove", "rename", "reorder", "replace", "restore", "restrict", "retry", "return", "reuse",
    "revert", "rework", "rewrite", "set", "simplify", "skip", "split", "store", "strengthen", "support",
    "swap", "switch", "tighten", "tolerate", "track", "treat", "turn", "unify", "update", "upgrade",
    "use", "validate", "wire", "wrap", "write",
];

/// Words that make a sentence with a name a statement about it.
#[rustfmt::skip]
static STATING: Words = Words::of(&[
    "is", "are", "was", "were", "isn't", "aren't", "wasn't", "weren't", "has", "have", "hasn't",
    "haven't", "had", "does", "do", "did", "doesn't", "don't", "didn't", "can", "can't", "cannot",
    "could", "couldn't", "might", "may", "must", "should", "shouldn't", "won't", "seems", "appears", "shows",
    "calls", "returns", "uses", "reads", "writes", "takes", "gets", "needs", "expects", "contains",
    "passes", "fails", "failed", "works", "worked", "exists", "matches", "stores", "handles",
    "creates", "deletes", "runs", "stops", "starts", "ignores", "skips", "walks", "checks",
    "affected", "depends", "requires", "lives", "belongs", "happens", "means", "comes", "goes",
]);

/// How a model begins when it has found something out.
#[rustfmt::skip]
const DISCOVERING: &[&str] = &[
    "i see", "found ", "interesting", "even with", "still ", "it seems", "it looks", "looks like",
    "apparently", "that's ", "ah ", "aha", "indeed", "it works",
    "it turns", "no wonder", "this confirms", "the problem", "the issue", "the test is failing",
    "the diagnostic", "the error", "this explains", "no ", "so ",
];

/// Forms of verbs of change that no ending makes.
#[rustfmt::skip]
const IRREGULAR: &[&str] = &[
    "applied", "applies", "copied", "kept", "made", "rewrote", "simplified", "simplifies", "wrote",
];

/// True for a form of one of [`CHANGES`].
pub(crate) fn is_change(word: &str) -> bool {
    if !word.is_ascii() {
        return false;
    }
    let listed = |word: &str| CHANGES.binary_search(&word).is_ok();
    if listed(word) || IRREGULAR.contains(&word) {
        return true;
    }
    let formed = |ending: &str| {
        word.strip_suffix(ending).is_some_and(|stem| {
            let mut last = stem.bytes().rev();
            let doubled = last.next() == last.next() && stem.len() > 3;
            listed(stem)
                || (ending == "ing" && listed(&format!("{stem}e")))
                || (doubled && listed(&stem[..stem.len() - 1]))
        })
    };
    ["s", "es", "d", "ed", "ing"].into_iter().any(formed)
}

/// True when a sentence names something of the code: a symbol, a file, or anything in backticks.
pub(crate) fn names_code(text: &str) -> bool {
    Sentence::of(text).names_code()
}

/// True for a report of a change: it begins with the verb of one, and names code or says enough.
/// "Fixed the lookup of `Author`", "Uses one table for both", "Reconsidered - fixed in 1a2b3c4".
pub(crate) fn reports_change(sentence: &Sentence<'_>) -> bool {
    let mut all = sentence.spaced().split_whitespace().skip_while(|word| {
        matches!(
            *word,
            "now" | "also" | "already" | "i" | "i've" | "we" | "reconsidered" | "done" | "just"
        )
    });
    let Some(first) = all.next() else {
        return false;
    };
    if !is_change(first) || sentence.asks() {
        return false;
    }
    // What leads up to a list of the details may say the change itself.
    let leads = sentence.text.trim_end().ends_with(':');
    let says = sentence.content_words();
    says >= 5 || says >= 3 && !leads && sentence.names_code()
}

/// True for words (see [`spaced`]) that tell what the user changed ("the user replaced the reader").
pub(crate) fn reports_users_change(padded: &str) -> bool {
    let mut rest = padded
        .strip_prefix(" the user ")
        .unwrap_or_default()
        .split(' ');
    let verb = rest.find(|word| !matches!(*word, "has" | "also" | "already" | "just"));
    verb.is_some_and(|verb| verb.ends_with('d') && is_change(verb)) && rest.count() >= 5
}

/// True for the announcement of a change of something that it names ("Now let me move `load` out of
/// the loop"): what is done with it shows only in the code.
pub(crate) fn announces_change(sentence: &Sentence<'_>) -> bool {
    *sentence.announcement.get_or_init(|| announces(sentence))
}

fn announces(sentence: &Sentence<'_>) -> bool {
    let mut rest = sentence.spaced().trim_start();
    let mut announced = false;
    while let Some((begin, tail)) = [
        "now ",
        "next ",
        "first ",
        "then ",
        "so ",
        "good ",
        "ok ",
        "let me also ",
        "let me ",
        "i'll also ",
        "i'll ",
        "we'll also ",
        "we'll ",
        "let's ",
        "i will ",
        "i'm going to ",
        "i need to also ",
        "i need to ",
        "also ",
        "just ",
    ]
    .iter()
    .find_map(|begin| rest.strip_prefix(begin).map(|tail| (*begin, tail)))
    {
        announced |= begin == "now " || begin.contains('\'') || begin.len() > 6;
        rest = tail;
    }
    let first = rest.split(' ').next().unwrap_or_default();
    if !announced || CHANGES.binary_search(&first).is_err() || sentence.asks() {
        return false;
    }
    let says = sentence.content_words();
    says >= 5 || says >= 3 && sentence.names_code()
}

/// How a sentence leads up to the next call.
const NARRATING: &str = " let me ";

/// True for a sentence that leads up to the next call ("Now let me update the reader").
pub(crate) fn narrates(sentence: &Sentence<'_>) -> bool {
    sentence.spaced().contains(NARRATING)
}

/// True for a sentence that only leads from one step to the next ("I've changed the files, and now I'll apply them").
pub(crate) fn goes_on(sentence: &Sentence<'_>) -> bool {
    [" now i'll ", " now i will ", " now let's "]
        .iter()
        .any(|turn| sentence.spaced().contains(turn))
}

/// True for a statement about something that it names as code, or one that begins as a discovery
/// does; what the model plans or asks is none.
pub(crate) fn states(sentence: &Sentence<'_>) -> bool {
    let text = sentence.text;
    let count = text.split_whitespace().count();
    if !(4..=60).contains(&count)
        || sentence.asks()
        || (text.trim_end().ends_with(':') && count < 6)
        || prose::is_plan(sentence)
        || announces_change(sentence)
    {
        return false;
    }
    let padded = sentence.spaced();
    let discovers = DISCOVERING
        .iter()
        .any(|begin| padded[1..].starts_with(begin));
    let stating = padded.split_whitespace().any(|word| STATING.has(word));
    // "`load` swallows the failure": a name, and what it does.
    let mut all = text.split_whitespace();
    let (name, verb) = (all.next(), all.next());
    let begins = || {
        verb.is_some_and(|word| word.len() > 3 && word.ends_with('s'))
            && name.is_some_and(names_code)
    };
    // The cheap questions first: this is asked of every sentence of the model.
    (discovers || begins() || stating && sentence.names_code()) && sentence.content_words() >= 3
}

/// How a sentence begins that accompanies the work or the conversation and tells nothing of the thing
/// worked on.
#[rustfmt::skip]
static ACCOMPANYING: Words = Words::of(&[
    "let", "let's", "i'll", "i", "i'm", "i've", "i'd", "now", "next", "first", "time", "running", "checking", "waiting",
    "applying", "reading", "looking", "searching", "testing", "starting", "continuing", "here", "here's", "feel", "thanks",
    "thank", "sorry", "apologies", "great", "good", "perfect", "excellent", "done", "sure", "okay", "ok", "you", "you're",
    "would", "could", "should", "shall", "maybe", "perhaps", "hmm", "wait", "want", "please", "to", "if", "we", "we'll",
    "my", "your", "once", "after", "before", "see", "for", "note", "as", "yes", "then", "also", "everything", "what",
    "which", "how", "why", "where", "when", "who", "can", "do", "does", "is", "are", "open", "install", "click",
    "visit", "download", "press", "enter", "type", "run", "the user", "this", "looks", "seems",
]);

/// Words that give a reason, a condition or a contrast.
static JOINING: Words = Words::of(&[
    "because",
    "since",
    "so",
    "which",
    "therefore",
    "hence",
    "thus",
    "otherwise",
    "unless",
    "although",
    "whereas",
    "but",
    "while",
    "until",
    "instead",
    "rather",
    "not",
    "only",
    "even",
    "although",
    "whenever",
    "without",
    "never",
]);

/// Plural and bare forms of verbs that tell how things are.
static TELLING: Words = Words::of(&[
    "use",
    "keep",
    "share",
    "live",
    "need",
    "run",
    "return",
    "store",
    "read",
    "write",
    "expect",
    "contain",
    "happen",
    "come",
    "go",
    "hold",
    "stay",
    "remain",
    "require",
    "support",
    "fail",
    "break",
    "match",
    "depend",
    "lack",
    "send",
    "takes",
    "grows",
    "drops",
    "fires",
    "sends",
    "keeps",
    "holds",
    "lacks",
    "breaks",
    "allows",
    "shares",
    "agrees",
    "disagree",
    "disagrees",
    "limits",
    "locks",
    "releases",
    "overrides",
    "override",
    "counts",
    "blocks",
    "supports",
    "includes",
    "causes",
    "produces",
    "leaves",
    "leads",
    "loses",
    "makes",
    "adds",
    "removes",
    "replaces",
    "accepts",
    "rejects",
    "requires",
    "sets",
    "names",
    "follows",
    "resume",
    "resumes",
    "got",
    "went",
    "became",
    "made",
    "took",
    "helped",
    "tried",
    "changed",
    "broke",
    "expired",
    "moved",
    "dropped",
]);

/// True for a sentence that declares something of the thing worked on, in whatever words: it has a
/// verb that tells how things are, says enough, and does not only accompany the work.
pub(crate) fn declares(sentence: &Sentence<'_>) -> bool {
    let count = sentence.text.split_whitespace().count();
    let end = sentence.text.trim_end().trim_end_matches(['*', '"', ')']);
    if !(5..=60).contains(&count) || end.ends_with(['?', ':']) {
        return false;
    }
    let padded = sentence.spaced();
    let mut all = padded.split_whitespace();
    let first = all.next().unwrap_or_default();
    let accompanies = || ACCOMPANYING.has(first) && !tells_why(padded) && !sentence.names_code();
    let tells = || {
        all.clone()
            .any(|word| STATING.has(word) || TELLING.has(word))
    };
    !padded.starts_with(" the user ")
        && !padded.contains(NARRATING)
        && (tells() || sentence.text.contains(": ") && count >= 6)
        && sentence.content_words() >= 4
        && !accompanies()
        && !prose::is_plan(sentence)
        && !announces_change(sentence)
}

/// True for words (see [`spaced`]) with a verb that tells how things are, a reason or a contrast.
pub(crate) fn tells_state(padded: &str) -> bool {
    let mut all = padded.split_whitespace();
    all.any(|word| STATING.has(word) || JOINING.has(word))
}

/// True for words (see [`spaced`]) with a reason, a condition or a contrast.
pub(crate) fn tells_why(padded: &str) -> bool {
    padded
        .split_whitespace()
        .skip(1)
        .any(|word| JOINING.has(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sentence::spaced;

    #[test]
    fn what_is_declared_is_told_from_what_accompanies_the_work() {
        for (sentence, is) in [
            ("The two readers disagree about the end of a row.", true),
            ("Only the nightly job uses this old table.", true),
            (
                "I tried a map first, but it made no measurable difference.",
                true,
            ),
            ("I have the full picture of all files now.", false),
            ("Let me see whether the reader is called at all.", false),
            ("Running all tests to make sure nothing broke.", false),
            ("Which of the two readers is the right one?", false),
        ] {
            assert_eq!(declares(&Sentence::of(sentence)), is, "for {sentence}");
        }
    }

    #[test]
    fn what_the_user_changed_is_told_from_what_the_user_wants() {
        for (sentence, is) in [
            (
                "The user fixed the wrong ceiling in the report of pages.",
                true,
            ),
            (
                "The user has already replaced both readers by one for rows.",
                true,
            ),
            ("The user wants one reader for all kinds of rows.", false),
            ("The user fixed it.", false),
        ] {
            assert_eq!(
                reports_users_change(&spaced(sentence)),
                is,
                "for {sentence}"
            );
        }
    }

    #[test]
    fn announcements_of_changes_name_what_is_changed() {
        for (sentence, is) in [
            ("I'll remove the `--cached` option from these tests.", true),
            (
                "We'll mock the reader of rows so that no file is opened.",
                true,
            ),
            ("I'll take a look at that.", false),
        ] {
            assert_eq!(
                announces_change(&Sentence::of(sentence)),
                is,
                "for {sentence}"
            );
        }
    }

    #[test]
    fn lists_for_the_search_are_sorted() {
        assert!(CHANGES.is_sorted());
    }

    #[test]
    fn reports_of_changes_are_told_from_other_sentences() {
        for (sentence, is) in [
            (
                "Uses `open_once` with the new flag in the list of tools",
                true,
            ),
            ("Dropped the wrapper round `load`.", true),
            (
                "Replaced the two readers with a single one for both formats",
                true,
            ),
            ("Moved the check of rows before each progress update:", true),
            ("Added these:", false),
            ("Added it.", false),
            ("The build is green again.", false),
            ("Use of `a` here?", false),
        ] {
            assert_eq!(
                reports_change(&Sentence::of(sentence)),
                is,
                "for {sentence}"
            );
        }
    }

    #[test]
    fn announced_changes_name_what_is_changed() {
        for (sentence, is) in [
            ("Now let me move `load_tree` out of the loop:", true),
            ("Now add the missing import to hooks.go:", true),
            ("Now I'll remove the local copy of `shorten`.", true),
            ("Let me run the tests for `load_tree`.", false),
            ("Now let me check `load_tree`.", false),
            ("Let me fix that.", false),
        ] {
            assert_eq!(
                announces_change(&Sentence::of(sentence)),
                is,
                "for {sentence}"
            );
        }
    }

    #[test]
    fn statements_about_code_are_told_from_plans() {
        for (sentence, is) in [
            (
                "So `explain.go:12` calls `store.author()` for each row.",
                true,
            ),
            ("The `--print` mode might be running these hooks.", true),
            ("I see - replacing all touched the definition too.", true),
            ("Let me look at how `load` stores its rows.", false),
            ("Is `load` called twice?", false),
            ("The tests pass now.", false),
        ] {
            assert_eq!(states(&Sentence::of(sentence)), is, "for {sentence}");
        }
    }
}
