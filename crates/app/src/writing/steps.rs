//! The steps of a write, so that tests can let each of them fail.

use std::io;

/// A step of a write, in the order they are done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Step {
    /// The backup of the original.
    Backup,
    /// The row that says a write has begun.
    Note,
    /// The new bytes.
    Write,
    /// Until the disk has them.
    Sync,
    /// The name of a new file.
    Name,
    /// Reading it again.
    Verify,
    /// The row that says it is done.
    Finish,
}

impl Step {
    /// Every step.
    #[cfg(test)]
    pub(super) const ALL: [Step; 7] = [
        Step::Backup,
        Step::Note,
        Step::Write,
        Step::Sync,
        Step::Name,
        Step::Verify,
        Step::Finish,
    ];
}

/// Looks on before each step; an error makes the step fail.
pub(super) trait Watch {
    /// Before `step`.
    fn before(&self, step: Step) -> io::Result<()>;

    /// How many of `len` bytes a write takes; fewer are a full disk.
    fn takes(&self, len: usize) -> usize {
        len
    }
}

/// Nothing fails on purpose.
pub(super) struct Calm;

impl Watch for Calm {
    fn before(&self, _: Step) -> io::Result<()> {
        Ok(())
    }
}
