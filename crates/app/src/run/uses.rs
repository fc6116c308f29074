//! What a plan uses, and the hash it is known by: the entries with the bytes of their records, and
//! what would be sent.

use super::record::{CallRecord, FallbackRecord, PlanRecord};
use crate::error::Result;
use crate::session::OpenSession;
use palimpsest_compaction::Instructions;
use palimpsest_core::{Context, EntryIx, EntryKind};
use palimpsest_llm::ProviderConfig;
use serde_json::json;
use sha2::{Digest as _, Sha256};

/// Hexadecimal digits of a plan's hash that are shown and compared: 128 bits.
const HASH_DIGITS: usize = 32;

/// The entries that a plan uses, each with a hash of its record, in file order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Uses(Vec<(EntryIx, u64)>);

impl Uses {
    /// What a plan on `context` uses: the entries its items come from, and on their path the
    /// records that decide what the items are.
    pub(super) fn of(open: &OpenSession, context: &Context) -> Result<Uses> {
        let decides = |ix: &EntryIx| {
            matches!(
                open.session.entry(*ix).kind,
                EntryKind::Compaction(_) | EntryKind::ContextEdit { .. } | EntryKind::Clearing(_)
            )
        };
        let items = context
            .items
            .iter()
            .flat_map(|item| item.entries.iter().copied());
        let records = context.path.iter().copied().filter(decides);
        let mut entries: Vec<EntryIx> = items.chain(records).collect();
        // In file order, so that neighbours are read together.
        entries.sort_unstable();
        entries.dedup();
        let hashes = open.bodies.content_hashes(&entries)?;
        Ok(Uses(entries.into_iter().zip(hashes).collect()))
    }

    /// Each entry with a hash of its record.
    pub(super) fn entries(&self) -> &[(EntryIx, u64)] {
        &self.0
    }
}

/// The hash of a plan, in hexadecimal digits. A plan with texts and one that only counts have the
/// same hash: the texts of the conversation follow from the entries, so they are left out.
pub(super) fn hash_of(
    open: &OpenSession,
    record: &PlanRecord,
    uses: &Uses,
    instructions: &Instructions,
    config: &ProviderConfig,
    model: Option<&str>,
) -> String {
    let mut hash = Sha256::new();
    let head = json!([
        open.id,
        record.kind,
        record.at,
        record.strategy,
        record.params,
        instructions,
        config.name,
        config.base_url,
        config.command,
        model,
        record.first_kept_id,
        record.turn_start_id,
        record.previous_id,
        record.max_concurrent,
        record
            .prompts
            .iter()
            .map(|own| (&own.place, &own.hash))
            .collect::<Vec<_>>(),
        calls(&record.calls),
        fallbacks(&record.fallbacks),
        record.estimated_tokens_after,
        record.branch,
    ]);
    put(&mut hash, &head.to_string());
    for change in &record.changes {
        put(&mut hash, &change.by);
        hash.update(change.tokens_before.to_le_bytes());
        hash.update(change.tokens_after.to_le_bytes());
    }
    // Lengths are hashed as well, so that an id that moves from one list to the next is a change.
    for list in [
        &record.summarize_ids,
        &record.turn_prefix_ids,
        &record.kept_ids,
        &record.dropped_ids,
    ] {
        hash.update((list.len() as u64).to_le_bytes());
        list.iter().for_each(|id| put(&mut hash, id));
    }
    for (ix, content) in &uses.0 {
        put(&mut hash, open.session.entry(*ix).id.as_str());
        hash.update(content.to_le_bytes());
    }
    let digits = hash.finalize();
    let digits = digits.iter().map(|byte| format!("{byte:02x}"));
    digits.take(HASH_DIGITS / 2).collect()
}

/// Adds a text with its length, so that two texts side by side differ from any other two.
fn put(hash: &mut Sha256, text: &str) {
    hash.update((text.len() as u64).to_le_bytes());
    hash.update(text.as_bytes());
}

fn calls(calls: &[CallRecord]) -> serde_json::Value {
    let call = |call: &CallRecord| {
        json!([
            call.purpose,
            call.label,
            call.step,
            call.after,
            call.worker,
            call.model,
            call.max_output_tokens,
            call.temperature,
            call.input_tokens,
        ])
    };
    calls.iter().map(call).collect()
}

fn fallbacks(all: &[FallbackRecord]) -> serde_json::Value {
    let own = |own: &FallbackRecord| {
        json!([
            own.meaning,
            own.strategy,
            calls(&own.calls),
            own.kept_ids.len(),
            fallbacks(&own.fallbacks)
        ])
    };
    all.iter().map(own).collect()
}
