//! The sources of hits, kept open for one page of them.

use crate::source::Content;
use palimpsest_core::Agent;
use palimpsest_store::index::StoredHit;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::ops::Range;

/// Files that are open at a time.
const MOST_OPEN: usize = 32;
/// Bytes of sources that were put together and stand in memory, such as the sessions of a database;
/// the newest one may be larger.
const MOST_ASSEMBLED_BYTES: usize = 64 << 20;

/// Bytes that are read at once where records are looked through for words, the newest first: the next
/// ones mostly stand in the same bytes, and a call of the system is as long as 10 KB are read.
const AT_ONCE_BYTES: u64 = 16 << 10;

/// Sources by their paths, the one asked for last at the end. Hits in the order of their times
/// change between sessions, and a source that has to be put together would be that for each hit.
#[derive(Default)]
pub(super) struct Opened {
    sources: Vec<(String, Content)>,
    /// What was read last, and where it stands in which source.
    read: (String, Range<u64>, Vec<u8>),
}

impl Opened {
    /// The content of a session of `agent` at `path`; `None` when it cannot be read any more.
    pub(super) fn content(&mut self, path: &str, agent: Agent) -> Option<&mut Content> {
        match self.sources.iter().position(|(known, _)| known == path) {
            Some(at) => self.sources[at..].rotate_left(1),
            None => {
                let content = Content::open(path, agent).ok()?;
                self.sources.push((path.to_owned(), content));
                self.close_oldest();
            }
        }
        self.sources.last_mut().map(|(_, content)| content)
    }

    /// Whether a stored record of the session of `agent` at `path` has something; false where it cannot be read any more.
    pub(super) fn is_in_record(
        &mut self,
        (path, agent): (&str, Agent),
        stored: &StoredHit,
        has: impl FnOnce(&[u8]) -> bool,
    ) -> bool {
        let wanted = stored.offset..stored.offset.saturating_add(u64::from(stored.len));
        let (read, range, _) = &self.read;
        let is_read = read == path && range.start <= wanted.start && wanted.end <= range.end;
        if !is_read && self.read_before((path, agent), &wanted).is_none() {
            return false;
        }
        let (_, range, bytes) = &self.read;
        let start = usize::try_from(wanted.start - range.start).unwrap_or(usize::MAX);
        let record = bytes
            .get(start..)
            .and_then(|rest| rest.get(..stored.len as usize));
        record.is_some_and(has)
    }

    /// Reads these bytes of a session and some before them.
    fn read_before(&mut self, (path, agent): (&str, Agent), wanted: &Range<u64>) -> Option<()> {
        let start = wanted.end.saturating_sub(AT_ONCE_BYTES).min(wanted.start);
        let (mut read, _, mut bytes) = std::mem::take(&mut self.read);
        bytes.resize(usize::try_from(wanted.end - start).ok()?, 0);
        let content = self.content(path, agent)?;
        content.seek(SeekFrom::Start(start)).ok()?;
        content.read_exact(&mut bytes).ok()?;
        path.clone_into(&mut read);
        self.read = (read, start..wanted.end, bytes);
        Some(())
    }

    fn close_oldest(&mut self) {
        let bytes = |(_, content): &(String, Content)| match content {
            Content::File(_) => 0,
            Content::Assembled(bytes) => bytes.get_ref().len(),
        };
        let mut assembled: usize = self.sources.iter().map(bytes).sum();
        let mut closed = 0;
        while self.sources.len() - closed > 1
            && (self.sources.len() - closed > MOST_OPEN || assembled > MOST_ASSEMBLED_BYTES)
        {
            assembled -= bytes(&self.sources[closed]);
            closed += 1;
        }
        self.sources.drain(..closed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use palimpsest_store::index::{HitPlace, SessionNum};

    #[test]
    fn many_sources_are_read_in_turn() {
        let folder = tempfile::tempdir().unwrap();
        let paths: Vec<String> = (0..MOST_OPEN + 3)
            .map(|nth| {
                let path = folder.path().join(format!("{nth}.jsonl"));
                std::fs::write(&path, format!("{{\"nth\":{nth}}}\n")).unwrap();
                path.to_str().unwrap().to_owned()
            })
            .collect();
        let mut opened = Opened::default();
        for path in paths.iter().chain(&paths[1..3]) {
            let mut text = String::new();
            let content = opened.content(path, Agent::PI).unwrap();
            content.read_to_string(&mut text).unwrap();
            assert!(path.ends_with(&format!("/{}.jsonl", &text[7..text.len() - 2])));
        }
        assert_eq!(opened.sources.len(), MOST_OPEN);
        assert_eq!(opened.sources.last().unwrap().0, paths[2]);
        assert!(opened.content("/nowhere/at/all.jsonl", Agent::PI).is_none());
    }

    #[test]
    fn records_are_read_with_what_stands_before_them() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.jsonl");
        let mut lines = Vec::new();
        let mut offset = 0;
        let mut all = String::new();
        for nth in 0..600 {
            // One record is longer than what is read at once.
            let text = "x".repeat(if nth == 300 { 40_000 } else { 90 });
            let line = format!("{{\"nth\":{nth},\"text\":\"{text}\"}}\n");
            lines.push((offset, line.len() - 1));
            offset += line.len();
            all.push_str(&line);
        }
        std::fs::write(&path, &all).unwrap();
        let session = (path.to_str().unwrap(), Agent::PI);
        let stored = |(offset, len): (usize, usize)| StoredHit {
            place: HitPlace {
                at_ms: None,
                num: 1,
            },
            session: SessionNum(1),
            offset: offset as u64,
            len: u32::try_from(len).unwrap(),
            shown_with_more: false,
        };
        let mut opened = Opened::default();
        for (nth, line) in lines.iter().enumerate().rev() {
            let begin = format!("{{\"nth\":{nth},");
            let whole = |raw: &[u8]| raw.starts_with(begin.as_bytes()) && raw.ends_with(b"\"}");
            assert!(opened.is_in_record(session, &stored(*line), whole), "{nth}");
        }
        // What was read of one file is not taken for the same place of another.
        let other = folder.path().join("other.jsonl");
        std::fs::write(&other, "y".repeat(all.len())).unwrap();
        let other = (other.to_str().unwrap(), Agent::PI);
        assert!(opened.is_in_record(other, &stored(lines[0]), |raw| raw.starts_with(b"y")));
        // A file that has become shorter has nothing there.
        assert!(!opened.is_in_record(session, &stored((all.len(), 10)), |_| true));
        assert!(opened.is_in_record(session, &stored(lines[0]), |_| true));
    }
}
