//! Times of making a picture and drawing it at several sizes; `--model N FILE` writes one as bytes
//! instead, for trying the canvas in a page.
#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used)]

mod sample;

use palimpsest_core::Tree;
use palimpsest_core::layout::{GraphBytes, PictureOptions, picture};
use palimpsest_core::rows::TreeFilter;
use palimpsest_graph::FrameTimes;
use std::time::Instant;

fn bytes(count: usize, filter: TreeFilter) -> GraphBytes {
    let session = sample::session(count);
    let options = PictureOptions {
        session: "sample".into(),
        filter,
        ..PictureOptions::default()
    };
    GraphBytes::of(&picture(&session, &Tree::new(&session), &options))
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    if let Some(at) = args.iter().position(|arg| arg == "--model") {
        let filter = if args.iter().any(|arg| arg == "--all") {
            TreeFilter::All
        } else {
            TreeFilter::Default
        };
        let bytes = bytes(args[at + 1].parse().unwrap(), filter);
        std::fs::write(&args[at + 2], bytes.whole()).unwrap();
        return;
    }
    println!("entries  filter   made  first    pan   zoom, ms");
    for count in [5_000, 20_000, 50_000] {
        for filter in [TreeFilter::Default, TreeFilter::All] {
            let start = Instant::now();
            let bytes = bytes(count, filter);
            let made = start.elapsed().as_secs_f64() * 1_000.0;
            let times = FrameTimes::of(bytes.bytes()).unwrap();
            let FrameTimes { first, pan, zoom } = times;
            let filter = format!("{filter:?}");
            println!("{count:>7} {filter:>7} {made:>6.1} {first:>6.1} {pan:>6.1} {zoom:>6.1}");
        }
    }
}
