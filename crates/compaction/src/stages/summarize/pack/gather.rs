//! What a conversation read and wrote, file by file.

use crate::stages::summarize::pack::groups::group;
use crate::stages::summarize::pack::groups::{OTHER, is_ignored};
use crate::stages::summarize::pack::{Deletions, Pack};
use crate::text::edits::{FileChange, FileEdit, Hunk, edits_of};
use crate::vocabulary::memo::{Weight, question};
use crate::workpiece::answered::Answered;
use crate::workpiece::job::Job;
use palimpsest_core::entry::{FileAccess, ToolCallBrief};
use palimpsest_core::{Block, BodyError, ContextItem, Message, Role, Session};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Arc, LazyLock};

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
    /// Tokens of that.
    pub tokens: u64,
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

/// A piece of what is known of a file. Its text is that of the fact it comes from: a long session
/// has hundreds of megabytes of edits, and plans follow each other.
#[derive(Debug)]
enum Piece<'a> {
    /// What the result at a position says.
    Read {
        at: usize,
        /// Tells its text from others.
        sign: u64,
        /// Its text, where it is needed.
        text: Option<Arc<Text>>,
    },
    Whole(&'a str),
    Hunks(&'a [Hunk]),
}

#[derive(Debug, Default)]
struct Known<'a> {
    pieces: Vec<Piece<'a>>,
    touched_at: usize,
    modified: bool,
    deleted: bool,
}

/// The files that the job's messages read or wrote, in the order of their groups.
pub(super) fn files(pack: &Pack, job: &Job<'_>) -> Result<Vec<PackFile>, BodyError> {
    let ranks = ranks(pack, job);
    let told = Told::of(job)?;
    let mut known = collect(job, &told)?;
    known.retain(|(path, _)| !is_ignored(path, &pack.ignore_files));
    for (_, own) in &mut known {
        texts(job, own)?;
    }
    let mut files: Vec<PackFile> = known
        .into_iter()
        .map(|(path, own)| {
            let group = group(path, pack.group_by);
            let rank = ranks.iter().position(|name| name == group);
            let full = written(&own.pieces, &|hunks| hunks.iter().map(Hunk::diff).collect());
            PackFile {
                group: rank.unwrap_or(ranks.len()),
                kind: match (own.deleted, own.modified) {
                    (true, _) => Kind::Deleted,
                    (_, true) => Kind::Modified,
                    _ => Kind::Read,
                },
                // Counted once: order and room both go by it.
                tokens: pack.count(&full),
                full,
                small: (!own.deleted)
                    .then(|| written(&own.pieces, &|hunks| left(hunks, pack.drop_deletion_only))),
                touched_at: own.touched_at,
                path: path.to_owned(),
            }
        })
        .collect();
    files.sort_by_key(|file| file.group);
    Ok(files)
}

/// The groups by their share of the session's file operations, `Other` last.
fn ranks(pack: &Pack, job: &Job<'_>) -> Vec<String> {
    let input = job.draft.input;
    // Counted by path first, so that each path is compared with the ignored files once.
    let mut times: HashMap<&str, u64> = HashMap::new();
    let mut seen = HashSet::new();
    for &entry in input.context.items.iter().flat_map(|item| &item.entries) {
        if !seen.insert(entry) {
            continue;
        }
        for call in &input.session.entry(entry).tool_calls {
            if let (Some(path), Some(_)) = (&call.path, call.access) {
                *times.entry(path).or_default() += 1;
            }
        }
    }
    let mut shares: BTreeMap<&str, u64> = BTreeMap::new();
    for (path, times) in times {
        if !is_ignored(path, &pack.ignore_files) {
            *shares.entry(group(path, pack.group_by)).or_default() += times;
        }
    }
    let mut ranks: Vec<(&str, u64)> = shares
        .into_iter()
        .filter(|(name, _)| *name != OTHER)
        .collect();
    // A stable sort of names in order, so equal shares have a fixed order.
    ranks.sort_by_key(|(_, share)| std::cmp::Reverse(*share));
    ranks.into_iter().map(|(name, _)| name.to_owned()).collect()
}

/// A call of a message, as far as it concerns files.
#[derive(Debug, Clone, PartialEq)]
struct FileCall {
    id: String,
    edits: Vec<FileEdit>,
    /// The file it reads, and whether only a part of it.
    read: Option<(String, bool)>,
}

/// The calls of a message.
struct FileCalls(Vec<FileCall>);

impl Weight for FileCalls {
    fn bytes(&self) -> usize {
        let changed = |edit: &FileEdit| match &edit.change {
            FileChange::Whole(text) => text.len(),
            FileChange::Hunks(hunks) => hunks.iter().map(Hunk::bytes).sum(),
            FileChange::Deleted => 0,
        };
        let call = |call: &FileCall| {
            let edits = call.edits.iter();
            let read = call.read.as_ref().map_or(0, |(path, _)| path.len());
            size_of::<FileCall>()
                + call.id.len()
                + read
                + edits
                    .map(|edit| size_of::<FileEdit>() + edit.path.len() + changed(edit))
                    .sum::<usize>()
        };
        self.0.iter().map(call).sum()
    }
}

impl FileCalls {
    fn of(message: &Message, item: &ContextItem, session: &Session) -> FileCalls {
        let mut calls = Vec::new();
        for block in &message.blocks {
            let Block::ToolCall { id, arguments, .. } = block else {
                continue;
            };
            let entries = item.entries.iter();
            let all = entries.flat_map(|&own| &session.entry(own).tool_calls);
            let briefs: Vec<&ToolCallBrief> = all.filter(|call| *call.call_id == **id).collect();
            let read = briefs
                .iter()
                .find(|call| call.access == Some(FileAccess::Read));
            let path = read.and_then(|call| call.path.as_deref());
            let is_part = ["\"offset\"", "\"limit\"", "\"start_line\""]
                .iter()
                .any(|key| arguments.contains(key));
            calls.push(FileCall {
                id: id.clone(),
                edits: edits_of(arguments, &briefs),
                read: path.map(|path| (path.to_owned(), is_part)),
            });
        }
        FileCalls(calls)
    }
}

/// The text of a result.
#[derive(Debug)]
pub(crate) struct Text(String);

impl Weight for Text {
    fn bytes(&self) -> usize {
        self.0.len()
    }
}

/// What was read and not taken the place of, with the texts of reads.
fn texts(job: &Job<'_>, known: &mut Known<'_>) -> Result<(), BodyError> {
    static QUESTION: LazyLock<u64> = LazyLock::new(|| question("text of a result", &()));
    for piece in &mut known.pieces {
        if let Piece::Read { at, text, .. } = piece {
            *text = Some(
                job.draft
                    .memo(*at, *QUESTION, |message| Text(message.text("\n")))?,
            );
        }
    }
    Ok(())
}

/// What the messages of a job say of files, in their order.
struct Told {
    said: Vec<(usize, Said)>,
    /// The calls that failed: those have changed nothing.
    failed: HashSet<String>,
}

enum Said {
    Calls(Arc<FileCalls>),
    Answer(Arc<Option<Answered>>),
}

impl Told {
    fn of(job: &Job<'_>) -> Result<Told, BodyError> {
        static CALLS: LazyLock<u64> = LazyLock::new(|| question("files of calls", &()));
        let input = job.draft.input;
        let mut told = Told {
            said: Vec::new(),
            failed: HashSet::new(),
        };
        for &at in job.history.iter().chain(&job.turn_prefix) {
            let item = &input.context.items[at];
            if item.role == Role::Tool {
                let answered = input.answered(at)?;
                if let Some(tool) = answered.as_ref().as_ref().filter(|tool| tool.is_error) {
                    told.failed.insert(tool.call_id.clone());
                }
                told.said.push((at, Said::Answer(answered)));
            } else {
                let calls = job.draft.memo(at, *CALLS, |message| {
                    FileCalls::of(message, item, input.session)
                })?;
                told.said.push((at, Said::Calls(calls)));
            }
        }
        Ok(told)
    }
}

fn collect<'a>(job: &Job<'_>, told: &'a Told) -> Result<Vec<(&'a str, Known<'a>)>, BodyError> {
    static SIGN: LazyLock<u64> = LazyLock::new(|| question("sign of a result's text", &()));
    let mut found = Found::default();
    let mut asked: HashMap<&str, (&str, bool)> = HashMap::new();
    for (at, said) in &told.said {
        match said {
            Said::Answer(answered) => {
                let answered = answered.as_ref().as_ref().filter(|tool| !tool.is_error);
                let read = answered.and_then(|tool| asked.remove(tool.call_id.as_str()));
                if let Some((path, is_part)) = read {
                    let sign = *job
                        .draft
                        .memo(*at, *SIGN, |message| sign(&message.text("\n")))?;
                    found.at(path, *at).read(*at, sign, is_part);
                }
            }
            Said::Calls(calls) => {
                let calls = calls.0.iter();
                for call in calls.filter(|call| !told.failed.contains(&call.id)) {
                    for edit in &call.edits {
                        found.at(&edit.path, *at).change(&edit.change);
                    }
                    if let Some((path, is_part)) = &call.read {
                        asked.insert(&call.id, (path, *is_part));
                    }
                }
            }
        }
    }
    Ok(found.known)
}

/// A number that texts which differ do not have in common, as far as a hash can tell.
fn sign(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// The files found so far, in the order in which they were first touched.
#[derive(Debug, Default)]
struct Found<'a> {
    known: Vec<(&'a str, Known<'a>)>,
    places: HashMap<&'a str, usize>,
}

impl<'a> Found<'a> {
    /// The file at `path`, touched by the message at position `at`.
    fn at(&mut self, path: &'a str, at: usize) -> &mut Known<'a> {
        let place = *self.places.entry(path).or_insert(self.known.len());
        if place == self.known.len() {
            self.known.push((path, Known::default()));
        }
        let own = &mut self.known[place].1;
        own.touched_at = at;
        own
    }
}

impl<'a> Known<'a> {
    /// A file that is read whole is known as it is: what went before is in it.
    fn read(&mut self, at: usize, sign: u64, is_part: bool) {
        if !is_part {
            self.pieces.clear();
        }
        // The same text read again: the newest reading stands for both.
        let same =
            |piece: &Piece<'_>| matches!(piece, Piece::Read { sign: own, .. } if *own == sign);
        self.pieces.retain(|piece| !same(piece));
        self.pieces.push(Piece::Read {
            at,
            sign,
            text: None,
        });
        // A file that can be read exists, even if it was deleted before.
        self.deleted = false;
    }

    fn change(&mut self, change: &'a FileChange) {
        self.modified = true;
        self.deleted = *change == FileChange::Deleted;
        match change {
            FileChange::Whole(text) => self.pieces = vec![Piece::Whole(text)],
            FileChange::Hunks(hunks) => self.pieces.push(Piece::Hunks(hunks)),
            FileChange::Deleted => self.pieces.clear(),
        }
    }
}

fn written(pieces: &[Piece<'_>], hunks: &dyn Fn(&[Hunk]) -> Vec<String>) -> String {
    let mut all = String::new();
    let mut add = |text: &str| {
        if !text.is_empty() {
            if !all.is_empty() {
                all.push_str(GAP);
            }
            all.push_str(text);
        }
    };
    for piece in pieces {
        match piece {
            Piece::Read { text, .. } => {
                add(text.as_ref().map_or("", |text| text.0.as_str()).trim_end());
            }
            Piece::Whole(text) => add(text.trim_end()),
            Piece::Hunks(own) => hunks(own).iter().for_each(|text| add(text)),
        }
    }
    all
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
    kept.map(|(_, hunk)| {
        if hunk.only_deletes() {
            hunk.diff()
        } else {
            hunk.resulting()
        }
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
        let said = |known: &mut Known<'_>, words: &str, is_part: bool| {
            known.read(0, sign(words), is_part);
            if let Some(Piece::Read { text, .. }) = known.pieces.last_mut() {
                *text = Some(Arc::new(Text(words.to_owned())));
            }
        };
        let edited = FileChange::Hunks(vec![Hunk::replacing("one", "two")]);
        let rewritten = FileChange::Whole("three".into());
        let mut known = Known::default();
        said(&mut known, "one", false);
        known.change(&edited);
        let all = |known: &Known<'_>| written(&known.pieces, &|own| left(own, Deletions::All));
        assert_eq!(all(&known), "one\n…\ntwo");
        said(&mut known, "part", true);
        said(&mut known, "part", true);
        assert_eq!(all(&known), "one\n…\ntwo\n…\npart");
        known.change(&rewritten);
        assert_eq!(all(&known), "three");
        said(&mut known, "three, read", false);
        assert_eq!(all(&known), "three, read");
        assert!(known.modified && !known.deleted);
        known.change(&FileChange::Deleted);
        assert!(known.deleted && known.pieces.is_empty());
    }
}
