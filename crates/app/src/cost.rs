//! What a session used and cost: its own requests, and those of subagents that it holds.

use palimpsest_core::{Entry, EntryKind, Role, Session};
use palimpsest_store::index::SpentRow;
use palimpsest_tokens::{OpenReply, Spending, Spent};

/// What a session used, by model.
pub fn spending(session: &Session) -> Spending {
    let mut spending = Spending::default();
    for entry in &session.entries {
        add(&mut spending, entry);
    }
    spending
}

/// Adds what an entry reports, and what a subagent's message in it reports.
pub fn add(spending: &mut Spending, entry: &Entry) {
    if let Some(usage) = entry.spent() {
        let model = entry.model.as_ref();
        let model = model.map(|model| (&*model.provider, &*model.model));
        let written = match entry.kind {
            // Of a reply that was stopped nothing is reported, and it is no part of the one before.
            EntryKind::Message(Role::Assistant) if !entry.is_error => entry.estimate(),
            _ => 0,
        };
        spending.add(model, usage, written);
    }
    if let Some(report) = &entry.subagent
        && let Some((model, usage)) = &report.spent
    {
        let model = Some((&*model.provider, &*model.model));
        spending.add(model, usage, report.written);
    }
}

/// A row of the index as what was added up before.
pub(crate) fn spent(row: SpentRow) -> Spent {
    Spent {
        provider: row.provider,
        model: row.model,
        requests: row.requests,
        usage: row.usage,
        estimated_output: row.estimated_output,
        open_reply: row
            .open_reply
            .map(|(reported, written)| OpenReply { reported, written }),
    }
}

/// What was added up as a row of the index.
pub(crate) fn spent_row(spent: &Spent) -> SpentRow {
    SpentRow {
        provider: spent.provider.clone(),
        model: spent.model.clone(),
        requests: spent.requests,
        usage: spent.usage,
        estimated_output: spent.estimated_output,
        open_reply: spent
            .open_reply
            .map(|reply| (reply.reported, reply.written)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::OpenSession;
    use palimpsest_tokens::Catalog;
    use std::path::Path;

    #[test]
    fn a_session_without_stored_costs_has_one_by_the_catalog_with_its_subagents() {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../formats/tests/fixtures");
        let file = fixtures.join("claude-code/valid/reading.jsonl");
        let open = OpenSession::read(&file).unwrap();
        let spending = spending(&open.session);
        let of = |at: usize| &spending.models()[at];
        assert_eq!(spending.models().len(), 2);
        assert!(of(0).model.contains("opus") && of(1).model.contains("haiku"));
        assert_eq!(of(0).requests, 7);
        // All of the first request's cache write is kept for an hour.
        assert_eq!(of(0).usage.cache_write_hour, 12_000);
        // The output of all but the first reply was stored when it had just begun.
        assert!(of(0).estimated_output > 0, "{:?}", of(0));
        let cost = spending.cost(&Catalog::embedded()).unwrap();
        assert!(
            cost.is_computed && !cost.is_partial && cost.usd > 0.1,
            "{cost:?}"
        );
    }
}
