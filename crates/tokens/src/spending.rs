//! What requests used and cost, by model.
//!
//! A cost that the agent stored is taken over. Where it stored none, or zero, the catalog's prices
//! give one, and it is marked as computed.

use crate::catalog::Catalog;
use crate::cost::{CostParts, cost_parts};
use palimpsest_core::Usage;
use palimpsest_core::usage::{MOST_SUMMED, MOST_TOKENS};

/// The requests to one model, added up.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Spent {
    /// Provider name, as the agent spells it.
    pub provider: String,
    /// Model id, as the agent spells it.
    pub model: String,
    /// Number of requests.
    pub requests: u64,
    /// What they used. [`Usage::cost_usd`] is what the agent stored.
    pub usage: Usage,
    /// Tokens of `usage.output` that no report holds: the size of what the model wrote, where the
    /// stored output is that of a reply that had just begun.
    pub estimated_output: u64,
    /// The newest reply, where it is this model's and may go on in further records.
    pub open_reply: Option<OpenReply>,
}

/// A reply that may go on in further records.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OpenReply {
    /// Output as reported so far, in tokens.
    pub reported: u64,
    /// Estimated size of what the model wrote so far, in tokens.
    pub written: u64,
}

/// Usage by model, in the order in which the models were first used.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Spending {
    models: Vec<Spent>,
}

/// A cost in US dollars.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cost {
    /// The sum.
    pub usd: f64,
    /// True where the catalog's prices gave it, or a part of it; the agent stored the rest.
    pub is_computed: bool,
    /// True where a model without a price is left out.
    pub is_partial: bool,
}

/// The cost of the requests to one model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ModelCost {
    /// The sum.
    pub cost: Cost,
    /// The sum by kind of token, where the catalog has prices. It differs from `cost` where the
    /// agent stored that one.
    pub parts: Option<CostParts>,
}

impl OpenReply {
    /// Output of the reply in tokens, and how much of that is estimated.
    ///
    /// Claude Code stores the usage of a block when the block begins: in two thirds of its replies
    /// the output is 8 tokens or less. A stored output of less than half of what the model wrote
    /// cannot be that of the whole reply; estimates are never wrong by a factor of two.
    fn output(&self) -> (u64, u64) {
        if self.reported.saturating_mul(2) < self.written {
            (self.written, self.written.saturating_sub(self.reported))
        } else {
            (self.reported, 0)
        }
    }
}

impl Spending {
    /// What was added up before.
    pub fn behind(models: Vec<Spent>) -> Spending {
        Spending { models }
    }

    /// Adds the usage of one record. `model` is (provider, model), the model of the record before
    /// when absent; `written` is the estimated size of what the model wrote in it, in tokens.
    ///
    /// A record with output only continues the reply before: agents that store a reply in several
    /// records report its input once.
    /// A figure above [`MOST_TOKENS`] is that of a damaged file and counts as this.
    pub fn add(&mut self, model: Option<(&str, &str)>, usage: &Usage, written: u64) {
        let (usage, written) = (&usage.bounded(), written.min(MOST_TOKENS));
        let before = self
            .models
            .iter()
            .position(|spent| spent.open_reply.is_some());
        let at = match (model, before.or(self.models.len().checked_sub(1))) {
            (Some((provider, model)), _) => self.position(provider, model),
            (None, Some(before)) => before,
            (None, None) => self.position("", ""),
        };
        let sent = [usage.input, usage.cache_read, usage.cache_write];
        let continues = sent.iter().all(|&tokens| tokens == 0) && before == Some(at);
        let known = before.and_then(|before| self.models[before].open_reply.take());
        let spent = &mut self.models[at];
        let mut reply = known.filter(|_| continues).unwrap_or_default();
        let (old, old_estimated) = reply.output();
        let plus = |sum: u64, tokens: u64| sum.saturating_add(tokens).min(MOST_SUMMED);
        reply.reported = plus(reply.reported, usage.output);
        reply.written = plus(reply.written, written);
        let (new, estimated) = reply.output();
        spent.open_reply = Some(reply);
        spent.requests += u64::from(!continues);
        spent.usage.add(&Usage {
            output: 0,
            ..*usage
        });
        spent.usage.output = plus(spent.usage.output.saturating_sub(old), new);
        let without = spent.estimated_output.saturating_sub(old_estimated);
        spent.estimated_output = plus(without, estimated);
    }

    /// The models with what was used of each.
    pub fn models(&self) -> &[Spent] {
        &self.models
    }

    /// The cost of everything; `None` where no model has a cost or a price.
    pub fn cost(&self, catalog: &Catalog) -> Option<Cost> {
        let costs: Vec<Option<Cost>> = self
            .models
            .iter()
            .map(|spent| spent.cost(catalog).map(|cost| cost.cost))
            .collect();
        let is_partial = costs.iter().any(Option::is_none);
        let known = costs.into_iter().flatten();
        known.fold(None, |sum, cost| {
            let sum = sum.unwrap_or(Cost {
                usd: 0.0,
                is_computed: false,
                is_partial,
            });
            Some(Cost {
                usd: sum.usd + cost.usd,
                is_computed: sum.is_computed || cost.is_computed,
                ..sum
            })
        })
    }

    fn position(&mut self, provider: &str, model: &str) -> usize {
        let same = |spent: &Spent| spent.provider == provider && spent.model == model;
        match self.models.iter().position(same) {
            Some(at) => at,
            None => {
                self.models.push(Spent {
                    provider: provider.to_owned(),
                    model: model.to_owned(),
                    ..Spent::default()
                });
                self.models.len() - 1
            }
        }
    }
}

impl Spent {
    /// What the requests cost; `None` where the agent stored nothing and the model has no price.
    pub fn cost(&self, catalog: &Catalog) -> Option<ModelCost> {
        let provider = Some(self.provider.as_str()).filter(|name| !name.is_empty());
        let prices = catalog
            .find(provider, &self.model)
            .and_then(|info| info.prices);
        let parts = prices.map(|prices| cost_parts(&self.usage, &prices));
        // Agents store zero for a subscription and for models whose price they do not know.
        let stored = self.usage.cost_usd.filter(|&usd| usd > 0.0);
        let computed = parts.map(|parts| parts.total());
        let usd = stored.or(computed).or(self.usage.cost_usd)?;
        Some(ModelCost {
            cost: Cost {
                usd,
                is_computed: stored.is_none() && computed.is_some(),
                is_partial: false,
            },
            parts,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SONNET: Option<(&str, &str)> = Some(("anthropic", "claude-sonnet-4-5"));

    fn sent(input: u64, output: u64) -> Usage {
        Usage {
            input,
            output,
            ..Usage::default()
        }
    }

    #[test]
    fn a_reply_in_several_records_is_one_request() {
        let mut spending = Spending::default();
        spending.add(SONNET, &sent(1_000_000, 1), 0);
        spending.add(SONNET, &sent(0, 99_999), 0);
        spending.add(SONNET, &sent(1_000_000, 100_000), 0);
        let [spent] = spending.models() else {
            panic!("one model: {spending:?}");
        };
        assert_eq!((spent.requests, spent.usage.output), (2, 200_000));
        let cost = spending.cost(&Catalog::embedded()).unwrap();
        assert!((cost.usd - 9.0).abs() < 1e-9, "{cost:?}");
        assert!(cost.is_computed && !cost.is_partial);
    }

    #[test]
    fn the_figures_of_a_damaged_file_are_those_that_a_database_stores() {
        let mut spending = Spending::default();
        for _ in 0..3 {
            spending.add(SONNET, &sent(u64::MAX, u64::MAX), u64::MAX);
        }
        let spent = &spending.models()[0];
        let open = spent.open_reply.unwrap();
        let sums = [
            spent.usage.input,
            spent.usage.output,
            spent.usage.total,
            spent.estimated_output,
            open.reported,
            open.written,
        ];
        for sum in sums {
            assert!(i64::try_from(sum).is_ok(), "{spending:?}");
        }
        // Gone on after it was stored, or made at once: the same.
        assert_eq!(spent.usage.output, 3 * MOST_TOKENS);
    }

    #[test]
    fn an_output_stored_at_the_beginning_is_replaced_by_what_was_written() {
        let mut spending = Spending::default();
        spending.add(SONNET, &sent(10, 8), 100);
        spending.add(SONNET, &sent(0, 0), 50);
        let spent = &spending.models()[0];
        assert_eq!((spent.usage.output, spent.estimated_output), (150, 142));
        // The whole output is reported with the last record.
        spending.add(SONNET, &sent(0, 160), 10);
        let spent = &spending.models()[0];
        assert_eq!((spent.usage.output, spent.estimated_output), (168, 0));
        // What is carried on later is the same.
        let mut later = Spending::behind(spending.models().to_vec());
        later.add(None, &sent(0, 0), 1_000);
        spending.add(None, &sent(0, 0), 1_000);
        assert_eq!(later, spending);
        assert_eq!(later.models()[0].usage.output, 1_160);
    }

    #[test]
    fn a_stored_cost_is_taken_over_unless_it_is_zero() {
        let catalog = Catalog::embedded();
        let with_cost = |usd: f64| {
            let mut spending = Spending::default();
            let usage = Usage {
                cost_usd: Some(usd),
                ..sent(1_000_000, 0)
            };
            spending.add(SONNET, &usage, 0);
            spending.cost(&catalog).unwrap()
        };
        assert_eq!(
            (with_cost(0.5).usd, with_cost(0.5).is_computed),
            (0.5, false)
        );
        assert_eq!(
            (with_cost(0.0).usd, with_cost(0.0).is_computed),
            (3.0, true)
        );
    }

    #[test]
    fn a_model_without_a_price_makes_the_cost_partial() {
        let mut spending = Spending::default();
        spending.add(Some(("local", "no-such-model")), &sent(10, 10), 0);
        let catalog = Catalog::embedded();
        assert_eq!(spending.cost(&catalog), None);
        spending.add(SONNET, &sent(1_000_000, 0), 0);
        let cost = spending.cost(&catalog).unwrap();
        assert!(cost.is_partial && cost.usd > 2.9, "{cost:?}");
    }
}
