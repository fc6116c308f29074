//! Long texts that are read seldom, packed: what a reader remembers of a long session is kilobytes of
//! JSON, which was a twelfth of an index of 1,000 sessions, and is packed to less than half of it.

use flate2::read::DeflateDecoder;
use flate2::{Compress, Compression, FlushCompress, Status};
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, Value, ValueRef};
use std::cell::RefCell;
use std::io::Read as _;

/// Shorter texts stay as they are: packing costs some 50 µs, and 10,000 short sessions are listed
/// within seconds of the first start.
const SHORTEST_PACKED: usize = 1 << 10;

/// Packed texts are at most so much longer than they were, where nothing in them repeats.
const MOST_ADDED: usize = 64;

thread_local! {
    // Its tables are 300 KB: made again for each text they were a tenth of the time of a first index.
    static PACKER: RefCell<Compress> = RefCell::new(Compress::new(Compression::fast(), false));
}

/// A text as a column holds it: a short one as text, a long one deflated, as a blob.
pub(super) fn packed(text: &str) -> ToSqlOutput<'_> {
    let long = Some(text).filter(|text| text.len() >= SHORTEST_PACKED);
    match long.and_then(deflated) {
        Some(bytes) => ToSqlOutput::Owned(Value::Blob(bytes)),
        None => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
    }
}

fn deflated(text: &str) -> Option<Vec<u8>> {
    PACKER.with_borrow_mut(|packer| {
        packer.reset();
        let mut bytes = Vec::with_capacity(text.len() + MOST_ADDED);
        let end = packer.compress_vec(text.as_bytes(), &mut bytes, FlushCompress::Finish);
        // Where it does not fit it stays a text.
        (end.ok()? == Status::StreamEnd).then_some(bytes)
    })
}

/// The text of a column that [`packed`] wrote.
pub(super) struct Unpacked(pub(super) String);

impl FromSql for Unpacked {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Unpacked> {
        let ValueRef::Blob(bytes) = value else {
            return value.as_str().map(|text| Unpacked(text.to_owned()));
        };
        let mut text = String::new();
        DeflateDecoder::new(bytes)
            .read_to_string(&mut text)
            .map_err(FromSqlError::other)?;
        Ok(Unpacked(text))
    }
}

#[cfg(test)]
mod tests {
    use super::{SHORTEST_PACKED, Unpacked, packed};
    use rusqlite::Connection;

    #[test]
    fn every_text_comes_back() {
        let db = Connection::open_in_memory().unwrap();
        for text in [
            String::new(),
            "{}".to_owned(),
            "é".repeat(SHORTEST_PACKED / 2 - 1),
            "é".repeat(SHORTEST_PACKED / 2),
            (0..100_000)
                .map(|n| format!("[{n},{}]", n * 7919))
                .collect(),
        ] {
            let row = |row: &rusqlite::Row<'_>| Ok((row.get::<_, Unpacked>(0)?.0, row.get(1)?));
            let (back, kind): (String, String) = db
                .query_row("SELECT ?1, typeof(?1)", [packed(&text)], row)
                .unwrap();
            assert!(back == text, "{} bytes", text.len());
            assert_eq!(kind == "blob", text.len() >= SHORTEST_PACKED);
        }
    }

    #[test]
    fn damaged_bytes_are_an_error() {
        let db = Connection::open_in_memory().unwrap();
        let row = |row: &rusqlite::Row<'_>| row.get::<_, Unpacked>(0).map(|own| own.0);
        for damaged in ["x'ff00ff'", "x'4b'", "x'4b4c4c04ff'", "12"] {
            let sql = format!("SELECT {damaged}");
            assert!(db.query_row(&sql, [], row).is_err(), "{damaged}");
        }
    }
}
