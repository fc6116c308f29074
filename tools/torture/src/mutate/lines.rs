//! Damage to the order and the number of records.

use super::split::split;
use palimpsest_testkit::seeded::Rng;

/// Drops, repeats, moves, glues or splits lines; returns how many were touched.
pub fn damage(file: &mut Vec<u8>, rng: &mut Rng) -> u64 {
    let mut lines = split(file);
    if lines.is_empty() {
        return 0;
    }
    let mut touched = 0;
    for _ in 0..rng.between(1, 6) {
        if lines.is_empty() {
            break;
        }
        let (at, other) = (rng.below(lines.len()), rng.below(lines.len()));
        touched += 1;
        match rng.below(10) {
            0 => drop(lines.remove(at)),
            1 => {
                let line = lines[at].clone();
                lines.insert(other, line);
            }
            2 => lines.swap(at, other),
            3 => {
                let line = lines.remove(at);
                let to = other.min(lines.len());
                lines.insert(to, line);
            }
            // Two records on one line, as after a crash in the middle of a write.
            4 => {
                while lines[at].last().is_some_and(u8::is_ascii_whitespace) {
                    lines[at].pop();
                }
            }
            5 => {
                let place = rng.below(lines[at].len());
                lines[at].insert(place, b'\n');
            }
            6 => {
                let line = lines[at].clone();
                let times = rng.between(2, 40) as usize;
                touched += times as u64;
                lines.splice(at..at, std::iter::repeat_n(line, times));
            }
            7 => {
                let (from, to) = (at.min(other), at.max(other));
                lines[from..=to].reverse();
                touched += (to - from) as u64;
            }
            8 => lines[at] = b"\n".to_vec(),
            _ => {
                let cut = rng.below(lines[at].len());
                lines[at].truncate(cut);
                lines[at].push(b'\n');
            }
        }
    }
    *file = lines.concat();
    touched
}
