//! The signs that tell classes apart without colour.

use egui::{Color32, Pos2, Shape, Stroke, Vec2, pos2, vec2};
use palimpsest_core::layout::NodeClass;
use std::f32::consts::{PI, TAU};

/// The sign of a class in a square of `size` points round `center`; `paper` is the colour behind.
pub fn glyph(
    class: NodeClass,
    center: Pos2,
    size: f32,
    color: Color32,
    paper: Color32,
) -> Vec<Shape> {
    // Drawn on a grid of 16 units.
    let u = size / 16.0;
    let at = |x: f32, y: f32| center + vec2(x, y) * u;
    let pen = Stroke::new((1.5 * u).max(1.0), color);
    match class {
        NodeClass::User => vec![
            Shape::circle_filled(at(0.0, -3.4), 2.9 * u, color),
            Shape::convex_polygon(
                arc(at(0.0, 6.0), vec2(5.4, 5.4) * u, PI, TAU),
                color,
                Stroke::NONE,
            ),
        ],
        NodeClass::Assistant => vec![
            Shape::circle_stroke(center, 4.6 * u, pen),
            Shape::circle_filled(center, 1.6 * u, color),
        ],
        NodeClass::Tool => vec![
            Shape::line(vec![at(-5.0, -4.0), at(-1.0, 0.0), at(-5.0, 4.0)], pen),
            Shape::line_segment([at(0.5, 4.2), at(5.5, 4.2)], pen),
        ],
        NodeClass::Error => {
            let cross = Stroke::new((1.6 * u).max(1.0), paper);
            vec![
                Shape::circle_filled(center, 6.0 * u, color),
                Shape::line_segment([at(-2.3, -2.3), at(2.3, 2.3)], cross),
                Shape::line_segment([at(-2.3, 2.3), at(2.3, -2.3)], cross),
            ]
        }
        // Two arrow heads closing on a line: what was folded together.
        NodeClass::Compaction => vec![
            Shape::line(vec![at(-3.6, -6.2), at(0.0, -2.6), at(3.6, -6.2)], pen),
            Shape::line_segment([at(-5.6, 0.0), at(5.6, 0.0)], pen),
            Shape::line(vec![at(-3.6, 6.2), at(0.0, 2.6), at(3.6, 6.2)], pen),
        ],
        // A bridge: an arch under a road.
        NodeClass::BranchSummary => vec![
            Shape::line_segment([at(-6.4, -3.2), at(6.4, -3.2)], pen),
            Shape::line(arc(at(0.0, 5.0), vec2(4.6, 5.2) * u, PI, TAU), pen),
            Shape::line_segment([at(-6.0, -3.2), at(-6.0, 5.0)], pen),
            Shape::line_segment([at(6.0, -3.2), at(6.0, 5.0)], pen),
        ],
        NodeClass::Label => flag(center, u, color, pen),
        NodeClass::System => vec![
            Shape::line_segment([at(-4.5, -4.0), at(4.5, -4.0)], pen),
            Shape::line_segment([at(-4.5, 0.0), at(4.5, 0.0)], pen),
            Shape::line_segment([at(-4.5, 4.0), at(1.0, 4.0)], pen),
        ],
        NodeClass::Custom => vec![Shape::closed_line(
            vec![at(0.0, -5.4), at(5.4, 0.0), at(0.0, 5.4), at(-5.4, 0.0)],
            pen,
        )],
        NodeClass::Other => vec![Shape::circle_filled(center, 2.2 * u, color)],
    }
}

/// A pennant on its pole.
fn flag(center: Pos2, u: f32, color: Color32, pen: Stroke) -> Vec<Shape> {
    let at = |x: f32, y: f32| center + vec2(x, y) * u;
    vec![
        Shape::line_segment([at(-4.0, -6.0), at(-4.0, 6.4)], pen),
        Shape::convex_polygon(
            vec![at(-4.0, -6.0), at(5.4, -2.8), at(-4.0, 0.6)],
            color,
            Stroke::NONE,
        ),
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
