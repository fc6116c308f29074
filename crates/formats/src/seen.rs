//! Which ids an earlier reading met, in a few bytes each.

use serde::{Deserialize, Serialize};

/// Most ids that are remembered; the oldest are forgotten first.
const MOST: usize = 4096;
/// Hex digits of each.
const DIGITS: usize = 8;

/// Ids as hashes, which may say of an id that it was met although it was not: whoever asks then
/// reads more than needed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Seen(String);

impl Seen {
    /// Notes an id.
    pub fn note(&mut self, id: &str) {
        if self.0.len() >= MOST * DIGITS {
            self.0.drain(..DIGITS);
        }
        self.0.push_str(&hash_of(id));
    }

    /// True when the id was noted.
    pub fn has(&self, id: &str) -> bool {
        let hash = hash_of(id);
        let mut hashes = self.0.as_bytes().chunks(DIGITS);
        hashes.any(|other| other == hash.as_bytes())
    }
}

/// Half of FNV-1a: fixed for good, because it is stored.
fn hash_of(id: &str) -> String {
    let hash = id.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{:08x}", hash >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_ids_are_remembered() {
        let mut seen = Seen::default();
        (0..MOST + 10).for_each(|at| seen.note(&format!("id-{at}")));
        assert!(seen.has("id-10") && seen.has(&format!("id-{}", MOST + 9)));
        assert!(!seen.has("id-9") && !seen.has("other"));
        assert_eq!(seen.0.len(), MOST * DIGITS);
    }
}
