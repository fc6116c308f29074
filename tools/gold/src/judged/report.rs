//! How often the comparison puts two texts in the judge's order, beside constant answers and a coin.

use crate::error::GoldError;
use crate::judged::record::{Judged, Side, name_of};
use crate::judged::scoring::{Figures, ORDERS, Order, figures, line};
use crate::judged::texts::{Places, Texts};
use palimpsest_lab::interval;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::PathBuf;

/// Seed of the intervals.
const SEED: u64 = 15;

/// All orders of `sides`: the answers that need no look at a text.
fn orders(sides: &[Side]) -> Vec<Vec<Side>> {
    let Some((first, rest)) = sides.split_first() else {
        return vec![Vec::new()];
    };
    let mut all = Vec::new();
    for order in orders(rest) {
        for at in 0..=order.len() {
            let mut order = order.clone();
            order.insert(at, *first);
            all.push(order);
        }
    }
    all
}

/// Points of one cut: of its judged pairs those in the judge's order, a tie counts half.
struct Points {
    right: f64,
    of: f64,
}

impl Points {
    /// Of the pairs of texts that are `known`.
    fn of(
        judged: &Judged,
        known: impl Fn(Side) -> bool,
        prefers: impl Fn(Side, Side) -> Ordering,
    ) -> Points {
        let mut pairs = judged.preferences();
        pairs.retain(|(better, worse)| known(*better) && known(*worse));
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

/// A judged cut with the figures of its texts.
pub struct Scored {
    /// The cut.
    pub judged: Judged,
    /// The figures of the texts that are there.
    pub figures: BTreeMap<Side, Figures>,
}

/// The judged cuts whose samples are there.
#[derive(Default)]
pub struct Gathered {
    /// The cuts.
    pub cuts: Vec<Scored>,
    /// Texts that are other ones than those that were judged.
    pub other_texts: usize,
    /// The lines about single cuts.
    pub text: String,
}

/// Reads all judged cuts and their figures; with `each` the figures of every text are listed.
///
/// # Errors
/// When a sample cannot be read.
pub fn gather(
    all: &[(PathBuf, Judged)],
    places: &Places,
    each: bool,
) -> Result<Gathered, GoldError> {
    let mut found = Gathered::default();
    for (path, judged) in all {
        let Some(texts) = Texts::of(&name_of(path), judged, places)? else {
            continue;
        };
        let others = texts
            .sides()
            .filter(|side| texts.hash(*side) != judged.hashes.of(*side));
        let others: Vec<String> = others.map(|side| side.to_string()).collect();
        if !others.is_empty() {
            found.other_texts += others.len();
            let _ = writeln!(
                found.text,
                "{} line {}: not the text that was judged: {}",
                judged.source,
                judged.line,
                others.join(", ")
            );
        }
        let figures = figures(&texts)?;
        if each {
            tell(&mut found.text, judged, &figures);
        }
        found.cuts.push(Scored {
            judged: judged.clone(),
            figures,
        });
    }
    Ok(found)
}

/// The judged order of a cut, and the figures of its texts.
fn tell(text: &mut String, judged: &Judged, figures: &BTreeMap<Side, Figures>) {
    let group = |group: &Vec<Side>| {
        let names: Vec<String> = group.iter().map(Side::to_string).collect();
        names.join(" = ")
    };
    let order: Vec<String> = judged.order.iter().map(group).collect();
    let _ = writeln!(
        text,
        "{} line {}: judged {}",
        judged.source,
        judged.line,
        order.join(" > ")
    );
    for (side, figures) in figures {
        let _ = writeln!(text, "  {:<8} {}", side.to_string(), line(figures));
        for claim in &figures.wrong {
            let _ = writeln!(text, "           {claim}");
        }
    }
}

/// What was measured.
pub struct Measured {
    /// The report in words.
    pub text: String,
    /// Cuts with judged pairs of these texts.
    pub cuts: usize,
    /// Pairs that were judged.
    pub pairs: usize,
    /// Share of the pairs that the window's headline orders right.
    pub right: f64,
    /// The same of the best constant answer.
    pub constant: f64,
}

impl Measured {
    /// Measures the comparison of the texts `sides` on `cuts`.
    pub fn of(cuts: &[&Scored], sides: &[Side]) -> Measured {
        let points = |prefers: &dyn Fn(&Scored, Side, Side) -> Ordering| -> Vec<Points> {
            let of = |own: &&Scored| {
                let known = |side| own.figures.contains_key(&side) && sides.contains(&side);
                Points::of(&own.judged, known, |a, b| prefers(own, a, b))
            };
            cuts.iter().map(of).collect()
        };
        let ordered = |order: Order| points(&|own, a, b| order(&own.figures[&a], &own.figures[&b]));
        let by_constant = |order: &Vec<Side>| {
            let rank = |side: Side| order.iter().position(|own| *own == side);
            points(&|_, a, b| rank(b).cmp(&rank(a)))
        };
        let there = cuts.iter().flat_map(|own| own.figures.keys().copied());
        let there: BTreeSet<Side> = there.filter(|side| sides.contains(side)).collect();
        let constants = orders(&there.into_iter().collect::<Vec<_>>());
        let best = constants
            .iter()
            .max_by(|a, b| share(&by_constant(a)).total_cmp(&share(&by_constant(b))));
        let best = best.cloned().unwrap_or_default();
        let constant = by_constant(&best);
        let pairs = constant.iter().map(|own| own.of as usize).sum();
        let mut text = format!("{} cuts, {pairs} judged pairs\n", cuts.len());
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
        Measured {
            text,
            cuts: cuts.len(),
            pairs,
            right: share(&ordered(ORDERS[0].1)),
            constant: share(&constant),
        }
    }
}
