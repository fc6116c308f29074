//! Writing the lines of a document, each with the file it is from.

use crate::Document;
use palimpsest_core::SourcePart;
use serde_json::Value;

/// A document being written.
#[derive(Debug, Default)]
pub(super) struct Lines {
    document: Document,
    lines: u32,
}

impl Lines {
    /// Says that the next lines come from `path`, of which `passed` lines came before.
    pub fn begin(&mut self, path: String, passed: u32) {
        let offset = self.document.bytes.len() as u64;
        // A file of which no line came is none of the document's.
        self.document.parts.pop_if(|part| part.offset == offset);
        self.document.parts.push(SourcePart {
            path,
            offset,
            line: self.lines.saturating_sub(passed),
        });
    }

    /// Adds a line as it is stored.
    pub fn push(&mut self, line: &[u8]) {
        self.document.bytes.extend_from_slice(line);
        self.document.bytes.push(b'\n');
        self.lines += 1;
    }

    /// Adds a record.
    pub fn record(&mut self, record: &Value) {
        self.push(record.to_string().as_bytes());
    }

    pub fn finish(self) -> Document {
        self.document
    }
}
