//! Text to directions.

use std::io;
use std::path::{Path, PathBuf};

/// One direction of a script.
#[derive(Debug, Clone)]
pub(super) struct Direction {
    pub word: String,
    /// True for `@+word`: the call belongs to the message of the one before.
    pub joined: bool,
    pub arguments: Vec<String>,
    pub text: String,
    pub place: Place,
}

/// Where a direction stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    pub path: PathBuf,
    /// 1-based.
    pub line: usize,
}

/// Why a script cannot be played.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// A file of the script cannot be read.
    #[error("cannot read {path}: {source}; scripts lie in crates/testkit/samples")]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A direction makes no sense.
    #[error("{path}:{line}: {reason}")]
    Direction {
        /// The script.
        path: PathBuf,
        /// 1-based line of the direction.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
}

impl Direction {
    /// The value of `key=value` among the arguments.
    pub fn option(&self, key: &str) -> Option<&str> {
        self.arguments
            .iter()
            .find_map(|argument| argument.strip_prefix(key)?.strip_prefix('='))
    }

    /// True when the bare word is among the arguments.
    pub fn has(&self, word: &str) -> bool {
        self.arguments.iter().any(|argument| argument == word)
    }

    /// The first argument.
    pub fn first(&self) -> Result<&str, ScriptError> {
        let first = self.arguments.first().map(String::as_str);
        first.ok_or_else(|| self.error(format!("@{} needs an argument", self.word)))
    }

    /// All arguments from position `from`, as one text.
    pub fn rest(&self, from: usize) -> String {
        self.arguments.get(from..).unwrap_or_default().join(" ")
    }

    pub fn error(&self, reason: impl Into<String>) -> ScriptError {
        ScriptError::Direction {
            path: self.place.path.clone(),
            line: self.place.line,
            reason: reason.into(),
        }
    }
}

pub(super) fn parse(path: &Path, text: &str) -> Result<Vec<Direction>, ScriptError> {
    let mut directions: Vec<Direction> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let place = Place {
            path: path.to_owned(),
            line: number + 1,
        };
        match direction_line(line) {
            Some((joined, word, arguments)) => directions.push(Direction {
                word: word.to_owned(),
                joined,
                arguments: arguments.split_whitespace().map(str::to_owned).collect(),
                text: String::new(),
                place,
            }),
            None => match directions.last_mut() {
                Some(direction) => {
                    direction.text.push_str(line);
                    direction.text.push('\n');
                }
                None if line.trim().is_empty() || line.starts_with('#') => {}
                None => {
                    return Err(ScriptError::Direction {
                        path: place.path,
                        line: place.line,
                        reason: "text before the first direction".to_owned(),
                    });
                }
            },
        }
    }
    for direction in &mut directions {
        let trimmed = direction
            .text
            .trim_end_matches('\n')
            .trim_start_matches('\n');
        direction.text = trimmed.to_owned();
    }
    Ok(directions)
}

fn direction_line(line: &str) -> Option<(bool, &str, &str)> {
    let rest = line.strip_prefix('@')?;
    let (joined, rest) = match rest.strip_prefix('+') {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
    let (word, arguments) = rest.split_at(end);
    let is_word = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase());
    is_word.then_some((joined, word, arguments))
}

/// The `<<<` `===` `>>>` blocks of an edit.
pub(super) fn edit_blocks(direction: &Direction) -> Result<Vec<(String, String)>, ScriptError> {
    let mut blocks = Vec::new();
    let mut old: Option<String> = None;
    let mut new: Option<String> = None;
    for line in direction.text.lines() {
        match (line, &mut old, &mut new) {
            ("<<<", None, None) => old = Some(String::new()),
            ("===", Some(_), None) => new = Some(String::new()),
            (">>>", Some(_), Some(_)) => {
                let (old, new) = (
                    old.take().unwrap_or_default(),
                    new.take().unwrap_or_default(),
                );
                let bare =
                    |text: String| text.strip_suffix('\n').map(str::to_owned).unwrap_or(text);
                blocks.push((bare(old), bare(new)));
            }
            (line, _, Some(text)) | (line, Some(text), None) => {
                text.push_str(line);
                text.push('\n');
            }
            ("", None, None) => {}
            _ => return Err(direction.error("an edit is made of <<<, ===, >>> in this order")),
        }
    }
    if blocks.is_empty() || old.is_some() {
        return Err(direction.error("an edit needs at least one whole <<< === >>> block"));
    }
    Ok(blocks)
}
