//! Sums of sizes.

/// The sum of sizes, at most the largest number: a damaged file can hold any size.
pub(super) fn total(sizes: impl IntoIterator<Item = u64>) -> u64 {
    sizes.into_iter().fold(0, u64::saturating_add)
}
