//! Bringing a user database up to date.
//!
//! Migrations only add. A shipped one is never changed; a table that needs another column gets a
//! further migration in its file. Where the key needs the column, the migration copies every row
//! into a new table of the old name.

use crate::connection::Db;
use crate::error::StoreError;
use rusqlite::{Transaction, TransactionBehavior};
use std::collections::BTreeSet;

/// One change to the schema.
#[derive(Debug)]
pub(super) struct Migration {
    /// When it was written, `yyyymmddhhmm`; also the order in which migrations run.
    pub(super) stamp: i64,
    pub(super) sql: &'static str,
}

/// Runs the migrations that the file has not seen, all in one transaction.
pub(super) fn run(
    db: &mut Db,
    application_id: i64,
    mut known: Vec<&Migration>,
) -> Result<(), StoreError> {
    // The lists are sorted by table, and a later change of one table may build on another.
    known.sort_by_key(|migration| migration.stamp);
    let path = db.path.clone();
    let number = |db: &Db, sql: &str| db.at(db.conn.query_row(sql, [], |row| row.get::<_, i64>(0)));
    let application = number(db, "PRAGMA application_id")?;
    let tables = number(db, "SELECT count(*) FROM sqlite_schema")?;
    // A new file has no mark and no tables; any other file without our mark is left alone.
    if application != application_id && (application != 0 || tables > 0) {
        return Err(StoreError::Foreign { path });
    }
    let stamps: BTreeSet<i64> = known.iter().map(|migration| migration.stamp).collect();
    let check = |seen: &BTreeSet<i64>| match seen.difference(&stamps).next() {
        Some(&found) => Err(StoreError::Newer {
            path: path.clone(),
            found,
        }),
        None => Ok(()),
    };
    // Looked at without the write lock first: nearly always there is nothing to do.
    let seen = if tables == 0 {
        BTreeSet::new()
    } else {
        db.at(seen(&db.conn))?
    };
    check(&seen)?;
    // Only now: it writes the journal mode into the file, which a newer or foreign one must keep.
    db.prepare_to_write()?;
    if seen == stamps {
        return Ok(());
    }
    let result = (|| {
        let transaction = Transaction::new_unchecked(&db.conn, TransactionBehavior::Immediate)?;
        transaction.execute_batch(
            "CREATE TABLE IF NOT EXISTS migrations (stamp INTEGER PRIMARY KEY) STRICT;",
        )?;
        // Another program may have been quicker while we waited for the lock.
        let seen = self::seen(&transaction)?;
        for migration in known
            .iter()
            .filter(|migration| !seen.contains(&migration.stamp))
        {
            transaction.execute_batch(migration.sql)?;
            transaction.execute("INSERT INTO migrations VALUES (?)", [migration.stamp])?;
        }
        transaction.execute_batch(&format!("PRAGMA application_id = {application_id};"))?;
        transaction.commit()
    })();
    db.at(result)
}

/// Whether the file is ours and has seen all migrations.
pub(super) fn is_current(db: &Db, application_id: i64, known: &[&Migration]) -> bool {
    let application = db
        .conn
        .query_row("PRAGMA application_id", [], |row| row.get::<_, i64>(0));
    let stamps: BTreeSet<i64> = known.iter().map(|migration| migration.stamp).collect();
    application == Ok(application_id) && seen(&db.conn).is_ok_and(|seen| seen == stamps)
}

fn seen(conn: &rusqlite::Connection) -> rusqlite::Result<BTreeSet<i64>> {
    conn.prepare("SELECT stamp FROM migrations")?
        .query_map([], |row| row.get(0))?
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connection::{BUSY_TIMEOUT, Location};
    use crate::error::Which;

    const FIRST: Migration = Migration {
        stamp: 1,
        sql: "CREATE TABLE a (x INTEGER);",
    };
    const SECOND: Migration = Migration {
        stamp: 2,
        sql: "CREATE TABLE b (x INTEGER);",
    };
    const BROKEN: Migration = Migration {
        stamp: 3,
        sql: "CREATE TABLE a (x INTEGER);",
    };

    fn db() -> Db {
        Db::open(&Location::fresh_memory(), Which::User, true, BUSY_TIMEOUT).unwrap()
    }

    fn tables(db: &Db) -> Vec<String> {
        let mut statement = db
            .conn
            .prepare("SELECT name FROM sqlite_schema ORDER BY name")
            .unwrap();
        statement
            .query_map([], |row| row.get(0))
            .unwrap()
            .map(Result::unwrap)
            .collect()
    }

    #[test]
    fn later_migrations_are_added_to_a_file_that_has_the_earlier_ones() {
        let mut db = db();
        run(&mut db, 7, vec![&FIRST]).unwrap();
        db.conn.execute("INSERT INTO a VALUES (5)", []).unwrap();
        run(&mut db, 7, vec![&SECOND, &FIRST]).unwrap();
        run(&mut db, 7, vec![&SECOND, &FIRST]).unwrap();
        assert_eq!(tables(&db), ["a", "b", "migrations"]);
        let kept: i64 = db
            .conn
            .query_row("SELECT x FROM a", [], |row| row.get(0))
            .unwrap();
        assert_eq!(kept, 5, "rows survive a migration");
    }

    #[test]
    fn a_migration_that_fails_takes_the_others_back() {
        let mut db = db();
        run(&mut db, 7, vec![&FIRST]).unwrap();
        run(&mut db, 7, vec![&FIRST, &SECOND, &BROKEN]).unwrap_err();
        assert_eq!(tables(&db), ["a", "migrations"]);
    }

    #[test]
    fn a_file_with_an_unknown_migration_is_refused() {
        let mut db = db();
        run(&mut db, 7, vec![&FIRST, &SECOND]).unwrap();
        let error = run(&mut db, 7, vec![&FIRST]).unwrap_err();
        assert!(
            matches!(error, StoreError::Newer { found: 2, .. }),
            "{error}"
        );
    }

    #[test]
    fn a_database_of_something_else_is_refused() {
        let mut db = db();
        db.conn.execute_batch("CREATE TABLE theirs (x)").unwrap();
        let error = run(&mut db, 7, vec![&FIRST]).unwrap_err();
        assert!(matches!(error, StoreError::Foreign { .. }), "{error}");
        assert_eq!(tables(&db), ["theirs"]);
    }
}
