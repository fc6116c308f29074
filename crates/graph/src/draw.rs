//! How everything looks.
//!
//! Each meaning has a colour *and* a shape or a place, so that colour is not needed to tell it. Text
//! has one size at every scale; what has no room for text is a mark.

pub mod band;
pub mod card;
pub mod cut;
pub mod glyph;
pub mod head;
pub mod lanes;
pub mod line;
pub mod map;
pub mod plan;
mod text;
pub mod times;
pub mod user;

use egui::Color32;

/// `color` moved towards `other`; 0 leaves it, 1 gives `other`.
pub fn mix(color: Color32, other: Color32, amount: f32) -> Color32 {
    color.lerp_to_gamma(other, amount)
}
