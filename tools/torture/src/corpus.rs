//! Session files of an attack: taken from the pool, damaged, and written step by step as agents do.

use crate::mutate::damage;
use crate::pool::Pool;
use palimpsest_testkit::seeded::Rng;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// When the first step is written, in seconds; each is a second later than the one before, as an
/// index that looks twice within the resolution of a file system sees no change.
const FIRST_STEP: u64 = 1_790_000_000;

/// A file as it is at its end, and as it is before.
pub struct Staged {
    /// Where it is written.
    pub path: PathBuf,
    /// Its bytes at the end; `None` where it is deleted.
    pub bytes: Option<Vec<u8>>,
    /// What it is before, step by step.
    before: Vec<Stage>,
}

/// A file in one step.
enum Stage {
    /// It has not come, or is away.
    Missing,
    /// Its first bytes.
    Begun(usize),
    /// Other bytes.
    Other(Vec<u8>),
}

impl Staged {
    fn at(&self, step: usize) -> Option<&[u8]> {
        let whole = self.bytes.as_deref();
        match self.before.get(step) {
            None => whole,
            Some(Stage::Missing) => None,
            Some(Stage::Begun(end)) => whole.and_then(|bytes| bytes.get(..*end)),
            Some(Stage::Other(bytes)) => Some(bytes),
        }
    }

    /// Writes the file as it is in `step`, where that is another than in the step before.
    ///
    /// Errors: what the machine says of the file.
    pub fn write(&self, step: usize) -> std::io::Result<()> {
        let now = self.at(step);
        let was = step.checked_sub(1).and_then(|step| self.at(step));
        if now == was {
            return Ok(());
        }
        let Some(bytes) = now else {
            return fs::remove_file(&self.path);
        };
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(&self.path, bytes)?;
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(FIRST_STEP + step as u64);
        let file = fs::File::options().write(true).open(&self.path)?;
        file.set_modified(time)
    }
}

/// Number of the last step, in which all files are as they are at their end.
pub fn last_step(files: &[Staged]) -> usize {
    files
        .iter()
        .map(|file| file.before.len())
        .max()
        .unwrap_or(0)
}

/// Files of an attack that work is done with.
#[derive(Default)]
pub struct Corpus {
    /// The files.
    pub files: Vec<Staged>,
    /// How many records are damaged.
    pub records: u64,
}

impl Corpus {
    /// Adds a unit below a folder: some of its files damaged and growing, the others as they are.
    ///
    /// Errors: what the machine says of the files it is made from.
    pub fn add(&mut self, pool: &Pool, below: &Path, rng: &mut Rng) -> std::io::Result<()> {
        let unit = pool.pick(rng);
        let share = if unit.files.len() == 1 { 100 } else { 30 };
        for (from, to) in &unit.files {
            let whole = fs::read(from)?;
            let is_text = !whole.contains(&0);
            let mut bytes = whole.clone();
            let mut before = Vec::new();
            if rng.chance(share) {
                self.records += damage(&mut bytes, is_text, rng);
                before = stages(&whole, &bytes, is_text, rng);
            } else if rng.chance(10) {
                before.push(Stage::Missing);
            }
            self.files.push(Staged {
                path: below.join(to),
                // A session that was deleted takes what it told of others with it.
                bytes: (!rng.chance(4)).then_some(bytes),
                before,
            });
        }
        Ok(())
    }
}

/// What a file is before it is `bytes`, which were made from `whole`.
fn stages(whole: &[u8], bytes: &[u8], is_text: bool, rng: &mut Rng) -> Vec<Stage> {
    let mut before = Vec::new();
    if rng.chance(15) {
        before.push(Stage::Missing);
    }
    // Other bytes first: what an agent rewrites, or a damage that is mended.
    if rng.chance(15) {
        let mut other = whole.to_vec();
        if is_text && rng.chance(50) {
            damage(&mut other, is_text, rng);
        }
        before.push(Stage::Other(other));
    }
    // A database is never seen half written.
    if is_text {
        let mut ends: Vec<usize> = (0..rng.below(4)).map(|_| cut(bytes, rng)).collect();
        ends.sort_unstable();
        before.extend(ends.into_iter().map(Stage::Begun));
    }
    before
}

/// A place behind a line, or anywhere.
fn cut(bytes: &[u8], rng: &mut Rng) -> usize {
    let at = rng.below(bytes.len() + 1);
    if rng.chance(30) {
        return at;
    }
    let end = bytes[at..].iter().position(|&byte| byte == b'\n');
    end.map_or(bytes.len(), |end| at + end + 1)
}

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
