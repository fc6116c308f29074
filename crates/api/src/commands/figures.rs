//! The figures of a summary for the wire.

use super::ledger::shelved;
use super::names;
use crate::numbers::{percent, tokens};
use crate::render::Utf16Offsets;
use crate::wire::*;
use palimpsest_app::measures::{Amount, FigureLine, FigureValue, Measured};
use palimpsest_app::summary::ShelvedLedger;
use palimpsest_app::{App, AppResult};
use palimpsest_core::words::thousands;

/// Lines sent per figure; the count says how many there are.
const MOST_LINES: usize = 300;

/// The figures of a summary.
pub(crate) fn figures(app: &App, request: FiguresRequest) -> AppResult<FiguresView> {
    let shelved = shelved(app, &request.session, &request.of)?;
    let run = match app.summary_name(&request.session, &request.of)? {
        entry if entry.starts_with("entry:") => None,
        run => Some(app.run_named(&run)?),
    };
    let made = app.figures(&shelved, run.as_ref())?;
    Ok(FiguresView {
        figures: made.iter().map(|own| view(&shelved, own)).collect(),
    })
}

fn view(shelved: &ShelvedLedger, own: &Measured) -> FigureView {
    let offsets = Utf16Offsets::new(&shelved.material.summary);
    let session = &shelved.open.session;
    let line = |line: &FigureLine| FigureLineView {
        text: line.text.clone(),
        note: line.note.clone(),
        fact_id: line
            .fact
            .and_then(|at| shelved.ledger.facts.get(at))
            .map(|fact| fact.id.clone()),
        entry_id: line.entry.map(|ix| names::id(session, ix)),
        range: line.range.as_ref().map(|range| offsets.range(range)),
    };
    FigureView {
        figure: own.figure,
        code: own.figure.code().to_owned(),
        title: own.figure.title().to_owned(),
        definition: own.figure.definition().to_owned(),
        reading: own.figure.reading().to_owned(),
        values: own.values.iter().map(value).collect(),
        lines: own.lines.iter().take(MOST_LINES).map(line).collect(),
        total_lines: own.lines.len() as u64,
        absent: own.absent.clone(),
    }
}

fn value(own: &FigureValue) -> FigureValueView {
    let (text, number, of, unit) = match own.amount {
        Amount::Share(share) => (exact_share(share), share, None, FigureUnit::Share),
        Amount::Of(part, whole) => (
            format!("{} of {}", thousands(part), thousands(whole)),
            part as f64,
            Some(whole),
            FigureUnit::Count,
        ),
        Amount::Count(count) => (thousands(count), count as f64, None, FigureUnit::Count),
        Amount::Tokens(count) => (tokens(count), count as f64, None, FigureUnit::Tokens),
        Amount::Number(number) => (format!("{number:.1}"), number, None, FigureUnit::Number),
        Amount::Millis(ms) => (time(ms), ms as f64, None, FigureUnit::Milliseconds),
        Amount::Usd(cost) => (format!("${cost:.4}"), cost, None, FigureUnit::Usd),
    };
    FigureValueView {
        name: own.name.clone(),
        text,
        number,
        of,
        unit,
        note: own.note.clone(),
    }
}

/// Shares of a few per cent have a decimal: recall of words is one of them.
fn exact_share(share: f64) -> String {
    if share > 0.0 && share < 0.1 {
        format!("{:.1} %", share * 100.0)
    } else {
        percent(share)
    }
}

/// `850 ms`, `12 s`, `4 min`, `3 h 10 min`.
fn time(ms: u64) -> String {
    let (seconds, minutes) = (ms / 1_000, ms / 60_000);
    match ms {
        0..2_000 => format!("{ms} ms"),
        2_000..120_000 => format!("{seconds} s"),
        120_000..7_200_000 => format!("{minutes} min"),
        _ => format!("{} h {} min", minutes / 60, minutes % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_with_their_units() {
        let text = |amount| {
            value(&FigureValue {
                name: String::new(),
                amount,
                note: String::new(),
            })
            .text
        };
        assert_eq!(text(Amount::Share(0.824)), "82 %");
        assert_eq!(text(Amount::Share(0.0123)), "1.2 %");
        assert_eq!(text(Amount::Of(3, 1_200)), "3 of 1,200");
        assert_eq!(text(Amount::Tokens(8_100)), "8,100 tokens");
        assert_eq!(text(Amount::Millis(11_400_000)), "3 h 10 min");
        assert_eq!(text(Amount::Usd(0.25)), "$0.2500");
    }
}
