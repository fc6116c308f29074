//! Damaged indexes: what is listed and found afterwards is what the session files say.

use crate::batches::each_batch;
use crate::commands::Asked;
use crate::contents::{contents, difference};
use crate::corpus::write_units;
use crate::pool::Pool;
use crate::said::{Kind, Said, finding, say};
use palimpsest_api::{Api, Options};
use palimpsest_testkit::seeded::Rng;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// Damages for each seed.
const DAMAGES: u64 = 12;
/// Size of a page of an index, in bytes.
const PAGE: usize = 4096;

/// Attacks with the seeds from `seed` on, in `folder`.
///
/// Errors: what the machine says of the attack's own files.
pub fn work(pool: &Pool, seed: u64, batches: u64, folder: &Path) -> std::io::Result<()> {
    each_batch((seed, batches), folder, |seed, here, runtime| {
        attack(pool, seed, here, runtime)
    })
}

fn attack(
    pool: &Pool,
    seed: u64,
    folder: &Path,
    runtime: &tokio::runtime::Runtime,
) -> std::io::Result<()> {
    let mut rng = Rng::new(seed);
    let root = folder.join("sessions");
    write_units(pool, 6, &root, &mut rng)?;
    let whole = folder.join("whole");
    let (answers, _) = ask(&whole, runtime, Some(&root), "whole")?;
    let fresh = contents(&whole.join("index.db")).unwrap_or_else(|error| error);
    let bytes = fs::read(whole.join("index.db"))?;
    let mut commands = 0;
    for damage in 0..DAMAGES {
        let what = format!("seed {seed}, damage {damage}");
        let here = folder.join(format!("damaged-{damage}"));
        fs::create_dir_all(&here)?;
        for file in fs::read_dir(&whole)?.flatten() {
            fs::copy(file.path(), here.join(file.file_name()))?;
        }
        let mut damaged = bytes.clone();
        let how = damage_of(&mut damaged, &mut rng);
        fs::write(here.join("index.db"), &damaged)?;
        let what = format!("{what} ({how})");
        let (found, answered) = ask(&here, runtime, None, &what)?;
        commands += answered;
        if damaged != bytes && found != answers {
            let difference = difference(&found, &answers).unwrap_or_default();
            finding(
                Kind::Index,
                format!("{what}: an answer differs\n{difference}"),
            );
        }
        ask(&here, runtime, Some(&root), &what)?;
        let after = contents(&here.join("index.db")).unwrap_or_else(|error| error);
        if let Some(difference) = difference(&after, &fresh) {
            finding(
                Kind::Index,
                format!("{what}: the index differs\n{difference}"),
            );
        }
        fs::remove_dir_all(&here)?;
    }
    say(&Said::Done {
        records: 0,
        sessions: 0,
        commands,
    });
    Ok(())
}

/// Lists and searches, after an index run where a folder is given. A search with an empty answer is
/// an answer too.
fn ask(
    data: &Path,
    runtime: &tokio::runtime::Runtime,
    root: Option<&Path>,
    what: &str,
) -> std::io::Result<(String, u64)> {
    let options = Options::from_environment(Some(data.to_path_buf()), false);
    let api = options
        .and_then(Api::open)
        .map_err(|error| std::io::Error::other(error.message))?;
    let mut asked = Asked::new(&api, runtime);
    asked.what = what.to_owned();
    if let Some(root) = root {
        asked.ask("index", &json!({"roots": [root.display().to_string()]}));
    }
    let mut answers = vec![asked.ask("sessions", &json!({
        "query": null, "agent": null, "sort": "title", "offset": 0, "limit": 200, "hide_subagents": false,
    }))];
    for query in ["error", "the", "file"] {
        answers.push(asked.ask("search", &json!({
            "query": query, "offset": 0, "limit": 200, "sort": "newest", "embeddings": null, "grouped": false,
        })));
    }
    for answer in answers.iter_mut().flatten() {
        answer["elapsed_ms"] = Value::Null;
        // Ties of time are in the order of reading, which is that of two threads.
        for list in ["hits", "sessions"] {
            if let Some(list) = answer[list].as_array_mut() {
                list.sort_by_cached_key(Value::to_string);
            }
        }
    }
    let text: Vec<String> = answers
        .iter()
        .map(|answer| json!(answer).to_string())
        .collect();
    let answered = asked.answered;
    drop(asked);
    api.close();
    Ok((text.join("\n"), answered))
}

/// Damages a database; returns how.
fn damage_of(bytes: &mut Vec<u8>, rng: &mut Rng) -> String {
    let pages = bytes.len() / PAGE;
    let (page, other) = (rng.below(pages) * PAGE, rng.below(pages) * PAGE);
    match rng.below(9) {
        0 => {
            let at = rng.below(bytes.len());
            bytes.truncate(at);
            format!("cut at {at}")
        }
        1 => {
            bytes.truncate(page);
            format!("cut at page {}", page / PAGE)
        }
        2 => {
            bytes[page..page + PAGE].fill(0);
            format!("page {} of zeros", page / PAGE)
        }
        3 => {
            bytes.copy_within(page..page + PAGE, other);
            format!("page {} over page {}", page / PAGE, other / PAGE)
        }
        4 => {
            let end = bytes.len();
            bytes[PAGE.min(end)..].fill(0);
            "all pages of zeros but the first".to_owned()
        }
        5 => {
            for byte in &mut bytes[..100] {
                *byte ^= (rng.next_u64() & 0xff) as u8;
            }
            "another header".to_owned()
        }
        6 => {
            bytes.clear();
            "empty".to_owned()
        }
        _ => {
            let count = rng.between(1, 200);
            for _ in 0..count {
                let at = rng.below(bytes.len());
                bytes[at] = (rng.next_u64() & 0xff) as u8;
            }
            format!("{count} bytes")
        }
    }
}
