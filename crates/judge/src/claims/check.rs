//! Verdicts in replies, each held against what it cites.

use crate::call::Call;
use crate::cited::{Cited, labels, number};
use crate::claims::asked::{AskedFact, Batch, ClaimTask, Sentence};
use crate::claims::outcome::{
    ClaimsChecked, FactChecked, FactVerdict, NotChecked, SentenceChecked, StatementChecked,
    together,
};
use crate::fence::plain;
use crate::reply::{ReplyError, read};
use palimpsest_ledger::claims::Verdict;
use palimpsest_ledger::identifiers;
use palimpsest_ledger::words::{normalize, one_line};
use serde::Deserialize;
use std::collections::HashSet;
use std::ops::Range;

/// Longest statement in bytes.
const MOST_TEXT: usize = 300;

/// Most statements of one sentence: a reply that says more of it repeats itself.
const MOST_STATEMENTS: usize = 8;

#[derive(Deserialize)]
struct Verdicts {
    verdicts: Vec<Said>,
}

/// Everything is optional, so that one wrong verdict does not take the others with it.
#[derive(Deserialize)]
struct Said {
    #[serde(default)]
    claim: serde_json::Value,
    #[serde(default)]
    statement: serde_json::Value,
    #[serde(default)]
    verdict: serde_json::Value,
    #[serde(default)]
    entries: serde_json::Value,
    #[serde(default)]
    quote: serde_json::Value,
}

#[derive(Deserialize)]
struct Facts {
    facts: Vec<SaidFact>,
}

#[derive(Deserialize)]
struct SaidFact {
    #[serde(default)]
    fact: serde_json::Value,
    #[serde(default)]
    verdict: serde_json::Value,
    #[serde(default)]
    quote: serde_json::Value,
}

/// Whether a reply has the form that its call asks for.
pub(crate) fn reads(batch: Option<&Batch>, reply: &str) -> Result<(), ReplyError> {
    match batch {
        Some(Batch::Facts(_)) => read::<Facts>(reply).map(drop),
        _ => read::<Verdicts>(reply).map(drop),
    }
}

/// The verdicts of all replies, one for each call.
pub(crate) fn checked(
    task: &ClaimTask,
    calls: &[Call],
    replies: &[String],
) -> Result<ClaimsChecked, ReplyError> {
    let mut out = ClaimsChecked::default();
    for (number, (batch, call)) in task.batches.iter().zip(calls).enumerate() {
        let reply = replies.get(number).ok_or(ReplyError::Missing(number))?;
        match batch {
            Batch::Sentences(range) => {
                let said = read::<Verdicts>(reply)?.verdicts;
                sentences(task, range, call, &said, &mut out);
            }
            Batch::Facts(range) => {
                let said = read::<Facts>(reply)?.facts;
                facts(task, range, call, &said, &mut out);
            }
        }
    }
    Ok(out)
}

/// The position that an id of a reply names, where it was asked about.
fn position(id: &serde_json::Value, asked: &Range<usize>) -> Option<usize> {
    let at = number(id)?.parse::<usize>().ok()?.checked_sub(1)?;
    asked.contains(&at).then_some(at)
}

fn text(value: &serde_json::Value) -> &str {
    value.as_str().unwrap_or_default().trim()
}

/// The entries of a verdict: a list, or one id alone.
fn entries(value: &serde_json::Value) -> Vec<String> {
    match value {
        serde_json::Value::Array(all) => labels(all),
        one => labels(std::slice::from_ref(one)),
    }
}

fn sentences(
    task: &ClaimTask,
    asked: &Range<usize>,
    call: &Call,
    said: &[Said],
    out: &mut ClaimsChecked,
) {
    let known = |own: &&Said| position(&own.claim, asked).is_some();
    out.unknown += said.iter().filter(|own| !known(own)).count();
    let own = task.sentences.get(asked.clone()).unwrap_or_default();
    for (sentence, at) in own.iter().zip(asked.clone()) {
        let of = said
            .iter()
            .filter(|own| position(&own.claim, asked) == Some(at));
        let mut statements: Vec<StatementChecked> = Vec::new();
        let mut repeated = HashSet::new();
        for said in of {
            let statement = statement(call, sentence, said);
            // The first verdict on a statement counts.
            if repeated.insert(normalize(&statement.text)) && statements.len() < MOST_STATEMENTS {
                statements.push(statement);
            }
        }
        if statements.is_empty() {
            statements.push(StatementChecked {
                text: one_line(&sentence.text, MOST_TEXT),
                verdict: Verdict::Unchecked,
                entries: Vec::new(),
                quote: None,
                not_checked: Some(NotChecked::LeftOut),
            });
        }
        out.sentences.push(SentenceChecked {
            range: sentence.range.clone(),
            text: sentence.text.clone(),
            rule: sentence.rule,
            verdict: together(&statements),
            statements,
        });
    }
}

fn statement(call: &Call, sentence: &Sentence, said: &Said) -> StatementChecked {
    let own = match text(&said.statement) {
        "" => one_line(&sentence.text, MOST_TEXT),
        own => one_line(&plain(own), MOST_TEXT),
    };
    let decided = decided(call, sentence, said, &own);
    let (verdict, entries, quote, not_checked) = match decided {
        Ok((verdict, entries, quote)) => (verdict, entries, quote, None),
        Err(why) => (Verdict::Unchecked, Vec::new(), None, Some(why)),
    };
    StatementChecked {
        text: own,
        verdict,
        entries,
        quote,
        not_checked,
    }
}

type Decided = (Verdict, Vec<String>, Option<String>);

fn decided(
    call: &Call,
    sentence: &Sentence,
    said: &Said,
    own: &str,
) -> Result<Decided, NotChecked> {
    let verdict = match text(&said.verdict).to_lowercase().as_str() {
        "supported" => Verdict::Supported,
        "contradicted" => Verdict::Contradicted,
        "stale" => Verdict::Stale,
        "none" | "without_source" | "without source" => Verdict::WithoutSource,
        _ => return Err(NotChecked::Verdict),
    };
    let names = identifiers::scan(own).into_iter();
    let stands_in = normalize(&format!("{} {}", sentence.heading, sentence.text));
    let mut names = names.map(|name| normalize(&own[name.range]));
    if !names.all(|name| stands_in.contains(&name)) {
        return Err(NotChecked::Names);
    }
    if verdict == Verdict::WithoutSource {
        return Ok((verdict, Vec::new(), None));
    }
    let labels = entries(&said.entries);
    let cited = Cited::of(call, |cite| labels.contains(&cite.label));
    if cited.cites.is_empty() {
        return Err(NotChecked::NoEntry);
    }
    let quote = text(&said.quote);
    let quoted = cited.quoted(quote).ok_or(NotChecked::NotQuoted)?;
    // The entry of the quote comes first, whatever order the model gave.
    let mut entries = vec![cited.cites[quoted].entry.clone()];
    for cite in &cited.cites {
        if !entries.contains(&cite.entry) {
            entries.push(cite.entry.clone());
        }
    }
    Ok((verdict, entries, Some(plain(quote))))
}

fn facts(
    task: &ClaimTask,
    asked: &Range<usize>,
    call: &Call,
    said: &[SaidFact],
    out: &mut ClaimsChecked,
) {
    let known = |own: &&SaidFact| position(&own.fact, asked).is_some();
    out.unknown += said.iter().filter(|own| !known(own)).count();
    let shown = Cited::of(call, |_| true);
    let own = task.facts.get(asked.clone()).unwrap_or_default();
    for (fact, at) in own.iter().zip(asked.clone()) {
        let mut of = said.iter();
        let of = of.find(|own| position(&own.fact, asked) == Some(at));
        out.facts.push(fact_checked(fact, of, &shown));
    }
}

fn fact_checked(fact: &AskedFact, said: Option<&SaidFact>, shown: &Cited<'_>) -> FactChecked {
    let mut checked = FactChecked {
        id: fact.id.clone(),
        kind: fact.kind,
        text: fact.text.clone(),
        by_model: fact.by_model,
        rule: fact.rule,
        verdict: FactVerdict::Unchecked,
        quote: None,
        entry: None,
        not_checked: None,
    };
    let Some(said) = said else {
        checked.not_checked = Some(NotChecked::LeftOut);
        return checked;
    };
    let verdict = match text(&said.verdict).to_lowercase().as_str() {
        "kept" => FactVerdict::Kept,
        "partly" | "partial" => FactVerdict::Partly,
        "changed" => FactVerdict::Changed,
        "dropped" => FactVerdict::Dropped,
        _ => {
            checked.not_checked = Some(NotChecked::Verdict);
            return checked;
        }
    };
    if verdict != FactVerdict::Dropped {
        let quote = text(&said.quote);
        let Some(quoted) = shown.quoted(quote) else {
            checked.not_checked = Some(NotChecked::NotQuoted);
            return checked;
        };
        let entry = shown.cites[quoted].entry.clone();
        checked.entry = Some(entry).filter(|entry| !entry.is_empty());
        checked.quote = Some(plain(quote));
    }
    checked.verdict = verdict;
    checked
}
