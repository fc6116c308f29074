//! Lists, tables and questions that a model puts before the user, and what the user's answer
//! picks of them.

use crate::{prose, task_lists, words};
use palimpsest_core::ledger::TaskState;
use std::ops::Range;

/// Longest text taken as an item, in bytes.
const MAX_ITEM_BYTES: usize = 300;

/// An item of a list or a row of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Item {
    /// Its number or letter, in lower case.
    pub label: String,
    /// Its text, without the label.
    pub range: Range<usize>,
}

/// The labelled items of a text: `3. x`, `3) x`, `**3. x**`, `#3 x`, `B) x`, `**Option B**: x`, and
/// rows of tables whose first cell is a label. Code is left out.
pub(crate) fn items(text: &str) -> Vec<Item> {
    let mut out = Vec::new();
    for prose in words::prose(text) {
        for line in words::lines(&text[prose.clone()]) {
            let line = prose.start + line.start..prose.start + line.end;
            if let Some((label, at)) = label(&text[line.clone()]) {
                let start = line.start + at;
                let inner = text[start..line.end].trim_end_matches(['|', ' ', '*']);
                let skipped = inner.len()
                    - inner
                        .trim_start_matches([' ', '*', '|', ':', '-', '–', '—', ')', '.'])
                        .len();
                let end = words::floor_boundary(
                    text,
                    (start + inner.len()).min(start + skipped + MAX_ITEM_BYTES),
                );
                let range = start + skipped..end.max(start + skipped);
                let lettered = label.bytes().all(|b| b.is_ascii_alphabetic());
                let least = if lettered { 1 } else { 2 };
                if words::content_words(&text[range.clone()]).len() >= least {
                    out.push(Item { label, range });
                }
            }
        }
    }
    out
}

/// Words of a line over a list of what somebody may do with the result.
#[rustfmt::skip]
const INSTRUCTING: &[&str] = &[
    "install", "how to", "usage", "to run", "to use", "to test", "to start", "prerequisite", "getting started",
    "you can", "try ", "example", "features", "commands", "source", "reference", "links", "would you", "shall i",
    "want me", "do you", "?",
];

/// Longest line over a list, in bytes.
const MAX_LEAD_BYTES: usize = 160;

/// The items of lists without numbers that stand no deeper than the first, and the telling cells of the
/// rows of tables, below their heads; without those under a line that says how to do something.
pub(crate) fn bullets(text: &str) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut instructs = false;
    let mut depth = None;
    for prose in words::prose(text) {
        let lines: Vec<Range<usize>> = words::lines(&text[prose.clone()])
            .map(|line| prose.start + line.start..prose.start + line.end)
            .collect();
        for (at, line) in lines.iter().enumerate() {
            let whole = &text[line.clone()];
            let content = whole.trim();
            let is_bullet = ["- ", "* ", "• "]
                .iter()
                .any(|mark| content.starts_with(mark));
            if content.starts_with('|') {
                let rule = |line: &str| line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '));
                let is_head = lines.get(at + 1).is_some_and(|next| {
                    let next = text[next.clone()].trim();
                    next.len() > 2 && rule(next)
                });
                if !is_head && !rule(content) && !instructs {
                    out.extend(telling_cell(content).map(|cell| {
                        let start = cell.as_ptr() as usize - text.as_ptr() as usize;
                        start..start + cell.len()
                    }));
                }
            } else if is_bullet {
                let own = whole.len() - whole.trim_start().len();
                if own <= *depth.get_or_insert(own) && !instructs {
                    let range = words::trim(text, line.clone());
                    let end =
                        words::floor_boundary(text, range.end.min(range.start + MAX_ITEM_BYTES));
                    out.push(range.start..end);
                }
            } else if !content.is_empty() {
                depth = None;
                let lower = content.to_lowercase();
                let leads = content.ends_with([':', '*'])
                    || content.starts_with('#')
                    || content.ends_with('?');
                instructs = leads
                    && content.len() <= MAX_LEAD_BYTES
                    && INSTRUCTING.iter().any(|word| lower.contains(word));
            }
        }
    }
    out
}

/// The cell of a row that says most.
fn telling_cell(row: &str) -> Option<&str> {
    let cells = row.trim_matches('|').split('|').map(str::trim);
    cells
        .filter(|cell| words::content_words(cell).len() >= 3)
        .max_by_key(|cell| cell.len())
}

/// The telling cell of a row in a table one of whose cells says how far it is (`⏳ Pending`, `TODO`),
/// and that state.
pub(crate) fn row_with_state(line: &str) -> Option<(&str, TaskState)> {
    let inner = line.trim().strip_prefix('|')?.strip_suffix('|')?;
    let cells: Vec<&str> = inner.split('|').map(str::trim).collect();
    let state = cells.iter().rev().find_map(|cell| {
        let bare = cell.trim_matches(['*', '`', ' ']);
        let (sign, word) = match task_lists::signed(bare) {
            Some((state, word)) => (Some(state), word),
            None => (None, bare),
        };
        if word.is_empty() {
            return sign;
        }
        let named = task_lists::state_named(word).filter(|_| word.len() > 1);
        named.or(sign.filter(|_| word.split_whitespace().count() <= 2))
    })?;
    let telling = cells
        .into_iter()
        .filter(|cell| words::content_words(cell).len() >= 2)
        .max_by_key(|cell| cell.len())?;
    Some((telling, state))
}

/// Words in front of a label.
const NAMED: &[&str] = &[
    "Option ",
    "Phase ",
    "Task ",
    "Step ",
    "Issue ",
    "Item ",
    "Finding ",
    "Fix ",
    "Bug ",
    "Problem ",
    "Comment ",
    "Priority ",
];

/// True for one to three capitals (`P`, `WP`).
fn is_code(name: &str) -> bool {
    (1..=3).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_uppercase())
}

/// The label a line begins with, in lower case, and where the text behind it begins.
fn label(line: &str) -> Option<(String, usize)> {
    let body = line.trim_start_matches([' ', '\t', '-', '*', '|', '#', '(', '>']);
    let at = line.len() - body.len();
    let in_table = line.trim_start().starts_with('|');
    let named = NAMED.iter().find_map(|name| body.strip_prefix(name));
    let (word, skipped) = match named {
        Some(rest) => (rest, body.len() - rest.len()),
        None => (body, 0),
    };
    let len = word
        .find(|c: char| !c.is_ascii_alphanumeric())
        .unwrap_or(word.len());
    let name = &word[..len];
    let rest = &word[len..];
    let numbered = !name.is_empty() && name.len() <= 3 && name.bytes().all(|b| b.is_ascii_digit());
    let lettered = name.len() == 1 && name.bytes().all(|b| b.is_ascii_uppercase());
    // `P2`, `WP13`, `F-4`, `3a`.
    let (name, rest) = match rest.strip_prefix('-') {
        Some(more) if is_code(name) && more.starts_with(|c: char| c.is_ascii_digit()) => {
            let len = more.bytes().take_while(u8::is_ascii_digit).count();
            word.split_at(name.len() + 1 + len)
        }
        _ => (name, rest),
    };
    let len = name.len();
    let digits = name.bytes().filter(u8::is_ascii_digit).count();
    let letters = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let coded = (1..=3).contains(&digits)
        && (is_code(letters.trim_end_matches('-')) && letters.len() < len
            || (digits + 1 == len && name.ends_with(|c: char| c.is_ascii_lowercase())));
    if !numbered && !lettered && !coded {
        return None;
    }
    let closed = rest.starts_with(['.', ')']) && rest[1..].starts_with([' ', '*'])
        || rest.starts_with("**")
        || (coded
            && [": ", " - ", " – ", " — "]
                .iter()
                .any(|mark| rest.starts_with(mark)))
        || (skipped > 0 && rest.starts_with([':', ' ', '-']))
        || (in_table && rest.trim_start().starts_with('|'))
        || (line.trim_start().starts_with('#')
            && skipped == 0
            && numbered
            && rest.starts_with([' ', ':']));
    closed.then(|| {
        (
            name.to_ascii_lowercase(),
            at + skipped + len + usize::from(!in_table),
        )
    })
}

/// What of a list a prompt picks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Picked {
    /// It does not speak of the list.
    Nothing,
    /// It goes through the numbered items; those with these labels it wants, all where there are none.
    Numbers(Vec<String>),
    /// It chooses the options with these letters.
    Options(Vec<String>),
}

/// Words of a prompt that lead up to a label.
#[rustfmt::skip]
const BEFORE_LABELS: &[&str] = &[
    "", "address", "also", "and", "are", "as", "at", "besides", "but", "by", "do", "drop", "except", "fix", "for",
    "from", "go", "handle", "implement", "in", "is", "item", "items", "just", "leave", "let's", "like", "make",
    "no", "not", "number", "numbers", "of", "on", "only", "option", "options", "or", "pick", "point", "prefer",
    "skip", "start", "tackle", "take", "task", "than", "that", "the", "then", "through", "till", "to", "try",
    "until", "use", "with", "yes",
];

/// Words by which a prompt leaves items of a list out or goes through them in another order: it speaks of the whole list.
#[rustfmt::skip]
const LEAVING: &[&str] = &[
    "skip", "except", "besides", "not", "don't", "drop", "leave", "but", "ignore", "without", "no", "then", "first",
];

/// What `prompt` picks from a list with these labels: by number ("skip 5 and 7", "#3"), by
/// letter ("C)", "option b"), or as a whole ("fix them all", "both", "the rest") where the list is
/// what the user answers.
pub(crate) fn picks(prompt: &str, labels: &[&str], is_answer: bool) -> Picked {
    if labels.len() < 2 || prompt.len() > 1200 {
        return Picked::Nothing;
    }
    let spoken: Vec<(String, bool)> = prompt
        .split_whitespace()
        .flat_map(|word| word.split([',', '/', '+', '&']))
        .map(|word| {
            let marked = word.starts_with('#') || word.ends_with([')', '.']) || prompt.len() < 12;
            let bare = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
            (bare.to_owned(), marked)
        })
        .collect();
    // A list of the user's own, or an item the user copies with its text, picks nothing.
    if items(prompt).iter().any(|item| item.range.len() > 12) {
        return Picked::Nothing;
    }
    let mut numbers = Vec::new();
    let mut letters = Vec::new();
    let mut enumerates = false;
    for (at, (word, marked)) in spoken.iter().enumerate() {
        let lower = word.to_ascii_lowercase();
        if !labels.contains(&lower.as_str()) {
            continue;
        }
        let after_option = at > 0
            && matches!(
                spoken[at - 1].0.to_ascii_lowercase().as_str(),
                "option" | "options" | "item" | "number" | "do" | "fix" | "skip"
            );
        let led = |list: &[&str]| {
            at > 0 && list.contains(&spoken[at - 1].0.to_ascii_lowercase().as_str())
        };
        // A figure in an output that the user shows picks nothing, and "set rows to 1" picks from no list
        // that stands further up.
        let spoken_of = at == 0
            || *marked
            || after_option
            || is_answer && (led(labels) || led(BEFORE_LABELS))
            || enumerates && (led(labels) || led(&["", "and", "or"]));
        if !spoken_of {
            continue;
        }
        // "Do 1 (with the cache), 2, and 5": what is listed behind the first is picked as well.
        enumerates |= after_option;
        let is_letter = word.len() == 1 && word.bytes().all(|b| b.is_ascii_alphabetic());
        if !is_letter {
            numbers.push(lower);
        } else if after_option && lower != "a" && lower != "i"
            || (after_option || *marked) && word.bytes().all(|b| b.is_ascii_uppercase())
        {
            // "do a review" picks nothing.
            letters.push(lower);
        }
    }
    let whole = is_answer
        && prompt.len() <= 160
        && spoken.iter().any(|(word, _)| {
            matches!(
                word.to_ascii_lowercase().as_str(),
                "all" | "both" | "rest" | "everything" | "others" | "remaining"
            )
        });
    if !letters.is_empty() {
        Picked::Options(letters)
    } else if !numbers.is_empty() || whole {
        // What is skipped is chosen as well, and the rest is wanted.
        let mut words = spoken.iter().map(|(word, _)| word.to_ascii_lowercase());
        if whole || words.any(|word| LEAVING.contains(&word.as_str())) {
            numbers.clear();
        }
        Picked::Numbers(numbers)
    } else {
        Picked::Nothing
    }
}

/// True for a sentence that names an option by its letter or number alone ("I'd suggest B for now"): what it is stands
/// in the list.
pub(crate) fn names_only_option(sentence: &str) -> bool {
    let words: Vec<&str> = sentence
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_ascii_alphanumeric()))
        .collect();
    let is_letter = |word: &&&str| word.len() == 1 && matches!(word.as_bytes()[0], b'A'..=b'H');
    let by_number = words.windows(2).any(|pair| {
        matches!(
            pair[0].to_ascii_lowercase().as_str(),
            "option" | "approach" | "alternative"
        ) && pair[1].len() <= 2
    });
    let first_is_article = words.first().is_some_and(|word| *word == "A");
    let letters = words
        .iter()
        .skip(usize::from(first_is_article))
        .filter(is_letter)
        .count();
    (letters > 0 || by_number)
        && words::content_words(sentence).len() <= 9
        && !sentence.contains('`')
}

/// Fewest content words of a question that says by itself what it asks about.
const TELLING_QUESTION: usize = 4;

/// Longest sentence that is shown in front of a question that does not, in bytes.
const BEFORE_QUESTION: usize = 160;

/// The last question of a text of the model; without one its last sentence, unless it only leads up to a call. A
/// question that says little ("Want me to fix this?") is given with the sentence before it.
pub(crate) fn question(text: &str) -> Option<&str> {
    let all = prose::sentences_of(text, &words::prose(text));
    let ends = |range: &Range<usize>| {
        text[range.clone()]
            .trim_end_matches(['*', ')'])
            .ends_with('?')
    };
    let at = match all.iter().rposition(ends) {
        Some(at) => at,
        None => {
            let last = all.len().checked_sub(1)?;
            let leads = text[all[last].clone()].trim_end().ends_with(':');
            (!leads).then_some(last)?
        }
    };
    let own = all[at].clone();
    let says_little = words::content_words(&text[own.clone()]).len() < TELLING_QUESTION;
    let before = at.checked_sub(1).map(|at| all[at].clone());
    let before = before.filter(|before| {
        says_little
            && own.start - before.end <= 3
            && before.len() <= BEFORE_QUESTION
            && !text[before.clone()].starts_with('|')
    });
    let start = before.map_or(own.start, |before| before.start);
    Some(&text[start..own.end])
}

/// Turns by which a model leaves the next step to the user without a question mark.
#[rustfmt::skip]
const OFFERING: &[&str] = &[
    " let me know ", " if you'd like ", " if you want ", " if you would like ", " want me to ", " would you like ",
    " tell me ", " say the word ", " your call ", " up to you ", " please confirm ", " waiting for you ", " ready when you ",
    " shall i ", " should i ", " reply with ", " you pick ", " you choose ", " please pick ", " please choose ",
    " two ways ", " two options ",
];

/// True for a sentence that offers a next step or asks to be told.
pub(crate) fn offers(sentence: &str) -> bool {
    let padded = prose::spaced(sentence);
    OFFERING.iter().any(|turn| padded.contains(turn))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<(String, &str)> {
        items(text)
            .into_iter()
            .map(|item| (item.label, &text[item.range]))
            .collect()
    }

    #[test]
    fn items_and_rows_have_labels() {
        let list = "Two things:\n1. **Missing check** of `a`\n  2) close the reader\n\n**A) Keep the file** as it is\n- **Option B**: drop old rows\n\
                    | # | what |\n|---|---|\n| 7 | wrapper is not needed |\n```\n9. code is none\n```";
        assert_eq!(
            texts(list),
            [
                ("1".to_owned(), "Missing check** of `a`"),
                ("2".to_owned(), "close the reader"),
                ("a".to_owned(), "Keep the file** as it is"),
                ("b".to_owned(), "drop old rows"),
                ("7".to_owned(), "wrapper is not needed"),
            ]
        );
    }

    #[test]
    fn labels_may_be_codes() {
        let list = "P2: close the reader at the end\n- **WP13** cover the empty file\n\
                    | F-4 | wrapper is not needed |\nPhase 1: read both forms\n3a) sort the rows again\n\
                    E2E tests are slow here\nA note on rows";
        assert_eq!(
            texts(list),
            [
                ("p2".to_owned(), "close the reader at the end"),
                ("wp13".to_owned(), "cover the empty file"),
                ("f-4".to_owned(), "wrapper is not needed"),
                ("1".to_owned(), "read both forms"),
                ("3a".to_owned(), "sort the rows again"),
            ]
        );
    }

    #[test]
    fn answers_pick_from_a_list() {
        let labels = ["1", "2", "3", "a", "b"];
        for (prompt, picked) in [
            ("skip 1, 2 and do the rest", true),
            ("let's go with #2 please", true),
            ("B)", true),
            ("fix them all", true),
            ("option b is fine", true),
            ("a test is missing", false),
            ("why is it slow?", false),
            ("wait 20 s", false),
            ("I see: 2026-01-06-cf5  1  add a licence", false),
            ("yes, do 1", true),
        ] {
            let found = picks(prompt, &labels, true) != Picked::Nothing;
            assert_eq!(found, picked, "for {prompt}");
        }
        assert_eq!(
            picks("B)", &labels, true),
            Picked::Options(vec!["b".to_owned()])
        );
        let numbers_of = |prompt: &str, is_answer| match picks(prompt, &labels, is_answer) {
            Picked::Numbers(numbers) => numbers.join(" "),
            other => format!("{other:?}"),
        };
        let numbers = |prompt: &str| numbers_of(prompt, true);
        assert_eq!(numbers("yes, do 1"), "1");
        assert_eq!(
            numbers_of("do 1 (with the cache), 2, and 3.", false),
            "1 2 3"
        );
        assert_eq!(numbers_of("do 1 and set the limit to 3", false), "1");
        // What is left out is chosen as well.
        assert_eq!(numbers("skip 1, 2 and do the rest"), "");
        assert_eq!(picks("fix them all", &labels, false), Picked::Nothing);
        assert_eq!(
            picks("set the rows to 1 there", &labels, false),
            Picked::Nothing
        );
        assert_ne!(picks("let's fix 3 too", &labels, false), Picked::Nothing);
        assert_eq!(
            picks("1. rename the reader\n2. push the branch", &labels, true),
            Picked::Nothing
        );
    }

    #[test]
    fn the_question_is_what_a_short_answer_answers() {
        assert_eq!(
            question("It is done. Shall I push the branch?\n\nThe tests pass."),
            Some("Shall I push the branch?")
        );
        assert_eq!(question("The tests pass now."), Some("The tests pass now."));
        // What the question points at is asked about, and a line that leads up to a call asks nothing.
        let text = "The reader drops rows. Want me to fix this?";
        assert_eq!(question(text), Some(text));
        assert_eq!(question("Let me look at the reader of old rows:"), None);
    }
}
