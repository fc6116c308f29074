//! Answers that are given up when their caller leaves.

use palimpsest_app::stored::Wanted;

/// Commands that only read, and whose questions can take long: they end when a client leaves. All
/// others are carried to their end.
const GIVEN_UP: [&str; 3] = ["search", "sessions", "find"];

/// Whether a command ends when the call is dropped before its answer.
pub fn ends_with_its_caller(command: &str) -> bool {
    GIVEN_UP.contains(&command)
}

/// Waits for an answer, until it is dropped.
pub(crate) struct Waits(Wanted);

impl Waits {
    /// Begins to wait; the question runs within what comes with it.
    pub(crate) fn begin() -> (Wanted, Waits) {
        let wanted = Wanted::default();
        (wanted.clone(), Waits(wanted))
    }
}

impl Drop for Waits {
    fn drop(&mut self) {
        self.0.give_up();
    }
}
