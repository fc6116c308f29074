//! Sentences of the user that say nothing alone: they are one fact with the sentence they lean on.

use crate::eastern;
use crate::prose::{self, spaced};
use crate::words;
use std::ops::Range;

/// Longest part of a message, in bytes, that sentences are joined to.
const JOINED_BYTES: usize = 420;

/// First words of a sentence that goes on with the one before it.
#[rustfmt::skip]
const GOING_ON: &[&str] = &[
    "and", "or", "but", "because", "cause", "that", "this", "these", "those", "it", "its", "it's", "they", "them",
    "which", "otherwise", "like", "e.g", "eg", "same", "thinking", "thoughts", "actually", "isn't", "aren't",
    "if", "although", "though", "any",
];

/// Fewest content words of a sentence that stands alone.
const ALONE_WORDS: usize = 3;

/// Words that point at something said before.
const POINTING: &[&str] = &[
    "that", "this", "it", "them", "those", "these", "they", "latter", "former",
];

/// Joins the sentences of a message that lean on their neighbour: those that go on with it ("and give me
/// suggestions first?"), that only point at it, or that have too few words to say anything. Items of lists, which
/// `is_item` tells, and sentences behind an empty line stay as they are.
pub(crate) fn joined(
    text: &str,
    sentences: Vec<Range<usize>>,
    is_item: impl Fn(&Range<usize>) -> bool,
) -> Vec<Range<usize>> {
    let mut out: Vec<Range<usize>> = Vec::new();
    for range in sentences {
        let sentence = &text[range.clone()];
        let joins = out.last().is_some_and(|last| {
            let between = &text[last.end..range.start];
            let own = &text[last.clone()];
            range.end - last.start <= JOINED_BYTES
                && !between.contains("\n\n")
                && !between.contains('`')
                && !is_assignment(own)
                && !is_assignment(sentence)
                && (!between.contains('\n') || goes_on(sentence))
                && !own.ends_with(':')
                && !sentence.ends_with(':')
                && !is_item(last)
                && !is_item(&range)
                && (leans(sentence) || has_few_words(own) && !wishes(own) && !wishes(sentence))
                && !prose::only_agrees(own)
        });
        match out.last_mut().filter(|_| joins) {
            Some(last) => last.end = range.end,
            None => out.push(range),
        }
    }
    out
}

/// A line that puts one thing in the place of another says all by itself.
fn is_assignment(sentence: &str) -> bool {
    ["->", "→", "=>"]
        .iter()
        .any(|arrow| sentence.contains(arrow))
}

fn goes_on(sentence: &str) -> bool {
    let padded = spaced(sentence);
    let first = padded.split_whitespace().next().unwrap_or_default();
    sentence.starts_with('(') || GOING_ON.contains(&first)
}

/// True for a sentence that needs the one before it.
fn leans(sentence: &str) -> bool {
    let padded = spaced(sentence);
    goes_on(sentence) || !wishes(sentence) && says_little(sentence, &padded)
}

/// True for a sentence that asks or limits by itself.
fn wishes(sentence: &str) -> bool {
    let cues = prose::cues(sentence);
    (cues.request || cues.constraint) && words::content_words(sentence).len() >= 2
}

fn says_little(sentence: &str, padded: &str) -> bool {
    has_few_words(sentence) || points(padded) && words::content_words(sentence).len() <= ALONE_WORDS
}

fn has_few_words(sentence: &str) -> bool {
    words::content_words(sentence).len() < ALONE_WORDS && !sentence.contains('`')
}

fn points(padded: &str) -> bool {
    padded
        .split_whitespace()
        .any(|word| POINTING.contains(&word))
}

/// Words before the question itself.
const BEFORE: &[&str] = &[
    "q", "and", "so", "hmm", "ok", "okay", "also", "wait", "well", "but", "then", "_why_",
];

/// Words that begin a question that an answer settles.
#[rustfmt::skip]
const ASKING: &[&str] = &[
    "what", "what's", "which", "where", "where's", "when", "when's", "who", "who's", "whose", "why", "how",
    "is", "isn't", "are", "aren't", "was", "were", "do", "does", "did", "has", "have", "had", "whats", "wheres",
    "hows", "how's", "whos",
];

/// Turns that begin with such a word and propose something.
#[rustfmt::skip]
const PROPOSING: &[&str] = &[
    "what about ", "how about ", "what if ", "why not ", "why don't ", "why do we need ", "what would it take ",
];

/// Turns by which a question asks for more than an answer.
const WISHING: &[&str] = &[
    " can you ",
    " could you ",
    " can we ",
    " could we ",
    " should ",
    " please ",
    " instead ",
    " let's ",
    " would you ",
    " supposed ",
    " need to ",
];

/// Turns of a question that says what is wrong.
#[rustfmt::skip]
const COMPLAINING: &[&str] = &[
    " still ", " not ", "n't ", " fail", " broken ", " wrong ", " missing ", " again ", " crash", " error",
];

/// Turns by which a sentence asks without a question mark ("here is a log, tell me what is in it").
#[rustfmt::skip]
const TELLING: &[&str] = &[
    " tell me what ", " tell me how ", " tell me why ", " tell me which ", " tell me where ", " tell me who ",
    " tell me whether ", " tell me if ", " explain what ", " explain how ", " explain why ", " explain to me ",
];

/// Most content words of such a sentence: a longer one asks for work.
const TOLD_WORDS: usize = 7;

/// True for a wish that an answer settles, as it does a question.
fn only_wants_to_hear(sentence: &str, padded: &str) -> bool {
    TELLING.iter().any(|turn| padded.contains(turn))
        && words::content_words(sentence).len() <= TOLD_WORDS
        // "Fix it and tell me what was wrong" wishes for more.
        && ![" and ", " then ", " before "].iter().any(|more| padded.contains(more))
        // Told again is told: only of what happens does "again" say that it is wrong.
        && !COMPLAINING.iter().any(|turn| *turn != " again " && padded.contains(turn))
}

/// True for a question without its mark ("what is the size of the index now").
fn asks_plainly(sentence: &str, padded: &str) -> bool {
    let mut words = padded.split_whitespace();
    let first = words
        .next()
        .is_some_and(|word| QUESTION_WORDS.contains(&word));
    let second = words.next().is_some_and(|word| VERBS.contains(&word));
    first && second && !sentence.contains(['.', ',', ';', ':', '!'])
}

const QUESTION_WORDS: &[&str] = &["what", "which", "where", "when", "who", "why", "how"];
const VERBS: &[&str] = &[
    "is", "are", "was", "were", "does", "do", "did", "has", "have", "had",
];

/// Words in front of the word by which a question asks ("on which rows does it work?").
const PREPOSITIONS: &[&str] = &["on ", "in ", "at ", "for ", "to ", "from ", "with ", "by "];

/// True for a question that an answer settles ("where is the short list filtered?"): what it asks is no
/// longer open once the model has replied.
pub(crate) fn only_asks(sentence: &str) -> bool {
    if asks_in_chinese_or_japanese(sentence) {
        return true;
    }
    let padded = spaced(sentence);
    if !sentence.trim_end().ends_with('?') && !asks_plainly(sentence, &padded) {
        return only_wants_to_hear(sentence, &padded);
    }
    let mut rest = padded.trim_start();
    while let Some((first, more)) = rest.split_once(' ')
        && BEFORE.contains(&first)
    {
        rest = more;
    }
    let behind = PREPOSITIONS.iter().find_map(|word| rest.strip_prefix(word));
    rest = behind
        .filter(|rest| rest.starts_with("which ") || rest.starts_with("what "))
        .unwrap_or(rest);
    // A tag asks for a nod ("the script makes a branch, yes?").
    let nods = padded.ends_with(" yes ") || padded.ends_with(" right ") || padded.ends_with(" no ");
    let first = rest.split(' ').next().unwrap_or_default();
    let looks_up = ASKING.contains(&first) && !PROPOSING.iter().any(|turn| rest.starts_with(turn));
    // A few words behind another question ("vendored copy?", "any ideas for this?").
    let is_short = words::content_words(sentence).len() <= SHORT_QUESTION
        && !PROPOSING.iter().any(|turn| rest.starts_with(turn))
        // "Run the tests?" is a wish.
        && !prose::cues(sentence.trim_end_matches(['?', ' '])).request;
    // "What should we call it?" asks for a word, "should we call it x?" wishes.
    let asks_what = CHOOSING.iter().any(|turn| rest.starts_with(turn));
    let wishes = |turns: &[&str]| turns.iter().any(|turn| padded.contains(turn));
    // "Are we still working on it?" asks how far the work is.
    let progress = rest.starts_with("are we still ") || rest.starts_with("are you still ");
    let complains = COMPLAINING
        .iter()
        .any(|turn| padded.contains(turn) && !(progress && *turn == " still "));
    (looks_up || nods || is_short) && (asks_what || !wishes(WISHING)) && !complains
}

/// Words of a wish, a proposal or a complaint put as a question in Chinese and Japanese.
#[rustfmt::skip]
const NOT_ONLY_ASKING: &[&str] = &[
    "可以", "能", "请", "帮", "还", "为什么", "怎么", "いいです", "可能", "ましょうか", "ませんか", "ないか", "なぜ", "どうして", "まだ",
    "よろしい", "でしょうか",
];

/// True for a question of Chinese or Japanese that an answer settles ("where is the file made?").
fn asks_in_chinese_or_japanese(sentence: &str) -> bool {
    let text = sentence.trim_end_matches(['。', '？', '?', '！', '!', ' ']);
    let ends = ["ますか", "ですか", "ましたか", "でしたか", "吗"];
    ends.iter().any(|end| text.ends_with(end))
        && !eastern::asks(sentence)
        && !NOT_ONLY_ASKING.iter().any(|word| text.contains(word))
}

/// Most content words of a question that stands behind another one.
const SHORT_QUESTION: usize = 2;

/// Turns that ask for a choice which the model's answer is.
#[rustfmt::skip]
const CHOOSING: &[&str] = &[
    "what should ", "which should ", "where should ", "how should ", "what would you ", "which would you ",
];

/// How a sentence begins that only says that more comes ("Let's make a change.", "I have a few questions.").
#[rustfmt::skip]
const OPENERS: &[&str] = &[
    " let's ", " lets ", " i have ", " i've got ", " we have ", " here are ", " here is ", " there are ", " any ", " a few ",
    " ok let's ", " okay let's ", " now let's ", " so let's ", " next let's ",
];
/// Words behind it that name nothing.
#[rustfmt::skip]
const OPENING: &[&str] = &[
    "let's", "lets", "make", "do", "a", "an", "some", "few", "couple", "of", "another", "one", "two", "three", "more",
    "other", "new", "quick", "small", "minor", "i", "i've", "we", "have", "got", "to", "there", "are", "is", "here", "now",
    "next", "ok", "okay", "so", "any", "just", "the", "following",
];
/// What such a sentence speaks of.
#[rustfmt::skip]
const OPENED: &[&str] = &[
    "change", "changes", "thing", "things", "question", "questions", "tweak", "tweaks", "adjustment", "adjustments",
];

/// True for a sentence that only opens or closes a message and says nothing of what is wanted.
pub(crate) fn only_opens(sentence: &str) -> bool {
    let padded = spaced(sentence);
    let mut opened = false;
    OPENERS.iter().any(|begin| padded.starts_with(begin))
        && padded.split_whitespace().all(|word| {
            opened |= OPENED.contains(&word);
            OPENED.contains(&word) || OPENING.contains(&word)
        })
        && opened
        && !sentence.trim_end().ends_with(':')
}

/// Words of a message that only drives the model on.
#[rustfmt::skip]
const DRIVING: &[&str] = &[
    "keep going", "carry on", "go on", "go ahead", "continue", "proceed", "let me know when", "tell me when",
    "you're done", "list again", "show me again", "start there", "look around", "any other ideas", "other suggestions", "any thoughts",
];

/// The words of a sentence that only asks to do the same again.
#[rustfmt::skip]
const RETRYING: &[&str] = &[
    "please", "can", "you", "try", "again", "retry", "it", "that", "now", "once", "more", "ok", "okay", "yes", "just", "and",
];

/// Turns of a prompt that only asks how far the work is, and words beside them.
#[rustfmt::skip]
const PROGRESS: [&[&str]; 2] = [
    &[
        " check the status ", " check status ", " check the progress ", " check progress ", " any progress ", " any update ",
        " any updates ", " is it done ", " are you done ", " how is it going ", " how's it going ",
    ],
    &["should", "shall", "we", "can", "could", "you", "let's", "please", "now", "ok", "so", "yet", "again", "on", "it", "this", "there", "is"],
];

/// True for a prompt that only asks how far the work is ("can we check the status?").
fn asks_for_progress(padded: &str) -> bool {
    let [turns, beside] = PROGRESS;
    turns.iter().any(|turn| {
        padded.contains(turn) && {
            let rest = padded.replacen(turn, " ", 1);
            rest.split_whitespace().all(|word| beside.contains(&word))
        }
    })
}

/// The words of a sentence that only stops the model, one of the first of which is in it.
const STOPPING: [&[&str]; 2] = [
    &["stop", "wait", "hold", "cancel", "abort"],
    &[
        "no", "nope", "on", "please", "now", "it", "that", "this", "hey", "oh",
    ],
];

/// True for a sentence that only stops the model ("No. stop.").
fn only_stops(padded: &str) -> bool {
    let [stops, beside] = STOPPING;
    let mut words = padded.split_whitespace();
    padded.split_whitespace().any(|word| stops.contains(&word))
        && words.all(|word| stops.contains(&word) || beside.contains(&word))
}

/// True for a short sentence that drives the model on and names nothing ("ok let's keep going").
pub(crate) fn only_drives(sentence: &str) -> bool {
    let padded = spaced(sentence);
    let names =
        sentence.contains(['`', '/', '@', '_']) || sentence.bytes().any(|b| b.is_ascii_digit());
    let mut words = padded.split_whitespace().peekable();
    let retries = words.peek().is_some() && words.all(|word| RETRYING.contains(&word));
    if retries || only_stops(&padded) || asks_for_progress(&padded) {
        return true;
    }
    !names
        && words::content_words(sentence).len() <= 4
        && DRIVING
            .iter()
            .any(|turn| padded.contains(&format!(" {turn} ")))
}

/// Commands of agents themselves that show or set something of theirs and ask for no work.
#[rustfmt::skip]
const OF_AGENTS: &[&str] = &[
    "/usage", "/cost", "/clear", "/help", "/model", "/config", "/status", "/login", "/logout", "/context", "/compact",
    "/resume", "/exit", "/quit", "/doctor", "/mcp", "/memory", "/permissions", "/agents", "/hooks", "/ide", "/vim", "/theme",
    "/export", "/rewind", "/plugin", "/statusline", "/stats", "/settings", "/new", "/undo", "/redo", "/tree", "/fork",
];

/// True for a command of the agent itself (`/usage`).
pub(crate) fn is_of_the_agent(sentence: &str) -> bool {
    OF_AGENTS.contains(&sentence.trim())
}

/// Agents to which another assistant tells the user to pass a prompt on.
const RECEIVERS: &[&str] = &[
    "claude",
    "codex",
    "cursor",
    "gemini",
    "copilot",
    "agent",
    "assistant",
];

/// How it hands the prompt over.
#[rustfmt::skip]
const HANDING: &[&str] = &[
    "here's the", "here's your", "here is the", "here is your", "the above prompt", "ready to send", "ready to paste",
    "copy paste ready", "you should send",
];

/// True for a sentence of another assistant's answer that the user passes on: it hands the user a prompt ("Here's the
/// Claude prompt you should send next"), or asks what to write next.
pub(crate) fn hands_over(sentence: &str) -> bool {
    let padded = spaced(sentence).replace('-', " ");
    let words = || padded.split_whitespace();
    let offers =
        padded.starts_with(" would you like me to ") || padded.starts_with(" do you want me to ");
    let is_prompt = words().any(|word| matches!(word, "prompt" | "prompts" | "paste"));
    offers
        || is_prompt
            && words().any(|word| RECEIVERS.contains(&word))
            && HANDING
                .iter()
                .any(|turn| padded.contains(&format!(" {turn} ")))
}

/// Beginnings of a sentence by which the user thinks aloud.
#[rustfmt::skip]
const ASIDES: &[&str] = &[
    "i feel like", "i hope", "ok i hope", "iiuc", "i suppose", "i guess", "uh", "haha", "lol", "wow", "hmm interesting",
];

/// Most content words of a guess that names nothing ("I think it's the linter").
const GUESS_WORDS: usize = 3;

/// True for a sentence by which the user only thinks aloud.
pub(crate) fn is_aside(sentence: &str) -> bool {
    let padded = spaced(sentence);
    let begins = |begin: &str| padded[1..].starts_with(&format!("{begin} "));
    let few = words::content_words(sentence).len() <= GUESS_WORDS;
    !wishes(sentence)
        && (ASIDES.iter().any(|begin| begins(begin))
            || few && (begins("i think") || begins("i reckon")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentences(text: &str) -> Vec<&str> {
        let all = prose::sentences_of(text, std::slice::from_ref(&(0..text.len())));
        let all = joined(text, all, |_| false);
        all.into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn a_sentence_that_leans_on_another_is_one_with_it() {
        let text =
            "This point about the rows is good, can you check it? And give me suggestions first?";
        assert_eq!(sentences(text), [text]);
        let text =
            "Can we make this a unit test of the reader? that tests it too and we can keep them";
        assert_eq!(sentences(text), [text]);
        let text = "Rename the reader of rows. Add a test for the old index.";
        assert_eq!(sentences(text).len(), 2);
    }

    #[test]
    fn another_assistant_hands_a_prompt_over() {
        for hands in [
            "Here's the exact prompt to feed Claude for the next step.",
            "Here's your ready-to-paste Markdown file for Claude.",
            "Would you like me to also write the tests?",
        ] {
            assert!(hands_over(hands), "{hands}");
        }
        for wish in [
            "Add a prompt that asks for the name of the file",
            "Give the agent a prompt that lists its tools",
            "Paste the rows into the table",
        ] {
            assert!(!hands_over(wish), "{wish}");
        }
    }

    #[test]
    fn questions_that_an_answer_settles_are_told_from_wishes() {
        for asks in [
            "where is the filter for short rows?",
            "Q: how do I run the script by hand?",
            "the script makes a new branch, yes?",
            "and who calls the old reader?",
            "are the rows sorted before that?",
            "vendored copy?",
            "what is the size of the old index now",
            "where is the filter",
            "on which rows does the reader work?",
            "any ideas for this?",
            "what should we call the other flag?",
            "here is a big log, tell me what is in it.",
            "here is a big log again, tell me what is in it.",
            "Please tell me how the rows are sorted.",
        ] {
            assert!(only_asks(asks), "{asks}");
        }
        for wishes in [
            "what about thinking levels?",
            "why don't we sort them first?",
            "why is the list still empty?",
            "should we use one table by default?",
            "is this supposed to be read twice?",
            "can you show where it is?",
            "run the tests?",
            "where is the filter, and fix it",
            "fix the filter and tell me what was wrong.",
            "tell me why the list is still empty.",
        ] {
            assert!(!only_asks(wishes), "{wishes}");
        }
    }

    #[test]
    fn the_user_thinks_aloud_without_a_wish() {
        assert!(is_aside("ok, i hope i haven't lost you by compacting"));
        assert!(is_aside("I think it's the linter"));
        assert!(!is_aside("I think we should rename the reader of rows"));
        assert!(!is_aside("I suspect a bug in the lookup of authors"));
    }

    #[test]
    fn driving_on_names_nothing() {
        assert!(only_drives("ok let's keep going"));
        assert!(only_drives("give me the list again"));
        assert!(!only_drives("continue with task 4"));
        assert!(!only_drives(
            "go on with the reader of rows and its old index tests"
        ));
    }
}
