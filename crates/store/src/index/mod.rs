//! The index database: what the session files say, in a form that can be listed and searched.

pub mod beginnings;
pub mod entries;
mod failed;
pub mod fields;
pub mod files;
pub mod filter;
mod flagged;
pub mod fulltext;
mod handles;
mod left;
mod merging;
mod names;
mod newest;
mod packed;
mod pool;
mod ranking;
pub mod sessions;
mod slot;
pub mod sources;
pub mod spending;
pub mod summaries;
pub mod terms;
mod todos;
pub mod traits;
pub mod vectors;
mod vocabulary;
mod wanted;
pub mod warnings;

pub use beginnings::{Beginning, MessageTime};
pub use entries::{EntryRow, NewEntry};
pub use failed::FailedCall;
pub use fields::{Field, OPEN_TODO, Sought, TraitKind, push_field, push_term};
pub use files::FileUse;
pub use filter::{
    EntryOrSet, NamePart, NumberRange, SessionFilter, SessionNumber, SessionSet, SessionWord,
    TraitFilter, id_beginning,
};
pub use fulltext::{Found, FoundPlaces, Hit, HitOrder, HitPlace, HitQuery, StoredHit};
pub use handles::{IndexReader, IndexWriter, Snapshot};
pub use ranking::{CountedCalls, RankBy, Ranked, Ranking};
pub use sessions::{GroupCount, SessionList, SessionNum, SessionRow, SessionSort, Totals};
pub use sources::SourceRow;
pub use spending::SpentRow;
pub use summaries::SummaryRow;
pub use wanted::Wanted;

use crate::connection::{BUSY_TIMEOUT, Db, Location};
use crate::error::{StoreError, Which};
use crate::private::{make_folder, make_private};
use left::{InUse, Left, beside};
use pool::{Pool, Stamp};
use slot::WriterSlot;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Counts up with every change to a table or to what is stored in one.
const VERSION: i64 = 20;

/// Marks our index files ("PLMi"), so that nobody else's database is ever deleted.
const APPLICATION_ID: i64 = 0x504c_4d69;

const SCHEMA: [&str; 14] = [
    sources::SCHEMA,
    sessions::SCHEMA,
    entries::SCHEMA,
    failed::SCHEMA,
    fulltext::SCHEMA,
    summaries::SCHEMA,
    files::SCHEMA,
    spending::SCHEMA,
    warnings::SCHEMA,
    vectors::SCHEMA,
    traits::SCHEMA,
    flagged::SCHEMA,
    todos::SCHEMA,
    beginnings::SCHEMA,
];

/// Why an index was rebuilt, or is not kept up to date; shown to the user once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// It was made by another version of the program.
    OtherVersion {
        /// The index file.
        path: PathBuf,
        /// Its version.
        found: i64,
    },
    /// It could not be read.
    Damaged {
        /// The index file.
        path: PathBuf,
    },
    /// Its size or time is not what this program left: something else wrote to it, or it is a copy.
    Changed {
        /// The index file.
        path: PathBuf,
    },
    /// It is not rebuilt: it cannot be written to, and is read as it is.
    ReadOnly {
        /// The index file.
        path: PathBuf,
    },
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Notice::OtherVersion { path, found } => write!(
                f,
                "the search index {} was made by another version of Palimpsest ({found}, now \
                 {VERSION}); it is being rebuilt from the session files",
                path.display()
            ),
            Notice::Damaged { path } => write!(
                f,
                "the search index {} was damaged; it is being rebuilt from the session files",
                path.display()
            ),
            Notice::Changed { path } => write!(
                f,
                "the index {} was changed, copied or restored outside Palimpsest; it is being rebuilt \
                 from the session files",
                path.display()
            ),
            Notice::ReadOnly { path } => write!(
                f,
                "the index {} is read-only: it is searched as it is and may be out of date",
                path.display()
            ),
        }
    }
}

/// The index database. Any number of short readers, one writer at a time. Clones are handles to
/// the same.
#[derive(Debug, Clone)]
pub struct IndexDb {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    location: Location,
    timeout: Duration,
    slot: WriterSlot,
    readers: Arc<Pool>,
    /// `None` in memory, and where the index cannot be written to.
    in_use: Option<InUse>,
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.close();
    }
}

impl Shared {
    fn close(&self) {
        self.readers.close();
        self.slot.end();
        if let Some(in_use) = &self.in_use {
            in_use.end();
        }
    }
}

impl IndexDb {
    /// Opens the index at `path`, making it and its folder when missing. An index of another
    /// version or a damaged one is deleted and rebuilt, with a notice.
    ///
    /// Errors: [`StoreError::Locked`], [`StoreError::Full`], [`StoreError::Unusable`], and
    /// [`StoreError::Foreign`] when the file belongs to another program.
    pub fn open(path: &Path) -> Result<(IndexDb, Option<Notice>), StoreError> {
        IndexDb::open_waiting(path, BUSY_TIMEOUT)
    }

    /// Like [`IndexDb::open`], waiting at most `timeout` for other writers, now and later.
    pub fn open_waiting(
        path: &Path,
        timeout: Duration,
    ) -> Result<(IndexDb, Option<Notice>), StoreError> {
        if let Some(folder) = path.parent() {
            make_folder(folder).map_err(|error| StoreError::from_folder(folder, &error))?;
        }
        // Several programs may be started at once: the first makes the file, and the others find it
        // made.
        let one_makes = one_at_a_time(path);
        let (in_use, left) = InUse::begin(path);
        match open_or_make(path, timeout, left) {
            Ok((db, notice)) => {
                drop(one_makes);
                let location = Location::File(path.to_path_buf());
                Ok((IndexDb::with(location, timeout, db, Some(in_use)), notice))
            }
            Err(error @ (StoreError::ReadOnly { .. } | StoreError::Unusable { .. })) => {
                let frozen = open_frozen(path, timeout).ok_or(error)?;
                let location = Location::Frozen(path.to_path_buf());
                let notice = Notice::ReadOnly {
                    path: path.to_path_buf(),
                };
                Ok((IndexDb::with(location, timeout, frozen, None), Some(notice)))
            }
            Err(error) => Err(error),
        }
    }

    /// An index in memory, for tests.
    pub fn init_in_memory() -> Result<IndexDb, StoreError> {
        let location = Location::fresh_memory();
        let (db, _) = made_in_memory(&location, BUSY_TIMEOUT)?;
        Ok(IndexDb::with(location, BUSY_TIMEOUT, db, None))
    }

    fn with(location: Location, timeout: Duration, db: Db, in_use: Option<InUse>) -> IndexDb {
        let shared = Shared {
            location,
            timeout,
            slot: WriterSlot::with(db),
            readers: Arc::default(),
            in_use,
        };
        IndexDb {
            shared: Arc::new(shared),
        }
    }

    /// The file, or `:memory:`.
    pub fn path(&self) -> &Path {
        self.shared.location.path()
    }

    /// Size of the file in bytes, with what is not yet checkpointed; 0 in memory.
    pub fn size_bytes(&self) -> u64 {
        let with_suffix =
            |suffix: &str| fs::metadata(beside(self.path(), suffix)).map_or(0, |meta| meta.len());
        with_suffix("") + with_suffix("-wal")
    }

    /// Closes the index before the program ends without dropping it. Waits a little for a writer.
    /// Whoever writes afterwards opens it again.
    pub fn close(&self) {
        self.shared.close();
    }

    /// A read-only connection; cheap, and meant to be dropped after a question or two. Its
    /// questions end when the answer of the thread is given up ([`Wanted`]).
    pub fn reader(&self) -> Result<IndexReader, StoreError> {
        let (location, timeout) = (&self.shared.location, self.shared.timeout);
        let stamp = match location {
            Location::File(path) => Stamp::of(path),
            Location::Frozen(_) | Location::Memory(_) => None,
        };
        let waiting = stamp.and_then(|stamp| self.shared.readers.take(stamp));
        let db = match waiting {
            Some(db) => db,
            None => Db::open(location, Which::Index, false, timeout)?,
        };
        let joined = wanted::join(&db.conn, &db.path)?;
        let home = stamp.map(|stamp| (Arc::clone(&self.shared.readers), stamp));
        Ok(IndexReader::lent(db, joined, home))
    }

    /// Waits for the writer of this process to be free and begins a transaction, which
    /// [`IndexWriter::commit`] ends; a writer that is dropped takes everything back.
    ///
    /// Errors: [`StoreError::Locked`] when another process keeps writing.
    pub fn writer(&self) -> Result<IndexWriter<'_>, StoreError> {
        let db = self.take_writer()?;
        // Immediate: the lock is taken now or not at all, never in the middle of a batch.
        let begun = db.at(db.conn.execute_batch("BEGIN IMMEDIATE"));
        let writer = IndexWriter::over(db, &self.shared.slot, begun.is_ok());
        begun.map(|()| writer)
    }

    /// True when the index was made again and not all of its folders have been read since, by this
    /// program or by one that was killed.
    pub fn is_unfilled(&self) -> bool {
        match &self.shared.location {
            Location::File(path) => beside(path, UNFILLED).exists(),
            Location::Memory(_) | Location::Frozen(_) => false,
        }
    }

    /// Notes that the index holds all folders again.
    pub fn set_filled(&self) {
        if let Location::File(path) = &self.shared.location {
            // One that stays has the folders read again at the next start.
            let _ = fs::remove_file(beside(path, UNFILLED));
        }
    }

    /// Deletes the index and starts an empty one, for [`StoreError::IndexDamaged`] met on the way.
    pub fn rebuild(&self) -> Result<Notice, StoreError> {
        drop(self.take_writer()?);
        // The old connections are closed first: Windows does not delete an open file.
        self.shared.readers.close();
        let made = match &self.shared.location {
            Location::File(_) => remake(&self.shared.location, self.shared.timeout),
            Location::Memory(_) => {
                made_in_memory(&self.shared.location, self.shared.timeout).map(|(db, _)| db)
            }
            Location::Frozen(path) => Err(StoreError::ReadOnly { path: path.clone() }),
        };
        match made {
            Ok(db) => {
                self.shared.slot.put(db);
                self.shared.readers.open();
                Ok(Notice::Damaged {
                    path: self.path().to_path_buf(),
                })
            }
            Err(error) => {
                // Whoever waits for the writer must wake up, or it waits forever.
                self.shared.slot.close();
                Err(error)
            }
        }
    }

    fn take_writer(&self) -> Result<Db, StoreError> {
        if let Location::Frozen(path) = &self.shared.location {
            return Err(StoreError::ReadOnly { path: path.clone() });
        }
        if let Some(db) = self.shared.slot.take() {
            return Ok(db);
        }
        let opened = match &self.shared.location {
            Location::File(path) => {
                let _one_makes = one_at_a_time(path);
                if let Some(in_use) = &self.shared.in_use {
                    in_use.go_on();
                }
                open_or_make(path, self.shared.timeout, Left::InUse)
            }
            // A frozen index has no writer, as was seen above.
            Location::Memory(_) | Location::Frozen(_) => {
                made_in_memory(&self.shared.location, self.shared.timeout)
            }
        };
        match &opened {
            Ok(_) => self.shared.readers.open(),
            Err(_) => self.shared.slot.close(),
        }
        opened.map(|(db, _)| db)
    }
}

fn open_or_make(
    path: &Path,
    timeout: Duration,
    left: Left,
) -> Result<(Db, Option<Notice>), StoreError> {
    let location = Location::File(path.to_path_buf());
    let opened = Db::open(&location, Which::Index, true, timeout).and_then(|db| {
        let state = state_of(&db)?;
        // A whole look takes a second for each gigabyte, so never on every start.
        if left == Left::Open && matches!(state, State::Current) {
            db.check_pages()?;
        }
        Ok((db, state))
    });
    let (db, notice) = match opened {
        // What was written into it need not break a page, and would be believed.
        Ok((db, State::Current)) if left == Left::Changed => {
            drop(db);
            let notice = Notice::Changed {
                path: path.to_path_buf(),
            };
            (remake(&location, timeout)?, Some(notice))
        }
        Ok((db, State::Current)) => {
            db.prepare_to_write()?;
            (db, None)
        }
        Ok((db, State::Empty)) => {
            // One that was used and is empty now lost what it held.
            let path = path.to_path_buf();
            let notice = match left {
                Left::New | Left::InUse => None,
                Left::Closed | Left::Open => Some(Notice::Damaged { path }),
                Left::Changed => Some(Notice::Changed { path }),
            };
            if notice.is_some() {
                note_unfilled(location.path());
            }
            (create(db)?, notice)
        }
        Ok((_, State::Foreign)) => {
            return Err(StoreError::Foreign {
                path: path.to_path_buf(),
            });
        }
        Ok((db, State::Other(found))) => {
            // Before the file is deleted, which Windows refuses while it is open.
            drop(db);
            let notice = Notice::OtherVersion {
                path: path.to_path_buf(),
                found,
            };
            (remake(&location, timeout)?, Some(notice))
        }
        Err(StoreError::IndexDamaged { .. }) => {
            let notice = Notice::Damaged {
                path: path.to_path_buf(),
            };
            (remake(&location, timeout)?, Some(notice))
        }
        Err(error) => return Err(error),
    };
    Ok((db, notice))
}

/// Holds other programs back that want to make the same file. `None` where the folder cannot be
/// written to: then nothing is made.
fn one_at_a_time(path: &Path) -> Option<fs::File> {
    let lock = beside(path, ".lock");
    make_private(&lock).ok()?;
    let file = fs::OpenOptions::new().write(true).open(&lock).ok()?;
    // Released when the file is closed, also by a program that is killed.
    file.lock().ok()?;
    Some(file)
}

/// The index of a folder that cannot be written to, where it is whole and of this version.
fn open_frozen(path: &Path, timeout: Duration) -> Option<Db> {
    let db = Db::open_frozen(path, Which::Index, timeout)?;
    matches!(state_of(&db), Ok(State::Current)).then_some(db)
}

fn made_in_memory(
    location: &Location,
    timeout: Duration,
) -> Result<(Db, Option<Notice>), StoreError> {
    Ok((
        create(Db::open(location, Which::Index, true, timeout)?)?,
        None,
    ))
}

enum State {
    Empty,
    Current,
    Other(i64),
    Foreign,
}

fn state_of(db: &Db) -> Result<State, StoreError> {
    let number = |sql: &str| db.at(db.conn.query_row(sql, [], |row| row.get::<_, i64>(0)));
    let tables = number("SELECT count(*) FROM sqlite_schema")?;
    let application = number("PRAGMA application_id")?;
    let version = number("PRAGMA user_version")?;
    Ok(match (application, version) {
        // Zero in both is also what any new SQLite file has, so a file with tables and no mark
        // belongs to someone else.
        (0, 0) if tables == 0 => State::Empty,
        (APPLICATION_ID, VERSION) => {
            // Reading the root of each tree finds most damage without reading the file.
            for table in TABLES {
                number(&format!(
                    "SELECT count(*) FROM (SELECT 1 FROM {table} LIMIT 1)"
                ))?;
            }
            State::Current
        }
        (APPLICATION_ID, other) => State::Other(other),
        // No other program has all of these, so only the mark is damaged.
        _ if TABLES.iter().all(|table| has_table(db, table)) => {
            return Err(StoreError::IndexDamaged {
                path: db.path.clone(),
            });
        }
        _ => State::Foreign,
    })
}

/// Tables of every index, by which one is known whose mark is damaged.
const TABLES: [&str; 8] = [
    "sources",
    "sessions",
    "entries",
    "words",
    "summaries",
    "files",
    "spending",
    "beginnings",
];

fn has_table(db: &Db, name: &str) -> bool {
    let sql = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?";
    db.conn.query_row(sql, [name], |_| Ok(())).is_ok()
}

fn create(db: Db) -> Result<Db, StoreError> {
    db.prepare_to_write()?;
    let mut sql = String::from("BEGIN IMMEDIATE;\n");
    for schema in SCHEMA {
        sql.push_str(schema);
    }
    sql.push_str(&format!(
        "PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {VERSION}; COMMIT;"
    ));
    db.at(db.conn.execute_batch(&sql))?;
    Ok(db)
}

/// What lies beside an index that was made again until all of its folders were read.
const UNFILLED: &str = ".unfilled";

/// Notes that an index is made again, before it is: whoever opens it after this program was killed
/// must fill it.
fn note_unfilled(index: &Path) {
    // Without the note, in a folder that cannot be written to, nothing is made again either.
    let note = beside(index, UNFILLED);
    let _ = make_private(&note);
    let _ = fs::OpenOptions::new().create(true).append(true).open(note);
}

fn remake(location: &Location, timeout: Duration) -> Result<Db, StoreError> {
    if let Location::File(path) = location {
        note_unfilled(path);
    }
    // A log that stayed behind would be replayed into the new file.
    for suffix in ["", "-wal", "-shm"] {
        let name = beside(location.path(), suffix);
        match fs::remove_file(&name) {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(StoreError::from_io(&name, &error)),
        }
    }
    create(Db::open(location, Which::Index, true, timeout)?)
}
