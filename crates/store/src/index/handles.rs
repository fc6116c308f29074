//! The reader and the writer of the index; their methods are beside the tables they are for.

use super::pool::{Pool, Stamp};
use super::slot::WriterSlot;
use super::wanted::Joined;
use crate::connection::Db;
use crate::error::StoreError;
use std::cell::RefCell;
use std::ops::Deref;
use std::sync::Arc;

/// A read-only view; its methods are beside the tables they read.
#[derive(Debug)]
pub struct IndexReader {
    pub(crate) db: Lent,
    /// The last words whose entries were counted, and whether they are few: a search asks again for
    /// every page of the same words.
    pub(super) few: RefCell<Option<(String, bool)>>,
}

impl IndexReader {
    /// A reader of the connection that writes.
    pub(super) fn over(db: Db) -> IndexReader {
        IndexReader::lent(db, None, None)
    }

    /// A reader whose connection goes `home` when it is dropped; closed where there is none.
    pub(super) fn lent(
        db: Db,
        joined: Option<Joined>,
        home: Option<(Arc<Pool>, Stamp)>,
    ) -> IndexReader {
        IndexReader {
            db: Lent {
                db: Some(db),
                joined,
                home,
            },
            few: RefCell::default(),
        }
    }
}

/// A read transaction. While it lives, its reader sees the index as of the first query after
/// [`IndexReader::snapshot`].
#[derive(Debug)]
#[must_use = "the read transaction ends when this is dropped"]
pub struct Snapshot<'a>(&'a Db);

impl IndexReader {
    /// Begins a read transaction. SQLite then takes its locks once: a page of hits runs about a hundred
    /// queries, and taking the locks for each is a tenth of its time. Fails where a transaction is open
    /// already.
    pub fn snapshot(&self) -> Result<Snapshot<'_>, StoreError> {
        let db = &*self.db;
        db.at(db.conn.execute_batch("BEGIN"))?;
        Ok(Snapshot(db))
    }
}

impl Drop for Snapshot<'_> {
    fn drop(&mut self) {
        // SQLite may already have rolled back after an error. This statement then fails, which is harmless.
        self.0.conn.execute_batch("ROLLBACK").ok();
    }
}

/// A connection that is given back.
#[derive(Debug)]
pub(crate) struct Lent {
    db: Option<Db>,
    /// Until when it can be interrupted.
    joined: Option<Joined>,
    home: Option<(Arc<Pool>, Stamp)>,
}

impl Lent {
    /// Takes the connection; it does not go home.
    fn keep(mut self) -> Option<Db> {
        self.db.take()
    }
}

impl Deref for Lent {
    type Target = Db;

    fn deref(&self) -> &Db {
        self.db
            .as_ref()
            .expect("the connection is only given back on drop")
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        // Whoever has it next is not interrupted for this one.
        self.joined = None;
        if let (Some(db), Some((pool, stamp))) = (self.db.take(), self.home.take())
            && !std::thread::panicking()
            // A connection whose transaction is still open would keep reading the old state.
            && db.conn.is_autocommit()
        {
            pool.put(stamp, db);
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
            if let Some(db) = reader.db.keep() {
                self.home.put(db);
            }
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
