//! What planning works out again and again, kept while one session is planned.

use super::planning::SessionMessages;
use crate::session::{OpenSession, lock};
use palimpsest_compaction::ItemMessages;
use palimpsest_compaction::plan::{Fact, FactKey};
use palimpsest_core::{BodyError, Context, ContextItem, EntryIx, Message};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::{Arc, Mutex, Weak};

/// Bytes of facts that are kept at most: sizes of 50,000 items take about 5 MB for each form they
/// are written in, their texts as many as the session has.
const KEPT_BYTES: usize = 64 << 20;

/// Contexts that are kept: that at one place, and for a branch also that where one would go on.
const KEPT_CONTEXTS: usize = 2;

/// What a fact takes beside its own bytes and the place it is found at.
const OVERHEAD_BYTES: usize = 32;

/// What a fact takes that is kept in a map, beside that.
const MAPPED_BYTES: usize = 48;

/// The facts of the session planned last.
#[derive(Default)]
pub(crate) struct KeptFacts(Mutex<Facts>);

#[derive(Default)]
struct Facts {
    session: Weak<OpenSession>,
    contexts: Vec<Arc<Context>>,
    /// Facts by their subject, for each question.
    questions: HashMap<u64, Answers, BuildHasherDefault<Same>>,
    bytes: usize,
    /// Counts plans.
    plan: u64,
}

#[derive(Default)]
struct Answers {
    /// Facts of items with their subjects, by the place of the item. A map of 50,000 facts is
    /// slower than one read from front to back, and most plans ask in the order of the items.
    placed: Vec<Option<(u64, Fact)>>,
    /// All others.
    facts: HashMap<u64, Fact, BuildHasherDefault<Same>>,
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

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }
}

impl KeptFacts {
    /// The messages of `open` for one plan. With `only_counts` its prompts are counted and not
    /// written out.
    pub(crate) fn messages<'a>(
        &'a self,
        open: &'a Arc<OpenSession>,
        only_counts: bool,
    ) -> PlanningMessages<'a> {
        let mut facts = lock(&self.0);
        facts.turn_to(open);
        facts.plan += 1;
        PlanningMessages {
            open,
            kept: self,
            only_counts,
        }
    }

    /// The context of `open` at an entry.
    pub(crate) fn context(&self, open: &Arc<OpenSession>, at: Option<EntryIx>) -> Arc<Context> {
        {
            let mut facts = lock(&self.0);
            facts.turn_to(open);
            if let Some(place) = facts.contexts.iter().position(|own| own.at == at) {
                let found = facts.contexts.remove(place);
                facts.contexts.push(Arc::clone(&found));
                return found;
            }
        }
        let context = Arc::new(open.format.context(&open.session, &open.tree, at));
        let mut facts = lock(&self.0);
        if facts.is_about(open) {
            if facts.contexts.len() == KEPT_CONTEXTS {
                facts.contexts.remove(0);
            }
            facts.contexts.push(Arc::clone(&context));
        }
        context
    }
}

/// The messages of a session, and what is known of them as far as it is kept.
pub(crate) struct PlanningMessages<'a> {
    open: &'a Arc<OpenSession>,
    kept: &'a KeptFacts,
    only_counts: bool,
}

impl ItemMessages for PlanningMessages<'_> {
    fn message(&self, item: &ContextItem) -> Result<Message, BodyError> {
        SessionMessages(self.open).message(item)
    }

    fn kept(
        &self,
        key: FactKey,
        make: &mut dyn FnMut() -> Result<Fact, BodyError>,
    ) -> Result<Fact, BodyError> {
        if let Some(fact) = lock(&self.kept.0).find(self.open, key) {
            return Ok(fact);
        }
        // Not under the lock: this reads the source.
        let fact = make()?;
        lock(&self.kept.0).keep(self.open, key, &fact);
        Ok(fact)
    }

    fn only_counts(&self) -> bool {
        self.only_counts
    }
}

impl Facts {
    fn is_about(&self, open: &Arc<OpenSession>) -> bool {
        std::ptr::eq(self.session.as_ptr(), Arc::as_ptr(open))
    }

    /// Forgets all about other sessions, and about this one as it was before.
    fn turn_to(&mut self, open: &Arc<OpenSession>) {
        if !self.is_about(open) {
            *self = Facts {
                session: Arc::downgrade(open),
                ..Facts::default()
            };
        }
    }

    fn find(&mut self, open: &Arc<OpenSession>, key: FactKey) -> Option<Fact> {
        if !self.is_about(open) {
            return None;
        }
        let plan = self.plan;
        let answers = self.questions.get_mut(&key.question)?;
        answers.plan = plan;
        answers.get(key)
    }

    /// Keeps a fact. Where there is no room the question goes that was asked longest ago, and with
    /// it all its facts. Those of this plan stay: the next one asks for all of them in the same
    /// order, so that to keep the newest would be to keep nothing that is asked for next.
    fn keep(&mut self, open: &Arc<OpenSession>, key: FactKey, fact: &Fact) {
        if !self.is_about(open) {
            return;
        }
        let bytes = fact.bytes + OVERHEAD_BYTES;
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
        let more = answers.put(key, fact);
        answers.bytes += more;
        self.bytes += more;
    }
}

impl Answers {
    fn get(&self, key: FactKey) -> Option<Fact> {
        let placed = key.place.and_then(|place| self.placed.get(place));
        match placed.and_then(Option::as_ref) {
            Some((subject, fact)) if *subject == key.subject => Some(fact.clone()),
            _ => self.facts.get(&key.subject).cloned(),
        }
    }

    /// Keeps a fact and says how many bytes that takes.
    fn put(&mut self, key: FactKey, fact: &Fact) -> usize {
        let own = fact.bytes + OVERHEAD_BYTES;
        if let Some(place) = key.place {
            let grown = (place + 1).saturating_sub(self.placed.len());
            if grown > 0 {
                self.placed.resize(place + 1, None);
            }
            // What is there of another item may be asked for again.
            if self.placed[place].is_none() {
                self.placed[place] = Some((key.subject, fact.clone()));
                return own + grown * size_of::<Option<(u64, Fact)>>();
            }
        }
        match self.facts.insert(key.subject, fact.clone()) {
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
        let fact = |number: u64| Fact {
            value: Arc::new(number),
            bytes: 8,
        };
        let key = |subject: u64, place: Option<usize>| FactKey {
            question: 1,
            subject,
            place,
        };
        let mut answers = Answers::default();
        let number = |answers: &Answers, key: FactKey| {
            let fact = answers.get(key)?;
            fact.value.downcast_ref::<u64>().copied()
        };
        for (subject, place) in [(10, Some(2)), (20, Some(2)), (30, None)] {
            assert!(answers.put(key(subject, place), &fact(subject)) > 8);
        }
        for subject in [10, 20, 30] {
            assert_eq!(number(&answers, key(subject, Some(2))), Some(subject));
        }
        // One that was kept at its place is not found at another: it is worked out again.
        assert_eq!(number(&answers, key(10, Some(3))), None);
        assert_eq!(number(&answers, key(20, None)), Some(20));
        assert_eq!(answers.put(key(20, Some(2)), &fact(20)), 0);
    }
}
