//! Plans, runs and ledgers for people.

use super::short;
use super::table::{Table, counted, duration, thousands};
use crate::hints::words;
use palimpsest_api::wire::{
    BranchView, CallRetryView, Concern, FactKind, FactStatus, FactView, FallbackView, FoundBy,
    LedgerTotals, LedgerView, PlanKind, PlanView, RequestForm, RunRow, RunStatus, RunView,
    SummaryKind, written,
};

/// A plan: what it summarizes, its calls, and where they go.
pub fn plan(answer: &PlanView) -> String {
    if answer.kind == PlanKind::Nothing {
        let reason = answer.reason.as_deref().unwrap_or_default();
        let hint = words(answer.next_step.as_ref(), answer.hint.as_deref()).unwrap_or_default();
        let notes = answer.notes.iter().flatten();
        let notes: String = notes.map(|note| format!("{note}\n")).collect();
        return format!("nothing to do: {reason}\n{notes}{hint}");
    }
    let mut out = match &answer.branch {
        None => compaction(answer),
        Some(branch) => left_behind(answer, branch),
    };
    let files = [
        ("read", &answer.files.read),
        ("modified", &answer.files.modified),
    ];
    for (name, files) in files {
        if !files.is_empty() {
            out += &format!("{name}: {}\n", files.join(", "));
        }
    }
    for call in &answer.calls {
        out += &format!(
            "call for {}: {}about {} input{}, {}\n",
            call.label,
            match call.request {
                RequestForm::Transcript => "",
                RequestForm::Conversation => "the messages themselves, ",
            },
            counted(call.input_tokens, "token", "tokens"),
            match call.cached_tokens {
                0 => String::new(),
                cached => format!(" ({cached} cached by the session's provider)"),
            },
            match call.max_output_tokens {
                Some(limit) => format!("at most {} output", counted(limit, "token", "tokens")),
                None => "output not limited".to_owned(),
            },
        );
        for retry in &call.retries {
            out += &retried(retry);
        }
    }
    out += &otherwise(answer.fallbacks.as_deref().unwrap_or_default());
    for note in answer.notes.iter().flatten() {
        out += &format!("{note}\n");
    }
    let cost = match answer.estimated_cost_usd {
        Some(0.0) => "Cost: none.".to_owned(),
        Some(cost) if answer.user_prices => format!("Cost: about ${cost:.4} by your prices."),
        Some(cost) => format!("Cost: about ${cost:.4}."),
        None => "Cost: unknown.".to_owned(),
    };
    format!("{out}{} {cost}", answer.destination)
}

/// Fallbacks for a failed run, one per line.
fn otherwise(fallbacks: &[FallbackView]) -> String {
    let lines = fallbacks.iter().map(|own| {
        let calls = match own.calls.len() {
            0 => "no calls".to_owned(),
            several => counted(several as u64, "call", "calls"),
        };
        // A fallback has its own fallbacks, each planned in advance.
        let in_turn = otherwise(&own.fallbacks);
        format!("{}: {}, {calls}\n{in_turn}", own.meaning, own.strategy)
    });
    lines.collect()
}

/// How a call would be made smaller at one attempt, on a line.
fn retried(retry: &CallRetryView) -> String {
    let left_out = match retry.left_out {
        0 => String::new(),
        count => format!("{} dropped, ", counted(count, "message", "messages")),
    };
    let cut = retry.max_chars.map(|most| {
        format!(
            "messages truncated to {}, ",
            counted(most, "character", "characters")
        )
    });
    format!(
        "  if it does not fit ({}): {left_out}{}about {} input\n",
        retry.attempt,
        cut.unwrap_or_default(),
        counted(retry.input_tokens, "token", "tokens"),
    )
}

/// What of a branch is summarized, and where one goes on.
fn left_behind(answer: &PlanView, branch: &BranchView) -> String {
    let over = branch.over_budget_ids.len();
    format!(
        "{}: from {} to {}, common ancestor {}\n{} left behind, {} summarized in {}\
         {}\ncontinues after {}{}\ntokens: {} at the start entry, about {} at the target entry{}\n",
        answer.strategy,
        or_nothing(&branch.from_id),
        branch.to_id,
        or_nothing(&branch.common_ancestor_id),
        entries(&branch.left_behind_ids),
        answer.summarize_ids.len(),
        counted(branch.taken_tokens, "token", "tokens"),
        match over {
            0 => String::new(),
            over => format!(
                ", {over} over the budget of {}",
                thousands(branch.budget_tokens)
            ),
        },
        or_nothing(&branch.new_leaf_id),
        if branch.written_anew {
            ", prompt to edit"
        } else {
            ""
        },
        thousands(answer.sizes.before),
        thousands(answer.sizes.after),
        unseen(answer),
    )
}

fn or_nothing(id: &Option<String>) -> &str {
    id.as_deref().unwrap_or("(nothing)")
}

fn entries(ids: &[String]) -> String {
    counted(ids.len() as u64, "entry", "entries")
}

/// What both sizes hold that the session does not.
fn unseen(answer: &PlanView) -> String {
    match answer.sizes.unseen {
        0 => String::new(),
        tokens => format!(
            "\n{} of each are not in the session: the system prompt, tool definitions, and what the \
             agent sends again after a compaction",
            thousands(tokens)
        ),
    }
}

/// Where a compaction cuts.
fn compaction(answer: &PlanView) -> String {
    let mut others = String::new();
    let counts = [
        (answer.cleared.len(), "cleared"),
        (answer.dropped_ids.len(), "dropped"),
    ];
    for (count, word) in counts {
        if count > 0 {
            others += &format!(", {count} {word}");
        }
    }
    format!(
        "{}: {} summarized, {} in the turn prefix, {} kept{}\n\
         first kept {}{}\ntokens: {} before, about {} after{}\n",
        answer.strategy,
        entries(&answer.summarize_ids),
        answer.turn_prefix_ids.len(),
        answer.kept_ids.len(),
        others,
        or_nothing(&answer.first_kept_id),
        if answer.is_split_turn {
            ", inside a turn"
        } else {
            ""
        },
        thousands(answer.sizes.before),
        thousands(answer.sizes.after),
        unseen(answer),
    )
}

/// A run: its summary, then its figures.
pub fn run(answer: &RunView) -> String {
    let row = &answer.row;
    let mut out = match answer.summary.as_str() {
        "" => String::new(),
        summary if row.status == RunStatus::Done => format!("{summary}\n\n"),
        // What had arrived before the run ended must not pass for a summary.
        partial => format!("partial output:\n{partial}\n\n"),
    };
    out += &format!(
        "{} {} {} in {} with {}, {}",
        match answer.kind {
            SummaryKind::BranchSummary => "branch summary",
            SummaryKind::Compaction => "run",
        },
        answer.run_id,
        written(row.status),
        duration(answer.elapsed_ms),
        match row.model.as_deref().unwrap_or_default() {
            "" => row.provider.clone(),
            model => format!("{}, {model}", row.provider),
        },
        match row.summary_tokens {
            0 => "no summary".to_owned(),
            tokens if row.status == RunStatus::Done => {
                format!("a summary of {}", counted(tokens, "token", "tokens"))
            }
            tokens => format!("partial output of {}", counted(tokens, "token", "tokens")),
        },
    );
    if let Some(cost) = answer.cost_usd {
        let by = if answer.plan.user_prices {
            " by your prices"
        } else {
            ""
        };
        out += &format!(", cost ${cost:.4}{by}");
    }
    for own in answer.attempts.iter().flatten() {
        out += &format!(
            "\nfallback: {}; {}",
            own.reason.trim_end_matches('.'),
            own.then
        );
    }
    if let Some(ledger) = &answer.ledger {
        out += &format!("\n{}", totals(ledger, None));
    // A strategy that only clears writes no summary, which is no failure.
    } else if answer.summary.is_empty() && row.status == RunStatus::Done {
        out += &format!("\n{}", only_cleared(&answer.plan));
    }
    out
}

/// What a run did that summarized nothing.
fn only_cleared(plan: &PlanView) -> String {
    let cleared = plan.cleared.len() as u64;
    let results = counted(cleared, "result was", "results were");
    format!(
        "{results} cleared; nothing was summarized, so there is no retention\n\
         tokens: {} before, about {} after{}\n",
        thousands(plan.sizes.before),
        thousands(plan.sizes.after),
        unseen(plan),
    )
}

/// A share of a run in percent.
fn percent(share: Option<f64>) -> String {
    share.map_or("-".to_owned(), |share| format!("{:.0} %", share * 100.0))
}

/// Runs in a table.
pub fn runs(rows: &[RunRow]) -> String {
    let mut table = Table::new([
        "run",
        "session",
        "status",
        "strategy",
        "provider",
        "model",
        "tokens",
        "score",
        "kept",
        "name",
        "differs in",
        "error",
    ]);
    table.right(&[6, 7, 8]);
    // What has a column of its own is not said a second time.
    let in_columns = ["strategy", "provider", "model"];
    for row in rows {
        table.row([
            short(&row.run_id, 12),
            // As `palimpsest sessions` shows it.
            row.shown_session
                .clone()
                .unwrap_or_else(|| row.session.chars().take(10).collect()),
            written(row.status),
            match &row.fell_back {
                None => row.strategy.clone(),
                Some(_) => format!("{}, fallback", row.strategy),
            },
            row.provider.clone(),
            short(row.model.as_deref().unwrap_or_default(), 30),
            thousands(row.summary_tokens),
            percent(row.score.as_ref().map(|own| own.score)),
            percent(row.retention),
            short(row.name.as_deref().unwrap_or_default(), 30),
            short(
                &row.differs
                    .iter()
                    .filter(|own| !in_columns.contains(&own.key.as_str()))
                    .map(|own| format!("{}: {}", own.label, own.value))
                    .collect::<Vec<_>>()
                    .join("; "),
                80,
            ),
            match row.status {
                RunStatus::Failed | RunStatus::Interrupted => {
                    short(row.error.as_deref().unwrap_or_default(), 100)
                }
                RunStatus::Running | RunStatus::Done | RunStatus::Cancelled => String::new(),
            },
        ]);
    }
    table.to_string()
}

/// A ledger: sums, then what was dropped, changed or partly kept under the questions that it answers, the
/// weightiest first, then what was introduced.
pub fn ledger(answer: &LedgerView) -> String {
    let score = answer.score.as_ref().map(|own| {
        let score = percent(Some(own.score));
        let parts = own.parts.iter();
        let parts: Vec<String> = parts
            .map(|(part, share)| {
                format!("{} {}", part.title().to_lowercase(), percent(Some(*share)))
            })
            .collect();
        format!("overall score {score} ({})\n", parts.join(", "))
    });
    let score = score.unwrap_or_default();
    let mut out = format!(
        "{}\n{score}{}\n",
        answer.title,
        totals(&answer.totals, answer.incomplete)
    );
    for concern in Concern::ALL {
        let is_listed = |fact: &&FactView| {
            let is_lost = matches!(
                fact.status,
                FactStatus::Dropped | FactStatus::Changed | FactStatus::Partial
            );
            fact.concern == concern && (is_lost || concern == Concern::Model)
        };
        // In order of appearance figures of tool output stood before the requests of the user.
        let mut facts: Vec<&FactView> = answer.facts.iter().filter(is_listed).collect();
        facts.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        let title = match concern {
            Concern::Rest => "All other facts that were dropped, changed or partly kept",
            other => other.title(),
        };
        out += &section(title, facts.into_iter().map(fact_line).collect());
    }
    let introduced = answer.introduced.iter();
    let introduced = introduced.map(|fact| line("introduced", fact.kind, "", &fact.text, &[]));
    out += &section("Introduced", introduced.collect());
    out
}

/// A heading with the number of its lines, and the lines; nothing where there are none.
fn section(title: &str, lines: Vec<String>) -> String {
    if lines.is_empty() {
        return String::new();
    }
    format!("\n{title} ({})\n{}", lines.len(), lines.concat())
}

/// True for a fact that the headline counts as dropped and needed later, and for one that is kept in part: what is
/// in the kept tail, or too light to count, is not missed.
fn is_needed(fact: &FactView) -> bool {
    fact.missed || fact.status != FactStatus::Dropped && !fact.needed_later.is_empty()
}

/// A fact with what is known of it; of a changed one both sentences.
fn fact_line(fact: &FactView) -> String {
    let role = fact.file_role.map(written);
    let missing: Vec<String> = fact.missing.iter().map(|own| short(own, 40)).collect();
    let missing = format!("missing: {}", missing.join(", "));
    let notes = [
        role.as_deref(),
        (!fact.missing.is_empty()).then_some(&*missing),
        (fact.found_by == FoundBy::Model).then_some("by model"),
        is_needed(fact).then_some("needed later"),
        fact.in_kept_tail.then_some("in the kept tail"),
        fact.may_be_told.then_some(match fact.may_be_told_at {
            Some(_) => "may be told in other words",
            None if fact.in_another_language => "the summary is in another language",
            None => "its outcome is told",
        }),
    ];
    let notes: Vec<&str> = notes.into_iter().flatten().collect();
    let status = status(fact.status);
    let place = fact.entry_ids.first().map(|id| beginning(id));
    let place = place.unwrap_or_default();
    match &fact.difference {
        Some(difference) => format!(
            "{}{:<LEAD$}now: {}\n",
            line(status, fact.kind, place, &difference.source, &notes),
            "",
            short(&difference.summary, 85)
        ),
        None => line(status, fact.kind, place, &fact.text, &notes),
    }
}

/// Characters before the text of a fact.
const LEAD: usize = 35;

/// The status of a fact, as the window calls it.
fn status(status: FactStatus) -> &'static str {
    match status {
        FactStatus::Verbatim => "verbatim",
        FactStatus::Mentioned => "reworded",
        FactStatus::Changed => "changed",
        FactStatus::Partial => "partly kept",
        FactStatus::Dropped => "dropped",
    }
}

/// The beginning of a UUID, by which commands find the entry, and other ids as they are: those that begin with a name
/// and their time are alike for long. Version 7 begins with the time too.
fn beginning(id: &str) -> &str {
    let bytes = id.as_bytes();
    if bytes.len() != 36 || bytes[8] != b'-' {
        return id;
    }
    let enough = if bytes[14] == b'7' { 18 } else { 8 };
    id.get(..enough).unwrap_or(id)
}

fn line(status: &str, kind: FactKind, place: &str, text: &str, notes: &[&str]) -> String {
    let notes = match notes {
        [] => String::new(),
        notes => format!(" ({})", notes.join(", ")),
    };
    let kind = kind.in_words();
    format!(
        "{status:<12}{kind:<11} {place:<10} {}{notes}\n",
        short(text, 90)
    )
}

fn totals(totals: &LedgerTotals, incomplete: Option<u64>) -> String {
    let Some(retention) = totals.retention else {
        if let Some(recorded) = incomplete {
            return format!(
                "the source is incomplete: the agent recorded {} tokens, and the file contains far fewer, so \
                 there is no retention\n",
                thousands(recorded)
            );
        }
        return "nothing was summarized, so there is no retention\n".to_owned();
    };
    let mut table = Table::new([
        "kind",
        "verbatim",
        "reworded",
        "changed",
        "partly kept",
        "dropped",
    ]);
    table.right(&[1, 2, 3, 4, 5]);
    let kinds = totals.by_kind.iter();
    let mut kinds: Vec<_> = kinds
        .map(|(&kind, counts)| (kind.in_words(), counts))
        .collect();
    kinds.sort_by_key(|(kind, _)| *kind);
    for (kind, counts) in kinds {
        table.row([
            kind.to_owned(),
            thousands(counts.verbatim),
            thousands(counts.mentioned),
            thousands(counts.changed),
            thousands(counts.partial),
            thousands(counts.dropped),
        ]);
    }
    // A span of which nothing counts is kept by any text.
    let is_counted = totals
        .counted
        .as_ref()
        .is_none_or(|counted| counted.facts > 0);
    let kept = if is_counted {
        format!("kept {:.0} % by weight", retention * 100.0)
    } else {
        "no fact counts, so there is no retention".to_owned()
    };
    let needed = match totals.needed_later {
        Some(facts) => format!(
            "{} needed later",
            counted(facts, "dropped fact", "dropped facts")
        ),
        None => "needed later not measured".to_owned(),
    };
    format!(
        "{kept}, compressed to {:.1} %, {needed}\n{table}",
        totals.compression_ratio * 100.0,
    )
}
