//! What planning works out again and again, kept while one session is planned.

use super::messages::SessionMessages;
use crate::session::{OpenSession, lock};
use palimpsest_compaction::ItemMessages;
use palimpsest_compaction::plan::{Memo, MemoKey};
use palimpsest_core::{BodyError, Context, ContextItem, EntryIx, Message};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::{Arc, Mutex, Weak};

/// Bytes of memos that are kept at most: sizes of 50,000 items take about 5 MB for each form they
/// are written in, their texts as many as the session has.
const KEPT_BYTES: usize = 64 << 20;

/// Contexts that are kept: that at one place, and for a branch also that where one would go on.
const KEPT_CONTEXTS: usize = 2;

/// What a memo takes beside its own bytes and the place it is found at.
const OVERHEAD_BYTES: usize = 32;

/// What a memo takes that is kept in a map, beside that.
const MAPPED_BYTES: usize = 48;

/// The memos of the session planned last.
#[derive(Default)]
pub(crate) struct KeptMemos(Mutex<Memos>);

#[derive(Default)]
struct Memos {
    session: Weak<OpenSession>,
    contexts: Vec<Arc<Context>>,
    /// Memos by their subject, for each question.
    questions: HashMap<u64, Answers, BuildHasherDefault<Same>>,
    bytes: usize,
    /// Counts plans.
    plan: u64,
}

#[derive(Default)]
struct Answers {
    /// Memos of items with their subjects, by the place of the item. A map of 50,000 memos is
    /// slower than one read from front to back, and most plans ask in the order of the items.
    placed: Vec<Option<(u64, Memo)>>,
    /// All others.
    memos: HashMap<u64, Memo, BuildHasherDefault<Same>>,
    bytes: usize,
    /// The last plan that asked.
    plan: u64,
}

/// Takes numbers that are hashes already as they are.
#[derive(Default)]
struct Same(u64);

impl Hasher for Same {
    fn finish(&self) -> u64 {
        self.0
    }

    // Never called with the keys used here, which are u64; the trait requires it.
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }
}

impl KeptMemos {
    /// The messages of `open` for one plan. With `only_counts` its prompts are counted and not
    /// written out.
    pub(crate) fn messages<'a>(
        &'a self,
        open: &'a Arc<OpenSession>,
        only_counts: bool,
    ) -> PlanningMessages<'a> {
        let mut memos = lock(&self.0);
        memos.turn_to(open);
        memos.plan += 1;
        PlanningMessages {
            open,
            kept: self,
            only_counts,
        }
    }

    /// The context of `open` at an entry.
    pub(crate) fn context(&self, open: &Arc<OpenSession>, at: Option<EntryIx>) -> Arc<Context> {
        {
            let mut memos = lock(&self.0);
            memos.turn_to(open);
            if let Some(place) = memos.contexts.iter().position(|own| own.at == at) {
                let found = memos.contexts.remove(place);
                memos.contexts.push(Arc::clone(&found));
                return found;
            }
        }
        // Outside the lock: it takes long for a large session, and other plans need the memos.
        let context = Arc::new(open.format.context(&open.session, &open.tree, at));
        let mut memos = lock(&self.0);
        // Another session may have been planned meanwhile.
        if memos.is_about(open) {
            if memos.contexts.len() == KEPT_CONTEXTS {
                memos.contexts.remove(0);
            }
            memos.contexts.push(Arc::clone(&context));
        }
        context
    }
}

/// The messages of a session, and what is known of them as far as it is kept.
pub(crate) struct PlanningMessages<'a> {
    open: &'a Arc<OpenSession>,
    kept: &'a KeptMemos,
    only_counts: bool,
}

impl ItemMessages for PlanningMessages<'_> {
    fn message(&self, item: &ContextItem) -> Result<Message, BodyError> {
        SessionMessages(self.open).message(item)
    }

    fn memo(
        &self,
        key: MemoKey,
        make: &mut dyn FnMut() -> Result<Memo, BodyError>,
    ) -> Result<Memo, BodyError> {
        if let Some(memo) = lock(&self.kept.0).find(self.open, key) {
            return Ok(memo);
        }
        // Not under the lock: this reads the source.
        let memo = make()?;
        lock(&self.kept.0).keep(self.open, key, &memo);
        Ok(memo)
    }

    fn only_counts(&self) -> bool {
        self.only_counts
    }
}

impl Memos {
    fn is_about(&self, open: &Arc<OpenSession>) -> bool {
        // By address: a session that grew is another object, and its memos are made again.
        std::ptr::eq(self.session.as_ptr(), Arc::as_ptr(open))
    }

    /// Forgets all about other sessions, and about this one as it was before.
    fn turn_to(&mut self, open: &Arc<OpenSession>) {
        if !self.is_about(open) {
            *self = Memos {
                // Weak, so that memos do not keep a closed session in memory.
                session: Arc::downgrade(open),
                ..Memos::default()
            };
        }
    }

    fn find(&mut self, open: &Arc<OpenSession>, key: MemoKey) -> Option<Memo> {
        if !self.is_about(open) {
            return None;
        }
        let plan = self.plan;
        let answers = self.questions.get_mut(&key.question)?;
        answers.plan = plan;
        answers.get(key)
    }

    /// Keeps a memo. Where there is no room the question goes that was asked longest ago, and with
    /// it all its memos. Those of this plan stay: the next one asks for all of them in the same
    /// order, so that to keep the newest would be to keep nothing that is asked for next.
    fn keep(&mut self, open: &Arc<OpenSession>, key: MemoKey, memo: &Memo) {
        if !self.is_about(open) {
            return;
        }
        let bytes = memo.bytes + OVERHEAD_BYTES;
        while self.bytes + bytes > KEPT_BYTES {
            let before = self
                .questions
                .iter()
                .filter(|(_, own)| own.plan < self.plan);
            let Some((&oldest, _)) = before.min_by_key(|(_, own)| own.plan) else {
                return;
            };
            let gone = self.questions.remove(&oldest);
            self.bytes -= gone.map_or(0, |own| own.bytes);
        }
        let plan = self.plan;
        let answers = self.questions.entry(key.question).or_default();
        answers.plan = plan;
        let more = answers.put(key, memo);
        answers.bytes += more;
        self.bytes += more;
    }
}

impl Answers {
    fn get(&self, key: MemoKey) -> Option<Memo> {
        let placed = key.place.and_then(|place| self.placed.get(place));
        match placed.and_then(Option::as_ref) {
            Some((subject, memo)) if *subject == key.subject => Some(memo.clone()),
            _ => self.memos.get(&key.subject).cloned(),
        }
    }

    /// Keeps a memo and says how many bytes that takes.
    fn put(&mut self, key: MemoKey, memo: &Memo) -> usize {
        let own = memo.bytes + OVERHEAD_BYTES;
        if let Some(place) = key.place {
            let grown = (place + 1).saturating_sub(self.placed.len());
            if grown > 0 {
                self.placed.resize(place + 1, None);
            }
            // A place holds one memo, and that of another item may still be asked for.
            if self.placed[place].is_none() {
                self.placed[place] = Some((key.subject, memo.clone()));
                return own + grown * size_of::<Option<(u64, Memo)>>();
            }
        }
        match self.memos.insert(key.subject, memo.clone()) {
            None => own + MAPPED_BYTES,
            Some(_) => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_that_come_to_the_same_place_do_not_push_each_other_out() {
        let memo = |number: u64| Memo {
            value: Arc::new(number),
            bytes: 8,
        };
        let key = |subject: u64, place: Option<usize>| MemoKey {
            question: 1,
            subject,
            place,
        };
        let mut answers = Answers::default();
        let number = |answers: &Answers, key: MemoKey| {
            let memo = answers.get(key)?;
            memo.value.downcast_ref::<u64>().copied()
        };
        for (subject, place) in [(10, Some(2)), (20, Some(2)), (30, None)] {
            assert!(answers.put(key(subject, place), &memo(subject)) > 8);
        }
        for subject in [10, 20, 30] {
            assert_eq!(number(&answers, key(subject, Some(2))), Some(subject));
        }
        // One that was kept at its place is not found at another: it is worked out again.
        assert_eq!(number(&answers, key(10, Some(3))), None);
        assert_eq!(number(&answers, key(20, None)), Some(20));
        assert_eq!(answers.put(key(20, Some(2)), &memo(20)), 0);
    }
}
