//! The map: the whole session at the right edge, with the part on screen.

use super::band;
use super::mix;
use crate::frame::Frame;
use crate::palette::Palette;
use crate::scene::Scene;
use egui::{Painter, Rangef, Rect, Stroke, StrokeKind};
use palimpsest_core::layout::{NodeClass, STEP_TOKENS};

/// Paints the map; `seen` are the heights on screen, in units.
pub fn paint(
    painter: &Painter,
    scene: &Scene,
    frame: &Frame,
    palette: &Palette,
    seen: std::ops::Range<f64>,
) {
    let all = f64::from(scene.height().max(1));
    let is_whole = seen.end - seen.start >= all;
    if is_whole {
        return;
    }
    let (top, height) = (frame.body.top() + 2.0, frame.body.height() - 4.0);
    let y_of = |units: f64| top + (units / all) as f32 * height;
    let ground = mix(palette.background, palette.border, 0.18);
    painter.rect_filled(
        Rect::from_x_y_ranges(frame.map, frame.body.y_range()),
        0.0,
        ground,
    );
    let left = frame.map.min + 3.0;
    let width = frame.map.span() - 6.0;
    let per_step = (f64::from(width) * STEP_TOKENS as f64 / frame.tokens) as f32;
    let ends = (frame.body.top(), frame.body.bottom());
    let step = 1.0 / painter.ctx().pixels_per_point();
    let stretches = band::stretches(scene, scene.lane_rows(0), ends, step, y_of);
    painter.add(band::paint(
        scene, &stretches, left, per_step, width, palette, 0.35,
    ));
    for phase in scene.sections().phases.iter().skip(1) {
        let is_summary = scene.row(phase.first).map(|row| row.class) == Some(NodeClass::Compaction);
        if is_summary {
            let y = y_of(f64::from(scene.top(phase.first)));
            painter.hline(frame.map, y, Stroke::new(1.0, palette.compaction));
        }
    }
    let from = y_of(seen.start).max(frame.body.top() + 1.0);
    let to = y_of(seen.end)
        .max(from + 6.0)
        .min(frame.body.bottom() - 1.0);
    let window = Rect::from_x_y_ranges(
        Rangef::new(frame.map.min + 1.0, frame.map.max - 1.0),
        Rangef::new(from.min(to - 6.0), to),
    );
    painter.rect_filled(window, 2.0, palette.accent.gamma_multiply(0.12));
    painter.rect_stroke(
        window,
        2.0,
        Stroke::new(1.5, palette.accent),
        StrokeKind::Inside,
    );
}
