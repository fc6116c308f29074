//! Table `vectors`: what an embedding model made of a text, by content, so that no text is sent
//! twice.

use super::{IndexReader, IndexWriter};
use crate::error::StoreError;
use rusqlite::OptionalExtension;

pub(super) const SCHEMA: &str = "
CREATE TABLE vectors (
    model  TEXT NOT NULL,
    hash   BLOB NOT NULL,
    vector BLOB NOT NULL,
    PRIMARY KEY (model, hash)
) WITHOUT ROWID;
";

impl IndexReader {
    /// The vector that `model` made of the text with this content hash, if known.
    pub fn vector(&self, model: &str, hash: &[u8]) -> Result<Option<Vec<f32>>, StoreError> {
        self.db.at((|| {
            let mut statement = self
                .db
                .conn
                .prepare_cached("SELECT vector FROM vectors WHERE model = ? AND hash = ?")?;
            let bytes = statement
                .query_row((model, hash), |row| row.get::<_, Vec<u8>>(0))
                .optional()?;
            Ok(bytes.map(|bytes| numbers(&bytes)))
        })())
    }
}

impl IndexWriter<'_> {
    /// Remembers a vector.
    pub fn put_vector(&self, model: &str, hash: &[u8], vector: &[f32]) -> Result<(), StoreError> {
        let bytes: Vec<u8> = vector.iter().flat_map(|own| own.to_le_bytes()).collect();
        self.db.at((|| {
            let mut statement = self
                .db
                .conn
                .prepare_cached("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)")?;
            statement.execute((model, hash, bytes))?;
            Ok(())
        })())
    }
}

fn numbers(bytes: &[u8]) -> Vec<f32> {
    let (numbers, _) = bytes.as_chunks::<4>();
    numbers.iter().map(|own| f32::from_le_bytes(*own)).collect()
}
