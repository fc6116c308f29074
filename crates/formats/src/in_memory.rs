//! A whole session held in memory: for tests, comparisons and small sources.

use crate::{Assembly, Disk, Reading, SessionFormat};
use palimpsest_core::{Bodies, Body, BodyError, Context, EntryIx, Session, Tree};
use std::sync::Arc;

/// A session read from bytes that stay at hand.
pub struct InMemory {
    /// The reader that made it.
    pub format: &'static dyn SessionFormat,
    /// The session.
    pub session: Session,
    /// Its tree.
    pub tree: Tree,
    bytes: Vec<u8>,
}

impl InMemory {
    /// Reads all of `bytes`; a last line that is not a record becomes a warning like any other.
    pub fn read(format: &'static dyn SessionFormat, path: &str, bytes: Vec<u8>) -> InMemory {
        InMemory::finish(format, Reading::new(format.agent(), path), bytes)
    }

    fn finish(
        format: &'static dyn SessionFormat,
        mut reading: Reading,
        bytes: Vec<u8>,
    ) -> InMemory {
        format.read(&mut reading, &bytes, true);
        let mut session = reading.session;
        session.warnings.extend(reading.partial_line);
        let tree = Tree::new(&session);
        InMemory {
            format,
            session,
            tree,
            bytes,
        }
    }

    /// Puts the session at `address` together and reads it.
    ///
    /// Errors: those of [`Assembly::document`].
    pub fn assembled(
        format: &'static dyn SessionFormat,
        assembly: &dyn Assembly,
        address: &str,
        disk: &dyn Disk,
    ) -> std::io::Result<InMemory> {
        let document = assembly.document(address, disk)?;
        let mut reading = Reading::new(format.agent(), address);
        reading.session.parts = document.parts;
        Ok(InMemory::finish(format, reading, document.bytes))
    }

    /// The source, whole.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The context at `at`.
    pub fn context(&self, at: Option<EntryIx>) -> Context {
        self.format.context(&self.session, &self.tree, at)
    }
}

impl Bodies for InMemory {
    fn body(&self, ix: EntryIx) -> Result<Arc<Body>, BodyError> {
        let entry = self.session.entry(ix);
        let start = entry.source.offset as usize;
        let raw = self
            .bytes
            .get(start..start + entry.source.len as usize)
            .unwrap_or_default();
        Ok(Arc::new(self.format.body(&self.session.meta, entry, raw)))
    }
}
