//! An experiment as a file describes it.

use palimpsest_core::failure::{Failure, NextStep};
use palimpsest_core::unreadable::in_words;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// An experiment: rows, run at cuts, so many times each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// Its name; stored replies belong to it.
    pub name: String,
    /// The cuts.
    pub cuts: Cuts,
    /// The rows. Differences are taken against the first one.
    pub rows: Vec<RowSpec>,
    /// How often each row is run at each cut.
    #[serde(default = "one")]
    pub repeats: usize,
    /// Most that it may cost in dollars; without, it is not limited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_usd: Option<f64>,
    /// Runs made at the same time.
    #[serde(default = "four")]
    pub concurrent: usize,
    /// The seed of the intervals.
    #[serde(default)]
    pub seed: u64,
    /// What has to hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub thresholds: Vec<Threshold>,
}

/// The cuts of an experiment: one of a query, a list, and the name of a stored set.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Cuts {
    /// A query of sessions, such as `has:compaction agent:pi since:30d`: each compaction on the
    /// active path of each session is a cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// Most cuts that a query gives, newest sessions first; without, all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// The cuts one by one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub list: Vec<CutSpec>,
    /// The name of a stored set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set: Option<String>,
}

/// A place where contexts are cut.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CutSpec {
    /// The session: a file or an id.
    pub session: String,
    /// The entry: a compaction that is made again, or an entry to compact at.
    pub entry: String,
    /// For a branch summary the target entry; `entry` is the start entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
}

/// A row: how the summaries are made.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RowSpec {
    /// Its name.
    pub name: String,
    /// The strategy.
    pub strategy: String,
    /// Parameters.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub set: Map<String, Value>,
    /// Stored prompts by place, such as `prompts.first = "mine@3"`.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub prompts: Map<String, Value>,
    /// Custom instructions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// Whether they replace the prompt.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub replace_prompt: bool,
    /// The provider; without, the offline summarizer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Another address for the provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// How often this row is run at each cut, where that differs from the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeats: Option<usize>,
    /// The line of the file on which it begins, from 1, for errors; `None` where it is from no TOML.
    #[serde(skip)]
    pub line: Option<usize>,
}

impl RowSpec {
    /// How errors name it: `the row 'NAME' (line N)`.
    pub fn named(&self) -> String {
        let line = self
            .line
            .map_or_else(String::new, |line| format!(" (line {line})"));
        format!("the row '{}'{line}", self.name)
    }
}

/// Where the rows of an experiment stand in its text.
#[derive(Deserialize)]
struct Places {
    rows: Vec<toml::Spanned<toml::Table>>,
}

/// Something that has to hold of a row's mean, or of its mean difference to another row.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Threshold {
    /// The row.
    pub row: String,
    /// The row that is taken off, for a difference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub versus: Option<String>,
    /// The figure, such as `needed_later` or `retention.constraint`.
    pub metric: String,
    /// The least it may be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_least: Option<f64>,
    /// The most it may be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_most: Option<f64>,
}

fn one() -> usize {
    1
}

fn four() -> usize {
    4
}

/// Why a text is no experiment.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExperimentError {
    /// It is no TOML, or has other fields.
    #[error("the experiment file has a mistake ({0})")]
    Unreadable(String),
    /// A field has a value that means nothing.
    #[error("the experiment has {0}")]
    Wrong(String),
}

impl Failure for ExperimentError {
    fn next(&self) -> Option<NextStep> {
        Some(NextStep::CorrectFile)
    }
}

/// What the parser says, with the word of TOML for an object.
fn in_toml(said: &str) -> String {
    in_words(said).replace("an object", "a table")
}

impl Experiment {
    /// Reads an experiment from TOML.
    ///
    /// Errors: [`ExperimentError`], also for one without rows, cuts or repeats, and for names that
    /// are empty, twice or unknown.
    pub fn from_toml(text: &str) -> Result<Experiment, ExperimentError> {
        let read: Experiment = toml::from_str(text).map_err(|error| {
            let before = error.span().and_then(|span| text.get(..span.start));
            ExperimentError::Unreadable(match before {
                Some(before) => {
                    let line = before.matches('\n').count() + 1;
                    let own = text.lines().nth(line - 1).unwrap_or_default();
                    let told = in_toml(error.message());
                    match own.split_once('=').map(|(key, _)| key.trim()) {
                        Some(key) if !key.is_empty() && !told.contains(key) => {
                            format!("line {line}, {key}: {told}")
                        }
                        _ => format!("line {line}: {told}"),
                    }
                }
                // A table that is missing stands nowhere.
                None => in_toml(error.message()),
            })
        })?;
        let mut read = read;
        // The text is parsed a second time for the places of its rows, which the first reading does not keep.
        if let Ok(places) = toml::from_str::<Places>(text) {
            for (row, place) in read.rows.iter_mut().zip(places.rows) {
                let before = text.get(..place.span().start).unwrap_or_default();
                row.line = Some(before.matches('\n').count() + 1);
            }
        }
        read.checked()
    }

    /// The experiment, if it can be run.
    ///
    /// Errors: as [`Experiment::from_toml`].
    pub fn checked(self) -> Result<Experiment, ExperimentError> {
        let wrong = |what: String| Err(ExperimentError::Wrong(what));
        let given = [
            self.cuts.query.is_some(),
            !self.cuts.list.is_empty(),
            self.cuts.set.is_some(),
        ];
        if given.iter().filter(|is_given| **is_given).count() != 1 {
            return wrong(
                "no cuts, or several kinds of them: give a query, a list or a set".into(),
            );
        }
        if self.rows.is_empty() {
            return wrong("no rows".into());
        }
        if self.name.trim().is_empty() {
            return wrong("no name".into());
        }
        let mut names = BTreeSet::new();
        for (at, row) in self.rows.iter().enumerate() {
            let parts = [("name", &row.name), ("strategy", &row.strategy)];
            let missing = parts.iter().find(|(_, value)| value.trim().is_empty());
            if let Some((part, _)) = missing {
                return wrong(format!("no {part} in row {}", at + 1));
            }
            if !names.insert(row.name.as_str()) {
                return wrong(format!("two rows with one name: {}", row.named()));
            }
            if row.repeats == Some(0) {
                return wrong(format!(
                    "repeats = 0 in {}, which must be 1 or more",
                    row.named()
                ));
            }
        }
        if self.repeats == 0 {
            return wrong("repeats = 0, which must be 1 or more".into());
        }
        for threshold in &self.thresholds {
            let named = [Some(&threshold.row), threshold.versus.as_ref()];
            for name in named.into_iter().flatten() {
                if !names.contains(name.as_str()) {
                    return wrong(format!("a threshold for '{name}', which is no row"));
                }
            }
            if threshold.at_least.is_none() && threshold.at_most.is_none() {
                return wrong(format!(
                    "a threshold of '{}' without a number",
                    threshold.metric
                ));
            }
        }
        Ok(self)
    }

    /// How often `row` is run at each cut.
    pub fn repeats_of(&self, row: usize) -> usize {
        let own = self.rows.get(row).and_then(|row| row.repeats);
        own.unwrap_or(self.repeats)
    }

    /// The names of the rows.
    pub fn names(&self) -> Vec<String> {
        self.rows.iter().map(|row| row.name.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"
        name = "shorter prompt"
        repeats = 2
        budget_usd = 1.5
        [cuts]
        query = "has:compaction agent:pi"
        limit = 20
        [[rows]]
        name = "base"
        strategy = "pi"
        set = { keep_recent_tokens = 475 }
        [[rows]]
        name = "short"
        strategy = "pi"
        instructions = "At most ten lines."
        provider = "mine"
        model = "m"
        repeats = 3
        [[thresholds]]
        row = "short"
        versus = "base"
        metric = "needed_later"
        at_least = -0.05
    "#;

    #[test]
    fn a_file_is_read() {
        let read = Experiment::from_toml(TEXT);
        let read = read.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((read.repeats_of(0), read.repeats_of(1)), (2, 3));
        assert_eq!(read.rows[0].set["keep_recent_tokens"], 475);
        assert_eq!(read.cuts.limit, Some(20));
        assert_eq!(read.thresholds[0].at_least, Some(-0.05));
        assert_eq!(read.names(), ["base", "short"]);
        let lines: Vec<_> = read.rows.iter().map(|row| row.line).collect();
        // The header of a row is the line above its name, so that its place from 0 is its line.
        let begins = |name: &str| TEXT.lines().position(|line| line.contains(name));
        assert_eq!(
            lines,
            [begins("name = \"base\""), begins("name = \"short\"")]
        );
        assert!(read.rows[0].named().starts_with("the row 'base' (line "));
    }

    #[test]
    fn what_cannot_be_run_is_refused_with_the_reason() {
        let cases = [
            (
                "name = \"base\"",
                "name = \"short\"",
                "two rows with one name: the row 'short'",
            ),
            (
                "versus = \"base\"",
                "versus = \"bass\"",
                "a threshold for 'bass', which is no row",
            ),
            (
                "at_least = -0.05",
                "",
                "a threshold of 'needed_later' without a number",
            ),
            ("repeats = 2", "repeats = 0", "which must be 1 or more"),
            (
                "query = ",
                "set = \"s\"\n query = ",
                "no cuts, or several kinds of them",
            ),
            (
                "repeats = 2",
                "repeats = \"two\"",
                "line 3, repeats: expected a whole number, 0 or more, but found the text 'two'",
            ),
            (
                "model = \"m\"",
                "modell = \"m\"",
                "line 17: the key 'modell' does not exist here",
            ),
        ];
        for (from, to, reason) in cases {
            let error = Experiment::from_toml(&TEXT.replacen(from, to, 1));
            let error = error
                .err()
                .map(|error| error.to_string())
                .unwrap_or_default();
            assert!(error.contains(reason), "{to}: {error}");
        }
    }
}
