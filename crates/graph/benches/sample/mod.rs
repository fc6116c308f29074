//! A session of any size, shaped like real ones: turns of reading and editing, abandoned branches
//! with summaries, compactions, failures, labels. The same numbers always give the same session.

use palimpsest_core::entry::{BranchSummary, Compaction};
use palimpsest_core::session::SessionMeta;
use palimpsest_core::{
    Agent, Entry, EntryId, EntryIx, EntryKind, MessageSize, Outcome, Role, Session, SourceSpan,
};

const ASKS: [&str; 6] = [
    "The retry loop gives up too early, can you find out why?",
    "Now make the importer skip blank lines",
    "Write a test that fails without the fix",
    "Rename the flag to --keep-going and update the docs",
    "What would it take to support several roots?",
    "Please undo the last change, it breaks the build on Windows",
];
const REPLIES: [&str; 4] = [
    "I'll look at how the loop counts its attempts first.",
    "The counter is reset by every partial read. I'll move it out of the loop.",
    "All 48 tests pass. The fix is in retry.rs, with a regression test beside it.",
    "Two callers depend on the old name; I'll keep an alias for one release.",
];
const TOOLS: [&str; 4] = ["read", "edit", "bash", "grep"];

/// A small generator of numbers, so that nothing depends on chance.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) % limit
    }
}

fn entry(i: usize, parent: Option<EntryIx>, kind: EntryKind, preview: &str, tokens: u64) -> Entry {
    let role = match kind {
        EntryKind::Message(role) => Some(role),
        EntryKind::Compaction(_) | EntryKind::BranchSummary(_) => Some(Role::User),
        _ => None,
    };
    let message = role.map(|role| MessageSize {
        role,
        native_role: "",
        estimate: tokens,
        units: Vec::new(),
        tool_name: (role == Role::Tool).then(|| TOOLS[i % TOOLS.len()].into()),
        outcome: Outcome::Fine,
        sent: true,
    });
    Entry {
        id: EntryId::from(format!("{i:08x}")),
        parent,
        missing_parent: None,
        kind,
        at_ms: Some(i as i64 * 1_000),
        source: SourceSpan::default(),
        messages: message.into_iter().collect(),
        tool_calls: Vec::new(),
        usage: None,
        usage_trusted: false,
        stop_reason: None,
        is_error: false,
        model: None,
        preview: preview.into(),
        recovered: false,
        sidechain: false,
        subagent: None,
        side_agent: None,
        rejected: false,
        undone: false,
    }
}

/// A session of `count` entries.
pub fn session(count: usize) -> Session {
    let mut numbers = Numbers(7);
    let mut entries: Vec<Entry> = Vec::with_capacity(count);
    let mut at: Option<EntryIx> = None;
    let mut turn_ends: Vec<EntryIx> = Vec::new();
    let (mut since_compaction, mut left) = (0, None);
    while entries.len() < count {
        let i = entries.len();
        let next = |kind, preview: &str, tokens| entry(i, at, kind, preview, tokens);
        since_compaction += 1;
        let is_turn_start = i > 2 && turn_ends.last().is_some_and(|&end| Some(end) == at);
        let mut made = if i == 0 {
            next(EntryKind::ModelChange, "", 0)
        } else if i == 1 {
            next(
                EntryKind::ThinkingChange {
                    level: "high".into(),
                },
                "",
                0,
            )
        } else if let Some(from) = left.take() {
            let summary = BranchSummary {
                from: Some(from),
                ..BranchSummary::default()
            };
            next(
                EntryKind::BranchSummary(Box::new(summary)),
                "Tried to cache the parsed lines; slower.",
                700,
            )
        } else if since_compaction > 700 && is_turn_start {
            since_compaction = 0;
            let kept = turn_ends[turn_ends.len().saturating_sub(3)];
            let compaction = Compaction {
                first_kept: Some(kept),
                tokens_before: Some(150_000 + numbers.below(40_000)),
                ..Compaction::default()
            };
            next(
                EntryKind::Compaction(Box::new(compaction)),
                "Goal: make the importer robust.",
                1_900,
            )
        } else if i == 2 || is_turn_start {
            turn_ends.pop();
            let ask = ASKS[numbers.below(ASKS.len() as u64) as usize];
            next(EntryKind::Message(Role::User), ask, 40)
        } else if numbers.below(100) < 6 {
            let reply = REPLIES[numbers.below(REPLIES.len() as u64) as usize];
            next(EntryKind::Message(Role::Assistant), reply, 220)
        } else if i.is_multiple_of(2) {
            next(
                EntryKind::Message(Role::Assistant),
                REPLIES[i % REPLIES.len()],
                160,
            )
        } else {
            next(
                EntryKind::Message(Role::Tool),
                "140 lines of src/import/lines.rs",
                900,
            )
        };
        made.is_error = made.kind == EntryKind::Message(Role::Tool) && numbers.below(100) < 2;
        at = Some(EntryIx::new(i));
        let ends_turn =
            matches!(made.kind, EntryKind::Message(Role::Assistant)) && numbers.below(100) < 14;
        let is_summary = matches!(
            made.kind,
            EntryKind::Compaction(_) | EntryKind::BranchSummary(_)
        );
        entries.push(made);
        if ends_turn || is_summary {
            turn_ends.extend(at);
        }
        if ends_turn && turn_ends.len() > 4 && numbers.below(100) < 9 {
            let back = 1 + numbers.below(4.min(turn_ends.len() as u64 - 1)) as usize;
            left = at.filter(|_| numbers.below(2) == 0);
            at = turn_ends.get(turn_ends.len() - 1 - back).copied();
            turn_ends.truncate(turn_ends.len() - back);
        } else if ends_turn && numbers.below(100) < 3 && entries.len() < count {
            let target = turn_ends[turn_ends.len() - 1];
            let label = EntryKind::Label {
                target_id: entries[target.get()].id.clone(),
                target: Some(target),
                text: Some("good state".into()),
            };
            let ix = EntryIx::new(entries.len());
            entries.push(entry(ix.get(), at, label, "", 0));
            at = Some(ix);
            turn_ends.push(ix);
        }
    }
    Session {
        meta: SessionMeta {
            agent: Agent::PI,
            native_id: "sample".into(),
            path: String::new(),
            format_version: Some(3),
            cwd: None,
            title: None,
            parent_session: None,
            parent_kind: None,
            agent_version: None,
            branches: Vec::new(),
            created_at_ms: None,
            updated_at_ms: None,
        },
        active_leaf: at,
        entries,
        warnings: Vec::new(),
        merged: Vec::new(),
        restarts: Vec::new(),
        file_states: Vec::new(),
        repeated: Default::default(),
        answer_places: Vec::new(),
        links: Vec::new(),
        parts: Vec::new(),
        headers: Vec::new(),
    }
}
