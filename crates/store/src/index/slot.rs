//! The one writing connection of a process, handed from writer to writer.

use crate::connection::Db;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long the end of a program waits for a writer: a batch is committed within a second or two.
const LONGEST_END: Duration = Duration::from_secs(3);

/// Holds the writing connection while nobody writes. A guard would tie the writer to one thread,
/// so the connection is taken out and put back.
#[derive(Debug)]
pub(super) struct WriterSlot {
    state: Mutex<Slot>,
    changed: Condvar,
}

#[derive(Debug)]
enum Slot {
    Free(Db),
    Taken,
    /// Lost when the index was deleted and could not be made again; opened by the next writer.
    Closed,
}

impl WriterSlot {
    /// A slot with its connection.
    pub fn with(db: Db) -> WriterSlot {
        WriterSlot {
            state: Mutex::new(Slot::Free(db)),
            changed: Condvar::new(),
        }
    }

    /// Waits for the connection and takes it; `None` where it is lost and the caller has to open
    /// another. Either way [`WriterSlot::put`] or [`WriterSlot::close`] must follow.
    pub fn take(&self) -> Option<Db> {
        let mut slot = self.state();
        loop {
            // Taken also when it was closed, so that of several waiting writers one opens it
            // again.
            match std::mem::replace(&mut *slot, Slot::Taken) {
                Slot::Free(db) => return Some(db),
                Slot::Closed => return None,
                Slot::Taken => {
                    slot = self
                        .changed
                        .wait(slot)
                        .unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }

    /// Gives a connection to the next writer.
    pub fn put(&self, db: Db) {
        *self.state() = Slot::Free(db);
        self.changed.notify_one();
    }

    /// Leaves it to the next writer to open a connection.
    pub fn close(&self) {
        *self.state() = Slot::Closed;
        self.changed.notify_one();
    }

    /// Closes the connection. A writer that has it may take a little to give it back; one that does
    /// not is left alone.
    pub fn end(&self) {
        let mut slot = self.state();
        let deadline = Instant::now() + LONGEST_END;
        while matches!(*slot, Slot::Taken) {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            let waited = self.changed.wait_timeout(slot, left);
            slot = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        *slot = Slot::Closed;
    }

    fn state(&self) -> MutexGuard<'_, Slot> {
        // The slot holds one value and is replaced whole, so a panic leaves it valid.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
