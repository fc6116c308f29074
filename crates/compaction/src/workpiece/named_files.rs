//! Which files the calls of a context name, and which file a result gives.
//!
//! Worked out once for a context: paths are long and many, and comparing them again took a quarter
//! of the time of a plan.

use crate::vocabulary::files::by_utf16;
use crate::vocabulary::input::{PlanInput, memoized};
use crate::vocabulary::memo::{MemoKey, Mixed, Weight, question};
use palimpsest_core::entry::{FileAccess, ToolCallBrief};
use palimpsest_core::{BodyError, Context, Role, Session};
use std::collections::{HashMap, HashSet};
use std::hash::Hasher as _;
use std::sync::{Arc, LazyLock};

/// The files that the items of a context name, by number.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct NamedFiles {
    /// The paths by number, sorted by UTF-16 units.
    pub paths: Vec<Box<str>>,
    /// Where what an item names begins in the list of all accesses, and where the last ends.
    starts: Vec<usize>,
    accesses: Vec<(u32, FileAccess)>,
}

impl Weight for NamedFiles {
    fn bytes(&self) -> usize {
        let paths = self.paths.iter();
        paths.map(|path| 16 + path.len()).sum::<usize>()
            + size_of_val(&*self.starts)
            + size_of_val(&*self.accesses)
    }
}

impl NamedFiles {
    /// What the calls on the entries of the item at a position do to files, in their order; see
    /// [`file_calls`].
    pub fn of(&self, at: usize) -> &[(u32, FileAccess)] {
        &self.accesses[self.starts[at]..self.starts[at + 1]]
    }

    fn in_context(context: &Context, session: &Session) -> NamedFiles {
        let mut paths: Vec<&str> = Vec::new();
        let mut numbers: HashMap<&str, u32> = HashMap::new();
        let mut named = NamedFiles::default();
        named.starts.push(0);
        for at in 0..context.items.len() {
            for (_, path, access) in file_calls(context, session, at) {
                let number = *numbers.entry(path).or_insert_with(|| {
                    paths.push(path);
                    paths.len() as u32 - 1
                });
                named.accesses.push((number, access));
            }
            named.starts.push(named.accesses.len());
        }
        // Numbered in sorted order, so that lists made by number come out sorted.
        let mut order: Vec<u32> = (0..paths.len() as u32).collect();
        order.sort_unstable_by(|&a, &b| by_utf16(paths[a as usize], paths[b as usize]));
        let mut sorted = vec![0; paths.len()];
        for (place, &number) in order.iter().enumerate() {
            sorted[number as usize] = place as u32;
        }
        for (number, _) in &mut named.accesses {
            *number = sorted[*number as usize];
        }
        named.paths = order
            .iter()
            .map(|&own| paths[own as usize].into())
            .collect();
        named
    }
}

/// The calls on the entries of the item at a position that do something to a file.
pub(crate) fn file_calls<'a>(
    context: &'a Context,
    session: &'a Session,
    at: usize,
) -> impl Iterator<Item = (&'a ToolCallBrief, &'a str, FileAccess)> {
    let entries = context.items[at].entries.iter();
    let calls = entries.flat_map(|&entry| &session.entry(entry).tool_calls);
    calls.filter_map(|call| Some((call, call.path.as_deref()?, call.access?)))
}

/// The file that each item of a context gives: where it is the result of a call that read one and
/// did not fail. By the numbers of [`NamedFiles`].
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FilesRead {
    by_item: Vec<Option<u32>>,
    /// How many files there are.
    pub count: usize,
}

impl Weight for FilesRead {
    fn bytes(&self) -> usize {
        size_of_val(&*self.by_item)
    }
}

impl FilesRead {
    /// The file of the item at a position.
    pub fn at(&self, at: usize) -> Option<u32> {
        self.by_item[at]
    }
}

impl PlanInput<'_> {
    /// The files that the items of the context name.
    pub(crate) fn named_files(&self) -> Result<Arc<NamedFiles>, BodyError> {
        static QUESTION: LazyLock<u64> = LazyLock::new(|| question("files named", &()));
        let key = MemoKey::whole(*QUESTION, context_subject(self.context));
        memoized(self.messages, key, || {
            Ok(NamedFiles::in_context(self.context, self.session))
        })
    }

    /// The files that the items of the context give.
    pub(crate) fn files_read(&self) -> Result<Arc<FilesRead>, BodyError> {
        static QUESTION: LazyLock<u64> = LazyLock::new(|| question("files read", &()));
        let key = MemoKey::whole(*QUESTION, context_subject(self.context));
        memoized(self.messages, key, || {
            let named = self.named_files()?;
            let mut tools: HashSet<&str> = HashSet::new();
            // The nearest call before the result: some models count their calls from one in every
            // reply.
            let mut asked: HashMap<&str, u32> = HashMap::new();
            let mut by_item = Vec::with_capacity(self.context.items.len());
            for (at, item) in self.context.items.iter().enumerate() {
                let numbers = named.of(at).iter();
                let calls = file_calls(self.context, self.session, at);
                for ((call, _, access), (number, _)) in calls.zip(numbers) {
                    if access == FileAccess::Read {
                        asked.insert(&call.call_id, *number);
                        tools.insert(&call.name);
                    }
                }
                let tool = item.tool_name.as_deref().unwrap_or_default();
                // Other results need not be read for the call they answer.
                if item.role != Role::Tool || !tools.contains(tool) {
                    by_item.push(None);
                    continue;
                }
                let answered = self.answered(at)?;
                let answered = answered.as_ref().as_ref().filter(|tool| !tool.is_error);
                by_item.push(answered.and_then(|tool| asked.get(tool.call_id.as_str()).copied()));
            }
            Ok(FilesRead {
                by_item,
                count: named.paths.len(),
            })
        })
    }
}

/// A number that stands for the items of a context.
fn context_subject(context: &Context) -> u64 {
    let mut mixed = Mixed::default();
    for item in &context.items {
        let edited = item
            .edited_by
            .map_or(u64::from(u32::MAX), |own| u64::from(own.0));
        mixed.write_u64((item.message_index as u64) << 32 | edited);
        for entry in &item.entries {
            mixed.write_u64(u64::from(entry.0));
        }
    }
    mixed.finish()
}
