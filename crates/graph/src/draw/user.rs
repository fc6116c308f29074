//! Notes and labels of the user on a node: signs on the upper edge of its card, right of the middle.

use super::{glyph, mix};
use crate::palette::Palette;
use egui::{Color32, Pos2, Rect, Shape, Stroke, StrokeKind, pos2, vec2};
use palimpsest_core::layout::NodeClass;

/// Side of a sign, in points.
const SIGN_POINTS: f32 = 11.0;

/// What the user put on some of a node's entries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UserMark {
    /// A note.
    pub note: bool,
    /// A label.
    pub label: bool,
}

/// The signs, from the right: a flag for a label, a sheet with lines for a note. Each on a patch
/// of the background, so that the card's edge does not run through it. Left of the `tail`, so many
/// points of words at the right end.
pub(super) fn signs(mark: UserMark, card: Rect, tail: f32, colors: &Palette) -> Vec<Shape> {
    let size = SIGN_POINTS;
    let mut at = pos2(card.right() - size - 8.0 - tail, card.top() + size * 0.8);
    let mut shapes = Vec::new();
    if mark.label {
        shapes.push(patch(at, size, colors));
        shapes.extend(glyph::glyph(NodeClass::Label, at, size, colors.label));
        at.x -= size * 1.5;
    }
    if mark.note {
        shapes.push(patch(at, size, colors));
        shapes.extend(sheet(at, size, colors));
    }
    shapes
}

fn patch(at: Pos2, size: f32, colors: &Palette) -> Shape {
    let side = vec2(size, size) * 1.3;
    Shape::rect_filled(
        Rect::from_center_size(at, side),
        size * 0.3,
        colors.background,
    )
}

/// A sheet of paper with two lines of writing.
fn sheet(at: Pos2, size: f32, colors: &Palette) -> Vec<Shape> {
    let u = size / 16.0;
    let pen = Stroke::new((1.5 * u).max(1.0), colors.label);
    let paper: Color32 = mix(colors.surface, colors.label, 0.18);
    let page = Rect::from_center_size(at, vec2(11.0, 12.0) * u);
    let line = |y: f32, right: f32| {
        let ends = [at + vec2(-2.8, y) * u, at + vec2(right, y) * u];
        Shape::line_segment(ends, pen)
    };
    let mut shapes = vec![
        Shape::rect_filled(page, 1.5 * u, paper),
        Shape::rect_stroke(page, 1.5 * u, pen, StrokeKind::Inside),
    ];
    // Smaller than this the lines run into the edge.
    if size >= 8.0 {
        shapes.extend([line(-1.8, 2.8), line(1.8, 0.8)]);
    }
    shapes
}
