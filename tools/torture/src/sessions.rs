//! Damaged sessions through the whole program: index, growth, every command.

use crate::batches::each_batch;
use crate::commands::Asked;
use crate::contents::{contents, difference};
use crate::corpus::{Corpus, last_step};
use crate::pool::Pool;
use crate::said::{Kind, Said, at, finding, say};
use palimpsest_api::{Api, Options};
use palimpsest_testkit::seeded::Rng;
use serde_json::json;
use std::fs;
use std::path::Path;

/// Units in one batch, which share an index.
const UNITS: usize = 8;

/// Damages and attacks `batches` batches with seeds from `seed` on, in `folder`.
///
/// Errors: what the machine says of a folder or a file of the attack itself.
pub fn work(pool: &Pool, seed: u64, batches: u64, folder: &Path) -> std::io::Result<()> {
    each_batch((seed, batches), folder, |seed, here, runtime| {
        batch(pool, seed, here, runtime)
    })
}

fn batch(
    pool: &Pool,
    seed: u64,
    folder: &Path,
    runtime: &tokio::runtime::Runtime,
) -> std::io::Result<()> {
    let mut rng = Rng::new(seed);
    let root = folder.join("sessions");
    let mut corpus = Corpus::default();
    for unit in 0..UNITS {
        corpus.add(pool, &root.join(format!("u{unit}")), &mut rng)?;
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
    for step in 0..=last_step(&corpus.files) {
        corpus.files.iter().try_for_each(|file| file.write(step))?;
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
    for file in &corpus.files {
        if fs::read(&file.path).ok() != file.bytes {
            finding(
                Kind::Source,
                format!("seed {seed}: {}", file.path.display()),
            );
        }
    }
    say(&Said::Done {
        records: corpus.records,
        sessions,
        commands,
    });
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
