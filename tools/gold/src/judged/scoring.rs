//! The order in which the program's comparison puts the texts of a cut.

use crate::error::GoldError;
use crate::judged::record::Side;
use crate::judged::texts::Texts;
use palimpsest_app::HeldFacts;
use palimpsest_app::claims::Verdict;
use palimpsest_app::summary::{Side as Compared, common_cuts};
use palimpsest_core::estimate::text_tokens;
use palimpsest_core::ledger::FactKind;
use palimpsest_core::score::{Score, ScorePart};
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// What the comparison says of one text.
#[derive(Debug, Clone)]
pub struct Figures {
    /// What the next request holds.
    pub held: HeldFacts,
    /// Identifiers without a source.
    pub introduced: usize,
    /// Sentences that the sources contradict, or that are outdated.
    pub wrong: Vec<String>,
    /// Size in tokens.
    pub tokens: u64,
    /// Share of the weight of all facts that is kept.
    pub retention: f64,
    /// The overall score with its parts.
    pub score: Option<Score>,
}

/// The figures of the texts of a cut, all on the same facts.
///
/// # Errors
/// When the sample cannot be read.
pub fn figures(texts: &Texts) -> Result<BTreeMap<Side, Figures>, GoldError> {
    let names: Vec<Side> = texts.sides().collect();
    let materials = names.iter().map(|side| texts.material(*side));
    let materials = materials.collect::<Result<Vec<_>, _>>()?;
    let sides: Vec<Compared<'_>> = materials
        .iter()
        .map(|material| Compared {
            material,
            texts: Vec::new(),
        })
        .collect();
    let cuts = common_cuts(&texts.open, &sides)?;
    let mut out = BTreeMap::new();
    for cut in &cuts {
        for (at, &side) in cut.sides.iter().enumerate() {
            let ledger = &cut.ledgers[at];
            let summary = &materials[side].summary;
            let is_wrong = |verdict| matches!(verdict, Verdict::Contradicted | Verdict::Stale);
            let wrong = cut.claims[at]
                .iter()
                .filter(|claim| is_wrong(claim.verdict));
            let wrong = wrong.map(|claim| {
                let told = summary[claim.range.clone()].trim();
                format!("{:?}: {told} ({})", claim.verdict, claim.reason)
            });
            let wrong: Vec<String> = wrong.collect();
            let figures = Figures {
                held: cut.held[at].clone(),
                introduced: ledger.introduced.len(),
                wrong,
                tokens: text_tokens(summary),
                retention: ledger.totals.retention.unwrap_or_default(),
                score: cut.scores[at].clone(),
            };
            out.insert(names[side], figures);
        }
    }
    Ok(out)
}

/// A way to put two texts in order; the greater is the better one.
pub type Order = fn(&Figures, &Figures) -> Ordering;

/// The orders that are measured, with their names: the one that the window shows first.
pub const ORDERS: [(&str, Order); 4] = [
    ("overall score", by_score),
    ("needed later, still held", by_needed),
    ("retained", by_retained),
    ("retained less wrong and unsourced", by_retained_and_right),
];

/// Points of a hundred that a claim which is wrong, a changed fact or a name without a source costs.
const COST: f64 = 2.0;

/// As the window shows it, in whole points.
fn by_score(a: &Figures, b: &Figures) -> Ordering {
    let shown = |own: &Figures| {
        let score = own.score.as_ref();
        score.map(|score| (score.overall * 100.0).round() as i64)
    };
    shown(a).cmp(&shown(b))
}

fn by_retained(a: &Figures, b: &Figures) -> Ordering {
    let shown = |own: &Figures| (own.retention * 100.0).round() as i64;
    shown(a).cmp(&shown(b))
}

fn by_retained_and_right(a: &Figures, b: &Figures) -> Ordering {
    let points = |own: &Figures| {
        let wrong = own.wrong.len() + own.held.changed + own.introduced;
        (own.retention * 100.0 - COST * wrong as f64).round() as i64
    };
    points(a).cmp(&points(b))
}

/// As the window shows needed later, still held, in whole points.
fn by_needed(a: &Figures, b: &Figures) -> Ordering {
    let shown = |own: &Figures| {
        own.held
            .needed_later
            .share()
            .map(|share| (share * 100.0).round() as i64)
    };
    shown(a).cmp(&shown(b))
}

/// One line of figures.
pub fn line(own: &Figures) -> String {
    let share =
        |share: Option<f64>| share.map_or("-".to_owned(), |share| format!("{:.0}", share * 100.0));
    let kinds = [
        FactKind::UserRequest,
        FactKind::Constraint,
        FactKind::Decision,
        FactKind::Finding,
        FactKind::Todo,
        FactKind::Error,
        FactKind::Path,
        FactKind::Command,
        FactKind::Symbol,
    ];
    let by_kind: Vec<String> = kinds
        .iter()
        .map(|kind| {
            let held = own.held.by_kind.get(kind);
            share(held.and_then(palimpsest_app::Held::share))
        })
        .collect();
    let part = |part: ScorePart| {
        let score = own.score.as_ref();
        share(score.and_then(|score| score.parts.get(&part).copied()))
    };
    let parts = ScorePart::ALL.map(|own| format!("{} {:>3}", own.name(), part(own)));
    let score = share(own.score.as_ref().map(|score| score.overall));
    format!(
        "score {score:>3} ({})  needed {:>3} of {:>2}  retained {:>3}  wrong {} changed {} introduced {:>3} tokens {:>5}  req/lim/dec/find/todo/err/path/cmd/sym {}",
        parts.join(", "),
        share(own.held.needed_later.share()),
        own.held.needed_later.facts,
        share(Some(own.retention)),
        own.wrong.len(),
        own.held.changed,
        own.introduced,
        own.tokens,
        by_kind.join(" ")
    )
}
