//! Word vectors in a text file, as GloVe and word2vec write them: a word and its numbers on each
//! line, after a line with the number of words and of numbers that may be there or not.

use crate::error::{AppError, Result};
use palimpsest_compaction::lexical::plain_words;
use palimpsest_core::failure::{Input, NextStep};
use palimpsest_store::regular::open_regular;
use std::collections::HashMap;
use std::io::{BufRead as _, BufReader};
use std::path::Path;

/// Warnings that are kept of a file; more are only counted.
const KEPT_WARNINGS: usize = 20;

/// Vectors of words.
#[derive(Debug, Default)]
pub(crate) struct WordVectors {
    places: HashMap<Box<str>, usize>,
    numbers: Vec<f32>,
    length: usize,
    /// Lines that were left out, the first of them.
    pub warnings: Vec<LineWarning>,
    /// How many lines were left out.
    pub left_out: usize,
}

/// A line that was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LineWarning {
    /// Its number, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub reason: String,
}

impl WordVectors {
    /// Reads a file. Lines that are no word with numbers are left out with a warning; fails when
    /// there is no other, or the file cannot be read.
    pub fn read(path: &Path) -> Result<WordVectors> {
        let unreadable = |source| AppError::Read {
            path: path.display().to_string(),
            source,
        };
        let mut reader = BufReader::new(open_regular(path).map_err(unreadable)?);
        let mut own = WordVectors::default();
        let mut bytes = Vec::new();
        let mut line = 0;
        while {
            bytes.clear();
            reader.read_until(b'\n', &mut bytes).map_err(unreadable)? > 0
        } {
            line += 1;
            if let Err(reason) = own.take(&bytes, line == 1) {
                own.left_out += 1;
                if own.warnings.len() < KEPT_WARNINGS {
                    own.warnings.push(LineWarning { line, reason });
                }
            }
        }
        if own.places.is_empty() {
            let first = own.warnings.first();
            let reason = first.map_or_else(
                || "the file is empty".to_owned(),
                |own| format!("line {}: {}", own.line, own.reason),
            );
            return Err(AppError::bad_request(
                format!(
                    "the file has no word vectors ({reason}): {}",
                    path.display()
                ),
                NextStep::Give {
                    what: Input::WordVectors,
                },
            ));
        }
        Ok(own)
    }

    fn take(&mut self, bytes: &[u8], is_first: bool) -> std::result::Result<(), String> {
        let text = std::str::from_utf8(bytes).map_err(|_| "the line is not UTF-8".to_owned())?;
        let mut parts = text.split_whitespace();
        let Some(word) = parts.next() else {
            return Ok(());
        };
        let parts: Vec<&str> = parts.collect();
        if is_first && parts.len() == 1 && word.parse::<u64>().is_ok() {
            // How many words follow, and of how many numbers.
            self.length = parts[0].parse().unwrap_or_default();
            return Ok(());
        }
        if parts.is_empty() || self.length > 0 && parts.len() != self.length {
            return Err(match (parts.len(), self.length) {
                (0, _) => "no number follows the word".to_owned(),
                (1, wanted) => format!("1 number instead of {wanted} follows the word"),
                (found, wanted) => format!("{found} numbers instead of {wanted} follow the word"),
            });
        }
        let start = self.numbers.len();
        for part in &parts {
            match part.parse::<f32>() {
                Ok(number) if number.is_finite() => self.numbers.push(number),
                _ => {
                    self.numbers.truncate(start);
                    return Err(format!("'{part}' is not a number"));
                }
            }
        }
        // Texts are compared without regard to case.
        let word = word.to_lowercase();
        if self.places.contains_key(word.as_str()) {
            // Files that tell small letters from capitals have a word twice; the commoner comes
            // first.
            self.numbers.truncate(start);
            return Ok(());
        }
        self.length = parts.len();
        self.places.insert(word.into(), start);
        Ok(())
    }

    /// The mean of the vectors of a text's words, identifiers by their parts; all zeros when none
    /// is known.
    pub fn vector(&self, text: &str) -> Vec<f32> {
        let mut sum = vec![0.0_f32; self.length];
        let mut count = 0.0;
        for word in plain_words(text) {
            if let Some(&start) = self.places.get(word.as_str()) {
                let own = &self.numbers[start..start + self.length];
                sum.iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
                count += 1.0;
            }
        }
        if count > 0.0 {
            sum.iter_mut().for_each(|own| *own /= count);
        }
        sum
    }

    /// What to tell of the lines that were left out; `None` when none was.
    pub fn notice(&self, path: &Path) -> Option<String> {
        let first = self.warnings.first()?;
        let (path, line, reason) = (path.display(), first.line, &first.reason);
        let others = match self.left_out - 1 {
            0 => String::new(),
            more => format!(", and {more} similar lines"),
        };
        Some(format!(
            "word vectors {path}: skipped line {line} ({reason}){others}"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &[u8]) -> Result<WordVectors> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("vectors.txt");
        std::fs::write(&path, text).unwrap();
        WordVectors::read(&path)
    }

    #[test]
    fn texts_are_the_mean_of_their_words() {
        for header in ["", "3 2\n"] {
            let own = read(format!("{header}gear 1 0\nWheel 0 1\nwheel 9 9\n").as_bytes()).unwrap();
            assert!(own.warnings.is_empty());
            assert_eq!(own.vector("gearWheel, and gear_wheel"), [0.5, 0.5]);
            assert_eq!(own.vector("WHEEL"), [0.0, 1.0]);
            assert_eq!(own.vector("nothing known"), [0.0, 0.0]);
        }
    }

    #[test]
    fn bad_lines_are_left_out_with_their_reason() {
        let own =
            read(b"gear 1 0\ndoor 1\nblue x 1\n\xff 1 1\n\nnan NaN 1\nlone\nred 0 1").unwrap();
        let warnings: Vec<(usize, &str)> = own
            .warnings
            .iter()
            .map(|own| (own.line, own.reason.as_str()))
            .collect();
        assert_eq!(
            warnings,
            [
                (2, "1 number instead of 2 follows the word"),
                (3, "'x' is not a number"),
                (4, "the line is not UTF-8"),
                (6, "'NaN' is not a number"),
                (7, "no number follows the word"),
            ]
        );
        assert_eq!(own.vector("red gear door"), [0.5, 0.5]);
        let notice = own.notice(Path::new("v.txt")).unwrap();
        assert!(
            notice.contains("v.txt: skipped line 2 (1 number instead"),
            "{notice}"
        );
        assert!(notice.ends_with("and 4 similar lines"));
    }

    #[test]
    fn a_file_without_vectors_is_refused_with_the_reason() {
        let error = read(b"\x00\xff\xfe").unwrap_err().to_string();
        assert!(error.contains("(line 1: the line is not UTF-8)"), "{error}");
        assert!(
            read(b"")
                .unwrap_err()
                .to_string()
                .contains("the file is empty")
        );
        let missing = WordVectors::read(Path::new("/nowhere/v.txt"));
        assert!(matches!(missing, Err(AppError::Read { .. })));
    }
}
