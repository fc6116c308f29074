//! The files that a session reads again after a compaction.

use super::calls::Runs;
use crate::fnv::fnv;
use palimpsest_core::entry::FileAccess;
use palimpsest_core::ledger::FileRole;
use palimpsest_core::{Entry, EntryKind};
use palimpsest_ledger::script_files::joined;
use serde::de::{self, Deserializer};
use serde::{Deserialize, Serialize, Serializer};

/// Files that are remembered, those used last: a session seldom has more between two compactions.
const MOST_FILES: usize = 1_000;
/// So many parts at the end of a path tell a file where one of two spellings begins in a folder that
/// is not known.
const TELLING_PARTS: usize = 3;

/// The files that the session's own calls used. Files are known by hashes: a session of a thousand
/// files keeps some kilobytes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Reads {
    compactions: u32,
    /// The last used at the end.
    files: Vec<Used>,
}

/// A file, the compactions before its first use, and those before its last reading, that one counted
/// (0 where it was not read).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Used(Name, u32, u32);

/// A path: hashes of its ends, shortest first, in 16 bits each, and of the whole in the 15 bits above;
/// the highest bit is set where it begins in a folder that is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Name(u64);

// In hexadecimal: stored packed, a hash of twenty decimal digits takes a fifth more.
impl Serialize for Name {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{:016x}", self.0))
    }
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Name, D::Error> {
        let digits = String::deserialize(deserializer)?;
        let number = u64::from_str_radix(&digits, 16);
        number.map(Name).map_err(de::Error::custom)
    }
}

const RELATIVE: u64 = 1 << 63;

impl Name {
    fn of(path: &str) -> Name {
        let mut path = path.replace('\\', "/");
        while let Some(rest) = path.strip_prefix("./") {
            path = rest.to_owned();
        }
        let starts_at_drive = path.as_bytes().get(1) == Some(&b':');
        let is_whole = path.starts_with(['/', '~']) || starts_at_drive;
        let mut ends = if is_whole { 0 } else { RELATIVE };
        let mut at = path.len();
        for part in 0..TELLING_PARTS {
            let slash = path[..at].rfind('/');
            let end = &path[slash.map_or(0, |slash| slash + 1)..];
            // 0 stands for an end that the path is too short for.
            ends |= (fnv(end.as_bytes()) & 0xffff).max(1) << (16 * part);
            match slash {
                Some(slash) if slash > 0 => at = slash,
                _ => break,
            }
        }
        Name(ends | ((fnv(path.as_bytes()) & 0x7fff) << (16 * TELLING_PARTS)))
    }

    /// True where one spelling begins in an unknown folder and may be the end of the other.
    fn may_be(self, other: Name) -> bool {
        let end = |name: Name, part: usize| (name.0 >> (16 * part)) & 0xffff;
        let mut parts = (0..TELLING_PARTS).map(|part| (end(self, part), end(other, part)));
        (self.0 ^ other.0) & RELATIVE != 0
            && parts.all(|(one, two)| one == two || one == 0 || two == 0)
    }
}

impl Reads {
    pub(super) fn is_empty(&self) -> bool {
        *self == Reads::default()
    }

    /// Notes an entry, of which `runs` are the shell commands; true where it is the first to read a
    /// file after a compaction that was used before it.
    pub(super) fn pass(&mut self, entry: &Entry, runs: &Runs) -> bool {
        if matches!(entry.kind, EntryKind::Compaction(_)) {
            self.compactions = self.compactions.saturating_add(1);
            return false;
        }
        // A subagent has a context of its own.
        if entry.is_in_subagent() {
            return false;
        }
        let mut again = false;
        for call in &entry.tool_calls {
            if let (Some(path), Some(access)) = (&call.path, call.access) {
                again |= self.uses(path, access == FileAccess::Read);
            }
        }
        for file in &runs.files {
            // A search shows lines of a file, and is no reading of it.
            if file.role != FileRole::Searched {
                let path = joined(file.folder.as_deref(), &file.path);
                again |= self.uses(&path, file.role == FileRole::Read);
            }
        }
        let many = self.files.len().saturating_sub(MOST_FILES);
        self.files.drain(..many);
        again
    }

    /// Notes a use of a file; true where it is read again.
    fn uses(&mut self, path: &str, is_read: bool) -> bool {
        let name = Name::of(path);
        let now = self.compactions;
        let mut used = match self.known(name) {
            Some(at) => self.files.remove(at),
            None => Used(name, now, 0),
        };
        let again = is_read && used.1 < now && used.2 <= now;
        if is_read {
            used.2 = now + 1;
        }
        self.files.push(used);
        again
    }

    /// Where a file is; of several that a spelling may be, none.
    fn known(&self, name: Name) -> Option<usize> {
        if let Some(at) = self.files.iter().rposition(|used| used.0 == name) {
            return Some(at);
        }
        let files = self.files.iter().enumerate();
        let mut near = files.filter(|(_, used)| used.0.may_be(name));
        let (at, _) = near.next()?;
        near.next().is_none().then_some(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_known_by_both_of_its_spellings() {
        let mut reads = Reads::default();
        for path in [
            "/srv/app/src/a.rs",
            "lib/b.rs",
            "/x/one/mod.rs",
            "/x/two/mod.rs",
        ] {
            assert!(!reads.uses(path, true), "{path}");
        }
        reads.compactions += 1;
        for (path, again) in [
            ("./src/a.rs", true),
            ("/srv/app/src/a.rs", false),
            ("other/a.rs", false),
            ("/srv/app/lib/b.rs", true),
            // Two files may be meant.
            ("mod.rs", false),
            ("/x/one/mod.rs", true),
        ] {
            assert_eq!(reads.uses(path, true), again, "{path}");
        }
    }
}
