//! What the span consists of (D17).

use super::line::{Amount, FigureLine, Measured, in_tokens};
use crate::span::{PartKind, Span, ToolAction};
use crate::{files, identifiers};
use palimpsest_core::estimate::{IMAGE_UNITS, text_tokens, tokens_of_units};
use palimpsest_core::figure::Figure;
use palimpsest_core::ledger::FileRole;
use palimpsest_core::{Block, EntryIx};
use rustc_hash::FxHashMap as HashMap;
use std::collections::BTreeMap;

/// Tools named one by one, the largest first; the rest is one value.
const NAMED_TOOLS: usize = 8;
/// Most entries listed by their size.
const LARGEST: usize = 20;

#[derive(Default)]
struct ReadFile {
    times: u64,
    tokens: u64,
    last: Option<EntryIx>,
}

/// D17: tokens by what they are, and what is there twice.
///
/// The tokens of repeated reads are those of Claude Code's `/context`: of a file read n times with t
/// tokens in all, floor(t / n) x (n - 1).
pub(super) fn composition(span: &Span<'_>) -> Measured {
    if span.items.is_empty() {
        return Measured::absent(Figure::Composition, "Nothing is summarized.");
    }
    let mut kinds: [(PartKind, &str, u64); 7] = [
        (PartKind::UserText, "Prompts of the user", 0),
        (PartKind::AssistantText, "Replies", 0),
        (PartKind::Thinking, "Thinking", 0),
        (PartKind::ToolCall, "Calls", 0),
        (PartKind::ToolOutput, "Results of calls", 0),
        (PartKind::Summary, "Previous summary", 0),
        (PartKind::Injected, "Added by the agent", 0),
    ];
    let mut tools: BTreeMap<&str, u64> = BTreeMap::new();
    let mut entries: HashMap<EntryIx, u64> = HashMap::default();
    let mut read: HashMap<String, ReadFile> = HashMap::default();
    let calls = span.calls();
    for part in span.parts() {
        let tokens = text_tokens(part.text);
        if let Some(kind) = kinds.iter_mut().find(|(kind, ..)| *kind == part.kind) {
            kind.2 += tokens;
        }
        *entries.entry(part.entry).or_default() += tokens;
        if part.kind != PartKind::ToolOutput {
            continue;
        }
        *tools
            .entry(part.tool.unwrap_or("command of the user"))
            .or_default() += tokens;
        let call = part.call_id.and_then(|id| calls.get(id));
        let Some(call) = call.filter(|call| call.action == ToolAction::Read) else {
            continue;
        };
        let named = files::of_call(call, "").into_iter();
        for (file, _) in named.filter(|(_, role)| *role == FileRole::Read) {
            let own = read.entry(identifiers::path_key(&file)).or_default();
            own.times += 1;
            own.tokens += tokens;
            own.last = Some(part.entry);
        }
    }
    let blocks = span.items.iter().flat_map(|item| &item.message.blocks);
    let images = blocks.filter(|block| matches!(block, Block::Image { .. }));
    let images = images.count() as u64 * tokens_of_units(IMAGE_UNITS);
    let total = kinds.iter().map(|(.., tokens)| tokens).sum::<u64>() + images;
    let mut out = Measured::new(Figure::Composition);
    let share = |tokens: u64| format!("{:.0} %", 100.0 * tokens as f64 / total.max(1) as f64);
    out.value("Span", Amount::Tokens(total));
    for (_, name, tokens) in kinds {
        if tokens > 0 {
            out.noted(name, Amount::Tokens(tokens), share(tokens));
        }
    }
    if images > 0 {
        out.noted("Images", Amount::Tokens(images), share(images));
    }
    let mut tools: Vec<_> = tools
        .into_iter()
        .filter(|(_, tokens)| *tokens > 0)
        .collect();
    tools.sort_by_key(|(_, tokens)| std::cmp::Reverse(*tokens));
    let others: u64 = tools
        .iter()
        .skip(NAMED_TOOLS)
        .map(|(_, tokens)| tokens)
        .sum();
    for (name, tokens) in tools.into_iter().take(NAMED_TOOLS) {
        out.noted(
            format!("Results of {name}"),
            Amount::Tokens(tokens),
            share(tokens),
        );
    }
    if others > 0 {
        out.noted(
            "Results of other tools",
            Amount::Tokens(others),
            share(others),
        );
    }
    repeated(&mut out, read);
    let mut entries: Vec<_> = entries.into_iter().collect();
    entries.sort_by_key(|(entry, tokens)| (std::cmp::Reverse(*tokens), *entry));
    let largest = entries.into_iter().take(LARGEST);
    out.lines.extend(largest.map(|(entry, tokens)| FigureLine {
        text: "Entry".to_owned(),
        note: in_tokens(tokens),
        entry: Some(entry),
        ..FigureLine::default()
    }));
    out
}

/// Files that were read more than once.
fn repeated(out: &mut Measured, read: HashMap<String, ReadFile>) {
    let mut twice: Vec<(String, ReadFile, u64)> = read
        .into_iter()
        .filter(|(_, own)| own.times > 1)
        .map(|(file, own)| {
            let tokens = own.tokens / own.times * (own.times - 1);
            (file, own, tokens)
        })
        .collect();
    twice.sort_by(|a, b| b.2.cmp(&a.2).then_with(|| a.0.cmp(&b.0)));
    let tokens = twice.iter().map(|(.., tokens)| tokens).sum();
    out.noted(
        "Files read more than once",
        Amount::Tokens(tokens),
        match twice.len() {
            1 => "one file".to_owned(),
            count => format!("{count} files"),
        },
    );
    out.lines
        .extend(twice.into_iter().map(|(file, own, tokens)| FigureLine {
            text: file,
            note: format!("read {} times, {tokens} tokens more than once", own.times),
            entry: own.last,
            ..FigureLine::default()
        }));
}
