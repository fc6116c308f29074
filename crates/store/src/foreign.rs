//! Reading a database that belongs to another program, while that program may be writing it.
//!
//! The ordinary way is not open to us: a connection that only reads a database in WAL mode still
//! creates its `-wal` and `-shm` files, takes locks in them, and may hold up a checkpoint. So no
//! lock is taken at all. Instead the state of the files is noted, the questions are asked as of one
//! moment, and the state is noted again: when the owner has meanwhile overwritten anything that
//! could have been read, the answers are discarded and read again.
//!
//! What the owner can do to pages that we read, and how it is seen:
//! - commit to the log: only appends to `-wal`; the moment read does not change;
//! - copy the log into the database (checkpoint): the main file's time, and the count of frames
//!   to be copied, which SQLite keeps in `-shm` and sets before it copies;
//! - restart the log: other salts in the header of `-wal`;
//! - commit through a rollback journal: the journal lies there, then the main file's time and its
//!   change counter differ.
//!
//! (File formats: sqlite.org, "Database File Format" and "WAL-mode File Format".)

use crate::regular::open_regular;
use palimpsest_core::{Failure, NextStep};
use rusqlite::config::DbConfig;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, OpenFlags, params_from_iter};
use serde_json::Value;
use std::ffi::OsString;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Rows of one answer; blobs and texts that are not UTF-8 come as lossy text.
pub type Rows = Vec<Vec<Value>>;

/// How often the questions are asked before giving up on a moment without writes.
const ATTEMPTS: u32 = 30;
/// Pause after the first attempt; each further one is longer by as much, up to a second in all.
const PAUSE: Duration = Duration::from_millis(2);
/// Bytes of a log's header.
const WAL_HEADER: usize = 32;
/// Bytes of a database's header.
const MAIN_HEADER: usize = 100;
/// Where in `-shm` the number of frames lies up to which a checkpoint has been attempted.
const BACKFILL_ATTEMPTED: u64 = 128;

/// A VFS of SQLite that takes no locks.
#[cfg(windows)]
const WITHOUT_LOCKS: &str = "win32-none";
/// A VFS of SQLite that takes no locks.
#[cfg(not(windows))]
const WITHOUT_LOCKS: &str = "unix-none";

/// Why another program's database did not answer.
#[derive(Debug, thiserror::Error)]
pub enum ForeignError {
    /// Its owner wrote to it during every attempt.
    #[error(
        "the database is being rewritten by the program that owns it: {path}",
        path = path.display()
    )]
    Busy {
        /// The database file.
        path: PathBuf,
    },
    /// A rollback journal lies beside it: its owner is in the middle of a write, or was stopped.
    #[error(
        "the program that owns the database has not finished a write ({journal}): {path}",
        path = path.display(),
        journal = journal.display()
    )]
    Unfinished {
        /// The database file.
        path: PathBuf,
        /// The journal.
        journal: PathBuf,
    },
    /// It is not an SQLite database, or a damaged one.
    #[error(
        "the file cannot be read as an SQLite database ({reason}): {path}",
        path = path.display()
    )]
    NotReadable {
        /// The database file.
        path: PathBuf,
        /// SQLite's message.
        reason: String,
    },
    /// It has other tables or columns than those asked for.
    #[error("the database does not answer '{sql}' ({reason}): {path}", path = path.display())]
    Question {
        /// The database file.
        path: PathBuf,
        /// The statement.
        sql: String,
        /// SQLite's message.
        reason: String,
    },
}

impl Failure for ForeignError {
    fn next(&self) -> Option<NextStep> {
        match self {
            ForeignError::Busy { .. } => Some(NextStep::TryLater),
            ForeignError::Unfinished { .. } => Some(NextStep::StartOwner),
            ForeignError::NotReadable { .. } | ForeignError::Question { .. } => None,
        }
    }
}

impl From<ForeignError> for io::Error {
    fn from(error: ForeignError) -> io::Error {
        let kind = match error {
            ForeignError::Busy { .. } | ForeignError::Unfinished { .. } => {
                io::ErrorKind::ResourceBusy
            }
            ForeignError::NotReadable { .. } => io::ErrorKind::InvalidData,
            ForeignError::Question { .. } => io::ErrorKind::InvalidInput,
        };
        io::Error::new(kind, error)
    }
}

/// Answers to all `queries`, each a statement that only reads and the values of its `?1, ?2, ...`,
/// as of one moment.
///
/// Takes no lock, so the owner never waits, and changes no file. (Should the owner close its last
/// connection between our look at `-wal` and SQLite's, an empty `-wal` may stay behind, which
/// SQLite takes for none.)
///
/// Errors: a [`ForeignError`] inside; of kind [`io::ErrorKind::ResourceBusy`] when asking again
/// later helps.
pub fn query(database: &Path, queries: &[(&str, &[String])]) -> io::Result<Vec<Rows>> {
    let mut failure = None;
    for attempt in 0..ATTEMPTS {
        // The first attempt waits for nothing: most databases are not being written.
        std::thread::sleep(PAUSE * attempt);
        let before = State::of(database)?;
        if let Some(journal) = before.journal {
            failure = Some(ForeignError::Unfinished {
                path: database.to_owned(),
                journal,
            });
            // The owner may finish the write during one of the pauses.
            continue;
        }
        let answers = ask(database, before.has_log, queries);
        // The answers are used, failures included, only if nothing changed while they were read:
        // half a write can look like damage.
        if State::of(database)?.ground == before.ground {
            return Ok(answers?);
        }
        failure = None;
    }
    let path = database.to_owned();
    Err(failure.unwrap_or(ForeignError::Busy { path }).into())
}

/// What is known about the files of a database at one time.
struct State {
    /// What must not change while pages are read.
    ground: Ground,
    /// True when the log may hold pages that are newer than those of the main file.
    has_log: bool,
    /// A rollback journal in use.
    journal: Option<PathBuf>,
}

/// Everything that changes when a page changes that a reader may be about to read.
#[derive(Debug, PartialEq, Eq)]
struct Ground {
    size: u64,
    modified: Option<SystemTime>,
    /// From the change counter on; the bytes before it never change.
    header: Vec<u8>,
    /// The log's header where the log is read.
    log: Option<Vec<u8>>,
    /// Frames of the log up to which copying has been attempted.
    attempted: Vec<u8>,
}

impl State {
    fn of(database: &Path) -> io::Result<State> {
        let log = start_of(&beside(database, "-wal"), 0, WAL_HEADER)?;
        let has_log = log.len() == WAL_HEADER;
        let attempted = match start_of(&beside(database, "-shm"), BACKFILL_ATTEMPTED, 4) {
            Ok(frames) if frames.iter().any(|&byte| byte != 0) => frames,
            // Windows refuses to read it while it is locked; the main file's time has to do.
            _ => Vec::new(),
        };
        let journal = beside(database, "-journal");
        // A journal whose header is gone or zero has been committed (TRUNCATE, PERSIST).
        let unfinished = start_of(&journal, 0, 8)?.iter().any(|&byte| byte != 0);
        let mut main = open_regular(database)?;
        let mut header = Vec::new();
        main.by_ref()
            .take(MAIN_HEADER as u64)
            .read_to_end(&mut header)?;
        let meta = main.metadata()?;
        Ok(State {
            ground: Ground {
                size: meta.len(),
                modified: meta.modified().ok(),
                // The change counter is at byte 24 (SQLite's file format).
                header: header.split_off(header.len().min(24)),
                log: has_log.then_some(log),
                attempted,
            },
            has_log,
            journal: unfinished.then_some(journal),
        })
    }
}

/// At most `len` bytes of a file from `offset`; none when there is no such file.
fn start_of(path: &Path, offset: u64, len: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    match open_regular(path) {
        Ok(mut file) => {
            file.seek(SeekFrom::Start(offset))?;
            file.take(len as u64).read_to_end(&mut bytes)?;
            Ok(bytes)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(bytes),
        Err(error) => Err(error),
    }
}

/// The file that SQLite names after a database.
fn beside(database: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(database);
    name.push(ending);
    name.into()
}

fn ask(
    database: &Path,
    has_log: bool,
    queries: &[(&str, &[String])],
) -> Result<Vec<Rows>, ForeignError> {
    let unreadable = |error: rusqlite::Error| ForeignError::NotReadable {
        path: database.to_owned(),
        reason: error.to_string(),
    };
    let connection = open(database, has_log).map_err(unreadable)?;
    // One transaction, so that all answers are of one moment.
    connection.execute_batch("BEGIN").map_err(unreadable)?;
    let mut answers = Vec::with_capacity(queries.len());
    for (sql, values) in queries {
        answers.push(answer(&connection, sql, values).map_err(|error| {
            // SQLite reports a missing table or column as its general error.
            match error.sqlite_error_code() {
                Some(ErrorCode::Unknown) | None => ForeignError::Question {
                    path: database.to_owned(),
                    sql: (*sql).to_owned(),
                    reason: error.to_string(),
                },
                _ => unreadable(error),
            }
        })?);
    }
    Ok(answers)
}

fn open(database: &Path, has_log: bool) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    if !has_log {
        // Everything is in the main file. As "immutable" it is read without a look at its
        // surroundings; whether it really was is checked by the caller.
        let flags = flags | OpenFlags::SQLITE_OPEN_URI;
        let connection = Connection::open_with_flags(immutable_uri(database), flags)?;
        connection.execute_batch("PRAGMA temp_store = MEMORY;")?;
        return Ok(connection);
    }
    let connection = Connection::open_with_flags_and_vfs(database, flags, WITHOUT_LOCKS)?;
    // The exclusive mode, entered before the first read, keeps the index of the log in our own
    // memory instead of in `-shm`; with this VFS it locks nobody out. Closing must not copy the
    // log into the main file.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    connection.execute_batch(
        "PRAGMA locking_mode = EXCLUSIVE; PRAGMA query_only = 1; PRAGMA temp_store = MEMORY;",
    )?;
    Ok(connection)
}

fn answer(connection: &Connection, sql: &str, values: &[String]) -> rusqlite::Result<Rows> {
    let mut statement = connection.prepare(sql)?;
    // Also refused by `query_only`, which the immutable connection does not set.
    if !statement.readonly() {
        return Err(rusqlite::Error::InvalidQuery);
    }
    let columns = statement.column_count();
    let mut rows = statement.query(params_from_iter(values))?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let values: rusqlite::Result<Vec<Value>> =
            (0..columns).map(|i| row.get_ref(i).map(json)).collect();
        found.push(values?);
    }
    Ok(found)
}

fn json(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => number.into(),
        ValueRef::Real(number) => number.into(),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
            String::from_utf8_lossy(bytes).into_owned().into()
        }
    }
}

/// The path as a URI that tells SQLite that the file does not change.
fn immutable_uri(path: &Path) -> String {
    let mut uri = String::from("file:");
    if cfg!(windows) {
        uri.push('/');
    }
    // Bytes, not characters: a path need not be UTF-8, and `?`, `%` and `#` in it would end or
    // change the URI.
    for &byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'\\' if cfg!(windows) => uri.push('/'),
            b'/' | b'-' | b'_' | b'.' | b'~' | b':' => uri.push(byte.into()),
            _ if byte.is_ascii_alphanumeric() => uri.push(byte.into()),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri.push_str("?immutable=1");
    uri
}
