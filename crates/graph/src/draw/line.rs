//! A line between lanes: from where a branch leaves to its first row, or a dashed bridge from the
//! branch to the summary written about it.

use super::card::{CardRef, CardShape};
use super::mix;
use crate::palette::Palette;
use egui::{Color32, Pos2, Shape, Stroke, pos2};
use egui_graphs::{DisplayEdge, DrawContext, EdgeProps, Node};
use palimpsest_core::layout::LaneKind;
use petgraph::EdgeType;
use petgraph::stable_graph::IndexType;
use std::rc::Rc;

/// Points along a bend.
const BEND_STEPS: usize = 10;
/// Height of a bend, in points.
const BEND: f32 = 14.0;

/// The payload of an edge in the graph.
#[derive(Debug, Clone)]
pub struct Stroked {
    /// The lane it leads to; `None` for a bridge.
    pub lane: Option<LaneKind>,
    /// The colours.
    pub palette: Rc<Palette>,
}

/// The colour of a lane's line.
pub fn ink(kind: LaneKind, colors: &Palette) -> Color32 {
    match kind {
        LaneKind::Active => colors.line_active,
        LaneKind::Branch => mix(colors.text_quiet, colors.background, 0.25),
        LaneKind::Root => mix(colors.label, colors.background, 0.25),
        LaneKind::Subagent => mix(colors.tool, colors.background, 0.15),
    }
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
        let from = ctx.meta.canvas_to_screen_pos(start.location());
        let to = ctx.meta.canvas_to_screen_pos(end.location());
        let colors = &self.line.palette;
        let clip = ctx.painter.clip_rect().expand(4.0);
        let away = |a: f32, b: f32| a.max(b) < clip.top() || a.min(b) > clip.bottom();
        if away(from.y, to.y) {
            return Vec::new();
        }
        match self.line.lane {
            Some(kind) => {
                let stroke = Stroke::new(1.5, ink(kind, colors));
                vec![Shape::line(leaving(from, to), stroke)]
            }
            None => {
                let stroke = Stroke::new(1.4, colors.branch_summary);
                let points = [from, to].map(|p| p.clamp(clip.min, clip.max));
                Shape::dashed_line(&points, stroke, 4.0, 3.0)
            }
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

/// Out of the band in a bend, then down the column to the first row.
fn leaving(from: Pos2, to: Pos2) -> Vec<Pos2> {
    let end = pos2(to.x, to.y.min(from.y + BEND).max(from.y));
    let mut points = Vec::with_capacity(BEND_STEPS + 2);
    for step in 0..=BEND_STEPS {
        let t = step as f32 / BEND_STEPS as f32;
        let eased = t * t * (3.0 - 2.0 * t);
        points.push(pos2(
            from.x + (end.x - from.x) * eased,
            from.y + (end.y - from.y) * t,
        ));
    }
    points.push(to);
    points
}
