//! Panning and zooming with pointer and wheel.

use super::viewport::Viewport;
use crate::frame::Frame;
use crate::scene::Scene;
use egui::{PointerButton, Response, Ui, Vec2};

/// Most that one frame's wheel or pinch may zoom; some wheels report a notch as a large pinch.
const MAX_ZOOM_STEP: f32 = 1.25;

/// Applies this frame's drags, wheel turns and pinches; true when there were any.
pub(super) fn navigate(
    ui: &Ui,
    response: &Response,
    viewport: &mut Viewport,
    scene: &Scene,
    frame: &Frame,
) -> bool {
    let before = *viewport;
    let is_pressed = response.dragged_by(PointerButton::Primary)
        || response.dragged_by(PointerButton::Middle)
        || response.clicked_by(PointerButton::Primary);
    let pointer = response.interact_pointer_pos();
    if let Some(at) = pointer.filter(|_| is_pressed) {
        let origin = ui.input(|i| i.pointer.press_origin()).unwrap_or(at);
        if frame.map.contains(origin.x) {
            let share = (at.y - frame.body.top()) / frame.body.height().max(1.0);
            viewport.y = f64::from(scene.height()) * f64::from(share.clamp(0.0, 1.0));
            viewport.pan(0.0, scene, frame.body);
        } else if response.drag_delta() != Vec2::ZERO {
            viewport.pan(response.drag_delta().y, scene, frame.body);
        }
    }
    if let Some(pointer) = response.hover_pos() {
        let (zoom, scroll) = ui.input(|i| (i.zoom_delta(), i.smooth_scroll_delta));
        if zoom != 1.0 {
            let step = zoom.clamp(1.0 / MAX_ZOOM_STEP, MAX_ZOOM_STEP);
            let at = pointer.y - frame.body.center().y;
            viewport.zoom_at(step, at, scene, frame.body);
        } else if scroll.y != 0.0 {
            viewport.pan(scroll.y, scene, frame.body);
        }
    }
    *viewport != before
}
