//! Table `counts`: how many tokens a text has, by content, so that no text is counted twice.

use super::{IndexReader, IndexWriter};
use crate::connection::{int, uint};
use crate::error::StoreError;
use rusqlite::OptionalExtension;

pub(super) const SCHEMA: &str = "
CREATE TABLE counts (
    tokenizer TEXT NOT NULL,
    hash      BLOB NOT NULL,
    tokens    INTEGER NOT NULL,
    PRIMARY KEY (tokenizer, hash)
) WITHOUT ROWID;
";

impl IndexReader {
    /// The number of tokens `tokenizer` makes of the text with this content hash, if known.
    pub fn token_count(&self, tokenizer: &str, hash: &[u8]) -> Result<Option<u64>, StoreError> {
        self.db.at((|| {
            let mut statement = self
                .db
                .conn
                .prepare_cached("SELECT tokens FROM counts WHERE tokenizer = ? AND hash = ?")?;
            statement
                .query_row((tokenizer, hash), |row| uint(row, "tokens"))
                .optional()
        })())
    }
}

impl IndexWriter<'_> {
    /// Remembers a count.
    pub fn put_token_count(
        &self,
        tokenizer: &str,
        hash: &[u8],
        tokens: u64,
    ) -> Result<(), StoreError> {
        self.db.at((|| {
            let mut statement = self
                .db
                .conn
                .prepare_cached("INSERT OR REPLACE INTO counts VALUES (?, ?, ?)")?;
            statement.execute((tokenizer, hash, int(tokens)))?;
            Ok(())
        })())
    }
}
