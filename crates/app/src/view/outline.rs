//! The outline: a session's tree as rows, a branch whole before its next sibling.

use crate::session::OpenSession;
use palimpsest_core::EntryIx;
pub use palimpsest_core::rows::{Row, Rows, TreeFilter};
use std::collections::{HashMap, HashSet};

/// All rows of a session's tree in order, with the entries the user labelled among the labelled
/// ones; see [`Rows::outline`].
pub fn rows(
    open: &OpenSession,
    filter: TreeFilter,
    folded: &HashSet<EntryIx>,
    labelled: &HashSet<EntryIx>,
) -> Vec<Row> {
    let rows = Rows {
        session: &open.session,
        tree: &open.tree,
        is_labelled: &|ix| open.labels.contains_key(&ix) || labelled.contains(&ix),
        filter,
    };
    rows.outline(folded)
}

/// The first entries of subagents' conversations kept in the session.
pub fn sidechains(open: &OpenSession) -> impl Iterator<Item = EntryIx> + '_ {
    open.session.indices().filter(|&ix| {
        let parent = open.tree.parent(ix);
        let begins = |parent: EntryIx| !open.session.entry(parent).sidechain;
        open.session.entry(ix).sidechain && parent.is_none_or(begins)
    })
}

/// Number of entries in each subagent's conversation, by its first entry.
pub fn sidechain_sizes(open: &OpenSession) -> HashMap<EntryIx, u32> {
    let mut sizes: HashMap<EntryIx, u32> = sidechains(open).map(|first| (first, 0)).collect();
    if sizes.is_empty() {
        return sizes;
    }
    // Parents come first, so that each entry finds the conversation its parent is in.
    let mut first_of: HashMap<EntryIx, EntryIx> = HashMap::new();
    for &ix in open.tree.preorder() {
        let above = || first_of.get(&open.tree.parent(ix)?).copied();
        let first = if sizes.contains_key(&ix) {
            Some(ix)
        } else if open.session.entry(ix).sidechain {
            above()
        } else {
            None
        };
        if let Some(first) = first {
            first_of.insert(ix, first);
            *sizes.entry(first).or_default() += 1;
        }
    }
    sizes
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn a_label_of_the_user_shows_its_entry_whatever_is_chosen() {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../formats/tests/fixtures");
        let file = fixtures.join("claude-code/valid/sidechains-inside.jsonl");
        let open = OpenSession::read(&file).unwrap();
        let none = HashSet::new();
        let shown = |labelled: &HashSet<EntryIx>| -> HashSet<EntryIx> {
            let rows = rows(&open, TreeFilter::LabeledOnly, &none, labelled);
            rows.into_iter().map(|row| row.ix).collect()
        };
        let before = shown(&none);
        let hidden = open.session.indices().find(|ix| !before.contains(ix));
        let hidden = hidden.expect("the filter hides an entry");
        let after = shown(&HashSet::from([hidden]));
        assert!(after.contains(&hidden));
        assert_eq!(after.len(), before.len() + 1);
    }

    #[test]
    fn a_subagent_does_not_bend_the_conversation_that_started_it() {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../formats/tests/fixtures");
        let file = fixtures.join("claude-code/valid/sidechains-inside.jsonl");
        let open = OpenSession::read(&file).unwrap();
        let none = HashSet::new();
        let rows = rows(&open, TreeFilter::Default, &none, &none);
        let depths = |sidechain: bool| -> Vec<u32> {
            let of = |row: &&Row| open.session.entry(row.ix).sidechain == sidechain;
            rows.iter().filter(of).map(|row| row.depth).collect()
        };
        assert!(depths(false).iter().all(|&depth| depth == 0), "{rows:?}");
        assert!(!depths(true).is_empty(), "the fixture has a subagent");
        assert!(depths(true).iter().all(|&depth| depth > 0), "{rows:?}");
        assert_eq!(sidechains(&open).count(), 2);
        let all = open.session.entries.iter();
        let inside = all.filter(|entry| entry.sidechain).count();
        let sizes = sidechain_sizes(&open);
        assert_eq!(sizes.values().sum::<u32>() as usize, inside);
        assert_eq!(sizes.len(), 2);
    }
}
