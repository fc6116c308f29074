//! Opening connections, with the same settings everywhere.

use crate::error::{StoreError, Which};
use crate::private::make_private;
use rusqlite::config::DbConfig;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ValueRef};
use rusqlite::{Connection, OpenFlags, Row, RowIndex};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// How long a writer waits for another one. Batches of an index run commit within a second or
/// two; whoever holds the lock longer is stuck or busy with something the user should hear of.
pub(crate) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Where a database lies.
#[derive(Debug, Clone)]
pub(crate) enum Location {
    File(PathBuf),
    /// A file that nothing writes to, because it cannot be written to.
    Frozen(PathBuf),
    /// Shared by all connections of this process that use the name, gone with the last of them.
    Memory(String),
}

impl Location {
    pub(crate) fn fresh_memory() -> Location {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        // A number per database: tests run in one process and must not share tables.
        Location::Memory(format!(
            "palimpsest-{}",
            NEXT.fetch_add(1, Ordering::Relaxed)
        ))
    }

    /// The path for messages.
    pub(crate) fn path(&self) -> &Path {
        match self {
            Location::File(path) | Location::Frozen(path) => path,
            Location::Memory(_) => Path::new(":memory:"),
        }
    }
}

/// A connection that knows which file it is of.
#[derive(Debug)]
pub(crate) struct Db {
    pub(crate) conn: Connection,
    pub(crate) path: PathBuf,
    pub(crate) which: Which,
}

impl Db {
    pub(crate) fn open(
        location: &Location,
        which: Which,
        writable: bool,
        timeout: Duration,
    ) -> Result<Db, StoreError> {
        // Each connection is used by one thread at a time, so SQLite's own locks would only cost.
        let mut flags = OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
        flags |= if writable {
            OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE
        } else {
            OpenFlags::SQLITE_OPEN_READ_ONLY
        };
        let path = location.path().to_path_buf();
        if writable && let Location::File(file) = location {
            make_private(file).map_err(|error| StoreError::from_io(file, &error))?;
        }
        let at = |error: rusqlite::Error| StoreError::from_sql(which, &path, &error);
        let conn = match location {
            // URI names are only for memory: a path may hold `?` or `%`.
            Location::File(file) => {
                Connection::open_with_flags(file, flags - OpenFlags::SQLITE_OPEN_URI)
            }
            Location::Frozen(file) => {
                // In a folder that cannot be written to, SQLite cannot make the files beside a
                // database that it needs to see other writers; `immutable` says there are none.
                Connection::open_with_flags(
                    format!("file:{}?immutable=1", in_uri(file)),
                    OpenFlags::SQLITE_OPEN_NO_MUTEX
                        | OpenFlags::SQLITE_OPEN_URI
                        | OpenFlags::SQLITE_OPEN_READ_ONLY,
                )
            }
            Location::Memory(name) => {
                // The `memdb` VFS shares one database between connections of a process, so memory
                // behaves as a file does for readers beside the writer.
                Connection::open_with_flags(format!("file:/{name}?vfs=memdb"), flags)
            }
        }
        .map_err(at)?;
        conn.busy_timeout(timeout).map_err(at)?;
        conn.set_prepared_statement_cache_capacity(64);
        // Otherwise SQLite plans a statement again whenever a bound value changes that its statistics of
        // tables might tell something of; there are none, and that was an eighth of a search.
        conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)
            .map_err(at)?;
        Ok(Db {
            conn,
            path: path.clone(),
            which,
        })
    }

    /// Opens a database that cannot be written to. `None` where it cannot be read, and where a log
    /// beside it holds changes that are not in it.
    pub(crate) fn open_frozen(path: &Path, which: Which, timeout: Duration) -> Option<Db> {
        let mut log = path.as_os_str().to_owned();
        log.push("-wal");
        let has_log = std::fs::metadata(log).is_ok_and(|log| log.len() > 0);
        if has_log || !path.is_file() {
            return None;
        }
        Db::open(&Location::Frozen(path.to_path_buf()), which, false, timeout).ok()
    }

    /// Looks at every page of the file. Errors: damage.
    pub(crate) fn check_pages(&self) -> Result<(), StoreError> {
        let said: String = self.at(self
            .conn
            .query_row("PRAGMA quick_check(1)", [], |row| row.get(0)))?;
        if said == "ok" {
            return Ok(());
        }
        Err(match self.which {
            Which::Index => StoreError::IndexDamaged {
                path: self.path.clone(),
            },
            Which::User => StoreError::UserDamaged {
                path: self.path.clone(),
                reason: said,
                copy: None,
            },
        })
    }

    /// Sets a connection up for writing; only after the file is known to be ours, because the
    /// journal mode is written into it.
    pub(crate) fn prepare_to_write(&self) -> Result<(), StoreError> {
        // Readers are not blocked by the writer, and the file is synced at checkpoints only: a
        // power cut may lose the last transactions but not damage the file. A cache of 32 MB and
        // a log of 16 keep pages of a batch from being written twice: 7.8 CPU-seconds instead of
        // 8.5 for 200 MB of sessions.
        self.at(self.conn.execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;
             PRAGMA cache_size = -32000; PRAGMA wal_autocheckpoint = 4000;",
        ))
    }

    /// Gives an SQLite error the file's name.
    pub(crate) fn at<T>(&self, result: rusqlite::Result<T>) -> Result<T, StoreError> {
        result.map_err(|error| StoreError::from_sql(self.which, &self.path, &error))
    }
}

/// A path in the URI of a database.
fn in_uri(path: &Path) -> String {
    let mut uri = String::new();
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'-' | b'.' | b'_' | b'~' => uri.push(char::from(*byte)),
            byte if byte.is_ascii_alphanumeric() => uri.push(char::from(*byte)),
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

/// `text` for `LIKE ... ESCAPE '\'`, found anywhere.
pub(crate) fn like(text: &str) -> String {
    let mut pattern = String::from("%");
    for c in text.chars() {
        // Paths and identifiers often have underscores, which LIKE takes for any character.
        if matches!(c, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern.push('%');
    pattern
}

/// SQLite's integers are signed; sizes and counts never come near the limit.
pub(crate) fn int(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// The place of a value in a list of all of its type, by which a column stores it.
pub(crate) fn place_in<T: PartialEq>(all: &[T], value: T) -> i64 {
    let before = all.iter().take_while(|one| **one != value).count();
    int(before as u64)
}

/// The columns of a row, one after another in the order of its table. A name is found by comparing it
/// with each column's: 72 % of the time of a page of 200 sessions, which have 35 columns.
pub(crate) struct Columns<'r, 's> {
    row: &'r Row<'s>,
    next: usize,
}

impl<'r, 's> Columns<'r, 's> {
    /// Begins at the first column.
    pub(crate) fn of(row: &'r Row<'s>) -> Self {
        Columns { row, next: 0 }
    }

    fn step(&mut self) -> usize {
        self.next += 1;
        self.next - 1
    }

    /// The next column.
    pub(crate) fn get<T: FromSql>(&mut self) -> rusqlite::Result<T> {
        let at = self.step();
        self.row.get(at)
    }

    /// The next column, which never holds a negative number.
    pub(crate) fn uint(&mut self) -> rusqlite::Result<u64> {
        let at = self.step();
        uint(self.row, at)
    }

    /// The next column, which may be empty and never holds a negative number.
    pub(crate) fn uint_opt(&mut self) -> rusqlite::Result<Option<u64>> {
        let at = self.step();
        uint_opt(self.row, at)
    }

    /// The next column, which holds positions and line numbers.
    pub(crate) fn uint32(&mut self) -> rusqlite::Result<u32> {
        let at = self.step();
        uint32(self.row, at)
    }

    /// The next column, the place of a value among `all`.
    pub(crate) fn numbered<T: Copy>(&mut self, all: &[T]) -> rusqlite::Result<T> {
        let at = self.step();
        let number: i64 = self.row.get(at)?;
        let known = usize::try_from(number).ok().and_then(|at| all.get(at));
        known
            .copied()
            .ok_or(rusqlite::Error::IntegralValueOutOfRange(at, number))
    }

    /// The next column, a text, through `parse`.
    pub(crate) fn named<T>(&mut self, parse: impl Fn(&str) -> Option<T>) -> rusqlite::Result<T> {
        let at = self.step();
        named(self.row, at, parse)
    }
}

/// Reads a column that never holds a negative number.
pub(crate) fn uint(row: &Row<'_>, column: impl RowIndex) -> rusqlite::Result<u64> {
    // Only a file that somebody edited has one, and an error would hide the whole list.
    Ok(u64::try_from(row.get::<_, i64>(column)?).unwrap_or(0))
}

/// Reads an optional column that never holds a negative number.
pub(crate) fn uint_opt(row: &Row<'_>, column: impl RowIndex) -> rusqlite::Result<Option<u64>> {
    Ok(row
        .get::<_, Option<i64>>(column)?
        .and_then(|value| u64::try_from(value).ok()))
}

/// Reads a column that holds positions and line numbers.
pub(crate) fn uint32(row: &Row<'_>, column: impl RowIndex) -> rusqlite::Result<u32> {
    Ok(u32::try_from(row.get::<_, i64>(column)?).unwrap_or(0))
}

/// Reads a text column through `parse`.
pub(crate) fn named<T>(
    row: &Row<'_>,
    column: impl RowIndex,
    parse: impl Fn(&str) -> Option<T>,
) -> rusqlite::Result<T> {
    let index = column.idx(row.as_ref())?;
    let text = |value: ValueRef<'_>| -> FromSqlResult<T> {
        let text = value.as_str()?;
        parse(text).ok_or_else(|| {
            let column = row.as_ref().column_name(index).unwrap_or_default();
            FromSqlError::Other(format!("'{text}' in {column}").into())
        })
    };
    let value = row.get_ref(index)?;
    text(value).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(index, value.data_type(), Box::new(error))
    })
}
