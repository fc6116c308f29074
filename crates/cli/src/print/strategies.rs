//! Strategies for people: a line for each, or one with everything that can be set.

use super::table::Table;
use super::{list, short, text};
use serde_json::Value;

/// One strategy whole, several in a line each.
pub(super) fn strategies(answer: &Value) -> String {
    let rows = answer.as_array().map(Vec::as_slice).unwrap_or_default();
    let usable: Vec<&Value> = rows.iter().filter(|row| row["error"].is_null()).collect();
    let broken = rows.iter().filter_map(|row| {
        let error = row["error"].as_str()?;
        Some(format!("{} cannot be used: {error}\n", text(row, "path")))
    });
    let broken: String = broken.collect();
    if let [only] = usable[..] {
        return one(only) + &broken;
    }
    let mut table = Table::new(["NAME", "NEEDS", "WHAT IT DOES"]);
    for row in usable {
        table.row([
            text(row, "name").to_owned(),
            text(row, "needs").to_owned(),
            short(text(row, "description"), 110),
        ]);
    }
    let hint = "`palimpsest strategies NAME` shows what can be set, and the prompts.";
    format!("{table}{broken}\n{hint}")
}

/// The numbers a parameter may be, in brackets.
fn range(param: &Value) -> String {
    match (param["min"].as_f64(), param["max"].as_f64()) {
        (Some(least), Some(most)) => format!(" ({least} to {most})"),
        (Some(least), None) => format!(" ({least} or more)"),
        _ => String::new(),
    }
}

fn one(row: &Value) -> String {
    let mut out = format!(
        "{}: {}\nfrom {}; needs {}\n",
        text(row, "name"),
        text(row, "description"),
        text(row, "source"),
        text(row, "needs"),
    );
    let assumed = list(row, "assumed");
    if !assumed.is_empty() {
        out += "\nassumed or left out\n";
    }
    for sentence in assumed.iter().filter_map(Value::as_str) {
        out += &format!("  - {sentence}\n");
    }
    let is_prompt = |param: &&Value| text(param, "stage") == "prompts";
    let params = list(row, "params");
    let mut stage = "";
    for param in params.iter().filter(|param| !is_prompt(param)) {
        if text(param, "stage") != stage {
            stage = text(param, "stage");
            out += &format!("\n{stage}\n");
        }
        let unit = param["unit"].as_str();
        let unit = unit.map(|unit| format!(" {unit}")).unwrap_or_default();
        let value = param["default"].to_string();
        out += &format!(
            "  {} = {}{unit}{}\n      {}\n",
            text(param, "name"),
            short(&value, 80),
            range(param),
            text(param, "description")
        );
    }
    for prompt in params.iter().filter(is_prompt) {
        out += &format!(
            "\n{}: {}\n",
            text(prompt, "name"),
            text(prompt, "description")
        );
        for line in prompt["default"].as_str().unwrap_or_default().lines() {
            out += &format!("  | {line}\n");
        }
    }
    out
}
