//! What a command takes, in a few lines: said where its words were wrong.

use clap::builder::PossibleValue;
use clap::{Arg, Command};
use std::ffi::OsString;

/// The command that `words` name, built, with the whole program's name in its usage.
pub fn named(mut program: Command, words: impl Iterator<Item = OsString>) -> Command {
    program.build();
    let mut own = &program;
    for word in words.take_while(|word| word != "--") {
        if let Some(next) = word.to_str().and_then(|word| own.find_subcommand(word)) {
            own = next;
        }
    }
    own.clone()
}

/// The options of a command, besides those of every command, on one line; empty where it has none.
pub fn options(command: &Command) -> String {
    let is_own = |arg: &&Arg| !arg.is_global_set() && !arg.is_hide_set() && arg.get_id() != "help";
    let shown = |arg: &Arg| {
        let name = arg.get_long()?;
        let values = arg.get_value_names().unwrap_or_default().iter();
        let takes = arg.get_num_args().is_some_and(|count| count.takes_values());
        let values: String = values
            .filter(|_| takes)
            .map(|own| format!(" <{own}>"))
            .collect();
        Some(format!("--{name}{values}"))
    };
    let all = command.get_arguments().filter(is_own).filter_map(shown);
    all.collect::<Vec<_>>().join(", ")
}

/// The commands within a command, on one line.
pub fn commands(command: &Command) -> String {
    let shown = command.get_subcommands().filter(|own| !own.is_hide_set());
    shown.map(Command::get_name).collect::<Vec<_>>().join(", ")
}

/// The arguments of a command that have fixed values: the name, and the values on one line.
pub fn values(command: &Command) -> Vec<(String, String)> {
    let fixed = |arg: &Arg| {
        let all: Vec<PossibleValue> = arg.get_possible_values();
        let names: Vec<&str> = all.iter().map(PossibleValue::get_name).collect();
        let name = arg.get_value_names()?.first()?;
        (!names.is_empty()).then(|| (name.to_string(), names.join(", ")))
    };
    command.get_positionals().filter_map(fixed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> impl Iterator<Item = OsString> {
        text.split(' ')
            .map(OsString::from)
            .collect::<Vec<_>>()
            .into_iter()
    }

    #[test]
    fn a_command_is_described_by_its_own_options_and_fixed_values() {
        let export = named(
            crate::args::command(),
            words("--json export one.jsonl --format html"),
        );
        assert_eq!(export.get_bin_name(), Some("palimpsest export"));
        let options = options(&export);
        assert!(
            options.contains("--out <PATH>") && options.contains("--html"),
            "{options}"
        );
        assert!(
            !options.contains("--json") && !options.contains("--help"),
            "{options}"
        );
        let values = values(&export);
        assert_eq!(values[0].0, "WHAT");
        assert!(values[0].1.starts_with("session, tree, "), "{values:?}");
    }
}
