//! Plans, runs and ledgers for people.

use super::table::{Table, counted, thousands};
use super::{list, number, short, text};
use serde_json::Value;

/// A plan: what it summarizes, its calls, and where they go.
pub fn plan(answer: &Value) -> String {
    if text(answer, "kind") == "nothing" {
        return format!("nothing to do: {}", text(answer, "reason"));
    }
    let mut out = match &answer["branch"] {
        Value::Null => compaction(answer),
        branch => left_behind(answer, branch),
    };
    for (name, key) in [("read", "read"), ("modified", "modified")] {
        let files = list(&answer["files"], key);
        if !files.is_empty() {
            let names: Vec<&str> = files.iter().filter_map(Value::as_str).collect();
            out += &format!("{name}: {}\n", names.join(", "));
        }
    }
    for call in list(answer, "calls") {
        out += &format!(
            "call for {}: about {} in, {} out\n",
            text(call, "label"),
            counted(number(call, "input_tokens"), "token", "tokens"),
            call["max_output_tokens"]
                .as_u64()
                .map_or("no limit".into(), thousands),
        );
        for retry in list(call, "retries") {
            out += &retried(retry);
        }
    }
    out += &otherwise(list(answer, "fallbacks"));
    for note in list(answer, "notes") {
        out += &format!("{}\n", note.as_str().unwrap_or_default());
    }
    let cost = match answer["estimated_cost_usd"].as_f64() {
        Some(0.0) => "It costs nothing.".to_owned(),
        Some(cost) => format!("It costs about ${cost:.4}."),
        None => "What it costs is not known.".to_owned(),
    };
    format!("{out}{} {cost}", text(answer, "destination"))
}

/// What takes over when a run comes to nothing, each on a line.
fn otherwise(fallbacks: &[Value]) -> String {
    let lines = fallbacks.iter().map(|own| {
        let calls = match list(own, "calls").len() {
            0 => "no call".to_owned(),
            several => counted(several as u64, "call", "calls"),
        };
        let in_turn = otherwise(list(own, "fallbacks"));
        format!(
            "{}: {}, {calls}\n{in_turn}",
            text(own, "meaning"),
            text(own, "strategy")
        )
    });
    lines.collect()
}

/// How a call would be made smaller at one attempt, on a line.
fn retried(retry: &Value) -> String {
    let left_out = match number(retry, "left_out") {
        0 => String::new(),
        count => format!("{} left out, ", counted(count, "message", "messages")),
    };
    let cut = retry["max_chars"].as_u64();
    let cut = cut.map(|most| {
        format!(
            "messages cut to {}, ",
            counted(most, "character", "characters")
        )
    });
    format!(
        "  if it does not fit ({}): {left_out}{}about {} in\n",
        number(retry, "attempt"),
        cut.unwrap_or_default(),
        counted(number(retry, "input_tokens"), "token", "tokens"),
    )
}

/// What of a branch is summarized, and where one goes on.
fn left_behind(answer: &Value, branch: &Value) -> String {
    let or_nothing = |key: &str| branch[key].as_str().unwrap_or("(nothing)").to_owned();
    let over = list(branch, "over_budget_ids").len();
    format!(
        "{}: from {} to {}, common ancestor {}\n{} left behind, {} summarized in {}\
         {}\ngoes on under {}{}\ntokens: {} where it is left, about {} where it goes on{}\n",
        text(answer, "strategy"),
        or_nothing("from_id"),
        or_nothing("to_id"),
        or_nothing("common_ancestor_id"),
        entries(list(branch, "left_behind_ids")),
        list(answer, "summarize_ids").len(),
        counted(number(branch, "taken_tokens"), "token", "tokens"),
        match over {
            0 => String::new(),
            over => format!(
                ", {over} over the budget of {}",
                thousands(number(branch, "budget_tokens"))
            ),
        },
        or_nothing("new_leaf_id"),
        match branch["written_anew"] == true {
            true => ", with the prompt to write anew",
            false => "",
        },
        thousands(number(&answer["sizes"], "before")),
        thousands(number(&answer["sizes"], "after")),
        unseen(answer),
    )
}

fn entries(ids: &[Value]) -> String {
    counted(ids.len() as u64, "entry", "entries")
}

/// What both sizes hold that the session does not.
fn unseen(answer: &Value) -> String {
    match number(&answer["sizes"], "unseen") {
        0 => String::new(),
        tokens => format!(
            "\n{} of both are the system prompt and the tools, which the session does not hold",
            thousands(tokens)
        ),
    }
}

/// Where a compaction cuts.
fn compaction(answer: &Value) -> String {
    let mut others = String::new();
    for (key, word) in [("cleared", "cleared"), ("dropped_ids", "dropped")] {
        if let count @ 1.. = list(answer, key).len() {
            others += &format!(", {count} {word}");
        }
    }
    format!(
        "{}: {} summarized, {} in the turn prefix, {} kept{}\n\
         first kept {}{}\ntokens: {} before, about {} after{}\n",
        text(answer, "strategy"),
        entries(list(answer, "summarize_ids")),
        list(answer, "turn_prefix_ids").len(),
        list(answer, "kept_ids").len(),
        others,
        answer["first_kept_id"].as_str().unwrap_or("(nothing)"),
        if answer["is_split_turn"] == true {
            ", inside a turn"
        } else {
            ""
        },
        thousands(number(&answer["sizes"], "before")),
        thousands(number(&answer["sizes"], "after")),
        unseen(answer),
    )
}

/// A run: its summary, then its figures.
pub fn run(answer: &Value) -> String {
    let row = &answer["row"];
    let mut out = match text(answer, "summary") {
        "" => String::new(),
        summary => format!("{summary}\n\n"),
    };
    out += &format!(
        "{} {} {} in {} ms, {}",
        match text(answer, "kind") {
            "branch_summary" => "branch summary",
            _ => "run",
        },
        text(answer, "run_id"),
        text(row, "status"),
        number(answer, "elapsed_ms"),
        counted(number(row, "summary_tokens"), "token", "tokens"),
    );
    if let Some(cost) = answer["cost_usd"].as_f64() {
        out += &format!(", ${cost:.4}");
    }
    for own in list(answer, "attempts") {
        out += &format!(
            "\nnot as planned: {}; then: {}",
            text(own, "reason").trim_end_matches('.'),
            text(own, "then")
        );
    }
    if answer["ledger"].is_object() {
        out += &format!("\n{}", totals(&answer["ledger"]));
    } else if text(answer, "summary").is_empty() && text(row, "status") == "done" {
        out += &format!("\n{}", only_cleared(&answer["plan"]));
    }
    out
}

/// What a run did that summarized nothing.
fn only_cleared(plan: &Value) -> String {
    let cleared = list(plan, "cleared").len() as u64;
    let results = counted(cleared, "result was", "results were");
    format!(
        "{results} cleared and nothing was summarized, so there is no retention to measure\n\
         tokens: {} before, about {} after{}\n",
        thousands(number(&plan["sizes"], "before")),
        thousands(number(&plan["sizes"], "after")),
        unseen(plan),
    )
}

/// Runs in a table.
pub fn runs(answer: &Value) -> String {
    let mut table = Table::new([
        "run",
        "session",
        "status",
        "strategy",
        "provider",
        "model",
        "tokens",
        "kept",
        "instructions",
        "error",
    ]);
    table.right(&[6, 7]);
    for row in answer.as_array().into_iter().flatten() {
        table.row([
            short(text(row, "run_id"), 12),
            // As `palimpsest sessions` shows it, and enough to name it.
            text(row, "session").chars().take(10).collect(),
            text(row, "status").to_owned(),
            match &row["fell_back"] {
                Value::Null => text(row, "strategy").to_owned(),
                _ => format!("{}, fell back", text(row, "strategy")),
            },
            text(row, "provider").to_owned(),
            short(text(row, "model"), 30),
            thousands(number(row, "summary_tokens")),
            row["retention"]
                .as_f64()
                .map_or("-".into(), |share| format!("{:.0} %", share * 100.0)),
            short(text(row, "instructions"), 50),
            match text(row, "status") {
                "failed" => short(text(row, "error"), 100),
                _ => String::new(),
            },
        ]);
    }
    table.to_string()
}

/// A ledger: sums, then what was dropped, needed things first and the weightiest of each first.
pub fn ledger(answer: &Value) -> String {
    let mut out = format!("{}\n{}\n", text(answer, "title"), totals(&answer["totals"]));
    let status = |fact: &&Value| text(fact, "status") == "dropped";
    let mut dropped: Vec<&Value> = list(answer, "facts").iter().filter(status).collect();
    let needed = |fact: &Value| !list(fact, "needed_later").is_empty();
    let weight = |fact: &Value| fact["weight"].as_f64().unwrap_or_default();
    dropped.sort_by(|a, b| {
        let order = needed(b).cmp(&needed(a));
        order.then(weight(b).total_cmp(&weight(a)))
    });
    for fact in dropped {
        let fate = match needed(fact) {
            true => "needed later",
            false => "dropped",
        };
        out += &format!(
            "{fate:<14}{:<13}{}\n",
            text(fact, "kind"),
            short(text(fact, "text"), 90)
        );
    }
    for fact in list(answer, "introduced") {
        out += &format!(
            "introduced    {:<13}{}\n",
            text(fact, "kind"),
            short(text(fact, "text"), 90)
        );
    }
    out
}

fn totals(totals: &Value) -> String {
    let Some(retention) = totals["retention"].as_f64() else {
        return "nothing was summarized, so there is no retention to measure\n".to_owned();
    };
    let mut table = Table::new(["kind", "verbatim", "mentioned", "partial", "dropped"]);
    table.right(&[1, 2, 3, 4]);
    if let Some(kinds) = totals["by_kind"].as_object() {
        for (kind, counts) in kinds {
            table.row([
                kind.clone(),
                thousands(number(counts, "verbatim")),
                thousands(number(counts, "mentioned")),
                thousands(number(counts, "partial")),
                thousands(number(counts, "dropped")),
            ]);
        }
    }
    format!(
        "kept {:.0} % by weight, compressed to {:.1} %, {} needed later\n{table}",
        retention * 100.0,
        totals["compression_ratio"].as_f64().unwrap_or(0.0) * 100.0,
        counted(
            number(totals, "needed_later"),
            "dropped fact",
            "dropped facts"
        ),
    )
}
