//! The files that a plan lists.

use crate::engine::preset::data::Preset;
use crate::vocabulary::files::{FileLists, FileOps};
use crate::vocabulary::input::PlanInput;
use palimpsest_core::entry::FileAccess;
use palimpsest_core::{Block, BodyError, ContextItem, EntryIx, EntryKind, Role, Session};

/// The files that the items at `span` name, with those of the compaction before.
pub(crate) fn files(
    preset: &Preset,
    input: &PlanInput<'_>,
    span: &[usize],
    previous: Option<EntryIx>,
) -> Result<FileLists, BodyError> {
    let named = input.named_files()?;
    // By number: a cut point that is dragged makes many plans of the same paths.
    let mut done: Vec<Option<FileAccess>> = vec![None; named.paths.len()];
    // Files that are not numbered: those of an earlier summary and of edited replies.
    let mut others = FileOps::default();
    if let Some(ix) = previous
        && let EntryKind::Compaction(stored) = &input.session.entry(ix).kind
        && !stored.from_hook
    {
        others.seed(&stored.read_files, &stored.modified_files);
    }
    for &position in span {
        let item = &input.context.items[position];
        if item.edited_by.is_some() && item.role == Role::Assistant {
            // The edit may have taken calls away or put others in their place.
            for block in &input.messages.message(item)?.blocks {
                if let Block::ToolCall {
                    name, arguments, ..
                } = block
                {
                    others.add_call(name, arguments);
                }
            }
        } else if names_files(item, preset.assemble.nested_calls) {
            for &(file, access) in named.of(position) {
                let own = &mut done[file as usize];
                // A file that was changed is not listed as read.
                if *own != Some(FileAccess::Edit) {
                    *own = match access {
                        FileAccess::Read => Some(FileAccess::Read),
                        FileAccess::Edit | FileAccess::Write => Some(FileAccess::Edit),
                    };
                }
            }
        }
    }
    let known = named.paths.iter().zip(done);
    let known = known.filter_map(|(path, access)| Some((path, access?)));
    // Names without a number may repeat a file that has one.
    if !others.is_empty() {
        known.for_each(|(path, access)| others.add(path, access));
        return Ok(others.lists());
    }
    let mut lists = FileLists::default();
    for (path, access) in known {
        match access {
            FileAccess::Read => lists.read.push(path.to_string()),
            FileAccess::Edit | FileAccess::Write => lists.modified.push(path.to_string()),
        }
    }
    Ok(lists)
}

/// True for an item whose calls count for the files of a summary.
fn names_files(item: &ContextItem, nested_calls: bool) -> bool {
    match item.role {
        Role::Assistant => true,
        Role::Tool => nested_calls,
        Role::User | Role::System => false,
    }
}

/// Adds the file operations of the calls recorded on an item's entry.
pub(crate) fn add_entry_calls(
    ops: &mut FileOps,
    session: &Session,
    item: &ContextItem,
    nested_calls: bool,
) {
    if !names_files(item, nested_calls) {
        return;
    }
    for &entry in &item.entries {
        for call in &session.entry(entry).tool_calls {
            if let (Some(path), Some(access)) = (&call.path, call.access) {
                ops.add(path, access);
            }
        }
    }
}
