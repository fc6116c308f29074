//! Every record of the shared sample stores is accounted for, and what they cost is what their
//! records say; skipped where the samples are absent. The databases among them are read by the
//! comparison with recorded requests.

#![allow(
    clippy::unwrap_used,
    reason = "a sample that cannot be read fails its test"
)]

use palimpsest_core::{EntryKind, Role, Usage};
use palimpsest_formats::account::account;
use palimpsest_formats::assembly::{Query, Rows};
use palimpsest_formats::opencode::OpenCode;
use palimpsest_formats::{Disk, InMemory, SessionFormat, Stamp};
use serde_json::Value;
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// The machine's files, and which of them were read.
#[derive(Default)]
struct Files {
    read: Mutex<BTreeSet<PathBuf>>,
}

impl Disk for Files {
    fn read(&self, path: &Path, at_most: u64) -> io::Result<Vec<u8>> {
        self.read.lock().unwrap().insert(path.to_owned());
        let mut bytes = std::fs::read(path)?;
        bytes.truncate(usize::try_from(at_most).unwrap_or(usize::MAX));
        Ok(bytes)
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        let listing = std::fs::read_dir(folder)?;
        let mut paths: Vec<PathBuf> = listing.map(|item| item.unwrap().path()).collect();
        paths.sort();
        Ok(paths)
    }

    fn stamp(&self, path: &Path) -> io::Result<Stamp> {
        let size = std::fs::metadata(path)?.len();
        Ok(Stamp { size, mtime_ns: 0 })
    }

    fn query(&self, database: &Path, _: &[Query]) -> io::Result<Vec<Rows>> {
        let reason = format!("{} is not read here", database.display());
        Err(io::Error::new(io::ErrorKind::Unsupported, reason))
    }
}

fn all_files(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(listing) = std::fs::read_dir(folder) else {
        return;
    };
    for item in listing.flatten() {
        let path = item.path();
        if path.is_dir() {
            all_files(&path, found);
        } else {
            found.push(path);
        }
    }
}

/// A session found in a sample, with its document.
struct Sample {
    path: PathBuf,
    ours: InMemory,
    document: Vec<u8>,
}

/// The files that no document is made of, and the sessions.
fn samples() -> Option<(Vec<PathBuf>, Vec<Sample>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/samples/opencode");
    let mut files = Vec::new();
    all_files(&folder, &mut files);
    files.sort();
    if files.is_empty() {
        eprintln!("SKIPPED: no sample sessions in {}", folder.display());
        return None;
    }
    let mut found = Vec::new();
    let disk = Files::default();
    for path in &files {
        let is_database = path.extension().is_some_and(|ending| ending == "db");
        if is_database || !OpenCode.is_candidate(path) {
            continue;
        }
        let head = disk.read(path, 65536).unwrap();
        assert!(OpenCode.sniff(path, &head), "{}", path.display());
        let assembly = OpenCode.assembly(path, &head).unwrap();
        let address = &assembly.sessions(path, &disk).unwrap()[0].address;
        let document = assembly.document(address, &disk).unwrap().bytes;
        let ours = InMemory::assembled(&OpenCode, assembly, address, &disk).unwrap();
        found.push(Sample {
            path: path.clone(),
            ours,
            document,
        });
    }
    let read = disk.read.into_inner().unwrap();
    files.retain(|path| !read.contains(path));
    Some((files, found))
}

#[test]
fn every_record_is_an_entry_or_merged_into_one() {
    let Some((unread, samples)) = samples() else {
        return;
    };
    assert_eq!(samples.len(), 4 + 3 + 3, "exports, 0.5 and 1.1 sessions");
    for Sample {
        path,
        ours,
        document,
    } in &samples
    {
        let account = account(&ours.session, document);
        eprintln!(
            "{}: {} lines, {} entries, {} merged, {} headers, {} warned",
            path.display(),
            account.lines,
            account.entries,
            account.merged,
            account.headers,
            account.warned
        );
        assert_eq!(account.lost, [0u32; 0], "{}", path.display());
        assert_eq!(account.headers, 1, "{}", path.display());
        assert_eq!(
            account.lines,
            account.headers + account.entries + account.merged,
            "{}: {:?}",
            path.display(),
            ours.session.warnings
        );
        assert_eq!(ours.session.warnings, [], "{}", path.display());
    }
    let stored = |path: &&PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy();
        name.ends_with(".json") && (name.starts_with("msg_") || name.starts_with("prt_"))
    };
    let lost: Vec<&PathBuf> = unread.iter().filter(stored).collect();
    assert!(lost.is_empty(), "{lost:?}");
}

/// Tokens and cost over the raw records: of each step, or of a message without one.
fn counted(document: &[u8]) -> (u64, u64, u64, u64, f64) {
    let records: Vec<Value> = document
        .split(|&byte| byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).unwrap())
        .collect();
    let steps_of = |id: &Value| -> Vec<&Value> {
        records
            .iter()
            .filter(|part| part["type"] == "step-finish" && &part["messageID"] == id)
            .collect()
    };
    let mut sums = (0, 0, 0, 0, 0.0);
    for message in records
        .iter()
        .filter(|record| record["role"] == "assistant")
    {
        let mut holders = steps_of(&message["id"]);
        if holders.is_empty() {
            holders.push(message);
        }
        for holder in holders {
            let tokens = &holder["tokens"];
            let number = |value: &Value| value.as_u64().unwrap_or(0);
            let (input, mut output) = (number(&tokens["input"]), number(&tokens["output"]));
            let (read, write) = (
                number(&tokens["cache"]["read"]),
                number(&tokens["cache"]["write"]),
            );
            let reasoning = number(&tokens["reasoning"]);
            if tokens["total"] == input + output + read + write + reasoning {
                output += reasoning;
            }
            sums.0 += input;
            sums.1 += output;
            sums.2 += read;
            sums.3 += write;
            sums.4 += holder["cost"].as_f64().unwrap_or(0.0);
        }
    }
    sums
}

/// Prompts that were never answered stand alone in some samples.
fn ours_have_replies(sample: &Sample) -> bool {
    let mut entries = sample.ours.session.entries.iter();
    entries.any(|entry| entry.kind == EntryKind::Message(Role::Assistant))
}

#[test]
fn totals_are_those_of_the_records_and_of_the_session() {
    let Some((_, samples)) = samples() else {
        return;
    };
    for sample in &samples {
        let path = sample.path.display();
        let mut ours = Usage::default();
        for entry in &sample.ours.session.entries {
            if let Some(usage) = &entry.usage {
                ours.add(usage);
            }
        }
        let (input, output, read, write, cost) = counted(&sample.document);
        let replies = ours_have_replies(sample);
        assert_eq!(input > 0, replies, "{path}");
        let sums = (ours.input, ours.output, ours.cache_read, ours.cache_write);
        assert_eq!(sums, (input, output, read, write), "{path}");
        assert!((ours.cost_usd.unwrap_or(0.0) - cost).abs() < 1e-9, "{path}");
        let first = sample.document.split(|&byte| byte == b'\n').next().unwrap();
        let info: Value = serde_json::from_slice(first).unwrap();
        if let Some(total) = info.get("tokens") {
            assert_eq!(total["input"], ours.input, "{path}");
            assert_eq!(total["output"], ours.output, "{path}");
            assert_eq!(total["cache"]["read"], ours.cache_read, "{path}");
            assert!(
                (info["cost"].as_f64().unwrap() - cost).abs() < 1e-9,
                "{path}"
            );
        }
    }
}

#[test]
fn compactions_and_reverts_of_the_samples_are_found() {
    let Some((_, samples)) = samples() else {
        return;
    };
    let mut told: Vec<String> = Vec::new();
    for sample in &samples {
        let Sample { path, ours, .. } = sample;
        let session = &ours.session;
        for entry in &session.entries {
            if let EntryKind::Compaction(compaction) = &entry.kind {
                assert!(
                    compaction.tokens_before > compaction.tokens_after,
                    "{}",
                    entry.id
                );
                told.push(format!(
                    "{} {:?} {:?} to {:?}",
                    entry.id, compaction.trigger, compaction.tokens_before, compaction.tokens_after
                ));
            }
        }
        let last = session.indices().next_back().unwrap();
        if session.active_leaf != Some(last) {
            let hidden = last.0 - session.active_leaf.unwrap().0;
            told.push(format!("{} hides {hidden}", session.meta.native_id));
        }
        if let Some(parent) = &session.meta.parent_session {
            told.push(format!("{} of {parent}", session.meta.native_id));
        }
        assert!(session.meta.title.is_some(), "{}", path.display());
        // 0.x names the folder only in replies.
        let told_where = session.meta.cwd.is_some();
        assert_eq!(told_where, ours_have_replies(sample), "{}", path.display());
    }
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!("opencode-samples", told.join("\n"));
    });
}
