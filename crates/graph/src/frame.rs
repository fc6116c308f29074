//! How the pane is shared out: time, plan, the band of the context, lanes, cards, the map.

use crate::scene::Scene;
use egui::{Rangef, Rect};

/// Width of the times, in points.
const TIMES: f32 = 44.0;
/// Width of the strip that shows a plan.
const PLAN: f32 = 7.0;
/// Width of a column of lanes.
pub const LANE: f32 = 18.0;
/// Most columns of lanes; what is further right shares the last.
pub const MOST_LANES: u32 = 6;
/// Width of the map of the whole.
const MAP: f32 = 30.0;
/// Height of the head with the scale of tokens and the title.
pub const HEAD: f32 = 24.0;
/// Share of the pane that the band takes when all is seen, and its limits.
const FAR_SHARE: f32 = 0.32;
const FAR_LIMITS: (f32, f32) = (90.0, 460.0);
/// Share of the pane that it takes when entries are read.
const NEAR_SHARE: f32 = 0.13;
const NEAR_LIMITS: (f32, f32) = (48.0, 150.0);
/// Room above the largest context, as a factor.
const HEADROOM: f64 = 1.06;

/// From this scale on, in points per unit, turns have cards of their own.
pub const MIDDLE_SCALE: f32 = 2.2;
/// From this scale on entries have cards of their own, with text.
pub const NEAR_SCALE: f32 = 13.0;

/// The three ways to look at a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Distance {
    /// The band, and titles where there is room.
    Far,
    /// Turns as cards.
    Middle,
    /// Entries with text.
    Near,
}

impl Distance {
    /// The distance at a scale in points per unit.
    pub fn of(scale: f32) -> Distance {
        if scale >= NEAR_SCALE {
            Distance::Near
        } else if scale >= MIDDLE_SCALE {
            Distance::Middle
        } else {
            Distance::Far
        }
    }
}

/// Where the parts of the pane lie on screen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frame {
    /// All of it.
    pub pane: Rect,
    /// Below the head.
    pub body: Rect,
    /// Times of day.
    pub times: Rangef,
    /// The strip of a plan.
    pub plan: Rangef,
    /// The band.
    pub river: Rangef,
    /// The lanes of branches; empty where there are none.
    pub lanes: Rangef,
    /// The cards.
    pub cards: Rangef,
    /// The map.
    pub map: Rangef,
    /// Tokens that the whole width of the band stands for.
    pub tokens: f64,
}

impl Frame {
    /// Shares out `pane` at a scale in points per unit.
    pub fn of(pane: Rect, scale: f32, scene: &Scene) -> Frame {
        let width = pane.width();
        let far = (width * FAR_SHARE).clamp(FAR_LIMITS.0, FAR_LIMITS.1);
        let near = (width * NEAR_SHARE).clamp(NEAR_LIMITS.0, NEAR_LIMITS.1);
        let (low, high) = (MIDDLE_SCALE.ln(), NEAR_SCALE.ln());
        let t = ((scale.max(f32::MIN_POSITIVE).ln() - low) / (high - low)).clamp(0.0, 1.0);
        let eased = t * t * (3.0 - 2.0 * t);
        let band = (far + (near - far) * eased).round();
        let columns = scene.columns().min(MOST_LANES) as f32;
        let mut left = pane.left();
        let mut take = |width: f32| {
            let taken = Rangef::new(left, left + width);
            left = taken.max;
            taken
        };
        let times = take(TIMES);
        let plan = take(PLAN);
        let river = take(band);
        let lanes = take(columns * LANE + if columns > 0.0 { 6.0 } else { 0.0 });
        // Where all is on screen a map would only repeat it.
        let is_whole = scene.height() as f32 * scale <= pane.height() - HEAD;
        let map = if is_whole { 0.0 } else { MAP };
        let map = Rangef::new(pane.right() - map, pane.right());
        let picture = scene.picture();
        let most = scene.most().max(1) as f64 * HEADROOM;
        // The threshold is shown as long as it does not push the band together.
        let line = picture.threshold as f64 * 1.02;
        Frame {
            pane,
            body: Rect::from_min_max(egui::pos2(pane.left(), pane.top() + HEAD), pane.max),
            times,
            plan,
            river,
            lanes,
            cards: Rangef::new(left + 14.0, (map.min - 8.0).max(left + 60.0)),
            map,
            tokens: if line < most * 1.6 {
                most.max(line)
            } else {
                most
            },
        }
    }

    /// Horizontal position of the edge of a band of so many tokens.
    pub fn x_of(&self, tokens: f64) -> f32 {
        self.river.min + (tokens / self.tokens) as f32 * self.river.span()
    }

    /// Left edge of a column of lanes, from 1.
    pub fn lane(&self, column: u32) -> f32 {
        let at = column.clamp(1, MOST_LANES) - 1;
        self.lanes.min + 6.0 + at as f32 * LANE
    }
}
