//! Times of folding, placing and drawing at several sizes; `--model N FILE` writes a model as JSON
//! instead, for trying the canvas in a page.
#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used)]

mod sample;

use egui::{Event, MouseWheelUnit, RawInput, TouchPhase, pos2, vec2};
use palimpsest_core::Tree;
use palimpsest_core::layout::{GraphBytes, GraphModel, GraphOptions, graph_model};
use palimpsest_core::rows::TreeFilter;
use palimpsest_graph::{Palette, TreeView};
use std::time::{Duration, Instant};

fn model(count: usize, filter: TreeFilter) -> GraphModel {
    let session = sample::session(count);
    let options = GraphOptions {
        session: "sample".into(),
        filter,
        ..GraphOptions::default()
    };
    graph_model(&session, &Tree::new(&session), &options)
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
        "entries", "filter", "nodes", "layout ms"
    );
    for count in [5_000, 20_000, 50_000] {
        for filter in [TreeFilter::Default, TreeFilter::All] {
            let session = sample::session(count);
            let options = GraphOptions {
                filter,
                ..GraphOptions::default()
            };
            let start = Instant::now();
            let model = graph_model(&session, &Tree::new(&session), &options);
            let layout = start.elapsed().as_secs_f64() * 1_000.0;
            let nodes = model.nodes.len();
            let mut line = String::new();
            for (name, zoom) in [
                ("near", 1.0),
                ("half", 0.4),
                ("far", 0.06),
                ("whole", 0.0001),
            ] {
                let ctx = egui::Context::default();
                let mut view = TreeView::new("bench", Palette::light());
                view.set_model(model.clone());
                frame(&ctx, &mut view, Vec::new());
                view.zoom(zoom);
                frame(&ctx, &mut view, Vec::new());
                let pans = (0..40).map(|i| {
                    frame(
                        &ctx,
                        &mut view,
                        wheel(if i % 20 < 10 { 60.0 } else { -60.0 }),
                    )
                });
                line += &format!(" {name} {:.1}", median(pans.collect()));
            }
            println!(
                "{count:>8} {:>7} {nodes:>8} {layout:>9.1} {line}",
                format!("{filter:?}")
            );
        }
    }
}
