//! What a summary states that its sources do not have.

use crate::bounded::BoundedSet;
use crate::matching::is_bounded;
use crate::span::{Part, PartKind, Span};
use crate::{arguments, headings, identifiers};
use palimpsest_core::ledger::{FactKind, Introduced};
use rustc_hash::FxHashSet as HashSet;
use std::borrow::Cow;
use std::ops::Range;

/// The texts of a span, those of calls also as they were before they became JSON.
pub(crate) fn decoded_parts<'a>(span: &Span<'a>) -> Vec<(Part<'a>, Cow<'a, str>)> {
    let parts = span.parts();
    parts
        .map(|part| (part, decoded(part.kind, part.text)))
        .collect()
}

/// The identifiers of `summary`, in order of first appearance, that neither the span nor any of `others`
/// has; `span` is as [`decoded_parts`] gives it.
///
/// Case is ignored. A path is known when the sources have it, or a proper end of it of two parts,
/// or its file name, so that absolute and relative spellings meet; a qualified name when they have
/// its last part; a number when they have its figure.
pub(crate) fn find(
    summary: &str,
    span: &[(Part<'_>, Cow<'_, str>)],
    others: &[&str],
) -> Vec<Introduced> {
    let stated = stated(summary);
    let mut needles = BoundedSet::folding_case();
    for (index, found) in stated.iter().enumerate() {
        let surface = &summary[found.range.clone()];
        for needle in spellings(found.kind, &found.key, surface) {
            needles.add(index, &needle);
        }
    }
    let mut known = vec![false; stated.len()];
    if let Some(needles) = needles.build() {
        let mut look = |text: &str| {
            needles.find(text, |index, range| {
                if !known[index] && is_bounded(text, &range, stated[index].kind) {
                    known[index] = true;
                }
            });
        };
        for (part, decoded) in span {
            look(part.text);
            if let Cow::Owned(decoded) = decoded {
                look(decoded);
            }
            if let Some(tool) = part.tool {
                look(tool);
            }
        }
        others.iter().for_each(|text| look(text));
    }
    stated
        .iter()
        .zip(known)
        .filter(|(_, known)| !known)
        .map(|(found, _)| Introduced {
            kind: found.kind,
            text: summary[found.range.clone()].to_owned(),
            range: found.range.clone(),
        })
        .collect()
}

/// The different identifiers of a summary, in order of first appearance; counts, shares and what agents
/// write around every summary are left out.
pub(crate) fn stated(summary: &str) -> Vec<identifiers::Identifier> {
    let mut seen = HashSet::default();
    let fixed = fixed_texts(summary);
    let mut stated = identifiers::scan(summary);
    stated.retain(|found| {
        let is_fixed = fixed.iter().any(|range| range.contains(&found.range.start));
        !is_fixed
            && !headings::is_tag(summary, &found.range)
            && !is_derived(found)
            && seen.insert((found.kind, found.key.clone()))
    });
    stated
}

/// What agents themselves write around every summary: lines that point to the transcript or say
/// how to go on.
pub(crate) fn fixed_texts(summary: &str) -> Vec<Range<usize>> {
    crate::words::lines(summary)
        .filter(|line| is_fixed(&summary[line.clone()]))
        .collect()
}

/// True for a line that an agent itself writes around a summary or a plan.
pub(crate) fn is_fixed(line: &str) -> bool {
    let lower = line.to_lowercase();
    lower.contains("full transcript at")
        || lower.contains("in the whole transcript: ")
        || lower.starts_with("recent messages are preserved")
        || lower.contains("transcript is at")
        || lower.contains("continued from a previous conversation")
        || lower.contains("continue the conversation from where")
}

/// True for a count or a share: a summary may count what its sources list.
fn is_derived(found: &identifiers::Identifier) -> bool {
    if found.kind != FactKind::Number {
        return false;
    }
    let unit = found.key.split_once(' ').map_or("", |(_, unit)| unit);
    unit == "%"
        || unit == "x"
        || crate::known_names::COUNTED.contains(&unit)
        || matches!(unit, "passed" | "failed")
}

/// The strings of a tool call's arguments as they were before they became JSON; other texts as
/// they are. In JSON a name behind `\n` has an `n` stuck to it.
pub fn decoded(kind: PartKind, text: &str) -> Cow<'_, str> {
    if kind != PartKind::ToolCall {
        return Cow::Borrowed(text);
    }
    arguments::strings(text).map_or(Cow::Borrowed(text), Cow::Owned)
}

fn spellings(kind: FactKind, key: &str, surface: &str) -> Vec<String> {
    let mut out = vec![surface.to_owned(), key.to_owned()];
    match kind {
        FactKind::Path if !key.contains("://") => {
            let name = identifiers::basename(key);
            if name.contains('.') && name.len() >= 4 {
                out.push(name.to_owned());
            }
            let mut rest = key;
            while let Some((_, end)) = rest.split_once('/') {
                rest = end;
                if rest.contains('/') {
                    out.push(rest.to_owned());
                }
            }
        }
        FactKind::Number => {
            let figure = key
                .trim_start_matches("port ")
                .split(' ')
                .next()
                .unwrap_or(key);
            out.push(figure.trim_start_matches('$').to_owned());
            let written: String = surface
                .chars()
                .skip_while(|c| !c.is_ascii_digit())
                .take_while(|c| c.is_ascii_digit() || matches!(c, ',' | '.' | '_'))
                .collect();
            out.push(written.trim_end_matches(['.', ',', '_']).to_owned());
            // One-digit figures are everywhere; they are only compared with their unit.
            out.retain(|spelling| spelling.len() >= 2);
        }
        FactKind::Symbol => {
            let last = key.rsplit(['.', ':', '#']).next().unwrap_or(key);
            if last.len() >= 4 {
                out.push(last.to_owned());
            }
            // `TestReader_Empty` may be told as `Reader_Empty`, and a call without its brackets.
            out.extend(
                ["Test", "test_"]
                    .iter()
                    .map(|start| format!("{start}{key}")),
            );
        }
        _ => {}
    }
    out
}
