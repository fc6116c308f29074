//! Times of making a picture and drawing it at several sizes; `--model N FILE` writes one as bytes
//! instead, for trying the canvas in a page.
#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used)]

mod sample;

use egui::{Event, MouseWheelUnit, RawInput, TouchPhase, pos2, vec2};
use palimpsest_core::Tree;
use palimpsest_core::layout::{GraphBytes, Picture, PictureOptions, picture};
use palimpsest_core::rows::TreeFilter;
use palimpsest_graph::{Distance, Palette, TreeView};
use std::time::{Duration, Instant};

fn model(count: usize, filter: TreeFilter) -> Picture {
    let session = sample::session(count);
    let options = PictureOptions {
        session: "sample".into(),
        filter,
        ..PictureOptions::default()
    };
    picture(&session, &Tree::new(&session), &options)
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64() * 1_000.0
}

/// One frame, tessellated as the backends do.
fn frame(ctx: &egui::Context, view: &mut TreeView, events: Vec<Event>) -> Duration {
    let input = RawInput {
        screen_rect: Some(egui::Rect::from_min_size(
            pos2(0.0, 0.0),
            vec2(900.0, 700.0),
        )),
        events,
        ..RawInput::default()
    };
    let start = Instant::now();
    let output = ctx.run_ui(input, |ui| {
        view.show(ui);
    });
    let (shapes, scale) = (output.shapes.clone(), output.pixels_per_point);
    output.drop_without_applying_deltas();
    ctx.tessellate(shapes, scale);
    start.elapsed()
}

fn wheel(delta: f32) -> Vec<Event> {
    vec![
        Event::PointerMoved(pos2(450.0, 350.0)),
        Event::MouseWheel {
            unit: MouseWheelUnit::Point,
            delta: vec2(0.0, delta),
            modifiers: egui::Modifiers::NONE,
            phase: TouchPhase::Move,
        },
    ]
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    if let Some(at) = args.iter().position(|arg| arg == "--model") {
        let filter = if args.iter().any(|arg| arg == "--all") {
            TreeFilter::All
        } else {
            TreeFilter::Default
        };
        let model = model(args[at + 1].parse().unwrap(), filter);
        std::fs::write(&args[at + 2], GraphBytes::of(&model).whole()).unwrap();
        return;
    }
    println!(
        "{:>8} {:>7} {:>8} {:>9}  frame, ms",
        "entries", "filter", "rows", "made ms"
    );
    for count in [5_000, 20_000, 50_000] {
        for filter in [TreeFilter::Default, TreeFilter::All] {
            let session = sample::session(count);
            let options = PictureOptions {
                filter,
                ..PictureOptions::default()
            };
            let start = Instant::now();
            let model = picture(&session, &Tree::new(&session), &options);
            let layout = start.elapsed().as_secs_f64() * 1_000.0;
            let nodes = model.rows.len();
            let mut line = String::new();
            for (name, distance) in [
                ("far", Distance::Far),
                ("middle", Distance::Middle),
                ("near", Distance::Near),
            ] {
                let ctx = egui::Context::default();
                let mut view = TreeView::new("bench", Palette::light());
                let start = Instant::now();
                view.set_picture(model.clone());
                frame(&ctx, &mut view, Vec::new());
                frame(&ctx, &mut view, Vec::new());
                if distance == Distance::Far {
                    line += &format!(" first {:.1}", start.elapsed().as_secs_f64() * 1_000.0);
                }
                view.look_from(distance);
                let zooms: Vec<Duration> = (0..40)
                    .map(|_| frame(&ctx, &mut view, Vec::new()))
                    .collect();
                let slowest = zooms.iter().max().map_or(0.0, Duration::as_secs_f64);
                view.zoom(1.1);
                (0..40).for_each(|_| {
                    frame(&ctx, &mut view, Vec::new());
                });
                let pans = (0..40).map(|i| {
                    frame(
                        &ctx,
                        &mut view,
                        wheel(if i % 20 < 10 { 60.0 } else { -60.0 }),
                    )
                });
                let pan = median(pans.collect());
                line += &format!(" {name} {pan:.1} (on the way {:.1})", slowest * 1_000.0);
            }
            println!(
                "{count:>8} {:>7} {nodes:>8} {layout:>9.1} {line}",
                format!("{filter:?}")
            );
        }
    }
}
