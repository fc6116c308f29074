//! `palimpsest-gold judged`: the comparison against cuts that were judged by hand, and what a judge
//! needs.

use crate::error::GoldError;
use crate::judged::record::{Judged, Side, name_of, read_all};
use crate::judged::report::{Measured, Scored, gather};
use crate::judged::texts::{Places, Texts};
use std::path::{Path, PathBuf};

/// What to do with the judged cuts.
pub struct Asked {
    /// The samples and the written texts.
    pub places: Places,
    /// The folder of the judged cuts; those in its folder `validation` were judged after the score was made.
    pub judged: PathBuf,
    /// List the figures of every text.
    pub each: bool,
    /// Write the texts of every cut to this folder, under letters that tell nothing.
    pub show: Option<PathBuf>,
    /// Store the hashes of the present texts: they were judged again.
    pub write: bool,
}

/// Reads `judged [--each] [--show DIR] [--write] [--shared DIR] [--judged DIR] [--written DIR]`; `None`
/// for anything else.
pub fn read(arguments: impl Iterator<Item = String>) -> Option<Asked> {
    let mut asked = Asked {
        places: Places {
            shared: "../shared".into(),
            written: "tests/judged/written".into(),
        },
        judged: "tests/judged".into(),
        each: false,
        show: None,
        write: false,
    };
    let mut rest = arguments;
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--shared" => asked.places.shared = rest.next()?.into(),
            "--written" => asked.places.written = rest.next()?.into(),
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
    let mut report = String::new();
    let mut gathered = Vec::new();
    for (folder, title) in [
        (asked.judged.clone(), "Judged before the score was made"),
        (asked.judged.join("validation"), "Judged for validation"),
    ] {
        if !folder.is_dir() {
            continue;
        }
        let all = read_all(&folder)?;
        if let Some(shown) = &asked.show {
            report += &show(&all, asked, shown)?;
        } else if asked.write {
            report += &store(all, asked)?;
        } else {
            let found = gather(&all, &asked.places, asked.each)?;
            let cuts: Vec<&Scored> = found.cuts.iter().collect();
            let measured = Measured::of(&cuts, &Side::ALL);
            report += &format!("{title}: {}\n{}\n", measured.text.trim_end(), found.text);
            report += &second_judge(&found.cuts);
            gathered.push(found);
        }
    }
    let all: Vec<&Scored> = gathered.iter().flat_map(|own| &own.cuts).collect();
    if !gathered.is_empty() && all.is_empty() {
        let shared = asked.places.shared.display();
        return Ok(format!("SKIPPED: no samples in {shared}"));
    }
    if gathered.len() > 1 {
        let measured = Measured::of(&all, &Side::OF_EVERY_CUT);
        let title = "Both, the three texts that every cut has";
        report += &format!("{title}: {}", measured.text);
    }
    Ok(report)
}

/// What a second judge says of the first one and of the figures; empty without one.
fn second_judge(cuts: &[Scored]) -> String {
    let second = cuts.iter().filter_map(|own| {
        let judged = own.judged.by_second()?;
        Some(Scored {
            judged,
            figures: own.figures.clone(),
        })
    });
    let second: Vec<Scored> = second.collect();
    if second.is_empty() {
        return String::new();
    }
    let agreements = second.iter().map(|own| own.judged.agreement());
    let (same, all) = agreements.fold((0, 0), |sum, own| (sum.0 + own.0, sum.1 + own.1));
    let cuts: Vec<&Scored> = second.iter().collect();
    let measured = Measured::of(&cuts, &Side::ALL);
    format!(
        "A second judge, in the first one's order in {same} of {all} pairs: {}\n",
        measured.text
    )
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
        let name = name_of(path);
        let Some(texts) = Texts::of(&name, judged, &asked.places)? else {
            continue;
        };
        let mut sides: Vec<Side> = texts.sides().collect();
        sides.sort_by_key(|side| texts.hash(*side));
        for (letter, side) in ["a", "b", "c", "d", "e", "f"].iter().zip(sides) {
            let file = folder.join(format!("{name}.{letter}.txt"));
            std::fs::write(&file, texts.text(side)).map_err(|error| failed(&file, &error))?;
            keys += &format!("{name} {letter} {side}\n");
        }
    }
    let file = folder.join(format!("keys.{}", all.len()));
    std::fs::write(&file, keys).map_err(|error| failed(&file, &error))?;
    Ok(format!("written to {}", folder.display()))
}

fn store(all: Vec<(PathBuf, Judged)>, asked: &Asked) -> Result<String, GoldError> {
    let mut written = 0;
    for (path, mut judged) in all {
        let Some(texts) = Texts::of(&name_of(&path), &judged, &asked.places)? else {
            continue;
        };
        // Texts that are not there keep their hash.
        for side in texts.sides() {
            *judged.hashes.of_mut(side) = texts.hash(side);
        }
        let mut text = serde_json::to_string_pretty(&judged).unwrap_or_default();
        text.push('\n');
        std::fs::write(&path, text).map_err(|error| failed(&path, &error))?;
        written += 1;
    }
    Ok(format!("{written} files written"))
}
