//! The band: the context over the session, its width the size, its colours the parts.

use super::mix;
use crate::frame::Frame;
use crate::palette::Palette;
use crate::scene::Scene;
use egui::epaint::Mesh;
use egui::{Color32, Pos2, Rect, Shape, pos2};
use palimpsest_core::layout::{Band, PARTS, STEP_TOKENS};

/// A stretch of a lane on screen in which one context is shown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stretch {
    /// Upper edge on screen.
    pub top: f32,
    /// Lower edge.
    pub bottom: f32,
    /// The row whose context it is: the largest of those that lie in it.
    pub row: u32,
    /// Nothing was added to the lane here: another lane went on.
    pub is_waiting: bool,
}

/// The stretches of a lane that are on screen, none of them finer than a pixel.
///
/// `to_screen` gives the place of a height in units.
pub fn stretches(
    scene: &Scene,
    rows: &[u32],
    seen: (f32, f32),
    step: f32,
    to_screen: impl Fn(f64) -> f32,
) -> Vec<Stretch> {
    let y_of = |units: u32| to_screen(f64::from(units));
    let first = rows.partition_point(|&row| y_of(scene.bottom(row)) < seen.0);
    let mut all: Vec<Stretch> = Vec::new();
    let before = first.checked_sub(1).map(|at| rows[at]);
    let mut last_bottom = before.map(|row| (y_of(scene.bottom(row)), row));
    let size = |row: u32| scene.row(row).map_or(0, |row| row.size);
    for &row in &rows[first..] {
        let (top, bottom) = (y_of(scene.top(row)), y_of(scene.bottom(row)));
        if let Some((from, waiting)) = last_bottom
            && top - from > step
        {
            all.push(Stretch {
                top: from,
                bottom: top,
                row: waiting,
                is_waiting: true,
            });
        }
        last_bottom = Some((bottom, row));
        if top > seen.1 {
            break;
        }
        match all.last_mut() {
            // Rows within a pixel share it; the largest is seen.
            Some(open) if !open.is_waiting && bottom - open.top <= step => {
                open.bottom = bottom;
                if size(row) > size(open.row) {
                    open.row = row;
                }
            }
            _ => all.push(Stretch {
                top,
                bottom,
                row,
                is_waiting: false,
            }),
        }
    }
    all
}

/// Paints the parts of stretches from `left` on, `per_step` points wide for each step of a band.
pub fn paint(
    scene: &Scene,
    stretches: &[Stretch],
    left: f32,
    per_step: f32,
    widest: f32,
    palette: &Palette,
    faded: f32,
) -> Shape {
    let mut mesh = Mesh::default();
    for stretch in stretches {
        let Some(row) = scene.row(stretch.row) else {
            continue;
        };
        let amount = if stretch.is_waiting { 0.78 } else { faded };
        let mut x = left;
        for part in 0..PARTS {
            let width = f32::from(row.band[part]) * per_step;
            if width < 0.05 {
                continue;
            }
            let right = (x + width).min(left + widest);
            let color = mix(palette.parts[part], palette.background, amount);
            add(
                &mut mesh,
                Rect::from_min_max(pos2(x, stretch.top), pos2(right, stretch.bottom)),
                color,
            );
            x = right;
        }
    }
    Shape::mesh(mesh)
}

/// Points per step of a band in the frame's main band.
pub fn per_step(frame: &Frame) -> f32 {
    (f64::from(frame.river.span()) * STEP_TOKENS as f64 / frame.tokens) as f32
}

/// Steps of a band in all.
pub fn steps(band: &Band) -> u32 {
    band.iter().map(|&part| u32::from(part)).sum()
}

fn add(mesh: &mut Mesh, rect: Rect, color: Color32) {
    let start = u32::try_from(mesh.vertices.len()).unwrap_or(u32::MAX);
    let corners: [Pos2; 4] = [
        rect.left_top(),
        rect.right_top(),
        rect.right_bottom(),
        rect.left_bottom(),
    ];
    for corner in corners {
        mesh.colored_vertex(corner, color);
    }
    mesh.add_triangle(start, start + 1, start + 2);
    mesh.add_triangle(start, start + 2, start + 3);
}
