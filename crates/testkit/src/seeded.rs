//! Numbers and ids that look random and are the same on every run.

/// A small pseudo-random sequence (SplitMix64, public domain algorithm by Sebastiano Vigna).
#[derive(Debug, Clone)]
pub struct Rng {
    state: u64,
}

impl Rng {
    /// The sequence that belongs to `seed`.
    pub fn new(seed: u64) -> Rng {
        Rng { state: seed }
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `bound`; 0 when `bound` is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        if bound == 0 {
            0
        } else {
            (self.next_u64() % bound as u64) as usize
        }
    }

    /// A number from `low` up to and including `high`.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.next_u64() % (high - low + 1)
    }

    /// True `percent` times in a hundred.
    pub fn chance(&mut self, percent: u64) -> bool {
        self.next_u64() % 100 < percent
    }

    /// One of `items`.
    ///
    /// # Panics
    /// When `items` is empty.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

/// Entry ids of eight hex digits that never repeat within a sequence.
///
/// The counter goes through a bijection of 32-bit numbers, so that four billion ids differ.
#[derive(Debug, Clone)]
pub struct IdSequence {
    key: u32,
    next: u32,
}

impl IdSequence {
    /// The sequence that belongs to `seed`.
    pub fn new(seed: u64) -> IdSequence {
        IdSequence {
            key: Rng::new(seed).next_u64() as u32,
            next: 0,
        }
    }

    /// The next id.
    pub fn next_id(&mut self) -> String {
        let id = self.nth(self.next);
        self.next += 1;
        id
    }

    /// The id at position `n` of the sequence.
    pub fn nth(&self, n: u32) -> String {
        let mut x = n ^ self.key;
        x = (x ^ (x >> 16)).wrapping_mul(0x7FEB_352D);
        x = (x ^ (x >> 15)).wrapping_mul(0x846C_A68B);
        format!("{:08x}", x ^ (x >> 16))
    }
}

/// A version 7 UUID for a time and a seed.
pub fn uuid_v7(at_ms: i64, seed: u64) -> String {
    let mut rng = Rng::new(seed ^ at_ms as u64);
    let (a, b) = (rng.next_u64(), rng.next_u64());
    let time = format!("{:012x}", at_ms & 0xFFFF_FFFF_FFFF);
    format!(
        "{}-{}-7{:03x}-{:04x}-{:012x}",
        &time[..8],
        &time[8..],
        a & 0xFFF,
        0x8000 | ((a >> 16) & 0x3FFF),
        b & 0xFFFF_FFFF_FFFF
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn ids_repeat_across_runs_and_never_within_one() {
        let mut ids = IdSequence::new(7);
        let first: Vec<String> = (0..50_000).map(|_| ids.next_id()).collect();
        assert_eq!(first.iter().collect::<HashSet<_>>().len(), first.len());
        let mut again = IdSequence::new(7);
        assert_eq!(first[0], again.next_id());
        assert!(first.iter().all(|id| id.len() == 8));
    }

    #[test]
    fn a_uuid_carries_its_version_and_its_time() {
        let uuid = uuid_v7(0x0123_4567_89ab, 1);
        assert!(uuid.starts_with("01234567-89ab-7"), "{uuid}");
        assert_eq!(uuid.len(), 36);
    }
}
