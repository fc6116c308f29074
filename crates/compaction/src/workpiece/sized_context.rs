//! The context as stages choose from it: by sizes, and with its texts where a choice reads them.

use crate::vocabulary::input::{PlanInput, memoized};
use crate::vocabulary::memo::{MemoKey, Mixed, Weight, item_subject, question};
use crate::workpiece::seen::{Seen, is_summary, seen};
use crate::workpiece::sizes::Sizes;
use palimpsest_core::{Context, EntryKind, Role, Session};
use std::hash::{Hash as _, Hasher as _};
use std::ops::Deref;
use std::sync::{Arc, LazyLock};

/// The context as the select stage sees it.
pub struct SizedContext<'a> {
    /// What the plan is made from.
    pub input: &'a PlanInput<'a>,
    sizes: Arc<Sizes>,
}

impl Deref for SizedContext<'_> {
    type Target = Sizes;

    fn deref(&self) -> &Sizes {
        &self.sizes
    }
}

impl<'a> SizedContext<'a> {
    /// Looks at the context of `input`. It is looked at once for all plans: where a plan only counts,
    /// this was a tenth of its time.
    pub fn new(input: &'a PlanInput<'a>) -> SizedContext<'a> {
        static QUESTION: LazyLock<u64> = LazyLock::new(|| question("sizes of a context", &()));
        let key = MemoKey::whole(*QUESTION, subject(input.context));
        let kept = memoized(input.messages, key, || Ok(Sizes::of(input)));
        let sizes = kept.unwrap_or_else(|_| Arc::new(Sizes::of(input)));
        SizedContext { input, sizes }
    }

    /// The id of the entry at `position`.
    pub fn id(&self, position: usize) -> &'a str {
        let session = self.input.session;
        session.entry(self.entries[position].entry).id.as_str()
    }

    /// The last position of the entry with this id.
    pub fn position_of(&self, id: &str) -> Option<usize> {
        (0..self.len()).rev().find(|&at| self.id(at) == id)
    }
}

/// A number that stands for what the sizes of a context are worked out from.
fn subject(context: &Context) -> u64 {
    let mut mixed = Mixed::default();
    context.at.hash(&mut mixed);
    mixed.write_usize(context.path.len());
    mixed.write_u64(context.projected);
    for entry in &context.selected {
        mixed.write_u32(entry.0);
    }
    for item in &context.items {
        mixed.write_u64(item_subject(item));
        mixed.write_u64(item.estimate);
    }
    mixed.finish()
}

impl Weight for Sizes {
    fn bytes(&self) -> usize {
        size_of_val(&*self.entries)
            + size_of_val(&*self.is_system)
            + size_of_val(&*self.failed_from)
    }
}

impl Sizes {
    fn of(input: &PlanInput<'_>) -> Sizes {
        let context = input.context;
        let entries = seen(input.session, &context.selected, &context.items);
        // The newest compaction is the only one with a summary in a context.
        let has_summary = |seen: &Seen| context.items[seen.items.clone()].iter().any(is_summary);
        let previous = entries
            .iter()
            .position(|seen| seen.is_compaction && has_summary(seen))
            .or_else(|| {
                let mut entries = entries.iter();
                entries.position(|seen| seen.is_compaction && seen.is_visible())
            });
        let items = context.items.iter();
        let is_system = items.map(|item| item.role == Role::System || item.entries.is_empty());
        let is_system: Vec<bool> = is_system.collect();
        let said = context.items.iter().zip(&is_system);
        let said = said.filter(|(_, is_system)| !**is_system);
        let said: u64 = said.map(|(item, _)| item.estimate).sum();
        Sizes {
            previous,
            is_system,
            context_tokens: context.projected,
            // Estimates may be above what the agent counts.
            besides_tokens: context.projected.saturating_sub(said),
            after_previous: previous.map_or(0, |at| written_after(input, &entries, at)),
            failed_from: failed_from(input.session, &entries),
            entries,
        }
    }
}

/// The first position of an entry that stands behind that of the compaction at `position` on the
/// path.
fn written_after(input: &PlanInput<'_>, entries: &[Seen], position: usize) -> usize {
    let path = &input.context.path;
    let compaction = entries[position].entry;
    let at = path.iter().position(|&entry| entry == compaction);
    let first = at.and_then(|at| path.get(at + 1));
    let found = first.and_then(|first| entries.iter().position(|seen| seen.entry == *first));
    found.unwrap_or(entries.len())
}

/// Positions from which on nothing but a failed attempt of pi's follows.
fn failed_from(session: &Session, entries: &[Seen]) -> Vec<usize> {
    let is_reply =
        |seen: &&Seen| session.entry(seen.entry).kind == EntryKind::Message(Role::Assistant);
    let hidden = entries.iter().rev().take_while(|seen| !seen.is_visible());
    let first = entries.len() - hidden.count();
    // Behind the last such reply there is no attempt; mostly there is none at all.
    let Some(last) = entries[first..].iter().rposition(|seen| is_reply(&seen)) else {
        return Vec::new();
    };
    let positions = first..=first + last;
    positions
        .filter(|&at| only_failed_attempt_follows(session, &entries[at..]))
        .collect()
}

/// True when everything in `suffix` is invisible and it holds an omitted reply of the model and no
/// edit of anything outside: an input too large to be answered, which may then be summarized.
fn only_failed_attempt_follows(session: &Session, suffix: &[Seen]) -> bool {
    let kind = |seen: &Seen| &session.entry(seen.entry).kind;
    let stands_for_messages = |seen: &Seen| {
        !matches!(kind(seen), EntryKind::ContextEdit { .. })
            && !session.entry(seen.entry).messages.is_empty()
    };
    let is_omitted = |seen: &Seen| stands_for_messages(seen) && !seen.is_visible();
    let edits_outside = suffix.iter().any(|seen| match kind(seen) {
        EntryKind::ContextEdit {
            omit: false,
            target,
            ..
        } => !suffix
            .iter()
            .any(|other| Some(other.entry) == *target && is_omitted(other)),
        _ => false,
    });
    let has_attempt = suffix
        .iter()
        .any(|seen| *kind(seen) == EntryKind::Message(Role::Assistant) && is_omitted(seen));
    let all_hidden = suffix
        .iter()
        .all(|seen| !seen.is_compaction && (!stands_for_messages(seen) || is_omitted(seen)));
    has_attempt && all_hidden && !edits_outside
}

/// True when the entry stood on is a compaction itself.
pub(crate) fn stands_on_compaction(input: &PlanInput<'_>) -> bool {
    let at = input.context.path.last();
    at.is_some_and(|&at| matches!(input.session.entry(at).kind, EntryKind::Compaction(_)))
}
