//! A line between nodes: straight, round one corner, or a dashed bridge.

use super::card::{CardRef, CardShape};
use super::mix;
use crate::palette::Palette;
use egui::{Pos2, Rect, Shape, Stroke, pos2};
use egui_graphs::{DisplayEdge, DrawContext, EdgeProps, Node};
use palimpsest_core::layout::{EdgeClass, ROW_PITCH};
use petgraph::EdgeType;
use petgraph::stable_graph::IndexType;
use std::rc::Rc;

/// Radius of corners, in points of the model.
const CORNER: f32 = 12.0;
/// Points along a corner.
const CORNER_STEPS: usize = 6;

/// The payload of an edge in the graph.
#[derive(Debug, Clone)]
pub struct Stroked {
    /// What the line means.
    pub class: EdgeClass,
    /// The colours.
    pub palette: Rc<Palette>,
}

/// Draws a line.
#[derive(Debug, Clone)]
pub struct LineShape {
    line: Stroked,
}

impl From<EdgeProps<Stroked>> for LineShape {
    fn from(props: EdgeProps<Stroked>) -> Self {
        LineShape {
            line: props.payload,
        }
    }
}

impl<Ty: EdgeType, Ix: IndexType> DisplayEdge<CardRef, Stroked, Ty, Ix, CardShape> for LineShape {
    fn shapes(
        &mut self,
        start: &Node<CardRef, Stroked, Ty, Ix, CardShape>,
        end: &Node<CardRef, Stroked, Ty, Ix, CardShape>,
        ctx: &DrawContext<'_>,
    ) -> Vec<Shape> {
        let zoom = ctx.meta.zoom;
        let from = ctx.meta.canvas_to_screen_pos(start.location());
        let to = ctx.meta.canvas_to_screen_pos(end.location());
        let colors = &self.line.palette;
        let clip = ctx.painter.clip_rect().expand(4.0);
        match self.line.class {
            EdgeClass::Bridge => {
                let ink = mix(colors.branch_summary, colors.background, 0.5);
                bridge(from, to, zoom, clip, Stroke::new(1.2, ink))
            }
            EdgeClass::Active => tree_line(
                from,
                to,
                zoom,
                clip,
                Stroke::new(if zoom < 0.3 { 1.5 } else { 2.0 }, colors.line_active),
            ),
            EdgeClass::Side => tree_line(
                from,
                to,
                zoom,
                clip,
                Stroke::new(if zoom < 0.3 { 1.0 } else { 1.5 }, colors.line),
            ),
        }
    }

    fn update(&mut self, _state: &EdgeProps<Stroked>) {}

    fn is_inside(
        &self,
        _start: &Node<CardRef, Stroked, Ty, Ix, CardShape>,
        _end: &Node<CardRef, Stroked, Ty, Ix, CardShape>,
        _pos: Pos2,
    ) -> bool {
        false
    }
}

/// Straight down, or across between the rows and then down.
fn tree_line(from: Pos2, to: Pos2, zoom: f32, clip: Rect, stroke: Stroke) -> Vec<Shape> {
    if (from.x - to.x).abs() < 0.5 {
        let x = crisp(from.x, stroke.width);
        return vertical(x, from.y, to.y, clip, stroke)
            .into_iter()
            .collect();
    }
    let turn = crisp(to.y - ROW_PITCH * zoom / 2.0, stroke.width);
    let (start, end) = (crisp(from.x, stroke.width), crisp(to.x, stroke.width));
    let radius = (CORNER * zoom)
        .min((end - start).abs() / 2.0)
        .min((to.y - turn).abs());
    let side = (end - start).signum();
    if radius < 1.5 {
        return vec![Shape::line(
            vec![pos2(start, turn), pos2(end, turn), pos2(end, to.y)],
            stroke,
        )];
    }
    // The upper stretch is short and mostly under the card; it leaves the trunk in a curve too.
    let mut points = Vec::with_capacity(2 * CORNER_STEPS + 4);
    points.push(pos2(start, turn - radius));
    corner(
        &mut points,
        pos2(start, turn - radius),
        pos2(start, turn),
        pos2(start + side * radius, turn),
    );
    corner(
        &mut points,
        pos2(end - side * radius, turn),
        pos2(end, turn),
        pos2(end, turn + radius),
    );
    points.push(pos2(end, to.y));
    vec![Shape::line(points, stroke)]
}

/// From the abandoned leaf below it, sideways, to the summary: dashed.
fn bridge(from: Pos2, to: Pos2, zoom: f32, clip: Rect, stroke: Stroke) -> Vec<Shape> {
    if zoom < super::MARK_ZOOM {
        return Vec::new();
    }
    // Out of the bottom of the one, over to the row of the other, and into its side.
    let half = palimpsest_core::layout::NODE_WIDTH / 2.0 * zoom;
    let side = (to.x - from.x).signum();
    if side == 0.0 {
        return Vec::new();
    }
    let lane = from.x + side * (half + 12.0 * zoom);
    let (out, into) = (from.x + side * half, to.x - side * half);
    let points = [
        pos2(out, from.y),
        pos2(lane, from.y),
        pos2(lane, to.y),
        pos2(into, to.y),
    ]
    .map(|p| p.clamp(clip.min, clip.max));
    Shape::dashed_line(&points, stroke, 4.0, 4.0)
}

/// A vertical line, cut to the clip rectangle: runs can be a million points long.
fn vertical(x: f32, top: f32, bottom: f32, clip: Rect, stroke: Stroke) -> Option<Shape> {
    let (top, bottom) = (top.max(clip.top()), bottom.min(clip.bottom()));
    let is_seen = top < bottom && (clip.left()..=clip.right()).contains(&x);
    is_seen.then(|| Shape::line_segment([pos2(x, top), pos2(x, bottom)], stroke))
}

/// The position nearest to `at` where a line of `width` covers whole pixels.
fn crisp(at: f32, width: f32) -> f32 {
    if width.round() as i32 % 2 == 1 {
        at.floor() + 0.5
    } else {
        at.round()
    }
}

/// A quarter turn from `a` to `c` round `b`.
fn corner(points: &mut Vec<Pos2>, a: Pos2, b: Pos2, c: Pos2) {
    for step in 1..=CORNER_STEPS {
        let t = step as f32 / CORNER_STEPS as f32;
        points.push(a.lerp(b, t).lerp(b.lerp(c, t), t));
    }
}
