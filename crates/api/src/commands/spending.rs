//! What requests used and cost, for showing.

use crate::wire::{CostPartsView, SpendingView, UsageView};
use palimpsest_app::{App, Spending};
use palimpsest_core::Usage;

/// Usage by model.
pub(crate) fn views(app: &App, spending: &Spending) -> Vec<SpendingView> {
    let models = spending.models().iter();
    models
        .map(|spent| {
            let cost = spent.cost(app.catalog());
            let provider = Some(spent.provider.as_str()).filter(|name| !name.is_empty());
            SpendingView {
                model: provider.map_or_else(
                    || spent.model.clone(),
                    |provider| format!("{provider}/{}", spent.model),
                ),
                requests: spent.requests,
                input: spent.usage.input,
                output: spent.usage.output,
                estimated_output: spent.estimated_output,
                cache_read: spent.usage.cache_read,
                cache_write: spent.usage.cache_write,
                cost_usd: cost.map(|cost| cost.cost.usd),
                cost_computed: cost.is_some_and(|cost| cost.cost.is_computed),
                parts: cost.and_then(|cost| cost.parts).map(|parts| CostPartsView {
                    input: parts.input,
                    output: parts.output,
                    cache_read: parts.cache_read,
                    cache_write: parts.cache_write,
                }),
            }
        })
        .collect()
}

/// Usage of one request with its cost: as the agent stored it, else by the catalog.
pub(crate) fn priced(app: &App, model: Option<(&str, &str)>, usage: &Usage) -> UsageView {
    let mut spending = Spending::default();
    spending.add(model, usage, 0);
    let cost = spending.cost(app.catalog());
    UsageView {
        cost_usd: cost.map(|cost| cost.usd),
        cost_computed: cost.is_some_and(|cost| cost.is_computed),
        ..usage_view(usage)
    }
}

/// Usage for showing.
pub(crate) fn usage_view(usage: &Usage) -> UsageView {
    UsageView {
        input: usage.input,
        output: usage.output,
        cache_read: usage.cache_read,
        cache_write: usage.cache_write,
        total: usage.context_tokens(),
        cost_usd: usage.cost_usd,
        cost_computed: false,
    }
}
