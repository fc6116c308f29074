//! A node: a card with a sign and up to two lines.

use super::plan::{self, Marks};
use super::user::{self, UserMark};
use super::{MARK_ZOOM, READABLE_POINTS, glyph, mix, text};
use crate::palette::Palette;
use egui::epaint::RectShape;
use egui::{
    Align2, Color32, Context, CornerRadius, Pos2, Rect, Shape, Stroke, StrokeKind, Vec2, pos2, vec2,
};
use egui_graphs::{DisplayNode, DrawContext, NodeProps};
use palimpsest_core::layout::{GraphNode, NODE_HEIGHT, NODE_WIDTH, NodeClass};
use petgraph::EdgeType;
use petgraph::stable_graph::IndexType;
use std::f32::consts::{FRAC_PI_2, PI};
use std::rc::Rc;

/// Height of nodes that matter less, in points of the model.
const SLIM_HEIGHT: f32 = 28.0;
/// Size of the first line, in points at zoom 1.
const LABEL_POINTS: f32 = 13.0;
/// Size of the second line.
const SUBLABEL_POINTS: f32 = 11.0;
/// Side of the area that folds and unfolds, at the right end, in points at zoom 1.
const TOGGLE_WIDTH: f32 = 24.0;
/// Smallest side of what the pointer can hit, in points on screen.
const SMALLEST_TARGET: f32 = 7.0;

/// All that is needed to draw a node.
#[derive(Debug, Clone)]
pub struct Card {
    /// The node.
    pub node: GraphNode,
    /// The colours.
    pub palette: Rc<Palette>,
    /// Its part in the plan on show; `None` when no plan is.
    pub marks: Option<Marks>,
    /// What the user put on its entries.
    pub user: UserMark,
    /// Zoom at which the card was put into the graph, for the size of what the pointer can hit.
    pub zoom: f32,
}

impl Card {
    /// Size in points of the model.
    pub fn size(&self) -> Vec2 {
        let slim = match self.node.class {
            _ if self.node.flag || self.node.is_active_leaf => false,
            NodeClass::Run
            | NodeClass::Other
            | NodeClass::System
            | NodeClass::Label
            | NodeClass::Custom
            | NodeClass::Tool => true,
            NodeClass::User
            | NodeClass::Assistant
            | NodeClass::Error
            | NodeClass::Compaction
            | NodeClass::BranchSummary => false,
        };
        vec2(NODE_WIDTH, if slim { SLIM_HEIGHT } else { NODE_HEIGHT })
    }

    /// True when the card can be folded or unfolded.
    pub fn can_toggle(&self) -> bool {
        self.node.count > 1 || (self.node.is_expanded && self.node.first == self.node.group)
    }

    /// The part of `rect`, the card on screen, that folds and unfolds.
    pub fn toggle_rect(&self, rect: Rect, zoom: f32) -> Option<Rect> {
        let is_shown = self.can_toggle() && LABEL_POINTS * zoom >= READABLE_POINTS;
        let left = pos2(rect.right() - TOGGLE_WIDTH * zoom, rect.top());
        is_shown.then(|| Rect::from_min_max(left, rect.right_bottom()))
    }

    fn is_quiet(&self) -> bool {
        self.marks == Some(Marks::default())
    }
}

/// The payload of a node in the graph; `None` for ends of lines that lie off screen.
pub type CardRef = Option<Rc<Card>>;

/// Draws a [`Card`].
#[derive(Debug, Clone)]
pub struct CardShape {
    card: CardRef,
    location: Pos2,
    selected: bool,
    hovered: bool,
}

impl From<NodeProps<CardRef>> for CardShape {
    fn from(props: NodeProps<CardRef>) -> Self {
        CardShape {
            location: props.location(),
            selected: props.selected,
            hovered: props.hovered,
            card: props.payload,
        }
    }
}

impl<E: Clone, Ty: EdgeType, Ix: IndexType> DisplayNode<CardRef, E, Ty, Ix> for CardShape {
    fn closest_boundary_point(&self, _dir: Vec2) -> Pos2 {
        self.location
    }

    fn shapes(&mut self, ctx: &DrawContext<'_>) -> Vec<Shape> {
        let Some(card) = &self.card else {
            return Vec::new();
        };
        let center = ctx.meta.canvas_to_screen_pos(self.location);
        let zoom = ctx.meta.zoom;
        let rect = Rect::from_center_size(center, card.size() * zoom);
        if !ctx.painter.clip_rect().intersects(rect.expand(12.0)) {
            return Vec::new();
        }
        Pen {
            ctx: ctx.ctx,
            card,
            zoom,
            selected: self.selected,
            hovered: self.hovered,
        }
        .draw(rect)
    }

    fn update(&mut self, state: &NodeProps<CardRef>) {
        self.location = state.location();
        self.selected = state.selected;
        self.hovered = state.hovered;
    }

    fn is_inside(&self, pos: Pos2) -> bool {
        self.card.as_ref().is_some_and(|card| {
            let least = SMALLEST_TARGET / card.zoom.max(f32::EPSILON);
            Rect::from_center_size(self.location, card.size().max(Vec2::splat(least))).contains(pos)
        })
    }
}

/// Draws one card.
struct Pen<'a> {
    ctx: &'a Context,
    card: &'a Card,
    zoom: f32,
    selected: bool,
    hovered: bool,
}

impl Pen<'_> {
    fn draw(&self, rect: Rect) -> Vec<Shape> {
        if self.zoom < MARK_ZOOM {
            let mut shapes = self.mark(rect.center());
            shapes.extend(self.user_signs(rect));
            return shapes;
        }
        let mut shapes = Vec::with_capacity(12);
        self.frame(rect, &mut shapes);
        self.inside(rect, &mut shapes);
        shapes.extend(self.user_signs(rect));
        shapes
    }

    fn user_signs(&self, rect: Rect) -> Vec<Shape> {
        user::signs(self.card.user, rect, self.zoom, self.colors())
    }

    fn colors(&self) -> &Palette {
        &self.card.palette
    }

    /// The class's colour, fainter off the active path and when the plan on show is about other
    /// nodes.
    fn ink(&self) -> Color32 {
        let color = self.colors().class(self.card.node.class);
        match (self.card.is_quiet(), self.card.node.on_active_path) {
            (true, _) => mix(color, self.colors().background, 0.55),
            (false, true) => color,
            (false, false) => mix(color, self.colors().background, 0.22),
        }
    }

    /// Zoomed far out: a mark whose shape still tells the few classes that matter.
    fn mark(&self, at: Pos2) -> Vec<Shape> {
        let ink = self.ink();
        let node = &self.card.node;
        let mut shapes = Vec::with_capacity(2);
        // As wide as the card while that is more than a dot.
        let half = vec2(
            (NODE_WIDTH * self.zoom / 2.0).clamp(2.0, 24.0),
            (NODE_HEIGHT * self.zoom / 2.0).clamp(1.0, 2.5),
        );
        match node.class {
            NodeClass::Compaction | NodeClass::BranchSummary => {
                let r = 4.5;
                let points = vec![
                    at + vec2(0.0, -r),
                    at + vec2(r, 0.0),
                    at + vec2(0.0, r),
                    at + vec2(-r, 0.0),
                ];
                shapes.push(Shape::convex_polygon(points, ink, Stroke::NONE));
            }
            _ => {
                let faded = |color, amount| mix(color, self.colors().background, amount);
                let part = self
                    .card
                    .marks
                    .and_then(|marks| plan::color(marks, self.colors()));
                let color = match part {
                    Some(color) => color,
                    None if node.flag => self.colors().label,
                    None if node.has_error => faded(self.colors().error, 0.30),
                    None if node.on_active_path => faded(self.colors().text_quiet, 0.35),
                    None => faded(self.colors().text_quiet, 0.62),
                };
                shapes.push(Shape::rect_filled(
                    Rect::from_center_size(at, half * 2.0),
                    2.0,
                    color,
                ));
            }
        }
        if self.selected || node.is_active_leaf {
            let ring = if self.selected { 2.0 } else { 1.5 };
            shapes.push(Shape::circle_stroke(
                at,
                7.0,
                Stroke::new(ring, self.colors().accent),
            ));
        }
        shapes
    }

    /// Paper, outline, ring, fold and the marks of a plan.
    fn frame(&self, rect: Rect, shapes: &mut Vec<Shape>) {
        let colors = self.colors();
        let node = &self.card.node;
        let ink = self.ink();
        let paper = if self.hovered {
            colors.surface_hover
        } else {
            colors.surface
        };
        let is_slim = self.card.size().y < NODE_HEIGHT;
        let round = (if is_slim { SLIM_HEIGHT / 2.0 } else { 8.0 }) * self.zoom;
        let (fill, line) = match node.class {
            NodeClass::Compaction | NodeClass::BranchSummary => {
                (mix(paper, ink, 0.10), mix(colors.border, ink, 0.65))
            }
            NodeClass::Error => (mix(paper, ink, 0.05), mix(colors.border, ink, 0.55)),
            NodeClass::User => (paper, mix(colors.border, ink, 0.14)),
            _ if node.flag => (paper, mix(colors.border, colors.label, 0.55)),
            _ if is_slim => (mix(paper, colors.background, 0.5), colors.border),
            _ => (paper, colors.border),
        };
        if self.selected {
            let ring = rect.expand(3.0);
            shapes.push(outline(ring, round + 3.0, Stroke::new(2.0, colors.accent)));
        } else if node.is_active_leaf {
            let ring = rect.expand(3.0);
            shapes.push(outline(
                ring,
                round + 3.0,
                Stroke::new(1.0, mix(colors.accent, paper, 0.35)),
            ));
        }
        if node.class == NodeClass::Compaction {
            shapes.extend(folded(
                rect,
                round,
                11.0 * self.zoom,
                fill,
                line,
                mix(paper, ink, 0.38),
            ));
        } else {
            let corner = CornerRadius::same(round.round().clamp(0.0, 255.0) as u8);
            let stroke = Stroke::new(1.0, line);
            shapes.push(RectShape::new(rect, corner, fill, stroke, StrokeKind::Inside).into());
        }
        if let Some(marks) = self.card.marks {
            shapes.extend(plan::band(marks, rect, self.zoom, colors));
            shapes.extend(plan::signs(marks, rect, self.zoom, colors));
        }
    }

    /// Sign, text or the bars that stand for it, the toggle, and the mark of the active leaf.
    fn inside(&self, rect: Rect, shapes: &mut Vec<Shape>) {
        let (colors, zoom, node) = (self.colors(), self.zoom, &self.card.node);
        let is_slim = self.card.size().y < NODE_HEIGHT;
        let sign = pos2(rect.left() + 18.0 * zoom, rect.center().y);
        let class = if node.flag && node.class != NodeClass::Compaction {
            NodeClass::Label
        } else {
            node.class
        };
        let ink = if class == NodeClass::Label {
            colors.label
        } else {
            self.ink()
        };
        let sign_size = if is_slim { 12.0 } else { 15.0 };
        shapes.extend(glyph::glyph(
            class,
            sign,
            sign_size * zoom,
            ink,
            colors.surface,
        ));

        let left = rect.left() + 34.0 * zoom;
        let mut right = rect.right() - 12.0 * zoom;
        if let Some(toggle) = self.card.toggle_rect(rect, zoom) {
            let color = if self.hovered {
                colors.text
            } else {
                colors.text_quiet
            };
            let at = pos2(toggle.center().x - 1.0 * zoom, toggle.center().y);
            shapes.push(glyph::chevron(at, 13.0 * zoom, node.is_expanded, color));
            right = toggle.left() - 2.0 * zoom;
        }
        if node.has_error && node.class != NodeClass::Error {
            let at = pos2(right - 6.0 * zoom, rect.center().y);
            shapes.extend(glyph::glyph(
                NodeClass::Error,
                at,
                12.0 * zoom,
                mix(colors.error, colors.surface, 0.15),
                colors.surface,
            ));
            right -= 16.0 * zoom;
        }
        if node.is_active_leaf {
            self.leaf_mark(rect, shapes);
        }
        let width = right - left;
        if LABEL_POINTS * zoom < READABLE_POINTS {
            self.bars(left, width, rect, shapes);
        } else {
            self.words(left, width, rect, shapes);
        }
    }

    /// An arrow head beside the entry from which the agent would go on.
    fn leaf_mark(&self, rect: Rect, shapes: &mut Vec<Shape>) {
        let size = (5.0 * self.zoom).max(3.0);
        let tip = pos2(rect.left() - 6.0, rect.center().y);
        let gap = if self.card.marks.is_some() {
            8.0 * self.zoom
        } else {
            0.0
        };
        let tip = tip - vec2(gap, 0.0);
        shapes.push(Shape::convex_polygon(
            vec![
                tip,
                tip + vec2(-size * 1.5, size),
                tip + vec2(-size * 1.5, -size),
            ],
            self.colors().accent,
            Stroke::NONE,
        ));
    }

    fn text_color(&self) -> Color32 {
        let colors = self.colors();
        match self.card.node.class {
            _ if self.card.is_quiet() => mix(colors.text_quiet, colors.background, 0.35),
            NodeClass::Run | NodeClass::Other | NodeClass::System | NodeClass::Label => {
                colors.text_quiet
            }
            _ if !self.card.node.on_active_path => mix(colors.text, colors.background, 0.25),
            _ => colors.text,
        }
    }

    fn words(&self, left: f32, width: f32, rect: Rect, shapes: &mut Vec<Shape>) {
        let (zoom, node) = (self.zoom, &self.card.node);
        let quiet = if self.card.is_quiet() {
            self.text_color()
        } else {
            self.colors().text_quiet
        };
        let sub_points = SUBLABEL_POINTS * zoom;
        let is_slim = self.card.size().y < NODE_HEIGHT;
        let mut put = |y: f32, words: &str, points: f32, color: Color32| {
            let at = pos2(left, rect.center().y + y * zoom);
            let line = text::line(
                self.ctx,
                at,
                Align2::LEFT_CENTER,
                words,
                points,
                width,
                color,
            );
            shapes.push(line.1);
        };
        if is_slim {
            let color = mix(self.text_color(), self.colors().text_quiet, 0.4);
            put(0.0, &node.label, (LABEL_POINTS - 1.0) * zoom, color);
        } else if sub_points < READABLE_POINTS || node.sublabel.is_empty() {
            put(0.0, &node.label, LABEL_POINTS * zoom, self.text_color());
        } else {
            put(-7.5, &node.label, LABEL_POINTS * zoom, self.text_color());
            put(9.0, &node.sublabel, sub_points, quiet);
        }
    }

    /// Bars where the text would be, as long as it would be.
    fn bars(&self, left: f32, width: f32, rect: Rect, shapes: &mut Vec<Shape>) {
        let (zoom, node) = (self.zoom, &self.card.node);
        let strong = mix(self.text_color(), self.colors().surface, 0.62);
        let quiet = mix(self.text_color(), self.colors().surface, 0.80);
        let is_slim = self.card.size().y < NODE_HEIGHT;
        let mut put = |y: f32, words: &str, points: f32, color: Color32| {
            let length = (words.chars().count() as f32 * points * 0.5 * zoom).min(width);
            let height = (3.5 * zoom).max(1.0);
            let center = rect.center().y + y * zoom;
            let bar = Rect::from_min_size(pos2(left, center - height / 2.0), vec2(length, height));
            shapes.push(Shape::rect_filled(bar, height / 2.0, color));
        };
        if is_slim {
            put(0.0, &node.label, LABEL_POINTS, quiet);
        } else {
            put(-6.0, &node.label, LABEL_POINTS, strong);
            put(7.0, &node.sublabel, SUBLABEL_POINTS, quiet);
        }
    }
}

fn outline(rect: Rect, round: f32, stroke: Stroke) -> Shape {
    let corner = CornerRadius::same(round.round().clamp(0.0, 255.0) as u8);
    Shape::rect_stroke(rect, corner, stroke, StrokeKind::Middle)
}

/// A card with its upper right corner folded over.
fn folded(
    rect: Rect,
    round: f32,
    fold: f32,
    fill: Color32,
    line: Color32,
    back: Color32,
) -> Vec<Shape> {
    // The outline lies inside the card, as egui lays it for the other cards.
    let whole = |p: Pos2| pos2(p.x.round(), p.y.round());
    let rect = Rect::from_min_max(whole(rect.min), whole(rect.max)).shrink(0.5);
    let (a, b) = (
        pos2(rect.right() - fold, rect.top()),
        pos2(rect.right(), rect.top() + fold),
    );
    let mut paper = vec![a, b];
    let inner = rect.shrink(round);
    quarter(&mut paper, inner.right_bottom(), round, 0.0);
    quarter(&mut paper, inner.left_bottom(), round, FRAC_PI_2);
    quarter(&mut paper, inner.left_top(), round, PI);
    let stroke = Stroke::new(1.0, line);
    vec![
        Shape::convex_polygon(paper, fill, stroke),
        Shape::convex_polygon(vec![a, b, pos2(a.x, b.y)], back, stroke),
    ]
}

/// Points of a quarter circle, clockwise from `start`, in radians.
fn quarter(points: &mut Vec<Pos2>, center: Pos2, radius: f32, start: f32) {
    const STEPS: usize = 5;
    for step in 0..=STEPS {
        let angle = start + FRAC_PI_2 * step as f32 / STEPS as f32;
        points.push(center + vec2(angle.cos(), angle.sin()) * radius);
    }
}
