//! How many tests passed and failed in the last run of each test command.

use crate::span::{Call, Part};
use crate::{commands, words};
use rustc_hash::FxHashMap as HashMap;
use std::ops::Range;

/// Most counts taken from one output.
const MAX_PER_OUTPUT: usize = 4;

/// Counts of the last run of each command, while outputs are read in order.
#[derive(Debug, Default)]
pub(crate) struct Outcomes<'a> {
    runs: HashMap<String, Vec<(Part<'a>, Range<usize>, String)>>,
}

impl<'a> Outcomes<'a> {
    /// Reads an output; its counts take the place of those of earlier runs of the command.
    pub fn note(&mut self, part: &Part<'a>, call: Option<&Call<'_>>) {
        let Some(command) = call
            .filter(|call| !call.looks_only)
            .and_then(|call| call.command.as_deref())
        else {
            return;
        };
        let found = counts(part.text);
        if !found.is_empty() {
            let found = found.into_iter().map(|(range, key)| (*part, range, key));
            self.runs
                .insert(commands::head(commands::doing(command)), found.collect());
        }
    }

    /// The counts of the last runs, in order of appearance.
    pub fn last(self) -> Vec<(Part<'a>, Range<usize>, String)> {
        let mut out: Vec<_> = self.runs.into_values().flatten().collect();
        out.sort_by_key(|(part, range, _)| (part.item, part.block, range.start));
        out
    }
}

/// Figures above zero before "passed", "passing", "failed" or "failing", as test runners print
/// them, the last of each word first found last; each with the key under which spellings meet
/// (`14 passed`).
pub fn counts(output: &str) -> Vec<(Range<usize>, String)> {
    // Most outputs count nothing.
    if !["pass", "fail"].iter().any(|cue| output.contains(cue)) {
        return Vec::new();
    }
    let mut last: HashMap<&str, (Range<usize>, String)> = HashMap::default();
    let mut before: Option<Range<usize>> = None;
    for word in words::raw_words(output) {
        let canonical = match &output[word.clone()] {
            "passed" | "passing" => "passed",
            "failed" | "failing" => "failed",
            // Bun has such a line for each.
            "pass" if before.as_ref().is_some_and(|at| is_line(output, at, &word)) => "passed",
            "fail" if before.as_ref().is_some_and(|at| is_line(output, at, &word)) => "failed",
            _ => {
                before = Some(word);
                continue;
            }
        };
        if let Some(figure) = before.take()
            && &output[figure.end..word.start] == " "
            && output[figure.clone()].bytes().all(|b| b.is_ascii_digit())
            && !output[..figure.start].ends_with(['.', ','])
            && let Ok(count) = output[figure.clone()].parse::<u64>()
            && count > 0
        {
            last.insert(
                canonical,
                (figure.start..word.end, format!("{count} {canonical}")),
            );
        }
    }
    let mut out: Vec<_> = last.into_values().collect();
    out.sort_by_key(|(range, _)| range.start);
    out.truncate(MAX_PER_OUTPUT);
    out
}

/// True where a figure and the word behind it are a line of their own.
fn is_line(output: &str, figure: &Range<usize>, word: &Range<usize>) -> bool {
    let start = output[..figure.start].rfind('\n').map_or(0, |at| at + 1);
    let rest = output[word.end..].trim_start_matches(['\r', ' ']);
    output[start..figure.start].trim().is_empty() && (rest.is_empty() || rest.starts_with('\n'))
}

/// The figure of a count's key, and whether it counts what passed.
pub(crate) fn read_key(key: &str) -> Option<(&str, bool)> {
    match key.split_once(' ')? {
        (figure, "passed") => Some((figure, true)),
        (figure, "failed") => Some((figure, false)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_runners_are_read() {
        for (output, expected) in [
            (
                "test result: FAILED. 14 passed; 2 failed; 0 ignored",
                vec!["14 passed", "2 failed"],
            ),
            (
                "Tests  3 failed | 41 passed (44)",
                vec!["3 failed", "41 passed"],
            ),
            ("  12 passing (34ms)\n  0 failing", vec!["12 passed"]),
            ("5 passed; 0 failed\n\n9 passed; 0 failed", vec!["9 passed"]),
            ("it failed after 3.5 passed", vec![]),
            (
                " 36 pass\n 2 fail\n 80 expect() calls\n",
                vec!["36 passed", "2 failed"],
            ),
            (" 4 pass\n 1 fail", vec!["4 passed", "1 failed"]),
            ("all 3 pass the check\n", vec![]),
        ] {
            let found: Vec<_> = counts(output).into_iter().map(|(_, key)| key).collect();
            assert_eq!(found, expected, "for {output}");
        }
    }
}
