//! What is damaged: the fixtures of the readers, and the samples of real agents where they are
//! beside the repository.

use palimpsest_testkit::seeded::Rng;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Largest file taken alone, in bytes.
const MOST_ALONE: u64 = 300_000;
/// Largest folder taken as a whole, in bytes and in files.
const MOST_FOLDER: (u64, usize) = (3_000_000, 400);

/// Session files that belong together.
#[derive(Debug, Clone)]
pub struct Unit {
    /// Each file with the place it gets below the folder of sessions.
    pub files: Vec<(PathBuf, PathBuf)>,
}

/// Units by agent, so that an agent with many samples does not crowd out the others.
#[derive(Debug, Default)]
pub struct Pool {
    agents: BTreeMap<String, Vec<Unit>>,
}

impl Pool {
    /// Everything below the places that exist; each holds a folder for every agent.
    pub fn of(places: &[PathBuf]) -> Pool {
        let mut pool = Pool::default();
        for place in places {
            for agent in folders(place) {
                let name = name_of(&agent);
                // Samples of agents that are not read say nothing.
                if palimpsest_formats::agent_named(&name).is_none() {
                    continue;
                }
                let mut units = Vec::new();
                alone(&agent, place, &mut units);
                units.extend(
                    folders(&agent)
                        .iter()
                        .flat_map(|folder| whole(folder, place)),
                );
                if !units.is_empty() {
                    pool.agents.entry(name).or_default().extend(units);
                }
            }
        }
        pool
    }

    /// Whether there is nothing to damage.
    pub fn is_empty(&self) -> bool {
        self.agents.is_empty()
    }

    /// One unit of any agent.
    pub fn pick(&self, rng: &mut Rng) -> &Unit {
        let agents: Vec<&Vec<Unit>> = self.agents.values().collect();
        let units = *rng.pick(&agents);
        rng.pick(units)
    }
}

fn folders(place: &Path) -> Vec<PathBuf> {
    let items = fs::read_dir(place).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = items
        .map(|item| item.path())
        .filter(|path| path.is_dir())
        .collect();
    found.sort();
    found
}

fn name_of(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// Adds every session file below a folder by itself.
fn alone(folder: &Path, place: &Path, units: &mut Vec<Unit>) {
    let formats = palimpsest_formats::formats();
    for file in files_below(folder, usize::MAX) {
        let is_small = fs::metadata(&file).is_ok_and(|data| data.len() <= MOST_ALONE);
        let internal = file
            .ancestors()
            .any(|above| formats.iter().any(|format| format.is_internal(above)));
        if is_small && !internal && formats.iter().any(|format| format.is_candidate(&file)) {
            let to = below(&file, place);
            units.push(Unit {
                files: vec![(file, to)],
            });
        }
    }
}

/// A folder as a whole, where sessions of its agent are in several files; the folders in it where
/// it is too large.
fn whole(folder: &Path, place: &Path) -> Vec<Unit> {
    let files = files_below(folder, MOST_FOLDER.1 + 1);
    let bytes: u64 = files
        .iter()
        .map(|file| fs::metadata(file).map_or(0, |data| data.len()))
        .sum();
    if files.len() > MOST_FOLDER.1 || bytes > MOST_FOLDER.0 {
        return folders(folder)
            .iter()
            .flat_map(|inner| whole(inner, place))
            .collect();
    }
    let files: Vec<_> = files
        .into_iter()
        .map(|file| (file.clone(), below(&file, place)))
        .collect();
    if files.len() < 2 {
        return Vec::new();
    }
    vec![Unit { files }]
}

fn below(file: &Path, place: &Path) -> PathBuf {
    file.strip_prefix(place).unwrap_or(file).to_path_buf()
}

/// The regular files below a folder, at most so many, in the order of their names.
fn files_below(folder: &Path, most: usize) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        for item in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = item.path();
            match item.file_type() {
                Ok(kind) if kind.is_dir() => open.push(path),
                Ok(kind) if kind.is_file() => found.push(path),
                _ => {}
            }
        }
        if found.len() >= most {
            break;
        }
    }
    found.sort();
    found
}
