//! Two contexts side by side for the wire.

use super::context::{ItemSize, item_view};
use crate::wire::*;
use palimpsest_app::view::context as view;
use palimpsest_app::view::side_by_side::{Side, Stretch, side_by_side};
use palimpsest_app::{AppResult, SizeBasis};

/// Longest text of an item, in UTF-16 units.
const MOST_TEXT: u64 = 400;

/// The rows of two contexts, and their sums.
pub(crate) fn rows(before: &Side<'_>, after: &Side<'_>) -> AppResult<ContextRows> {
    let mut all = ContextRows::default();
    for stretch in side_by_side(before, after)? {
        all.rows.push(match stretch {
            Stretch::Both { count, tokens } => {
                all.same += count as u64;
                all.same_tokens += tokens;
                ContextRow {
                    side: ContextSideName::Both,
                    count: count as u64,
                    tokens,
                    item: None,
                }
            }
            Stretch::Before(at) => {
                let row = row(before, ContextSideName::Before, at)?;
                all.removed += 1;
                all.removed_tokens += row.tokens;
                row
            }
            Stretch::After(at) => {
                let row = row(after, ContextSideName::After, at)?;
                all.added += 1;
                all.added_tokens += row.tokens;
                row
            }
        });
    }
    Ok(all)
}

fn row(side: &Side<'_>, name: ContextSideName, at: usize) -> AppResult<ContextRow> {
    let sized = &side.sized;
    let item = &sized.context.items[at];
    let text = view::message_text(&view::item_message(side.open, item)?);
    let size = ItemSize {
        size: sized.items[at],
        is_reported: sized.basis == SizeBasis::Reported,
        counted: None,
    };
    Ok(ContextRow {
        side: name,
        count: 1,
        tokens: sized.items[at],
        item: Some(item_view(side.open, item, size, &text, Some(MOST_TEXT))),
    })
}
