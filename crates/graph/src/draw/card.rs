//! A card: an entry with its text, or rows that share one with a line for each that matters.

use super::plan::{self, Marks};
use super::user::{self, UserMark};
use super::{glyph, mix, text};
use crate::blocks::{Block, LINE_POINTS, Line};
use crate::palette::Palette;
use egui::epaint::RectShape;
use egui::{
    Align2, Color32, Context, CornerRadius, Pos2, Rect, Shape, Stroke, StrokeKind, Vec2, pos2, vec2,
};
use egui_graphs::{DisplayNode, DrawContext, NodeProps};
use palimpsest_core::layout::NodeClass;
use petgraph::EdgeType;
use petgraph::stable_graph::IndexType;
use std::rc::Rc;

/// Size of text, in points.
const WORDS_POINTS: f32 = 12.5;
/// Size of what is quieter.
const QUIET_POINTS: f32 = 11.5;
/// Room before the words, for the sign of the line.
const SIGN_ROOM: f32 = 22.0;
/// Room behind the words, for the size of the context.
const TAIL_ROOM: f32 = 36.0;

/// Room for the number of prompts without a line.
const MORE_ROOM: f32 = 24.0;

/// All that is needed to draw a card.
#[derive(Debug, Clone)]
pub struct Card {
    /// The rows on it.
    pub block: Block,
    /// What it says.
    pub lines: Vec<Line>,
    /// What stands at its right end: the size of the context behind it.
    pub tail: String,
    /// Number of prompts on it that have no line.
    pub hidden: usize,
    /// Its size on screen, in points.
    pub size: Vec2,
    /// What its first row is.
    pub class: NodeClass,
    /// On the path to the active leaf.
    pub is_active: bool,
    /// Holds the active leaf.
    pub is_leaf: bool,
    /// The selected row, where it is on this card.
    pub selected: Option<u32>,
    /// Its part in the plan on show; `None` when no plan is.
    pub marks: Option<Marks>,
    /// What the user put on its entries.
    pub user: UserMark,
    /// The colours.
    pub palette: Rc<Palette>,
}

impl Card {
    /// The row that a place, so many points below the upper edge, is about.
    pub fn row_at(&self, down: f32) -> u32 {
        let above = self.lines.iter().rev().find(|line| line.top <= down);
        let line = above.or(self.lines.first());
        line.map_or(self.block.first, |line| line.row)
    }

    fn is_quiet(&self) -> bool {
        self.marks == Some(Marks::default())
    }
}

/// The payload of a node in the graph; `None` for the ends of lines.
pub type CardRef = Option<Rc<Card>>;

/// Draws a [`Card`].
#[derive(Debug, Clone)]
pub struct CardShape {
    card: CardRef,
    location: Pos2,
    hovered: bool,
}

impl From<NodeProps<CardRef>> for CardShape {
    fn from(props: NodeProps<CardRef>) -> Self {
        CardShape {
            location: props.location(),
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
        let rect = Rect::from_center_size(center, card.size);
        if !ctx.painter.clip_rect().intersects(rect.expand(4.0)) {
            return Vec::new();
        }
        Pen {
            ctx: ctx.ctx,
            card,
            hovered: self.hovered,
        }
        .draw(rect)
    }

    fn update(&mut self, state: &NodeProps<CardRef>) {
        self.location = state.location();
        self.hovered = state.hovered;
    }

    fn is_inside(&self, pos: Pos2) -> bool {
        let is_in =
            |card: &Rc<Card>| Rect::from_center_size(self.location, card.size).contains(pos);
        self.card.as_ref().is_some_and(is_in)
    }
}

/// Draws one card.
struct Pen<'a> {
    ctx: &'a Context,
    card: &'a Card,
    hovered: bool,
}

impl Pen<'_> {
    fn draw(&self, rect: Rect) -> Vec<Shape> {
        let mut shapes = Vec::with_capacity(4 + 3 * self.card.lines.len());
        self.frame(rect, &mut shapes);
        let mut right = rect.right() - 8.0;
        if !self.card.tail.is_empty() && rect.width() > 160.0 {
            let first = self.card.lines.first();
            let at = pos2(
                right,
                first.map_or(rect.center().y, |line| self.middle(line, rect)),
            );
            let ink = self.faded(self.colors().text_quiet);
            shapes.push(
                text::line(
                    self.ctx,
                    at,
                    Align2::RIGHT_CENTER,
                    &self.card.tail,
                    10.5,
                    TAIL_ROOM,
                    ink,
                )
                .1,
            );
            right -= TAIL_ROOM;
            if self.card.hidden > 0 {
                let at = pos2(
                    right,
                    first.map_or(rect.center().y, |line| self.middle(line, rect)),
                );
                let more = format!("+{}", self.card.hidden);
                let ink = self.faded(self.colors().class(NodeClass::User));
                let anchor = Align2::RIGHT_CENTER;
                shapes.push(text::line(self.ctx, at, anchor, &more, 10.5, MORE_ROOM, ink).1);
                right -= MORE_ROOM;
            }
        }
        for (at, line) in self.card.lines.iter().enumerate() {
            let right = if at == 0 { right } else { rect.right() - 6.0 };
            self.line(line, rect, right, &mut shapes);
        }
        let tail = rect.right() - 8.0 - right;
        shapes.extend(user::signs(
            self.card.user,
            rect,
            tail.max(TAIL_ROOM),
            self.colors(),
        ));
        shapes
    }

    fn colors(&self) -> &Palette {
        &self.card.palette
    }

    /// Fainter off the active path and when the plan on show is about other rows.
    fn faded(&self, color: Color32) -> Color32 {
        match (self.card.is_quiet(), self.card.is_active) {
            (true, _) => mix(color, self.colors().background, 0.5),
            (false, true) => color,
            (false, false) => mix(color, self.colors().background, 0.25),
        }
    }

    /// Paper, outline, ring and the marks of a plan.
    fn frame(&self, rect: Rect, shapes: &mut Vec<Shape>) {
        let (colors, card) = (self.colors(), self.card);
        let ink = self.faded(colors.class(card.class));
        let paper = if self.hovered {
            colors.surface_hover
        } else {
            colors.surface
        };
        let is_bare = card.block.turns == 0
            && !matches!(
                card.class,
                NodeClass::User | NodeClass::Compaction | NodeClass::BranchSummary
            );
        let (fill, line) = match card.class {
            NodeClass::Compaction | NodeClass::BranchSummary => {
                (mix(paper, ink, 0.12), mix(colors.border, ink, 0.55))
            }
            NodeClass::User => (mix(paper, ink, 0.05), mix(colors.border, ink, 0.25)),
            _ if is_bare && !self.hovered => (Color32::TRANSPARENT, Color32::TRANSPARENT),
            _ if is_bare => (paper, Color32::TRANSPARENT),
            _ => (paper, colors.border),
        };
        let corner = CornerRadius::same(5);
        let stroke = Stroke::new(1.0, line);
        shapes.push(RectShape::new(rect, corner, fill, stroke, StrokeKind::Inside).into());
        // A strip in the class's colour at the left end of what begins something.
        if matches!(
            card.class,
            NodeClass::User | NodeClass::Compaction | NodeClass::BranchSummary
        ) {
            let strip = Rect::from_min_max(
                rect.min + vec2(0.0, 3.0),
                pos2(rect.left() + 3.0, rect.bottom() - 3.0),
            );
            shapes.push(Shape::rect_filled(strip, 1.5, ink));
        }
        if card.selected.is_some() {
            let ring = Stroke::new(2.0, colors.accent);
            shapes.push(Shape::rect_stroke(rect, corner, ring, StrokeKind::Middle));
        } else if card.is_leaf {
            let ring = Stroke::new(1.0, mix(colors.accent, paper, 0.35));
            shapes.push(Shape::rect_stroke(rect, corner, ring, StrokeKind::Middle));
        }
        if let Some(marks) = card.marks {
            shapes.extend(plan::band(marks, rect, colors));
            shapes.extend(plan::signs(marks, rect, colors));
        }
    }

    /// The middle of a line's first line of text.
    fn middle(&self, line: &Line, rect: Rect) -> f32 {
        if self.card.lines.len() == 1 && (line.lines == 1 || rect.height() < 2.0 * LINE_POINTS) {
            rect.center().y
        } else {
            rect.top() + line.top + LINE_POINTS / 2.0
        }
    }

    fn line(&self, line: &Line, rect: Rect, right: f32, shapes: &mut Vec<Shape>) {
        let (colors, card) = (self.colors(), self.card);
        let top = rect.top() + line.top;
        if card.selected == Some(line.row) && card.lines.len() > 1 && !line.is_count {
            let row = Rect::from_min_max(
                pos2(rect.left() + 4.0, top),
                pos2(
                    rect.right() - 4.0,
                    top + LINE_POINTS * f32::from(line.lines),
                ),
            );
            shapes.push(Shape::rect_filled(
                row,
                3.0,
                mix(colors.surface, colors.accent, 0.14),
            ));
        }
        let ink = self.faded(colors.class(line.class));
        let middle = self.middle(line, rect);
        if !line.is_count {
            let at = pos2(rect.left() + SIGN_ROOM / 2.0 + 2.0, middle);
            if line.is_call {
                shapes.extend(glyph::call(at, 11.0, ink));
            } else {
                shapes.extend(glyph::glyph(line.class, at, 11.0, ink));
            }
        }
        let (points, color) = match line.class {
            NodeClass::Compaction | NodeClass::BranchSummary => {
                (WORDS_POINTS, mix(ink, colors.text, 0.35))
            }
            NodeClass::Error => (QUIET_POINTS, mix(ink, colors.text, 0.25)),
            _ if line.is_count => (10.5, colors.text_quiet),
            // What the model says is read; its calls and thinking stand back.
            NodeClass::Assistant if line.name.is_empty() => {
                (QUIET_POINTS, mix(colors.text, colors.text_quiet, 0.25))
            }
            _ if line.is_quiet => (QUIET_POINTS, colors.text_quiet),
            _ => (WORDS_POINTS, colors.text),
        };
        let left = rect.left() + SIGN_ROOM + 2.0;
        let color = self.faded(color);
        let name = self.faded(mix(colors.text_quiet, ink, 0.5));
        let parts = [(line.name.as_str(), name), (line.words.as_str(), color)];
        let (at, anchor) = if line.lines == 1 {
            (pos2(left, middle), Align2::LEFT_CENTER)
        } else {
            (pos2(left, top), Align2::LEFT_TOP)
        };
        let lines = usize::from(line.lines);
        let shape = text::lines(self.ctx, at, anchor, &parts, points, right - left, lines);
        shapes.push(shape.1);
    }
}
