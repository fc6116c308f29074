//! The units of a call, which are left out together, and their sizes.

use crate::vocabulary::call::PlannedCall;
use crate::vocabulary::estimate::UNITS_PER_TOKEN;

/// The units of a call: a message with what belongs to it.
pub(crate) fn units(call: &PlannedCall) -> Vec<usize> {
    let mut units: Vec<usize> = call.parts.iter().map(|part| part.unit).collect();
    units.dedup();
    units
}

/// Positions of the items of these units.
pub(crate) fn items_of(call: &PlannedCall, units: &[usize]) -> Vec<usize> {
    // Units are numbered in the order of the messages.
    let (Some(&first), Some(&last)) = (units.first(), units.last()) else {
        return Vec::new();
    };
    let parts = call.parts.iter();
    parts
        .filter(|part| (first..=last).contains(&part.unit))
        .map(|part| part.item)
        .collect()
}

/// Estimated tokens of each unit, in the order of [`units`].
pub(crate) fn unit_tokens(call: &PlannedCall) -> Vec<u64> {
    let mut sizes: Vec<(usize, u64)> = Vec::new();
    for part in &call.parts {
        let tokens = part.units.div_ceil(UNITS_PER_TOKEN);
        match sizes.last_mut() {
            Some((unit, sum)) if *unit == part.unit => *sum += tokens,
            _ => sizes.push((part.unit, tokens)),
        }
    }
    sizes.into_iter().map(|(_, tokens)| tokens).collect()
}

/// UTF-16 units of the longest message of a call, without the separator after it.
pub(crate) fn longest(call: &PlannedCall) -> u64 {
    let texts = call.parts.iter().map(|part| {
        let text = call.prompt.get(part.range.clone()).unwrap_or_default();
        palimpsest_core::json::utf16_len(text.trim_end())
    });
    texts.max().unwrap_or_default()
}
