//! Lines that stand elsewhere on the other side: text that was moved, not written again.

use super::{Line, Row, RowKind, changed};
use crate::words;
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

/// Fewest words of a line that is looked for elsewhere: shorter ones are met by chance. Shorter lines
/// move with the paragraph they stand in.
const LEAST_WORDS: usize = 3;
/// Fewest words of a line that may have changed on the way.
const LEAST_CHANGED_WORDS: usize = 6;
/// Share of common words of a line that changed on the way, of all words of both.
const LIKE: f64 = 0.7;
/// Most lines of a side that are compared word by word.
const MOST_LINES: usize = 400;

/// Marks lines that only one side of their row has and that the other side has elsewhere: with the same
/// words, or nearly. Of a changed row one line of which stands elsewhere, two rows are made.
pub(super) fn mark(rows: Vec<Row>) -> Vec<Row> {
    let moves = Moves::of(&rows);
    if moves.to_right.is_empty() {
        return rows;
    }
    let mut out = Vec::with_capacity(rows.len());
    for row in rows {
        let Row { kind, left, right } = row;
        let left = left.map(|line| moves.left(kind, line));
        let right = right.map(|line| moves.right(kind, line));
        let is_moved = |line: &Option<Line>| line.as_ref().is_some_and(|own| own.moved.is_some());
        if kind == RowKind::Replace && (is_moved(&left) || is_moved(&right)) {
            let bare = |line: Line| match line.moved {
                Some(_) => line,
                // What it was compared with stands elsewhere.
                None => Line {
                    ranges: Vec::new(),
                    ..line
                },
            };
            out.push(Row {
                kind: RowKind::Delete,
                left: left.map(bare),
                right: None,
            });
            out.push(Row {
                kind: RowKind::Insert,
                left: None,
                right: right.map(bare),
            });
        } else {
            out.push(Row { kind, left, right });
        }
    }
    out
}

/// Which line of the left side is which of the right one, by number, with both texts.
#[derive(Default)]
struct Moves {
    to_right: HashMap<usize, (usize, String)>,
    to_left: HashMap<usize, (usize, String)>,
}

impl Moves {
    fn of(rows: &[Row]) -> Moves {
        let differs = |row: &&Row| row.kind != RowKind::Equal;
        // A line that was changed where it stands is no other one.
        let in_place: HashSet<usize> = rows
            .iter()
            .filter(|row| row.kind == RowKind::Replace)
            .filter(|row| {
                row.left
                    .as_ref()
                    .is_some_and(|line| !line.ranges.is_empty())
            })
            .filter_map(|row| Some(row.left.as_ref()?.no))
            .collect();
        let lefts: Vec<&Line> = rows
            .iter()
            .filter(differs)
            .filter_map(|r| r.left.as_ref())
            .collect();
        let rights: Vec<&Line> = rows
            .iter()
            .filter(differs)
            .filter_map(|r| r.right.as_ref())
            .collect();
        let mut moves = Moves::default();
        moves.same(&lefts, &rights);
        moves.alike(&lefts, &rights, &in_place, rows);
        moves.beside(&lefts, &rights);
        moves
    }

    fn add(&mut self, left: &Line, right: &Line) {
        self.to_right
            .insert(left.no, (right.no, right.text.clone()));
        self.to_left.insert(right.no, (left.no, left.text.clone()));
    }

    fn is_free(&self, left: &Line, right: &Line) -> bool {
        !self.to_right.contains_key(&left.no) && !self.to_left.contains_key(&right.no)
    }

    /// Lines with the same words.
    fn same(&mut self, lefts: &[&Line], rights: &[&Line]) {
        let mut places: HashMap<String, Vec<&Line>> = HashMap::default();
        for right in rights.iter().rev() {
            places.entry(key(&right.text)).or_default().push(right);
        }
        for left in lefts {
            if words::raw_words(&left.text).count() < LEAST_WORDS {
                continue;
            }
            if let Some(right) = places.get_mut(&key(&left.text)).and_then(Vec::pop) {
                self.add(left, right);
            }
        }
    }

    /// Lines with most of their words in common; those that were changed in their place stay there.
    fn alike(
        &mut self,
        lefts: &[&Line],
        rights: &[&Line],
        in_place: &HashSet<usize>,
        rows: &[Row],
    ) {
        let partners: HashSet<usize> = rows
            .iter()
            .filter(|row| {
                row.left
                    .as_ref()
                    .is_some_and(|line| in_place.contains(&line.no))
            })
            .filter_map(|row| Some(row.right.as_ref()?.no))
            .collect();
        let bag = |line: &Line| -> HashSet<String> {
            words::words(&line.text).map(|word| word.text).collect()
        };
        let long = |words: &HashSet<String>| words.len() >= LEAST_CHANGED_WORDS;
        let left_bags: Vec<_> = lefts
            .iter()
            .filter(|line| !self.to_right.contains_key(&line.no) && !in_place.contains(&line.no))
            .map(|line| (*line, bag(line)))
            .filter(|(_, words)| long(words))
            .take(MOST_LINES)
            .collect();
        let right_bags: Vec<_> = rights
            .iter()
            .filter(|line| !self.to_left.contains_key(&line.no) && !partners.contains(&line.no))
            .map(|line| (*line, bag(line)))
            .filter(|(_, words)| long(words))
            .take(MOST_LINES)
            .collect();
        for (left, left_words) in &left_bags {
            let likeness = |words: &HashSet<String>| {
                let both = left_words.intersection(words).count();
                both as f64 / (left_words.len() + words.len() - both) as f64
            };
            let free = right_bags
                .iter()
                .filter(|(right, _)| self.is_free(left, right));
            let best = free
                .map(|(right, words)| (likeness(words), *right))
                .filter(|(share, _)| *share >= LIKE)
                .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.no.cmp(&a.1.no)));
            if let Some((_, right)) = best {
                self.add(left, right);
            }
        }
    }

    /// Short lines with the same words beside lines that moved: the rest of a paragraph.
    fn beside(&mut self, lefts: &[&Line], rights: &[&Line]) {
        let by_no: HashMap<usize, &Line> = rights.iter().map(|line| (line.no, *line)).collect();
        let mut extend = |lines: &mut dyn Iterator<Item = &&Line>, step: isize| {
            for left in lines {
                let neighbour = left.no.checked_add_signed(-step);
                let Some((at, _)) = neighbour.and_then(|no| self.to_right.get(&no)) else {
                    continue;
                };
                let right = at.checked_add_signed(step).and_then(|no| by_no.get(&no));
                let Some(&right) = right else { continue };
                let is_same = key(&left.text) == key(&right.text) && !left.text.trim().is_empty();
                if is_same && self.is_free(left, right) {
                    self.add(left, right);
                }
            }
        };
        extend(&mut lefts.iter(), 1);
        extend(&mut lefts.iter().rev(), -1);
    }

    fn left(&self, kind: RowKind, line: Line) -> Line {
        match self
            .to_right
            .get(&line.no)
            .filter(|_| kind != RowKind::Equal)
        {
            Some((no, other)) => Line {
                moved: Some(*no),
                ranges: changed(&line.text, other).0,
                ..line
            },
            None => line,
        }
    }

    fn right(&self, kind: RowKind, line: Line) -> Line {
        match self
            .to_left
            .get(&line.no)
            .filter(|_| kind != RowKind::Equal)
        {
            Some((no, other)) => Line {
                moved: Some(*no),
                ranges: changed(other, &line.text).1,
                ..line
            },
            None => line,
        }
    }
}

/// The words of a line, without the sign of an item and its number.
fn key(line: &str) -> String {
    let bare = line.trim().trim_start_matches(['-', '*', '+', '#', ' ']);
    let unnumbered = bare.trim_start_matches(|c: char| c.is_ascii_digit());
    let bare = match unnumbered.strip_prefix(['.', ')']) {
        Some(rest) if unnumbered.len() < bare.len() => rest,
        _ => bare,
    };
    words::normalize(bare)
}

#[cfg(test)]
mod tests {
    use super::super::by_section;

    fn moved(left: &str, right: &str) -> Vec<(usize, usize)> {
        let rows = by_section(left, right);
        let lines = rows.iter().filter_map(|row| row.left.as_ref());
        let found: Vec<(usize, usize)> = lines
            .filter_map(|line| Some((line.no, line.moved?)))
            .collect();
        let back = rows.iter().filter_map(|row| row.right.as_ref());
        let mut back: Vec<(usize, usize)> = back
            .filter_map(|line| Some((line.moved?, line.no)))
            .collect();
        back.sort_unstable();
        assert_eq!(found.len(), back.len(), "both sides know of a move");
        found
    }

    #[test]
    fn a_paragraph_that_changes_its_place_in_a_section_is_moved() {
        let left =
            "## Goal\nSort the report by date.\n\nKeep the old column names.\n\nOne more thing.";
        let right =
            "## Goal\nKeep the old column names.\n\nOne more thing.\n\nSort the report by date.";
        let found = moved(left, right);
        // Whichever of the two is seen as standing still, the other one moved.
        assert!(found == [(2, 6)] || found == [(4, 2), (6, 4)], "{found:?}");
    }

    #[test]
    fn a_line_that_changes_its_section_is_moved() {
        let left = "## Doing\n- [ ] Cover the empty file\n- Read the rows\n## Done\n- Sort it";
        let right = "## Doing\n- Read the rows\n## Done\n- Sort it\n- [ ] Cover the empty file";
        assert_eq!(moved(left, right), [(2, 5)]);
    }

    #[test]
    fn a_sentence_that_changes_on_the_way_is_moved_with_its_changed_words() {
        let left =
            "## Open\nThe importer drops the last row of every file with a header\n## Done\nx y z";
        let right = "## Open\nnothing\n## Done\nx y z\nThe importer dropped the last row of every file with a header";
        let rows = by_section(left, right);
        let line = rows
            .iter()
            .filter_map(|row| row.left.as_ref())
            .find(|line| line.no == 2)
            .unwrap();
        assert_eq!(line.moved, Some(5));
        let words: Vec<&str> = line
            .ranges
            .iter()
            .map(|range| &line.text[range.clone()])
            .collect();
        assert_eq!(words, ["drops"]);
    }

    #[test]
    fn short_lines_move_with_their_paragraph_and_not_alone() {
        let left = "## A\nThe reader takes one row\nok\n## B\nsame words here";
        let right = "## A\nelse\n## B\nsame words here\nThe reader takes one row\nok";
        assert_eq!(moved(left, right), [(2, 5), (3, 6)]);
        assert_eq!(
            moved("## A\nok\n## B\nx y z", "## A\nno\n## B\nx y z\nok"),
            []
        );
    }

    #[test]
    fn a_line_changed_in_its_place_stays_there() {
        let left = "## A\nThe reader takes one row of the table";
        let right = "## A\nThe reader takes two rows of the table";
        assert_eq!(moved(left, right), []);
    }
}
