//! Strategies for people: a line for each, or one with everything that can be set.

use super::short;
use super::table::{Table, unusable};
use crate::hints::words;
use palimpsest_api::wire::{ParamInfo, Stage, StrategyInfo, written};

/// One strategy whole, several in a line each.
pub(super) fn strategies(rows: &[StrategyInfo]) -> String {
    let usable: Vec<&StrategyInfo> = rows.iter().filter(|row| row.error.is_none()).collect();
    let broken = rows.iter().filter_map(|row| {
        let error = row.error.as_ref()?;
        let path = row.path.as_deref().unwrap_or_default();
        let hint = words(row.next.as_ref(), row.hint.as_deref());
        Some(unusable(path, error, hint))
    });
    let broken: String = broken.collect();
    // Asked for by name. Broken presets are listed in either case, so that a file that cannot be
    // read is not missed.
    if let [only] = usable[..] {
        return one(only) + &broken;
    }
    let mut table = Table::new(["NAME", "NEEDS", "DESCRIPTION"]);
    for row in usable {
        table.row([
            row.name.clone(),
            written(row.needs),
            short(&row.description, 110),
        ]);
    }
    let hint = "`palimpsest strategies NAME` shows the parameters and prompts.";
    format!("{table}{broken}\n{hint}")
}

/// The numbers a parameter may be, in brackets.
fn range(param: &ParamInfo) -> String {
    match (param.min, param.max) {
        (Some(least), Some(most)) => format!(" ({least} to {most})"),
        (Some(least), None) => format!(" ({least} or more)"),
        _ => String::new(),
    }
}

fn one(row: &StrategyInfo) -> String {
    let mut out = format!(
        "{}: {}\nsource: {}; needs: {}\n",
        row.name,
        row.description,
        row.source,
        written(row.needs),
    );
    let assumed = row.assumed.as_deref().unwrap_or_default();
    if !assumed.is_empty() {
        out += "\nassumptions and omissions\n";
    }
    for sentence in assumed {
        out += &format!("  - {sentence}\n");
    }
    // Prompts come last: they have many lines.
    let is_prompt = |param: &&ParamInfo| param.stage == Stage::Prompts;
    let params = &row.params;
    let mut stage = None;
    for param in params.iter().filter(|param| !is_prompt(param)) {
        if stage != Some(param.stage) {
            stage = Some(param.stage);
            out += &format!("\n{}\n", written(param.stage));
        }
        let unit = param.unit.as_ref();
        let unit = unit.map(|unit| format!(" {unit}")).unwrap_or_default();
        let value = param.default.to_string();
        out += &format!(
            "  {} = {}{unit}{}\n      {}\n",
            param.name,
            short(&value, 80),
            range(param),
            param.description
        );
    }
    for prompt in params.iter().filter(is_prompt) {
        out += &format!("\n{}: {}\n", prompt.name, prompt.description);
        for line in prompt.default.as_str().unwrap_or_default().lines() {
            out += &format!("  | {line}\n");
        }
    }
    out
}
