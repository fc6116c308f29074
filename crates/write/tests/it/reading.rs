//! Sessions in memory, written and read again.

use std::io;
use std::path::{Path, PathBuf};

use palimpsest_core::{Bodies as _, BodyError, Context, EntryIx, Message};
use palimpsest_formats::assembly::{Query, Rows};
use palimpsest_formats::{Disk, InMemory, SessionFormat, Stamp};
use palimpsest_write::{Change, ExpectedItem, Fresh, Records, Request, same_message};

/// A disk with one file.
struct OneFile<'a>(&'a [u8]);

impl Disk for OneFile<'_> {
    fn read(&self, _: &Path, _: u64) -> io::Result<Vec<u8>> {
        Ok(self.0.to_vec())
    }

    fn list(&self, _: &Path) -> io::Result<Vec<PathBuf>> {
        Ok(Vec::new())
    }

    fn stamp(&self, _: &Path) -> io::Result<Stamp> {
        Err(io::ErrorKind::NotFound.into())
    }

    fn query(&self, _: &Path, _: &[Query]) -> io::Result<Vec<Rows>> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// The session in a file, put together where its format asks for it; `None` for a file that needs
/// others beside it.
pub fn read(format: &'static dyn SessionFormat, path: &Path, bytes: Vec<u8>) -> Option<InMemory> {
    let head = &bytes[..bytes.len().min(1 << 16)];
    let shown = path.display().to_string();
    match format.assembly(path, head) {
        None => Some(InMemory::read(format, &shown, bytes)),
        Some(assembly) => {
            let disk = OneFile(&bytes);
            let address = assembly.sessions(path, &disk).ok()?.pop()?.address;
            InMemory::assembled(format, assembly, &address, &disk).ok()
        }
    }
}

/// The records of a session in memory.
pub struct Stored<'a>(pub &'a InMemory);

impl Records for Stored<'_> {
    fn record(&self, ix: EntryIx) -> Result<Vec<u8>, BodyError> {
        let source = self.0.session.entry(ix).source;
        let start = source.offset as usize;
        Ok(self.0.bytes()[start..start + source.len as usize].to_vec())
    }
}

/// Ids and times that are the same in every run.
pub fn fresh(seed: u64) -> Fresh {
    Fresh {
        now_ms: 1_795_000_000_000 + seed as i64,
        random: u128::from(seed).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835),
        utc_offset_s: 0,
    }
}

/// The messages of a context, in the order sent.
pub fn messages(read: &InMemory, context: &Context) -> Vec<Message> {
    let items = context.items.iter();
    let message = |item| read.format.item_message(&read.session, item, read).unwrap();
    items.map(message).collect()
}

/// The messages that were predicted.
pub fn expected(original: &InMemory, items: &[ExpectedItem]) -> Vec<Message> {
    let read = |item: &_, bodies: &dyn palimpsest_core::Bodies| {
        original
            .format
            .item_message(&original.session, item, bodies)
    };
    items
        .iter()
        .map(|item| item.message(&read, original).unwrap())
        .collect()
}

/// Writes a new session at `leaf`, reads it and compares its context with the prediction.
pub fn written_new(
    original: &InMemory,
    leaf: Option<EntryIx>,
    change: &Change,
    seed: u64,
) -> Result<InMemory, palimpsest_write::Refusal> {
    let context = original.context(leaf);
    let fresh = fresh(seed);
    let request = Request {
        session: &original.session,
        context: &context,
        records: &Stored(original),
        change,
        fresh: &fresh,
    };
    let new = palimpsest_write::new_session(&request)?;
    let path = Path::new("/written").join(&new.file_name);
    let read = read(original.format, &path, new.bytes).expect("one file is the whole session");
    agrees(
        original,
        &read,
        &new.context,
        &named(original, leaf, change),
    );
    // A new session of Claude Code begins with the boundary, as the agent's own forks do.
    let is_known = |reason: &str| reason.contains("summarizes is not in the file");
    let mut warnings = read.session.warnings.iter();
    assert!(
        warnings.all(|warning| is_known(&warning.reason)),
        "{:?}",
        read.session.warnings
    );
    assert_eq!(read.session.meta.native_id, new.native_id);
    Ok(read)
}

/// Appends to the original at `leaf`, reads it and compares its context with the prediction.
pub fn appended(
    original: &InMemory,
    leaf: Option<EntryIx>,
    change: &Change,
    seed: u64,
) -> Result<InMemory, palimpsest_write::Refusal> {
    let context = original.context(leaf);
    let fresh = fresh(seed);
    let request = Request {
        session: &original.session,
        context: &context,
        records: &Stored(original),
        change,
        fresh: &fresh,
    };
    let addition = palimpsest_write::addition(&request)?;
    let mut bytes = original.bytes().to_vec();
    if !bytes.ends_with(b"\n") {
        bytes.push(b'\n');
    }
    bytes.extend(&addition.bytes);
    let read = InMemory::read(original.format, "/written.jsonl", bytes);
    agrees(
        original,
        &read,
        &addition.context,
        &named(original, leaf, change),
    );
    assert_eq!(read.session.warnings, original.session.warnings, "{leaf:?}");
    Ok(read)
}

fn agrees(original: &InMemory, read: &InMemory, items: &[ExpectedItem], what: &str) {
    let leaf = read.session.active_leaf;
    let got = messages(read, &read.context(leaf));
    let wanted = expected(original, items);
    let shown = |message: &Message| format!("{} {:.80}", message.native_role, message.text(" "));
    assert_eq!(
        got.iter().map(shown).collect::<Vec<_>>(),
        wanted.iter().map(shown).collect::<Vec<_>>(),
        "{what}"
    );
    for (got, wanted) in got.iter().zip(&wanted) {
        assert!(
            same_message(got, wanted),
            "{what}\n{got:.2000?}\n{wanted:.2000?}"
        );
    }
    assert!(read.body(EntryIx(0)).is_ok());
}

/// What was written, for a failure.
fn named(original: &InMemory, leaf: Option<EntryIx>, change: &Change) -> String {
    let mut what = format!("{} {leaf:?} {change:?}", original.session.meta.path);
    what.truncate(what.floor_char_boundary(300));
    what
}
