//! The judged cuts as the files in `tests/judged` hold them: places, hashes and orders, no text.

use crate::error::GoldError;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::{Path, PathBuf};

/// One of the texts of a cut. Every cut has the first three.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The session's own.
    Own,
    /// The offline summarizer's.
    Offline,
    /// A bad one, made by a rule.
    Bad,
    /// One that a person wrote with care after reading the span.
    Good,
    /// One that a person wrote with the faults of a hasty model: vague, outdated in part, or wrong in
    /// a point.
    Fair,
    /// The careful one, spoiled by a rule.
    Spoiled,
}

impl Side {
    /// All, in the order of the tables.
    pub const ALL: [Side; 6] = [
        Side::Own,
        Side::Offline,
        Side::Bad,
        Side::Good,
        Side::Fair,
        Side::Spoiled,
    ];

    /// Those that every cut has.
    pub const OF_EVERY_CUT: [Side; 3] = [Side::Own, Side::Offline, Side::Bad];
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Side::Own => "own",
            Side::Offline => "offline",
            Side::Bad => "bad",
            Side::Good => "good",
            Side::Fair => "fair",
            Side::Spoiled => "spoiled",
        })
    }
}

/// What the session's own text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Own {
    /// The summary on the line of the cut.
    Summary,
    /// At a place without one: the last text of the model of some length.
    Report,
}

/// How the bad text is made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bad {
    /// The first third of the own text.
    FirstThird,
    /// General words that fit every session.
    Generic,
    /// The own summary of another session.
    Foreign {
        /// The other sample.
        source: String,
        /// 1-based line of its summary.
        line: usize,
    },
    /// The own text with a rule turned around and two files wrong.
    Twisted,
    /// Only the last message.
    LastMessage,
    /// The longest of its sections.
    Section,
    /// Every file, command, name and figure replaced by a general word.
    Vague,
    /// An earlier summary of the same session, or the own text of an earlier place.
    Outdated {
        /// 1-based line of the earlier summary, or of the last record before the earlier place.
        line: usize,
    },
}

/// The hashes of the texts that were judged.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Hashes {
    /// Of the own text.
    pub own: String,
    /// Of the offline text.
    pub offline: String,
    /// Of the bad text.
    pub bad: String,
    /// Of the text written with care.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub good: String,
    /// Of the hasty one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub fair: String,
    /// Of the spoiled one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub spoiled: String,
}

impl Hashes {
    /// The hash of one side.
    pub fn of(&self, side: Side) -> &str {
        match side {
            Side::Own => &self.own,
            Side::Offline => &self.offline,
            Side::Bad => &self.bad,
            Side::Good => &self.good,
            Side::Fair => &self.fair,
            Side::Spoiled => &self.spoiled,
        }
    }

    /// Where the hash of one side is stored.
    pub fn of_mut(&mut self, side: Side) -> &mut String {
        match side {
            Side::Own => &mut self.own,
            Side::Offline => &mut self.offline,
            Side::Bad => &mut self.bad,
            Side::Good => &mut self.good,
            Side::Fair => &mut self.fair,
            Side::Spoiled => &mut self.spoiled,
        }
    }
}

/// A judged cut.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Judged {
    /// The sample, below `samples` of the shared folder.
    pub source: String,
    /// 1-based line of the summary; at a place without one, of the last record of the span.
    pub line: usize,
    /// What the own text is.
    pub own: Own,
    /// How the bad text is made.
    pub bad: Bad,
    /// How the text written with care is spoiled, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spoiled: Option<Bad>,
    /// The texts that were judged.
    #[serde(default)]
    pub hashes: Hashes,
    /// Best first; equal ones stand together.
    #[serde(default)]
    pub order: Vec<Vec<Side>>,
    /// The order of a second judge, who knew neither the first one nor where the texts come from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub second: Vec<Vec<Side>>,
}

impl Judged {
    /// The pairs of which the judge preferred the first to the second.
    pub fn preferences(&self) -> Vec<(Side, Side)> {
        preferences(&self.order)
    }

    /// The same record as the second judge would have made it; `None` where there was none.
    pub fn by_second(&self) -> Option<Judged> {
        (!self.second.is_empty()).then(|| Judged {
            order: self.second.clone(),
            second: self.order.clone(),
            ..self.clone()
        })
    }

    /// Of the pairs that both judges put in an order, those in the same one, and all.
    pub fn agreement(&self) -> (usize, usize) {
        let (first, second) = (self.preferences(), preferences(&self.second));
        let same = first.iter().filter(|pair| second.contains(pair)).count();
        let turned = first.iter().filter(|(a, b)| second.contains(&(*b, *a)));
        (same, same + turned.count())
    }
}

fn preferences(order: &[Vec<Side>]) -> Vec<(Side, Side)> {
    let mut pairs = Vec::new();
    for (rank, group) in order.iter().enumerate() {
        for worse in order[rank + 1..].iter().flatten() {
            pairs.extend(group.iter().map(|better| (*better, *worse)));
        }
    }
    pairs
}

/// The name of a judged cut: that of its file.
pub fn name_of(path: &Path) -> String {
    let name = path.file_stem().map(|name| name.to_string_lossy());
    name.unwrap_or_default().into_owned()
}

/// Reads all judged cuts in `folder`, in the order of the files' names.
///
/// # Errors
/// A file that is no record of a judged cut.
pub fn read_all(folder: &Path) -> Result<Vec<(PathBuf, Judged)>, GoldError> {
    let failed = |path: &Path, reason: String| GoldError::Labels {
        path: path.to_path_buf(),
        reason,
    };
    let listing = std::fs::read_dir(folder).map_err(|error| failed(folder, error.to_string()))?;
    let mut paths: Vec<PathBuf> = listing.flatten().map(|item| item.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "json"));
    paths.sort();
    let read = |path: PathBuf| {
        let text = std::fs::read(&path).map_err(|error| failed(&path, error.to_string()))?;
        let record = serde_json::from_slice(&text);
        let record = record.map_err(|error| failed(&path, error.to_string()))?;
        Ok((path, record))
    };
    paths.into_iter().map(read).collect()
}
