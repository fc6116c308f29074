//! Two texts side by side, line by line, with the words that differ.

mod moved;
mod sections;

pub use sections::by_section;

use similar::{Algorithm, DiffOp, TextDiff, capture_diff_slices};
use std::ops::Range;

/// What a row shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RowKind {
    /// The same line on both sides.
    Equal,
    /// A line only the right side has.
    Insert,
    /// A line only the left side has.
    Delete,
    /// A line that was changed.
    Replace,
}

/// One line of one side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// 1-based number in its text.
    pub no: usize,
    /// The line without its end.
    pub text: String,
    /// Byte ranges of what the other side's line does not have; only in [`RowKind::Replace`], and
    /// empty there when the lines have too little in common to be compared. Of a line that moved what the
    /// line it became does not have.
    pub ranges: Vec<Range<usize>>,
    /// The number of the line that it is on the other side, where it was moved; only by
    /// [`by_section`].
    pub moved: Option<usize>,
}

/// One row of a side-by-side view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// What it shows.
    pub kind: RowKind,
    /// The left line; `None` for an insert.
    pub left: Option<Line>,
    /// The right line; `None` for a delete.
    pub right: Option<Line>,
}

/// Share of equal words below which marking single words in a changed line only confuses.
const MIN_LIKENESS: f32 = 0.3;

/// The rows that turn `left` into `right`. The right lines joined by line feeds are `right`, the
/// left ones `left`; a text that ends in a line feed therefore ends in an empty line.
pub fn rows(left: &str, right: &str) -> Vec<Row> {
    let left: Vec<&str> = left.split('\n').collect();
    let right: Vec<&str> = right.split('\n').collect();
    let line = |lines: &[&str], at: usize| Line {
        no: at + 1,
        text: lines[at].to_owned(),
        ranges: Vec::new(),
        moved: None,
    };
    let mut out = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, &left, &right) {
        let (old, new) = (op.old_range(), op.new_range());
        match op {
            DiffOp::Equal { .. } => out.extend(old.zip(new).map(|(old, new)| Row {
                kind: RowKind::Equal,
                left: Some(line(&left, old)),
                right: Some(line(&right, new)),
            })),
            DiffOp::Delete { .. } | DiffOp::Insert { .. } | DiffOp::Replace { .. } => {
                let pairs = old.len().min(new.len());
                for (old, new) in old.clone().zip(new.clone()) {
                    let mut left = line(&left, old);
                    let mut right = line(&right, new);
                    (left.ranges, right.ranges) = changed(&left.text, &right.text);
                    out.push(Row {
                        kind: RowKind::Replace,
                        left: Some(left),
                        right: Some(right),
                    });
                }
                out.extend(old.skip(pairs).map(|at| Row {
                    kind: RowKind::Delete,
                    left: Some(line(&left, at)),
                    right: None,
                }));
                out.extend(new.skip(pairs).map(|at| Row {
                    kind: RowKind::Insert,
                    left: None,
                    right: Some(line(&right, at)),
                }));
            }
        }
    }
    out
}

/// Byte ranges of the words only one of two lines has.
fn changed(left: &str, right: &str) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
    let diff = TextDiff::configure().diff_words(left, right);
    if diff.ratio() < MIN_LIKENESS {
        return (Vec::new(), Vec::new());
    }
    let (mut at, mut to) = (0, 0);
    let (mut old, mut new) = (Vec::new(), Vec::new());
    for change in diff.iter_all_changes() {
        let len = change.value().len();
        match change.tag() {
            similar::ChangeTag::Equal => {
                at += len;
                to += len;
            }
            similar::ChangeTag::Delete => {
                push(&mut old, at..at + len);
                at += len;
            }
            similar::ChangeTag::Insert => {
                push(&mut new, to..to + len);
                to += len;
            }
        }
    }
    (old, new)
}

fn push(ranges: &mut Vec<Range<usize>>, range: Range<usize>) {
    match ranges.last_mut() {
        Some(last) if last.end == range.start => last.end = range.end,
        _ => ranges.push(range),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn side(rows: &[Row], pick: impl Fn(&Row) -> Option<&Line>) -> String {
        rows.iter()
            .filter_map(pick)
            .map(|line| line.text.as_str())
            .collect::<Vec<_>>()
            .join("\n")
    }

    #[test]
    fn a_changed_word_is_marked() {
        let rows = rows(
            "a\nthe quick fox ran home\nz",
            "a\nthe slow fox ran home\nz",
        );
        assert_eq!(rows.len(), 3);
        assert_eq!(rows[1].kind, RowKind::Replace);
        assert_eq!(rows[1].left.as_ref().unwrap().ranges.first(), Some(&(4..9)));
        assert_eq!(
            rows[1].right.as_ref().unwrap().ranges.first(),
            Some(&(4..8))
        );
        assert_eq!(rows[2].right.as_ref().unwrap().no, 3);
    }

    #[test]
    fn uneven_replacements_leave_inserts_or_deletes() {
        let kinds: Vec<_> = rows("a\nb", "x\ny\nz").iter().map(|row| row.kind).collect();
        assert_eq!(kinds, [RowKind::Replace, RowKind::Replace, RowKind::Insert]);
        let kinds: Vec<_> = rows("a\nb\nc", "a\nc").iter().map(|row| row.kind).collect();
        assert_eq!(kinds, [RowKind::Equal, RowKind::Delete, RowKind::Equal]);
    }

    proptest! {
        #[test]
        fn rows_reapply_to_both_sides(left in "[ab é\n]{0,40}", right in "[ab é\n]{0,40}") {
            let rows = rows(&left, &right);
            prop_assert_eq!(side(&rows, |row| row.left.as_ref()), left);
            prop_assert_eq!(side(&rows, |row| row.right.as_ref()), right);
            for line in rows.iter().flat_map(|row| row.left.iter().chain(&row.right)) {
                for range in &line.ranges {
                    prop_assert!(line.text.get(range.clone()).is_some_and(|text| !text.is_empty()));
                }
            }
        }
    }
}
