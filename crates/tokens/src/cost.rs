//! Prices, and what a request cost.

use palimpsest_core::Usage;
use serde::{Deserialize, Deserializer, Serialize};

/// US dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prices {
    /// Tokens sent.
    #[serde(deserialize_with = "price")]
    pub input: f64,
    /// Tokens generated, reasoning included.
    #[serde(deserialize_with = "price")]
    pub output: f64,
    /// Tokens read from the provider's cache.
    #[serde(default, deserialize_with = "price")]
    pub cache_read: f64,
    /// Tokens written to the provider's cache; 0 where writing is free.
    #[serde(default, deserialize_with = "price")]
    pub cache_write: f64,
}

/// A price that is a number and not negative; refused where it is read, so that the error names
/// the line.
fn price<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let price = f64::deserialize(deserializer)?;
    if price >= 0.0 {
        Ok(price)
    } else {
        Err(serde::de::Error::custom(format!(
            "a price cannot be {price} (prices are US dollars per million tokens)"
        )))
    }
}

/// A write that the provider keeps for an hour costs this much more than one for five minutes:
/// 2 against 1.25 times the price of input (Anthropic's price list, the only provider with both).
const HOUR_WRITE: f64 = 2.0 / 1.25;

/// A cost in US dollars by kind of token.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct CostParts {
    /// Of the tokens sent without a cache.
    pub input: f64,
    /// Of the tokens generated.
    pub output: f64,
    /// Of the tokens read from the cache.
    pub cache_read: f64,
    /// Of the tokens written to the cache.
    pub cache_write: f64,
}

impl CostParts {
    /// The sum in US dollars.
    pub fn total(&self) -> f64 {
        self.input + self.output + self.cache_read + self.cache_write
    }
}

/// Cost in US dollars of a request with this usage, by these prices and kind of token.
///
/// Prices that grow with the size of a prompt are not modelled: the catalog holds the ordinary one.
pub fn cost_parts(usage: &Usage, prices: &Prices) -> CostParts {
    let cost = |tokens: u64, price: f64| tokens as f64 * price / 1e6;
    let hour = usage.cache_write_hour.min(usage.cache_write);
    CostParts {
        input: cost(usage.input, prices.input),
        output: cost(usage.output, prices.output),
        cache_read: cost(usage.cache_read, prices.cache_read),
        cache_write: cost(usage.cache_write - hour, prices.cache_write)
            + cost(hour, prices.cache_write * HOUR_WRITE),
    }
}

/// Cost in US dollars of a request with this usage, by these prices.
pub fn cost_usd(usage: &Usage, prices: &Prices) -> f64 {
    cost_parts(usage, prices).total()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_token_has_its_own_price() {
        let prices = Prices {
            input: 3.0,
            output: 15.0,
            cache_read: 0.3,
            cache_write: 3.75,
        };
        let usage = Usage {
            input: 1_000_000,
            output: 100_000,
            cache_read: 2_000_000,
            cache_write: 400_000,
            ..Usage::default()
        };
        assert!((cost_usd(&usage, &prices) - (3.0 + 1.5 + 0.6 + 1.5)).abs() < 1e-9);
    }

    #[test]
    fn a_write_kept_for_an_hour_costs_more() {
        let prices = Prices {
            input: 3.0,
            cache_write: 3.75,
            ..Prices::default()
        };
        let usage = Usage {
            cache_write: 2_000_000,
            cache_write_hour: 1_000_000,
            ..Usage::default()
        };
        assert!((cost_usd(&usage, &prices) - (3.75 + 6.0)).abs() < 1e-9);
    }

    #[test]
    fn a_negative_price_is_refused() {
        let error = serde_json::from_str::<Prices>(r#"{"input":-1,"output":2}"#).unwrap_err();
        assert!(
            error.to_string().contains("a price cannot be -1"),
            "{error}"
        );
    }
}
