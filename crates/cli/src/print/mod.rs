//! Answers for people. Programs use `--json`.

mod policies;
mod prompts;
mod strategies;
mod summaries;
mod table;

use serde_json::Value;
use table::{Table, counted, thousands, time};

/// The answer of `command` as text.
pub fn human(command: &str, answer: &Value) -> String {
    match command {
        "index" => index(answer),
        "sessions" => sessions(answer),
        "tree" => tree(answer),
        "context" => context(answer),
        "plan" => summaries::plan(answer),
        "compact" => summaries::run(answer),
        "ledger" => summaries::ledger(answer),
        "policy" => policies::policies(answer),
        "policies" => policies::known(answer),
        "search" => search(answer),
        "strategies" => strategies::strategies(answer),
        "prompts" => prompts::all(answer),
        "prompt" => prompts::one(answer),
        "prompt_save" => prompts::saved(answer),
        "prompt_delete" => "deleted, with all versions".to_owned(),
        "prompts_import" => prompts::import(answer),
        "models" => models(answer),
        "provider_models" => provider_models(answer),
        "local_servers" => local_servers(answer),
        "replay" => replay(answer),
        "runs" => summaries::runs(answer),
        "bench" => bench(answer),
        _ => answer.to_string(),
    }
}

pub(crate) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or("")
}

pub(crate) fn number(value: &Value, key: &str) -> u64 {
    value[key].as_u64().unwrap_or(0)
}

pub(crate) fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// The first `width` characters of the first line, with an ellipsis when there is more.
pub(crate) fn short(text: &str, width: usize) -> String {
    let line = text.lines().next().unwrap_or("");
    if line.chars().count() <= width {
        return line.to_owned();
    }
    let cut: String = line.chars().take(width.saturating_sub(1)).collect();
    format!("{cut}…")
}

fn index(answer: &Value) -> String {
    let mut out = format!(
        "{}, {}; {} read in {} ms; {} unchanged, {} removed, {}",
        counted(number(answer, "sessions"), "session", "sessions"),
        counted(number(answer, "entries"), "entry", "entries"),
        counted(number(answer, "bytes"), "byte", "bytes"),
        number(answer, "elapsed_ms"),
        number(answer, "unchanged"),
        number(answer, "removed"),
        counted(number(answer, "warnings"), "warning", "warnings"),
    );
    for failed in list(answer, "failed") {
        out += &format!(
            "\nnot read: {}: {}",
            text(failed, "path"),
            text(failed, "reason")
        );
    }
    out
}

fn sessions(answer: &Value) -> String {
    let mut table = Table::new([
        "id", "agent", "changed", "entries", "compact", "project", "title",
    ]);
    table.right(&[3, 4]);
    for row in list(answer, "sessions") {
        table.row([
            short(text(row, "id"), 10),
            text(row, "agent").to_owned(),
            time(row["updated_at"].as_i64()),
            thousands(number(row, "entries")),
            thousands(number(row, "compactions")),
            short(text(row, "project"), 20),
            short(text(row, "title"), 60),
        ]);
    }
    let ignored: Vec<&str> = list(answer, "ignored")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let note = if ignored.is_empty() {
        String::new()
    } else {
        format!("\nnot understood and ignored: {}", ignored.join(", "))
    };
    format!(
        "{table}{note}\n{}",
        counted(number(answer, "total"), "session", "sessions")
    )
}

fn tree(answer: &Value) -> String {
    let nodes = list(answer, "nodes");
    let mut children: std::collections::HashMap<&str, Vec<&Value>> = Default::default();
    for node in nodes {
        children
            .entry(text(node, "parent_id"))
            .or_default()
            .push(node);
    }
    let mut out = String::new();
    let mut stack: Vec<(&Value, usize)> = children
        .get("")
        .into_iter()
        .flatten()
        .rev()
        .map(|&root| (root, 0))
        .collect();
    while let Some((node, depth)) = stack.pop() {
        let label = node["label"]
            .as_str()
            .map(|label| format!(" [{label}]"))
            .unwrap_or_default();
        let leaf = if node["id"] == answer["leaf_id"] {
            "  <- leaf"
        } else {
            ""
        };
        let role = node["role"]
            .as_str()
            .map(|role| format!(" {role}"))
            .unwrap_or_default();
        out += &format!(
            "{:indent$}{} {}{role}{label} {}  {}{leaf}\n",
            "",
            text(node, "id"),
            text(node, "kind"),
            thousands(number(node, "tokens")),
            short(text(node, "preview"), 70),
            indent = depth * 2,
        );
        let below = children
            .get(text(node, "id"))
            .map(Vec::as_slice)
            .unwrap_or_default();
        let depth = depth + usize::from(below.len() > 1);
        stack.extend(below.iter().rev().map(|&child| (child, depth)));
    }
    for warning in list(answer, "warnings") {
        let line = warning["line"]
            .as_u64()
            .map(|line| format!("line {line}: "))
            .unwrap_or_default();
        out += &format!("warning: {line}{}\n", text(warning, "reason"));
    }
    out
}

fn context(answer: &Value) -> String {
    let tokens = &answer["tokens"];
    let figure = |key: &str| tokens[key].as_u64().map_or("-".to_owned(), thousands);
    let mut out = format!(
        "at {}  model {}  window {}  threshold {}\ntokens: {} estimated, {} counted, {} reported\n",
        answer["at"].as_str().unwrap_or("(before the first entry)"),
        answer["model"].as_str().unwrap_or("(unknown)"),
        answer["window"]
            .as_u64()
            .map_or("unknown".to_owned(), thousands),
        answer["threshold"]
            .as_u64()
            .map_or("unknown".to_owned(), thousands),
        figure("estimated"),
        figure("counted"),
        figure("reported"),
    );
    if let Some(categories) = answer["by_category"].as_object() {
        for (name, tokens) in categories {
            out += &format!(
                "  {name:<16}{:>12}\n",
                thousands(tokens.as_u64().unwrap_or(0))
            );
        }
    }
    let mut table = Table::new(["entry", "role", "origin", "tokens", "text"]);
    table.right(&[3]);
    for item in list(answer, "items") {
        let entry = list(item, "entry_ids")
            .first()
            .and_then(Value::as_str)
            .unwrap_or("-");
        table.row([
            entry.to_owned(),
            text(item, "native_role").to_owned(),
            text(item, "origin").to_owned(),
            thousands(number(&item["tokens"], "estimated")),
            short(text(item, "text"), 70),
        ]);
    }
    format!("{out}{table}")
}

fn search(answer: &Value) -> String {
    let mut out = String::new();
    for hit in list(answer, "hits") {
        out += &format!(
            "{}  {}  {}  {}\n    {}\n",
            short(text(hit, "session"), 10),
            text(hit, "entry_id"),
            time(hit["timestamp"].as_i64()),
            short(text(hit, "title"), 60),
            text(hit, "snippet").replace('\n', " "),
        );
    }
    let more = if answer["more"].as_bool() == Some(true) {
        " (there are more)"
    } else {
        ""
    };
    let found = list(answer, "hits").len();
    format!(
        "{out}{}{more} in {} ms",
        counted(found as u64, "hit", "hits"),
        number(answer, "elapsed_ms")
    )
}

fn models(answer: &Value) -> String {
    let mut table = Table::new(["provider", "model", "window", "output", "$/M in", "$/M out"]);
    table.right(&[2, 3, 4, 5]);
    let price =
        |row: &Value, key: &str| row[key].as_f64().map_or("-".into(), |p| format!("{p:.2}"));
    for row in answer.as_array().into_iter().flatten() {
        table.row([
            text(row, "provider").to_owned(),
            text(row, "id").to_owned(),
            thousands(number(row, "context_window")),
            row["max_output"].as_u64().map_or("-".into(), thousands),
            price(row, "input_price"),
            price(row, "output_price"),
        ]);
    }
    table.to_string()
}

fn provider_models(answer: &Value) -> String {
    let models = list(answer, "models").iter().filter_map(Value::as_str);
    models.collect::<Vec<_>>().join("\n")
}

fn local_servers(answer: &Value) -> String {
    let servers = answer.as_array().map(Vec::as_slice).unwrap_or_default();
    if servers.is_empty() {
        return "no server answers at the default ports of Ollama, LM Studio, llama.cpp and vLLM"
            .to_owned();
    }
    let mut table = Table::new(["provider", "address", "models"]);
    for server in servers {
        let models = list(server, "models").iter().filter_map(Value::as_str);
        table.row([
            text(server, "name").to_owned(),
            text(server, "base_url").to_owned(),
            models.collect::<Vec<_>>().join(", "),
        ]);
    }
    table.to_string()
}

fn replay(answer: &Value) -> String {
    let same = if answer["same"] == true {
        "the same bytes"
    } else {
        "other bytes"
    };
    let prompts = match answer["same_prompts"].as_bool() {
        Some(true) => "planning again gives the same prompts",
        Some(false) => "planning again gives other prompts",
        None => "it cannot be planned again",
    };
    format!(
        "run {}: {same} from {} recorded replies; {prompts}",
        text(answer, "run_id"),
        number(answer, "calls"),
    )
}

fn bench(answer: &Value) -> String {
    let mut table = Table::new(["figure", "measured", "aim", "times", "how"]);
    table.right(&[1, 2, 3]);
    for figure in list(answer, "figures") {
        table.row([
            text(figure, "name").to_owned(),
            format!(
                "{:.3} {}",
                figure["measured"].as_f64().unwrap_or(0.0),
                text(figure, "unit")
            ),
            format!("{:.3}", figure["aim"].as_f64().unwrap_or(0.0)),
            format!("{:.2}x", figure["ratio"].as_f64().unwrap_or(0.0)),
            text(figure, "note").to_owned(),
        ]);
    }
    table.to_string()
}
