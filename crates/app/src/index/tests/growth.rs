//! An index that grew with its files is the same as a fresh one, for the files of every agent.

// What a test skips is said on its output.
#![allow(clippy::print_stdout)]

use super::{contents, index};
use palimpsest_formats::formats;
use palimpsest_store::IndexDb;
use proptest::prelude::*;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Largest file that is used: each case reads it several times.
const MOST_BYTES: u64 = 200_000;
/// Files of one agent and one source that are used, spread over all of them.
const MOST_FILES: usize = 12;

/// Session files that grow by lines: the fixtures of the readers and the samples of real agents,
/// where they are beside the project. Each with the part of its path that its reader looks at.
static FILES: LazyLock<Vec<(PathBuf, PathBuf)>> = LazyLock::new(|| {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut all = Vec::new();
    for place in ["crates/formats/tests/fixtures", "../shared/samples"] {
        let place = root.join(place);
        let Ok(agents) = fs::read_dir(&place) else {
            println!("skipped: there is no {}", place.display());
            continue;
        };
        for agent in agents.flatten() {
            let mut files = Vec::new();
            lines_below(&agent.path(), &mut files);
            files.sort();
            let apart = files.len().div_ceil(MOST_FILES).max(1);
            let chosen = files.into_iter().step_by(apart);
            all.extend(chosen.filter_map(|file| {
                let mut below = file.strip_prefix(&place).ok()?.to_path_buf();
                // Copilot's events lie in a folder for each session, with a file beside them.
                if agent.file_name() == "copilot" && !below.ends_with("events.jsonl") {
                    below = below.with_extension("").join("events.jsonl");
                }
                Some((file, below))
            }));
        }
    }
    all
});

fn lines_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for item in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = item.path();
        let is_small = item.metadata().is_ok_and(|data| data.len() <= MOST_BYTES);
        // A folder of invalid fixtures has what no reader takes.
        if path.is_dir() && item.file_name() != "invalid" {
            lines_below(&path, found);
        } else if is_small && path.extension().is_some_and(|end| end == "jsonl") {
            found.push(path);
        }
    }
}

/// A place in a file where it is indexed before more is written.
fn cut(text: &[u8], at: f64, at_line: bool) -> usize {
    let at = (text.len() as f64 * at) as usize;
    if !at_line {
        return at;
    }
    // Behind the first line end from there on.
    let end = text[at..].iter().position(|&byte| byte == b'\n');
    end.map_or(text.len(), |end| at + end + 1)
}

/// Writes the small files that tell of the session at `path`, with a name and a branch; or removes
/// them.
fn name_beside(path: &Path, name: Option<&str>) {
    for file in formats().iter().flat_map(|format| format.beside(path)) {
        match name {
            Some(name) => {
                let told = format!("name: {name}\nbranch: {name}\ncwd: /home/dev/{name}\n");
                fs::write(file, told).unwrap();
            }
            None => {
                let _ = fs::remove_file(file);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn a_grown_index_is_a_fresh_one(
        which in any::<proptest::sample::Index>(),
        cuts in prop::collection::vec((0.0..1.0_f64, any::<bool>()), 1..5),
        names in prop::collection::vec(prop::option::of("[a-z]{1,40}"), 6),
        changed in prop::option::of(0.0..1.0_f64),
    ) {
        let (file, below) = which.get(&FILES);
        let text = fs::read(file).unwrap();
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(below);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let growing = IndexDb::init_in_memory().unwrap();
        let mut ends: Vec<usize> =
            cuts.iter().map(|&(at, at_line)| cut(&text, at, at_line)).collect();
        ends.sort_unstable();
        ends.push(text.len());
        for (&end, name) in ends.iter().zip(&names) {
            fs::write(&path, &text[..end]).unwrap();
            name_beside(&path, name.as_deref());
            index(&growing, dir.path());
        }
        // The name changes after the last record.
        name_beside(&path, names[5].as_deref());
        index(&growing, dir.path());
        // The agent edits a record in place: the size stays, the time of the file does not.
        if let Some(at) = changed {
            let mut text = text.clone();
            let at = (text.len() as f64 * at) as usize;
            let letter = text[at..].iter().position(u8::is_ascii_lowercase);
            if let Some(letter) = letter.map(|letter| &mut text[at + letter]) {
                *letter = if *letter == b'q' { b'z' } else { b'q' };
            }
            let later = fs::metadata(&path).unwrap().modified().unwrap()
                + std::time::Duration::from_secs(2);
            fs::write(&path, &text).unwrap();
            let written = fs::File::options().write(true).open(&path).unwrap();
            written.set_modified(later).unwrap();
            index(&growing, dir.path());
        }
        let fresh = IndexDb::init_in_memory().unwrap();
        index(&fresh, dir.path());
        prop_assert_eq!(contents(&growing), contents(&fresh), "{}", file.display());
    }
}
