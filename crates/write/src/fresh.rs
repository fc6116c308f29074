//! Ids and times of new records, from what the caller passes in.

use std::collections::HashSet;

/// A moment and randomness: the only things a plan needs that are not in the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fresh {
    /// The time, Unix milliseconds.
    pub now_ms: i64,
    /// Random bits, for the id of the session.
    pub random: u128,
    /// The machine's offset from UTC in seconds, for file names in local time.
    pub utc_offset_s: i32,
}

impl Fresh {
    /// A version 7 uuid (RFC 9562): the time in front, so that ids sort by it.
    pub fn uuid(&self) -> String {
        self.nth_uuid(0)
    }

    /// Another one of the same time.
    pub(crate) fn nth_uuid(&self, number: u64) -> String {
        let time = u128::from(self.now_ms.max(0).unsigned_abs()) & 0xffff_ffff_ffff;
        let random = if number == 0 {
            self.random
        } else {
            let mixed = mix(self.random as u64 ^ mix(number));
            u128::from(mixed) | (u128::from(mix(mixed)) << 64)
        };
        let high = (random >> 64) & 0xfff;
        let low = random & 0x3fff_ffff_ffff_ffff;
        let bits = (time << 80) | (0x7 << 76) | (high << 64) | (0b10 << 62) | low;
        let hex = format!("{bits:032x}");
        let parts = [
            &hex[..8],
            &hex[8..12],
            &hex[12..16],
            &hex[16..20],
            &hex[20..],
        ];
        parts.join("-")
    }

    /// The time as JavaScript's `toISOString` has it.
    pub(crate) fn iso(&self) -> String {
        iso(self.now_ms)
    }

    /// Ids of eight hex digits that are none of `taken`.
    pub(crate) fn short_ids<'a>(&self, taken: impl Iterator<Item = &'a str>) -> ShortIds {
        ShortIds {
            taken: taken.map(str::to_owned).collect(),
            state: (self.random as u64) ^ ((self.random >> 64) as u64),
        }
    }
}

/// A time in milliseconds as `2026-01-31T09:05:00.000Z`.
pub(crate) fn iso(at_ms: i64) -> String {
    let time = jiff::Timestamp::from_millisecond(at_ms).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    time.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

/// New ids of entries.
pub(crate) struct ShortIds {
    taken: HashSet<String>,
    state: u64,
}

impl ShortIds {
    /// The next id.
    pub(crate) fn next(&mut self) -> String {
        loop {
            self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let id = format!("{:08x}", mix(self.state) >> 32);
            if self.taken.insert(id.clone()) {
                return id;
            }
        }
    }
}

/// The finalizer of splitmix64: spreads the bits of its argument over all of the result.
fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::Fresh;

    #[test]
    fn a_uuid_has_its_time_version_and_variant() {
        let fresh = Fresh {
            now_ms: 0x0123_4567_89ab,
            random: u128::MAX,
            utc_offset_s: 0,
        };
        assert_eq!(fresh.uuid(), "01234567-89ab-7fff-bfff-ffffffffffff");
        assert_ne!(fresh.nth_uuid(1), fresh.nth_uuid(2));
        assert_eq!(fresh.nth_uuid(1).len(), 36);
    }

    #[test]
    fn short_ids_differ_from_those_taken() {
        let fresh = Fresh {
            now_ms: 0,
            random: 7,
            utc_offset_s: 0,
        };
        let first = fresh.short_ids(std::iter::empty()).next();
        let other = fresh.short_ids([first.as_str()].into_iter()).next();
        assert_ne!(first, other);
        assert_eq!((first.len(), other.len()), (8, 8));
    }
}
