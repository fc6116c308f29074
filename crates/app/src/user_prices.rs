//! Prices of models that the user entered, by provider. They go before those of the catalog.

use crate::error::{AppError, Result};
use crate::workspace::App;
use palimpsest_core::failure::{NextStep, Problem};
use palimpsest_tokens::Prices;
use std::collections::BTreeMap;

/// Settings key of the prices, by provider and model.
const PRICES: &str = "prices";
/// The model that stands for all models of a provider, such as those of a program.
pub const ANY_MODEL: &str = "*";

/// Prices of the models of one provider, in dollars per million tokens.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UserPrices(pub BTreeMap<String, Prices>);

impl UserPrices {
    /// The price of a model, or that of all models.
    pub fn of(&self, model: &str) -> Option<Prices> {
        let own = self.0.get(model).or_else(|| self.0.get(ANY_MODEL));
        own.copied()
    }
}

impl App {
    /// The prices that the user entered for the models of a provider.
    pub fn user_prices(&self, provider: &str) -> Result<UserPrices> {
        let all = self.all_user_prices()?;
        Ok(UserPrices(all.get(provider).cloned().unwrap_or_default()))
    }

    fn all_user_prices(&self) -> Result<BTreeMap<String, BTreeMap<String, Prices>>> {
        let stored = self.user_db()?.setting(PRICES)?;
        let Some(stored) = stored.filter(|stored| !stored.is_null()) else {
            return Ok(BTreeMap::new());
        };
        serde_json::from_value(stored).map_err(|error| {
            AppError::BadRequest(Problem::alone(format!(
                "the saved prices cannot be read ({error}): {}",
                self.options().user_path().display()
            )))
        })
    }

    /// Sets the prices of the models of a provider; none removes them.
    ///
    /// Errors: a model without a name, and a price that is negative or no number.
    pub fn set_user_prices(&self, provider: &str, prices: UserPrices) -> Result<()> {
        for (model, prices) in &prices.0 {
            let Prices {
                input,
                output,
                cache_read,
                cache_write,
            } = *prices;
            let all = [input, output, cache_read, cache_write];
            let flaw = if model.trim().is_empty() {
                Some("a price has no model".to_owned())
            } else {
                let wrong = all.iter().find(|own| !own.is_finite() || **own < 0.0);
                wrong.map(|wrong| {
                    format!(
                        "the price of {model} cannot be {wrong} (prices are US dollars per million \
                         tokens)"
                    )
                })
            };
            if let Some(flaw) = flaw {
                let name = "prices".to_owned();
                return Err(AppError::bad_request(
                    flaw,
                    NextStep::ChangeParameter { name },
                ));
            }
        }
        let mut all = self.all_user_prices()?;
        all.remove(provider);
        if !prices.0.is_empty() {
            all.insert(provider.to_owned(), prices.0);
        }
        let value =
            serde_json::to_value(all).map_err(|error| AppError::Internal(error.to_string()))?;
        Ok(self.user_db()?.set_setting(PRICES, Some(&value))?)
    }
}
