//! One entry has one size, in every view of every sample that is beside the project.

use super::context::{breakdown, context_at};
use super::geometry::picture_of;
use super::timeline::timeline;
use crate::session::OpenSession;
use palimpsest_core::layout::PictureOptions;
use palimpsest_core::rows::TreeFilter;
use palimpsest_core::{EntryIx, EntryKind};
use palimpsest_testkit::beside::sample_files;

#[test]
fn every_view_of_a_compaction_has_the_size_of_the_context_there() {
    for path in sample_files("") {
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
