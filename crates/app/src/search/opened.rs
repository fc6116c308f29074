//! The sources of hits, kept open for one page of them.

use crate::source::Content;
use palimpsest_core::Agent;

/// Files that are open at a time.
const MOST_OPEN: usize = 32;
/// Bytes of sources that were put together and stand in memory, such as the sessions of a database;
/// the newest one may be larger.
const MOST_ASSEMBLED_BYTES: usize = 64 << 20;

/// Sources by their paths, the one asked for last at the end. Hits in the order of their times
/// change between sessions, and a source that has to be put together would be that for each hit.
#[derive(Default)]
pub(super) struct Opened {
    sources: Vec<(String, Content)>,
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
    use std::io::Read as _;

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
}
