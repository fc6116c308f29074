//! `kill -9` at any moment of an index run or of a run, then everything is whole.

use crate::contents::{contents, difference};
use crate::corpus::write_units;
use crate::figures::Figures;
use crate::pool::Pool;
use crate::program::Program;
use crate::said::Kind;
use palimpsest_testkit::seeded::Rng;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

/// Kills for each seed.
const KILLS: usize = 6;

/// Kills the program with one seed.
///
/// Errors: what the machine says of the attack's own files.
pub fn attack(
    program: &Path,
    pool: &Pool,
    seed: u64,
    figures: &mut Figures,
) -> std::io::Result<()> {
    let home = tempfile::tempdir()?;
    let mut rng = Rng::new(seed);
    let one = Program::new(program, home.path());
    let root = home.path().join("sessions");
    write_units(pool, 10, &root, &mut rng)?;
    let root = root.display().to_string();
    let sample = one.json("data", &["--samples", "sessions"])?;
    let session = sample[0]["path"].as_str().unwrap_or_default().to_owned();
    let run = ["compact", &session, "--set", "keep_recent_tokens=200"];
    let index = ["index", &root];
    let (mut ended, mut commands) = (0, 0);
    for _ in 0..KILLS {
        let arguments: &[&str] = if rng.chance(60) { &index } else { &run };
        let mut child = one
            .command("data", arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        std::thread::sleep(Duration::from_micros(rng.between(200, 400_000)));
        // It may have ended already.
        let _ = child.kill();
        let status = child.wait()?;
        ended += usize::from(status.success() && arguments[0] == "compact");
        commands += 1;
    }
    let runs = one.json("data", &["runs"])?;
    let kept = runs.as_array().map_or(0, Vec::len);
    if kept < ended {
        figures.found(
            Kind::User,
            &format!("seed {seed}: {kept} of {ended} runs are kept"),
        );
    }
    one.ran("data", &index)?;
    one.ran("fresh", &index)?;
    let read = |data: &str| contents(&home.path().join(data).join("index.db"));
    match (read("data"), read("fresh")) {
        (Ok(after), Ok(fresh)) => {
            if let Some(difference) = difference(&after, &fresh) {
                figures.found(
                    Kind::Index,
                    &format!("seed {seed}, after kills:\n{difference}"),
                );
            }
        }
        (Err(error), _) | (_, Err(error)) => {
            figures.found(Kind::Index, &format!("seed {seed}: {error}"))
        }
    }
    figures.done(0, 0, commands + 5);
    Ok(())
}
