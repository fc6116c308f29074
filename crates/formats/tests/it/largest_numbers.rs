//! Reported sizes and times of a damaged file are added up and subtracted without an overflow, whatever
//! they are: the largest numbers stand in their place in the fixtures and in every sample that is beside
//! the project.

#![allow(
    clippy::unwrap_used,
    reason = "a file that cannot be read fails its test"
)]

use palimpsest_formats::{InMemory, MeasuredContext, along, sniff};
use palimpsest_testkit::beside::sample_files;
use std::fs;
use std::path::{Path, PathBuf};

/// Bytes of a file that tell its format.
const HEAD: usize = 65_536;
/// Larger files say nothing more of their numbers.
const LARGEST_FILE: u64 = 1 << 20;
/// Contexts looked at in each session.
const MOST_CONTEXTS: usize = 12;
/// Parts of the names of numbers that are sizes.
const SIZES: [&str; 6] = ["oken", "input", "output", "cache", "total", "reasoning"];
/// Parts of the names of numbers that are times.
const TIMES: [&str; 3] = ["time", "created", "updated"];
/// The latest time that an entry may have in Unix milliseconds.
const LATEST_MS: u64 = 8_640_000_000_000_000;

fn fixtures() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let agents = fs::read_dir(root).unwrap();
    let folders = agents.map(|agent| agent.unwrap().path().join("valid"));
    let files = folders.flat_map(|folder| fs::read_dir(folder).into_iter().flatten());
    files.map(|file| file.unwrap().path()).collect()
}

/// The text with the largest number in the place of every size, and the largest or the smallest in that
/// of every time, that `wanted` takes by its number.
fn enlarged(text: &str, wanted: impl Fn(usize) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut seen = 0;
    while let Some(at) = rest.find("\":") {
        let (before, after) = rest.split_at(at + 2);
        out.push_str(before);
        let name = before[..at].rsplit('"').next().unwrap_or_default();
        let digits = after.len() - after.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        rest = after;
        let name = name.to_lowercase();
        let is_of = |parts: &[&str]| digits > 0 && parts.iter().any(|part| name.contains(part));
        let large = match (is_of(&TIMES), seen % 2) {
            (true, 0) => "-9223372036854775808",
            (true, _) => "9223372036854775807",
            (false, _) => "18446744073709551615",
        };
        if is_of(&SIZES) || is_of(&TIMES) {
            if wanted(seen) {
                out.push_str(large);
                rest = &after[digits..];
            }
            seen += 1;
        }
    }
    out + rest
}

#[test]
fn the_largest_sizes_are_added_up() {
    let mut looked_at = 0;
    for path in fixtures().into_iter().chain(sample_files("")) {
        let is_small = fs::metadata(&path).is_ok_and(|file| file.len() <= LARGEST_FILE);
        let Ok(text) = fs::read_to_string(&path) else {
            continue;
        };
        if !is_small {
            continue;
        }
        // All of them, and every second or third one: what is left over must not fall below zero.
        for step in [1, 2, 3] {
            let bytes = enlarged(&text, |nth| nth % step == 0).into_bytes();
            let head = &bytes[..bytes.len().min(HEAD)];
            let Some(format) = sniff(&path, head) else {
                continue;
            };
            if format.assembly(&path, head).is_some() {
                continue;
            }
            let ours = InMemory::read(format, &path.to_string_lossy(), bytes);
            for entry in &ours.session.entries {
                let at = entry.at_ms.unwrap_or_default().unsigned_abs();
                assert!(at <= LATEST_MS, "{}: {at}", path.display());
            }
            let Some(leaf) = ours.session.active_leaf else {
                continue;
            };
            let way = ours.tree.path(leaf);
            assert_eq!(
                along(format, &ours.session, &ours.tree, &way).sizes.len(),
                way.len()
            );
            for &ix in way.iter().step_by(way.len().div_ceil(MOST_CONTEXTS).max(1)) {
                MeasuredContext::with_next_report(format, &ours.session, &ours.tree, Some(ix));
                MeasuredContext::at(format, &ours.session, &ours.tree, Some(ix));
                looked_at += 1;
            }
        }
    }
    assert!(looked_at > 100, "{looked_at} contexts");
}
