//! The index gives what is on screen, and no more than fits on it.

use super::*;
use crate::view::sample;
use egui::{pos2, vec2};
use palimpsest_core::Tree;
use palimpsest_core::layout::{GraphOptions, graph_model};
use palimpsest_core::rows::TreeFilter;

fn scene(count: usize, filter: TreeFilter) -> Scene {
    let session = sample::session(count);
    let options = GraphOptions {
        filter,
        ..GraphOptions::default()
    };
    Scene::new(graph_model(&session, &Tree::new(&session), &options))
}

#[test]
fn a_slice_holds_exactly_the_nodes_that_reach_into_it() {
    let scene = scene(3_000, TreeFilter::All);
    for step in 0..30 {
        let rect = Rect::from_center_size(
            pos2(step as f32 * 90.0 - 900.0, step as f32 * 1_500.0),
            vec2(900.0, 700.0),
        );
        let expected: Vec<u32> = scene
            .model()
            .nodes
            .iter()
            .filter(|node| {
                let size = vec2(NODE_WIDTH, NODE_HEIGHT);
                Rect::from_center_size(pos2(node.x, node.y), size).intersects(rect)
            })
            .map(|node| node.id)
            .collect();
        let mut found = scene.slice(rect, 1.0).nodes;
        found.sort_unstable();
        assert_eq!(found, expected, "in {rect:?}");
    }
}

#[test]
fn a_line_is_in_every_slice_that_it_crosses() {
    // One long line: its middle must be drawn although both ends are far away.
    let scene = scene(20_000, TreeFilter::All);
    let bounds = scene.bounds();
    let middle = Rect::from_center_size(pos2(0.0, bounds.center().y), vec2(40.0, 10.0));
    assert!(!scene.slice(middle, 1.0).lines.is_empty());
}

#[test]
fn zoomed_out_a_slice_is_bounded_by_the_screen() {
    let scene = scene(20_000, TreeFilter::All);
    let all = scene.bounds();
    let zoom = 700.0 / all.height();
    let slice = scene.slice(all, zoom);
    let cells = (all.width() * zoom / CELL_POINTS + 2.0) * (700.0 / CELL_POINTS + 2.0);
    assert!(
        slice.nodes.len() as f32 <= cells,
        "{} nodes",
        slice.nodes.len()
    );
    let compactions = slice
        .nodes
        .iter()
        .filter(|&&id| scene.model().nodes[id as usize].class == NodeClass::Compaction);
    assert!(
        compactions.count() > 10,
        "what matters must survive thinning"
    );
}
