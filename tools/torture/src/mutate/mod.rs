//! Damage to session files, of the kinds that agents, disks and attackers do.

mod bytes;
mod lines;
mod size;
mod split;
mod text;
mod values;

pub use size::MOST_BYTES;
pub use text::nasty;

use palimpsest_testkit::seeded::Rng;

/// Damages `file` in one to three ways; returns the number of records that are not what they were.
/// A record is a line, or the whole file where it has no lines.
pub fn damage(file: &mut Vec<u8>, is_text: bool, rng: &mut Rng) -> u64 {
    let mut touched = 0;
    for _ in 0..rng.between(1, 3) {
        touched += match rng.below(if is_text { 10 } else { 1 }) {
            0 => bytes::damage(file, rng),
            1 | 2 => lines::damage(file, rng),
            3..=5 => text::damage(file, rng),
            _ => values::damage(file, rng),
        };
        if file.len() > MOST_BYTES {
            file.truncate(MOST_BYTES);
        }
    }
    touched
}
