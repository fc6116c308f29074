//! The band with what lies on it: phases, prompts, summaries, errors, flags; beside it the lanes.

use super::band::{self, stretches};
use super::line::ink;
use super::plan::{self, Fate};
use super::{glyph, mix};
use crate::frame::{Distance, Frame, LANE};
use crate::palette::Palette;
use crate::scene::Scene;
use egui::{Painter, Rangef, Rect, Shape, Stroke, pos2, vec2};
use palimpsest_core::layout::{LaneKind, NodeClass, PictureRow, STEP_TOKENS};

/// Least distance of two ticks or dots, in points.
const APART: f32 = 2.5;
/// Length of a prompt's tick.
const TICK: f32 = 6.0;
/// Widest stream of a lane beside the band.
const STREAM: f32 = LANE - 5.0;

/// What is painted, and how heights become places on screen.
pub struct Scale<'a> {
    /// The picture.
    pub scene: &'a Scene,
    /// The parts of the pane.
    pub frame: &'a Frame,
    /// The colours.
    pub palette: &'a Palette,
    /// Points per unit.
    pub points: f32,
    /// Height in units in the middle of the body.
    pub middle: f64,
}

impl Scale<'_> {
    /// Where a height is on screen.
    pub fn y(&self, units: f64) -> f32 {
        let down = (units - self.middle) * f64::from(self.points);
        self.frame.body.center().y + down as f32
    }

    fn top(&self, row: u32) -> f32 {
        self.y(f64::from(self.scene.top(row)))
    }

    fn bottom(&self, row: u32) -> f32 {
        self.y(f64::from(self.scene.bottom(row)))
    }

    /// The middle of a row's line, which stays near its upper edge where rows are high.
    fn place(&self, row: u32) -> f32 {
        let (top, bottom) = (self.top(row), self.bottom(row));
        ((top + bottom) / 2.0).min(top + 11.0)
    }

    fn rows(&self) -> impl Iterator<Item = &PictureRow> {
        let body = self.frame.body;
        let units = |y: f32| self.middle + f64::from((y - body.center().y) / self.points);
        let rows = self
            .scene
            .rows_in(units(body.top() - 8.0)..units(body.bottom() + 8.0));
        rows.filter_map(|row| self.scene.row(row))
    }
}

/// Paints all of it.
pub fn paint(painter: &Painter, at: &Scale<'_>) {
    phases(painter, at);
    grid(painter, at);
    let seen = (at.frame.body.top() - 2.0, at.frame.body.bottom() + 2.0);
    let step = 1.0 / painter.ctx().pixels_per_point();
    let main = stretches(at.scene, at.scene.lane_rows(0), seen, step, |units| {
        at.y(units)
    });
    let (left, per_step) = (at.frame.river.min, band::per_step(at.frame));
    let widest = at.frame.river.span();
    painter.add(band::paint(
        at.scene, &main, left, per_step, widest, at.palette, 0.12,
    ));
    streams(painter, at, seen, step);
    subagents(painter, at);
    marks(painter, at);
}

/// A quiet ground under every second phase.
fn phases(painter: &Painter, at: &Scale<'_>) {
    let (frame, palette) = (at.frame, at.palette);
    let ground = mix(palette.background, palette.compaction, 0.05);
    for (number, phase) in at.scene.sections().phases.iter().enumerate() {
        let (top, bottom) = (at.top(phase.first), at.bottom(phase.last));
        if number % 2 == 0 || bottom < frame.body.top() || top > frame.body.bottom() {
            continue;
        }
        let rect = Rect::from_x_y_ranges(
            Rangef::new(frame.times.max, frame.map.min - 4.0),
            Rangef::new(top, bottom),
        );
        painter.rect_filled(rect, 0.0, ground);
    }
}

/// Lines of equal size, the window and the threshold.
fn grid(painter: &Painter, at: &Scale<'_>) {
    let (frame, palette) = (at.frame, at.palette);
    let ink = mix(palette.border, palette.background, 0.45);
    for tokens in super::head::ticks(frame) {
        let x = frame.x_of(tokens).round() + 0.5;
        painter.vline(x, frame.body.y_range(), Stroke::new(1.0, ink));
    }
    let picture = at.scene.picture();
    if picture.threshold > 0 && (picture.threshold as f64) < frame.tokens {
        let x = frame.x_of(picture.threshold as f64).round() + 0.5;
        let ends = [pos2(x, frame.body.top()), pos2(x, frame.body.bottom())];
        let stroke = Stroke::new(1.0, mix(palette.compaction, palette.background, 0.35));
        painter.extend(Shape::dashed_line(&ends, stroke, 3.0, 4.0));
    }
}

/// The lanes of branches, other roots and subagents: narrow bands in their columns.
fn streams(painter: &Painter, at: &Scale<'_>, seen: (f32, f32), step: f32) {
    let per_step = STREAM * STEP_TOKENS as f32 / at.frame.tokens as f32;
    for (number, lane) in at.scene.picture().lanes.iter().enumerate().skip(1) {
        let (top, bottom) = (at.top(lane.first), at.bottom(lane.last));
        if bottom < seen.0 || top > seen.1 {
            continue;
        }
        let left = at.frame.lane(lane.column);
        let rows = at.scene.lane_rows(number);
        let own = stretches(at.scene, rows, seen, step, |units| at.y(units));
        painter.add(band::paint(
            at.scene,
            &own,
            left + 2.0,
            per_step,
            STREAM,
            at.palette,
            0.3,
        ));
        let color = ink(lane.kind, at.palette);
        let ends = Rangef::new(top.max(seen.0), bottom.max(top + 3.0).min(seen.1));
        painter.vline(left, ends, Stroke::new(2.0, color));
        if lane.kind == LaneKind::Root && top > seen.0 {
            painter.circle_filled(pos2(left, top), 3.0, color);
        }
    }
}

/// A loop out of the band where subagents with a session of their own worked.
fn subagents(painter: &Painter, at: &Scale<'_>) {
    let color = mix(at.palette.tool, at.palette.background, 0.1);
    let mut free = f32::NEG_INFINITY;
    for row in at.rows().filter(|row| row.subagents > 0) {
        let from = row.parent.map_or(at.top(row.id), |parent| at.top(parent));
        let to = at.bottom(row.id);
        let middle = (from + to) / 2.0;
        let half = ((to - from) / 2.0).clamp(5.0, 26.0);
        if middle - half < free {
            continue;
        }
        free = middle + half * 0.4;
        let x = at.frame.x_of(row.size as f64).max(at.frame.river.min + 6.0);
        let out = 8.0 + (row.subagents.min(4) as f32) * 3.0;
        let points = (0..=12)
            .map(|step| {
                let angle = std::f32::consts::PI * (step as f32 / 12.0 - 0.5);
                pos2(x + out * angle.cos(), middle + half * angle.sin())
            })
            .collect();
        let width = 1.5 + row.subagents.min(4) as f32 * 0.5;
        painter.add(Shape::line(points, Stroke::new(width, color)));
    }
}

/// Ticks, dots and summaries on the band, no two of a kind in the same place.
fn marks(painter: &Painter, at: &Scale<'_>) {
    let (frame, palette) = (at.frame, at.palette);
    let (mut tick, mut dot, mut flag) = (f32::NEG_INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY);
    let edge = |row: &PictureRow| match row.lane {
        0 => frame.x_of(row.size as f64).min(frame.river.max),
        lane => {
            let lane = at.scene.picture().lanes.get(lane as usize);
            frame.lane(lane.map_or(1, |lane| lane.column)) + STREAM
        }
    };
    for row in at.rows() {
        let y = at.place(row.id);
        match row.class {
            NodeClass::User if y - tick >= APART => {
                tick = y;
                let left = if row.lane == 0 {
                    frame.river.min - 1.0
                } else {
                    edge(row) - STREAM
                };
                let rect = Rect::from_min_size(pos2(left, y - 0.75), vec2(TICK, 1.5));
                painter.rect_filled(rect, 0.5, palette.user);
            }
            NodeClass::Compaction if row.lane == 0 => compaction(painter, at, row),
            NodeClass::BranchSummary => {
                let center = pos2(edge(row) + 7.0, y);
                painter.extend(glyph::glyph(
                    row.class,
                    center,
                    11.0,
                    palette.branch_summary,
                ));
            }
            _ => {}
        }
        if row.has_error && y - dot >= 2.0 * APART {
            dot = y;
            painter.circle_filled(pos2(edge(row) + 4.0, y), 2.3, palette.error);
        }
        if row.flag && y - flag >= 8.0 {
            flag = y;
            let center = pos2(edge(row) + 13.0, y);
            painter.extend(glyph::glyph(NodeClass::Label, center, 11.0, palette.label));
        }
    }
}

/// A line across the band as it was before, with the sign of a summary at its end.
fn compaction(painter: &Painter, at: &Scale<'_>, row: &PictureRow) {
    let (frame, palette) = (at.frame, at.palette);
    let before = row.parent.and_then(|parent| at.scene.row(parent));
    let before = before.map_or(row.size, |row| row.size);
    let y = at.top(row.id).round();
    let end = frame.x_of(before.max(row.size) as f64).min(frame.river.max);
    painter.hline(
        frame.river.min - 2.0..=end,
        y,
        Stroke::new(1.5, palette.compaction),
    );
    let center = pos2((end + 9.0).min(frame.river.max + 6.0), y);
    painter.circle_filled(center, 7.0, palette.background);
    painter.extend(glyph::glyph(
        NodeClass::Compaction,
        center,
        11.0,
        palette.compaction,
    ));
}

/// Where the selected row is, across the band and the lanes.
pub fn selection(painter: &Painter, at: &Scale<'_>, row: u32) {
    let (frame, accent) = (at.frame, at.palette.accent);
    let (top, bottom) = (at.top(row), at.bottom(row));
    if bottom < frame.body.top() || top > frame.body.bottom() {
        return;
    }
    let across = Rangef::new(frame.plan.min, frame.cards.min - 4.0);
    let rect = Rect::from_x_y_ranges(across, Rangef::new(top, bottom.max(top + 1.5)));
    if Distance::of(at.points) == Distance::Near {
        painter.rect_filled(rect, 0.0, accent.gamma_multiply(0.12));
    }
    let y = at.place(row);
    painter.hline(across, y, Stroke::new(1.0, accent));
    let tip = pos2(frame.plan.min + 6.0, y);
    painter.add(Shape::convex_polygon(
        vec![tip, tip + vec2(-8.0, -5.0), tip + vec2(-8.0, 5.0)],
        accent,
        Stroke::NONE,
    ));
}

/// What a plan does with the rows, beside the band.
pub fn plan(painter: &Painter, at: &Scale<'_>, fate: impl Fn(u32) -> Option<Fate>) {
    let strip = Rangef::new(at.frame.plan.min + 1.0, at.frame.plan.max - 2.0);
    let seen = at.frame.body.y_range();
    let mut open: Option<(f32, f32, Fate)> = None;
    let put = |(top, bottom, fate): (f32, f32, Fate)| {
        let ends = Rangef::new(top, bottom.max(top + 1.0));
        let band = Rect::from_x_y_ranges(strip, ends);
        painter.extend(plan::look(fate, band, seen, at.palette));
    };
    for row in at.rows() {
        let Some(fate) = fate(row.id) else { continue };
        let (top, bottom) = (at.top(row.id), at.bottom(row.id));
        match &mut open {
            Some(last) if last.2 == fate && top - last.1 < 1.0 => last.1 = bottom,
            _ => {
                if let Some(last) = open.replace((top, bottom, fate)) {
                    put(last);
                }
            }
        }
    }
    if let Some(last) = open {
        put(last);
    }
}
