//! Heights, and what is at a height.

use super::*;
use crate::view::sample;
use palimpsest_core::Tree;
use palimpsest_core::layout::{NodeClass, PictureOptions, picture};

fn scene(count: usize) -> Scene {
    let session = sample::session(count);
    Scene::new(picture(
        &session,
        &Tree::new(&session),
        &PictureOptions::default(),
    ))
}

#[test]
fn every_height_has_the_row_that_reaches_over_it() {
    let scene = scene(600);
    for row in &scene.picture().rows {
        let (top, bottom) = (scene.top(row.id), scene.bottom(row.id));
        assert_eq!(bottom - top, u32::from(row.height));
        assert_eq!(scene.row_at(f64::from(top)), Some(row.id));
        assert_eq!(scene.row_at(f64::from(bottom) - 0.01), Some(row.id));
    }
    assert_eq!(scene.row_at(-5.0), Some(0));
    let last = scene.picture().rows.len() as u32 - 1;
    assert_eq!(scene.row_at(1e9), Some(last));
    assert_eq!(Scene::default().row_at(0.0), None);
}

#[test]
fn cards_from_afar_cover_all_rows_once_and_have_room_for_a_line() {
    let scene = scene(3_000);
    for scale in [0.05, 0.4, 2.0, 6.0] {
        let blocks = crate::blocks::blocks(&scene, scale);
        let mut next = 0;
        for block in &blocks {
            assert_eq!(block.first, next, "at {scale}");
            next = block.last + 1;
            let height = (scene.bottom(block.last) - scene.top(block.first)) as f32 * scale;
            let lines = crate::blocks::lines(&scene, block, scale, height);
            assert!(!lines.is_empty(), "at {scale}");
            assert!(
                lines
                    .iter()
                    .all(|line| (block.first..=block.last).contains(&line.row))
            );
            let apart = lines
                .windows(2)
                .all(|two| two[1].top - two[0].top >= crate::blocks::LINE_POINTS - 0.01);
            assert!(apart, "lines overlap at {scale}: {lines:?}");
        }
        assert_eq!(next as usize, scene.picture().rows.len());
    }
}

#[test]
fn a_compaction_has_the_first_line_of_its_card() {
    let scene = scene(3_000);
    let is_summary = |row: u32| scene.row(row).map(|row| row.class) == Some(NodeClass::Compaction);
    let blocks = crate::blocks::blocks(&scene, 0.5);
    let with = blocks
        .iter()
        .filter(|block| (block.first..=block.last).any(is_summary));
    let with: Vec<_> = with.collect();
    assert!(!with.is_empty());
    for block in with {
        let height = (scene.bottom(block.last) - scene.top(block.first)) as f32 * 0.5;
        let lines = crate::blocks::lines(&scene, block, 0.5, height);
        assert!(lines.iter().any(|line| is_summary(line.row)), "{lines:?}");
    }
}

#[test]
fn lines_stand_in_the_order_of_their_rows() {
    let scene = scene(3_000);
    for scale in [0.05, 0.4, 2.0] {
        for block in crate::blocks::blocks(&scene, scale) {
            let height = (scene.bottom(block.last) - scene.top(block.first)) as f32 * scale;
            let lines = crate::blocks::lines(&scene, &block, scale, height);
            assert!(
                lines.windows(2).all(|two| two[0].row <= two[1].row),
                "at {scale}: {lines:?}"
            );
        }
    }
}

#[test]
fn prompts_are_on_lines_or_counted() {
    let scene = scene(3_000);
    let is_prompt = |row: u32| scene.row(row).map(|row| row.class) == Some(NodeClass::User);
    let mut counted = 0;
    for block in crate::blocks::blocks(&scene, 0.05) {
        let height = (scene.bottom(block.last) - scene.top(block.first)) as f32 * 0.05;
        let lines = crate::blocks::lines(&scene, &block, 0.05, height);
        let hidden = crate::blocks::hidden_prompts(&scene, &block, &lines);
        let said = lines
            .iter()
            .filter(|line| !line.is_count && is_prompt(line.row))
            .count();
        let all = (block.first..=block.last)
            .filter(|&row| is_prompt(row))
            .count();
        assert_eq!(said + hidden, all);
        counted += hidden;
    }
    assert!(counted > 0, "from afar some prompts have no line");
}
