//! Questions to the index that end when nobody waits for the answer any more.

use crate::error::StoreError;
use rusqlite::{Connection, InterruptHandle};
use std::cell::RefCell;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

thread_local! {
    /// What the thread works for at present.
    static ASKED: RefCell<Option<Wanted>> = const { RefCell::new(None) };
}

/// Whether an answer is still waited for. Clones are the same.
#[derive(Debug, Clone, Default)]
pub struct Wanted(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    given_up: bool,
    /// The connections that work for the answer, by the order in which they came.
    connections: Vec<(u64, InterruptHandle)>,
    next: u64,
}

/// A connection's part in an answer, which ends when this is dropped.
#[derive(Debug)]
pub(super) struct Joined {
    asked: Wanted,
    number: u64,
}

impl Drop for Joined {
    fn drop(&mut self) {
        // The next question on the connection may be another one's.
        let connections = &mut self.asked.state().connections;
        connections.retain(|(number, _)| *number != self.number);
    }
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State")
            .field("given_up", &self.given_up)
            .finish_non_exhaustive()
    }
}

impl Wanted {
    /// Runs `ask`, whose questions to an index end with an error once the answer is given up.
    pub fn during<T>(&self, ask: impl FnOnce() -> T) -> T {
        let before = ASKED.replace(Some(self.clone()));
        let _restored = Restored(before);
        ask()
    }

    /// Ends the questions that are asked now and refuses those to come.
    pub fn give_up(&self) {
        let mut state = self.state();
        state.given_up = true;
        for (_, one) in state.connections.drain(..) {
            one.interrupt();
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Puts back what the thread worked for before, also after a panic.
struct Restored(Option<Wanted>);

impl Drop for Restored {
    fn drop(&mut self) {
        ASKED.set(self.0.take());
    }
}

/// Lets a connection end with the question that this thread works for, where there is one.
pub(super) fn join(conn: &Connection, path: &Path) -> Result<Option<Joined>, StoreError> {
    let Some(asked) = ASKED.with_borrow(Clone::clone) else {
        return Ok(None);
    };
    let mut state = asked.state();
    if state.given_up {
        return Err(StoreError::GivenUp {
            path: path.to_path_buf(),
        });
    }
    let number = state.next;
    state.next += 1;
    state
        .connections
        .push((number, conn.get_interrupt_handle()));
    drop(state);
    Ok(Some(Joined { asked, number }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::IndexDb;
    use std::time::Duration;

    #[test]
    fn a_question_ends_when_nobody_waits_for_it() {
        let db = IndexDb::init_in_memory().unwrap();
        let wanted = Wanted::default();
        let later = wanted.clone();
        let asker = std::thread::spawn(move || {
            wanted.during(|| {
                let reader = db.reader().unwrap();
                // It would count for hours.
                let endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)
                               SELECT count(*) FROM n";
                let ended = reader.db.at(reader
                    .db
                    .conn
                    .query_row(endless, [], |row| row.get::<_, i64>(0)));
                (ended.unwrap_err(), db.reader().unwrap_err())
            })
        });
        std::thread::sleep(Duration::from_millis(200));
        later.give_up();
        let (ended, refused) = asker.join().unwrap();
        assert!(matches!(ended, StoreError::GivenUp { .. }), "{ended}");
        assert!(matches!(refused, StoreError::GivenUp { .. }), "{refused}");
    }
    #[test]
    fn a_connection_that_was_given_back_ends_with_no_earlier_question() {
        let db = IndexDb::init_in_memory().unwrap();
        let wanted = Wanted::default();
        wanted.during(|| {
            let (first, second) = (db.reader().unwrap(), db.reader().unwrap());
            assert_eq!(wanted.state().connections.len(), 2);
            drop(first);
            assert_eq!(wanted.state().connections.len(), 1);
            drop(second);
        });
        assert_eq!(wanted.state().connections.len(), 0);
    }
}
