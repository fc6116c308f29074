//! When Mux compacts automatically (0.28).

use crate::BudgetPolicy;
use crate::reading::percent_of;
use palimpsest_core::entry::Trigger;
use palimpsest_core::{EntryIx, EntryKind, Role, Session, Tree};

/// Share of the window, in percent, at which Mux compacts before it sends a prompt (default).
pub const THRESHOLD_PERCENT: u64 = 70;

/// The threshold for a model with this window.
pub(super) fn of_window(window: u64) -> BudgetPolicy {
    let share = percent_of(window, THRESHOLD_PERCENT);
    BudgetPolicy {
        window,
        // Mux compacts at the share, not above it.
        threshold: share.saturating_sub(1),
        reserve: window - share,
        keep_recent: 0,
        learned_from: 0,
    }
}

/// The threshold at `at`. The share is a setting of each model, and a session stores no window: where
/// Mux compacted below the rule, or sent a prompt above it, its lowest automatic compaction is the
/// nearest that can be known.
pub(super) fn at(session: &Session, tree: &Tree, at: Option<EntryIx>, window: u64) -> BudgetPolicy {
    let mut policy = of_window(window);
    let path = at.map(|at| tree.path(at)).unwrap_or_default();
    let (mut lowest, mut fired, mut highest_passed) = (None::<u64>, 0, 0);
    let mut size = 0;
    for &ix in &path {
        let entry = session.entry(ix);
        match &entry.kind {
            EntryKind::Compaction(told) => {
                size = 0;
                let before = told.tokens_before.filter(|tokens| *tokens > 0);
                if let (Some(Trigger::Auto), Some(before)) = (told.trigger, before) {
                    lowest = Some(lowest.unwrap_or(before).min(before));
                    fired += 1;
                }
            }
            // Mux looks when a prompt is sent.
            EntryKind::Message(Role::User) => highest_passed = highest_passed.max(size),
            _ => {}
        }
        if let Some(usage) = entry.usage.filter(|_| entry.usage_trusted) {
            size = usage.context_tokens();
        }
    }
    if let Some(lowest) = lowest
        && (lowest <= policy.threshold || highest_passed > policy.threshold)
    {
        policy.threshold = lowest.saturating_sub(1);
        policy.learned_from = fired;
    }
    policy
}
