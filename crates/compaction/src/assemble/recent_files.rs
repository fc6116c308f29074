//! The files read last are given again after the summary (Claude Code 2.1, attachments after a
//! compaction).
//!
//! The agent reads them anew from disk; a plan knows only the session, so it takes what the newest
//! read of each file returned.

use super::NextItem;
use crate::params::{ParamDoc, ParamType};
use crate::select::Fate;
use crate::summarize::Job;
use palimpsest_core::entry::FileAccess;
use palimpsest_core::{Block, BodyError, Role};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};

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
            "how many of the files read last are given again",
        )
        .unit("files"),
        ParamDoc::tokens("max_file_tokens", "a larger file is only named"),
        ParamDoc::tokens("max_total_tokens", "most that all files may have"),
        ParamDoc::new(
            "exclude_files",
            ParamType::Texts,
            "files that are not given again: names, or folders ending in /",
        ),
    ];

    fn excludes(&self, path: &str) -> bool {
        let path = format!("/{}", path.replace('\\', "/"));
        self.exclude_files
            .iter()
            .any(|own| match own.ends_with('/') {
                true => path.contains(&format!("/{own}")),
                false => path.ends_with(&format!("/{own}")),
            })
    }

    /// One text per file, that read last first.
    pub(super) fn items(&self, job: &Job<'_>) -> Result<Vec<NextItem>, BodyError> {
        let mut out = Vec::new();
        let mut total = 0;
        for (path, at) in last_reads(job, self.max_files as usize, &|path| self.excludes(path))? {
            let content = job.draft.message(at)?.text("\n");
            let text = match crate::plan::estimate(&content) <= self.max_file_tokens {
                true => format!("{path} as it was last read:\n\n{content}"),
                false => format!("{path} was read before and is too large to be given again."),
            };
            let next = NextItem::text(Role::User, &text);
            let tokens = crate::plan::estimate(&text);
            if total + tokens <= self.max_total_tokens {
                total += tokens;
                out.push(next);
            }
        }
        Ok(out)
    }
}

/// The files that the context knows the content of, with it: what the newest read returned, or the
/// newest writing of a whole file put into it, the newest first. A file whose newest content stays
/// is not among them.
pub(super) fn last_contents(job: &Job<'_>) -> Result<Vec<(String, String)>, BodyError> {
    let mut found: Vec<(usize, String, String)> = Vec::new();
    for (path, at) in last_reads(job, usize::MAX, &|_| false)? {
        found.push((at, path, job.draft.message(at)?.text("\n")));
    }
    let input = job.draft.input;
    let mut written: BTreeSet<String> = BTreeSet::new();
    for (at, item) in input.context.items.iter().enumerate().rev() {
        let calls = item.entries.iter();
        let calls = calls.flat_map(|entry| &input.session.entry(*entry).tool_calls);
        let writes: Vec<_> = calls
            .filter(|call| call.access == Some(FileAccess::Write))
            .collect();
        if item.role != Role::Assistant || writes.is_empty() {
            continue;
        }
        for block in input.messages.message(item)?.blocks {
            let Block::ToolCall { id, arguments, .. } = block else {
                continue;
            };
            let call = writes.iter().find(|call| *call.call_id == *id);
            let Some(path) = call.and_then(|call| call.path.as_deref()) else {
                continue;
            };
            let arguments: Value = serde_json::from_str(&arguments).unwrap_or_default();
            let Some(content) = arguments["content"].as_str() else {
                continue;
            };
            if !written.insert(path.to_owned()) {
                continue;
            }
            let read_later = found.iter().any(|(read, own, _)| own == path && *read > at);
            if read_later {
                continue;
            }
            found.retain(|(_, own, _)| own != path);
            if job.draft.pieces[at].fate != Fate::Kept {
                found.push((at, path.to_owned(), content.to_owned()));
            }
        }
    }
    found.sort_by_key(|(at, _, _)| std::cmp::Reverse(*at));
    Ok(found
        .into_iter()
        .map(|(_, path, content)| (path, content))
        .collect())
}

/// At most `max_files` files with the position of the newest result of a read, the newest first.
/// A file whose newest read is kept is not among them: it is there already.
/// Those that `is_excluded` names are passed over.
fn last_reads(
    job: &Job<'_>,
    max_files: usize,
    is_excluded: &dyn Fn(&str) -> bool,
) -> Result<Vec<(String, usize)>, BodyError> {
    let input = job.draft.input;
    let mut paths: HashMap<&str, &str> = HashMap::new();
    let mut tools: BTreeSet<&str> = BTreeSet::new();
    for entry in input.context.items.iter().flat_map(|item| &item.entries) {
        for call in &input.session.entry(*entry).tool_calls {
            if let (Some(path), Some(FileAccess::Read)) = (&call.path, call.access) {
                paths.insert(&call.call_id, path);
                tools.insert(&call.name);
            }
        }
    }
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut found = Vec::new();
    for (at, item) in input.context.items.iter().enumerate().rev() {
        if found.len() == max_files {
            break;
        }
        let tool = item.tool_name.as_deref().unwrap_or_default();
        if item.role != Role::Tool || !tools.contains(tool) {
            continue;
        }
        let answered = input.answered(item)?;
        let Some(answered) = answered.as_ref().as_ref().filter(|tool| !tool.is_error) else {
            continue;
        };
        let Some(path) = paths.get(answered.call_id.as_str()) else {
            continue;
        };
        if !is_excluded(path) && seen.insert(path) && job.draft.pieces[at].fate != Fate::Kept {
            found.push(((*path).to_owned(), at));
        }
    }
    Ok(found)
}
