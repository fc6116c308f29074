//! The words that the full-text table has, for a search whose words are in no entry.
//!
//! SQLite's `fts5vocab` counts the entries of each word while it lists the words, which takes longer
//! the more entries there are. Here only the pages are read on which a word begins, and of them only
//! the words: the lists of entries, which fill most of the table, are never looked at.

use super::IndexReader;
use super::fields::Field;
use crate::error::StoreError;
use std::ops::ControlFlow;

/// The number of a page in the table `words_data`: SQLite puts the segment above 37 bits.
const SEGMENT_BITS: u32 = 37;
/// The byte before each word: prefix indexes, of which the table has none, have another one.
const MAIN_INDEX: u8 = b'0';

impl IndexReader {
    /// Calls `each` with the words of all texts until it breaks, those first that begin with one of
    /// `first`, folded as [`super::terms::terms`] folds them. A word can come several times, and one of
    /// entries that were removed can come too. The values of fields are left out.
    pub fn each_indexed_word(
        &self,
        first: &[char],
        mut each: impl FnMut(&str) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        self.db.at((|| {
            let each = &mut in_texts(&mut each);
            if self.each_word_of(first, each)?.is_break() {
                return Ok(());
            }
            // Newer segments have higher numbers: what was written last comes first.
            let mut pages = self.db.conn.prepare_cached(
                "SELECT block FROM words_idx JOIN words_data \
                 ON words_data.id = (words_idx.segid << ?1) + (words_idx.pgno >> 1) \
                 ORDER BY words_idx.segid DESC",
            )?;
            let mut rows = pages.query([SEGMENT_BITS])?;
            while let Some(row) = rows.next()? {
                if each_of_page(row.get_ref(0)?.as_blob()?, each).is_break() {
                    break;
                }
            }
            Ok(())
        })())
    }

    /// Calls `each` with the words of all values of a field until it breaks, in the way of
    /// [`Self::each_indexed_word`].
    pub fn each_word_of_field(
        &self,
        field: Field,
        mut each: impl FnMut(&str) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        let mark = field.mark();
        let mut own = |word: &str| match word.strip_prefix(mark) {
            Some(word) => each(word),
            None => ControlFlow::Continue(()),
        };
        self.db.at(self.each_word_of(&[mark], &mut own).map(|_| ()))
    }

    /// The words on the pages that have words which begin with one of `first`.
    fn each_word_of(
        &self,
        first: &[char],
        each: &mut impl FnMut(&str) -> ControlFlow<()>,
    ) -> rusqlite::Result<ControlFlow<()>> {
        let mut segments = self
            .db
            .conn
            .prepare_cached("SELECT DISTINCT segid FROM words_idx ORDER BY segid DESC")?;
        let segments: Vec<i64> = segments
            .query_map([], |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        // The page before the first that begins so may end so.
        let mut pages = self.db.conn.prepare_cached(
            "SELECT block FROM words_idx JOIN words_data \
             ON words_data.id = (words_idx.segid << ?1) + (words_idx.pgno >> 1) \
             WHERE words_idx.segid = ?2 AND words_idx.term < ?4 AND words_idx.term >= coalesce( \
                 (SELECT max(term) FROM words_idx WHERE segid = ?2 AND term <= ?3), x'')",
        )?;
        for own in first {
            let mut from = vec![MAIN_INDEX];
            from.extend_from_slice(own.encode_utf8(&mut [0; 4]).as_bytes());
            // Bytes of UTF-8 end at 0xf4.
            let to = [&*from, &[0xff]].concat();
            for segment in &segments {
                let mut rows = pages.query((SEGMENT_BITS, segment, &from, &to))?;
                while let Some(row) = rows.next()? {
                    if each_of_page(row.get_ref(0)?.as_blob()?, each).is_break() {
                        return Ok(ControlFlow::Break(()));
                    }
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// The words that begin on a page. A page that is not understood has none.
fn each_of_page(page: &[u8], each: &mut impl FnMut(&str) -> ControlFlow<()>) -> ControlFlow<()> {
    // Two bytes each: where the first entry is, and where the list of places begins.
    let Some(&[_, _, high, low]) = page.first_chunk::<4>() else {
        return ControlFlow::Continue(());
    };
    let end = usize::from(u16::from_be_bytes([high, low]));
    let (Some(mut places), Some(page)) = (page.get(end..), page.get(..end)) else {
        return ControlFlow::Continue(());
    };
    let mut word: Vec<u8> = Vec::new();
    let mut at = 0;
    while let Some(step) = varint(&mut places) {
        let first = at == 0;
        at += step;
        let Some(mut rest) = page.get(at..) else {
            break;
        };
        // Each word but the first begins with so many bytes of the one before it.
        let kept = if first { Some(0) } else { varint(&mut rest) };
        let own = varint(&mut rest).and_then(|len| rest.get(..len));
        let (Some(kept), Some(own)) = (kept, own) else {
            break;
        };
        word.truncate(kept);
        word.extend_from_slice(own);
        let Some((&MAIN_INDEX, text)) = word.split_first() else {
            continue;
        };
        if let Ok(text) = std::str::from_utf8(text) {
            each(text)?;
        }
    }
    ControlFlow::Continue(())
}

/// Leaves out the values of fields, which begin with a character of the private use area.
fn in_texts(each: &mut impl FnMut(&str) -> ControlFlow<()>) -> impl FnMut(&str) -> ControlFlow<()> {
    |word| {
        if word.starts_with(|c| matches!(c, '\u{e000}'..='\u{f8ff}')) {
            return ControlFlow::Continue(());
        }
        each(word)
    }
}

/// Takes one of SQLite's numbers off the front: seven bits in each byte, the high ones first. Those on
/// a page have at most three bytes.
fn varint(bytes: &mut &[u8]) -> Option<usize> {
    let mut number = 0;
    for _ in 0..3 {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number = (number << 7) | usize::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}
