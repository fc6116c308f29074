//! `palimpsest-gold judged`: the comparison against cuts that were judged by hand, and what a judge
//! needs.

use crate::error::GoldError;
use crate::judged::record::{Hashes, Judged, Side, read_all};
use crate::judged::report::measure;
use crate::judged::texts::Texts;
use std::path::{Path, PathBuf};

/// What to do with the judged cuts.
pub struct Asked {
    /// The folder of the samples.
    pub shared: PathBuf,
    /// The folder of the judged cuts.
    pub judged: PathBuf,
    /// List the figures of every text.
    pub each: bool,
    /// Write the texts of every cut to this folder, under letters that tell nothing.
    pub show: Option<PathBuf>,
    /// Store the hashes of the present texts: they were judged again.
    pub write: bool,
}

/// Reads `judged [--each] [--show DIR] [--write] [--shared DIR] [--judged DIR]`; `None` for anything
/// else.
pub fn read(arguments: impl Iterator<Item = String>) -> Option<Asked> {
    let mut asked = Asked {
        shared: "../shared".into(),
        judged: "tests/judged".into(),
        each: false,
        show: None,
        write: false,
    };
    let mut rest = arguments;
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--shared" => asked.shared = rest.next()?.into(),
            "--judged" => asked.judged = rest.next()?.into(),
            "--show" => asked.show = Some(rest.next()?.into()),
            "--each" => asked.each = true,
            "--write" => asked.write = true,
            _ => return None,
        }
    }
    Some(asked)
}

/// Does what was asked, and gives the report.
///
/// # Errors
/// When a sample or a file of judged cuts cannot be read, or a file cannot be written.
pub fn run(asked: &Asked) -> Result<String, GoldError> {
    let all = read_all(&asked.judged)?;
    if let Some(folder) = &asked.show {
        return show(&all, asked, folder);
    }
    if asked.write {
        return store(all, asked);
    }
    let measured = measure(&all, &asked.shared, asked.each)?;
    if measured.cuts == 0 {
        return Ok(format!("SKIPPED: no samples in {}", asked.shared.display()));
    }
    Ok(measured.text)
}

fn failed(path: &Path, error: &std::io::Error) -> GoldError {
    GoldError::Labels {
        path: path.to_path_buf(),
        reason: error.to_string(),
    }
}

/// The texts of a cut in an order that depends on nothing but their hashes.
fn show(all: &[(PathBuf, Judged)], asked: &Asked, folder: &Path) -> Result<String, GoldError> {
    std::fs::create_dir_all(folder).map_err(|error| failed(folder, &error))?;
    let mut keys = String::new();
    for (path, judged) in all {
        let Some(texts) = Texts::of(judged, &asked.shared)? else {
            continue;
        };
        let mut sides = Side::ALL;
        sides.sort_by_key(|side| texts.hash(*side));
        let name = path
            .file_stem()
            .map(|name| name.to_string_lossy())
            .unwrap_or_default();
        for (letter, side) in ["a", "b", "c"].iter().zip(sides) {
            let file = folder.join(format!("{name}.{letter}.txt"));
            std::fs::write(&file, texts.text(side)).map_err(|error| failed(&file, &error))?;
            keys += &format!("{name} {letter} {side}\n");
        }
    }
    let file = folder.join("keys");
    std::fs::write(&file, keys).map_err(|error| failed(&file, &error))?;
    Ok(format!("written to {}", folder.display()))
}

fn store(all: Vec<(PathBuf, Judged)>, asked: &Asked) -> Result<String, GoldError> {
    let mut written = 0;
    for (path, mut judged) in all {
        let Some(texts) = Texts::of(&judged, &asked.shared)? else {
            continue;
        };
        judged.hashes = Hashes {
            own: texts.hash(Side::Own),
            offline: texts.hash(Side::Offline),
            bad: texts.hash(Side::Bad),
        };
        let mut text = serde_json::to_string_pretty(&judged).unwrap_or_default();
        text.push('\n');
        std::fs::write(&path, text).map_err(|error| failed(&path, &error))?;
        written += 1;
    }
    Ok(format!("{written} files written"))
}
