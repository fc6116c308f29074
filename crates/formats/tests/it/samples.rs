//! Every line of the shared sample sessions is accounted for; skipped where they are absent.

use palimpsest_core::Agent;
use palimpsest_formats::{InMemory, Reading, SessionFormat, pi::Pi};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn samples(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(listing) = std::fs::read_dir(folder) else {
        return;
    };
    for item in listing.flatten() {
        let path = item.path();
        if path.is_dir() {
            samples(&path, found);
        } else if Pi.is_candidate(&path) {
            found.push(path);
        }
    }
}

#[test]
fn every_line_is_a_header_an_entry_blank_or_a_warning() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/samples/pi");
    let mut files = Vec::new();
    samples(&folder, &mut files);
    if files.is_empty() {
        eprintln!("SKIPPED: no sample sessions in {}", folder.display());
        return;
    }
    for file in files {
        let bytes = std::fs::read(&file).unwrap();
        assert!(
            Pi.sniff(Path::new(""), &bytes[..bytes.len().min(65536)]),
            "{}",
            file.display()
        );
        let read = InMemory::read(&Pi, &file.to_string_lossy(), bytes.clone());
        let entries: BTreeSet<u32> = read
            .session
            .entries
            .iter()
            .map(|entry| entry.source.line)
            .collect();
        let warned: BTreeSet<u32> = read
            .session
            .warnings
            .iter()
            .filter_map(|warning| warning.line)
            .collect();
        let mut headers = 0;
        for (number, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
            let number = number as u32;
            let blank = line.trim_ascii().is_empty();
            if !blank && !entries.contains(&number) && !warned.contains(&number) {
                headers += 1;
            }
        }
        assert_eq!(headers, 1, "lines unaccounted for in {}", file.display());
        let mut reading = Reading::new(Agent::PI, "");
        assert_eq!(
            Pi.read(&mut reading, &bytes, true),
            bytes.len(),
            "{}",
            file.display()
        );
        assert!(reading.state.has_header, "{}", file.display());
    }
}
