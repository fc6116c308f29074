//! What a plan makes of a node: a band at its left side, and signs at its right end.

use crate::palette::Palette;
use egui::{Color32, Pos2, Rect, Shape, Stroke, pos2, vec2};

/// What part of a plan a node belongs to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Marks {
    /// Some of its entries are summarized away.
    pub summarized: bool,
    /// Some are the beginning of a split turn.
    pub turn_prefix: bool,
    /// Some are kept.
    pub kept: bool,
    /// Some are left out, without a summary.
    pub dropped: bool,
    /// Some are made smaller without a model.
    pub cleared: bool,
}

/// The colour of the part that matters most where there is room for one only.
pub fn color(marks: Marks, colors: &Palette) -> Option<Color32> {
    [
        (marks.turn_prefix, colors.turn_prefix),
        (marks.summarized, colors.summarized),
        (marks.dropped, colors.dropped),
        (marks.kept, colors.kept),
    ]
    .into_iter()
    .find_map(|(is_set, color)| is_set.then_some(color))
}

/// The node's part in a plan: a band down the left side of its card, in parts when the cut goes
/// through the node; what is left out is broken into dots.
pub(super) fn band(marks: Marks, card: Rect, colors: &Palette) -> Vec<Shape> {
    let parts: Vec<(Color32, bool)> = [
        (marks.dropped, colors.dropped, true),
        (marks.summarized, colors.summarized, false),
        (marks.turn_prefix, colors.turn_prefix, false),
        (marks.kept, colors.kept, false),
    ]
    .into_iter()
    .filter_map(|(is_set, color, is_dotted)| is_set.then_some((color, is_dotted)))
    .collect();
    let width = 4.0;
    let left = card.left() - width - 3.0;
    let step = card.height() / parts.len().max(1) as f32;
    let mut shapes = Vec::with_capacity(parts.len());
    for (i, (color, is_dotted)) in parts.into_iter().enumerate() {
        let top = card.top() + step * i as f32;
        let band = Rect::from_min_size(pos2(left, top), vec2(width, step - 1.0));
        if !is_dotted {
            shapes.push(Shape::rect_filled(band, 1.5, color));
            continue;
        }
        let dots = (band.height() / (width * 1.8)).floor().max(1.0);
        let apart = band.height() / dots;
        for dot in 0..dots as usize {
            let y = band.top() + apart * (dot as f32 + 0.5);
            let center = pos2(band.center().x, y);
            shapes.push(Shape::circle_filled(center, width / 2.0, color));
        }
    }
    shapes
}

/// The signs for what is lost without a summary, in the lower right corner: a cross for left out, a
/// sponge's wedge for made smaller.
pub(super) fn signs(marks: Marks, card: Rect, colors: &Palette) -> Vec<Shape> {
    let size = 3.5;
    let mut at = pos2(card.right() - 3.0 * size, card.bottom() - 2.0 * size);
    let mut shapes = Vec::new();
    if marks.dropped {
        shapes.extend(cross(at, size, colors.dropped));
        at.x -= 2.0 * size + 4.0;
    }
    if marks.cleared {
        shapes.push(wedge(at, size, colors.cleared));
    }
    shapes
}

fn cross(at: Pos2, size: f32, color: Color32) -> [Shape; 2] {
    let pen = Stroke::new((size * 0.42).max(1.2), color);
    let (a, b) = (vec2(size, size) * 0.85, vec2(size, -size) * 0.85);
    [
        Shape::line_segment([at - a, at + a], pen),
        Shape::line_segment([at - b, at + b], pen),
    ]
}

/// The mark of the timeline: a triangle that points down.
fn wedge(at: Pos2, size: f32, color: Color32) -> Shape {
    let points = vec![
        at + vec2(-size, -size * 0.8),
        at + vec2(size, -size * 0.8),
        at + vec2(0.0, size),
    ];
    Shape::convex_polygon(points, color, Stroke::NONE)
}

impl Marks {
    /// The parts of either.
    pub fn with(self, other: Marks) -> Marks {
        Marks {
            summarized: self.summarized || other.summarized,
            turn_prefix: self.turn_prefix || other.turn_prefix,
            kept: self.kept || other.kept,
            dropped: self.dropped || other.dropped,
            cleared: self.cleared || other.cleared,
        }
    }
}
