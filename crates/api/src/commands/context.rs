//! The context at an entry and the timeline over a path.

use super::names;
use crate::render::{utf16_len, utf16_slice};
use crate::wire::*;
use palimpsest_app::view::context as view;
use palimpsest_app::view::timeline as line;
use palimpsest_app::{App, AppError, AppResult, OpenSession};
use palimpsest_core::ContextItem;

/// Longest text of an item in a difference, in UTF-16 units.
const DIFF_TEXT: u64 = 400;
/// Points sent when the caller names no number: one per pixel of a wide window.
const DEFAULT_POINTS: u64 = 1_600;

/// The context at an entry.
pub(crate) fn context(app: &App, request: ContextRequest) -> AppResult<ContextView> {
    let open = app.open(&request.session)?;
    let at = open.resolve_or_leaf(request.at.as_deref())?;
    let encoding = request.tokenizer.map(palimpsest_app::Encoding::from);
    let context = view::context_at(&open, at);
    let (by_category, by_tool) = view::breakdown(&context);
    let total = context.items.len();
    let offset = usize::try_from(request.offset)
        .unwrap_or(usize::MAX)
        .min(total);
    let limit = request
        .limit
        .map_or(total, |limit| usize::try_from(limit).unwrap_or(total));
    let end = offset.saturating_add(limit).min(total);
    let mut counted = encoding.map(|_| 0);
    let mut items = Vec::with_capacity(end - offset);
    for (position, item) in context.items.iter().enumerate() {
        let in_page = (offset..end).contains(&position);
        if !in_page && encoding.is_none() {
            continue;
        }
        let message = view::item_message(&open, item)?;
        let count = encoding.map(|encoding| match item.origin {
            palimpsest_core::Origin::NotRecorded => item.estimate,
            _ => view::count_message(&message, encoding),
        });
        counted = counted.zip(count).map(|(sum, count)| sum + count);
        if in_page {
            let text = view::message_text(&message);
            items.push(item_view(&open, item, &text, count, request.max_text));
        }
    }
    let budget = app.budget(&open, at, context.model.as_ref());
    Ok(ContextView {
        at: at.map(|ix| names::id(&open.session, ix)),
        model: context
            .model
            .as_ref()
            .map(|model| format!("{}/{}", model.provider, model.model)),
        thinking_level: context.thinking_level.as_ref().map(ToString::to_string),
        window: budget.window,
        threshold: budget.threshold,
        reserve: budget.reserve,
        tokens: TokenFigures {
            estimated: context.estimated,
            counted,
            reported: context.reported.map(|reported| reported.tokens),
        },
        by_category,
        own_categories: context
            .own_categories
            .iter()
            .map(|(name, tokens)| OwnCategory {
                name: name.to_string(),
                tokens: *tokens,
            })
            .collect(),
        by_tool,
        total_items: total as u64,
        offset: offset as u64,
        items,
        compaction_id: context.compaction.map(|ix| names::id(&open.session, ix)),
    })
}

fn item_view(
    open: &OpenSession,
    item: &ContextItem,
    text: &str,
    counted: Option<u64>,
    max_text: Option<u64>,
) -> ContextItemView {
    let main = item.by_category.iter().max_by_key(|(_, tokens)| *tokens);
    let outputs = item.entries.iter();
    let outputs = outputs.filter_map(|&ix| Some(open.session.entry(ix).usage?.output));
    let reported = outputs.reduce(|sum, output| sum + output);
    ContextItemView {
        role: item.role,
        native_role: item.native_role.to_owned(),
        kind: item.kind,
        entry_ids: names::ids(&open.session, &item.entries),
        origin: item.origin,
        tokens: TokenFigures {
            estimated: item.estimate,
            counted,
            reported,
        },
        category: main.map_or(Category::User, |(category, _)| *category),
        tool_name: item.tool_name.as_ref().map(ToString::to_string),
        sent: item.sent,
        text: max_text
            .map_or(text, |most| utf16_slice(text, 0, most))
            .to_owned(),
        total_chars: utf16_len(text),
    }
}

/// How the contexts at two entries differ.
pub(crate) fn context_diff(app: &App, request: ContextDiffRequest) -> AppResult<ContextDiff> {
    let open = app.open(&request.session)?;
    let from = view::context_at(&open, Some(open.resolve(&request.from)?));
    let to = view::context_at(&open, Some(open.resolve(&request.to)?));
    let (removed, added, shared, shared_tokens) = view::difference(&from, &to);
    let sum = |items: &[&ContextItem]| items.iter().map(|item| item.estimate).sum();
    let (removed_tokens, added_tokens) = (sum(&removed), sum(&added));
    let views = |items: Vec<&ContextItem>| {
        items
            .into_iter()
            .map(|item| {
                let text = view::message_text(&view::item_message(&open, item)?);
                Ok(item_view(&open, item, &text, None, Some(DIFF_TEXT)))
            })
            .collect::<Result<Vec<_>, AppError>>()
    };
    Ok(ContextDiff {
        shared: shared as u64,
        shared_tokens,
        removed: views(removed)?,
        added: views(added)?,
        removed_tokens,
        added_tokens,
    })
}

/// Context sizes over the path to an entry.
pub(crate) fn timeline(app: &App, request: TimelineRequest) -> AppResult<Timeline> {
    let open = app.open(&request.session)?;
    let at = open.resolve_or_leaf(request.at.as_deref())?;
    let (points, marks) = line::timeline(&open, at);
    let most = request.max_points.unwrap_or(DEFAULT_POINTS);
    let thinned = line::thin(&points, usize::try_from(most).unwrap_or(usize::MAX));
    let model = at.and_then(|at| {
        open.format
            .context(&open.session, &open.tree, Some(at))
            .model
    });
    let budget = app.budget(&open, at, model.as_ref());
    Ok(Timeline {
        at: at.map(|ix| names::id(&open.session, ix)),
        length: points.len() as u64,
        max: points.iter().map(|point| point.tokens).max().unwrap_or(0),
        points: thinned
            .iter()
            .map(|point| TimelinePoint {
                position: point.position as u64,
                entry_id: names::id(&open.session, point.ix),
                tokens: point.tokens,
                reported: point.reported,
            })
            .collect(),
        marks: marks
            .iter()
            .map(|mark| TimelineMark {
                position: mark.position as u64,
                entry_id: names::id(&open.session, mark.ix),
                kind: mark.kind,
                before: mark.before,
                after: mark.after,
            })
            .collect(),
        window: budget.window,
        threshold: budget.threshold,
    })
}
