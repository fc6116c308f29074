//! What the cells of an experiment say: per row mean and spread, and paired differences of rows.

use crate::experiment::Threshold;
use crate::interval::{Interval, of_mean};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The name of a figure, such as `needed_later` or `retention.constraint`.
pub type Metric = String;

/// The outcome of one row at one cut in one repeat.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Cell {
    /// Which row, from 0.
    pub row: usize,
    /// Which cut, from 0.
    pub cut: usize,
    /// Which repeat, from 0.
    pub repeat: usize,
    /// Its figures; empty for a run that failed, which wins nothing and counts in no mean.
    pub figures: BTreeMap<Metric, f64>,
}

/// A figure of a row over all cuts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Spread {
    /// Cuts that have it.
    pub cuts: usize,
    /// The mean over cuts, each with the mean of its repeats.
    pub mean: f64,
    /// Standard deviation over cuts; 0 for one.
    pub deviation: f64,
    /// Standard deviation over the repeats of a cut, pooled; absent without repeats.
    pub repeat_deviation: Option<f64>,
}

/// The figures of a row.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct RowFigures {
    /// Cells with figures.
    pub done: usize,
    /// Cells whose run failed.
    pub failed: usize,
    /// Each figure.
    pub figures: BTreeMap<Metric, Spread>,
}

/// A row minus another, cut by cut.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Difference {
    /// The row.
    pub row: usize,
    /// The row that is taken off.
    pub versus: usize,
    /// The figure.
    pub metric: Metric,
    /// Cuts at which both have it.
    pub cuts: usize,
    /// The mean difference.
    pub mean: f64,
    /// Its 95 % interval; absent for fewer than three cuts.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
}

/// Whether a threshold was met.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verdict {
    /// The threshold.
    pub threshold: Threshold,
    /// The figure held against it; absent where no cell has it, which misses the threshold.
    pub found: Option<f64>,
    /// True when it was met.
    pub met: bool,
}

/// An experiment's outcome.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Table {
    /// The rows, in the experiment's order.
    pub rows: Vec<RowFigures>,
    /// Every row against the first one, figure by figure.
    pub differences: Vec<Difference>,
    /// The thresholds, in the experiment's order.
    pub verdicts: Vec<Verdict>,
}

impl Table {
    /// The table of `cells`. `names` are those of the rows; `seed` is that of the intervals.
    pub fn of(cells: &[Cell], names: &[String], thresholds: &[Threshold], seed: u64) -> Table {
        let rows: Vec<RowFigures> = (0..names.len()).map(|row| figures(cells, row)).collect();
        let mut differences = Vec::new();
        for row in 1..names.len() {
            let metrics: BTreeSet<&Metric> = rows[row].figures.keys().collect();
            let both = metrics.into_iter();
            let both = both.filter(|metric| rows[0].figures.contains_key(*metric));
            differences.extend(both.filter_map(|metric| difference(cells, row, 0, metric, seed)));
        }
        let verdicts = thresholds
            .iter()
            .map(|threshold| verdict(cells, names, &rows, threshold, seed))
            .collect();
        Table {
            rows,
            differences,
            verdicts,
        }
    }

    /// True when every threshold was met.
    pub fn all_met(&self) -> bool {
        self.verdicts.iter().all(|verdict| verdict.met)
    }
}

/// The mean of a row's repeats at each cut that has the figure.
fn by_cut(cells: &[Cell], row: usize, metric: &str) -> BTreeMap<usize, Vec<f64>> {
    let mut found: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
    for cell in cells.iter().filter(|cell| cell.row == row) {
        if let Some(&value) = cell.figures.get(metric) {
            found.entry(cell.cut).or_default().push(value);
        }
    }
    found
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// The sum of squared distances from the mean.
fn squares(values: &[f64]) -> f64 {
    let middle = mean(values);
    values.iter().map(|value| (value - middle).powi(2)).sum()
}

fn figures(cells: &[Cell], row: usize) -> RowFigures {
    let own: Vec<&Cell> = cells.iter().filter(|cell| cell.row == row).collect();
    let metrics: BTreeSet<&Metric> = own.iter().flat_map(|cell| cell.figures.keys()).collect();
    let failed = own.iter().filter(|cell| cell.figures.is_empty()).count();
    RowFigures {
        done: own.len() - failed,
        failed,
        figures: metrics
            .into_iter()
            .map(|metric| (metric.clone(), spread(&by_cut(cells, row, metric))))
            .collect(),
    }
}

fn spread(by_cut: &BTreeMap<usize, Vec<f64>>) -> Spread {
    let means: Vec<f64> = by_cut.values().map(|values| mean(values)).collect();
    let freedom: usize = by_cut.values().map(|values| values.len() - 1).sum();
    let within: f64 = by_cut.values().map(|values| squares(values)).sum();
    let others = means.len().saturating_sub(1).max(1) as f64;
    Spread {
        cuts: means.len(),
        mean: mean(&means),
        deviation: (squares(&means) / others).sqrt(),
        repeat_deviation: (freedom > 0).then(|| (within / freedom as f64).sqrt()),
    }
}

fn difference(
    cells: &[Cell],
    row: usize,
    versus: usize,
    metric: &str,
    seed: u64,
) -> Option<Difference> {
    let (own, other) = (by_cut(cells, row, metric), by_cut(cells, versus, metric));
    let pairs = own
        .iter()
        .filter_map(|(cut, values)| Some(mean(values) - mean(other.get(cut)?)));
    let pairs: Vec<f64> = pairs.collect();
    if pairs.is_empty() {
        return None;
    }
    let interval: Option<Interval> = of_mean(&pairs, seed);
    Some(Difference {
        row,
        versus,
        metric: metric.to_owned(),
        cuts: pairs.len(),
        mean: mean(&pairs),
        low: interval.map(|own| own.low),
        high: interval.map(|own| own.high),
    })
}

fn verdict(
    cells: &[Cell],
    names: &[String],
    rows: &[RowFigures],
    threshold: &Threshold,
    seed: u64,
) -> Verdict {
    let number = |name: &str| names.iter().position(|own| own == name);
    let found = number(&threshold.row).and_then(|row| match &threshold.versus {
        None => rows[row]
            .figures
            .get(&threshold.metric)
            .map(|spread| spread.mean),
        Some(versus) => {
            let found = difference(cells, row, number(versus)?, &threshold.metric, seed)?;
            Some(found.mean)
        }
    });
    Verdict {
        met: found.is_some_and(|value| {
            threshold.at_least.is_none_or(|least| value >= least)
                && threshold.at_most.is_none_or(|most| value <= most)
        }),
        threshold: threshold.clone(),
        found,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(row: usize, cut: usize, repeat: usize, value: f64) -> Cell {
        Cell {
            row,
            cut,
            repeat,
            figures: BTreeMap::from([("kept".to_owned(), value)]),
        }
    }

    fn names() -> Vec<String> {
        ["a", "b"].map(str::to_owned).to_vec()
    }

    #[test]
    fn differences_are_paired_by_cut() {
        let mut cells = Vec::new();
        for cut in 0..4 {
            let base = cut as f64;
            cells.push(cell(0, cut, 0, base));
            cells.push(cell(0, cut, 1, base + 1.0));
            cells.push(cell(1, cut, 0, base + 1.0));
        }
        // A cut that only one row has is in no difference.
        cells.push(cell(1, 9, 0, 100.0));
        // A failed run is in no mean.
        cells.push(Cell {
            row: 1,
            cut: 0,
            repeat: 1,
            ..Cell::default()
        });
        let table = Table::of(&cells, &names(), &[], 1);
        let kept = table.rows[0].figures["kept"];
        assert_eq!((kept.cuts, kept.mean), (4, 2.0));
        assert_eq!(kept.repeat_deviation, Some(0.5_f64.sqrt()));
        assert_eq!((table.rows[1].done, table.rows[1].failed), (5, 1));
        let found = &table.differences[0];
        assert_eq!((found.cuts, found.mean), (4, 0.5));
        assert_eq!((found.low, found.high), (Some(0.5), Some(0.5)));
    }

    #[test]
    fn thresholds_are_held_against_means_and_differences() {
        let cells: Vec<Cell> = (0..4)
            .flat_map(|cut| [cell(0, cut, 0, 0.5), cell(1, cut, 0, 0.7)])
            .collect();
        let threshold = |row: &str, versus: Option<&str>, at_least: f64| Threshold {
            row: row.to_owned(),
            versus: versus.map(str::to_owned),
            metric: "kept".to_owned(),
            at_least: Some(at_least),
            at_most: None,
        };
        let thresholds = [
            threshold("a", None, 0.5),
            threshold("a", None, 0.51),
            threshold("b", Some("a"), 0.19),
            threshold("b", Some("a"), 0.3),
        ];
        let table = Table::of(&cells, &names(), &thresholds, 1);
        let met: Vec<bool> = table.verdicts.iter().map(|own| own.met).collect();
        assert_eq!(met, [true, false, true, false]);
        assert!(!table.all_met());
        let unknown = Threshold {
            metric: "other".to_owned(),
            ..threshold("a", None, 0.0)
        };
        let table = Table::of(&cells, &names(), &[unknown], 1);
        assert!(!table.all_met(), "a figure that nobody has misses");
    }
}
