//! The plans shown last. The newest are kept whole; of older ones only what they use, so that an
//! error can name the entry that changed.

use super::planned::{PlanSpec, Planned};
use super::record::{CallRecord, PlanRecord};
use super::uses::Uses;
use crate::error::Result;
use crate::session::{OpenSession, lock};
use palimpsest_core::Context;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, Weak};

/// Most bytes of whole plans that are kept beside the newest one. Prompts as long as the window of
/// a large model, for each of a dozen presets, take half of it.
const KEPT_BYTES: usize = 32 << 20;

/// Plans whose used entries are known. One of 50,000 entries takes 800 KB, which plans at one place
/// share.
const KNOWN_PLANS: usize = 12;

/// Sessions as they were when they were planned, kept for the plans; one of 50,000 entries takes
/// some 20 MB, which is shared with the session on screen until its file changes.
const KEPT_SESSIONS: usize = 2;

/// The plans shown last, newest last.
#[derive(Default)]
pub(crate) struct ShownPlans {
    plans: Mutex<VecDeque<Shown>>,
    /// What plans on the context planned last use.
    uses: Mutex<Option<(Weak<Context>, Arc<Uses>)>>,
    /// How many plans were made, shown or not.
    made: std::sync::atomic::AtomicU64,
}

/// A plan that was shown.
struct Shown {
    hash: String,
    /// What was asked for.
    spec: PlanSpec,
    /// The same with the active leaf named where no entry was: it moves as the file grows.
    there: PlanSpec,
    uses: Arc<Uses>,
    /// The session as it was planned; `None` once it was removed to limit memory.
    open: Option<Arc<OpenSession>>,
    /// The plan with its texts; `None` for a plan that only counts, and once it was removed.
    whole: Option<Arc<Planned>>,
}

/// A plan that was shown, as far as it is kept.
pub(super) struct Found {
    /// The request with its entries named.
    pub there: PlanSpec,
    /// What it uses.
    pub uses: Arc<Uses>,
    /// The session as it was planned, while it is kept.
    pub open: Option<Arc<OpenSession>>,
    /// The plan with its texts, while it is kept.
    pub whole: Option<Arc<Planned>>,
}

impl ShownPlans {
    /// What a plan on `context` uses.
    pub(super) fn uses(&self, open: &OpenSession, context: &Arc<Context>) -> Result<Arc<Uses>> {
        if let Some((of, uses)) = &*lock(&self.uses)
            // By address: the same context was hashed before, and its file is the one that was
            // read.
            && std::ptr::eq(of.as_ptr(), Arc::as_ptr(context))
        {
            return Ok(Arc::clone(uses));
        }
        let uses = Arc::new(Uses::of(open, context)?);
        *lock(&self.uses) = Some((Arc::downgrade(context), Arc::clone(&uses)));
        Ok(uses)
    }

    /// Counts a plan that is made.
    pub(super) fn count(&self) {
        self.made.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    }

    /// How many plans were made.
    #[cfg(test)]
    pub(super) fn made(&self) -> u64 {
        self.made.load(std::sync::atomic::Ordering::Relaxed)
    }

    /// Keeps a plan that was shown for `spec`, and removes texts and sessions of older ones.
    pub(super) fn keep(&self, spec: &PlanSpec, planned: &Arc<Planned>) {
        let Some(shown) = &planned.shown else { return };
        let mut plans = lock(&self.plans);
        // Shown again it is the newest.
        plans.retain(|own| own.hash != shown.hash);
        plans.push_back(Shown {
            hash: shown.hash.clone(),
            spec: asked_for(spec),
            there: planned.there(spec),
            uses: Arc::clone(&shown.uses),
            open: Some(Arc::clone(&planned.open)),
            whole: planned.is_whole.then(|| Arc::clone(planned)),
        });
        if plans.len() > KNOWN_PLANS {
            plans.pop_front();
        }
        let mut bytes = 0;
        let mut sessions: Vec<*const OpenSession> = Vec::new();
        for own in plans.iter_mut().rev() {
            bytes += own
                .whole
                .as_ref()
                .map_or(0, |whole| size_of_texts(&whole.record));
            // The newest is kept whatever its size, since it is the one on the screen.
            let newest = sessions.is_empty();
            if let Some(open) = own.open.as_ref().map(Arc::as_ptr)
                && !sessions.contains(&open)
            {
                sessions.push(open);
            }
            if !newest && (bytes > KEPT_BYTES || sessions.len() > KEPT_SESSIONS) {
                own.open = None;
                own.whole = None;
            }
        }
    }

    /// The plan with this hash that was shown for `spec`.
    pub(super) fn find(&self, hash: &str, spec: &PlanSpec) -> Option<Found> {
        let asked = asked_for(spec);
        let plans = lock(&self.plans);
        let own = plans
            .iter()
            .find(|own| own.hash == hash && own.spec == asked)?;
        Some(Found {
            there: own.there.clone(),
            uses: Arc::clone(&own.uses),
            open: own.open.clone(),
            whole: own.whole.clone(),
        })
    }

    /// Removes all plans and sessions, as newer ones would.
    #[cfg(test)]
    pub(super) fn make_room(&self) {
        for own in lock(&self.plans).iter_mut() {
            own.open = None;
            own.whole = None;
        }
    }
}

impl Planned {
    /// The request for this plan on a session that has grown since.
    fn there(&self, spec: &PlanSpec) -> PlanSpec {
        let leaf = || {
            let leaf = self.open.session.active_leaf?;
            Some(self.open.session.name_of(leaf))
        };
        // A run of the plan must not move to lines that were appended since.
        let mut there = asked_for(spec);
        match there.to {
            Some(_) => there.from = there.from.or_else(leaf),
            None => there.at = there.at.or_else(leaf),
        }
        there
    }
}

/// A request without the fields that do not change its plan.
pub(super) fn asked_for(spec: &PlanSpec) -> PlanSpec {
    PlanSpec {
        brief: false,
        ..spec.clone()
    }
}

/// Bytes of a plan's texts: in the plan, and in its record.
fn size_of_texts(record: &PlanRecord) -> usize {
    let of = |calls: &[CallRecord]| -> usize {
        calls
            .iter()
            .map(|call| call.system.len() + call.prompt.len())
            .sum()
    };
    let others = record.fallbacks.iter().map(|own| of(&own.calls));
    // The plan and its record hold a copy each.
    2 * (of(&record.calls) + others.sum::<usize>())
}
