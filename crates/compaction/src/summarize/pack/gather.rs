//! What a conversation read and wrote, file by file.

use super::groups::{OTHER, group, is_ignored};
use super::{Deletions, Pack};
use crate::edits::{FileChange, Hunk, edits_of};
use crate::summarize::Job;
use palimpsest_core::entry::{FileAccess, ToolCallBrief};
use palimpsest_core::{Block, BodyError, Message, Role};
use std::collections::{BTreeMap, BTreeSet};

/// What stands between two places of a file.
const GAP: &str = "\n…\n";

/// A file to be packed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PackFile {
    /// Its path as the agent named it.
    pub path: String,
    /// Rank of its group, the most worked on first.
    pub group: usize,
    /// What was done to it.
    pub kind: Kind,
    /// Everything that was read and written of it, edits with the text they replaced.
    pub full: String,
    /// The code as it became, without what was taken away; `None` for a deleted file.
    pub small: Option<String>,
    /// Position of the message that touched it last.
    pub touched_at: usize,
}

/// What was done to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Read,
    Modified,
    Deleted,
}

/// A piece of what is known of a file.
#[derive(Debug)]
enum Piece {
    Read(String),
    Whole(String),
    Hunks(Vec<Hunk>),
}

#[derive(Debug, Default)]
struct Known {
    pieces: Vec<Piece>,
    touched_at: usize,
    modified: bool,
    deleted: bool,
}

/// A read whose result has yet to come.
struct Asked {
    path: String,
    is_part: bool,
}

/// The files that the job's messages read or wrote, in the order of their groups.
pub(super) fn files(pack: &Pack, job: &Job<'_>) -> Result<Vec<PackFile>, BodyError> {
    let ranks = ranks(pack, job);
    let mut known: Vec<(String, Known)> = Vec::new();
    collect(job, &mut known)?;
    let mut files: Vec<PackFile> = known
        .into_iter()
        .filter(|(path, _)| !is_ignored(path, &pack.ignore_files))
        .map(|(path, own)| {
            let group = group(&path, pack.group_by);
            let rank = ranks.iter().position(|name| name == group);
            PackFile {
                group: rank.unwrap_or(ranks.len()),
                kind: match (own.deleted, own.modified) {
                    (true, _) => Kind::Deleted,
                    (_, true) => Kind::Modified,
                    _ => Kind::Read,
                },
                full: written(&own.pieces, &|hunks| hunks.iter().map(Hunk::diff).collect()),
                small: (!own.deleted)
                    .then(|| written(&own.pieces, &|hunks| left(hunks, pack.drop_deletion_only))),
                touched_at: own.touched_at,
                path,
            }
        })
        .collect();
    files.sort_by_key(|file| file.group);
    Ok(files)
}

/// The groups by their share of the session's file operations, `Other` last.
fn ranks(pack: &Pack, job: &Job<'_>) -> Vec<String> {
    let input = job.draft.input;
    let mut shares: BTreeMap<&str, u64> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for &entry in input.context.items.iter().flat_map(|item| &item.entries) {
        if !seen.insert(entry) {
            continue;
        }
        for call in &input.session.entry(entry).tool_calls {
            if let (Some(path), Some(_)) = (&call.path, call.access)
                && !is_ignored(path, &pack.ignore_files)
            {
                *shares.entry(group(path, pack.group_by)).or_default() += 1;
            }
        }
    }
    let mut ranks: Vec<(&str, u64)> = shares
        .into_iter()
        .filter(|(name, _)| *name != OTHER)
        .collect();
    ranks.sort_by_key(|(_, share)| std::cmp::Reverse(*share));
    ranks.into_iter().map(|(name, _)| name.to_owned()).collect()
}

fn collect(job: &Job<'_>, known: &mut Vec<(String, Known)>) -> Result<(), BodyError> {
    let input = job.draft.input;
    let span: Vec<usize> = job
        .history
        .iter()
        .chain(&job.turn_prefix)
        .copied()
        .collect();
    let mut messages: Vec<(usize, Message)> = Vec::with_capacity(span.len());
    for at in span {
        messages.push((at, job.draft.message(at)?));
    }
    // What failed has changed nothing.
    let failed: BTreeSet<String> = messages
        .iter()
        .filter_map(|(_, message)| message.tool.as_ref().filter(|tool| tool.is_error))
        .map(|tool| tool.call_id.clone())
        .collect();
    let mut asked: BTreeMap<String, Asked> = BTreeMap::new();
    for (at, message) in messages {
        let item = &input.context.items[at];
        if item.role == Role::Tool {
            let answered = message.tool.as_ref().filter(|tool| !tool.is_error);
            if let Some(read) = answered.and_then(|tool| asked.remove(&tool.call_id)) {
                entry(known, &read.path, at).read(message.text("\n"), read.is_part);
            }
            continue;
        }
        for block in &message.blocks {
            let Block::ToolCall { id, arguments, .. } = block else {
                continue;
            };
            if failed.contains(id) {
                continue;
            }
            let calls = item
                .entries
                .iter()
                .flat_map(|&own| &input.session.entry(own).tool_calls);
            let briefs: Vec<&ToolCallBrief> = calls.filter(|call| *call.call_id == **id).collect();
            for edit in edits_of(arguments, &briefs) {
                entry(known, &edit.path, at).change(edit.change);
            }
            let read = briefs
                .iter()
                .find(|call| call.access == Some(FileAccess::Read));
            if let Some(path) = read.and_then(|call| call.path.as_deref()) {
                let path = path.to_owned();
                let is_part = ["\"offset\"", "\"limit\"", "\"start_line\""]
                    .iter()
                    .any(|key| arguments.contains(key));
                asked.insert(id.clone(), Asked { path, is_part });
            }
        }
    }
    Ok(())
}

fn entry<'a>(known: &'a mut Vec<(String, Known)>, path: &str, at: usize) -> &'a mut Known {
    let found = known.iter().position(|(own, _)| own == path);
    let place = found.unwrap_or_else(|| {
        known.push((path.to_owned(), Known::default()));
        known.len() - 1
    });
    let own = &mut known[place].1;
    own.touched_at = at;
    own
}

impl Known {
    /// A file that is read whole is known as it is: what went before is in it.
    fn read(&mut self, text: String, is_part: bool) {
        let same = |piece: &Piece| matches!(piece, Piece::Read(own) if *own == text);
        if !is_part {
            self.pieces.clear();
        }
        self.pieces.retain(|piece| !same(piece));
        self.pieces.push(Piece::Read(text));
        self.deleted = false;
    }

    fn change(&mut self, change: FileChange) {
        self.modified = true;
        self.deleted = change == FileChange::Deleted;
        match change {
            FileChange::Whole(text) => self.pieces = vec![Piece::Whole(text)],
            FileChange::Hunks(hunks) => self.pieces.push(Piece::Hunks(hunks)),
            FileChange::Deleted => self.pieces.clear(),
        }
    }
}

fn written(pieces: &[Piece], hunks: &dyn Fn(&[Hunk]) -> Vec<String>) -> String {
    let texts = pieces.iter().flat_map(|piece| match piece {
        Piece::Read(text) | Piece::Whole(text) => vec![text.trim_end().to_owned()],
        Piece::Hunks(own) => hunks(own),
    });
    let texts: Vec<String> = texts.filter(|text| !text.is_empty()).collect();
    texts.join(GAP)
}

/// The code that hunks left, place by place. A place that only takes away shows what it took, where
/// it is not left out.
fn left(hunks: &[Hunk], dropped: Deletions) -> Vec<String> {
    let last_addition = hunks.iter().rposition(Hunk::adds);
    let stays = |at: usize, hunk: &Hunk| match dropped {
        Deletions::All => !hunk.only_deletes(),
        Deletions::None => true,
        Deletions::Trailing => !hunk.only_deletes() || last_addition.is_some_and(|last| at < last),
    };
    let kept = hunks
        .iter()
        .enumerate()
        .filter(|(at, hunk)| stays(*at, hunk));
    kept.map(|(_, hunk)| match hunk.only_deletes() {
        true => hunk.diff(),
        false => hunk.resulting(),
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deletions_are_dropped_as_said_or_as_done() {
        let hunks = [
            Hunk::replacing("first", ""),
            Hunk::replacing("a", "b"),
            Hunk::replacing("last", ""),
        ];
        assert_eq!(left(&hunks, Deletions::All), ["b"]);
        // PR-Agent carries a deletion on to the next addition.
        assert_eq!(left(&hunks, Deletions::Trailing), ["-first", "b"]);
        assert_eq!(left(&hunks, Deletions::None), ["-first", "b", "-last"]);
        assert!(left(&hunks[2..], Deletions::Trailing).is_empty());
    }

    #[test]
    fn a_whole_text_takes_the_place_of_what_went_before() {
        let mut known = Known::default();
        known.read("one".into(), false);
        known.change(FileChange::Hunks(vec![Hunk::replacing("one", "two")]));
        let all = |known: &Known| written(&known.pieces, &|own| left(own, Deletions::All));
        assert_eq!(all(&known), "one\n…\ntwo");
        known.read("part".into(), true);
        known.read("part".into(), true);
        assert_eq!(all(&known), "one\n…\ntwo\n…\npart");
        known.change(FileChange::Whole("three".into()));
        assert_eq!(all(&known), "three");
        known.read("three, read".into(), false);
        assert_eq!(all(&known), "three, read");
        assert!(known.modified && !known.deleted);
        known.change(FileChange::Deleted);
        assert!(known.deleted && known.pieces.is_empty());
    }
}
