//! A plan in a few lines.

use palimpsest_compaction::Plan;
use palimpsest_compaction::assemble::NextItem;
use palimpsest_compaction::plan::{PlannedCall, SummaryPart};
use palimpsest_compaction::select::Fate;
use palimpsest_core::{Role, Session};
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;
use std::mem::discriminant;

/// Calls of one kind from which on they share a line: a preset makes one for each of 49 tools.
const LISTED_TOGETHER: usize = 4;

/// The plan without its texts: the cut point, the fates with their counts, what was cleared, the
/// calls with their sizes, the summary and the next context. Each text has its length and the
/// beginning of its digest, so that none changes unseen.
pub fn sketch(session: &Session, plan: &Plan) -> String {
    let mut page = String::new();
    let (before, after) = (plan.tokens_before, plan.estimated_tokens_after);
    let _ = writeln!(page, "tokens: {before} -> {after}");
    let _ = writeln!(page, "cut point: {}", cut_point(session, plan));
    let _ = writeln!(page, "fates: {}", fates(plan));
    cleared(&mut page, plan);
    let same_step = |a: &PlannedCall, b: &PlannedCall| {
        discriminant(&a.step) == discriminant(&b.step) && a.purpose == b.purpose
    };
    for calls in plan.calls.chunk_by(same_step) {
        match calls {
            calls if calls.len() < LISTED_TOGETHER => {
                for call in calls {
                    let _ = writeln!(page, "call: {}", described(call));
                }
            }
            calls => {
                let _ = writeln!(page, "{}", together(calls));
            }
        }
    }
    let _ = writeln!(page, "summary: {}", summary(&plan.summary).join(", "));
    let _ = writeln!(page, "next: {}", next(plan).join(", "));
    for note in &plan.notes {
        let _ = writeln!(page, "note: {note}");
    }
    for fallback in &plan.fallbacks {
        let calls = fallback.plan.calls.len();
        let of = &fallback.plan.strategy;
        let _ = writeln!(page, "{}; {of}, {calls} calls", fallback.words());
    }
    page
}

/// The first 8 hexadecimal digits of the SHA-256 of texts.
fn digest<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let mut sum = Sha256::new();
    for text in texts {
        sum.update(text);
        // No text has this byte: what one loses, the next cannot win unseen.
        sum.update([0xff_u8]);
    }
    let sum = sum.finalize();
    sum.iter()
        .take(4)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

fn cut_point(session: &Session, plan: &Plan) -> String {
    let line = |ix| session.entry(ix).source.line;
    let mut at = match plan.first_kept {
        Some(ix) => format!("line {}, {} tokens kept", line(ix), plan.kept_tokens),
        None => format!("no kept tail, {} tokens kept", plan.kept_tokens),
    };
    if let Some(start) = plan.turn_start {
        let _ = write!(at, ", in the turn from line {}", line(start));
    }
    at
}

/// How many items have each fate, and their order as runs of letters.
fn fates(plan: &Plan) -> String {
    let named = [
        (Fate::System, "system", 'Y'),
        (Fate::Carried, "carried", 'C'),
        (Fate::Summarized, "summarized", 'S'),
        (Fate::TurnPrefix, "turn prefix", 'T'),
        (Fate::Kept, "kept", 'K'),
        (Fate::Dropped, "dropped", 'D'),
    ];
    let counts = named.iter().filter_map(|(fate, word, _)| {
        let count = plan.items.iter().filter(|item| item.fate == *fate).count();
        (count > 0).then(|| format!("{count} {word}"))
    });
    let counts: Vec<String> = counts.collect();
    let runs = plan.items.chunk_by(|a, b| a.fate == b.fate).map(|run| {
        let letter = named.iter().find(|(fate, ..)| *fate == run[0].fate);
        format!("{}{}", run.len(), letter.unwrap().2)
    });
    let runs: Vec<String> = runs.collect();
    format!("{} ({})", counts.join(", "), runs.join(" "))
}

/// A line for each reduction that made items smaller.
fn cleared(page: &mut String, plan: &Plan) {
    let mut steps: Vec<&str> = plan.changes.iter().map(|change| change.by).collect();
    steps.sort_unstable();
    steps.dedup();
    for step in steps {
        let by = || plan.changes.iter().filter(|change| change.by == step);
        let before: u64 = by().map(|change| change.tokens_before).sum();
        let after: u64 = by().map(|change| change.tokens_after).sum();
        let items: Vec<String> = by().map(|change| change.item.to_string()).collect();
        let _ = writeln!(
            page,
            "cleared by {step}: {} items, {before} -> {after} tokens (items {})",
            items.len(),
            items.join(" ")
        );
    }
}

fn described(call: &PlannedCall) -> String {
    let mut text = format!(
        "{}; {} items, {} tokens, text {}",
        call.label(),
        call.items.len(),
        call.input_tokens,
        digest([call.system.as_str(), call.prompt.as_str()].into_iter())
    );
    if !call.messages.is_empty() {
        let messages = call.messages.len();
        let _ = write!(
            text,
            "; {messages} messages, {} tokens cached",
            call.cached_tokens
        );
    }
    if let Some(most) = call.max_output_tokens {
        let _ = write!(text, "; reply of at most {most} tokens");
    }
    if !call.after.is_empty() {
        let _ = write!(text, "; after calls {:?}", call.after);
    }
    for slot in &call.slots {
        let _ = write!(text, "; placeholder {}", &call.prompt[slot.range.clone()]);
    }
    text
}

/// Calls that differ in what they are about and in nothing else, in one line.
fn together(calls: &[PlannedCall]) -> String {
    let tokens: u64 = calls.iter().map(|call| call.input_tokens).sum();
    let items: usize = calls.iter().map(|call| call.items.len()).sum();
    let texts = calls
        .iter()
        .flat_map(|call| [call.system.as_str(), call.prompt.as_str()]);
    format!(
        "{} calls: from {} on; {items} items, {tokens} tokens, texts {}",
        calls.len(),
        calls[0].label(),
        digest(texts)
    )
}

/// Runs of parts from which on a summary is only counted: one has 97 by turns.
const SUMMED_UP: usize = 8;

/// The parts of a summary, runs of one kind together.
fn summary(parts: &[SummaryPart]) -> Vec<String> {
    let kind = |part: &SummaryPart| match part {
        SummaryPart::Text(_) => 0,
        SummaryPart::Reply(_) => 1,
        SummaryPart::Filled(..) => 2,
        SummaryPart::ByTail { .. } => 3,
    };
    let runs = parts.chunk_by(|a, b| kind(a) == kind(b));
    if runs.clone().count() >= SUMMED_UP {
        let replies = parts.iter().filter(|part| part.known().is_none());
        let texts = || parts.iter().filter_map(SummaryPart::known);
        return vec![format!(
            "{} replies and {} texts ({})",
            replies.count(),
            texts().count(),
            digest(texts())
        )];
    }
    let named = runs.map(|run| match run {
        [SummaryPart::Reply(call)] => format!("reply {call}"),
        [SummaryPart::Reply(first), .., SummaryPart::Reply(last)] => {
            format!("replies {first} to {last}")
        }
        [SummaryPart::Filled(call, fill)] => format!("{fill:?} by reply {call}"),
        run => {
            let texts = || run.iter().filter_map(SummaryPart::known);
            let length: usize = texts().map(|text| text.chars().count()).sum();
            let by_tail = matches!(run[0], SummaryPart::ByTail { .. });
            let which = if by_tail { "text by the tail" } else { "text" };
            format!("{which} of {length} ({})", digest(texts()))
        }
    });
    named.collect()
}

/// The next context, runs of one kind together.
fn next(plan: &Plan) -> Vec<String> {
    let kind = |item: &NextItem| match item {
        NextItem::Kept { .. } => (0, None),
        NextItem::Summary { role, .. } => (1, Some(*role)),
        NextItem::Text { role, .. } => (2, Some(*role)),
    };
    let as_role = |role: Role| format!("{role:?}").to_lowercase();
    let runs = plan.next.chunk_by(|a, b| kind(a) == kind(b));
    let named = runs.map(|run| match &run[0] {
        NextItem::Kept { .. } => {
            let tokens = run.iter().map(|item| match item {
                NextItem::Kept { tokens, .. } => *tokens,
                _ => 0,
            });
            format!("{} kept ({} tokens)", run.len(), tokens.sum::<u64>())
        }
        NextItem::Summary { role, .. } => {
            let parts = run.iter().filter_map(|item| match item {
                NextItem::Summary { parts, .. } => Some(parts.clone()),
                _ => None,
            });
            let parts: Vec<SummaryPart> = parts.flatten().collect();
            let times = if run.len() == 1 {
                "summary"
            } else {
                "summaries"
            };
            let parts = summary(&parts).join(", ");
            format!("{} {times} as {} [{parts}]", run.len(), as_role(*role))
        }
        NextItem::Text { role, .. } => {
            let texts = run.iter().filter_map(|item| match item {
                NextItem::Text { text, .. } => Some(text.as_str()),
                _ => None,
            });
            let times = if run.len() == 1 { "text" } else { "texts" };
            format!(
                "{} {times} as {} ({})",
                run.len(),
                as_role(*role),
                digest(texts)
            )
        }
    });
    named.collect()
}
