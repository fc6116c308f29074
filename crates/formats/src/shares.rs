//! Sizes of messages by category.

use palimpsest_core::{Category, MessageSize};

/// The estimate shared out over the categories by their units; what rounding leaves over goes to
/// the largest.
pub(crate) fn shares(size: &MessageSize) -> Vec<(Category, u64)> {
    let total: u64 = size
        .units
        .iter()
        .map(|(_, units)| *units)
        .fold(0, u64::saturating_add);
    if total == 0 {
        return Vec::new();
    }
    let scaled = |units: u64| u128::from(units) * u128::from(size.estimate) / u128::from(total);
    let mut shares: Vec<(Category, u64)> = size
        .units
        .iter()
        .map(|&(category, units)| (category, scaled(units) as u64))
        .collect();
    let given: u64 = shares.iter().map(|(_, share)| share).sum();
    if let Some((_, largest)) = shares.iter_mut().max_by_key(|(_, share)| *share) {
        *largest += size.estimate - given;
    }
    shares
}
