//! The cut of a plan: a line between what goes and what stays, and a grip at its right end.

use super::{mix, text};
use crate::palette::Palette;
use egui::{Align2, Color32, CornerRadius, Painter, Pos2, Rangef, Rect, Shape, Stroke, pos2, vec2};

/// Size of the grip's words, in points.
const POINTS: f32 = 11.0;
/// Height of the grip.
const HEIGHT: f32 = 18.0;
/// Width of its arrows with the room beside them.
const ARROWS: f32 = 18.0;
/// How far the grip begins before the end of the line.
const GRIP_INSET: f32 = 108.0;
/// Room left to the edges of the screen.
const MARGIN: f32 = 6.0;

/// How a cut is to be painted.
pub struct Look<'a> {
    /// Where the line is on screen.
    pub y: f32,
    /// From where to where it goes.
    pub across: Rangef,
    /// In the accent's colour.
    pub by_hand: bool,
    /// What stands behind the word.
    pub words: Option<&'a str>,
}

/// Where it was painted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shown {
    /// The grip.
    pub grip: Rect,
    /// The line, where the pointer may take it without meaning a card.
    pub line: Option<Rect>,
    /// Height of the line, which may lie out of view.
    pub y: f32,
}

/// Paints a cut over the cards in `screen`. One that is out of view leaves its grip at the edge.
pub fn paint(painter: &Painter, palette: &Palette, screen: Rect, look: &Look<'_>) -> Shown {
    let ink = if look.by_hand {
        palette.accent
    } else {
        mix(palette.text, palette.text_quiet, 0.5)
    };
    let Rangef {
        min: left,
        max: right,
    } = look.across;
    let y = look.y.round();
    let is_seen = screen.y_range().contains(y);
    let line = Rect::from_min_max(pos2(left, y - 1.0), pos2(right, y + 1.0));
    if is_seen {
        painter.hline(look.across, y, Stroke::new(2.0, ink));
    }
    let way = match () {
        () if is_seen => "",
        () if y < screen.top() => " (above)",
        () => " (below)",
    };
    let words = match look.words {
        Some(words) => format!("cut point, {words}{way}"),
        None => format!("cut point{way}"),
    };
    let grip = grip(
        painter,
        palette,
        screen,
        pos2(right - GRIP_INSET, y),
        &words,
        ink,
    );
    Shown {
        grip,
        line: is_seen.then_some(line),
        y,
    }
}

/// A tab with arrows up and down and a few words, beginning at `from`, kept on the screen.
fn grip(
    painter: &Painter,
    palette: &Palette,
    screen: Rect,
    from: Pos2,
    words: &str,
    ink: Color32,
) -> Rect {
    let (size, shape) = text::line(
        painter.ctx(),
        Pos2::ZERO,
        Align2::LEFT_CENTER,
        words,
        POINTS,
        screen.width(),
        palette.surface,
    );
    let width = size.width() + ARROWS + 8.0;
    let room = screen.shrink2(vec2(MARGIN, MARGIN + HEIGHT / 2.0));
    let left = from
        .x
        .clamp(room.left(), (room.right() - width).max(room.left()));
    let y = from.y.clamp(room.top(), room.bottom().max(room.top()));
    let rect = Rect::from_min_size(pos2(left, y - HEIGHT / 2.0), vec2(width, HEIGHT));
    painter.rect_filled(rect, CornerRadius::same(4), ink);
    let at = pos2(rect.left() + ARROWS / 2.0 + 1.0, y);
    let pen = Stroke::new(1.4, palette.surface);
    for up in [-1.0, 1.0] {
        let tip = at + vec2(0.0, 4.6 * up);
        let wing = |x: f32| tip + vec2(x, -2.8 * up);
        painter.add(Shape::line(vec![wing(-2.8), tip, wing(2.8)], pen));
    }
    let mut shape = shape;
    shape.translate(vec2(rect.left() + ARROWS, y));
    painter.add(shape);
    rect
}
