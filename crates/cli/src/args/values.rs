//! Values of arguments: words of closed lists, numbers, pairs.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use palimpsest_api::wire::{
    CountBy, ExportWhat, Figure, JudgeWhat, SearchSort, SessionSort, Tokenizer, word,
};

/// What a query can have, as the last part of the help.
pub(super) fn search_help() -> String {
    let filters = palimpsest_api::search_filters();
    let lines = filters.map(|filter| format!("  {:<22} {}", filter.example, filter.meaning));
    let lines: Vec<String> = lines.collect();
    format!("Query:\n{}", lines.join("\n"))
}

/// A number of tokens.
pub(super) fn tokens(text: &str) -> Result<u64, &'static str> {
    let number = text.parse().ok().filter(|&number| number > 0);
    number.ok_or("expected a number of tokens, 1 or more, such as 200000")
}

/// How many there may be at most.
pub(super) fn count(text: &str) -> Result<u64, &'static str> {
    text.parse()
        .map_err(|_| "expected a whole number, 0 or more")
}

/// A port of this machine.
pub(super) fn port(text: &str) -> Result<u16, &'static str> {
    text.parse()
        .map_err(|_| "expected a whole number from 0 to 65535")
}

/// A folder or file.
pub(super) fn path(text: &str) -> Result<String, &'static str> {
    if text.trim().is_empty() {
        return Err("expected the path of a folder or file");
    }
    Ok(text.to_owned())
}

/// A cost limit in dollars; below 0 there is none.
pub(super) fn cost_limit(text: &str) -> Result<f64, &'static str> {
    if text == "none" {
        return Ok(-1.0);
    }
    let number = text.trim_start_matches('$').parse::<f64>().ok();
    let number = number.filter(|number| number.is_finite() && *number >= 0.0);
    number.ok_or("expected a number of dollars, 0 or more, or the word none")
}

pub(super) fn session_sorts() -> impl TypedValueParser<Value = SessionSort> {
    PossibleValuesParser::new([
        "updated",
        "created",
        "size",
        "entries",
        "context",
        "compactions",
        "errors",
        "rejections",
        "cost",
        "title",
        "relevance",
    ])
    .try_map(|name| word(&name).ok_or("there is no such order"))
}

pub(super) fn exports() -> impl TypedValueParser<Value = ExportWhat> {
    PossibleValuesParser::new([
        "session",
        "tree",
        "entry",
        "context",
        "ledger",
        "chain",
        "comparison",
        "handoff",
    ])
    .try_map(|name| word(&name).ok_or("there is no such export"))
}

/// The codes of the figures.
pub(super) fn figure_codes() -> PossibleValuesParser {
    PossibleValuesParser::new(Figure::ALL.map(Figure::code))
}

pub(super) fn hit_sorts() -> impl TypedValueParser<Value = SearchSort> {
    PossibleValuesParser::new(["newest", "oldest", "relevance", "size", "meaning"])
        .try_map(|name| word(&name).ok_or("there is no such order"))
}

pub(super) fn count_bys() -> impl TypedValueParser<Value = CountBy> {
    PossibleValuesParser::new(["tool", "command", "project", "agent"])
        .try_map(|name| word(&name).ok_or("hits cannot be counted by that"))
}

/// What a model can be asked as judge.
pub(super) fn judge_questions() -> impl TypedValueParser<Value = JudgeWhat> {
    PossibleValuesParser::new(["facts", "pair", "probes", "claims"])
        .try_map(|name| word(&name).ok_or("there is no such question"))
}

/// The encodings there are, by their names on the wire.
pub(super) fn tokenizers() -> impl TypedValueParser<Value = Tokenizer> {
    // Listed here, so that --help and the parser's suggestion name them.
    PossibleValuesParser::new(["o200k", "cl100k"])
        .try_map(|name| word(&name).ok_or("there is no such encoding"))
}

pub(super) fn place_name(text: &str) -> Result<(String, String), String> {
    text.split_once('=')
        .map(|(place, name)| (place.to_owned(), name.to_owned()))
        .ok_or_else(|| format!("'{text}' does not have the form PLACE=NAME"))
}

pub(super) fn key_value(text: &str) -> Result<(String, serde_json::Value), String> {
    let (key, value) = text
        .split_once('=')
        .ok_or_else(|| format!("'{text}' does not have the form KEY=VALUE"))?;
    let value =
        // Numbers, lists and objects are JSON. A word without quotes is a text, because shells
        // take quotes away.
        serde_json::from_str(value).unwrap_or_else(|_| serde_json::Value::String(value.to_owned()));
    Ok((key.to_owned(), value))
}

#[cfg(test)]
mod tests {
    use super::{count, path, port};

    #[test]
    fn a_wrong_number_or_path_says_what_it_must_be() {
        for wrong in ["abc", "-1", "1.5", ""] {
            assert_eq!(count(wrong), Err("expected a whole number, 0 or more"));
            assert_eq!(port(wrong), Err("expected a whole number from 0 to 65535"));
        }
        assert_eq!(
            port("70000"),
            Err("expected a whole number from 0 to 65535")
        );
        assert_eq!((count("0"), port("7411")), (Ok(0), Ok(7411)));
        assert!(path(" ").is_err() && path("a").is_ok());
    }
}
