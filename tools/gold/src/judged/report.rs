//! How often the comparison puts two texts in the judge's order, beside constant answers and a coin.

use crate::error::GoldError;
use crate::judged::record::{Judged, Side};
use crate::judged::scoring::{Figures, ORDERS, Order, figures, line};
use crate::judged::texts::Texts;
use palimpsest_lab::interval;
use std::cmp::Ordering;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Seed of the intervals.
const SEED: u64 = 15;

/// The orders that a constant answer can give.
const CONSTANTS: [[Side; 3]; 6] = [
    [Side::Own, Side::Offline, Side::Bad],
    [Side::Own, Side::Bad, Side::Offline],
    [Side::Offline, Side::Own, Side::Bad],
    [Side::Offline, Side::Bad, Side::Own],
    [Side::Bad, Side::Own, Side::Offline],
    [Side::Bad, Side::Offline, Side::Own],
];

/// Points of one cut: of its judged pairs those in the judge's order, a tie counts half.
struct Points {
    right: f64,
    of: f64,
}

impl Points {
    fn of(judged: &Judged, prefers: impl Fn(Side, Side) -> Ordering) -> Points {
        let pairs = judged.preferences();
        let right = pairs
            .iter()
            .map(|&(better, worse)| match prefers(better, worse) {
                Ordering::Greater => 1.0,
                Ordering::Equal => 0.5,
                Ordering::Less => 0.0,
            });
        Points {
            right: right.sum(),
            of: pairs.len() as f64,
        }
    }
}

fn share(points: &[Points]) -> f64 {
    let right: f64 = points.iter().map(|own| own.right).sum();
    right / points.iter().map(|own| own.of).sum::<f64>().max(1.0)
}

/// A share with an interval over cuts, because the pairs of one cut depend on each other.
fn told(points: &[Points]) -> String {
    let by_cut: Vec<f64> = points
        .iter()
        .filter(|own| own.of > 0.0)
        .map(|own| own.right / own.of)
        .collect();
    let interval = interval::of_mean(&by_cut, SEED);
    let ends = interval.map_or(String::new(), |own| {
        format!(
            ", 95 % over cuts: {:.0} to {:.0}",
            own.low * 100.0,
            own.high * 100.0
        )
    });
    format!("{:.0} %{ends}", share(points) * 100.0)
}

/// By how much an order is ahead of the constant answer, in points of a hundred, over cuts.
fn ahead(own: &[Points], constant: &[Points]) -> String {
    let pairs = own.iter().zip(constant).filter(|(own, _)| own.of > 0.0);
    let by_cut: Vec<f64> = pairs
        .map(|(own, other)| (own.right - other.right) / own.of)
        .collect();
    let mean = by_cut.iter().sum::<f64>() / by_cut.len().max(1) as f64;
    let ends = interval::of_mean(&by_cut, SEED);
    ends.map_or(String::new(), |ends| {
        format!(
            "; against the constant {:+.0} points, 95 %: {:+.0} to {:+.0}",
            mean * 100.0,
            ends.low * 100.0,
            ends.high * 100.0
        )
    })
}

/// What was measured.
pub struct Measured {
    /// The report in words.
    pub text: String,
    /// Cuts whose samples are there.
    pub cuts: usize,
    /// Pairs that were judged.
    pub pairs: usize,
    /// Texts that are other ones than those that were judged.
    pub other_texts: usize,
    /// Share of the pairs that the window's headline orders right.
    pub right: f64,
    /// The same of the best constant answer.
    pub constant: f64,
}

/// Measures the comparison on all judged cuts; with `each` the figures of every text are listed.
///
/// # Errors
/// When a sample cannot be read.
pub fn measure(
    all: &[(PathBuf, Judged)],
    shared: &Path,
    each: bool,
) -> Result<Measured, GoldError> {
    let mut text = String::new();
    let mut found: Vec<(&Judged, Vec<Figures>)> = Vec::new();
    let mut other_texts = 0;
    for (_, judged) in all {
        let Some(texts) = Texts::of(judged, shared)? else {
            continue;
        };
        let others = Side::ALL
            .iter()
            .filter(|side| texts.hash(**side) != judged.hashes.of(**side));
        let others: Vec<String> = others.map(Side::to_string).collect();
        if !others.is_empty() {
            other_texts += others.len();
            let _ = writeln!(
                text,
                "{} line {}: not the text that was judged: {}",
                judged.source,
                judged.line,
                others.join(", ")
            );
        }
        let own = figures(&texts)?;
        if each {
            let order: Vec<String> = judged
                .order
                .iter()
                .map(|group| {
                    let names: Vec<String> = group.iter().map(Side::to_string).collect();
                    names.join(" = ")
                })
                .collect();
            let _ = writeln!(
                text,
                "{} line {}: judged {}",
                judged.source,
                judged.line,
                order.join(" > ")
            );
            for (side, figures) in Side::ALL.iter().zip(&own) {
                let _ = writeln!(text, "  {:<8} {}", side.to_string(), line(figures));
                for claim in &figures.wrong {
                    let _ = writeln!(text, "           {claim}");
                }
            }
        }
        found.push((judged, own));
    }
    let ordered = |order: Order| -> Vec<Points> {
        let points = found.iter();
        points
            .map(|(judged, own)| {
                Points::of(judged, |a, b| order(&own[a as usize], &own[b as usize]))
            })
            .collect()
    };
    let by_constant = |order: &[Side; 3]| -> Vec<Points> {
        let rank = |side: Side| order.iter().position(|own| *own == side);
        let points = found.iter();
        points
            .map(|(judged, _)| Points::of(judged, |a, b| rank(b).cmp(&rank(a))))
            .collect()
    };
    let best = CONSTANTS
        .iter()
        .max_by(|a, b| share(&by_constant(a)).total_cmp(&share(&by_constant(b))));
    let best = best.unwrap_or(&CONSTANTS[0]);
    let constant = by_constant(best);
    let pairs = found
        .iter()
        .map(|(judged, _)| judged.preferences().len())
        .sum();
    let _ = writeln!(text, "{} cuts, {pairs} judged pairs", found.len());
    for (name, order) in ORDERS {
        let own = ordered(order);
        let _ = writeln!(
            text,
            "  {name:<36} {}{}",
            told(&own),
            ahead(&own, &constant)
        );
    }
    let names: Vec<String> = best.iter().map(Side::to_string).collect();
    let constant_name = format!("best constant ({})", names.join(" > "));
    let _ = writeln!(text, "  {constant_name:<36} {}", told(&constant));
    let _ = writeln!(text, "  {:<36} 50 %", "coin");
    Ok(Measured {
        text,
        cuts: found.len(),
        pairs,
        other_texts,
        right: share(&ordered(ORDERS[0].1)),
        constant: share(&constant),
    })
}
