//! The figures of a summary as a table, or one with its lines.

use super::table::{Table, short, thousands};
use crate::ask::LedgerFigures;
use palimpsest_api::wire::FigureView;

/// Lines of a figure that are printed; JSON has more.
const MOST_LINES: usize = 60;

/// All values, then why the others were not measured; of one figure its lines as well.
pub fn figures(answer: &LedgerFigures) -> String {
    let mut out = format!("{}\n", answer.ledger.title);
    let mut table = Table::new(["", "figure", "value", ""]);
    table.right(&[2]);
    for figure in &answer.figures {
        for (at, value) in figure.values.iter().enumerate() {
            let (code, name) = match at {
                0 => (figure.code.clone(), value.name.clone()),
                _ => (String::new(), format!("  {}", value.name)),
            };
            table.row([code, name, value.text.clone(), value.note.clone()]);
        }
    }
    out += &table.to_string();
    for figure in &answer.figures {
        if let Some(reason) = &figure.absent {
            out += &format!("{} {}: not measured. {reason}\n", figure.code, figure.title);
        }
    }
    if answer.with_lines {
        answer.figures.iter().for_each(|own| out += &lines(own));
    }
    out
}

fn lines(figure: &FigureView) -> String {
    let mut out = format!(
        "\n{} ({}): {} {}\n",
        figure.title, figure.code, figure.definition, figure.reading
    );
    if figure.lines.is_empty() {
        return out;
    }
    let mut table = Table::new(["entry", "line", "counted as"]);
    for line in figure.lines.iter().take(MOST_LINES) {
        table.row([
            short(line.entry_id.as_deref().unwrap_or("-"), 12),
            short(&line.text, 90),
            line.note.clone(),
        ]);
    }
    out += &table.to_string();
    let shown = figure.lines.len().min(MOST_LINES) as u64;
    if figure.total_lines > shown {
        let more = thousands(figure.total_lines - shown);
        out += &format!("{more} more lines; --json has up to 300\n");
    }
    out
}
