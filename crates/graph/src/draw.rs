//! How nodes and lines look.
//!
//! Each meaning has a colour *and* a shape, so that neither is needed to tell it. Detail follows
//! the zoom: text while it can be read, bars in its place below that, then plain marks.

pub mod card;
pub mod cut;
pub mod glyph;
pub mod line;
pub mod plan;
mod text;
pub mod user;

use egui::Color32;

/// Smallest text that is drawn, in points.
pub const READABLE_POINTS: f32 = 8.5;
/// Below this zoom a node is a mark of a fixed size.
pub const MARK_ZOOM: f32 = 0.2;

/// `color` moved towards `other`; 0 leaves it, 1 gives `other`.
pub fn mix(color: Color32, other: Color32, amount: f32) -> Color32 {
    color.lerp_to_gamma(other, amount)
}
