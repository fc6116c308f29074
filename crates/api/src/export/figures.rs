//! The figures of a summary in a document.

use super::document::{Document, Part};
use super::ledger::short;
use crate::wire::{FigureView, FiguresView};

/// Lines of a figure that a document has; JSON has more.
const MOST_LINES: usize = 40;

/// A document of a ledger with the figures in front of the summary, which is its last heading.
pub(crate) fn with_figures(mut made: Document, view: &FiguresView) -> Document {
    let is_heading = |part: &Part| matches!(part, Part::Heading(2, _));
    let last = made.parts.iter().rposition(is_heading);
    let summary = made.parts.split_off(last.unwrap_or(made.parts.len()));
    made.heading(2, "Figures");
    let measured = view.figures.iter().filter(|own| own.absent.is_none());
    for figure in measured {
        made.parts.push(Part::Fold(title(figure), parts(figure)));
    }
    let absent = view.figures.iter();
    let absent = absent.filter_map(|own| {
        let reason = own.absent.as_ref()?;
        Some(format!("{} {}: {reason}", own.code, own.title))
    });
    let absent: Vec<String> = absent.collect();
    if !absent.is_empty() {
        made.heading(3, "Not measured");
        made.parts.push(Part::List(absent));
    }
    made.parts.extend(summary);
    made
}

fn title(figure: &FigureView) -> String {
    let first = figure.values.first();
    let value = first.map(|own| format!(": {}", own.text));
    format!(
        "{} {}{}",
        figure.code,
        figure.title,
        value.unwrap_or_default()
    )
}

fn parts(figure: &FigureView) -> Vec<Part> {
    let rows = figure.values.iter();
    let rows = rows.map(|own| vec![own.name.clone(), own.text.clone(), own.note.clone()]);
    let mut out = vec![
        Part::Text(figure.definition.clone()),
        Part::Table {
            head: ["Value", "", ""].map(str::to_owned).to_vec(),
            rows: rows.collect(),
            right: vec![1],
        },
    ];
    if figure.lines.is_empty() {
        return out;
    }
    let rows = figure.lines.iter().take(MOST_LINES);
    let rows = rows.map(|own| {
        let entry = own.entry_id.clone().unwrap_or_default();
        vec![short(&own.text), own.note.clone(), entry]
    });
    out.push(Part::Table {
        head: ["Line", "Counted as", "Entry"].map(str::to_owned).to_vec(),
        rows: rows.collect(),
        right: Vec::new(),
    });
    let more = figure.total_lines.saturating_sub(MOST_LINES as u64);
    if more > 0 {
        out.push(Part::Text(format!("{more} more lines are left out.")));
    }
    out
}
