//! Lines that begin with a place in a file, as compilers, linters and scripts print them.

/// True for a line of a compiler or linter: `file:line:col: text`.
pub(crate) fn is_diagnostic(line: &str) -> bool {
    behind_place(line).is_some()
}

/// What stands behind `file:line:col:`, `file:[line,col]`, `file(line,col):` or `file: line 3:` at the beginning of
/// a line, also where a linter prints `line:col  error  text`.
pub(crate) fn behind_place(line: &str) -> Option<&str> {
    // White space of any script: what is cut off below is as long as the first word.
    let line = line.trim_start();
    let first = line.split_whitespace().next()?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let mut parts = first.split(':');
    let (path, row) = (parts.next()?, parts.next());
    let named =
        path.len() >= 3 && path.contains('.') && path.bytes().any(|b| b.is_ascii_alphabetic());
    if named
        && let (Some(row), Some(column)) = (row, parts.next())
        && digits(row)
        && digits(column)
    {
        let at = path.len() + row.len() + column.len() + 2;
        let said = line[at..].trim_start_matches(':').trim_start();
        // Behind a bare place stands a line of a trace.
        return (line[at..].starts_with(':') && said.len() >= 3).then_some(said);
    }
    if let Some(said) = behind_words(line, first).or_else(|| behind_bracket(first, line)) {
        return Some(said);
    }
    if let Some((path, place)) = first.trim_end_matches(':').split_once('(')
        && path.contains('.')
        && let Some((row, column)) = place.trim_end_matches(')').split_once(',')
        && digits(row)
        && digits(column)
    {
        return line[first.len()..]
            .trim_start()
            .strip_prefix(':')
            .or(Some(line[first.len()..].trim_start()));
    }
    if digits(path)
        && row.is_some_and(digits)
        && let Some(said) = line[first.len()..].trim_start().strip_prefix("error")
        && said.starts_with(' ')
    {
        return Some(said);
    }
    None
}

/// The file with which such a line begins.
pub(crate) fn file_of(line: &str) -> Option<&str> {
    let first = line.split_whitespace().next()?;
    let path = &first[..first.find([':', '(']).unwrap_or(first.len())];
    (is_diagnostic(line) && is_file(path)).then_some(path)
}

/// What stands behind `file.ext: line 3: ` or `file.ext line 3: `.
fn behind_words<'a>(line: &'a str, first: &str) -> Option<&'a str> {
    let rest = line[first.len()..].strip_prefix(" line ")?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let said = rest[digits..].strip_prefix(": ")?;
    (digits > 0 && is_file(first.trim_end_matches(':'))).then_some(said)
}

/// What stands behind Maven's `file:[3,5] `.
fn behind_bracket<'a>(first: &str, line: &'a str) -> Option<&'a str> {
    let (path, place) = first.split_once(":[")?;
    let place = place.strip_suffix(']')?;
    let is_place = place.bytes().all(|b| b.is_ascii_digit() || b == b',');
    (is_place && is_file(path)).then(|| line[first.len()..].trim_start())
}

/// True for the name of a file with an ending: `src/a.rs`, not `v1.2`.
fn is_file(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(stem, ending)| {
        !stem.is_empty()
            && (1..=6).contains(&ending.len())
            && ending.bytes().all(|b| b.is_ascii_alphanumeric())
            && ending.starts_with(|c: char| c.is_ascii_alphabetic())
    })
}

/// True for `file:3: text` and `file:3 text`, as a script of somebody's own prints what it found. A line of a trace
/// has no words behind the place.
pub(crate) fn names_line(line: &str) -> bool {
    let Some((first, said)) = line.split_once(' ') else {
        return false;
    };
    let Some((path, row)) = first.trim_end_matches(':').split_once(':') else {
        return false;
    };
    is_file(path)
        && !row.is_empty()
        && row.bytes().all(|b| b.is_ascii_digit())
        && said.split_whitespace().count() >= 2
        && !said.starts_with(['+', '('])
        && !said.starts_with("in ")
        && !["note:", "help:", "info:"]
            .iter()
            .any(|start| said.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_a_place_is_what_stands_before_it() {
        assert_eq!(
            file_of("src/a.go:3:5: syntax error: no }"),
            Some("src/a.go")
        );
        assert_eq!(file_of("src/a.ts(3,5): error TS1: no"), Some("src/a.ts"));
        assert_eq!(file_of("3:5  error  x is unused"), None);
        assert_eq!(file_of("v1.2 is out"), None);
    }

    #[test]
    fn white_space_of_two_bytes_comes_first() {
        let line = "\u{85}g \u{a0}x\u{bd}about ste";
        assert_eq!(behind_place(line), None);
        let line = "\u{85}src/a.rs:3:5: x is unused";
        assert_eq!(behind_place(line), Some("x is unused"));
        assert!(crate::error_forms::names_failure(
            "\u{85}3:1  ✖  no such rule"
        ));
    }

    #[test]
    fn places_are_read_in_their_forms() {
        for (line, said) in [
            ("src/a.rs:3:5: x is unused", Some("x is unused")),
            ("src/A.java:[3,5] cannot find it", Some("cannot find it")),
            ("run.sh: line 3: no such row", Some("no such row")),
            ("rows.csv line 3: no number", Some("no number")),
            ("v1.2 line 3: text", None),
            ("src/a.rs:3: x", None),
        ] {
            assert_eq!(behind_place(line), said, "for {line}");
        }
        assert!(names_line("a.sql:4 keyword in lower case"));
        assert!(names_line("docs/a.md:31: \"utilize\" is banned"));
        assert!(!names_line("/app/main.go:22 +0x1d"));
        assert!(!names_line("tests/a.py:2: in <module>"));
    }
}
