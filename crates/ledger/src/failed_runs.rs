//! What stands for the failure of a command whose output has no line in a known form.

use crate::shown_lines::{advises, is_frame, is_listing};
use crate::turns::Turns;
use crate::verdicts::counts_only;
use crate::{complaints, diagnostics, error_forms, levels, located, words};
use std::ops::Range;

/// Words with which programs refuse or say that something is not as it should be.
#[rustfmt::skip]
static REFUSING: Turns = Turns::anywhere(&[
    "not ", "n't ", "cannot", "no such", "unable", "fail", "invalid", "illegal", "unexpected", "unknown",
    "unsupported", "unresolved", "undefined", "missing", "denied", "refus", "reject", "forbidden", "expired",
    "exceed", "mismatch", "duplicate", "conflict", "already", "too many", "too few", "too long", "too large",
    "expect", "must ", "should ", "is required", "are required", "unhandled", "has no", "have no", " is no ", "violat", "unreachable", "abort", "wrong", "bad ",
]);

/// True for a line, in lower case, in which a program refuses something.
fn refuses(lower: &str) -> bool {
    REFUSING.stand_in(lower)
}

/// The lines that tell why a command failed, of `lines`, those that say something: the lines with a place in a file,
/// else the rows of a table whose verdict is a failure, else the first in which a program complains under its name,
/// else the first and the last that refuse: the cause, and what came of it. With `alone` (no line in a known form was
/// found) the last line stands for the failure where none refuses. Where a program explains how it is called, the
/// first line is it.
pub(crate) fn telling(
    text: &str,
    lines: &[Range<usize>],
    shows_usage: bool,
    alone: bool,
) -> Vec<Range<usize>> {
    let content = |range: &Range<usize>| {
        let line = &text[range.clone()];
        &line[levels::clock(line)..]
    };
    let says = |range: &&Range<usize>| {
        let line = content(range);
        !counts_only(line)
            && !advises(line)
            && !is_frame(line)
            && !levels::is_quiet_log(line)
            && !levels::is_warning(line)
            && !is_sum(line)
            && !error_forms::is_label(line)
            && !error_forms::counts_each(&line.to_ascii_lowercase())
            && !passes(line)
    };
    let listed = |line: &str| is_listing(line) && !line.contains("\"message\"");
    let mut said: Vec<&Range<usize>> = lines.iter().filter(says).collect();
    if shows_usage {
        let first = said.iter().find(|range| !listed(content(range)));
        return first.map(|range| (*range).clone()).into_iter().collect();
    }
    for wanted in [located::names_line, is_failed_row] {
        let rows = said.iter().filter(|range| wanted(content(range)));
        let rows: Vec<Range<usize>> = rows.map(|range| (*range).clone()).collect();
        if !rows.is_empty() {
            return rows;
        }
    }
    // A listing is asked where nothing else is said.
    let speaks = |line: &str| !listed(line) && line.contains(' ');
    if said.iter().any(|range| speaks(content(range))) {
        said.retain(|range| !listed(content(range)));
    }
    // Two words are a verdict ("Build FAILED.").
    let refused = |range: &&&Range<usize>| {
        let line = content(range);
        line.split_whitespace().count() >= 3 && refuses(&line.to_ascii_lowercase())
    };
    let complained = |range: &&&Range<usize>| diagnostics::complains(content(range));
    let first = said
        .iter()
        .find(|range| complained(range) && refused(range));
    let mut chosen: Vec<Range<usize>> = match first {
        Some(first) => vec![(*first).clone()],
        None => {
            let ends = [said.iter().find(refused), said.iter().rfind(refused)];
            ends.into_iter()
                .flatten()
                .map(|range| (*range).clone())
                .collect()
        }
    };
    if chosen.is_empty() && alone {
        // A single word behind other lines is the end of a listing.
        let last = said.last();
        let last = last.filter(|range| content(range).contains(' ') || said.len() == 1);
        let other = said.iter().find(complained).or(last);
        chosen.extend(other.map(|range| (*range).clone()));
    }
    chosen.dedup();
    chosen
}

/// The rows of a table whose verdict is a failure, in what a look shows that failed.
pub(crate) fn failed_rows(text: &str) -> Vec<Range<usize>> {
    let failed = |range: &Range<usize>| is_failed_row(&text[range.clone()]);
    words::lines(text)
        .filter(failed)
        .take(MAX_COMPLAINTS)
        .collect()
}

/// `lint<tab>fail<tab>16s`: a row of a table with a cell that says it failed.
fn is_failed_row(line: &str) -> bool {
    let failed = |cell: &str| {
        matches!(
            cell.trim(),
            "fail" | "failed" | "failure" | "FAIL" | "FAILED"
        )
    };
    line.matches('\t').count() >= 2 && line.split('\t').any(failed)
}

/// "2 problems", "1 dead link", "checked 2 of 14".
fn is_sum(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    let digits = |word: &&str| word.bytes().all(|b| b.is_ascii_digit());
    let counted = words.len() <= 4 && words.first().is_some_and(digits);
    // "Valid: 2, Invalid: 1, Errors: 0".
    let figures = words
        .iter()
        .filter(|word| digits(&word.trim_end_matches(',')))
        .count();
    counted
        || 2 * figures + 2 >= words.len() && figures >= 3
        || words
            .windows(3)
            .any(|part| part[1] == "of" && digits(&part[0]) && digits(&part[2]))
}

/// "case 1 ok", "checking tags ... yes", "✓ rows".
fn passes(line: &str) -> bool {
    let last = line.rsplit(' ').next().unwrap_or_default();
    ["ok", "OK", "yes", "done", "pass", "passed", "PASS"].contains(&last)
        || line.starts_with(['✓', '✔', '√', '✅'])
}

/// Most complaints taken from what a look shows.
const MAX_COMPLAINTS: usize = 5;

/// The lines in which a program of `script` complains under its own name, among what the script shows
/// (`gh: Not Found`, `ls: cannot access x`). A pipe hides that it failed.
pub(crate) fn own_complaints(text: &str, script: &str) -> Vec<Range<usize>> {
    let runs = |name: &str| {
        let mut words =
            script.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')));
        words.any(|word| word == name)
    };
    let complains = |range: &Range<usize>| {
        let line = &text[range.clone()];
        let Some((name, said)) = line.split_once(": ") else {
            return false;
        };
        if !diagnostics::complains(line) {
            return false;
        }
        // Git complains as `fatal`; subjects of commits begin with names.
        if name == "fatal" {
            return runs("git");
        }
        let lower = said.to_ascii_lowercase();
        name != "git" && (refuses(&lower) || complaints::report(&lower)) && runs(name)
    };
    let lines = words::lines(text).filter(complains);
    lines.take(MAX_COMPLAINTS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(text: &str) -> Vec<&str> {
        let lines: Vec<Range<usize>> = words::lines(text).collect();
        let found = telling(text, &lines, text.contains("Usage"), true);
        found.into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn the_most_telling_lines_stand_for_a_failure() {
        for (text, lines) in [
            (
                "reading rows\nrow 3 is older than row 2\nchecked 2 of 14",
                vec!["row 3 is older than row 2"],
            ),
            (
                "The row \"a\" is taken.\nAsk for it with: rows free",
                vec!["The row \"a\" is taken."],
            ),
            (
                "a.sql:4 keyword in lower case\nb.sql:2 no comment\n2 problems",
                vec!["a.sql:4 keyword in lower case", "b.sql:2 no comment"],
            ),
            (
                "test\tfail\t5m\thttps://a/1\nlint\tpass\t1m\thttps://a/2",
                vec!["test\tfail\t5m\thttps://a/1"],
            ),
            (
                "flag wants a value: -port\nUsage of rows:\n  the port",
                vec!["flag wants a value: -port"],
            ),
            (
                "a.md\n-> b.md ok\n-> c.md gone\n1 dead link",
                vec!["-> c.md gone"],
            ),
        ] {
            assert_eq!(chosen(text), lines, "for {text}");
        }
    }

    #[test]
    fn a_program_complains_under_its_name_in_what_it_shows() {
        let text = "gh: Not Found (HTTP 404)\ntitle: not here\n{\"id\": 3}";
        let found = own_complaints(text, "gh api rows/3 | jq .id");
        assert_eq!(found.len(), 1);
        assert_eq!(&text[found[0].clone()], "gh: Not Found (HTTP 404)");
        assert!(own_complaints("git: do not fail", "git log --format=%s").is_empty());
        assert_eq!(
            own_complaints("fatal: bad revision 'x'", "git show x | head").len(),
            1
        );
    }
}
