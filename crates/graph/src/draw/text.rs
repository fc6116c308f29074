//! One line of text, cut to a width.

use egui::epaint::text::{LayoutJob, TextFormat, TextWrapping};
use egui::{Align2, Color32, Context, FontId, Pos2, Rect, Shape};

/// Step of font sizes, in points: each size fills its own part of the glyph texture, and a zoom
/// gesture passes through all of them.
const FONT_STEP_POINTS: f32 = 0.5;

/// Stands in the labels of compactions.
const ARROW: char = '\u{2192}';

/// A line of text whose `anchor` is at `at`, cut with an ellipsis at `width`, all in points.
/// Returns the rectangle it takes up as well.
pub(super) fn line(
    ctx: &Context,
    at: Pos2,
    anchor: Align2,
    words: &str,
    size: f32,
    width: f32,
    color: Color32,
) -> (Rect, Shape) {
    let size = (size / FONT_STEP_POINTS).floor() * FONT_STEP_POINTS;
    let format = TextFormat::simple(FontId::proportional(size), color);
    // The built-in font has no arrow; the page's, if it sent one, may.
    let has_arrow = ctx.fonts_mut(|fonts| fonts.has_glyph(&FontId::proportional(size), ARROW));
    let words = if has_arrow {
        words.to_owned()
    } else {
        words.replace(ARROW, "to")
    };
    let mut job = LayoutJob::single_section(words, format);
    job.wrap = TextWrapping::truncate_at_width(width.max(0.0));
    let galley = ctx.fonts_mut(|fonts| fonts.layout_job(job));
    let rect = anchor.anchor_size(at, galley.size());
    (rect, Shape::galley(rect.min, galley, color))
}
