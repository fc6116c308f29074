//! The reader and the writer of the index; their methods are beside the tables they are for.

use super::slot::WriterSlot;
use crate::connection::Db;
use crate::error::StoreError;
use std::cell::RefCell;
use std::ops::Deref;

/// A read-only view; its methods are beside the tables they read.
#[derive(Debug)]
pub struct IndexReader {
    pub(crate) db: Db,
    /// The last words whose entries were counted, and whether they are few: a search asks again for
    /// every page of the same words.
    pub(super) few: RefCell<Option<(String, bool)>>,
}

impl IndexReader {
    pub(super) fn over(db: Db) -> IndexReader {
        IndexReader {
            db,
            few: RefCell::default(),
        }
    }
}

/// The one writer, in a transaction. It can read as well: what it reads includes what it wrote.
#[derive(Debug)]
pub struct IndexWriter<'a> {
    reader: Option<IndexReader>,
    home: &'a WriterSlot,
    open: bool,
    pub(super) words: RefCell<PendingWords>,
}

impl<'a> IndexWriter<'a> {
    /// Takes the connection out of `home`; `open` where its transaction has begun.
    pub(super) fn over(db: Db, home: &'a WriterSlot, open: bool) -> IndexWriter<'a> {
        IndexWriter {
            reader: Some(IndexReader::over(db)),
            home,
            open,
            words: RefCell::default(),
        }
    }

    /// Makes everything written since `IndexDb::writer` permanent.
    pub fn commit(mut self) -> Result<(), StoreError> {
        // The words held back belong to this transaction.
        let written = self.write_words();
        let done = written.and_then(|()| self.db.at(self.db.conn.execute_batch("COMMIT")));
        self.open = done.is_err();
        done
    }
}

impl Deref for IndexWriter<'_> {
    type Target = IndexReader;

    fn deref(&self) -> &IndexReader {
        self.reader
            .as_ref()
            .expect("the connection is only given back on drop")
    }
}

impl Drop for IndexWriter<'_> {
    fn drop(&mut self) {
        if let Some(reader) = self.reader.take() {
            if self.open {
                // After a full disk SQLite has rolled back by itself and this one fails; fine.
                reader.db.conn.execute_batch("ROLLBACK").ok();
            }
            self.home.put(reader.db);
        }
    }
}

/// Texts that are not yet in the table. FTS5 writes out what it has gathered, as a segment to be
/// merged later, whenever another statement of the transaction sets a savepoint, as every upsert
/// does. With words and rows in turn, indexing 200 MB of sessions took 7.8 CPU-seconds; with the
/// words held back 6.1.
#[derive(Debug, Default)]
pub(super) struct PendingWords {
    pub texts: Vec<(i64, String)>,
    pub bytes: usize,
}
