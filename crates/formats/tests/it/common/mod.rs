//! The fixtures of all agents, and what can be asked of a session that was read.

#![allow(
    clippy::unwrap_used,
    reason = "a fixture that cannot be read fails its test"
)]

pub mod damage;
pub mod told;

use palimpsest_core::Bodies;
use palimpsest_formats::account::account;
use palimpsest_formats::claude_code::ClaudeCode;
use palimpsest_formats::coder::Coder;
use palimpsest_formats::codex::Codex;
use palimpsest_formats::continue_dev::Continue;
use palimpsest_formats::copilot::Copilot;
use palimpsest_formats::copilot_chat::CopilotChat;
use palimpsest_formats::factory_droid::FactoryDroid;
use palimpsest_formats::mux::Mux;
use palimpsest_formats::opencode::OpenCode;
use palimpsest_formats::pi::Pi;
use palimpsest_formats::{InMemory, Reading, SessionFormat};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Every reader. Fixtures of OpenCode, Mux, Copilot Chat, Continue and Coder are documents as their
/// assemblies put them together.
pub const FORMATS: &[&dyn SessionFormat] = &[
    &Pi,
    &ClaudeCode,
    &Codex,
    &Copilot,
    &CopilotChat,
    &FactoryDroid,
    &OpenCode,
    &Mux,
    &Continue,
    &Coder,
];

/// A source and the reader it is for.
#[derive(Clone)]
pub struct Fixture {
    pub format: &'static dyn SessionFormat,
    pub path: PathBuf,
    pub bytes: Vec<u8>,
}

impl Fixture {
    pub fn read(&self) -> InMemory {
        let name = self.path.file_name().unwrap().to_string_lossy();
        InMemory::read(self.format, &name, self.bytes.clone())
    }

    pub fn stem(&self) -> String {
        self.path
            .file_stem()
            .unwrap()
            .to_string_lossy()
            .into_owned()
    }
}

impl std::fmt::Display for Fixture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.format.agent(), self.stem())
    }
}

/// The folder of an agent's fixtures of one kind: `valid` or `invalid`.
pub fn folder(format: &dyn SessionFormat, kind: &str) -> PathBuf {
    let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    all.join(format.agent().name()).join(kind)
}

/// The fixtures of one reader, by kind and name.
pub fn fixtures_of(format: &'static dyn SessionFormat, kinds: &[&str]) -> Vec<Fixture> {
    let mut paths = Vec::new();
    for kind in kinds {
        let listing = std::fs::read_dir(folder(format, kind)).unwrap();
        paths.extend(listing.map(|item| item.unwrap().path()));
    }
    paths.sort();
    let files = paths.into_iter().map(|path| Fixture {
        format,
        bytes: std::fs::read(&path).unwrap(),
        path,
    });
    files.collect()
}

/// The fixtures of all readers.
pub fn fixtures(kinds: &[&str]) -> Vec<Fixture> {
    let all = FORMATS.iter().map(|format| fixtures_of(*format, kinds));
    all.flatten().collect()
}

/// Reads `bytes` as they come in: cut at `cuts`, unread bytes offered again with the next piece;
/// when `growing`, each time as if the source ended there.
pub fn read_in_pieces(
    format: &dyn SessionFormat,
    bytes: &[u8],
    cuts: &BTreeSet<usize>,
    growing: bool,
) -> Reading {
    let mut reading = Reading::new(format.agent(), "x");
    let mut start = 0;
    let inner = cuts.iter().filter(|&&cut| cut < bytes.len());
    for &end in inner.chain([&bytes.len()]) {
        let last = end == bytes.len();
        let piece = &bytes[start..end.max(start)];
        start += format.read(&mut reading, piece, last || growing);
        assert_eq!(reading.state.offset, start as u64);
    }
    reading
}

/// Reads at one go.
pub fn read_whole(format: &dyn SessionFormat, bytes: &[u8]) -> Reading {
    read_in_pieces(format, bytes, &BTreeSet::new(), false)
}

/// Checks that two readings are the same; tells the first line in which they are not.
pub fn assert_same(one: &Reading, other: &Reading, about: &str) {
    let seen = |reading: &Reading| format!("{:#?} {:?}", reading.session, reading.partial_line);
    let (one_seen, other_seen) = (seen(one), seen(other));
    let differs = one_seen
        .lines()
        .zip(other_seen.lines())
        .find(|(a, b)| a != b);
    assert_eq!(differs, None, "{about}");
    assert_eq!(one_seen.len(), other_seen.len(), "{about}");
    assert_eq!(one.state, other.state, "{about}");
}

/// Reads, asks everything that can be asked, and holds every line accounted for.
pub fn use_all(format: &'static dyn SessionFormat, bytes: &[u8]) {
    let ours = InMemory::read(format, "x", bytes.to_vec());
    format.sniff(Path::new("x.json"), bytes);
    assert_eq!(account(&ours.session, bytes).lost, [0u32; 0]);
    for ix in ours.session.indices() {
        ours.body(ix).unwrap();
        let context = ours.context(Some(ix));
        for item in &context.items {
            ours.format
                .item_message(&ours.session, item, &ours)
                .unwrap();
            let shares: u64 = item.by_category.iter().map(|(_, share)| share).sum();
            assert_eq!(shares, item.estimate);
        }
        let sum: u64 = context.items.iter().map(|item| item.estimate).sum();
        assert_eq!(sum, context.estimated);
    }
}
