//! Columns for a terminal.

use palimpsest_api::noun;
pub use palimpsest_api::thousands;
use std::fmt;

/// Widest column, in characters, that others are aligned to; a cell that is longer moves what stands behind
/// it. A damaged file can have a name of a megabyte, and no more than 65,535 can be asked of a formatter.
const MAX_WIDTH: usize = 100;

/// Rows in aligned columns; the last column is not padded.
pub struct Table {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
    right: Vec<usize>,
}

impl Table {
    /// A table with these headings.
    pub fn new<'a>(head: impl IntoIterator<Item = &'a str>) -> Table {
        Table {
            head: head.into_iter().map(str::to_owned).collect(),
            rows: Vec::new(),
            right: Vec::new(),
        }
    }

    /// Aligns these columns to the right.
    pub fn right(&mut self, columns: &[usize]) {
        self.right = columns.to_vec();
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = || std::iter::once(&self.head).chain(&self.rows);
        let widths: Vec<usize> = (0..self.head.len())
            .map(|column| {
                lines()
                    // Characters, not bytes: titles are in any language.
                    .filter_map(|row| Some(row.get(column)?.chars().count()))
                    .max()
                    .unwrap_or(0)
                    .min(MAX_WIDTH)
            })
            .collect();
        for row in lines() {
            let last = row.len().saturating_sub(1);
            for (column, cell) in row.iter().enumerate() {
                let width = widths[column];
                if self.right.contains(&column) {
                    write!(f, "{cell:>width$}")?;
                // The last column is free text; padding it would wrap lines of a narrow terminal.
                } else if column < last {
                    write!(f, "{cell:<width$}")?;
                } else {
                    write!(f, "{cell}")?;
                }
                if column < last {
                    write!(f, "  ")?;
                }
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

/// A time span: milliseconds below a second, else seconds with a decimal, from a minute on minutes.
pub fn duration(ms: u64) -> String {
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..60_000 => format!("{:.1} s", ms as f64 / 1_000.0),
        _ => format!("{} min {} s", ms / 60_000, ms / 1_000 % 60),
    }
}

/// A number of things, with the word for them.
pub fn counted(number: u64, one: &str, more: &str) -> String {
    format!("{} {}", thousands(number), noun(number, one, more))
}

/// Unix milliseconds as `2026-10-03 14:05`, in UTC.
pub fn time(at_ms: Option<i64>) -> String {
    let Some(at_ms) = at_ms else {
        return "-".to_owned();
    };
    let minutes = at_ms.div_euclid(60_000);
    let (days, minute) = (minutes.div_euclid(1_440), minutes.rem_euclid(1_440));
    let (year, month, day) = civil(days);
    format!(
        "{year:04}-{month:02}-{day:02} {:02}:{:02}",
        minute / 60,
        minute % 60
    )
}

/// The calendar date of a day counted from 1970-01-01 (proleptic Gregorian; eras of 400 years
/// that begin on 1 March, so that the leap day comes last).
fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

/// The first `width` characters of the first line, with an ellipsis when there is more.
pub fn short(text: &str, width: usize) -> String {
    let line = text.lines().next().unwrap_or("");
    if line.chars().count() <= width {
        return line.to_owned();
    }
    let cut: String = line.chars().take(width.saturating_sub(1)).collect();
    format!("{cut}…")
}

/// A number, or the word for its absence.
pub fn or(figure: Option<u64>, absent: &str) -> String {
    figure.map_or_else(|| absent.to_owned(), thousands)
}

/// A file of the user that cannot be used: why, and what to do about it.
pub(super) fn unusable(path: &str, reason: &str, hint: Option<String>) -> String {
    let hint = hint.map(|hint| format!(" ({hint})")).unwrap_or_default();
    format!("{path} cannot be used: {reason}{hint}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_of_any_length_is_printed() {
        let mut table = Table::new(["TOOL", "CALLS", "NOTE"]);
        table.right(&[1]);
        let long = "n".repeat(70_000);
        table.row([long.clone(), long.clone(), "last".to_owned()]);
        table.row(["read".to_owned(), "2".to_owned(), "last".to_owned()]);
        let printed = table.to_string();
        let lines: Vec<&str> = printed.lines().collect();
        assert_eq!(lines[1], format!("{long}  {long}  last"));
        assert_eq!(lines[2], format!("{:<100}  {:>100}  last", "read", "2"));
    }

    #[test]
    fn times_are_calendar_times() {
        assert_eq!(time(Some(0)), "1970-01-01 00:00");
        assert_eq!(time(Some(951_782_400_000)), "2000-02-29 00:00");
        assert_eq!(time(Some(1_795_273_499_000)), "2026-11-21 15:04");
        assert_eq!(time(None), "-");
    }
}
