//! Pieces of large files around known bytes.

use memchr::memmem::Finder;
use palimpsest_store::regular::open_regular;
use std::fs::File;
use std::io::{self, Read, Seek as _, SeekFrom};
use std::path::Path;

/// Largest file that is read: programs of agents have up to 400 MB.
const MOST_BYTES: u64 = 1 << 30;
/// Bytes read at once.
const CHUNK: usize = 4 << 20;
/// Most places that are looked at in one file.
const MOST_HITS: usize = 256;

/// The pieces of a file that lie around one of `anchors`, `around` bytes on both sides; pieces that
/// touch are one. Nothing is executed, and at most some megabytes are held at the same time.
///
/// Errors: those of [`open_regular`], and `InvalidData` for more than 1 GB.
pub(super) fn pieces(path: &Path, anchors: &[&str], around: usize) -> io::Result<Vec<Vec<u8>>> {
    let mut file = open_regular(path)?;
    if file.metadata()?.len() > MOST_BYTES {
        let message = format!("the file is larger than {} MB", MOST_BYTES >> 20);
        return Err(io::Error::new(io::ErrorKind::InvalidData, message));
    }
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for at in hits(&mut file, anchors, CHUNK)? {
        let (from, to) = (at.saturating_sub(around as u64), at + around as u64);
        match ranges.last_mut() {
            Some((_, end)) if *end >= from => *end = to,
            _ => ranges.push((from, to)),
        }
    }
    ranges
        .into_iter()
        .map(|(from, to)| {
            let mut piece = Vec::new();
            file.seek(SeekFrom::Start(from))?;
            (&mut file).take(to - from).read_to_end(&mut piece)?;
            Ok(piece)
        })
        .collect()
}

/// Where the anchors begin, in order.
fn hits(file: &mut File, anchors: &[&str], chunk: usize) -> io::Result<Vec<u64>> {
    let finders: Vec<Finder<'_>> = anchors.iter().map(Finder::new).collect();
    // So much of a chunk stays, so that an anchor over two of them is found.
    let overlap = anchors.iter().map(|own| own.len()).max().unwrap_or(1) - 1;
    let mut hits: Vec<u64> = Vec::new();
    let mut buffer = vec![0; chunk + overlap];
    let (mut held, mut offset) = (0, 0u64);
    loop {
        let read = file.read(&mut buffer[held..])?;
        if read == 0 {
            break;
        }
        let bytes = &buffer[..held + read];
        for finder in &finders {
            let found = finder.find_iter(bytes).map(|at| offset + at as u64);
            hits.extend(found.take(MOST_HITS));
        }
        if hits.len() > MOST_HITS {
            break;
        }
        let stays = overlap.min(bytes.len());
        let from = bytes.len() - stays;
        offset += from as u64;
        buffer.copy_within(from..from + stays, 0);
        held = stays;
    }
    hits.sort_unstable();
    hits.dedup();
    hits.truncate(MOST_HITS);
    Ok(hits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_anchor_over_two_chunks_is_found_once() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("program");
        for shift in 0..12 {
            let text = format!("{}needle{}", "x".repeat(40 + shift), "y".repeat(40));
            std::fs::write(&path, &text).unwrap();
            let mut file = File::open(&path).unwrap();
            let found = hits(&mut file, &["needle", "nothing"], 8).unwrap();
            assert_eq!(found, [40 + shift as u64]);
        }
        std::fs::write(&path, "aaaa needle bb needle cccc").unwrap();
        let found = pieces(&path, &["needle"], 2).unwrap();
        assert_eq!(found, [b"a ne".to_vec(), b"b ne".to_vec()]);
        let found = pieces(&path, &["needle"], 9).unwrap();
        assert_eq!(found, [b"aaaa needle bb needle cc".to_vec()]);
        assert_eq!(
            pieces(&path, &["needles"], 9).unwrap(),
            Vec::<Vec<u8>>::new()
        );
        assert!(pieces(dir.path(), &["needle"], 9).is_err());
    }
}
