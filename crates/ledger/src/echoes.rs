//! Sayings and errors that a summary may tell in other words: they are not shown first as lost.

use crate::clauses::chosen;
use crate::content::Content;
use crate::extract::Candidate;
use crate::labels::Labels;
use crate::segments::{Segment, Segments, squash, stems};
use crate::sentences::is_of_user;
use crate::words::has_word;
use crate::{identifiers, located};
use palimpsest_core::ledger::FactKind;
use rustc_hash::FxHashMap as HashMap;
use std::collections::BTreeSet;
use std::ops::Range;

/// Share of the telling words of a saying from which two lines may tell it in other words. Of sayings that were shown
/// as dropped and judged by hand, nine of the ten from this share on are in the summary, and nine of the 24 just below
/// it.
const LINES: f64 = 0.34;

/// Fewest words and names that a clause shares with a saying it may tell.
const SHARED: usize = 3;

/// Share of what a clause tells from which it may tell a saying. Of 74 facts below [`LINES`] that were put first as
/// dropped and judged by hand, 23 of the 42 that the summary has are no longer put first with this, [`OF_SAYING`] and the
/// rules for short names of files and for late errors, and one of the 32 that it lacks.
const OF_CLAUSE: f64 = 0.4;

/// Share of what a saying tells from which one clause may tell it.
const OF_SAYING: f64 = 0.25;

/// Longest line or clause that is compared, in bytes: a longer one is no sentence.
const LONGEST: usize = 2_000;

/// Most words and names of a saying that one name stands for ("Let's go with public/assets").
const SHORT: usize = 2;

/// Fewest letters of such a name.
const NAME_LETTERS: usize = 4;

/// Most letters of the ending of a file.
const FILE_ENDING: usize = 4;

/// Classes of errors that a summary tells without the words of the message: what compilers, parsers and programs call
/// them themselves.
const CLASSES: &[&str] = &[
    "syntax error",
    "syntaxerror",
    "parse error",
    "type error",
    "typeerror",
    "import cycle",
    "merge conflict",
    "null pointer",
    "nil pointer",
    "segmentation fault",
    "stack overflow",
    "out of memory",
    "data race",
    "deadlock",
    "unused import",
    "unused variable",
];

/// Words before the class of an error by which it is none.
const NONE_LEFT: &[&str] = &["no ", "without ", "no more ", "without any ", "not a "];

/// How many lines from the class of an error its file may be named.
const NEAR_LINES: usize = 3;

/// True where one path is the other or ends it.
fn is_end_of(one: &str, other: &str) -> bool {
    let ends = |long: &str, short: &str| {
        long.strip_suffix(short)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    };
    ends(one, other) || ends(other, one)
}

/// What parts the clauses of a line.
const JOINTS: &[&str] = &[
    ", ", "; ", ": ", ". ", " (", ") ", " - ", " – ", " — ", " → ", " | ",
];

/// A line of a summary or a clause of it.
struct Clause {
    segment: usize,
    /// What its words and names tell together.
    weight: f64,
    /// Its names as they are written, in lower case.
    names: Vec<String>,
}

/// The clauses of a summary by what they tell.
pub(crate) struct Echoes<'a> {
    text: &'a str,
    segments: &'a Segments,
    clauses: Vec<Clause>,
    /// Its words and names.
    units: HashMap<String, Unit>,
    /// What a word or name tells that the summary does not have.
    telling_most: f64,
}

/// A word or name of a summary.
#[derive(Default)]
struct Unit {
    /// The clauses that have it.
    clauses: Vec<usize>,
    /// How many lines have it.
    lines: usize,
    /// How much it tells: the more the fewer lines have it.
    telling: f64,
}

impl<'a> Echoes<'a> {
    /// Reads the clauses of `text`, of which `segments` are the lines.
    pub fn new(text: &'a str, segments: &'a Segments) -> Echoes<'a> {
        let all = segments.all.len() as f64;
        let mut out = Echoes {
            text,
            segments,
            clauses: Vec::new(),
            units: HashMap::default(),
            telling_most: (1.0 + all).ln(),
        };
        let mut units_of_clauses: Vec<BTreeSet<String>> = Vec::new();
        for (segment, line) in segments.all.iter().enumerate() {
            let line = &text[line.range.clone()];
            let parts = clauses(line);
            if line.len() <= LONGEST {
                let content = Content::of(line);
                for unit in units(&content) {
                    out.units.entry(unit).or_default().lines += 1;
                }
                units_of_clauses.extend(out.add(segment, content));
            }
            for part in parts
                .iter()
                .filter(|part| parts.len() > 1 && part.len() <= LONGEST)
            {
                units_of_clauses.extend(out.add(segment, Content::of(&line[part.clone()])));
            }
        }
        for unit in out.units.values_mut() {
            unit.telling = (1.0 + all / (1.0 + unit.lines as f64)).ln();
        }
        let telling = |unit: &String| out.units.get(unit).map_or(0.0, |unit| unit.telling);
        for (clause, units) in out.clauses.iter_mut().zip(&units_of_clauses) {
            clause.weight = units.iter().map(telling).sum();
        }
        out
    }

    /// Adds a clause that tells enough, and returns its words and names.
    fn add(&mut self, segment: usize, content: Content) -> Option<BTreeSet<String>> {
        let units = units(&content);
        if units.len() < SHARED {
            return None;
        }
        for unit in &units {
            let known = self.units.entry(unit.clone()).or_default();
            known.clauses.push(self.clauses.len());
        }
        self.clauses.push(Clause {
            segment,
            weight: 0.0,
            names: content.names,
        });
        Some(units)
    }

    /// The lines of the summary that may tell the saying of a fact of which nothing was found.
    pub fn may_tell(&self, fact: &Candidate) -> Option<Range<usize>> {
        let content = fact.content();
        let labels = Labels::of(&fact.text);
        let of_user = is_of_user(fact);
        if fact.kind == FactKind::Error {
            // Messages about different failures share their words: the line must have all names.
            let has_names = |clause: &Clause| {
                let mut names = content.names.iter();
                !content.names.is_empty() && names.all(|name| clause.names.contains(name))
            };
            return self
                .in_a_clause(content, &labels, of_user, has_names)
                .or_else(|| self.by_its_class(fact));
        }
        let by_its_name = || {
            // A limit on a file is not told by what else is said of the file.
            let is_choice = content.words.is_empty() || chosen(&fact.text).is_some();
            let is_short = content.len() <= SHORT && is_choice;
            (is_short && fact.kind != FactKind::Constraint)
                .then(|| self.by_its_name(&fact.text, of_user))
                .flatten()
        };
        self.in_a_clause(content, &labels, of_user, |_| true)
            .or_else(|| {
                // The parts of one name are no three words.
                let tells = content.len() >= SHARED;
                tells
                    .then(|| self.in_lines(&fact.text, &labels, of_user))
                    .flatten()
            })
            .or_else(by_its_name)
    }

    /// The line that tells the class of an error ("syntax error") and names its file, or near which a line does.
    fn by_its_class(&self, fact: &Candidate) -> Option<Range<usize>> {
        let message = located::behind_place(&fact.text)?.to_ascii_lowercase();
        let class = CLASSES.iter().find(|class| message.contains(**class))?;
        let file = identifiers::path_key(located::file_of(&fact.text)?);
        let all = &self.segments.all;
        let tells = |line: &Segment| {
            let at = line.lower.find(class);
            at.is_some_and(|at| {
                !NONE_LEFT
                    .iter()
                    .any(|none| line.lower[..at].ends_with(none))
            })
        };
        let named = |line: &Segment| {
            let text = &self.text[line.range.clone()];
            let found = identifiers::scan(text).into_iter();
            let mut files = found
                .filter(|found| found.kind == FactKind::Path)
                .peekable();
            let any = files.peek().is_some();
            (any, files.any(|found| is_end_of(&found.key, &file)))
        };
        let at = (0..all.len()).find(|&at| {
            tells(&all[at])
                && match named(&all[at]) {
                    (true, its) => its,
                    (false, _) => {
                        let near =
                            at.saturating_sub(NEAR_LINES)..(at + NEAR_LINES + 1).min(all.len());
                        all[near].iter().any(|line| named(line).1)
                    }
                }
        })?;
        Some(all[at].range.clone())
    }

    /// The line of the clause that shares most with a saying: three words or names at least, and much of what either
    /// tells.
    fn in_a_clause(
        &self,
        content: &Content,
        labels: &Labels<'_>,
        of_user: bool,
        may: impl Fn(&Clause) -> bool,
    ) -> Option<Range<usize>> {
        let mut whole = 0.0;
        // One slot per clause; a summary has a few hundred.
        let mut shared: Vec<(usize, f64)> = vec![(0, 0.0); self.clauses.len()];
        for unit in units(content) {
            let Some(unit) = self.units.get(&unit) else {
                whole += self.telling_most;
                continue;
            };
            whole += unit.telling;
            for &clause in &unit.clauses {
                let (count, weight) = &mut shared[clause];
                *count += 1;
                *weight += unit.telling;
            }
        }
        let tells = |&(at, (count, weight)): &(usize, (usize, f64))| {
            let clause = &self.clauses[at];
            count >= SHARED
                && may(clause)
                && (weight >= OF_SAYING * whole || weight >= OF_CLAUSE * clause.weight)
                && self.may_be_of(labels, of_user, clause.segment)
        };
        let best = shared
            .into_iter()
            .enumerate()
            .filter(tells)
            .max_by(|one, other| {
                let (by_weight, by_place) = (one.1.1.total_cmp(&other.1.1), other.0.cmp(&one.0));
                by_weight.then(by_place)
            });
        best.map(|(at, _)| self.segments.all[self.clauses[at].segment].range.clone())
    }

    /// The first line that has the only name of a short saying.
    fn by_its_name(&self, saying: &str, of_user: bool) -> Option<Range<usize>> {
        let names = identifiers::scan(saying);
        let [name] = names.as_slice() else {
            return None;
        };
        let name = saying[name.range.clone()].to_lowercase();
        if name.len() < NAME_LETTERS {
            return None;
        }
        let mut lines = self.segments.all.iter();
        let line =
            lines.find(|line| (of_user || !line.quotes_user) && has_word(&line.lower, &name))?;
        Some(line.range.clone())
    }

    /// The two neighbouring lines that have [`LINES`] of what the words of `saying` tell; the one of them that tells
    /// most where it has as much alone.
    fn in_lines(&self, saying: &str, labels: &Labels<'_>, of_user: bool) -> Option<Range<usize>> {
        let all = &self.segments.all;
        let telling = |stem: &String| {
            let having = self.segments.by_stem.get(stem).map_or(0, Vec::len) as f64;
            (1.0 + all.len() as f64 / (1.0 + having)).ln()
        };
        let stems = stems(saying);
        let whole: f64 = stems.iter().map(telling).sum();
        if stems.len() < 3 {
            return None;
        }
        let tells = |window: &[Segment]| {
            let has = |stem: &&String| window.iter().any(|own| own.stems.contains(*stem));
            let found: f64 = stems.iter().filter(has).map(telling).sum();
            found >= LINES * whole
        };
        let nearest = self.segments.nearest(&stems, stems.len(), 12);
        let mut windows = nearest
            .into_iter()
            .flat_map(|at| [at..at + 1, at.saturating_sub(1)..at + 1, at..at + 2]);
        let window = windows.find(|window| {
            all.get(window.clone()).is_some_and(tells)
                && window.clone().all(|at| self.may_be_of(labels, of_user, at))
        })?;
        let window = all.get(window)?;
        let (first, last) = (window.first()?, window.last()?);
        Some(first.range.start..last.range.end)
    }

    /// False for a line that names another thing of the kind by its letter or number, and for a quoted message of the
    /// user where the fact is none.
    fn may_be_of(&self, labels: &Labels<'_>, of_user: bool, line: usize) -> bool {
        let line = &self.segments.all[line];
        (of_user || !line.quotes_user)
            && (line.range.len() > LONGEST || !labels.differ(&self.text[line.range.clone()]))
    }
}

/// The stems of the words of a sentence, and the last parts of its names however they are spelled.
fn units(content: &Content) -> BTreeSet<String> {
    let words = content.words.iter().map(|word| word.stem.clone());
    let names = content.names.iter().map(|name| last_part(name));
    words.chain(names).collect()
}

/// False for the end of a version ("1.2").
fn is_no_version(end: &str) -> bool {
    !end.bytes().all(|b| b.is_ascii_digit())
}

/// `rowreader` of `table.RowReader` and of `src/row-reader.rs`: names of one thing.
fn last_part(name: &str) -> String {
    let name = match name.rsplit_once('.') {
        Some((stem, end)) if end.len() <= FILE_ENDING && is_no_version(end) && !stem.is_empty() => {
            stem
        }
        Some((_, end)) if !is_no_version(end) => name,
        Some((_, last)) => last,
        None => name,
    };
    squash(name.rsplit([':', '#', '/']).next().unwrap_or(name))
}

/// The clauses of a line.
fn clauses(line: &str) -> Vec<Range<usize>> {
    let mut ends: Vec<(usize, usize)> = JOINTS
        .iter()
        .flat_map(|joint| {
            line.match_indices(joint)
                .map(|(at, joint)| (at, at + joint.len()))
        })
        .collect();
    ends.sort_unstable();
    ends.push((line.len(), line.len()));
    let mut out = Vec::new();
    let mut start = 0;
    for (end, next) in ends {
        if start < end {
            out.push(start..end);
        }
        start = start.max(next);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_unit_however_it_is_spelled() {
        for name in [
            "table.rowreader",
            "row-reader.rs",
            "table::row_reader",
            "rowreader",
        ] {
            assert_eq!(last_part(name), "rowreader");
        }
    }

    #[test]
    fn a_line_has_clauses() {
        let line = "read rows, write (as text) - then: sort";
        let parts: Vec<&str> = clauses(line).into_iter().map(|part| &line[part]).collect();
        assert_eq!(parts, ["read rows", "write", "as text", "then", "sort"]);
        assert_eq!(clauses("one, ").len(), 1);
    }
}
