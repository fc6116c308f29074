//! Summaries that models wrote in real sessions pass the rules for replies; skipped where no samples
//! are.

use palimpsest_compaction::execute::not_a_summary;
use palimpsest_core::{Bodies as _, EntryIx, EntryKind, Role};
use palimpsest_formats::{InMemory, formats};
use std::path::{Path, PathBuf};

/// Larger files are few, and hold nothing that the others do not.
const MOST_BYTES: u64 = 40 << 20;

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(listing) = std::fs::read_dir(folder) else {
        return;
    };
    for item in listing.flatten() {
        let path = item.path();
        if path.is_dir() {
            files(&path, found);
        } else if item.metadata().is_ok_and(|data| data.len() < MOST_BYTES) {
            found.push(path);
        }
    }
}

fn text(session: &InMemory, ix: EntryIx, wanted: impl Fn(Role) -> bool) -> String {
    let Ok(body) = session.body(ix) else {
        return String::new();
    };
    let messages = body.messages.iter().filter(|message| wanted(message.role));
    messages.map(|message| message.text("\n") + "\n").collect()
}

#[test]
fn every_real_summary_passes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/samples");
    let mut found = Vec::new();
    files(&folder, &mut found);
    let (mut seen, mut shortest, mut refused) = (0, usize::MAX, Vec::new());
    for path in found {
        let Ok(bytes) = std::fs::read(&path) else {
            continue;
        };
        let head = &bytes[..bytes.len().min(65_536)];
        let fits = |format: &&&dyn palimpsest_formats::SessionFormat| {
            format.is_candidate(&path) && format.sniff(&path, head)
        };
        let Some(format) = formats().iter().find(fits) else {
            continue;
        };
        let session = InMemory::read(*format, &path.to_string_lossy(), bytes);
        for (number, entry) in session.session.entries.iter().enumerate() {
            let ix = EntryIx(number as u32);
            let is_summary = matches!(
                entry.kind,
                EntryKind::Compaction(_) | EntryKind::BranchSummary { .. }
            );
            if !is_summary {
                continue;
            }
            let summary = text(&session, ix, |role| role != Role::System);
            if summary.trim().is_empty() {
                continue;
            }
            let before = session.context(session.tree.parent(ix));
            let entries = before.items.iter().flat_map(|item| item.entries.clone());
            let is_previous = |ix: &EntryIx| before.compaction == Some(*ix);
            let said = entries.filter(|ix| !is_previous(ix));
            let conversation: String = said.map(|ix| text(&session, ix, |_| true)).collect();
            seen += 1;
            if conversation.len() >= 32_000 {
                shortest = shortest.min(summary.split_whitespace().count());
            }
            if let Some(what) = not_a_summary(&summary, &conversation, None) {
                refused.push(format!(
                    "{} {}: {what:?} ({} words for {} bytes)\n{}",
                    path.display(),
                    entry.id,
                    summary.split_whitespace().count(),
                    conversation.len(),
                    summary.chars().take(400).collect::<String>()
                ));
            }
        }
    }
    if seen == 0 {
        eprintln!("SKIPPED: no summaries in {}", folder.display());
        return;
    }
    eprintln!(
        "{seen} summaries, {} refused; the shortest of a long conversation has {shortest} words",
        refused.len()
    );
    assert!(refused.is_empty(), "{}", refused.join("\n\n"));
}
