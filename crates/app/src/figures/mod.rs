//! The figures of a summary: those of its ledger, and those that records, runs and chains have.

mod headings;
#[cfg(test)]
mod tests;

use crate::error::Result;
use crate::flags::before_compaction;
use crate::presets::strategy_of;
use crate::run::RunRecord;
use crate::summary::{Material, ShelvedLedger, reorientation};
use crate::workspace::App;
use headings::headings_of;
use palimpsest_core::estimate::text_tokens;
use palimpsest_core::figure::Figure;
use palimpsest_core::words::{noun, thousands};
use palimpsest_core::{Entry, EntryIx, EntryKind, Usage};
use palimpsest_ledger::measures::{
    Amount, FigureLine, ListedFiles, Measured, MeasuredBy, measure, stability,
};
use palimpsest_store::user::RunStatus;

/// Most entries listed with the compression.
const MOST_ENTRIES: usize = 100;

impl App {
    /// All figures of a summary, in the order of [`Figure::ALL`]; `of` is the run that made it, where
    /// a run did.
    pub fn figures(
        &self,
        shelved: &ShelvedLedger,
        of: Option<&RunRecord>,
    ) -> Result<Vec<Measured>> {
        let (open, material) = (&shelved.open, &shelved.material);
        let strategy = of.map_or(strategy_of(open.session.meta.agent), |run| {
            run.plan.strategy.as_str()
        });
        let headings = self.preset(strategy).map(|preset| headings_of(&preset));
        let entry = material.of_entry.map(|ix| open.session.entry(ix));
        let by = MeasuredBy {
            // A strategy that was deleted asks for nothing that is known.
            headings: &headings.unwrap_or_default(),
            listed: entry.and_then(listed),
        };
        let mut made = material.with_input(&material.summary, |input| {
            measure(input, &shelved.ledger, by)
        });
        if shelved.ledger.totals.retention.is_none() {
            incomplete(&mut made, material);
        }
        made.push(compression(shelved, of));
        made.push(self.decay(shelved));
        made.push(cost(entry, of));
        made.push(self.agreement(shelved, of)?);
        made.push(reoriented(shelved));
        let missing = Figure::ALL.into_iter().filter(|own| own.needs_model());
        made.extend(
            missing
                .map(|figure| Measured::absent(figure, "A model is needed to answer or to judge.")),
        );
        made.sort_by_key(|own| Figure::ALL.iter().position(|figure| *figure == own.figure));
        Ok(made)
    }

    /// D14, where the compactions of the session were followed before.
    fn decay(&self, shelved: &ShelvedLedger) -> Measured {
        let (open, entry) = (&shelved.open, shelved.material.of_entry);
        let made = self.last_chain.get().filter(|made| {
            made.open.id == open.id
                && made.open.generation == open.generation
                && made.columns.iter().any(|own| Some(own.entry) == entry)
        });
        let Some(made) = made else {
            return Measured::absent(
                Figure::ChainDecay,
                match entry {
                    Some(_) => "The facts are followed over all compactions on request.",
                    None => "It is measured for the compactions of the session.",
                },
            );
        };
        let mut out = Measured::new(Figure::ChainDecay);
        let first = made.chain.lives.iter().filter(|life| life.born == 0);
        let facts = first.clone().count();
        for (at, share) in made.chain.decay().into_iter().enumerate().rev() {
            out.noted(
                format!("After compaction {}", at + 1),
                Amount::Share(share),
                format!("of {facts} facts of the first span"),
            );
        }
        let lines = first.map(|life| FigureLine {
            text: life.fact.text.clone(),
            note: match life.died() {
                Some(at) => format!("lost at compaction {}", at + 1),
                None => "still there".to_owned(),
            },
            entry: life.fact.places.first().map(|place| place.entry),
            ..FigureLine::default()
        });
        out.lines = lines.collect();
        out
    }

    /// D16, over the runs of the same strategy and model on the same entries.
    fn agreement(&self, shelved: &ShelvedLedger, of: Option<&RunRecord>) -> Result<Measured> {
        let Some(of) = of else {
            return Ok(Measured::absent(
                Figure::Stability,
                "The agent made this summary once. It is measured for repeated runs of a strategy.",
            ));
        };
        let same = |run: &RunRecord| {
            let (row, own) = (&run.row, &of.row);
            row.status == RunStatus::Done
                && row.strategy == own.strategy
                && row.params == own.params
                && row.model == own.model
                && row.instructions == own.instructions
                && run.plan.summarize_ids == of.plan.summarize_ids
                && run.details.edited.is_none()
        };
        let runs = self.runs(Some(&shelved.open.id))?;
        let runs = runs.iter().filter(|run| same(run));
        let summaries: Vec<&str> = runs.filter_map(RunRecord::own_summary).collect();
        Ok(stability(&summaries))
    }
}

/// Without the span nothing is said of what was kept of it.
fn incomplete(made: &mut [Measured], material: &Material) {
    let reason = if material.cut.summarized.is_empty() {
        "What the summary stands for is not in the file."
    } else {
        "The source is incomplete: the file contains far less than the agent recorded."
    };
    for own in made {
        let of_summary = matches!(own.figure, Figure::Sections | Figure::Redundancy);
        if !of_summary {
            *own = Measured::absent(own.figure, reason);
        }
    }
}

fn listed(entry: &Entry) -> Option<ListedFiles<'_>> {
    let EntryKind::Compaction(info) = &entry.kind else {
        return None;
    };
    let lists = ListedFiles {
        read: &info.read_files,
        modified: &info.modified_files,
    };
    (!lists.read.is_empty() || !lists.modified.is_empty()).then_some(lists)
}

/// D1: the summary by its span, and the context before and after.
fn compression(shelved: &ShelvedLedger, of: Option<&RunRecord>) -> Measured {
    let ShelvedLedger { open, material, .. } = shelved;
    let (span, summary) = (material.span_tokens(), text_tokens(&material.summary));
    if span == 0 {
        return Measured::absent(Figure::Compression, "Nothing is summarized.");
    }
    let mut out = Measured::new(Figure::Compression);
    out.noted(
        "Summary by span",
        Amount::Share(summary as f64 / span as f64),
        "",
    );
    out.value("Summary", Amount::Tokens(summary));
    out.value("Span", Amount::Tokens(span));
    let is_compaction = |ix: &EntryIx| {
        matches!(open.session.entry(*ix).kind, EntryKind::Compaction(_)) && open.sizes_summaries()
    };
    let sizes = match (material.of_entry.filter(is_compaction), of) {
        (Some(ix), _) => {
            let before = before_compaction(open, ix).tokens;
            Some((before, open.after_compaction(ix).tokens))
        }
        (None, Some(run)) if run.details.edited.is_none() => Some((
            run.plan.sizes().before,
            run.plan.next_request_tokens(summary),
        )),
        _ => None,
    };
    if let Some((before, after)) = sizes {
        out.value("Context before", Amount::Tokens(before));
        out.value("Context after", Amount::Tokens(after));
    }
    let mut entries: Vec<(EntryIx, u64)> = material
        .cut
        .summarized
        .iter()
        .map(|&ix| (ix, open.session.entry(ix).estimate()))
        .collect();
    entries.sort_by_key(|(ix, tokens)| (std::cmp::Reverse(*tokens), *ix));
    out.lines = entries
        .into_iter()
        .take(MOST_ENTRIES)
        .map(|(ix, tokens)| FigureLine {
            text: named(open.session.entry(ix)),
            note: format!("{} {}", thousands(tokens), noun(tokens, "token", "tokens")),
            entry: Some(ix),
            ..FigureLine::default()
        })
        .collect();
    out
}

/// An entry in a word: who speaks, or the tools that it calls.
fn named(entry: &Entry) -> String {
    let tools: Vec<&str> = entry.tool_calls.iter().map(|call| &*call.name).collect();
    match entry.role() {
        Some(role) if tools.is_empty() => format!("{} entry", role.name()),
        Some(_) => format!("call of {}", tools.join(", ")),
        None => entry.kind.name().replace('_', " "),
    }
}

/// What calls used, by the parts of their tokens.
fn used(out: &mut Measured, usage: &Usage, elapsed_ms: Option<u64>) {
    out.value("Input", Amount::Tokens(usage.input));
    if usage.cache_read > 0 {
        out.value("Input from the cache", Amount::Tokens(usage.cache_read));
    }
    if usage.cache_write > 0 {
        out.value("Input to the cache", Amount::Tokens(usage.cache_write));
    }
    out.value("Output", Amount::Tokens(usage.output));
    if let Some(elapsed) = elapsed_ms {
        out.value("Time", Amount::Millis(elapsed));
    }
    if let Some(cost) = usage.cost_usd {
        out.value("Price", Amount::Usd(cost));
    }
}

/// D15: of a run what its calls used, of a compaction what its record says.
fn cost(entry: Option<&Entry>, of: Option<&RunRecord>) -> Measured {
    let mut out = Measured::new(Figure::Cost);
    if let Some(run) = of.filter(|run| run.details.edited.is_none()) {
        out.value("Calls", Amount::Count(run.calls.len() as u64));
        used(&mut out, &run.row.usage, Some(run.details.elapsed_ms));
        let calls = run.calls.iter().enumerate();
        out.lines = calls
            .map(|(at, call)| FigureLine {
                text: format!("Call {}", at + 1),
                note: format!(
                    "{} input, {} output tokens, {} ms",
                    call.usage.input, call.usage.output, call.elapsed_ms
                ),
                ..FigureLine::default()
            })
            .collect();
        return out;
    }
    let elapsed = entry.and_then(|entry| match &entry.kind {
        EntryKind::Compaction(info) => info.duration_ms,
        _ => None,
    });
    // pi stores what its call used in the record of the summary.
    let recorded = entry.filter(|entry| entry.kind.summary().is_some());
    if let Some(usage) = recorded.and_then(|entry| entry.usage.as_ref()) {
        used(&mut out, usage, elapsed);
        return out;
    }
    if let Some(elapsed) = elapsed {
        out.noted(
            "Time",
            Amount::Millis(elapsed),
            "the agent records no tokens of the call",
        );
        return out;
    }
    Measured::absent(
        Figure::Cost,
        match of {
            Some(_) => "The summary was edited by hand.",
            None => "The agent records neither the tokens nor the time of its summary.",
        },
    )
}

/// D18: the way to the first edit.
fn reoriented(shelved: &ShelvedLedger) -> Measured {
    let ShelvedLedger { open, material, .. } = shelved;
    let Some(entry) = material.of_entry else {
        return Measured::absent(
            Figure::Reorientation,
            "The session did not continue from this summary.",
        );
    };
    let Some(found) = reorientation(open, entry, &material.cut) else {
        return Measured::absent(
            Figure::Reorientation,
            "No file is edited between the compaction and the next one.",
        );
    };
    let mut out = Measured::new(Figure::Reorientation);
    out.value("Calls before the first edit", Amount::Count(found.calls));
    out.value("Of these only look", Amount::Of(found.looks, found.calls));
    out.value(
        "Prompts of the user before it",
        Amount::Count(found.prompts),
    );
    out.value("Tokens until the edit", Amount::Tokens(found.tokens));
    if let Some(elapsed) = found.elapsed_ms.and_then(|ms| u64::try_from(ms).ok()) {
        out.value("Time until the edit", Amount::Millis(elapsed));
    }
    if let Some(usual) = found.usual {
        out.value(
            "Calls between two edits before, median",
            Amount::Count(usual),
        );
    }
    let later = material.cut.later.iter().copied();
    let until = later.take_while(|ix| *ix != found.edit);
    let calling = until.filter(|ix| !open.session.entry(*ix).tool_calls.is_empty());
    let line = |ix: EntryIx, note: &str| FigureLine {
        text: named(open.session.entry(ix)),
        note: note.to_owned(),
        entry: Some(ix),
        ..FigureLine::default()
    };
    out.lines = calling.map(|ix| line(ix, "before the edit")).collect();
    out.lines.push(line(found.edit, "the first edit"));
    out
}
