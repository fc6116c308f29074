//! Times of frames, as a backend would take them: input, shapes, triangles.

use crate::{Distance, Palette, TreeView};
use egui::{Event, MouseWheelUnit, Rect, TouchPhase, pos2, vec2};
use palimpsest_core::layout::{GraphBytesError, Picture};
use std::time::{Duration, Instant};

/// Size of the pane that is drawn, in points: that of a window of 1920 by 1080.
const PANE: (f32, f32) = (1_000.0, 860.0);
/// Frames of each measurement.
const FRAMES: usize = 40;
/// Frames in which a smooth way has surely arrived.
const WAY: usize = 80;
/// How far each frame pans, in points.
const PAN: f32 = 60.0;

/// What drawing a session takes, in milliseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct FrameTimes {
    /// From the bytes to the first frame, which shows all of the session.
    pub first: f64,
    /// A frame while panning, the median, at the distance where it takes longest.
    pub pan: f64,
    /// A frame of the way from far to near, the slowest.
    pub zoom: f64,
}

impl FrameTimes {
    /// Measures the drawing of a picture, received as `bytes`. Takes seconds for a large session.
    ///
    /// Fails on bytes that are no picture.
    pub fn of(bytes: &[u8]) -> Result<FrameTimes, GraphBytesError> {
        let start = Instant::now();
        let mut stage = Stage::new(Picture::from_bytes(bytes)?);
        stage.frame(Vec::new());
        stage.frame(Vec::new());
        let mut times = FrameTimes {
            first: milliseconds(start.elapsed()),
            ..FrameTimes::default()
        };
        for distance in [Distance::Far, Distance::Middle, Distance::Near] {
            stage.view.look_from(distance);
            let way = (0..WAY).map(|_| stage.frame(Vec::new())).max();
            times.zoom = times.zoom.max(way.map_or(0.0, milliseconds));
            // From afar all is on screen, and there is nowhere to pan to.
            if distance == Distance::Far {
                stage.view.zoom(2.0);
                (0..WAY).for_each(|_| {
                    stage.frame(Vec::new());
                });
            }
            let mut pans: Vec<Duration> = (0..FRAMES)
                .map(|at| stage.frame(wheel(if at % 20 < 10 { PAN } else { -PAN })))
                .collect();
            pans.sort();
            times.pan = times.pan.max(milliseconds(pans[FRAMES / 2]));
        }
        Ok(times)
    }
}

struct Stage {
    ctx: egui::Context,
    view: TreeView,
    time: f64,
}

impl Stage {
    fn new(picture: Picture) -> Stage {
        let mut view = TreeView::new("frames", Palette::light());
        view.set_picture(picture);
        Stage {
            ctx: egui::Context::default(),
            view,
            time: 0.0,
        }
    }

    fn frame(&mut self, events: Vec<Event>) -> Duration {
        self.time += 1.0 / 60.0;
        let input = egui::RawInput {
            screen_rect: Some(Rect::from_min_size(pos2(0.0, 0.0), vec2(PANE.0, PANE.1))),
            time: Some(self.time),
            events,
            ..egui::RawInput::default()
        };
        let start = Instant::now();
        let view = &mut self.view;
        let output = self.ctx.run_ui(input, |ui| {
            view.show(ui);
        });
        let (shapes, scale) = (output.shapes.clone(), output.pixels_per_point);
        output.drop_without_applying_deltas();
        self.ctx.tessellate(shapes, scale);
        start.elapsed()
    }
}

fn wheel(delta: f32) -> Vec<Event> {
    vec![
        Event::PointerMoved(pos2(PANE.0 / 2.0, PANE.1 / 2.0)),
        Event::MouseWheel {
            unit: MouseWheelUnit::Point,
            delta: vec2(0.0, delta),
            modifiers: egui::Modifiers::NONE,
            phase: TouchPhase::Move,
        },
    ]
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}
