//! The context at an entry and the timeline over a path.

use super::names;
use crate::render::{utf16_len, utf16_slice};
use crate::wire::*;
use palimpsest_app::view::context as view;
use palimpsest_app::view::timeline as line;
use palimpsest_app::{App, AppError, AppResult, OpenSession};
use palimpsest_app::{MeasuredContext, SizeBasis as Basis};
use palimpsest_core::{ContextItem, Origin};

/// Longest text of an item in a difference, in UTF-16 units.
const DIFF_TEXT: u64 = 400;
/// Points sent when the caller names no number: one per pixel of a wide window.
const DEFAULT_POINTS: u64 = 1_600;

/// The context at an entry.
pub(crate) fn context(app: &App, request: ContextRequest) -> AppResult<ContextView> {
    let open = app.open(&request.session)?;
    let at = open.resolve_or_leaf(request.at.as_deref())?;
    let encoding = request.tokenizer.map(palimpsest_app::Encoding::from);
    let sized = view::context_at(&open, at);
    let context = &sized.context;
    let total = context.items.len();
    let offset = usize::try_from(request.offset)
        .unwrap_or(usize::MAX)
        .min(total);
    // Without a limit everything: programs read the answer of the command line whole.
    let limit = request
        .limit
        .map_or(total, |limit| usize::try_from(limit).unwrap_or(total));
    let end = offset.saturating_add(limit).min(total);
    // Sums by category need the counts of all items, also of those outside the page.
    let mut counts = encoding.map(|_| Vec::with_capacity(total));
    let mut items = Vec::with_capacity(end - offset);
    for (position, item) in context.items.iter().enumerate() {
        let in_page = (offset..end).contains(&position);
        // Texts are read from the session's file, so only those that are shown or counted.
        if !in_page && encoding.is_none() {
            continue;
        }
        let message = view::item_message(&open, item)?;
        // There is no text to count of what is not recorded.
        let is_recorded = item.origin != Origin::NotRecorded;
        let count = encoding.filter(|_| is_recorded);
        let count = count.map(|encoding| view::count_message(&message, encoding));
        if let Some(counts) = &mut counts {
            counts.push(count.unwrap_or(0));
        }
        if in_page {
            let text = view::message_text(&message);
            let size = ItemSize {
                size: sized.items[position],
                is_reported: sized.basis == Basis::Reported,
                counted: count,
            };
            items.push(item_view(&open, item, size, &text, request.max_text));
        }
    }
    // One measure for all shares: with a tokenizer the counts, else the sizes that the context
    // view shows.
    let sizes = counts.as_deref().unwrap_or(&sized.items);
    let (by_category, by_tool) = view::breakdown(context, sizes);
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
            counted: counts.as_ref().map(|counts| counts.iter().sum()),
            reported: context.reported.map(|reported| reported.tokens),
            size: sized.tokens,
        },
        basis: sized.basis.into(),
        estimated_since: sized.estimated_since(),
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

/// The sizes of an item in tokens.
#[derive(Clone, Copy)]
pub(super) struct ItemSize {
    pub size: u64,
    pub is_reported: bool,
    pub counted: Option<u64>,
}

pub(super) fn item_view(
    open: &OpenSession,
    item: &ContextItem,
    size: ItemSize,
    text: &str,
    max_text: Option<u64>,
) -> ContextItemView {
    // An item with several categories, such as a reply with calls, is shown as its largest.
    let main = item.by_category.iter().max_by_key(|(_, tokens)| *tokens);
    ContextItemView {
        role: item.role,
        native_role: item.native_role.to_owned(),
        kind: item.kind,
        entry_ids: names::ids(&open.session, &item.entries),
        origin: item.origin,
        tokens: TokenFigures {
            estimated: item.estimate,
            counted: size.counted,
            reported: size.is_reported.then_some(size.size),
            size: size.size,
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
    let difference = view::difference(&from, &to);
    let sum =
        |sized: &MeasuredContext, items: &[usize]| items.iter().map(|&at| sized.items[at]).sum();
    let views = |sized: &MeasuredContext, items: &[usize]| {
        items
            .iter()
            .map(|&at| {
                let item = &sized.context.items[at];
                let text = view::message_text(&view::item_message(&open, item)?);
                let size = ItemSize {
                    size: sized.items[at],
                    is_reported: sized.basis == Basis::Reported,
                    counted: None,
                };
                Ok(item_view(&open, item, size, &text, Some(DIFF_TEXT)))
            })
            .collect::<Result<Vec<_>, AppError>>()
    };
    Ok(ContextDiff {
        shared: difference.shared as u64,
        shared_tokens: difference.shared_tokens,
        removed: views(&from, &difference.removed)?,
        added: views(&to, &difference.added)?,
        removed_tokens: sum(&from, &difference.removed),
        added_tokens: sum(&to, &difference.added),
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
                is_forecast: mark.is_forecast,
            })
            .collect(),
        window: budget.window,
        threshold: budget.threshold,
    })
}
