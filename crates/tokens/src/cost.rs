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

/// Cost in US dollars of a request with this usage, by these prices.
///
/// Prices that grow with the size of a prompt are not modelled: the catalog holds the ordinary one.
pub fn cost_usd(usage: &Usage, prices: &Prices) -> f64 {
    let parts = [
        (usage.input, prices.input),
        (usage.output, prices.output),
        (usage.cache_read, prices.cache_read),
        (usage.cache_write, prices.cache_write),
    ];
    parts
        .iter()
        .map(|&(tokens, price)| tokens as f64 * price)
        .sum::<f64>()
        / 1e6
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
    fn a_negative_price_is_refused() {
        let error = serde_json::from_str::<Prices>(r#"{"input":-1,"output":2}"#).unwrap_err();
        assert!(
            error.to_string().contains("a price cannot be -1"),
            "{error}"
        );
    }
}
