//! Short names of entries, by which a model cites them.

use crate::vocabulary::input::{PlanInput, memoized};
use crate::vocabulary::memo::{MemoKey, Weight, question};
use palimpsest_core::{BodyError, EntryIx, Session};
use std::sync::{Arc, LazyLock};

/// Characters of an entry's id that are shown at least.
// pi's ids have 8 characters, so they are shown whole.
const HANDLE_CHARS: usize = 8;

/// Short names of entries.
pub(super) struct Handles {
    /// How many characters of its id tell an entry from all others.
    lengths: Vec<usize>,
}

impl Weight for Handles {
    fn bytes(&self) -> usize {
        self.lengths.len() * size_of::<usize>()
    }
}

impl Handles {
    /// Those of all entries of the session, worked out once.
    pub fn of_session(input: &PlanInput<'_>) -> Result<Arc<Handles>, BodyError> {
        static QUESTION: LazyLock<u64> = LazyLock::new(|| question("handles of entries", &()));
        let key = MemoKey::whole(*QUESTION, input.session.entries.len() as u64);
        memoized(input.messages, key, || Ok(Handles::new(input.session)))
    }

    fn new(session: &Session) -> Handles {
        let mut ids: Vec<(&str, EntryIx)> = session
            .entries
            .iter()
            .enumerate()
            .map(|(at, entry)| (&*entry.id.0, EntryIx(at as u32)))
            .collect();
        ids.sort_unstable();
        let shared = |a: usize, b: usize| -> usize {
            let pair = ids[a].0.chars().zip(ids[b].0.chars());
            pair.take_while(|(a, b)| a == b).count()
        };
        let mut lengths = vec![usize::MAX; ids.len()];
        // In sorted order no other id shares more than the two beside it.
        for (at, (_, entry)) in ids.iter().enumerate() {
            let before = at.checked_sub(1).map_or(0, |before| shared(before, at));
            let after = if at + 1 < ids.len() {
                shared(at, at + 1)
            } else {
                0
            };
            lengths[entry.get()] = (before.max(after) + 1).max(HANDLE_CHARS);
        }
        Handles { lengths }
    }

    /// The short name of an entry.
    pub fn of(&self, session: &Session, entry: EntryIx) -> String {
        let length = self.lengths.get(entry.get()).copied().unwrap_or(usize::MAX);
        session.entry(entry).id.0.chars().take(length).collect()
    }
}
