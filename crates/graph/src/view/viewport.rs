//! Which part of the model is on screen.

use crate::event::TreeEvent;
use crate::scene::Scene;
use egui::{Pos2, Rect, Vec2, pos2, vec2};
use palimpsest_core::EntryIx;
use palimpsest_core::layout::{NODE_HEIGHT, NODE_WIDTH, NodeClass};

/// Nearest zoom.
const MAX_ZOOM: f32 = 2.5;
/// Farthest zoom of [`Move::Fit`]: below it rows run into each other.
const MIN_FIT_ZOOM: f32 = 0.06;
/// A session that is all on screen at this zoom or nearer is opened so; text is readable there.
const MIN_START_ZOOM: f32 = 0.8;
/// Room left round the tree, in points on screen.
const EDGE: f32 = 28.0;

/// A way to go somewhere, carried out when the size of the screen is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Move {
    /// To where a session opens: readable, with the active leaf on screen.
    Start,
    /// So that all is seen.
    Fit,
    /// An entry to the middle.
    Center(EntryIx),
    /// An entry onto the screen, by the shortest way.
    Reveal(EntryIx),
    /// Nearer (above 1) or farther.
    Zoom(f32),
}

/// The part of the model on screen: what is in the middle, and how large.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Viewport {
    pub x: f64,
    pub y: f64,
    pub zoom: f32,
}

impl Default for Viewport {
    fn default() -> Self {
        Viewport {
            x: 0.0,
            y: 0.0,
            zoom: 1.0,
        }
    }
}

impl Viewport {
    /// The visible rectangle of the model.
    pub(super) fn visible(&self, size: Vec2) -> Rect {
        Rect::from_center_size(pos2(self.x as f32, self.y as f32), size / self.zoom)
    }

    /// Where a model position is on screen.
    pub(super) fn to_screen(self, rect: Rect, at: Pos2) -> Pos2 {
        let offset = (f64::from(at.x) - self.x, f64::from(at.y) - self.y);
        rect.center() + vec2(offset.0 as f32, offset.1 as f32) * self.zoom
    }

    /// The library's pan for a graph whose origin is at `origin`, on whole pixels.
    pub(super) fn pan_from(&self, origin: (f64, f64), size: Vec2, pixels_per_point: f32) -> Vec2 {
        let offset = vec2((origin.0 - self.x) as f32, (origin.1 - self.y) as f32);
        let pan = size / 2.0 + offset * self.zoom;
        (pan * pixels_per_point).round() / pixels_per_point
    }

    /// Moves with what is on screen, by points of the model.
    pub(super) fn shift(&mut self, by: Vec2) {
        self.x += f64::from(by.x);
        self.y += f64::from(by.y);
    }

    /// Moves what is on screen by points of the screen.
    pub(super) fn pan(&mut self, by: Vec2, scene: &Scene) {
        self.shift(-by / self.zoom);
        self.stay_near(scene);
    }

    /// Zooms so that the point `at`, relative to the middle of the screen, stays in place.
    pub(super) fn zoom_at(&mut self, factor: f32, at: Vec2, scene: &Scene, size: Vec2) {
        let least = fit_zoom(scene, size).min(MIN_FIT_ZOOM);
        let zoom = (self.zoom * factor).clamp(least, MAX_ZOOM);
        self.shift(at / self.zoom - at / zoom);
        self.zoom = zoom;
        self.stay_near(scene);
    }

    pub(super) fn go(&mut self, to: Move, scene: &Scene, size: Vec2) {
        let place = |entry| scene.node_of(entry).map(|node| scene.position(node.id));
        match to {
            Move::Start => self.start(scene, size),
            Move::Fit => self.fit(scene, size),
            Move::Zoom(factor) => self.zoom_at(factor, Vec2::ZERO, scene, size),
            Move::Center(entry) => {
                if let Some(at) = place(entry) {
                    (self.x, self.y) = (f64::from(at.x), f64::from(at.y));
                }
            }
            Move::Reveal(entry) => {
                if let Some(at) = place(entry) {
                    self.reveal(at, size);
                }
            }
        }
    }

    fn start(&mut self, scene: &Scene, size: Vec2) {
        let bounds = scene.bounds();
        let room = size - Vec2::splat(2.0 * EDGE);
        let whole = fit_zoom(scene, size);
        self.zoom = if whole < MIN_START_ZOOM {
            1.0
        } else {
            whole.min(1.0)
        };
        let shown = bounds.size() * self.zoom;
        self.x = if shown.x <= room.x {
            f64::from(bounds.center().x)
        } else {
            0.0
        };
        // From the top when all of it fits, else from the active leaf.
        let top = bounds.top() - EDGE / self.zoom;
        let half = size.y / self.zoom / 2.0;
        let bottom = active_leaf(scene).map_or(bounds.bottom(), |at| at.y + NODE_HEIGHT / 2.0);
        let lowest = bottom + EDGE / self.zoom - half;
        self.y = f64::from(if shown.y <= room.y {
            top + half
        } else {
            lowest.max(top + half)
        });
    }

    fn fit(&mut self, scene: &Scene, size: Vec2) {
        let bounds = scene.bounds();
        let whole = fit_zoom(scene, size);
        self.zoom = whole.clamp(MIN_FIT_ZOOM, 1.0);
        (self.x, self.y) = (f64::from(bounds.center().x), f64::from(bounds.center().y));
        if whole < MIN_FIT_ZOOM
            && let Some(leaf) = active_leaf(scene)
        {
            let half = size / self.zoom / 2.0;
            let inside = |low: f32, high: f32, half: f32, at: f32| {
                if high - low <= 2.0 * half {
                    f64::from((low + high) / 2.0)
                } else {
                    f64::from(at.clamp(low + half, high - half))
                }
            };
            let room = bounds.expand(EDGE / self.zoom);
            self.x = inside(room.left(), room.right(), half.x, leaf.x);
            self.y = inside(room.top(), room.bottom(), half.y, leaf.y);
        }
    }

    fn reveal(&mut self, at: Pos2, size: Vec2) {
        let node = vec2(NODE_WIDTH, NODE_HEIGHT);
        let room = self
            .visible(size)
            .shrink2((node / 2.0 + Vec2::splat(EDGE / self.zoom)).min(size / self.zoom / 2.0));
        let nearest = room.clamp(at);
        self.shift(at - nearest);
    }

    /// Keeps the middle of the screen within the tree, so that it cannot be lost.
    fn stay_near(&mut self, scene: &Scene) {
        let bounds = scene.bounds();
        self.x = self
            .x
            .clamp(f64::from(bounds.left()), f64::from(bounds.right()));
        self.y = self
            .y
            .clamp(f64::from(bounds.top()), f64::from(bounds.bottom()));
    }

    pub(super) fn event(&self) -> TreeEvent {
        TreeEvent::ViewportChanged {
            zoom: self.zoom,
            x: self.x as f32,
            y: self.y as f32,
        }
    }
}

/// The zoom at which all of the tree is on screen.
fn fit_zoom(scene: &Scene, size: Vec2) -> f32 {
    let bounds = scene.bounds();
    let room = (size - Vec2::splat(2.0 * EDGE)).max(Vec2::splat(40.0));
    (room.x / bounds.width().max(1.0)).min(room.y / bounds.height().max(1.0))
}

fn active_leaf(scene: &Scene) -> Option<Pos2> {
    let leaf = scene
        .model()
        .nodes
        .iter()
        .find(|node| node.is_active_leaf)?;
    debug_assert!(leaf.class != NodeClass::Run, "the active leaf stands alone");
    Some(pos2(leaf.x, leaf.y))
}
