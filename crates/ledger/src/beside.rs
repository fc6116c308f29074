//! Work on several threads, where threads can be had: a ledger is made while somebody waits for it.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Most threads that work at once, the calling one among them.
const MOST_THREADS: usize = 4;

/// Items that a thread takes at a time. Texts differ widely in size, so that equal shares would leave
/// one thread waiting for the other.
const TAKEN: usize = 16;

/// Both results; the second is made beside the first where a thread can be had.
pub(crate) fn at_once<A, B: Send>(
    first: impl FnOnce() -> A,
    second: impl Fn() -> B + Sync,
) -> (A, B) {
    thread::scope(|scope| {
        let beside = thread::Builder::new().spawn_scoped(scope, &second);
        let first = first();
        let second = match beside {
            Ok(beside) => joined(beside),
            Err(_) => second(),
        };
        (first, second)
    })
}

/// What `work` makes of each item, in their order.
pub(crate) fn each<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let available = thread::available_parallelism().map_or(1, NonZero::get);
    let threads = available.min(MOST_THREADS).min(items.len().div_ceil(TAKEN));
    if threads < 2 {
        return items.iter().map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let take = || {
        let mut done: Vec<(usize, Vec<R>)> = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(taken) = items.chunks(TAKEN).nth(at) else {
                return done;
            };
            done.push((at, taken.iter().map(&work).collect()));
        }
    };
    thread::scope(|scope| {
        let spawn = |_| thread::Builder::new().spawn_scoped(scope, take).ok();
        let beside: Vec<_> = (1..threads).filter_map(spawn).collect();
        let mut done = take();
        done.extend(beside.into_iter().flat_map(joined));
        done.sort_unstable_by_key(|(at, _)| *at);
        done.into_iter().flat_map(|(_, made)| made).collect()
    })
}

/// What a thread made; its panic goes on in this one.
fn joined<T>(thread: thread::ScopedJoinHandle<'_, T>) -> T {
    match thread.join() {
        Ok(made) => made,
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_stand_in_the_order_of_the_items() {
        for count in [0, 1, TAKEN, 10 * TAKEN + 3] {
            let items: Vec<usize> = (0..count).collect();
            // The first take longest, so that others are ready before them.
            let made = each(&items, |&item| {
                std::hint::black_box((0..(count - item) * 50).sum::<usize>());
                item * 2
            });
            assert_eq!(made, items.iter().map(|item| item * 2).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_panic_of_a_thread_is_not_lost() {
        let items: Vec<usize> = (0..10 * TAKEN).collect();
        let made = std::panic::catch_unwind(|| {
            each(&items, |&item| assert!(item != 9 * TAKEN));
        });
        assert!(made.is_err());
    }
}
