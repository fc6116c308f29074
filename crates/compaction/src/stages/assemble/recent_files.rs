//! The files read last are given again after the summary (Claude Code 2.1, attachments after a
//! compaction).
//!
//! The agent reads them from disk. A plan knows only the session, so it uses the result of the
//! newest read of each file.

use crate::vocabulary::fate::Fate;
use crate::vocabulary::input::memoized;
use crate::vocabulary::memo::{MemoKey, Weight, question};
use crate::vocabulary::next::NextItem;
use crate::vocabulary::params::{ParamDoc, ParamType};
use crate::workpiece::job::Job;
use crate::workpiece::named_files::file_calls;
use palimpsest_core::entry::FileAccess;
use palimpsest_core::{Block, BodyError, Message, Role};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::cmp::Reverse;
use std::sync::Arc;

/// Parameters of the part; the defaults are those of Claude Code 2.1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RecentFiles {
    /// Files that are given again, those read last.
    pub max_files: u64,
    /// Tokens of one file; a larger one is only named.
    pub max_file_tokens: u64,
    /// Tokens of all of them; what goes beyond is left out.
    pub max_total_tokens: u64,
    /// Files that are not given again: names, or folders with `/` at their end. Plans and files of
    /// instructions come into the context by themselves.
    pub exclude_files: Vec<String>,
}

impl Default for RecentFiles {
    fn default() -> Self {
        RecentFiles {
            max_files: 5,
            max_file_tokens: 5_000,
            max_total_tokens: 50_000,
            exclude_files: ["CLAUDE.md", "CLAUDE.local.md", ".claude/plans/"]
                .map(str::to_owned)
                .to_vec(),
        }
    }
}

impl RecentFiles {
    pub(super) const DOCS: &'static [ParamDoc] = &[
        ParamDoc::new(
            "max_files",
            ParamType::Integer,
            "number of the last read files that are included",
        )
        .unit("files"),
        ParamDoc::tokens(
            "max_file_tokens",
            "size above which a file is only listed by name",
        ),
        ParamDoc::tokens("max_total_tokens", "token limit for all files"),
        ParamDoc::new(
            "exclude_files",
            ParamType::Texts,
            "files to exclude: names, or folders ending in /",
        ),
    ];

    fn excludes(&self, path: &str) -> bool {
        // With a slash before it, so that only whole parts of the path match.
        let path = format!("/{}", path.replace('\\', "/"));
        self.exclude_files.iter().any(|own| {
            if own.ends_with('/') {
                path.contains(&format!("/{own}"))
            } else {
                path.ends_with(&format!("/{own}"))
            }
        })
    }

    /// One text per file, that read last first.
    pub(super) fn items(&self, job: &Job<'_>) -> Result<Vec<NextItem>, BodyError> {
        let mut out = Vec::new();
        let mut total = 0;
        let named = job.draft.input.named_files()?;
        let path = |file: u32| &*named.paths[file as usize];
        let excluded = |file: u32| self.excludes(path(file));
        for (file, at) in last_reads(job, self.max_files as usize, &excluded)? {
            let path = path(file);
            let content = job.draft.message(at)?.text("\n");
            let text = if crate::vocabulary::estimate::estimate(&content) <= self.max_file_tokens {
                format!("{path} as it was last read:\n\n{content}")
            } else {
                format!("{path} was read before and is too large to be given again.")
            };
            let next = NextItem::text(Role::User, &text);
            let tokens = crate::vocabulary::estimate::estimate(&text);
            // A smaller file behind it may still fit.
            if total + tokens <= self.max_total_tokens {
                total += tokens;
                out.push(next);
            }
        }
        Ok(out)
    }
}

/// What the calls of one message write into whole files, by the id of the call.
struct Writings<T>(Vec<(String, Arc<T>)>);

impl<T: Weight> Weight for Writings<T> {
    fn bytes(&self) -> usize {
        let each = |(id, own): &(String, Arc<T>)| id.len() + size_of::<T>() + own.bytes();
        self.0.iter().map(each).sum()
    }
}

/// The last content of a file: the place of its message with the number of the call in it, and what
/// is made of it.
type Last<T> = ((usize, usize), Arc<T>);

/// The files that the context knows the content of, with what `of` makes of it: what the newest
/// read returned, or the newest writing of a whole file put into it, the newest first. A file whose
/// newest content stays is not among them. What is made is kept under the name `asked`, so that no
/// text is read again while a cut is dragged.
pub(super) fn of_last_contents<T: Weight + Send + Sync + 'static>(
    job: &Job<'_>,
    asked: &str,
    of: impl Fn(&str) -> T,
) -> Result<Vec<(String, Arc<T>)>, BodyError> {
    let input = job.draft.input;
    let named = input.named_files()?;
    let mut found: Vec<Option<Last<T>>> = vec![None; named.paths.len()];
    let read = question(asked, &"read");
    for (file, at) in last_reads(job, usize::MAX, &|_| false)? {
        let made = job
            .draft
            .memo(at, read, |message| of(&message.text("\n")))?;
        found[file as usize] = Some(((at, 0), made));
    }
    let asked = question(asked, &"written");
    let mut written = vec![false; named.paths.len()];
    for (at, item) in input.context.items.iter().enumerate().rev() {
        let writes = |(_, access): &(u32, FileAccess)| *access == FileAccess::Write;
        if item.role != Role::Assistant || !named.of(at).iter().any(writes) {
            continue;
        }
        let key = MemoKey::item(asked, input.context, at);
        let own = memoized(input.messages, key, || {
            let message = input.messages.message(item)?;
            Ok(Writings(writings(&message, &of)))
        })?;
        for (number, (id, made)) in own.0.iter().enumerate().rev() {
            let calls = file_calls(input.context, input.session, at).zip(named.of(at));
            let mut wrote = calls.filter(|(_, own)| writes(own));
            let Some((_, &(file, _))) = wrote.find(|((call, ..), _)| *call.call_id == **id) else {
                continue;
            };
            let is_newest = !std::mem::replace(&mut written[file as usize], true);
            let known = &mut found[file as usize];
            // A read behind the writing is newer.
            if !is_newest || known.as_ref().is_some_and(|(read, _)| read.0 > at) {
                continue;
            }
            *known = match job.draft.pieces[at].fate {
                Fate::Kept => None,
                _ => Some(((at, number), Arc::clone(made))),
            };
        }
    }
    let found = found.into_iter().zip(&named.paths);
    let mut found: Vec<_> = found
        .filter_map(|(found, path)| Some((found?, path)))
        .collect();
    found.sort_unstable_by_key(|((place, _), _)| Reverse(*place));
    let paths = found.into_iter();
    Ok(paths
        .map(|((_, made), path)| (path.to_string(), made))
        .collect())
}

/// What `of` makes of the contents that the calls of a message hold.
fn writings<T>(message: &Message, of: &impl Fn(&str) -> T) -> Vec<(String, Arc<T>)> {
    let mut made = Vec::new();
    for block in &message.blocks {
        if let Block::ToolCall { id, arguments, .. } = block {
            let arguments: Value = serde_json::from_str(arguments).unwrap_or_default();
            if let Some(content) = arguments["content"].as_str() {
                made.push((id.clone(), Arc::new(of(content))));
            }
        }
    }
    made
}

/// At most `max_files` files with the position of the newest result of a read, the newest first. A
/// file whose newest read is kept is not among them: it is included already. Those that
/// `is_excluded` names are skipped. Files are named by their number.
fn last_reads(
    job: &Job<'_>,
    max_files: usize,
    is_excluded: &dyn Fn(u32) -> bool,
) -> Result<Vec<(u32, usize)>, BodyError> {
    let read = job.draft.input.files_read()?;
    let mut seen = vec![false; read.count];
    let mut found = Vec::new();
    for (at, piece) in job.draft.pieces.iter().enumerate().rev() {
        if found.len() == max_files {
            break;
        }
        let Some(file) = read.at(at).filter(|&file| !is_excluded(file)) else {
            continue;
        };
        let is_newest = !std::mem::replace(&mut seen[file as usize], true);
        if is_newest && piece.fate != Fate::Kept {
            found.push((file, at));
        }
    }
    Ok(found)
}
