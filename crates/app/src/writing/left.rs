//! What is left behind at a navigation, in files and sizes.

use crate::session::OpenSession;
use palimpsest_core::EntryIx;
use palimpsest_core::entry::FileAccess;
use palimpsest_write::Files;
use std::collections::BTreeSet;

/// The files that the calls of these entries read and modified; a modified one is not listed as
/// read, as in pi's summaries.
pub fn files_of(open: &OpenSession, entries: &[EntryIx]) -> Files {
    let (mut read, mut modified) = (BTreeSet::new(), BTreeSet::new());
    for call in entries
        .iter()
        .flat_map(|&ix| &open.session.entry(ix).tool_calls)
    {
        if let Some(path) = &call.path {
            match call.access {
                Some(FileAccess::Read) => read.insert(path.to_string()),
                Some(FileAccess::Edit | FileAccess::Write) => modified.insert(path.to_string()),
                None => false,
            };
        }
    }
    Files {
        read: read.difference(&modified).cloned().collect(),
        modified: modified.into_iter().collect(),
    }
}
