//! Comments of reviewers that the model fetched: what they found, and what was answered.

use crate::authored::is_verdict;
use crate::candidate::{Registry, Standing, role_weight};
use crate::sentence::Sentence;
use crate::span::{Call, Part};
use crate::words::sentence_key;
use crate::{files, prose, statements, words};
use palimpsest_core::ledger::FactKind;
use serde_json::Value;
use std::ops::Range;

/// Most comments taken from one output.
const MAX_PER_OUTPUT: usize = 60;

/// Longest sentence of a comment for display, in bytes.
const MAX_TEXT_BYTES: usize = 240;

/// Longest output, in bytes, that is read as JSON.
const MAX_JSON_BYTES: usize = 1 << 20;

/// How reviewers begin what they propose.
const PROPOSING: &[&str] = &[
    "consider",
    "suggest",
    "nit",
    "should",
    "could",
    "please",
    "avoid",
    "prefer",
    "this could",
    "this should",
    "this can",
    "you could",
    "there's",
    "there is",
    "missing",
    "the ",
];

/// True for a call that fetches comments: `gh pr view --comments`, `gh api .../comments`, tools of
/// servers with such names.
pub(crate) fn fetches(call: &Call<'_>) -> bool {
    match &call.script {
        Some(script) => {
            script.contains("gh ")
                && [
                    "/comments",
                    "/reviews",
                    "--comments",
                    "reviewThreads",
                    "latestReviews",
                ]
                .iter()
                .any(|word| script.contains(word))
                && call.looks_only
        }
        None => {
            let name = call.tool.to_ascii_lowercase();
            ["get", "list", "read", "fetch"]
                .iter()
                .any(|verb| name.contains(verb))
                && ["comment", "review"].iter().any(|word| name.contains(word))
        }
    }
}

/// Reads the comments in an output.
pub(crate) fn read(registry: &mut Registry, part: &Part<'_>) {
    let text = part.text.trim_start();
    let mut bodies = Vec::new();
    if text.starts_with(['[', '{']) && text.len() <= MAX_JSON_BYTES {
        for value in serde_json::Deserializer::from_str(text)
            .into_iter::<Value>()
            .map_while(Result::ok)
        {
            collect(&value, &mut bodies);
        }
    }
    if bodies.is_empty() {
        let mut comment = String::new();
        for range in words::prose(part.text) {
            for line in words::lines(&part.text[range.clone()]) {
                let line = &part.text[range.start + line.start..range.start + line.end];
                match line.find("Body: ").or_else(|| line.find("body: ")) {
                    Some(at) => {
                        bodies.push(std::mem::take(&mut comment));
                        comment.push_str(&line[at + 6..]);
                    }
                    None if line.starts_with("---") || is_label(line) => {
                        bodies.push(std::mem::take(&mut comment));
                    }
                    None => comment.push_str(line),
                }
                comment.push('\n');
            }
        }
        bodies.push(comment);
    }
    let mut left = MAX_PER_OUTPUT;
    for body in &bodies {
        comment(registry, part, body, &mut left);
    }
}

/// The texts named `body`, at any depth.
fn collect(value: &Value, out: &mut Vec<String>) {
    match value {
        Value::Array(all) => all.iter().for_each(|item| collect(item, out)),
        Value::Object(map) => {
            for (key, item) in map {
                match item {
                    Value::String(text) if key == "body" => out.push(text.clone()),
                    _ => collect(item, out),
                }
            }
        }
        _ => {}
    }
}

/// `Line: 12`, `Author: x`: what stands round a comment.
fn is_label(line: &str) -> bool {
    line.split_once(": ").is_some_and(|(name, rest)| {
        name.len() <= 12
            && name.bytes().all(|b| b.is_ascii_alphabetic())
            && rest.split_whitespace().count() <= 2
    })
}

/// A comment is one fact: the first of its sentences that says something of the code, or its verdict,
/// with what it proposes behind that as another wording.
fn comment(registry: &mut Registry, part: &Part<'_>, body: &str, left: &mut usize) {
    let telling = prose::sentences_of(body, &words::prose(body));
    let telling = telling.into_iter().filter_map(|range| {
        let sentence = &body[range.clone()];
        Some((range, kind_of(sentence)?))
    });
    let telling: Vec<(Range<usize>, FactKind)> = telling.collect();
    let Some((first, kind)) = telling.first().filter(|_| *left > 0) else {
        return;
    };
    let proposal = telling[1..].iter().map(|(range, _)| range);
    let proposal = proposal
        .clone()
        .find(|range| proposes(&body[(*range).clone()]));
    *left -= 1;
    let sentence = &body[first.clone()];
    let content = words::content_words(sentence);
    let said = |kind| matches!(kind, FactKind::Finding | FactKind::Decision);
    let index = match registry.said_before(part.item, &content) {
        Some(index) if said(registry.facts[index].kind) => index,
        _ => {
            let index = registry.note(*kind, sentence_key(sentence), sentence);
            registry.remember(index, part.item, content);
            let mut text = words::one_line(sentence, MAX_TEXT_BYTES);
            if let Some(range) = proposal {
                text.push(' ');
                text.push_str(&words::one_line(&body[range.clone()], MAX_TEXT_BYTES));
            }
            registry.facts[index].text = text;
            index
        }
    };
    for range in [Some(first), proposal].into_iter().flatten() {
        registry.reword(index, &body[range.clone()]);
    }
    let shown = &sentence[..words::floor_boundary(sentence, 60)];
    let place = match part.text.find(shown) {
        Some(at) => at..at + shown.len(),
        None => files::place_of(part, shown),
    };
    registry.place(index, part, place, role_weight::READ, Standing::Noticed);
}

fn proposes(sentence: &str) -> bool {
    let padded = prose::spaced(sentence);
    PROPOSING.iter().any(|begin| padded[1..].starts_with(begin))
        && words::content_words(sentence).len() >= 4
}

/// What a sentence of a comment is; `None` where it says nothing of the code.
fn kind_of(sentence: &str) -> Option<FactKind> {
    if is_verdict(sentence) {
        Some(FactKind::Decision)
    } else {
        let whole = Sentence::of(sentence);
        let tells = proposes(sentence) || prose::finds(&whole) || statements::states(&whole);
        tells.then_some(FactKind::Finding)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::span::PartKind;
    use palimpsest_core::EntryIx;

    fn facts(output: &str) -> Vec<(FactKind, String)> {
        let part = Part {
            item: 0,
            entry: EntryIx::new(0),
            message: 0,
            block: 0,
            kind: PartKind::ToolOutput,
            text: output,
            base: 0,
            tool: Some("Bash"),
            call_id: Some("c"),
            is_error: false,
        };
        let mut registry = Registry::default();
        read(&mut registry, &part);
        registry
            .facts
            .into_iter()
            .map(|fact| (fact.kind, fact.text))
            .collect()
    }

    #[test]
    fn comments_are_findings_and_verdicts() {
        let expected = [
            (
                FactKind::Finding,
                "`load_rows` swallows the failure of `open_store`.".to_owned(),
            ),
            (
                FactKind::Decision,
                "Fixed in 1a2b3c4 - rows are sorted by their end now.".to_owned(),
            ),
        ];
        let lines = "ID: 17\nLine: 4\nBody: `load_rows` swallows the failure of `open_store`.\n---\n\
                     ID: 18\nBody: Fixed in 1a2b3c4 - rows are sorted by their end now.\n---";
        let json = serde_json::json!([
            {"id": 17, "body": "`load_rows` swallows the failure of `open_store`."},
            {"id": 18, "body": "Fixed in 1a2b3c4 - rows are sorted by their end now."},
        ]);
        let two = serde_json::json!([{"body": "`load_rows` swallows the failure. Consider returning the failure to its caller."}]);
        assert_eq!(
            facts(&two.to_string()),
            [(
                FactKind::Finding,
                "`load_rows` swallows the failure. Consider returning the failure to its caller."
                    .to_owned()
            )]
        );
        assert_eq!(facts(lines), expected);
        assert_eq!(facts(&json.to_string()), expected);
    }
}
