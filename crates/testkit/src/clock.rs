//! A clock that moves only when told to, and the time formats the agents write.

use jiff::Timestamp;

/// A clock that stands still until it is advanced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FixedClock {
    now_ms: i64,
}

impl FixedClock {
    /// A clock standing at `iso`, for example `2026-10-14T08:00:00Z`.
    ///
    /// # Panics
    /// When `iso` is not an ISO 8601 instant.
    pub fn at(iso: &str) -> FixedClock {
        FixedClock {
            now_ms: parse_iso(iso),
        }
    }

    /// The time it shows, Unix milliseconds.
    pub fn now_ms(&self) -> i64 {
        self.now_ms
    }

    /// The time it shows as JavaScript's `toISOString` prints it.
    pub fn iso(&self) -> String {
        iso(self.now_ms)
    }

    /// Moves it forward by `ms` milliseconds.
    pub fn advance_ms(&mut self, ms: i64) {
        self.now_ms += ms;
    }
}

impl Default for FixedClock {
    /// A Wednesday morning in October 2026.
    fn default() -> Self {
        FixedClock::at("2026-10-14T08:00:00Z")
    }
}

/// Unix milliseconds as JavaScript's `toISOString` prints them: UTC with three decimals.
pub fn iso(ms: i64) -> String {
    let time = Timestamp::from_millisecond(ms).expect("test times lie within jiff's range");
    format!("{time:.3}")
}

/// The Unix milliseconds of an ISO 8601 instant.
///
/// # Panics
/// When `text` is not an ISO 8601 instant.
pub fn parse_iso(text: &str) -> i64 {
    match text.parse::<Timestamp>() {
        Ok(time) => time.as_millisecond(),
        Err(error) => panic!("'{text}' is not an instant such as 2026-10-14T08:00:00Z: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_milliseconds_even_when_they_are_zero() {
        assert_eq!(
            FixedClock::at("2026-10-14T08:00:00Z").iso(),
            "2026-10-14T08:00:00.000Z"
        );
        assert_eq!(
            iso(parse_iso("2026-11-01T23:59:59.987Z")),
            "2026-11-01T23:59:59.987Z"
        );
    }

    #[test]
    fn moves_only_when_advanced() {
        let mut clock = FixedClock::default();
        let before = clock.now_ms();
        clock.advance_ms(1_500);
        assert_eq!(clock.now_ms() - before, 1_500);
    }
}
