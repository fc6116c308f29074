//! Which part of the picture is on screen.

use crate::event::TreeEvent;
use crate::frame::{Distance, Frame, NEAR_SCALE};
use crate::scene::Scene;
use egui::Rect;
use palimpsest_core::EntryIx;

/// Nearest scale, in points per unit.
const MOST_SCALE: f32 = 30.0;
/// A session is never opened nearer than this: its entries are read without zooming.
const START_SCALE: f32 = 21.0;
/// Scales that the buttons lead to.
const MIDDLE_STOP: f32 = 5.0;
const NEAR_STOP: f32 = 20.0;
/// Room left above and below all rows, in points.
const EDGE: f32 = 8.0;
/// Room that a revealed row has to the edge of the screen, in points.
const REVEAL: f32 = 40.0;
/// Share of the way to its goal that the view goes in 1/60 s.
const STEP: f32 = 0.28;

/// A way to go somewhere, carried out when the size of the screen is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Move {
    /// So that all is seen.
    Fit,
    /// An entry to the middle.
    Center(EntryIx),
    /// An entry onto the screen, by the shortest way.
    Reveal(EntryIx),
    /// Nearer (above 1) or farther.
    Zoom(f32),
    /// To one of the three distances, round an entry where one is given.
    To(Distance, Option<EntryIx>),
    /// By so many screens, down where positive.
    Page(f32),
}

/// The part of the picture on screen: what is in the middle, and how large.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Viewport {
    /// Height in units in the middle of the body.
    pub y: f64,
    /// Points per unit.
    pub scale: f32,
}

impl Default for Viewport {
    fn default() -> Self {
        Viewport { y: 0.0, scale: 1.0 }
    }
}

impl Viewport {
    /// Where a height is on screen.
    pub(super) fn to_screen(self, frame: &Frame, units: f64) -> f32 {
        frame.body.center().y + ((units - self.y) * f64::from(self.scale)) as f32
    }

    /// The height at a place on screen.
    pub(super) fn to_units(self, frame: &Frame, y: f32) -> f64 {
        self.y + f64::from(y - frame.body.center().y) / f64::from(self.scale)
    }

    /// The heights on screen.
    pub(super) fn seen(self, frame: &Frame) -> std::ops::Range<f64> {
        let (top, bottom) = (frame.body.top(), frame.body.bottom());
        self.to_units(frame, top)..self.to_units(frame, bottom)
    }

    /// Moves what is on screen by points.
    pub(super) fn pan(&mut self, by: f32, scene: &Scene, body: Rect) {
        self.y -= f64::from(by / self.scale);
        self.stay(scene, body);
    }

    /// Zooms so that what is `at` points below the middle stays in place.
    pub(super) fn zoom_at(&mut self, factor: f32, at: f32, scene: &Scene, body: Rect) {
        let scale = limited(self.scale * factor, scene, body);
        self.y += f64::from(at) / f64::from(self.scale) - f64::from(at) / f64::from(scale);
        self.scale = scale;
        self.stay(scene, body);
    }

    /// Where a move leads.
    pub(super) fn after(mut self, to: Move, scene: &Scene, body: Rect) -> Viewport {
        let place = |entry| {
            let row = scene.row_of(entry)?.id;
            Some((f64::from(scene.top(row)), f64::from(scene.bottom(row))))
        };
        match to {
            Move::Fit => {
                self.scale = fit(scene, body);
                self.y = f64::from(scene.height()) / 2.0;
            }
            Move::Zoom(factor) => self.zoom_at(factor, 0.0, scene, body),
            Move::Page(screens) => self.pan(-screens * body.height(), scene, body),
            Move::Center(entry) => {
                if let Some((top, bottom)) = place(entry) {
                    self.y = (top + bottom) / 2.0;
                }
            }
            Move::Reveal(entry) => {
                if let Some((top, bottom)) = place(entry) {
                    let half = f64::from((body.height() / 2.0 - REVEAL).max(0.0) / self.scale);
                    let (low, high) = (bottom - half, top + half);
                    self.y = if low <= high {
                        self.y.clamp(low, high)
                    } else {
                        (top + bottom) / 2.0
                    };
                }
            }
            Move::To(distance, entry) => {
                if let Some((top, bottom)) = entry.and_then(place) {
                    self.y = (top + bottom) / 2.0;
                }
                self.scale = match distance {
                    Distance::Far => fit(scene, body),
                    Distance::Middle => limited(MIDDLE_STOP, scene, body),
                    Distance::Near => limited(NEAR_STOP, scene, body),
                };
            }
        }
        self.stay(scene, body);
        self
    }

    /// A step of a smooth way to `goal`, `seconds` after the last; true when it has arrived.
    pub(super) fn step_to(&mut self, goal: Viewport, seconds: f32) -> bool {
        let part = 1.0 - (1.0 - STEP).powf(seconds * 60.0);
        let scale = (self.scale.ln() + (goal.scale.ln() - self.scale.ln()) * part).exp();
        let way = goal.y - self.y;
        // Height follows the scale, so that the target of the movement is what grows.
        self.y += way * f64::from(part);
        self.scale = scale;
        let is_there = (goal.scale / scale - 1.0).abs() < 0.004
            && ((goal.y - self.y) * f64::from(scale)).abs() < 0.5;
        if is_there {
            *self = goal;
        }
        is_there
    }

    /// Keeps the rows on screen: no more empty room above or below than needed.
    fn stay(&mut self, scene: &Scene, body: Rect) {
        self.scale = limited(self.scale, scene, body);
        let all = f64::from(scene.height());
        let half = f64::from((body.height() / 2.0 - EDGE).max(0.0) / self.scale);
        self.y = if all <= 2.0 * half {
            // From the top: a short session begins where a long one does.
            half.min(all.max(half))
        } else {
            self.y.clamp(half, all - half)
        };
    }

    /// True where just the whole session is seen.
    pub(super) fn is_whole(&self, scene: &Scene, body: Rect) -> bool {
        (self.scale / fit(scene, body) - 1.0).abs() < 0.002
    }

    pub(super) fn event(&self, frame: &Frame, scene: &Scene) -> TreeEvent {
        let rows = scene.rows_in(self.seen(frame));
        TreeEvent::ViewportChanged {
            scale: self.scale,
            // A short session is seen whole from near; what the page calls far is that all is seen.
            distance: if self.is_whole(scene, frame.body) {
                Distance::Far
            } else {
                Distance::of(self.scale)
            },
            first: rows.start,
            last: rows.end.saturating_sub(1),
            rows: u32::try_from(scene.picture().rows.len()).unwrap_or(u32::MAX),
        }
    }
}

/// The scale at which all rows are on screen.
pub(super) fn fit(scene: &Scene, body: Rect) -> f32 {
    let room = (body.height() - 2.0 * EDGE).max(40.0);
    (room / scene.height().max(1) as f32).min(START_SCALE)
}

fn limited(scale: f32, scene: &Scene, body: Rect) -> f32 {
    scale.clamp(fit(scene, body).min(NEAR_SCALE), MOST_SCALE)
}
