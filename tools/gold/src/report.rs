//! The figures: what share of the labelled facts a ledger has, and how often it is right.

use crate::labels::{Fate, Kind, Label, LabelSet, Labelled};
use crate::matching::{Found, label_kind_is, pairs};
use palimpsest_core::ledger::Concern;
use std::collections::BTreeMap;
use std::fmt;

/// A share with its 95 % interval (Wilson).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Share {
    /// How many were right.
    pub right: usize,
    /// Of how many.
    pub of: usize,
}

impl Share {
    pub(crate) fn add(&mut self, right: bool) {
        self.right += usize::from(right);
        self.of += 1;
    }

    /// The share; `None` of nothing.
    pub fn value(self) -> Option<f64> {
        (self.of > 0).then(|| self.right as f64 / self.of as f64)
    }

    /// The ends of the interval that holds the true share in 95 of 100 samples.
    pub fn interval(self) -> Option<(f64, f64)> {
        const Z: f64 = 1.96;
        let share = self.value()?;
        let n = self.of as f64;
        let middle = share + Z * Z / (2.0 * n);
        let half = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
        let scale = 1.0 + Z * Z / n;
        Some(((middle - half) / scale, (middle + half) / scale))
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.value(), self.interval()) {
            (Some(share), Some((low, high))) => write!(
                f,
                "{:3.0} % ({} of {}, 95 %: {:.0} to {:.0})",
                share * 100.0,
                self.right,
                self.of,
                low * 100.0,
                high * 100.0
            ),
            _ => write!(f, "  - (none)"),
        }
    }
}

/// The figures of one or several compactions.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// Of the labelled facts those that the ledger has, by kind.
    pub recall: BTreeMap<Kind, Share>,
    /// Of the thirty heaviest facts of the ledger that stand in a stretch, those that are labelled.
    pub heaviest: Share,
    /// The same of the thirty heaviest facts of the whole ledger, as far as they stand in a stretch or
    /// are of a kind that is labelled in the whole span.
    pub first: Share,
    /// Of the ten dropped facts that a user sees first and that stand in a stretch, those that are
    /// not labelled.
    pub noise: Share,
    /// The same of the ten that the window shows first without unfolding, as far as they can be judged.
    pub first_noise: Share,
    /// Of the facts in both, those with the same fate.
    pub fates: Share,
    /// Counts by labelled fate and by the ledger's.
    pub confusion: BTreeMap<(Fate, Fate), usize>,
    /// Of the facts that were lost and needed, those that the ledger says are.
    pub needed_found: Share,
    /// Of the facts that the ledger says were lost and needed, those that are; only facts that are
    /// labelled.
    pub needed_right: Share,
}

/// How many facts a user looks at: the heaviest of a ledger, and the dropped ones shown first.
pub(crate) const HEAVIEST: usize = 30;
pub(crate) const FIRST: usize = 10;

impl Report {
    /// Measures what the ledger of a labelled session has; where a summary is known also the fates and
    /// what was needed again.
    pub fn add_labelled(&mut self, own: &Labelled, found: &[Found]) {
        if own.needs {
            // Only needs are labelled: `Needs` measures them.
        } else if own.uncompacted {
            self.add_recall(&own.first, found);
        } else {
            self.add(&own.first, found);
        }
    }

    fn add_recall(&mut self, set: &LabelSet, found: &[Found]) {
        for (label, pair) in set.labels.iter().zip(pairs(&set.labels, found)) {
            self.recall
                .entry(label.kind)
                .or_default()
                .add(pair.is_some());
        }
    }

    /// Measures one ledger against the labels of one person.
    pub fn add(&mut self, set: &LabelSet, found: &[Found]) {
        self.add_recall(set, found);
        // The second draw tells nothing of what was needed later.
        let tells_needs = set.labels.iter().any(|label| label.needed_line.is_some());
        for (label, pair) in set.labels.iter().zip(pairs(&set.labels, found)) {
            self.add_pair(label, pair.map(|at| &found[at]), tells_needs);
        }
        let labelled = labelled(set, found);
        let mut order: Vec<usize> = (0..found.len()).collect();
        // Stable, so that facts of one weight keep the order of the ledger.
        order.sort_by(|&a, &b| found[b].weight.total_cmp(&found[a].weight));
        for &at in order
            .iter()
            .filter(|&&at| in_stretch(set, &found[at]))
            .take(HEAVIEST)
        {
            self.heaviest.add(labelled[at]);
        }
        for &at in order.iter().take(HEAVIEST) {
            if judged(set, &found[at]) {
                self.first.add(labelled[at]);
            }
        }
        let mut lost: Vec<usize> = order;
        lost.retain(|&at| fate_of(&found[at]) == Fate::Dropped);
        lost.sort_by_key(|&at| found[at].concern);
        for &at in lost
            .iter()
            .filter(|&&at| found[at].concern < Concern::Rest)
            .take(FIRST)
        {
            if judged(set, &found[at]) {
                self.first_noise.add(!labelled[at]);
            }
        }
        lost.retain(|&at| in_stretch(set, &found[at]));
        for &at in lost.iter().take(FIRST) {
            self.noise.add(!labelled[at]);
        }
    }

    fn add_pair(&mut self, label: &Label, fact: Option<&Found>, tells_needs: bool) {
        let is_lost = label.fate != Fate::Kept;
        let is_needed = label.needed_line.is_some();
        let says_needed = fact.is_some_and(|fact| fact.needed && fate_of(fact) != Fate::Kept);
        if tells_needs && is_lost && is_needed {
            self.needed_found.add(says_needed);
        }
        if tells_needs && says_needed {
            self.needed_right.add(is_lost && is_needed);
        }
        if let Some(fact) = fact {
            let ours = fate_of(fact);
            self.fates.add(ours == label.fate);
            *self.confusion.entry((label.fate, ours)).or_default() += 1;
        }
    }

    /// Cohen's kappa of the fates; `None` where nothing was compared or chance explains all.
    pub fn kappa(&self) -> Option<f64> {
        let agreed = self.fates.value()?;
        let all = self.fates.of as f64;
        let sum = |fits: &dyn Fn(&(Fate, Fate)) -> bool| -> f64 {
            let counts = self.confusion.iter().filter(|(pair, _)| fits(pair));
            counts.map(|(_, count)| *count).sum::<usize>() as f64 / all
        };
        let by_chance: f64 = Fate::ALL
            .into_iter()
            .map(|fate| sum(&|pair| pair.0 == fate) * sum(&|pair| pair.1 == fate))
            .sum();
        (by_chance < 1.0).then(|| (agreed - by_chance) / (1.0 - by_chance))
    }
}

/// For each fact, whether a label names it.
fn labelled(set: &LabelSet, found: &[Found]) -> Vec<bool> {
    let named = |fact: &Found| {
        let mut labels = set.labels.iter();
        labels.any(|label| crate::matching::score(label, fact).is_some())
    };
    found.iter().map(named).collect()
}

/// True for a fact that stands where every fact is labelled, or is of a kind that is labelled in the
/// whole span.
fn judged(set: &LabelSet, fact: &Found) -> bool {
    in_stretch(set, fact) || is_complete(set, fact)
}

fn in_stretch(set: &LabelSet, fact: &Found) -> bool {
    fact.lines.first().is_some_and(|line| set.covers(*line))
}

fn is_complete(set: &LabelSet, fact: &Found) -> bool {
    let is_kind = |kind: &Kind| label_kind_is(*kind, &fact.kind);
    set.complete.iter().any(is_kind)
}

/// What a ledger misses and what no label names, line by line: only for looking at, as it holds
/// texts of the sample.
pub fn cases(set: &LabelSet, found: &[Found]) -> String {
    let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut out = String::new();
    for (label, pair) in set.labels.iter().zip(pairs(&set.labels, found)) {
        let quote = one_line(&label.quote);
        let (kind, line, fate) = (label.kind.name(), label.line, label.fate);
        match pair.map(|at| &found[at]) {
            None => out += &format!("  missed    {kind} {line} {fate:?}: {quote}\n"),
            Some(fact) if fate_of(fact) != fate => {
                let (status, text) = (&fact.status, one_line(&fact.text));
                let shown = one_line(&fact.shown);
                out += &format!(
                    "  fate      {kind} {line} {fate:?}, not {status}: {quote} / {text} / {shown}\n"
                );
            }
            Some(_) => {}
        }
    }
    for (label, pair) in set.labels.iter().zip(pairs(&set.labels, found)) {
        let Some(again) = label.needed_line.filter(|_| label.fate != Fate::Kept) else {
            continue;
        };
        let says = match pair.map(|at| &found[at]) {
            None => "no fact",
            Some(fact) if fate_of(fact) == Fate::Kept => "kept",
            Some(fact) if fact.needed => "found",
            Some(_) => "not needed",
        };
        let (kind, line, quote) = (label.kind.name(), label.line, one_line(&label.quote));
        out += &format!("  needed    {kind} {line} at {again}, {says}: {quote}\n");
    }
    let tells_needs = set.labels.iter().any(|label| label.needed_line.is_some());
    for (label, pair) in set.labels.iter().zip(pairs(&set.labels, found)) {
        let Some(fact) = pair.map(|at| &found[at]).filter(|_| tells_needs) else {
            continue;
        };
        let right = label.fate != Fate::Kept && label.needed_line.is_some();
        if fact.needed && fate_of(fact) != Fate::Kept && !right {
            let (kind, fate, quote) = (label.kind.name(), label.fate, one_line(&label.quote));
            let (line, again) = (label.line, label.needed_line);
            out += &format!("  not missed {kind} {line} {fate:?} {again:?}: {quote}\n");
        }
    }
    let named = found.iter().zip(labelled(set, found));
    for (fact, named) in named.filter(|(fact, _)| judged(set, fact)) {
        let (kind, line, weight) = (&fact.kind, fact.lines[0], fact.weight);
        let named = if named { "a label " } else { "no label" };
        let (status, text) = (&fact.status, one_line(&fact.text));
        out += &format!("  {named}  {kind} {line} {weight:.1} {status}: {text}\n");
    }
    out
}

/// The ten dropped facts that the window shows first and the thirty heaviest of all, wherever they
/// stand: only for looking at, as it holds texts of the sample.
pub fn first_seen(found: &[Found]) -> String {
    let mut order: Vec<&Found> = found.iter().collect();
    order.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    let mut lost = order.clone();
    lost.retain(|fact| fate_of(fact) == Fate::Dropped);
    lost.sort_by_key(|fact| fact.concern);
    lost.retain(|fact| fact.concern < Concern::Rest);
    let lost = lost.into_iter().take(FIRST);
    let lost = lost.map(|fact| told("dropped ", fact));
    let heavy = order.into_iter().take(HEAVIEST);
    lost.chain(heavy.map(|fact| told("heaviest", fact)))
        .collect()
}

/// All facts of a kind, as the wire names it.
pub fn of_kind(found: &[Found], kind: &str) -> String {
    let all = found.iter().filter(|fact| fact.kind == kind);
    all.map(|fact| told("fact    ", fact)).collect()
}

fn told(title: &str, fact: &Found) -> String {
    let (kind, weight, status) = (&fact.kind, fact.weight, &fact.status);
    let again = if fact.needed { " needed" } else { "" };
    let at = fact.lines.first().unwrap_or(&0);
    let text = fact.text.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("  {title} {kind} {at} {weight:.1} {status}{again}: {text}\n")
}

/// What the ledger says became of a fact, in the labellers' words.
pub fn fate_of(fact: &Found) -> Fate {
    match fact.status.as_str() {
        "verbatim" | "mentioned" => Fate::Kept,
        "partial" => Fate::Partial,
        "changed" => Fate::Changed,
        _ => Fate::Dropped,
    }
}

/// How far two people agree on the same stretches: of the facts of the first, those that the second
/// has as well, and of these the fates that are the same.
pub fn agreement(first: &LabelSet, second: &LabelSet) -> (Share, Share) {
    let (mut facts, mut fates) = (Share::default(), Share::default());
    let both =
        |label: &&Label| !label.outside && first.covers(label.line) && second.covers(label.line);
    for label in first.labels.iter().filter(both) {
        let others = second.labels.iter().filter(both);
        let same = others.filter(|other| other.kind == label.kind || is_near(label, other));
        let same = same
            .filter(|other| is_same(label, other))
            .max_by_key(|other| other.line == label.line);
        facts.add(same.is_some());
        if let Some(other) = same {
            fates.add(other.fate == label.fate);
        }
    }
    (facts, fates)
}

fn is_near(one: &Label, other: &Label) -> bool {
    let pair = (one.kind.min(other.kind), one.kind.max(other.kind));
    pair == (Kind::Request, Kind::Constraint) || pair == (Kind::Decision, Kind::Finding)
}

/// True for labels that name the same thing.
pub(crate) fn is_same(one: &Label, other: &Label) -> bool {
    let as_found = Found {
        kind: match other.kind {
            Kind::File => "path".to_owned(),
            Kind::Request => "user_request".to_owned(),
            kind => kind.name().to_owned(),
        },
        text: other.quote.clone(),
        own_words: other.quote.clone(),
        lines: vec![other.line],
        weight: 0.0,
        status: String::new(),
        needed: false,
        needed_at: Vec::new(),
        in_tail: false,
        concern: Concern::Rest,
        shown: String::new(),
    };
    crate::matching::score(one, &as_found).is_some()
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for kind in Kind::ALL {
            if let Some(share) = self.recall.get(&kind) {
                writeln!(f, "  recall, {:<12}{share}", kind.name())?;
            }
        }
        writeln!(f, "  heaviest that are facts  {}", self.heaviest)?;
        writeln!(f, "  of the whole ledger's    {}", self.first)?;
        writeln!(f, "  noise among the first    {}", self.noise)?;
        writeln!(f, "  of those the window shows {}", self.first_noise)?;
        writeln!(
            f,
            "  fates                    {}, kappa {}",
            self.fates,
            self.kappa()
                .map_or("-".to_owned(), |kappa| format!("{kappa:.2}"))
        )?;
        for label in Fate::ALL {
            let row = Fate::ALL.map(|ours| {
                let count = self.confusion.get(&(label, ours)).copied();
                format!("{:>5}", count.unwrap_or_default())
            });
            writeln!(f, "    {:<10}{}", format!("{label:?}"), row.concat())?;
        }
        writeln!(f, "  lost and needed, found   {}", self.needed_found)?;
        write!(f, "  lost and needed, right   {}", self.needed_right)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_narrow_with_the_number() {
        let few = Share { right: 9, of: 10 }.interval().unwrap();
        let many = Share {
            right: 900,
            of: 1_000,
        }
        .interval()
        .unwrap();
        assert!(few.0 < 0.61 && few.0 > 0.59 && few.1 < 0.99, "{few:?}");
        assert!(many.1 - many.0 < 0.04, "{many:?}");
        assert_eq!(Share::default().interval(), None);
    }

    #[test]
    fn kappa_is_zero_where_chance_explains_the_agreement() {
        let mut report = Report::default();
        for (pair, count) in [
            ((Fate::Kept, Fate::Kept), 81),
            ((Fate::Kept, Fate::Dropped), 9),
            ((Fate::Dropped, Fate::Kept), 9),
            ((Fate::Dropped, Fate::Dropped), 1),
        ] {
            report.confusion.insert(pair, count);
        }
        report.fates = Share { right: 82, of: 100 };
        assert!(report.kappa().unwrap().abs() < 1e-9);
    }
}
