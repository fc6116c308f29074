//! Text cut to a width and a number of lines.

use egui::epaint::text::{LayoutJob, TextFormat, TextWrapping};
use egui::{Align2, Color32, Context, FontId, Pos2, Rect, Shape};

/// Stands in the labels of compactions.
const ARROW: char = '\u{2192}';

/// `words` without the signs that the font lacks (emoji, mostly), which would be boxes. Runs of
/// white space become one space.
pub fn plain(ctx: &Context, words: &str, size: f32) -> String {
    let font = FontId::proportional(size);
    ctx.fonts_mut(|fonts| {
        let mut plain = String::with_capacity(words.len());
        for sign in words.chars() {
            if sign.is_whitespace() {
                if !plain.ends_with(' ') && !plain.is_empty() {
                    plain.push(' ');
                }
            } else if sign.is_ascii() || fonts.has_glyph(&font, sign) {
                plain.push(sign);
            } else if sign == ARROW {
                // Between words it is read; in a listing it only separates.
                plain.push_str(if plain.ends_with(' ') { "to" } else { "> " });
            } else if sign.is_alphabetic() && !plain.ends_with('\u{2026}') {
                // Words in a script without a font are left out, and it shows that they are.
                plain.push('\u{2026}');
            }
        }
        plain.truncate(plain.trim_end().len());
        plain
    })
}

/// A text whose `anchor` is at `at`, cut with an ellipsis after `lines` lines of `width` points.
/// Returns the rectangle it takes up as well.
pub fn lines(
    ctx: &Context,
    at: Pos2,
    anchor: Align2,
    parts: &[(&str, Color32)],
    size: f32,
    width: f32,
    lines: usize,
) -> (Rect, Shape) {
    let mut job = LayoutJob::default();
    for &(words, color) in parts {
        let words = plain(ctx, words, size);
        let format = TextFormat::simple(FontId::proportional(size), color);
        if !words.is_empty() && !job.text.is_empty() {
            job.append("  ", 0.0, format.clone());
        }
        job.append(&words, 0.0, format);
    }
    job.wrap = TextWrapping {
        max_rows: lines.max(1),
        break_anywhere: lines <= 1,
        ..TextWrapping::truncate_at_width(width.max(0.0))
    };
    let color = parts.first().map_or(Color32::GRAY, |part| part.1);
    let galley = ctx.fonts_mut(|fonts| fonts.layout_job(job));
    let rect = anchor.anchor_size(at, galley.size());
    (rect, Shape::galley(rect.min, galley, color))
}

/// A single line.
pub fn line(
    ctx: &Context,
    at: Pos2,
    anchor: Align2,
    words: &str,
    size: f32,
    width: f32,
    color: Color32,
) -> (Rect, Shape) {
    lines(ctx, at, anchor, &[(words, color)], size, width, 1)
}
