//! Sessions of any size, written straight to where they go.
//!
//! The text is plausible but means nothing; use [`crate::session`] for sessions with a story.
//! Memory does not grow with the size: a 300 MB file is made with a few megabytes, the longest
//! ordinary line included.

mod session;
mod spec;
mod text;

pub use session::write_session;
pub use spec::{CorpusSpec, CorpusStats};

use crate::clock::FixedClock;
use crate::home::pi_file_name;
use crate::seeded::Rng;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Writes a generated session to a file, whose folder must exist.
pub fn write_session_file(spec: &CorpusSpec, path: &Path) -> io::Result<CorpusStats> {
    let mut file = BufWriter::with_capacity(1 << 18, File::create(path)?);
    let stats = write_session(spec, &mut file)?;
    file.flush()?;
    Ok(stats)
}

/// A collection of sessions as one machine would have it.
#[derive(Debug, Clone)]
pub struct CollectionSpec {
    /// Decides everything that is not set here.
    pub seed: u64,
    /// Number of session files.
    pub sessions: u32,
    /// Records in all of them together.
    pub entries: u32,
    /// Size of all of them together.
    pub bytes: u64,
}

/// Writes a collection below `sessions_dir` in pi's layout: a folder for each of some twenty
/// projects, session sizes from a quarter of the mean to some ten times the mean.
pub fn write_collection(
    spec: &CollectionSpec,
    sessions_dir: &Path,
) -> io::Result<(Vec<PathBuf>, CorpusStats)> {
    let mut rng = Rng::new(spec.seed);
    // Sizes fall off like 1/x, as they do on real machines: many short sessions, few long ones.
    let weights: Vec<f64> = (0..spec.sessions)
        .map(|_| 1.0 / (0.02 + (rng.between(1, 1_000) as f64) / 1_000.0))
        .collect();
    let total_weight: f64 = weights.iter().sum();
    let mut start = FixedClock::at("2026-08-03T07:30:00Z");
    let mut sum = CorpusStats::default();
    let mut paths = Vec::with_capacity(weights.len());
    for (i, weight) in weights.iter().enumerate() {
        let share = weight / total_weight;
        let session = CorpusSpec {
            seed: rng.next_u64(),
            entries: ((f64::from(spec.entries) * share).round() as u32).max(3),
            target_bytes: Some((spec.bytes as f64 * share) as u64),
            // Half of what one model's window would allow, so that long sessions are compacted.
            compact_at_tokens: 75_000,
            branch_every: if i % 3 == 0 { 60 } else { 0 },
            cwd: format!("/home/dana/projects/{}", PROJECTS[i % PROJECTS.len()]),
            start,
            ..CorpusSpec::default()
        };
        start.advance_ms(rng.between(600_000, 9_000_000) as i64);
        let name = pi_file_name(&session.cwd, &session.start.iso(), &session.session_id());
        let path = sessions_dir.join(name);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let stats = write_session_file(&session, &path)?;
        sum.entries += stats.entries;
        sum.bytes += stats.bytes;
        sum.compactions += stats.compactions;
        sum.branch_summaries += stats.branch_summaries;
        sum.leaf_id = stats.leaf_id;
        paths.push(path);
    }
    Ok((paths, sum))
}

const PROJECTS: &[&str] = &[
    "courier",
    "ledgerline",
    "atlas-tiles",
    "quill",
    "harbor",
    "fieldnotes",
    "papertrail",
    "lantern",
    "beacon-ui",
    "tidepool",
    "granary",
    "switchyard",
    "almanac",
    "copperplate",
    "driftwood",
    "mosaic",
    "northwind-cli",
    "orchard",
    "pinion",
    "weathervane",
];

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
    use std::collections::HashSet;

    fn text_of(spec: &CorpusSpec) -> (String, CorpusStats) {
        let mut bytes = Vec::new();
        let stats = write_session(spec, &mut bytes).unwrap();
        (String::from_utf8(bytes).unwrap(), stats)
    }

    #[test]
    fn every_line_is_a_record_under_an_earlier_one() {
        let spec = CorpusSpec {
            entries: 1_500,
            target_bytes: Some(1_500_000),
            compact_at_tokens: 40_000,
            branch_every: 50,
            ..CorpusSpec::default()
        };
        let (text, stats) = text_of(&spec);
        let mut seen = HashSet::new();
        let mut counts = (0, 0);
        for line in text.lines().skip(1) {
            let value: Value = serde_json::from_str(line).unwrap();
            if let Some(parent) = value["parentId"].as_str() {
                assert!(
                    seen.contains(parent),
                    "parent {parent} comes later or not at all"
                );
            }
            match value["type"].as_str().unwrap() {
                "compaction" => {
                    counts.0 += 1;
                    assert!(seen.contains(value["firstKeptEntryId"].as_str().unwrap()));
                }
                "branch_summary" => {
                    counts.1 += 1;
                    assert!(seen.contains(value["fromId"].as_str().unwrap()));
                }
                _ => {}
            }
            assert!(
                seen.insert(value["id"].as_str().unwrap().to_owned()),
                "id used twice"
            );
        }
        assert_eq!(seen.len() as u64, stats.entries);
        assert_eq!(text.len() as u64, stats.bytes);
        assert_eq!(
            (counts.0 as u64, counts.1 as u64),
            (stats.compactions, stats.branch_summaries)
        );
        assert!(
            stats.compactions > 2 && stats.branch_summaries > 10,
            "{stats:?}"
        );
        let off = stats.bytes.abs_diff(1_500_000);
        assert!(off < 75_000, "{off} bytes off the target");
    }

    #[test]
    fn the_same_seed_gives_the_same_bytes_and_another_seed_does_not() {
        let spec = CorpusSpec::default();
        let other = CorpusSpec {
            seed: 2,
            ..CorpusSpec::default()
        };
        assert_eq!(text_of(&spec).0, text_of(&spec).0);
        assert_ne!(text_of(&spec).0, text_of(&other).0);
    }

    #[test]
    fn one_line_can_be_huge() {
        let spec = CorpusSpec {
            huge_line_bytes: Some(3_000_000),
            ..CorpusSpec::default()
        };
        let (text, _) = text_of(&spec);
        let longest = text.lines().max_by_key(|line| line.len()).unwrap();
        assert!(longest.len() >= 3_000_000);
        assert!(serde_json::from_str::<Value>(longest).is_ok());
    }

    #[test]
    fn a_collection_has_the_size_asked_for() {
        let dir = tempfile::tempdir().unwrap();
        let spec = CollectionSpec {
            seed: 5,
            sessions: 20,
            entries: 2_000,
            bytes: 2_000_000,
        };
        let (paths, stats) = write_collection(&spec, dir.path()).unwrap();
        assert_eq!(paths.len(), 20);
        assert!(stats.entries.abs_diff(2_000) < 100, "{stats:?}");
        assert!(stats.bytes.abs_diff(2_000_000) < 200_000, "{stats:?}");
        assert_eq!(paths.iter().filter(|path| path.is_file()).count(), 20);
    }
}
