//! When Claude Code compacts automatically.

use crate::BudgetPolicy;
use palimpsest_core::entry::Trigger;
use palimpsest_core::{EntryIx, EntryKind, Session, Tree};

/// Tokens kept free for the reply: the model's largest reply, but at most this (2.0.53 to
/// 2.1.197); every model since 2025 allows more.
pub const REPLY_TOKENS: u64 = 20_000;
/// Tokens between the threshold and the room for the reply (2.0.53, and 2.1.25 to 2.1.197).
pub const MARGIN_TOKENS: u64 = 13_000;

/// Tokens between the threshold and the room for the reply in the versions from [`WIDE_FROM`] up to
/// [`WIDE_UNTIL`]: the lowest of 34 automatic compactions by 2.0.76 to 2.1.20 is at 155,031 of
/// 200,000 tokens, the lowest of 31 from 2.1.25 on at 167,038.
const WIDE_MARGIN_TOKENS: u64 = 25_000;
/// The first version measured with the wide margin; 2.0.53 has the other one in its code.
const WIDE_FROM: [u64; 3] = [2, 0, 76];
/// The first version measured without it; 2.1.21 to 2.1.24 were not seen.
const WIDE_UNTIL: [u64; 3] = [2, 1, 25];

/// The threshold by the newest rule.
pub(super) fn newest(window: u64) -> BudgetPolicy {
    by_margin(window, MARGIN_TOKENS)
}

fn by_margin(window: u64, margin: u64) -> BudgetPolicy {
    BudgetPolicy {
        window,
        threshold: window.saturating_sub(REPLY_TOKENS + margin),
        reserve: REPLY_TOKENS,
        keep_recent: 0,
        learned_from: 0,
    }
}

/// The threshold at `at`, by the version of the session and by where it has fired before.
///
/// An agent that fires below the rule has another threshold (a setting lowers it); so has one that
/// made a further request above the rule before it fired. The lowest automatic compaction is then
/// the nearest that can be known.
pub(super) fn at(session: &Session, tree: &Tree, at: Option<EntryIx>, window: u64) -> BudgetPolicy {
    let margin = margin_of(session.meta.agent_version.as_deref());
    let mut policy = by_margin(window, margin);
    let path = at.map(|at| tree.path(at)).unwrap_or_default();
    let seen = Seen::along(session, &path);
    if let Some(lowest) = seen.lowest_fired
        && (lowest < policy.threshold || seen.highest_passed > policy.threshold)
    {
        policy.threshold = lowest;
        policy.learned_from = seen.fired;
    }
    policy
}

/// The margin of a version.
fn margin_of(version: Option<&str>) -> u64 {
    let number = version.and_then(parsed);
    let is_wide = number.is_some_and(|number| (WIDE_FROM..WIDE_UNTIL).contains(&number));
    if is_wide {
        WIDE_MARGIN_TOKENS
    } else {
        MARGIN_TOKENS
    }
}

/// The three numbers of a version.
fn parsed(version: &str) -> Option<[u64; 3]> {
    let mut parts = version.split(['.', '-']).map(|part| part.parse().ok());
    Some([parts.next()??, parts.next()??, parts.next()??])
}

/// Context sizes at which the agent did and did not compact.
#[derive(Default)]
struct Seen {
    /// The smallest size at which it compacted automatically.
    lowest_fired: Option<u64>,
    /// How often it did.
    fired: u32,
    /// The largest reported one behind which it sent another request.
    highest_passed: u64,
}

impl Seen {
    fn along(session: &Session, path: &[EntryIx]) -> Seen {
        let mut seen = Seen::default();
        let mut reported = None;
        for entry in path.iter().map(|&ix| session.entry(ix)) {
            if let EntryKind::Compaction(told) = &entry.kind {
                // The next report is that of the shorter context.
                reported = None;
                let size = told.tokens_before.filter(|tokens| *tokens > 0);
                if let (Some(Trigger::Auto), Some(size)) = (told.trigger, size) {
                    let lowest = seen.lowest_fired.unwrap_or(size);
                    seen.lowest_fired = Some(lowest.min(size));
                    seen.fired += 1;
                }
            }
            if let Some(usage) = entry.usage.filter(|_| entry.usage_trusted) {
                seen.highest_passed = seen.highest_passed.max(reported.unwrap_or(0));
                // The reply is left out: most files hold a part of its size only.
                reported = Some(usage.context_tokens().saturating_sub(usage.output));
            }
        }
        seen
    }
}
