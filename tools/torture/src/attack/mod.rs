//! The attacks besides damaged sessions.

pub mod index;
pub mod kill;
pub mod requests;
pub mod terminal;

use crate::pool::Pool;
use palimpsest_testkit::seeded::Rng;
use std::fs;
use std::path::Path;

/// Writes some units below a folder as they are.
///
/// Errors: what the machine says of the files.
pub fn write_units(pool: &Pool, count: usize, folder: &Path, rng: &mut Rng) -> std::io::Result<()> {
    for unit in 0..count {
        for (from, to) in &pool.pick(rng).files {
            let to = folder.join(format!("u{unit}")).join(to);
            if let Some(above) = to.parent() {
                fs::create_dir_all(above)?;
            }
            fs::copy(from, to)?;
        }
    }
    Ok(())
}
