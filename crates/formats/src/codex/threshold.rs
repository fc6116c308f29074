//! When Codex compacts automatically.

use crate::BudgetPolicy;
use palimpsest_core::entry::Trigger;
use palimpsest_core::{EntryIx, EntryKind, Session, Tree};

/// Share of the threshold, in percent, below which an automatic compaction tells another one. Codex
/// (0.139 to 0.169) adds an estimate of what came after the newest response to the size that is recorded,
/// so that a compaction at the threshold may be recorded some thousand tokens below it.
const FAR_BELOW_PERCENT: u64 = 75;

/// The threshold at `at`: that of `rule`, or where the session compacted automatically far below it.
/// `model_auto_compact_token_limit` can only lower the threshold, and a session does not store it; its
/// lowest automatic compaction is the nearest that can be known.
pub(super) fn at(
    session: &Session,
    tree: &Tree,
    at: Option<EntryIx>,
    rule: BudgetPolicy,
) -> BudgetPolicy {
    let path = at.map(|at| tree.path(at)).unwrap_or_default();
    let sizes = path.iter().filter_map(|&ix| match &session.entry(ix).kind {
        EntryKind::Compaction(told) if told.trigger == Some(Trigger::Auto) => told.tokens_before,
        _ => None,
    });
    let fired: Vec<u64> = sizes.filter(|size| *size > 0).collect();
    let Some(&lowest) = fired.iter().min() else {
        return rule;
    };
    if lowest >= rule.threshold / 100 * FAR_BELOW_PERCENT {
        return rule;
    }
    BudgetPolicy {
        threshold: lowest,
        learned_from: u32::try_from(fired.len()).unwrap_or(u32::MAX),
        ..rule
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codex::Codex;
    use crate::{InMemory, SessionFormat as _};

    /// The threshold in a window of 100,000 tokens, of a session whose compactions started so.
    fn threshold(trigger: Option<Trigger>, sizes: u64) -> (u64, u32) {
        let text = include_bytes!("../../tests/fixtures/codex/valid/compacted-local.jsonl");
        let mut read = InMemory::read(&Codex, "r.jsonl", text.to_vec());
        for entry in &mut read.session.entries {
            if let EntryKind::Compaction(told) = &mut entry.kind {
                told.trigger = trigger;
                told.tokens_before = told.tokens_before.map(|own| own * sizes);
            }
        }
        let leaf = read.session.active_leaf;
        let policy = Codex.policy_at(&read.session, &read.tree, leaf, 100_000);
        (policy.threshold, policy.learned_from)
    }

    #[test]
    fn automatic_compactions_far_below_the_rule_tell_a_lower_threshold() {
        assert_eq!(threshold(Some(Trigger::Auto), 1), (1_510, 2));
        // A user compacts when he wants to.
        assert_eq!(threshold(Some(Trigger::Manual), 1), (90_000, 0));
        assert_eq!(threshold(None, 1), (90_000, 0));
        // Near the rule the size that is recorded is not the one that was compared.
        assert_eq!(threshold(Some(Trigger::Auto), 50), (90_000, 0));
    }
}
