//! One entry has one size, in every view of every sample that is beside the project.

// What a test skips is said on its output.
#![allow(clippy::print_stdout)]

use super::context::{breakdown, context_at};
use super::geometry::picture_of;
use super::timeline::timeline;
use crate::session::OpenSession;
use palimpsest_core::layout::PictureOptions;
use palimpsest_core::rows::TreeFilter;
use palimpsest_core::{EntryIx, EntryKind};
use std::fs;
use std::path::{Path, PathBuf};

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for item in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = item.path();
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

#[test]
fn every_view_of_a_compaction_has_the_size_of_the_context_there() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/samples");
    let mut found = Vec::new();
    files(&folder, &mut found);
    if found.is_empty() {
        println!("skipped: there is no {}", folder.display());
    }
    for path in found {
        let Ok(open) = OpenSession::read(&path) else {
            continue;
        };
        let path = path.display();
        let (points, marks) = timeline(&open, open.session.active_leaf);
        let options = PictureOptions {
            filter: TreeFilter::All,
            ..PictureOptions::default()
        };
        let picture = picture_of(&open, options);
        let is_compaction = |ix: EntryIx| {
            let kind = &open.session.entry(ix).kind;
            matches!(kind, EntryKind::Compaction(_))
        };
        for mark in marks.iter().filter(|mark| is_compaction(mark.ix)) {
            let sized = context_at(&open, Some(mark.ix));
            let place = mark.position;
            let drawn = picture.rows.iter().find(|row| row.entry == mark.ix);
            let sizes = [
                (
                    "after the compaction",
                    open.after_compaction(mark.ix).tokens,
                ),
                ("mark", mark.after),
                ("curve", points[place].tokens),
                ("canvas", drawn.map_or(sized.tokens, |row| row.size)),
            ];
            for (view, size) in sizes {
                assert_eq!(size, sized.tokens, "{view} at {place} of {path}");
            }
        }
        let Some(leaf) = open.session.active_leaf else {
            continue;
        };
        let sized = context_at(&open, Some(leaf));
        let (categories, _) = breakdown(&sized.context, &sized.items);
        let sum: u64 = categories.values().sum();
        // Sizes are rounded item by item.
        assert!(
            sum.abs_diff(sized.tokens) <= sized.items.len() as u64,
            "{path}: the categories are {sum} of {}",
            sized.tokens
        );
    }
}
