//! What a command takes, in a few lines: said where its words were wrong.

use clap::builder::PossibleValue;
use clap::{Arg, Command};
use std::ffi::OsString;

/// The commands that `words` name, from the program down to the innermost.
pub fn path(program: &Command, words: impl Iterator<Item = OsString>) -> Vec<&Command> {
    let mut path = vec![program];
    let mut own = program;
    for word in words.take_while(|word| word != "--") {
        if let Some(next) = word.to_str().and_then(|word| own.find_subcommand(word)) {
            own = next;
            path.push(own);
        }
    }
    path
}

/// The innermost of them, built, with the whole program's name in its usage.
pub fn named(mut program: Command, words: impl Iterator<Item = OsString>) -> Command {
    program.build();
    let innermost = path(&program, words).last().copied();
    innermost.unwrap_or(&program).clone()
}

/// The options of a command on one line, those of every command last.
pub fn options(command: &Command) -> String {
    let is_shown = |arg: &&Arg| !arg.is_hide_set() && arg.get_id() != "help";
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
    let (of_all, own): (Vec<&Arg>, Vec<&Arg>) = command
        .get_arguments()
        .filter(is_shown)
        .partition(|arg| arg.is_global_set());
    let all = own.into_iter().chain(of_all).filter_map(shown);
    all.collect::<Vec<_>>().join(", ")
}

/// What one argument of a command is, on one line, by how the parser writes it (`--to <ENTRY>`).
pub fn about(command: &Command, written: &str) -> Option<String> {
    let arg = command.get_arguments().find(|arg| {
        let written = written.trim_start_matches('-');
        let name = written
            .split([' ', '<', '>', '[', ']'])
            .find(|word| !word.is_empty());
        let names = arg.get_value_names().unwrap_or_default();
        name.is_some_and(|name| arg.get_long() == Some(name) || names.iter().any(|own| own == name))
    })?;
    let help = arg.get_help()?.to_string();
    Some(format!(
        "{written}: {}",
        help.split_whitespace().collect::<Vec<_>>().join(" ")
    ))
}

/// The argument of a command, given by its place, whose name is `name` in capitals.
pub fn argument_named(command: &Command, name: &str) -> Option<String> {
    let wanted = name.to_uppercase();
    let mut names = command
        .get_positionals()
        .filter_map(|arg| arg.get_value_names()?.first());
    names
        .find(|own| own.as_str() == wanted)
        .map(ToString::to_string)
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
            options.ends_with("--json, --data-dir <DIR>, --samples"),
            "{options}"
        );
        assert!(!options.contains("--help"), "{options}");
        let navigate = named(crate::args::command(), words("navigate one.jsonl"));
        let to = about(&navigate, "--to <ENTRY>").unwrap_or_default();
        assert!(to.starts_with("--to <ENTRY>: The target entry"), "{to}");
        let session = about(&navigate, "<SESSION>").unwrap_or_default();
        assert!(session.starts_with("<SESSION>: "), "{session}");
        let values = values(&export);
        assert_eq!(values[0].0, "WHAT");
        assert!(values[0].1.starts_with("session, tree, "), "{values:?}");
    }
}
