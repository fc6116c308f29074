//! The calls that ask about claims, in both directions.

use crate::call::{Call, Cite};
use crate::claims::asked::{Batch, ClaimInput, ClaimTask, Sent};
use crate::claims::batches::{Grouped, Question, Room, grouped};
use crate::claims::prompts::{FACTS, SENTENCES, SYSTEM};
use crate::excerpt::cut;
use crate::facts::FactLimits;
use crate::fence::fenced;
use crate::passage::Passages;
use palimpsest_core::EntryIx;
use palimpsest_core::estimate::text_tokens;
use std::collections::BTreeSet;

/// Most tokens of a reply.
const MOST_REPLY: u64 = 6_000;

/// Tokens that a reply has for one sentence at most, and is assumed to have (our guess).
const PER_SENTENCE: (u64, u64) = (240, 120);

/// The same for one fact.
const PER_FACT: (u64, u64) = (120, 60);

/// Most sentences or facts in one call: in longer lists models overlook more (our guess).
const MOST_QUESTIONS: usize = 24;

/// Most characters of a sentence.
const MOST_CHARACTERS: usize = 1_200;

/// Share of the window that is used, because tokens are estimated.
const USED: f64 = 0.85;

/// Fewest tokens for questions and passages, whatever the window.
const LEAST_ROOM: u64 = 400;

/// Tokens of the marks around the parts of a prompt.
const MARKS: u64 = 40;

/// The calls for a summary, and what is asked; `name` gives the name of an entry in its session.
pub(crate) fn planned(
    input: &ClaimInput<'_>,
    name: &dyn Fn(EntryIx) -> String,
    limits: FactLimits,
) -> (ClaimTask, Vec<Call>) {
    let span = Passages::of(&input.span);
    let tail = Passages::of(&input.kept_tail);
    let (sentences, shown): (Vec<_>, Vec<_>) = input.sentences().into_iter().unzip();
    let facts = input.facts();
    let mut calls = Vec::new();
    let mut batches = Vec::new();
    let mut sent = Sent {
        span: span.tokens(),
        tail: tail.tokens(),
        ..Sent::default()
    };

    let room = room(limits, SENTENCES, 0, PER_SENTENCE.0);
    let lines = sentences.iter().zip(1..);
    let lines = lines.map(|(own, id): (_, usize)| format!("c{id}: {}", line(&own.text)));
    let looked_up = sentences.iter().zip(&shown).map(|(own, shown)| {
        // The heading says what an item is about.
        let text = format!("{} {}", own.heading, own.text);
        near(&span, room, &text, shown)
    });
    let questions: Vec<Question> = lines.zip(looked_up).map(question).collect();
    let groups = grouped(&questions, &span, room);
    sent.of_span = distinct(&span, &groups);
    for group in &groups {
        let excerpt = span.written(&group.passages, name);
        let mut listed = String::new();
        let mut heading = "";
        for at in group.questions.clone() {
            let own = sentences[at].heading.as_str();
            if own != heading && !own.is_empty() {
                listed += &format!("[{}]\n", line(own));
                heading = own;
            }
            listed += &format!("{}\n", questions[at].line);
        }
        let prompt = format!(
            "{}\n\n<statements>\n{listed}</statements>\n\n{SENTENCES}",
            excerpt.text
        );
        let label = labelled("sentences", group, questions.len());
        calls.push(call(
            label,
            prompt,
            excerpt.cites,
            limits,
            (group, PER_SENTENCE.1),
        ));
        batches.push(Batch::Sentences(group.questions.clone()));
    }

    let usable = usable(limits) / 2;
    let most = usize::try_from(usable)
        .unwrap_or(usize::MAX)
        .saturating_mul(3);
    let summary = fenced(&cut(input.summary, most));
    sent.summary_cut = input.summary.chars().count() > most && !facts.is_empty();
    let room = self::room(limits, FACTS, text_tokens(&summary), PER_FACT.0);
    let lines = facts.iter().zip(1..);
    let lines = lines.map(|(own, id): (_, usize)| {
        format!("f{id} ({}): {}", own.kind.in_words(), line(&own.text))
    });
    let looked_up = facts.iter().map(|own| near(&tail, room, &own.text, &[]));
    let questions: Vec<Question> = lines.zip(looked_up).map(question).collect();
    let groups = grouped(&questions, &tail, room);
    sent.of_tail = distinct(&tail, &groups);
    for group in &groups {
        let mut prompt = String::from("<context>\n<summary>\n");
        let mut cites = vec![Cite {
            label: SUMMARY.to_owned(),
            entry: String::new(),
            by_user: false,
            start: prompt.len(),
            end: prompt.len() + summary.len(),
        }];
        prompt += &summary;
        prompt += "\n</summary>\n";
        if !group.passages.is_empty() {
            prompt += "\n";
            let excerpt = tail.written(&group.passages, name);
            let base = prompt.len();
            cites.extend(excerpt.cites.into_iter().map(|cite| Cite {
                start: base + cite.start,
                end: base + cite.end,
                ..cite
            }));
            prompt += &excerpt.text;
            prompt += "\n";
        }
        prompt += "</context>\n\n<statements>\n";
        for at in group.questions.clone() {
            prompt += &format!("{}\n", questions[at].line);
        }
        prompt += &format!("</statements>\n\n{FACTS}");
        let label = labelled("facts", group, questions.len());
        calls.push(call(label, prompt, cites, limits, (group, PER_FACT.1)));
        batches.push(Batch::Facts(group.questions.clone()));
    }
    let task = ClaimTask {
        sentences,
        facts,
        batches,
        sent,
    };
    (task, calls)
}

/// The name of the summary among the texts that a reply may quote.
const SUMMARY: &str = "summary";

/// Tokens of a request and its reply together.
fn usable(limits: FactLimits) -> u64 {
    (limits.window as f64 * USED) as u64
}

fn reply(limits: FactLimits) -> u64 {
    MOST_REPLY.min(limits.window / 4).max(200)
}

/// What a call has for questions and passages beside `beside` tokens.
fn room(limits: FactLimits, task: &str, beside: u64, per_question: u64) -> Room {
    let asks = text_tokens(SYSTEM) + text_tokens(task) + MARKS + beside;
    let left = usable(limits).saturating_sub(asks + reply(limits));
    let fits = reply(limits) / per_question;
    Room {
        tokens: left.min(limits.chunk).max(LEAST_ROOM),
        questions: usize::try_from(fits).unwrap_or(1).clamp(1, MOST_QUESTIONS),
    }
}

/// The passages for a text: all where they fit beside the questions.
fn near(passages: &Passages, room: Room, text: &str, shown: &[EntryIx]) -> Vec<usize> {
    if passages.tokens() <= room.tokens * 2 / 3 {
        return (0..passages.len()).collect();
    }
    passages.near(text, shown)
}

/// A text in one line that closes no part of the prompt.
fn line(text: &str) -> String {
    let one: Vec<&str> = text.split_whitespace().collect();
    fenced(&cut(&one.join(" "), MOST_CHARACTERS).replace('\n', " "))
}

fn question((line, near): (String, Vec<usize>)) -> Question {
    Question {
        // The heading above it may be added.
        tokens: text_tokens(&line) + 8,
        line,
        near,
    }
}

/// Tokens of the passages that at least one call has.
fn distinct(passages: &Passages, groups: &[Grouped]) -> u64 {
    let all: BTreeSet<usize> = groups
        .iter()
        .flat_map(|group| group.passages.iter().copied())
        .collect();
    all.into_iter().map(|at| passages.tokens_of(at)).sum()
}

fn labelled(what: &str, group: &Grouped, of: usize) -> String {
    let asked = &group.questions;
    format!("{what} {} to {} of {of}", asked.start + 1, asked.end)
}

fn call(
    label: String,
    prompt: String,
    cites: Vec<Cite>,
    limits: FactLimits,
    (group, each): (&Grouped, u64),
) -> Call {
    Call {
        label,
        system: SYSTEM.to_owned(),
        max_output_tokens: reply(limits),
        input_tokens: text_tokens(SYSTEM) + text_tokens(&prompt),
        output_tokens: (each * group.questions.len() as u64).min(reply(limits)),
        cites,
        prompt,
    }
}
