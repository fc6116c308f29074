//! Damaged sessions through the whole program: index, growth, every command.

use crate::commands::Asked;
use crate::contents::{contents, difference};
use crate::mutate::damage;
use crate::pool::Pool;
use crate::said::{Kind, Said, at, finding, say};
use palimpsest_api::{Api, Options};
use palimpsest_testkit::seeded::Rng;
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Units in one batch, which share an index.
const UNITS: usize = 8;

/// A file as it is at its end, and the places where it is indexed before.
struct Growing {
    path: PathBuf,
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

/// Damages and attacks `batches` batches with seeds from `seed` on, in `folder`.
///
/// Errors: what the machine says of a folder or a file of the attack itself.
pub fn work(pool: &Pool, seed: u64, batches: u64, folder: &Path) -> std::io::Result<()> {
    crate::panics::report();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()?;
    for seed in seed..seed + batches {
        let here = folder.join(format!("batch-{seed}"));
        batch(pool, seed, &here, &runtime)?;
        fs::remove_dir_all(&here)?;
    }
    Ok(())
}

fn batch(
    pool: &Pool,
    seed: u64,
    folder: &Path,
    runtime: &tokio::runtime::Runtime,
) -> std::io::Result<()> {
    let mut rng = Rng::new(seed);
    let root = folder.join("sessions");
    let mut records = 0;
    let mut files = Vec::new();
    for unit in 0..UNITS {
        let below = root.join(format!("u{unit}"));
        records += damaged(pool, &below, &mut rng, &mut files)?;
    }
    let open = |name: &str| {
        let options = Options::from_environment(Some(folder.join(name)), false);
        options
            .and_then(Api::open)
            .map_err(|error| std::io::Error::other(error.message))
    };
    let (grown, fresh) = (open("grown")?, open("fresh")?);
    let request = json!({"roots": [root.display().to_string()]});
    let mut asked = Asked::new(&grown, runtime);
    let steps = files.iter().map(|file| file.ends.len()).max().unwrap_or(0);
    for step in 0..=steps {
        write(&files, step)?;
        asked.what = format!("seed {seed}, grown in step {step}");
        asked.ask("index", &request);
    }
    let mut commands = asked.answered;
    let mut asked = Asked::new(&fresh, runtime);
    asked.what = format!("seed {seed}");
    asked.ask("index", &request);
    at(format!("seed {seed}: compare the indexes"));
    compare(seed, folder);
    let listed = asked.ask("sessions", &json!({
        "query": null, "agent": null, "sort": "title", "offset": 0, "limit": 60, "hide_subagents": false,
    }));
    let rows = listed
        .map(|page| page["sessions"].clone())
        .unwrap_or_default();
    let mut sessions = 0;
    for row in rows.as_array().into_iter().flatten() {
        let Some(id) = row["id"].as_str() else {
            continue;
        };
        let path = row["path"].as_str().unwrap_or_default();
        asked.what = format!("seed {seed}, {path}");
        asked.about(id, &mut rng);
        asked.searches(&mut rng);
        sessions += 1;
    }
    commands += asked.answered;
    for file in &files {
        if fs::read(&file.path)? != file.bytes {
            finding(
                Kind::Source,
                format!("seed {seed}: {}", file.path.display()),
            );
        }
    }
    say(&Said::Done {
        records,
        sessions,
        commands,
    });
    Ok(())
}

/// Takes a unit, damages some of its files, and writes the others.
fn damaged(
    pool: &Pool,
    below: &Path,
    rng: &mut Rng,
    files: &mut Vec<Growing>,
) -> std::io::Result<u64> {
    let unit = pool.pick(rng);
    let mut records = 0;
    let share = if unit.files.len() == 1 { 100 } else { 30 };
    for (from, to) in &unit.files {
        let mut bytes = fs::read(from)?;
        let is_text = !bytes.contains(&0);
        let is_damaged = rng.chance(share);
        if is_damaged {
            records += damage(&mut bytes, is_text, rng);
        }
        // A database is never seen half written.
        let mut ends: Vec<usize> = if is_text && is_damaged {
            (0..rng.below(4)).map(|_| cut(&bytes, rng)).collect()
        } else {
            Vec::new()
        };
        ends.sort_unstable();
        files.push(Growing {
            path: below.join(to),
            bytes,
            ends,
        });
    }
    Ok(records)
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

/// Writes the files as they are in a step; each step is a second later than the one before, as an
/// index that looks twice within the resolution of a file system sees no change.
fn write(files: &[Growing], step: usize) -> std::io::Result<()> {
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_790_000_000 + step as u64);
    for file in files {
        let end = file.ends.get(step).copied().unwrap_or(file.bytes.len());
        let was = if step == 0 {
            None
        } else {
            file.ends.get(step - 1).copied()
        };
        if step > 0 && was.is_none() {
            continue;
        }
        if let Some(folder) = file.path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(&file.path, &file.bytes[..end])?;
        fs::File::options()
            .write(true)
            .open(&file.path)?
            .set_modified(time)?;
    }
    Ok(())
}

fn compare(seed: u64, folder: &Path) {
    let read = |name: &str| contents(&folder.join(name).join("index.db"));
    match (read("grown"), read("fresh")) {
        (Ok(grown), Ok(fresh)) => {
            if let Some(difference) = difference(&grown, &fresh) {
                finding(Kind::Index, format!("seed {seed}:\n{difference}"));
            }
        }
        (Err(error), _) | (_, Err(error)) => finding(Kind::Index, format!("seed {seed}: {error}")),
    }
}
