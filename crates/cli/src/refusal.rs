//! How the program says that it failed: in words on standard error, and with `--json` as one
//! document on standard output.

use crate::hints::hint;
use crate::usage;
use crate::visible::{escaped, visible};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use palimpsest_api::{ErrorCode, WireError};
use serde_json::{Value, json};
use std::io::Write as _;
use std::process::ExitCode;

/// An error as the document of `--json`: `{"error": {code, message, hint}}`; `next` and `field`
/// as well, where the error has them.
pub fn document(error: &WireError) -> Value {
    json!({ "error": fields(error) })
}

/// The fields of an error, its hint in the words of the command line.
pub fn fields(error: &WireError) -> Value {
    let mut fields = json!({
        "code": error.code,
        "message": error.message,
        "hint": hint(error),
    });
    if let Some(next) = &error.next {
        fields["next"] = json!(next);
    }
    if let Some(field) = &error.field {
        fields["field"] = json!(field);
    }
    fields
}

/// Says why a command failed.
pub fn of(error: &WireError, as_json: bool) -> ExitCode {
    if as_json {
        printed(error);
    }
    said(error)
}

/// Prints the document of an error.
pub fn printed(error: &WireError) {
    // Nothing can be done about a closed standard output.
    let document = document(error).to_string();
    let _ = writeln!(std::io::stdout(), "{}", escaped(&document));
}

/// Says why a command failed whose answer is printed already.
pub fn said(error: &WireError) -> ExitCode {
    let mut out = std::io::stderr();
    // Nothing can be done about a closed standard error.
    let _ = writeln!(out, "palimpsest: {}", visible(&error.message));
    if let Some(hint) = hint(error) {
        let _ = writeln!(out, "{}", visible(&hint));
    }
    match error.code {
        ErrorCode::Usage => ExitCode::from(2),
        _ => ExitCode::FAILURE,
    }
}

/// Says why the words of the command line are not understood, or prints the help or the version
/// that they ask for. Code 2 for an error.
pub fn of_words(error: &clap::Error) -> ExitCode {
    let is_answer = matches!(
        error.kind(),
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
    );
    // The words are not parsed, so that the option has to be looked for.
    let as_json = std::env::args_os()
        // After `--` a word is an argument, also if it looks like an option.
        .take_while(|word| word != "--")
        .any(|word| word == "--json");
    if as_json && !is_answer {
        let text = error.render().to_string();
        // What is missing stands on lines of its own, up to the first blank one.
        let lines = text.lines().take_while(|line| !line.trim().is_empty());
        let lines: Vec<&str> = lines.map(str::trim).collect();
        let whole = lines.join(" ");
        let message = whole.strip_prefix("error: ").unwrap_or(&whole);
        let document = json!({
            "error": { "code": "usage", "message": message, "hint": words_hint(error) },
        });
        let _ = writeln!(std::io::stdout(), "{}", escaped(&document.to_string()));
    }
    if is_answer {
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    // It repeats the words, which a script may have from a session.
    let mut text = without_riddle(&error.render().to_string());
    let command = usage::named(crate::args::command(), std::env::args_os().skip(1));
    if error.kind() == ErrorKind::UnknownArgument
        && let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidArg)
    {
        text = with_tip(&text, given, &command);
    }
    let text = with_usage(&text, error, command);
    let _ = write!(std::io::stderr(), "{}", visible(&text));
    ExitCode::from(2)
}

/// The text of the parser without its tip to pass an unknown option as a value: who mistyped an
/// option, or used that of another command, wants no value of that name.
fn without_riddle(text: &str) -> String {
    let is_riddle = |line: &str| {
        let line = line.trim_start();
        line.starts_with("tip: to pass '") && line.contains("' as a value, use '-- ")
    };
    let mut out = String::new();
    let mut lines = text.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        if !is_riddle(line) {
            out.push_str(line);
        } else if lines.peek().is_some_and(|next| next.trim().is_empty()) {
            // The blank line that stood behind it.
            lines.next();
        }
    }
    out
}

/// The text with a tip where the unknown option `given` is the name of an argument, and without the one that
/// the parser has for a word of another beginning: to who wants to `--run`, it proposes `--undo`.
fn with_tip(text: &str, given: &str, command: &clap::Command) -> String {
    const SIMILAR: &str = "  tip: a similar argument exists: '";
    let name = given.trim_start_matches('-');
    let argument = usage::argument_named(command, name);
    let first = |word: &str| word.trim_start_matches('-').chars().next();
    let misleads = |line: &str| {
        let similar = line.strip_prefix(SIMILAR);
        similar.is_some_and(|own| argument.is_some() || first(own) != first(given))
    };
    let Some(at) = text.find("\n\n").filter(|_| given.starts_with("--")) else {
        return text.to_owned();
    };
    let (fault, rest) = text.split_at(at);
    let tip = argument
        .as_ref()
        .map(|own| format!("\n\n  tip: give the {own} without {given}"));
    let rest = match rest.trim_start_matches('\n') {
        tip if misleads(tip) => tip.split_once("\n\n").map_or("", |(_, rest)| rest),
        rest => rest,
    };
    format!("{fault}{}\n\n{rest}", tip.unwrap_or_default())
}

/// The text with the whole usage of the command, in which the parser leaves out what is optional, with
/// the values of its arguments, and its options where an unknown one was given.
fn with_usage(text: &str, error: &clap::Error, mut command: clap::Command) -> String {
    let is_argument = matches!(
        error.kind(),
        ErrorKind::UnknownArgument
            | ErrorKind::MissingRequiredArgument
            | ErrorKind::InvalidSubcommand
    );
    let Some(start) = text.find("\nUsage: ").filter(|_| is_argument) else {
        return text.to_owned();
    };
    let end = text[start + 1..]
        .find('\n')
        .map_or(text.len(), |at| start + 1 + at);
    let mut told = format!("\n{}", command.render_usage());
    for (name, values) in usage::values(&command) {
        told += &format!("\n{name}: {values}");
    }
    if error.kind() == ErrorKind::MissingRequiredArgument
        && let Some(ContextValue::Strings(missing)) = error.get(ContextKind::InvalidArg)
    {
        for about in missing.iter().filter_map(|own| usage::about(&command, own)) {
            told += &format!("\n{about}");
        }
    }
    let commands = usage::commands(&command);
    if error.kind() == ErrorKind::InvalidSubcommand && !commands.is_empty() {
        told += &format!("\nCommands: {commands}");
    }
    let options = usage::options(&command);
    if error.kind() == ErrorKind::UnknownArgument && !options.is_empty() {
        told += &format!("\nOptions: {options}");
    }
    format!("{}{told}{}", &text[..start], &text[end..])
}

/// What the parser suggests, else how the command is used.
fn words_hint(error: &clap::Error) -> String {
    let suggested = [
        ContextKind::SuggestedArg,
        ContextKind::SuggestedSubcommand,
        ContextKind::SuggestedValue,
    ]
    .into_iter()
    .find_map(|kind| match error.get(kind)? {
        ContextValue::String(one) => Some(one.clone()),
        ContextValue::Strings(all) => all.first().cloned(),
        _ => None,
    });
    let usage = match error.get(ContextKind::Usage) {
        Some(ContextValue::StyledStr(usage)) => usage.to_string(),
        _ => String::new(),
    };
    // clap breaks usage into lines for a terminal; the hint is one line of JSON.
    let usage = usage.split_whitespace().collect::<Vec<_>>().join(" ");
    match (suggested, usage.is_empty()) {
        (Some(word), _) => format!("A similar one exists: '{word}'."),
        (None, false) => usage,
        (None, true) => "Run it with --help for its options.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{with_tip, without_riddle};
    use crate::usage;

    #[test]
    fn an_option_that_is_an_argument_is_told_so() {
        let said = |option: &str, similar: &str| {
            format!(
                "error: unexpected argument '{option}' found\n\n  tip: a similar argument exists: '{similar}'\n\n\
                 Usage: palimpsest apply [RUN]\n"
            )
        };
        let words = ["apply", "x"].map(std::ffi::OsString::from);
        let apply = usage::named(crate::args::command(), words.into_iter());
        let told = "error: unexpected argument '--run' found\n\n  tip: give the RUN without --run\n\n\
                    Usage: palimpsest apply [RUN]\n";
        assert_eq!(with_tip(&said("--run", "--undo"), "--run", &apply), told);
        let other = "error: unexpected argument '--redo' found\n\nUsage: palimpsest apply [RUN]\n";
        assert_eq!(with_tip(&said("--redo", "--undo"), "--redo", &apply), other);
        let near = said("--und", "--undo");
        assert_eq!(with_tip(&near, "--und", &apply), near);
    }

    #[test]
    fn an_unknown_option_is_no_value() {
        let said = "error: unexpected argument '--kind' found\n\n  tip: to pass '--kind' as a value, \
                    use '-- --kind'\n\nUsage: palimpsest chain <SESSION>\n";
        let told =
            "error: unexpected argument '--kind' found\n\nUsage: palimpsest chain <SESSION>\n";
        assert_eq!(without_riddle(said), told);
        let similar = "error: unexpected argument '--strateg' found\n\n  tip: a similar argument exists: \
                       '--strategy'\n";
        assert_eq!(without_riddle(similar), similar);
    }
}
