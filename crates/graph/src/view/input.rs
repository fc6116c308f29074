//! Panning and zooming with pointer and wheel.

use super::viewport::Viewport;
use crate::scene::Scene;
use egui::{PointerButton, Rect, Response, Ui, Vec2};

/// Most that one frame's wheel or pinch may zoom; some wheels report a notch as a large pinch.
const MAX_ZOOM_STEP: f32 = 1.25;

/// Applies this frame's drags, wheel turns and pinches.
pub(super) fn navigate(
    ui: &Ui,
    response: &Response,
    viewport: &mut Viewport,
    scene: &Scene,
    rect: Rect,
) {
    if response.dragged_by(PointerButton::Primary) || response.dragged_by(PointerButton::Middle) {
        let delta = response.drag_delta();
        if delta != Vec2::ZERO {
            viewport.pan(delta, scene);
        }
    }
    let Some(pointer) = response.hover_pos() else {
        return;
    };
    let (zoom, scroll) = ui.input(|i| (i.zoom_delta(), i.smooth_scroll_delta));
    if zoom != 1.0 {
        let step = zoom.clamp(1.0 / MAX_ZOOM_STEP, MAX_ZOOM_STEP);
        viewport.zoom_at(step, pointer - rect.center(), scene, rect.size());
    } else if scroll != Vec2::ZERO {
        viewport.pan(scroll, scene);
    }
}
