//! Amounts of money as providers write them.
//!
//! `parse_amount` is called by the billing service through its git dependency on this crate.

use thiserror::Error;

/// An amount in the smallest unit of its currency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Amount(pub i64);

#[derive(Debug, Error, PartialEq, Eq)]
pub enum AmountError {
    #[error("'{0}' is not an amount")]
    NotANumber(String),
    #[error("'{0}' has more than two decimals")]
    TooFine(String),
    #[error("'{0}' does not fit into 64 bits")]
    TooLarge(String),
}

/// Parses `12`, `12.5` and `12.50`; a sign is allowed, a thousands separator is not.
pub fn parse_amount(text: &str) -> Result<Amount, AmountError> {
    let not_a_number = || AmountError::NotANumber(text.to_owned());
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text),
    };
    let (whole, cents) = digits.split_once('.').unwrap_or((digits, ""));
    if cents.len() > 2 {
        return Err(AmountError::TooFine(text.to_owned()));
    }
    let whole: i64 = whole.parse().map_err(|_| not_a_number())?;
    let cents: i64 = format!("{cents:0<2}").parse().map_err(|_| not_a_number())?;
    whole
        .checked_mul(100)
        .and_then(|units| units.checked_add(cents))
        .map(|units| Amount(sign * units))
        .ok_or_else(|| AmountError::TooLarge(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_whole_and_decimal_amounts() {
        assert_eq!(parse_amount("12"), Ok(Amount(1200)));
        assert_eq!(parse_amount("12.5"), Ok(Amount(1250)));
        assert_eq!(parse_amount("-0.07"), Ok(Amount(-7)));
    }

    #[test]
    fn refuses_three_decimals() {
        assert_eq!(parse_amount("1.005"), Err(AmountError::TooFine("1.005".into())));
    }
}
