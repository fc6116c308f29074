//! The signs that tell classes apart without colour: those of the page's icons
//! (`ui/src/lib/ui/glyphs.ts`), on the same grid of 16 units.

use egui::{Color32, Pos2, Shape, Stroke, Vec2, pos2, vec2};
use palimpsest_core::layout::NodeClass;
use std::f32::consts::{PI, TAU};

/// The sign of a class in a square of `size` points round `center`.
pub fn glyph(class: NodeClass, center: Pos2, size: f32, color: Color32) -> Vec<Shape> {
    let u = size / 16.0;
    let at = |x: f32, y: f32| center + vec2(x, y) * u;
    let pen = pen(u, color);
    match class {
        NodeClass::User => vec![
            Shape::circle_filled(at(0.0, -2.9), 2.9 * u, color),
            Shape::convex_polygon(
                arc(at(0.0, 5.8), vec2(5.2, 4.6) * u, PI, TAU),
                color,
                Stroke::NONE,
            ),
        ],
        NodeClass::Assistant => vec![Shape::closed_line(
            vec![at(0.0, -5.5), at(5.5, 0.0), at(0.0, 5.5), at(-5.5, 0.0)],
            pen,
        )],
        // The result of a call: an arrow back.
        NodeClass::Tool => vec![
            Shape::line(
                vec![
                    at(4.5, -4.5),
                    at(4.5, -0.5),
                    at(4.0, 0.6),
                    at(3.0, 1.0),
                    at(-4.5, 1.0),
                ],
                pen,
            ),
            Shape::line(vec![at(-2.0, -2.0), at(-5.0, 1.0), at(-2.0, 4.0)], pen),
        ],
        // A crossed circle; the triangle of the page warns of what could not be read.
        NodeClass::Error => vec![
            Shape::circle_stroke(center, 5.8 * u, pen),
            Shape::line_segment([at(-2.1, -2.1), at(2.1, 2.1)], pen),
            Shape::line_segment([at(2.1, -2.1), at(-2.1, 2.1)], pen),
        ],
        // Two arrow heads closing on a line: what was folded together.
        NodeClass::Compaction => vec![
            Shape::line(vec![at(-3.0, -5.5), at(0.0, -2.5), at(3.0, -5.5)], pen),
            Shape::line_segment([at(-5.5, 0.0), at(5.5, 0.0)], pen),
            Shape::line(vec![at(-3.0, 5.5), at(0.0, 2.5), at(3.0, 5.5)], pen),
        ],
        // A bridge: a road on two posts below an arch.
        NodeClass::BranchSummary => vec![
            Shape::line(arc(at(0.0, 4.5), vec2(6.0, 7.0) * u, PI, TAU), pen),
            Shape::line_segment([at(-3.0, -1.0), at(-3.0, 4.5)], pen),
            Shape::line_segment([at(3.0, -1.0), at(3.0, 4.5)], pen),
            Shape::line_segment([at(-6.5, 4.5), at(6.5, 4.5)], pen),
        ],
        NodeClass::Label => flag(center, u, color, pen),
        NodeClass::System => vec![
            Shape::line_segment([at(-5.0, -3.5), at(5.0, -3.5)], pen),
            Shape::line_segment([at(-5.0, 0.0), at(5.0, 0.0)], pen),
            Shape::line_segment([at(-5.0, 3.5), at(1.0, 3.5)], pen),
        ],
        NodeClass::Custom => vec![Shape::closed_line(
            vec![at(-4.0, -4.0), at(4.0, -4.0), at(4.0, 4.0), at(-4.0, 4.0)],
            pen,
        )],
        NodeClass::Other => vec![Shape::circle_filled(center, 2.2 * u, color)],
    }
}

/// The sign of a message that consists of calls: a prompt of a shell.
pub fn call(center: Pos2, size: f32, color: Color32) -> Vec<Shape> {
    let u = size / 16.0;
    let at = |x: f32, y: f32| center + vec2(x, y) * u;
    let pen = pen(u, color);
    vec![
        Shape::line(vec![at(-5.0, -3.5), at(-1.5, 0.0), at(-5.0, 3.5)], pen),
        Shape::line_segment([at(0.5, 4.0), at(5.0, 4.0)], pen),
    ]
}

fn pen(u: f32, color: Color32) -> Stroke {
    Stroke::new((1.5 * u).max(1.0), color)
}

/// A pennant with a notch on its pole: two halves, because the notch makes the whole concave.
fn flag(center: Pos2, u: f32, color: Color32, pen: Stroke) -> Vec<Shape> {
    let at = |x: f32, y: f32| center + vec2(x, y) * u;
    let half = |edge: f32| {
        let points = vec![at(-4.0, edge), at(4.5, edge), at(2.0, -2.0), at(-4.0, -2.0)];
        Shape::convex_polygon(points, color, Stroke::NONE)
    };
    vec![
        Shape::line_segment([at(-4.0, -5.5), at(-4.0, 6.0)], pen),
        half(-5.0),
        half(1.0),
    ]
}

/// Points along an ellipse between two angles, in radians, clockwise from the right.
fn arc(center: Pos2, radius: Vec2, from: f32, to: f32) -> Vec<Pos2> {
    const STEPS: usize = 14;
    (0..=STEPS)
        .map(|step| {
            let angle = from + (to - from) * step as f32 / STEPS as f32;
            pos2(
                center.x + radius.x * angle.cos(),
                center.y + radius.y * angle.sin(),
            )
        })
        .collect()
}
