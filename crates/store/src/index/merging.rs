//! Merging the parts of table `words`. FTS5 writes what a transaction adds as a new part and merges parts
//! of like size by itself. Every question looks into all of them: with the five parts that a first index
//! of 200 MB leaves, the last entry with a word takes 300 µs to find, with one part 70 µs.

use super::{IndexDb, IndexReader, IndexWriter};
use crate::error::StoreError;
use rusqlite::OptionalExtension as _;

/// Pages that are written in one transaction, about 2 MB: other writers wait for a step at most.
const STEP_PAGES: i32 = 500;

/// Fewer pages are left to FTS5.
const FEWEST_PAGES: i64 = 256;

/// Parts are merged when those beside the largest one have a third of its pages. While an index grows, a
/// page is written again four times on average.
const LARGEST_SHARE: i64 = 3;

/// So many parts of like size FTS5 merges by itself; its default.
const MERGED_PARTS: i64 = 4;

/// The same while an empty index is filled. What is merged at the end need not be merged four by four
/// before, which was a tenth of the time of a first index. From 16 on FTS5 merges in any case (`crisismerge`).
const FILLING_PARTS: i64 = 16;

impl IndexDb {
    /// Prepares for the first sessions of an index that has none: their parts are merged at the end, by
    /// [`IndexDb::merge_words`].
    ///
    /// Errors: what the database reports. The index can be filled without this.
    pub fn fill_words(&self) -> Result<(), StoreError> {
        if self.reader()?.totals()?.sessions > 0 {
            return Ok(());
        }
        self.merge_after(FILLING_PARTS)
    }

    /// Merges the parts of the full-text index if they have become many, in short transactions, until
    /// `stop` is true. The next call goes on where this one stopped.
    ///
    /// Errors: what the database reports. The index is complete without this.
    pub fn merge_words(&self, stop: impl Fn() -> bool) -> Result<(), StoreError> {
        let reader = self.reader()?;
        let (merged_after, is_in_parts) = (reader.merged_after()?, reader.is_in_parts()?);
        drop(reader);
        // Set by a first run, maybe one that failed or was killed.
        if merged_after.is_some_and(|parts| parts != MERGED_PARTS) {
            self.merge_after(MERGED_PARTS)?;
        }
        if !is_in_parts {
            return Ok(());
        }
        // FTS5 takes a negative number for all parts, and goes on with them for a positive one.
        let mut pages = -STEP_PAGES;
        while !stop() {
            let writer = self.writer()?;
            let more = writer.merge_step(pages)?;
            writer.commit()?;
            if !more {
                return Ok(());
            }
            pages = STEP_PAGES;
        }
        Ok(())
    }

    /// Lets FTS5 merge so many parts of like size by itself.
    fn merge_after(&self, parts: i64) -> Result<(), StoreError> {
        let writer = self.writer()?;
        let sql = "INSERT INTO words (words, rank) VALUES ('automerge', ?)";
        writer.db.at(writer.db.conn.execute(sql, [parts]))?;
        writer.commit()
    }
}

impl IndexWriter<'_> {
    /// Merges some pages; false where there was nothing to merge.
    fn merge_step(&self, pages: i32) -> Result<bool, StoreError> {
        let before = self.db.conn.total_changes();
        self.db.at((|| {
            let sql = "INSERT INTO words (words, rank) VALUES ('merge', ?)";
            self.db.conn.prepare_cached(sql)?.execute([pages])?;
            Ok(())
        })())?;
        // The insertion itself counts as one change (sqlite.org/fts5.html, "The 'merge' Command").
        Ok(self.db.conn.total_changes() - before >= 2)
    }
}

impl IndexReader {
    /// After how many parts FTS5 merges them by itself; `None` where that was never set.
    fn merged_after(&self) -> Result<Option<i64>, StoreError> {
        let sql = "SELECT v FROM words_config WHERE k = 'automerge'";
        let conn = &self.db.conn;
        self.db
            .at(conn.query_row(sql, (), |row| row.get(0)).optional())
    }

    /// True where much of the full-text index is beside its largest part.
    fn is_in_parts(&self) -> Result<bool, StoreError> {
        let pages = self.part_pages()?;
        let all: i64 = pages.iter().sum();
        let largest = pages.iter().copied().max().unwrap_or_default();
        Ok(all >= FEWEST_PAGES && (all - largest) * LARGEST_SHARE >= largest)
    }

    /// About how many pages each part has. FTS5 notes the first word of each page in a table (`pgno`, twice
    /// the number of the page and a flag); its rows are not read, but skipped from part to part.
    fn part_pages(&self) -> Result<Vec<i64>, StoreError> {
        self.db.at((|| {
            let mut statement = self.db.conn.prepare_cached(
                "WITH RECURSIVE part (id) AS ( \
                   SELECT min(segid) FROM words_idx \
                   UNION ALL \
                   SELECT (SELECT min(segid) FROM words_idx WHERE segid > id) \
                   FROM part WHERE id IS NOT NULL \
                 ) \
                 SELECT (SELECT pgno / 2 FROM words_idx WHERE segid = id ORDER BY term DESC LIMIT 1) \
                 FROM part WHERE id IS NOT NULL",
            )?;
            let pages = statement.query_map((), |row| row.get(0))?;
            pages.collect()
        })())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes so many parts, each with the word `common` in each of its rows and words of its own.
    fn add_parts(db: &IndexDb, parts: std::ops::Range<i64>) {
        for part in parts {
            let writer = db.writer().unwrap();
            for row in 0..200 {
                let own: Vec<String> = (0..200).map(|nth| format!("{nth}x{row}y{part}")).collect();
                let text = format!("common {}", own.join(" "));
                let sql = "INSERT INTO words (rowid, text) VALUES (?, ?)";
                let num = part * 200 + row;
                writer.db.conn.execute(sql, (num, text)).unwrap();
            }
            writer.commit().unwrap();
        }
    }

    fn rows_with(db: &IndexDb, word: &str) -> Vec<i64> {
        let reader = db.reader().unwrap();
        let sql = "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid";
        let mut statement = reader.db.conn.prepare(sql).unwrap();
        let rows = statement.query_map([word], |row| row.get(0)).unwrap();
        rows.collect::<Result<_, _>>().unwrap()
    }

    fn parts(db: &IndexDb) -> usize {
        db.reader().unwrap().part_pages().unwrap().len()
    }

    #[test]
    fn many_parts_become_one_and_have_the_same_words() {
        let db = IndexDb::init_in_memory().unwrap();
        add_parts(&db, 0..7);
        let before = parts(&db);
        assert!(before > 1);
        db.merge_words(|| true).unwrap();
        assert_eq!(parts(&db), before, "stopped before the first step");
        // Stopped within, and continued by the next call.
        let steps = std::cell::Cell::new(0);
        let stop = || steps.replace(steps.get() + 1) > 0;
        db.merge_words(stop).unwrap();
        db.merge_words(|| false).unwrap();
        assert_eq!(parts(&db), 1);
        assert_eq!(rows_with(&db, "common"), (0..1_400).collect::<Vec<_>>());
        assert_eq!(rows_with(&db, "\"199x199y6\""), [1_399]);
        // A small part is left alone, which costs no writing.
        add_parts(&db, 7..8);
        db.merge_words(|| panic!("nothing is merged")).unwrap();
        assert_eq!(parts(&db), 2);
    }

    #[test]
    fn an_empty_index_is_filled_without_merging() {
        let merged_after = |db: &IndexDb| db.reader().unwrap().merged_after().unwrap();
        let db = IndexDb::init_in_memory().unwrap();
        assert_eq!(merged_after(&db), None);
        db.fill_words().unwrap();
        add_parts(&db, 0..9);
        assert_eq!(parts(&db), 9);
        db.merge_words(|| false).unwrap();
        assert_eq!((parts(&db), merged_after(&db)), (1, Some(MERGED_PARTS)));
    }

    #[test]
    fn a_small_index_is_left_alone() {
        let db = IndexDb::init_in_memory().unwrap();
        db.merge_words(|| panic!("nothing is merged")).unwrap();
        add_parts(&db, 0..1);
        db.merge_words(|| panic!("nothing is merged")).unwrap();
        assert_eq!(rows_with(&db, "common").len(), 200);
    }
}
