//! What goes under which heading, and how much it weighs.

use crate::offline::extractive::input::ExtractiveInput;
use crate::offline::extractive::page;
use crate::offline::extractive::page::Item;
use crate::offline::extractive::previous::{Previous, Slot};
use crate::offline::extractive::relevance::Focus;
use crate::offline::extractive::story::{Story, Turn};
use crate::vocabulary::call::Purpose;
use palimpsest_core::ledger::FactKind;
use palimpsest_ledger::extract::Candidate;
use palimpsest_ledger::{commands, pasted, prose, words};
use std::collections::HashSet;

/// Longest quotation in UTF-16 units, for one sentence and for a whole request.
// Our choice, without a measurement: about 70 and 150 tokens by pi's estimate.
const SENTENCE_UNITS: u64 = 280;
const REQUEST_UNITS: u64 = 600;

/// Most items taken per heading and source, before the budget chooses among them.
// 60 quotations of 280 units are 4,200 tokens, twice the usual budget of a whole summary.
const MAX_EACH: usize = 60;

/// Names and figures listed under the critical context.
// Our choice, like `MAX_FOCUS`: no measurement stands behind either number.
const MAX_NAMES: usize = 16;

/// Sentences quoted for the instructions.
const MAX_FOCUS: usize = 6;

/// How much an item about all of the instructions' words gains over its own weight.
// Our choice: with all words in it an item weighs three times as much, so a decision (26)
// precedes a demand (60).
const FOCUS_GAIN: f64 = 2.0;

/// Labels of items that are rewritten each time and replace those of the previous summary.
const STATE_LABELS: [&str; 3] = ["Last actions:", "Where it stands:", "Latest request:"];

/// Collects all items; more than will fit.
pub fn collect(
    input: &ExtractiveInput<'_>,
    story: &Story,
    facts: &[Candidate],
    previous: &Previous,
    focus: &Focus,
) -> Vec<Item> {
    let mut made = Collector {
        items: Vec::new(),
        focus,
        len: story.len.max(1),
    };
    // The weights are one scale over all headings: the goal (100 to 120), then sentences that the
    // instructions ask for (90), what the user demands (60), where the work stands (30 to 48), what
    // was done and decided (16 to 34), names and errors (12 to 24). They are our choice: a reader
    // who has to stop early has then read what the rest depends on.
    goal(&mut made, story, previous);
    quotes(
        &mut made,
        facts,
        FactKind::Constraint,
        Slot::Constraints,
        60.0,
    );
    decisions(&mut made, facts);
    done(&mut made, story);
    open(&mut made, input, story, facts);
    context(&mut made, input, story, facts);
    carry_over(&mut made, story, previous);
    focused(&mut made, input, story);
    made.items
}

struct Collector<'a> {
    items: Vec<Item>,
    focus: &'a Focus,
    len: usize,
}

/// Order of items from the previous summary: before everything new.
const BEFORE: usize = 0;

impl Collector<'_> {
    fn add(&mut self, slot: Slot, text: String, weight: f64, order: usize, may_cut: bool) {
        if text.is_empty() {
            return;
        }
        let weight = weight * (1.0 + FOCUS_GAIN * self.focus.share(&text));
        self.items.push(Item {
            slot,
            text,
            weight,
            order,
            may_cut,
        });
    }

    /// New items stand behind the previous summary's, in order of the span.
    fn at(&self, item: usize) -> usize {
        // A summary of 2,000 tokens has 8,000 units and fewer items than that.
        10_000 + item
    }

    /// 0.5 for the oldest item to 1 for the newest.
    fn recency(&self, item: usize) -> f64 {
        // Not below a half, so that age alone never turns the order of two kinds around of which
        // one weighs twice as much as the other.
        0.5 + 0.5 * (item as f64 + 1.0) / self.len as f64
    }
}

/// The person's own words on one line; of a message that is nothing but pasted, its first line
/// and that it was pasted.
fn in_own_words(ask: &str, units: u64) -> String {
    let line = own_line(ask);
    if line.is_empty() {
        let told = ask.lines().map(str::trim);
        let told = told
            .filter(|line| !line.starts_with("```"))
            .find(|line| line.chars().any(char::is_alphanumeric));
        return page::cut(&format!("(pasted) {}", told.unwrap_or(ask.trim())), units);
    }
    page::cut(&line, units)
}

fn own_line(ask: &str) -> String {
    let own: Vec<&str> = pasted::own_words(ask)
        .into_iter()
        .flat_map(|range| ask[range].split_whitespace())
        .collect();
    own.join(" ")
}

fn quote(text: &str) -> String {
    page::cut(
        &text.split_whitespace().collect::<Vec<_>>().join(" "),
        SENTENCE_UNITS,
    )
}

fn asks(story: &Story) -> Vec<&Turn> {
    story
        .turns
        .iter()
        .filter(|turn| prose::says_something(&turn.ask) && wants(&turn.ask))
        .collect()
}

/// False for "sounds good, do it": what is agreed to stands elsewhere.
fn wants(ask: &str) -> bool {
    let own = own_line(ask);
    own.is_empty() || !prose::only_agrees(&own)
}

fn goal(made: &mut Collector<'_>, story: &Story, previous: &Previous) {
    let asks = asks(story);
    let mut has_goal = false;
    for (order, text) in previous.under(Slot::Goal).enumerate() {
        if !STATE_LABELS.iter().any(|label| text.starts_with(label)) {
            made.add(Slot::Goal, text.to_owned(), 110.0, BEFORE + order, true);
            has_goal = true;
        }
    }
    let Some((first, rest)) = asks.split_first() else {
        return;
    };
    let mut latest = rest.last();
    // The previous summary tells the first request of all; the first one here came later.
    if has_goal {
        latest = latest.or(Some(first));
    } else {
        let text = in_own_words(&first.ask, REQUEST_UNITS);
        made.add(Slot::Goal, text, 120.0, made.at(first.item), true);
    }
    if let Some(latest) = latest {
        let text = format!(
            "Latest request: {}",
            in_own_words(&latest.ask, SENTENCE_UNITS)
        );
        made.add(Slot::Goal, text, 100.0, made.at(latest.item), true);
    }
}

fn quotes(made: &mut Collector<'_>, facts: &[Candidate], kind: FactKind, slot: Slot, weight: f64) {
    // The newest are kept when there are many.
    let all: Vec<_> = facts.iter().filter(|fact| fact.kind == kind).collect();
    for fact in all.iter().rev().take(MAX_EACH).rev() {
        let text = quote(&fact.surfaces[0]);
        let weight = weight * made.recency(fact.last_item);
        made.add(slot, text, weight, made.at(fact.first_item), true);
    }
}

fn decisions(made: &mut Collector<'_>, facts: &[Candidate]) {
    let all: Vec<_> = facts
        .iter()
        .filter(|fact| fact.kind == FactKind::Decision)
        .collect();
    for fact in all.iter().rev().take(MAX_EACH) {
        let sentence = quote(&fact.surfaces[0]);
        // pi's form for decisions: the choice in bold, then its rationale.
        let text = [" because ", " since ", ", so that ", " as it "]
            .iter()
            .find_map(|joint| {
                let (choice, reason) = sentence.split_once(joint)?;
                Some(format!(
                    "**{}**: {}{}",
                    bare(choice),
                    joint.trim_matches([',', ' ']),
                    format_args!(" {reason}")
                ))
            })
            .unwrap_or(sentence);
        let weight = 26.0 * made.recency(fact.last_item);
        made.add(
            Slot::Decisions,
            text,
            weight,
            made.at(fact.first_item),
            true,
        );
    }
}

/// Text without markdown emphasis, which would not nest.
fn bare(text: &str) -> String {
    text.replace("**", "")
}

fn times(count: usize) -> String {
    match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        n => format!("{n} times"),
    }
}

fn done(made: &mut Collector<'_>, story: &Story) {
    for file in story.files.iter().rev().take(MAX_EACH) {
        let mut text = match (file.writes, file.edits) {
            (0, edits) => format!("Edited `{}` {}", file.path, times(edits)),
            (1, 0) => format!("Wrote `{}`", file.path),
            (writes, 0) => format!("Wrote `{}` {}", file.path, times(writes)),
            (_, edits) => format!("Wrote `{}`, then edited it {}", file.path, times(edits)),
        };
        if let Some(line) = &file.last_line {
            text.push_str(&format!("; last change: `{line}`"));
        }
        let weight = 34.0 * made.recency(file.item);
        made.add(Slot::Done, text, weight, made.at(file.item), false);
    }
    for fix in story.fixes.iter().rev().take(MAX_EACH) {
        let by = match fix.files.as_slice() {
            [] => String::new(),
            files => {
                let shown: Vec<_> = files
                    .iter()
                    .take(3)
                    .map(|file| format!("`{file}`"))
                    .collect();
                let more = files.len().saturating_sub(3);
                let rest = if more > 0 {
                    format!(" and {more} more")
                } else {
                    String::new()
                };
                format!(" by changing {}{rest}", shown.join(", "))
            }
        };
        // Our choice, like the other lengths here.
        let error = page::cut(&fix.error, 160);
        let text = format!("Fixed \"{error}\"{by}; `{}` passes", fix.command);
        made.add(
            Slot::Done,
            text,
            32.0 * made.recency(fix.item),
            made.at(fix.item),
            false,
        );
    }
    for command in story
        .commands
        .iter()
        .rev()
        .filter(|command| command.failure.is_none())
        .take(MAX_EACH)
    {
        let often = if command.runs > 1 {
            format!(" {}, last run passed", times(command.runs))
        } else {
            ", passed".to_owned()
        };
        let text = format!("Ran `{}`{often}", command.command);
        let weight = 16.0 * made.recency(command.item);
        made.add(Slot::Done, text, weight, made.at(command.item), false);
    }
    // A turn that ended with text is described by its request and the model's last words. The last
    // turn is still open: it stands under "In Progress".
    let closed = story
        .turns
        .iter()
        .rev()
        .skip(1)
        .filter_map(|turn| Some((turn, turn.closing.as_ref()?)));
    for (turn, closing) in closed.take(MAX_EACH) {
        let Some(said) = first_sentences(closing, 220) else {
            continue;
        };
        // "wow" and "ok" ask for nothing.
        let text = if prose::says_something(&turn.ask) && wants(&turn.ask) {
            format!("\"{}\": {said}", in_own_words(&turn.ask, 120))
        } else {
            said
        };
        made.add(
            Slot::Done,
            text,
            28.0 * made.recency(turn.item),
            made.at(turn.item),
            true,
        );
    }
}

/// The first sentences that say something, up to `units`, without headings and code.
fn first_sentences(text: &str, units: u64) -> Option<String> {
    let mut out = String::new();
    for range in words::prose(text) {
        let prose = &text[range];
        for sentence in words::sentences(prose) {
            let sentence = prose[sentence]
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ");
            if !prose::says_something(&sentence) {
                continue;
            }
            if out.is_empty() {
                out = page::cut(&sentence, units);
                continue;
            }
            let longer = format!("{out} {sentence}");
            if palimpsest_core::json::utf16_len(&longer) > units {
                return Some(out);
            }
            out = longer;
        }
    }
    (!out.is_empty()).then_some(out)
}

fn open(made: &mut Collector<'_>, input: &ExtractiveInput<'_>, story: &Story, facts: &[Candidate]) {
    // How things stand is told behind what led there.
    let end = made.len;
    if let Some(turn) = asks(story).last()
        && input.purpose != Purpose::TurnPrefix
    {
        let state = if turn.closing.is_some() {
            " (answered last)"
        } else {
            ""
        };
        let text = format!("{}{state}", in_own_words(&turn.ask, 120));
        made.add(Slot::InProgress, text, 36.0, made.at(turn.item), true);
    }
    if !story.last_actions.is_empty() {
        let text = format!("Last actions: {}", story.last_actions.join(", "));
        made.add(Slot::InProgress, text, 40.0, made.at(end), true);
    }
    if let Some(closing) = story.turns.last().and_then(|turn| turn.closing.as_deref())
        && let Some(said) = first_sentences(closing, 400)
    {
        let text = format!("Where it stands: {said}");
        made.add(Slot::InProgress, text, 44.0, made.at(end), true);
    }
    let mut failing = story
        .commands
        .iter()
        .filter(|command| command.failure.is_some())
        .collect::<Vec<_>>();
    failing.sort_by_key(|command| std::cmp::Reverse(command.item));
    for (rank, command) in failing.into_iter().take(MAX_EACH).enumerate() {
        let error = command.failure.as_deref().unwrap_or_default();
        let text = format!("`{}` fails: {error}", command.command);
        made.add(
            Slot::Blocked,
            text,
            48.0 * made.recency(command.item),
            made.at(command.item),
            true,
        );
        // Only the newest failure; all of them are under "Blocked".
        if rank == 0 {
            let text = format!("Make `{}` pass", commands::head(&command.command));
            made.add(Slot::Next, text, 30.0, made.at(command.item), false);
        }
    }
    quotes(made, facts, FactKind::Todo, Slot::Next, 32.0);
    // Only among the last twelve: what was announced earlier was done or given up since.
    if let Some(plan) = story.sentences.iter().rev().take(12).find(|(_, said)| {
        [
            "next",
            "now i",
            "now let me",
            "then i",
            "i still need",
            "i'll ",
        ]
        .iter()
        .any(|cue| said.to_lowercase().starts_with(cue))
    }) {
        made.add(Slot::Next, quote(&plan.1), 31.0, made.at(plan.0), true);
    }
    let answered = story
        .turns
        .last()
        .is_some_and(|turn| turn.closing.is_some());
    let has_next = made.items.iter().any(|item| item.slot == Slot::Next);
    if !answered
        && !has_next
        && let Some(turn) = asks(story).last()
    {
        let text = format!("Finish: {}", in_own_words(&turn.ask, 160));
        made.add(Slot::Next, text, 29.0, made.at(end), true);
    }
}

fn context(
    made: &mut Collector<'_>,
    input: &ExtractiveInput<'_>,
    story: &Story,
    facts: &[Candidate],
) {
    let end = made.len;
    let mut names = |kind: FactKind, label: &str, weight: f64, quoted: bool| {
        let mut found: Vec<_> = facts.iter().filter(|fact| fact.kind == kind).collect();
        let relevance = |fact: &Candidate| fact.weight * (1.0 + made.focus.share(&fact.text));
        found.sort_by(|a, b| {
            relevance(b)
                .total_cmp(&relevance(a))
                // Without it equal weights would have no fixed order, and the same input must
                // give the same text.
                .then_with(|| a.key.cmp(&b.key))
        });
        let mut seen = HashSet::new();
        let shown: Vec<String> = found
            .iter()
            .filter(|fact| seen.insert(fact.key.to_lowercase()))
            .take(MAX_NAMES)
            .map(|fact| {
                // The text alone would be a bare number.
                let text = if kind == FactKind::Number && fact.key.starts_with("port ") {
                    &fact.key
                } else {
                    &fact.text
                };
                if quoted {
                    format!("`{text}`")
                } else {
                    text.clone()
                }
            })
            .collect();
        if !shown.is_empty() {
            let text = format!("{label}: {}", shown.join(", "));
            made.add(Slot::Critical, text, weight, made.at(end), true);
        }
    };
    names(FactKind::Symbol, "Names in play", 24.0, true);
    names(FactKind::Number, "Figures", 20.0, false);
    for (files, label, weight) in [
        (input.files_modified, "Files changed", 14.0),
        (input.files_read, "Files read", 12.0),
    ] {
        if !files.is_empty() {
            let shown: Vec<_> = files
                .iter()
                .take(MAX_NAMES)
                .map(|file| format!("`{file}`"))
                .collect();
            let more = files.len().saturating_sub(MAX_NAMES);
            let rest = if more > 0 {
                format!(" and {more} more")
            } else {
                String::new()
            };
            let text = format!("{label}: {}{rest}", shown.join(", "));
            made.add(Slot::Critical, text, weight, made.at(end), true);
        }
    }
    // Errors that neither a fix nor an open failure tells.
    let told: Vec<&str> = story
        .fixes
        .iter()
        .map(|fix| fix.error.as_str())
        .chain(
            story
                .commands
                .iter()
                .filter_map(|command| command.failure.as_deref()),
        )
        .collect();
    let errors = facts.iter().filter(|fact| fact.kind == FactKind::Error);
    for fact in errors
        .rev()
        .filter(|fact| !told.contains(&fact.text.as_str()))
        .take(8)
    {
        let text = format!("Error seen: {}", page::cut(&fact.text, 200));
        let weight = 12.0 * made.recency(fact.last_item);
        made.add(Slot::Critical, text, weight, made.at(fact.first_item), true);
    }
}

/// Share of an open item's content words that what happened must have to count as its completion.
// Our choice, without a measurement.
const COMPLETES: f64 = 0.6;

/// Words by which a sentence tells that something is finished.
const FINISHED: [&str; 14] = [
    "done",
    "finished",
    "complete",
    "completed",
    "implemented",
    "added",
    "fixed",
    "works",
    "passes",
    "pass",
    "merged",
    "removed",
    "created",
    "resolved",
];

fn carry_over(made: &mut Collector<'_>, story: &Story, previous: &Previous) {
    let finished: Vec<HashSet<String>> = story
        .sentences
        .iter()
        .filter(|(_, said)| words::words(said).any(|word| FINISHED.contains(&word.text.as_str())))
        .map(|(_, said)| words::content_words(said).into_iter().collect())
        .collect();
    let is_finished = |text: &str| {
        let content = words::content_words(text);
        // One word in common, such as "tests", finishes nothing.
        content.len() >= 2
            && finished.iter().any(|said| {
                let shared = content.iter().filter(|word| said.contains(*word)).count();
                shared as f64 >= COMPLETES * content.len() as f64
            })
    };
    let passes = |text: &str| {
        story.commands.iter().any(|command| {
            command.failure.is_none() && text.contains(&format!("`{}`", command.command))
        })
    };
    let total = previous.items.len().max(1);
    for (order, (slot, text)) in previous.items.iter().enumerate() {
        if *slot == Slot::Goal || STATE_LABELS.iter().any(|label| text.starts_with(label)) {
            continue;
        }
        // Older items come first in a list and are dropped first.
        let age = 0.6 + 0.4 * (order as f64 + 1.0) / total as f64;
        let (slot, weight) = match slot {
            // Below most that is new of its kind, such as 60 for demands and 26 for decisions.
            Slot::Goal | Slot::Constraints => (Slot::Constraints, 56.0),
            Slot::Done => (Slot::Done, 18.0),
            Slot::InProgress | Slot::Next if is_finished(text) => (Slot::Done, 26.0),
            Slot::Blocked if passes(text) || is_finished(text) => (Slot::Done, 22.0),
            Slot::InProgress => (Slot::InProgress, 30.0),
            Slot::Blocked => (Slot::Blocked, 34.0),
            Slot::Decisions => (Slot::Decisions, 22.0),
            Slot::Next => (Slot::Next, 24.0),
            Slot::Critical => (Slot::Critical, 16.0),
        };
        made.add(slot, text.clone(), weight * age, BEFORE + order, false);
    }
}

/// The sentences nearest to the instructions, as a group of their own.
fn focused(made: &mut Collector<'_>, input: &ExtractiveInput<'_>, story: &Story) {
    if made.focus.is_empty() {
        return;
    }
    let mut texts: Vec<(usize, String)> = story
        .sentences
        .iter()
        .map(|(item, said)| (*item, quote(said)))
        .collect();
    texts.extend(story.commands.iter().map(|command| {
        let outcome = command
            .failure
            .as_deref()
            .map_or_else(|| "passed".to_owned(), |error| format!("failed: {error}"));
        (
            command.item,
            quote(&format!("`{}` {outcome}", command.command)),
        )
    }));
    texts.extend(story.files.iter().filter_map(|file| {
        let line = file.last_line.as_ref()?;
        Some((file.item, format!("`{}`: `{line}`", file.path)))
    }));
    let borrowed: Vec<&str> = texts.iter().map(|(_, text)| text.as_str()).collect();
    let scores = made.focus.rank(&borrowed);
    let mut order: Vec<usize> = (0..texts.len()).filter(|&at| scores[at] > 0.0).collect();
    order.sort_by(|&a, &b| {
        scores[b]
            .total_cmp(&scores[a])
            // The newer of two sentences that are as near.
            .then(texts[b].0.cmp(&texts[a].0))
            .then(a.cmp(&b))
    });
    let mut chosen: Vec<usize> = Vec::new();
    let mut shown: Vec<HashSet<String>> = Vec::new();
    for at in order {
        let content: HashSet<String> = words::content_words(&texts[at].1).into_iter().collect();
        // Stricter than on the page (0.8): at most six sentences are quoted here.
        let repeats = shown.iter().any(|other| {
            content.intersection(other).count() as f64 >= 0.7 * content.len().max(1) as f64
        });
        if !repeats {
            shown.push(content);
            chosen.push(at);
        }
        if chosen.len() == MAX_FOCUS {
            break;
        }
    }
    let slot = match input.purpose {
        Purpose::History | Purpose::TurnPrefix => Slot::Critical,
        Purpose::Branch => Slot::Decisions,
    };
    // Larger groups first; the page takes the largest that fits and leaves out the others, which
    // repeat it.
    let asked = input
        .instructions
        .map(|text| page::cut(&in_own_words(text, 80), 80))
        .unwrap_or_default();
    for count in (1..=chosen.len()).rev() {
        let mut group = chosen[..count].to_vec();
        group.sort_by_key(|&at| texts[at].0);
        let mut text = format!("Focus ({asked}):");
        for at in group {
            text.push_str("\n  - ");
            text.push_str(&texts[at].1);
        }
        let order = made.at(made.len + 1);
        // Below the goal, above everything else.
        made.items.push(Item {
            slot,
            text,
            weight: 90.0 + count as f64,
            order,
            may_cut: false,
        });
    }
}
