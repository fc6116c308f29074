//! What the model says: choices, causes and states it found, and things it left to do.

use crate::candidate::{Registry, Standing, role_weight};
use crate::sentence::Sentence;
use crate::span::Part;
use crate::under::{
    FOUND, LEFT, OFFERED, PLANNED, PRAISED, items_below, items_under, looks_first, names_a_part,
    names_only_work, outermost,
};
use crate::words::sentence_key;
use crate::{asides, eastern, leaning, lists, prose, statements, task_states, words};
use palimpsest_core::ledger::{FactKind, TaskState};
use std::ops::Range;

/// How many ranks lighter a sentence is that describes rather than concludes.
const DESCRIBED: i32 = 2;

/// Content words of a sentence that only says that something was found.
const FOUND_WORDS: usize = 3;

/// The same of one that only declares how things are.
const DECLARED: i32 = 2;

/// How many ranks lighter a change is that the model reports or announces: the code shows it.
const REPORTED: i32 = 0;
const ANNOUNCED: i32 = 3;

/// The same of an item of a plan.
const INTENDED: i32 = 1;

/// The same of a choice that is only thought of.
const WEIGHED: i32 = 2;

/// The same of a rule that the model cites.
const CITED: i32 = 2;

/// The same of a thought that the next sentence takes back.
const TAKEN_BACK: i32 = 5;

/// The same of a choice that is recommended: where the user takes it, the user says so.
const RECOMMENDED: i32 = 2;

/// The same of an option that is only offered: nobody has chosen it.
const OFFERED_ONLY: i32 = 5;

/// Longest text of a fact for display, in bytes.
const MAX_TEXT_BYTES: usize = 400;

/// How the model says something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Voice {
    /// To the user.
    Aloud,
    /// To itself.
    Thought,
    /// In a text that it leaves with its work: the message of a commit, a reply to a comment, a
    /// document.
    Written,
}

/// A sentence of the model that tells something.
pub(crate) struct Saying {
    /// Where it stands in its text.
    range: Range<usize>,
    told: Told,
    /// Its content words.
    words: Vec<String>,
    /// What it leans on.
    lead: Option<String>,
}

impl Saying {
    /// What the sentence at `range` of `text` tells.
    pub(crate) fn new(text: &str, range: Range<usize>, told: Told) -> Saying {
        Saying {
            words: words::content_words(&text[range.clone()]),
            lead: None,
            range,
            told,
        }
    }
}

/// What a text of the model tells, sentence by sentence.
pub(crate) fn sayings(text: &str, voice: Voice) -> Vec<Saying> {
    let mut out = Vec::new();
    let mut left = items_under(text, LEFT);
    // What was done is not left, whatever it stands under.
    left.retain(|range| !statements::reports_change(&Sentence::of(&text[range.clone()])));
    let open = || Told {
        kind: FactKind::Todo,
        standing: standing_of(voice),
        lighter: 0,
    };
    for range in &left {
        out.push(Saying::new(text, range.clone(), open()));
    }
    for (range, state) in task_states::states(text) {
        if state == TaskState::Open && !within(&left, &range) {
            out.push(Saying::new(text, range.clone(), open()));
        }
        left.push(range);
    }
    let planned = outermost(text, items_under(text, PLANNED));
    let found = items_under(text, FOUND);
    let praised = items_under(text, PRAISED);
    let offered = items_below(text, |lead| OFFERED.iter().any(|cue| lead.contains(cue)));
    let mut told_here: Vec<Range<usize>> = Vec::new();
    let sentences = prose::sentences_of(text, &words::prose(text));
    for (nth, range) in sentences.iter().cloned().enumerate() {
        if within(&left, &range) || within(&praised, &range) {
            continue;
        }
        let sentence = &text[range.clone()];
        let before = text[..range.start].trim_end_matches(['`', '*', ' ']);
        // A heading names what follows. Cells of a table say nothing alone.
        let titled = asides::is_inventory(sentence) || asides::names_a_section(sentence);
        if before.ends_with('#') || sentence.starts_with('|') || titled {
            continue;
        }
        let is_planned = within(&planned, &range)
            && !looks_first(sentence)
            && !sentence.trim_end().ends_with('?')
            && (voice != Voice::Thought || !names_a_part(sentence));
        let told = judge(sentence, before.ends_with("[ ]"), voice).or_else(|| {
            if is_planned {
                return Some(Told {
                    kind: FactKind::Decision,
                    standing: Standing::Noticed,
                    lighter: INTENDED,
                });
            }
            let listed = voice == Voice::Aloud && within(&found, &range);
            listed.then_some(Told {
                kind: FactKind::Finding,
                standing: Standing::Noticed,
                lighter: 1,
            })
        });
        if let Some(mut told) = told {
            // Of what is offered, what is chosen is told again.
            if within(&offered, &range) || lists::names_only_option(sentence) {
                told.standing = Standing::Noticed;
                told.lighter += OFFERED_ONLY;
            }
            if voice == Voice::Thought {
                // What is weighed in thought is chosen aloud, and what is taken back at once was never so.
                let next = sentences.get(nth + 1).map(|next| &text[next.clone()]);
                let weighed = told.kind == FactKind::Decision;
                told.lighter += if next.is_some_and(asides::takes_back) {
                    TAKEN_BACK
                } else if weighed {
                    WEIGHED
                } else {
                    0
                };
            }
            told_here.push(range.clone());
            out.push(Saying::new(text, range, told));
        }
    }
    if voice == Voice::Aloud {
        told_here.extend(praised);
        told_here.extend(offered);
        told_here.extend(left);
        numbered(&mut out, text, &told_here);
        itemized(&mut out, text, &told_here);
    }
    for saying in &mut out {
        saying.lead = leaning::lead_of(text, &sentences, &saying.range);
    }
    out
}

/// Notes what a text tells. What was thought and then said in nearly the same words is one fact. What
/// was said firmly once stays so.
pub(crate) fn note(registry: &mut Registry, part: &Part<'_>, sayings: Vec<Saying>, voice: Voice) {
    for saying in sayings {
        note_one(registry, part, saying, voice);
    }
}

fn within(ranges: &[Range<usize>], inner: &Range<usize>) -> bool {
    ranges
        .iter()
        .any(|outer| outer.start <= inner.start && inner.end <= outer.end)
}

/// Longest list whose items are noticed one by one.
const MAX_ITEMS: usize = 25;

/// The numbered items of a list, a table or headings: the user may speak of them by number.
fn numbered(out: &mut Vec<Saying>, text: &str, told: &[Range<usize>]) {
    let items = lists::items(text);
    if !(2..=MAX_ITEMS).contains(&items.len()) {
        return;
    }
    for item in items {
        let counted = item.label.bytes().any(|b| b.is_ascii_digit());
        let known = told
            .iter()
            .any(|range| range.start < item.range.end && item.range.start < range.end);
        if counted
            && !known
            && !names_only_work(&text[item.range.clone()])
            && !asides::is_inventory(&text[item.range.clone()])
            && !asides::tells_nothing(&Sentence::of(&text[item.range.clone()]))
            && words::content_words(&text[item.range.clone()]).len() >= 3
        {
            let told = Told {
                kind: FactKind::Finding,
                standing: Standing::Noticed,
                lighter: 1,
            };
            out.push(Saying::new(text, item.range, told));
        }
    }
}

/// Most items and rows without a number that are noticed of one text.
const MAX_ITEMIZED: usize = 40;

/// Fewest content words of such an item.
const ITEM_WORDS: usize = 3;

/// The items of lists without numbers and the rows of tables: what a report tells stands there.
fn itemized(out: &mut Vec<Saying>, text: &str, told: &[Range<usize>]) {
    // What has a number or a letter is noticed with it.
    let labelled = lists::items(text);
    for range in lists::bullets(text).into_iter().take(MAX_ITEMIZED) {
        let item = &text[range.clone()];
        let meets = |other: &Range<usize>| other.start < range.end && range.start < other.end;
        let known = told.iter().any(meets) || labelled.iter().any(|item| meets(&item.range));
        if known
            || names_only_work(item)
            || asides::is_inventory(item)
            || asides::tells_nothing(&Sentence::of(item))
            || item.trim_end().ends_with('?')
            || words::content_words(item).len() < ITEM_WORDS
        {
            continue;
        }
        let told = Told {
            kind: FactKind::Finding,
            standing: Standing::Noticed,
            lighter: DECLARED,
        };
        out.push(Saying::new(text, range, told));
    }
}

/// True for a line that tells which step comes now ("Now WP4: Prompting", "Next is step 3: rows").
fn is_progress(sentence: &str) -> bool {
    let lower = sentence.trim_start_matches(['#', '*', ' ']).to_lowercase();
    let rest = [
        "now ",
        "next is ",
        "next up: ",
        "next: ",
        "next ",
        "moving on to ",
        "on to ",
        "starting ",
    ]
    .iter()
    .find_map(|begin| lower.strip_prefix(begin));
    rest.and_then(|rest| rest.split_once(':'))
        .is_some_and(|(name, what)| {
            name.len() <= 12
                && name.ends_with(|c: char| c.is_ascii_digit())
                && words::content_words(what).len() >= 2
        })
}

/// What a sentence tells, how surely, and how many ranks lighter that is.
pub(crate) struct Told {
    pub kind: FactKind,
    pub standing: Standing,
    pub lighter: i32,
}

/// What is only thought is told again when it matters.
fn standing_of(voice: Voice) -> Standing {
    match voice {
        Voice::Aloud => Standing::Said,
        Voice::Thought | Voice::Written => Standing::Noticed,
    }
}

/// A sentence without what stands in backticks and double quotes; `None` where nothing does.
fn without_quotes(sentence: &str) -> Option<String> {
    let mut out = String::new();
    let mut rest = sentence;
    while let Some(at) = rest.find(['`', '"']) {
        let quote = &rest[at..=at];
        let Some(end) = rest[at + 1..].find(quote) else {
            break;
        };
        out.push_str(&rest[..at]);
        out.push(' ');
        rest = &rest[at + end + 2..];
    }
    (rest.len() < sentence.len()).then(|| out + rest)
}

/// How a model begins in front of what it says ("Looking at the output, `rows` is sorted").
#[rustfmt::skip]
const LEADING: &[&str] = &[
    "looking at", "wait", "ok", "okay", "hmm", "so", "actually", "oh", "ah", "right", "interesting", "now", "good",
    "from the output", "based on", "according to", "reading", "after reading",
];

/// A sentence behind such a beginning.
fn behind_lead(sentence: &str) -> &str {
    let Some((lead, rest)) = sentence.split_once(", ") else {
        return sentence;
    };
    let lower = lead.to_lowercase();
    let leads = LEADING.iter().any(|word| {
        lower
            .strip_prefix(word)
            .is_some_and(|more| more.is_empty() || more.starts_with(' '))
    });
    if leads && lead.split_whitespace().count() <= 6 && rest.split_whitespace().count() >= 5 {
        rest
    } else {
        sentence
    }
}

/// Judges a sentence of the model.
pub(crate) fn judge(sentence: &str, is_open_task: bool, voice: Voice) -> Option<Told> {
    let sentence = behind_lead(sentence);
    let told = |kind, standing, lighter| {
        Some(Told {
            kind,
            standing,
            lighter,
        })
    };
    let aloud = standing_of(voice);
    if is_open_task {
        return told(FactKind::Todo, aloud, 0);
    }
    let whole = Sentence::of(sentence);
    if asides::tells_nothing(&whole) {
        return None;
    }
    if is_progress(sentence) {
        return told(FactKind::Todo, aloud, DESCRIBED);
    }
    // What leads up to a list says nothing by itself.
    let leads = sentence.trim_end_matches(['*', ' ']).ends_with(':');
    let chooses = || !leads && !statements::narrates(&whole) && prose::decides(whole.spaced());
    if eastern::looks(sentence) {
        return None;
    }
    if statements::announces_change(&whole) && !chooses() || eastern::announces(sentence) {
        // What is only thought of doing is done at once, or not at all, and "let me" leads up to a call
        // that shows it: of eleven such sentences in the drawn stretches people name three.
        if voice == Voice::Thought || statements::narrates(&whole) {
            return None;
        }
        return told(FactKind::Decision, Standing::Noticed, ANNOUNCED);
    }
    if leads
        && (sentence.split_whitespace().count() <= 8
            || !whole.names_code()
            || asides::offers(&whole))
        || prose::announces(sentence)
        || prose::is_plan(&whole)
    {
        return None;
    }
    // What the user wants is said by the user; what the user did in the files is found out.
    let padded = whole.spaced();
    if statements::reports_users_change(padded) {
        return told(FactKind::Finding, aloud, DESCRIBED);
    }
    if prose::cites_a_rule(padded) {
        return told(FactKind::Constraint, Standing::Noticed, CITED);
    }
    if asides::repeats_user_or_apologizes(padded) {
        return None;
    }
    // What is quoted is said by another: code, a label, a reply.
    let without_quotes = without_quotes(sentence);
    let unquoted = without_quotes.as_deref().map(Sentence::of);
    let own = unquoted.as_ref().unwrap_or(&whole);
    let guesses = prose::guesses(own);
    // What is traced or guessed in thought is said aloud where it is so.
    let firm = prose::is_firm(own);
    if voice == Voice::Thought && (guesses || sentence.contains('→') && !firm) {
        return None;
    }
    let aloud = if guesses { Standing::Noticed } else { aloud };
    let lighter = if firm { 0 } else { DESCRIBED };
    if prose::leaves_to_do(own.spaced()) && voice != Voice::Thought {
        told(FactKind::Todo, aloud, 0)
    } else if !firm && prose::observes(own.spaced()) {
        told(FactKind::Finding, aloud, 1)
    } else if prose::decides(own.spaced()) {
        let proposed = prose::recommends(own.spaced());
        let lighter = lighter + if proposed { RECOMMENDED } else { 0 };
        let comments = asides::comments_on_choice(sentence);
        let standing = if comments { Standing::Noticed } else { aloud };
        told(FactKind::Decision, standing, lighter)
    } else if firm && prose::finds(&whole) {
        // "I found the rows": what was found comes next.
        let says = own.content_words() > FOUND_WORDS || whole.names_code();
        if says {
            told(FactKind::Finding, aloud, 0)
        } else {
            None
        }
    } else if statements::reports_change(&whole) && !statements::goes_on(&whole) {
        told(FactKind::Decision, Standing::Noticed, REPORTED)
    } else if prose::finds(&whole) || statements::states(&whole) {
        let only_thought = voice == Voice::Thought;
        told(
            FactKind::Finding,
            Standing::Noticed,
            1 + i32::from(only_thought),
        )
    } else if statements::declares(&whole)
        && !names_only_work(sentence)
        && (voice != Voice::Thought || whole.names_code() || statements::tells_why(padded))
    {
        told(FactKind::Finding, Standing::Noticed, DECLARED)
    } else {
        None
    }
}

/// True for kinds between which nothing but the wording decides. What is thought is told again when it
/// matters, and then it is of that kind.
fn is_one(known: FactKind, told: &Told) -> bool {
    let wording = |kind| matches!(kind, FactKind::Decision | FactKind::Finding);
    let saying = |kind| wording(kind) || kind == FactKind::Todo;
    known == told.kind && saying(known)
        || wording(known) && wording(told.kind)
        || told.standing == Standing::Noticed && saying(known) && saying(told.kind)
}

fn note_one(registry: &mut Registry, part: &Part<'_>, saying: Saying, voice: Voice) {
    let Saying {
        range,
        told,
        words,
        lead,
    } = saying;
    let sentence = &part.text[range.clone()];
    let index = match registry.said_before(part.item, &words) {
        Some(index) if is_one(registry.facts[index].kind, &told) => {
            registry.reword(index, sentence);
            // What was thought is shown in the words in which it is said.
            let fact = &mut registry.facts[index];
            if fact.said == 0 && voice == Voice::Aloud {
                fact.text = words::one_line(sentence, MAX_TEXT_BYTES);
                fact.kind = told.kind;
                fact.lead = lead.clone();
            }
            index
        }
        _ => registry.note(told.kind, sentence_key(sentence), sentence),
    };
    let known = registry.facts[index].count > 0;
    if !known {
        registry.remember(index, part.item, words);
    }
    registry.place(index, part, range, role_weight::EDIT, told.standing);
    let fact = &mut registry.facts[index];
    fact.lighter = if known {
        fact.lighter.min(told.lighter)
    } else {
        told.lighter
    };
    if !known {
        fact.lead = lead;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::span::PartKind;

    fn told(sentence: &str, voice: Voice) -> Option<(FactKind, Standing)> {
        judge(sentence, false, voice).map(|told| (told.kind, told.standing))
    }

    /// What one block of an assistant's message tells.
    fn block(text: &str, kind: PartKind, voice: Voice) -> Registry {
        let part = Part {
            item: 0,
            entry: palimpsest_core::EntryIx::new(0),
            message: 0,
            block: 0,
            kind,
            text,
            base: 0,
            tool: None,
            call_id: None,
            is_error: false,
        };
        let mut registry = Registry::default();
        note(&mut registry, &part, sayings(text, voice), voice);
        registry
    }

    #[test]
    fn sentences_of_the_model_are_judged() {
        let (said, noticed) = (Standing::Said, Standing::Noticed);
        for (sentence, voice, expected) in [
            (
                "The cause is that `load` reads the old table.",
                Voice::Aloud,
                Some((FactKind::Finding, said)),
            ),
            (
                "The cause is that `load` reads the old table.",
                Voice::Thought,
                Some((FactKind::Finding, noticed)),
            ),
            (
                "Now move `load_tree` out of the loop:",
                Voice::Aloud,
                Some((FactKind::Decision, noticed)),
            ),
            (
                "Now let me move `load_tree` out of the loop:",
                Voice::Aloud,
                None,
            ),
            (
                "I'd lean toward a queue, it is bounded.",
                Voice::Aloud,
                Some((FactKind::Decision, said)),
            ),
            (
                "Now step 3: Sort the rows. Let me add it:",
                Voice::Aloud,
                Some((FactKind::Todo, said)),
            ),
            (
                "`load_rows` returns the text \"sorting is not yet implemented\".",
                Voice::Aloud,
                Some((FactKind::Finding, noticed)),
            ),
            ("Let me look at the rows again.", Voice::Thought, None),
            ("All tests pass.", Voice::Aloud, None),
            (
                "Now let me move `load_tree` out of the loop:",
                Voice::Thought,
                None,
            ),
            (
                "This is likely because `load` reads the old table.",
                Voice::Aloud,
                Some((FactKind::Finding, noticed)),
            ),
            (
                "The issue might be that `load` reads the old table.",
                Voice::Thought,
                None,
            ),
            (
                "The simplest fix for all of these rows is to either:",
                Voice::Aloud,
                None,
            ),
            (
                "The name of the row is being returned instead of its text in `rows`.",
                Voice::Aloud,
                Some((FactKind::Finding, said)),
            ),
            (
                "To show names instead of `row_id` in all lists, we'd need to either:",
                Voice::Aloud,
                None,
            ),
        ] {
            assert_eq!(told(sentence, voice), expected, "for {sentence}");
        }
    }

    #[test]
    fn what_was_thought_and_then_said_is_one_fact() {
        let part = |item, kind, text| Part {
            item,
            entry: palimpsest_core::EntryIx::new(item),
            message: 0,
            block: 0,
            kind,
            text,
            base: 0,
            tool: None,
            call_id: None,
            is_error: false,
        };
        let mut registry = Registry::default();
        let thought = part(
            0,
            PartKind::Thinking,
            "The cause is that `load` reads the old table.",
        );
        let thoughts = sayings(thought.text, Voice::Thought);
        note(&mut registry, &thought, thoughts, Voice::Thought);
        let said = part(
            1,
            PartKind::AssistantText,
            "Found it: `load` reads the old table, that is the cause.",
        );
        let words = sayings(said.text, Voice::Aloud);
        note(&mut registry, &said, words, Voice::Aloud);
        assert_eq!(registry.facts.len(), 1);
        assert_eq!(registry.facts[0].standing, Standing::Said);
        assert_eq!(registry.facts[0].count, 2);
    }

    #[test]
    fn what_is_praised_or_only_names_work_is_no_fact() {
        let text = "### What's Working Well\n\n1. **Rows** - each reader takes its own table\n2. `load_rows` uses \
                    one table for all\n\n### Done\n\n1. Task 1: Reader types in `rows.rs`\n2. Readers of the old \
                    index fail on empty rows\n";
        let registry = block(text, PartKind::AssistantText, Voice::Aloud);
        let found: Vec<_> = registry
            .facts
            .iter()
            .map(|fact| fact.text.as_str())
            .collect();
        assert_eq!(found, ["Readers of the old index fail on empty rows"]);
    }

    #[test]
    fn what_accompanies_the_work_is_no_fact() {
        let text = "I found the rows.\n\nThe readers are well-structured and handle both tables.\n\nI need to move \
                    `load_rows` out of the loop.\n\nTests of this folder:\n- row_test.rs - helpers and fixtures for \
                    rows\n- `make rows` - unit tests of all readers\n- `load_rows` reads the old table\n";
        let registry = block(text, PartKind::AssistantText, Voice::Aloud);
        let found: Vec<_> = registry
            .facts
            .iter()
            .map(|fact| (fact.kind, fact.text.as_str()))
            .collect();
        assert_eq!(
            found,
            [
                (
                    FactKind::Decision,
                    "I need to move `load_rows` out of the loop."
                ),
                (FactKind::Finding, "`load_rows` reads the old table"),
            ]
        );
    }

    #[test]
    fn items_of_a_plan_were_chosen() {
        let text = "So I should:\n1. Modify the reader to take both forms\n   - old rows of one table\n2. Check the old rows again\n\n\
                    What should I do?\n1. Drop the old rows at once\n2. Leave the old rows alone\n";
        let registry = block(text, PartKind::Thinking, Voice::Thought);
        let found: Vec<_> = registry
            .facts
            .iter()
            .map(|fact| (fact.kind, fact.text.as_str()))
            .collect();
        assert_eq!(
            found[0],
            (FactKind::Decision, "Modify the reader to take both forms")
        );
        let has = |start: &str| found.iter().any(|(_, text)| text.starts_with(start));
        assert!(!has("Check") && !has("old rows"));
    }

    #[test]
    fn items_that_the_user_may_speak_of_are_noticed() {
        let text = "The key issues are:\n\n1. Rows that should be read once\n2. Functions that take the old index\n\nOne more line.";
        let registry = block(text, PartKind::AssistantText, Voice::Aloud);
        let found: Vec<_> = registry
            .facts
            .iter()
            .map(|fact| fact.text.as_str())
            .collect();
        assert_eq!(
            found,
            [
                "Rows that should be read once",
                "Functions that take the old index"
            ]
        );
        assert!(
            registry
                .facts
                .iter()
                .all(|fact| fact.standing == Standing::Noticed)
        );
    }
}
