//! The cut of a plan: a line across the path that can be dragged to another place.

use super::viewport::Viewport;
use crate::draw::cut::{self as look, Look};
use crate::event::TreeEvent;
use crate::frame::Frame;
use crate::palette::Palette;
use crate::scene::Scene;
use egui::{CursorIcon, Painter, Pos2, Rangef, Response, Ui, pos2, vec2};
use palimpsest_core::EntryIx;
use serde::{Deserialize, Serialize};

/// What is moved less than this is not dragged, in points on screen.
const STILL: f32 = 3.0;
/// How far round the line and its grip they can be taken hold of, in points on screen.
const REACH: f32 = 4.0;
/// A cut held this near to the upper or lower edge moves the view, in points on screen.
const EDGE: f32 = 24.0;
/// How far it moves with each frame, in points on screen.
const EDGE_STEP: f32 = 10.0;
/// A line that is further from the pointer than this waits at the edge, and comes to the pointer.
const FAR: f32 = 60.0;

/// Where a plan cuts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CutLine {
    /// The place before which it stands, by its number among the places, from 0; as many as there
    /// are places when nothing stays.
    pub at: u32,
    /// Moved by the user rather than put there by the strategy.
    pub by_hand: bool,
    /// What it says while it is pointed at or held, such as `keeps 12k`.
    pub words: String,
}

/// Whether the pointer has the cut.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
enum Hold {
    /// It has not.
    #[default]
    Free,
    /// It has: `offset` points below the line, dragged once it has moved.
    Held { offset: f32, dragged: bool },
    /// The page took the cut away from it; the button is still down.
    Spent,
}

/// A place as it lies in the picture.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Stop {
    place: u32,
    /// Its height in units.
    at: u32,
}

/// The cut on show, and the places where it may be.
#[derive(Debug, Default)]
pub(super) struct Cut {
    /// The entries before which it may stand, in the order of the path.
    places: Vec<EntryIx>,
    /// The places from top to bottom; the last is the end, behind all of them.
    stops: Vec<Stop>,
    line: Option<CutLine>,
    hold: Hold,
    /// Line and grip as they were painted last.
    shown: Option<look::Shown>,
    is_hovered: bool,
    reported: Option<Pos2>,
}

impl Cut {
    /// Sets where the cut may be; the entries come in the order of the path.
    pub(super) fn set_places(&mut self, places: Vec<EntryIx>, scene: &Scene) {
        self.places = places;
        self.place(scene);
    }

    /// Finds the positions again in a rebuilt model.
    pub(super) fn place(&mut self, scene: &Scene) {
        self.stops.clear();
        let mut end = None;
        for (place, &entry) in (0..).zip(&self.places) {
            if let Some(row) = scene.row_of(entry) {
                let at = scene.top(row.id);
                self.stops.push(Stop { place, at });
                end = Some(Stop {
                    place: place + 1,
                    at: scene.bottom(row.id),
                });
            }
        }
        self.stops.extend(end);
    }

    /// Shows the cut at another place, or none. One that is held stays with the pointer.
    pub(super) fn set_line(&mut self, line: Option<CutLine>) {
        let held = match (&self.hold, &self.line) {
            (Hold::Held { .. }, Some(line)) => Some(line.at),
            _ => None,
        };
        self.line = line;
        match (&mut self.line, held) {
            (Some(line), Some(at)) => line.at = at,
            (None, _) => (self.hold, self.shown) = (Hold::Free, None),
            _ => {}
        }
    }

    /// Where the cut stands.
    pub(super) fn line(&self) -> Option<&CutLine> {
        self.line.as_ref()
    }

    /// Takes the cut from the pointer, which gets it back only by another press.
    pub(super) fn let_go(&mut self) {
        if matches!(self.hold, Hold::Held { .. }) {
            self.hold = Hold::Spent;
        }
    }

    /// Follows the pointer; true when it belongs to the cut and to nothing else.
    pub(super) fn follow(
        &mut self,
        ui: &Ui,
        response: &Response,
        viewport: &mut Viewport,
        scene: &Scene,
        frame: &Frame,
        events: &mut Vec<TreeEvent>,
    ) -> bool {
        if self.line.is_none() {
            return false;
        }
        let (is_down, origin, pointer) = ui.input(|i| {
            let pointer = &i.pointer;
            (
                pointer.primary_down(),
                pointer.press_origin(),
                pointer.latest_pos(),
            )
        });
        self.is_hovered = response.hover_pos().is_some_and(|at| self.is_at(at));
        match (self.hold, is_down) {
            (Hold::Free, true) => {
                let origin = origin.filter(|_| response.is_pointer_button_down_on());
                let Some(at) = origin.filter(|&at| self.is_at(at)) else {
                    return false;
                };
                let line = self.shown.as_ref().map_or(at.y, |shown| shown.y);
                let offset = at.y - line;
                self.hold = Hold::Held {
                    // A grip that waits at the edge for a line out of view comes to the pointer.
                    offset: if offset.abs() > FAR { 0.0 } else { offset },
                    dragged: false,
                };
                events.push(TreeEvent::CutHeld);
                true
            }
            (Hold::Free, false) => false,
            (Hold::Spent, true) => true,
            (Hold::Spent, false) => {
                self.hold = Hold::Free;
                true
            }
            (Hold::Held { .. }, false) => {
                self.hold = Hold::Free;
                events.push(TreeEvent::CutReleased);
                true
            }
            (Hold::Held { offset, dragged }, true) => {
                let (Some(at), Some(origin)) = (pointer, origin) else {
                    return true;
                };
                if !dragged && (at - origin).length() < STILL {
                    return true;
                }
                self.hold = Hold::Held {
                    offset,
                    dragged: true,
                };
                self.push_view(ui, at, viewport, scene, frame);
                self.drag(at.y - offset, *viewport, frame, events);
                true
            }
        }
    }

    /// Moves the view while the cut is held at its edge.
    fn push_view(&self, ui: &Ui, at: Pos2, viewport: &mut Viewport, scene: &Scene, frame: &Frame) {
        let by = if at.y < frame.body.top() + EDGE {
            EDGE_STEP
        } else if at.y > frame.body.bottom() - EDGE {
            -EDGE_STEP
        } else {
            return;
        };
        let before = *viewport;
        viewport.pan(by, scene, frame.body);
        if *viewport != before {
            ui.ctx().request_repaint();
        }
    }

    fn drag(&mut self, y: f32, viewport: Viewport, frame: &Frame, events: &mut Vec<TreeEvent>) {
        let nearest = self
            .stops
            .iter()
            .take(self.stops.len().saturating_sub(1))
            .map(|stop| {
                let at = viewport.to_screen(frame, f64::from(stop.at));
                (stop.place, (at - y).abs())
            })
            .min_by(|a, b| a.1.total_cmp(&b.1));
        if let (Some((place, _)), Some(line)) = (nearest, &mut self.line)
            && line.at != place
        {
            line.at = place;
            events.push(TreeEvent::CutMoved { place });
        }
    }

    /// Paints line and grip over what is there.
    pub(super) fn paint(
        &mut self,
        painter: &Painter,
        viewport: Viewport,
        palette: &Palette,
        frame: &Frame,
        events: &mut Vec<TreeEvent>,
    ) {
        self.shown = self.stop().zip(self.line.as_ref()).map(|(stop, line)| {
            let is_open = self.is_hovered || matches!(self.hold, Hold::Held { .. });
            look::paint(
                painter,
                palette,
                frame.body,
                &Look {
                    y: viewport.to_screen(frame, f64::from(stop.at)),
                    across: Rangef::new(frame.plan.min, frame.cards.max),
                    by_hand: line.by_hand,
                    words: is_open.then_some(line.words.as_str()),
                },
            )
        });
        let grip = self.shown.as_ref().map(|shown| {
            let at = shown.grip.center() - frame.pane.min.to_vec2();
            pos2(at.x.round(), at.y.round())
        });
        if grip != self.reported {
            self.reported = grip;
            if let Some(at) = grip {
                events.push(TreeEvent::CutShown { x: at.x, y: at.y });
            }
        }
    }

    /// Shows by the pointer that the cut can be taken hold of.
    pub(super) fn point(&self, context: &egui::Context) {
        if self.is_hovered || self.hold != Hold::Free {
            context.set_cursor_icon(CursorIcon::ResizeVertical);
        }
    }

    /// The stop of the line, or the next one when its place is not on show.
    fn stop(&self) -> Option<Stop> {
        let at = self.line.as_ref()?.at;
        self.stops
            .iter()
            .find(|stop| stop.place >= at)
            .or(self.stops.last())
            .copied()
    }

    fn is_at(&self, at: Pos2) -> bool {
        self.shown.as_ref().is_some_and(|shown| {
            let on_line = shown
                .line
                .is_some_and(|line| line.expand2(vec2(0.0, REACH)).contains(at));
            on_line || shown.grip.expand(REACH).contains(at)
        })
    }
}
