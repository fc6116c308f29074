//! Damage that knows nothing of the format.

use palimpsest_testkit::seeded::Rng;

/// Bytes that readers treat specially: ends of strings and lines, beginnings of multi-byte
/// characters, a byte order mark, NUL.
const SPECIAL: &[u8] = b"\"\\{}[],:\n\r\0\xff\xfe\xef\xbb\xbf\xc3\xe2\xf0\x80 -1e";

/// Changes, removes, adds or repeats bytes in one to twelve places, or cuts the file.
pub fn damage(file: &mut Vec<u8>, rng: &mut Rng) -> u64 {
    let places = rng.between(1, 12);
    for _ in 0..places {
        if file.is_empty() {
            file.extend_from_slice(b"{}\n");
        }
        let at = rng.below(file.len());
        let end = (at + rng.below(200) + 1).min(file.len());
        match rng.below(8) {
            0 => file[at] ^= 1 << rng.below(8),
            1 | 2 => file[at] = *rng.pick(SPECIAL),
            3 => drop(file.drain(at..end)),
            4 => file.insert(at, *rng.pick(SPECIAL)),
            5 => {
                let part = file[at..end].to_vec();
                let to = rng.below(file.len());
                file.splice(to..to, part);
            }
            6 => file[at..end].fill(0),
            _ if rng.chance(20) => file.truncate(at),
            _ => file[at] = (rng.next_u64() & 0xff) as u8,
        }
    }
    places
}
