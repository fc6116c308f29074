//! One line of text, cut to a width.

use egui::epaint::text::{LayoutJob, TextFormat, TextWrapping};
use egui::{Align2, Color32, Context, FontId, Pos2, Rect, Shape};

/// Step of font sizes, in points: each size fills its own part of the glyph texture, and a zoom
/// gesture passes through all of them.
const FONT_STEP_POINTS: f32 = 0.5;

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
    let mut job = LayoutJob::single_section(words.to_owned(), format);
    job.wrap = TextWrapping::truncate_at_width(width.max(0.0));
    let galley = ctx.fonts_mut(|fonts| fonts.layout_job(job));
    let rect = anchor.anchor_size(at, galley.size());
    (rect, Shape::galley(rect.min, galley, color))
}
