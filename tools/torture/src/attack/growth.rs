//! Damaged sessions that grow, change, come and go: an index that follows is the same as a fresh one.
//!
//! The indexes are in memory and no command is asked, so that ten times as many files pass as in the
//! attack with damaged sessions.

use crate::contents::{difference, of};
use crate::corpus::{Corpus, last_step};
use crate::pool::Pool;
use crate::said::{Kind, Said, at, finding, say};
use palimpsest_app::index::{Control, run};
use palimpsest_app::stored::IndexDb;
use palimpsest_testkit::seeded::Rng;
use std::fs;
use std::path::{Path, PathBuf};

/// Units in one batch, which share an index.
const UNITS: usize = 4;

/// Grows `batches` batches with seeds from `seed` on, in `folder`.
///
/// Errors: what the machine says of the attack's own files.
pub fn work(pool: &Pool, seed: u64, batches: u64, folder: &Path) -> std::io::Result<()> {
    crate::panics::report();
    for seed in seed..seed + batches {
        at(format!("seed {seed}"));
        let here = folder.join(format!("growth-{seed}"));
        fs::create_dir_all(&here)?;
        batch(pool, seed, &here)?;
        fs::remove_dir_all(&here)?;
    }
    Ok(())
}

fn batch(pool: &Pool, seed: u64, folder: &Path) -> std::io::Result<()> {
    let mut rng = Rng::new(seed);
    let mut corpus = Corpus::default();
    for unit in 0..UNITS {
        corpus.add(pool, &folder.join(format!("u{unit}")), &mut rng)?;
    }
    let roots = [folder.to_path_buf()];
    let grown = opened()?;
    for step in 0..=last_step(&corpus.files) {
        corpus.files.iter().try_for_each(|file| file.write(step))?;
        indexed(&grown, &roots)?;
    }
    let fresh = opened()?;
    indexed(&fresh, &roots)?;
    let read = |db: &IndexDb| of(db).map_err(std::io::Error::other);
    if let Some(difference) = difference(&read(&grown)?, &read(&fresh)?) {
        finding(Kind::Index, format!("seed {seed}:\n{difference}"));
    }
    say(&Said::Done {
        records: corpus.records,
        sessions: 0,
        commands: 0,
    });
    Ok(())
}

fn opened() -> std::io::Result<IndexDb> {
    IndexDb::init_in_memory().map_err(std::io::Error::other)
}

fn indexed(db: &IndexDb, roots: &[PathBuf]) -> std::io::Result<()> {
    run(db, roots, &Control::QUIET)
        .map(drop)
        .map_err(std::io::Error::other)
}
