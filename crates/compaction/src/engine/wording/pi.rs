//! pi: constants of its compaction modules, also in its bundle (0.73.1, 0.87.1).

use super::frame::{Part, Raw};
use super::js::Literals;
use crate::engine::preset::Preset;

pub(super) const ANCHORS: &[&str] = &[
    "SUMMARIZATION_PROMPT",
    "SUMMARIZATION_SYSTEM_PROMPT",
    "BRANCH_SUMMARY_PROMPT",
];

/// Constants: whether they belong to the summary of a branch, their place, what they are of it.
const CONSTANTS: [(&str, bool, &str, Part); 6] = [
    ("SUMMARIZATION_SYSTEM_PROMPT", false, "system", Part::Whole),
    ("SUMMARIZATION_PROMPT", false, "first", Part::Request),
    (
        "UPDATE_SUMMARIZATION_PROMPT",
        false,
        "update",
        Part::Request,
    ),
    (
        "TURN_PREFIX_SUMMARIZATION_PROMPT",
        false,
        "turn_prefix",
        Part::Request,
    ),
    ("BRANCH_SUMMARY_PROMPT", true, "first", Part::Request),
    ("BRANCH_SUMMARY_PREAMBLE", true, "stored", Part::Before),
];

pub(super) fn read(version: Option<&str>, pieces: &[Vec<u8>]) -> Vec<Raw> {
    let mut found = Vec::new();
    for piece in pieces {
        let source = String::from_utf8_lossy(piece);
        for (literal, words) in Literals::of(&source).texts() {
            // A bundle numbers the names of a second copy.
            let name = literal.name.trim_end_matches(|c: char| c.is_ascii_digit());
            let is_second = name.len() < literal.name.len();
            let known = CONSTANTS.iter().find(|(constant, ..)| *constant == name);
            if let Some((constant, of_branch, place, part)) = known {
                let raw = Raw {
                    strategy: strategy(if *of_branch { "pi-branch" } else { "pi" }, version),
                    place,
                    setting: (*constant).to_owned(),
                    words,
                    part: *part,
                };
                found.push((is_second, raw));
            }
        }
    }
    // The first copy is that of the library; the program itself is bundled behind it.
    found.sort_by_key(|(is_second, _)| !is_second);
    found.into_iter().map(|(_, raw)| raw).collect()
}

/// The newest preset of the family that is not newer than the version; the oldest where all are.
fn strategy(family: &str, version: Option<&str>) -> String {
    let Some(version) = version.and_then(number) else {
        return family.to_owned();
    };
    let newest = Preset::named(family).and_then(|preset| number(preset.source.rsplit(' ').next()?));
    if newest.is_none_or(|newest| version >= newest) {
        return family.to_owned();
    }
    let prefix = format!("{family}-");
    let mut older: Vec<((u32, u32), &str)> = Preset::built_in()
        .filter_map(|preset| {
            let own = number(preset.name.strip_prefix(&prefix)?)?;
            Some((own, preset.name.as_str()))
        })
        .collect();
    older.sort_unstable();
    let fits = older.iter().rev().find(|(own, _)| *own <= version);
    let fits = fits.or(older.first());
    fits.map_or(family, |(_, name)| name).to_owned()
}

/// The first two numbers of a version.
fn number(version: &str) -> Option<(u32, u32)> {
    let mut parts = version.split('.');
    let major = parts.next()?.parse().ok()?;
    Some((major, parts.next().unwrap_or("0").parse().ok()?))
}
