//! What a plan makes of a node: a band at its left side, and signs at its right end.

use super::mix;
use crate::palette::Palette;
use egui::{Color32, Pos2, Rangef, Rect, Shape, Stroke, StrokeKind, pos2, vec2};

/// Width of a band, in points.
const WIDTH: f32 = 4.0;
/// From one stroke of a hatched band to the next.
const HATCH: f32 = 4.0;

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

/// What a plan does with entries, in the order in which a cut meets them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// They leave the context without a summary.
    Dropped,
    /// A summary replaces them.
    Summarized,
    /// They begin the turn that the cut point splits.
    TurnPrefix,
    /// They stay.
    Kept,
}

/// The fates of the entries that `marks` stands for.
fn fates(marks: Marks) -> impl Iterator<Item = Fate> {
    [
        (marks.dropped, Fate::Dropped),
        (marks.summarized, Fate::Summarized),
        (marks.turn_prefix, Fate::TurnPrefix),
        (marks.kept, Fate::Kept),
    ]
    .into_iter()
    .filter_map(|(is_set, fate)| is_set.then_some(fate))
}

/// The fate that matters most, where there is room for one only.
pub fn main_fate(marks: Marks) -> Option<Fate> {
    let order = |fate: &Fate| match fate {
        Fate::TurnPrefix => 0,
        Fate::Summarized => 1,
        Fate::Dropped => 2,
        Fate::Kept => 3,
    };
    fates(marks).min_by_key(order)
}

/// The node's part in a plan: a band down the left side of its card, in parts when the cut goes
/// through the node.
pub(super) fn band(marks: Marks, card: Rect, colors: &Palette) -> Vec<Shape> {
    let parts: Vec<Fate> = fates(marks).collect();
    let left = card.left() - WIDTH - 3.0;
    let step = card.height() / parts.len().max(1) as f32;
    let mut shapes = Vec::new();
    for (i, fate) in parts.into_iter().enumerate() {
        let top = card.top() + step * i as f32;
        let band = Rect::from_min_size(pos2(left, top), vec2(WIDTH, (step - 1.0).max(1.0)));
        shapes.extend(look(fate, band, card.y_range(), colors));
    }
    shapes
}

/// A fate as the outline, the timeline and the plan show it: patterns tell it apart as well as
/// colours. Only what lies in `seen` is drawn, because a band may be much longer than the screen.
pub fn look(fate: Fate, band: Rect, seen: Rangef, colors: &Palette) -> Vec<Shape> {
    let color = match fate {
        Fate::Dropped => colors.dropped,
        Fate::Summarized | Fate::TurnPrefix => colors.summarized,
        Fate::Kept => colors.kept,
    };
    let wash = Shape::rect_filled(band, 1.0, mix(color, colors.background, 0.82));
    match fate {
        Fate::Summarized => vec![Shape::rect_filled(band, 1.0, color)],
        Fate::Kept => {
            let edge = Stroke::new(1.0, color);
            vec![
                wash,
                Shape::rect_stroke(band, 1.0, edge, StrokeKind::Inside),
            ]
        }
        Fate::TurnPrefix => {
            let pen = Stroke::new(1.6, color);
            let rise = vec2(band.width(), -band.width());
            let mut shapes = vec![wash];
            shapes.extend(along(band, seen, HATCH, band.width()).map(|y| {
                let from = pos2(band.left(), y);
                Shape::line_segment([from, from + rise], pen)
            }));
            shapes
        }
        Fate::Dropped => along(band, seen, WIDTH * 1.8, WIDTH / 2.0)
            .map(|y| Shape::circle_filled(pos2(band.center().x, y), WIDTH / 2.0, color))
            .collect(),
    }
}

/// Heights in `band` that lie `apart` from each other, the first `inset` below its upper edge, as
/// far as `seen` reaches.
fn along(band: Rect, seen: Rangef, apart: f32, inset: f32) -> impl Iterator<Item = f32> {
    let first = band.top() + inset;
    let skipped = ((seen.min - first) / apart).floor().max(0.0);
    let end = band.bottom().min(seen.max + apart);
    // A band too low for one still shows what it is.
    let least = first.min(band.bottom());
    std::iter::successors(Some(least + skipped * apart), move |y| Some(y + apart))
        .take_while(move |&y| y <= end)
}

/// The signs for what is lost without a summary, in the lower right corner: a cross for left out, a
/// sponge's wedge for made smaller.
pub(super) fn signs(marks: Marks, card: Rect, colors: &Palette) -> Vec<Shape> {
    let size = 3.5;
    // At the edge: a low card has its number right above.
    let mut at = pos2(card.right() - 3.0 * size, card.bottom() - size);
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
