//! The user database: what exists nowhere else, and is therefore never deleted.

mod aside;
mod handle;
pub mod judgements;
pub mod labels;
pub mod labs;
pub mod marked;
mod migration;
pub mod notes;
pub mod processes;
pub mod prompts;
pub mod run_notes;
pub mod runs;
pub mod settings;
pub mod stars;
pub mod titles;
pub mod written;

use handle::one_session;
pub use handle::{Target, UserDb};
pub use judgements::{Judged, JudgementRow};
pub use labels::{Label, LabelCount};
pub use labs::{CutSetRow, LabCallRow, LabCallState, LabCellRow, LabRow};
pub use marked::{MarkedSession, SessionMarks};
pub use notes::Note;
pub use processes::ProcessMark;
pub use prompts::{PromptOrigin, PromptVersion};
pub use run_notes::RunNote;
pub use runs::{RunFilter, RunRow, RunStatus};
pub use stars::Star;
pub use written::{WrittenRow, WrittenStatus};

use crate::connection::{BUSY_TIMEOUT, Db, Location};
use crate::error::{StoreError, Which};
use crate::private::make_folder;
use migration::Migration;

use std::path::Path;
use std::time::Duration;

/// Marks our user databases ("PLMu").
const APPLICATION_ID: i64 = 0x504c_4d75;

const MIGRATIONS: [&[Migration]; 13] = [
    runs::MIGRATIONS,
    run_notes::MIGRATIONS,
    prompts::MIGRATIONS,
    labels::MIGRATIONS,
    stars::MIGRATIONS,
    notes::MIGRATIONS,
    marked::MIGRATIONS,
    settings::MIGRATIONS,
    titles::MIGRATIONS,
    written::MIGRATIONS,
    labs::MIGRATIONS,
    judgements::MIGRATIONS,
    processes::MIGRATIONS,
];

impl UserDb {
    /// Opens the database at `path`, making it and its folder when missing, and brings an older
    /// one up to date in one transaction.
    ///
    /// Errors: [`StoreError::Newer`] for a file of a newer program and
    /// [`StoreError::UserDamaged`] for a damaged one, both left as they are;
    /// [`StoreError::Foreign`], [`StoreError::Locked`], [`StoreError::Full`],
    /// [`StoreError::Unusable`].
    pub fn open(path: &Path) -> Result<UserDb, StoreError> {
        UserDb::open_waiting(path, BUSY_TIMEOUT)
    }

    /// Like [`UserDb::open`], waiting at most `timeout` for other programs, now and later.
    pub fn open_waiting(path: &Path, timeout: Duration) -> Result<UserDb, StoreError> {
        if let Some(folder) = path.parent() {
            make_folder(folder).map_err(|error| StoreError::from_folder(folder, &error))?;
        }
        UserDb::at(&Location::File(path.to_path_buf()), timeout)
    }

    /// A database in memory, for tests.
    pub fn init_in_memory() -> Result<UserDb, StoreError> {
        UserDb::at(&Location::fresh_memory(), BUSY_TIMEOUT)
    }

    fn at(location: &Location, timeout: Duration) -> Result<UserDb, StoreError> {
        let all: Vec<&Migration> = MIGRATIONS.iter().flat_map(|table| table.iter()).collect();
        let opened = Db::open(location, Which::User, true, timeout)
            .and_then(|mut db| migration::run(&mut db, APPLICATION_ID, all).map(|()| db));
        match opened {
            Ok(db) => Ok(UserDb::over(db)),
            Err(StoreError::UserDamaged { path, reason, .. }) => {
                let copy = aside::copy(&path);
                Err(StoreError::UserDamaged { path, reason, copy })
            }
            Err(error @ (StoreError::ReadOnly { .. } | StoreError::Unusable { .. })) => {
                // Read as it is: runs, stars and notes are there to be seen.
                UserDb::frozen(location.path(), timeout).ok_or(error)
            }
            Err(error) => Err(error),
        }
    }

    /// The database of a folder that cannot be written to, where it is up to date.
    fn frozen(path: &Path, timeout: Duration) -> Option<UserDb> {
        let db = Db::open_frozen(path, Which::User, timeout)?;
        let all: Vec<&Migration> = MIGRATIONS.iter().flat_map(|table| table.iter()).collect();
        migration::is_current(&db, APPLICATION_ID, &all).then(|| UserDb::over(db))
    }
}
