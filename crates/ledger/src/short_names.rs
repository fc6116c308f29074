//! Files that a text names in a short way: by a pattern (`icon*.png`), by a further ending
//! (`rows.h`/`.c`), or without their ending (README).

use crate::braces::is_same_file;
use crate::evidence::Evidence;
use crate::extract::Candidate;
use crate::{identifiers, words};
use palimpsest_core::ledger::{FactKind, FactStatus};
use std::collections::HashMap;
use std::ops::Range;

/// Fewest letters that a pattern gives of a name: `*.rs` names no file.
const PATTERN_LETTERS: usize = 4;

/// Fewest letters of a name in capitals that is written without its ending.
const CAPITALS: usize = 4;

/// How far behind a path its further ending may end, in bytes.
const ENDING_BYTES: usize = 24;

/// Offers each file of `facts` of which nothing was found where `text` names it in a short way.
pub(crate) fn find(text: &str, facts: &[Candidate], out: &mut [Evidence]) {
    let is_sought = |(at, fact): &(usize, &Candidate)| {
        fact.kind == FactKind::Path && out[*at].status == FactStatus::Dropped
    };
    let sought: Vec<(usize, &Candidate)> = facts.iter().enumerate().filter(is_sought).collect();
    if sought.is_empty() {
        return;
    }
    let mut sharing: HashMap<&str, usize> = HashMap::new();
    for fact in facts.iter().filter(|fact| fact.kind == FactKind::Path) {
        *sharing.entry(identifiers::basename(&fact.key)).or_default() += 1;
    }
    let patterns = patterns(text);
    let with_endings = with_endings(text);
    let bare = in_capitals(text);
    for (at, fact) in sought {
        for (pattern, range) in &patterns {
            if matches(pattern, &fact.key) {
                out[at].offer(FactStatus::Mentioned, range.clone());
            }
        }
        let name = identifiers::basename(&fact.key);
        for (path, range) in &with_endings {
            if is_same_file(&fact.key, path) {
                // A bare name may mean another file of that name.
                let is_one = path.contains('/') || sharing[name] == 1;
                let status = if is_one {
                    FactStatus::Mentioned
                } else {
                    FactStatus::Partial
                };
                out[at].offer(status, range.clone());
            }
        }
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        for range in bare.get(stem).into_iter().flatten() {
            // The one at the root is meant, or the only one.
            let status = if sharing[name] == 1 || fact.key == name {
                FactStatus::Mentioned
            } else {
                FactStatus::Partial
            };
            out[at].offer(status, range.clone());
        }
    }
}

/// Patterns of names of files with their ranges: one star, and letters enough beside it.
fn patterns(text: &str) -> Vec<(&str, Range<usize>)> {
    let mut out = Vec::new();
    let mut at = 0;
    for chunk in text.split(|c| !is_of_path(c)) {
        let start = at;
        // What parts two chunks is one character.
        at += chunk.len();
        at += text[at..].chars().next().map_or(0, char::len_utf8);
        let pattern = chunk.trim_end_matches('.');
        let Some((before, after)) = pattern.split_once('*') else {
            continue;
        };
        let stem = after.split('.').next().unwrap_or_default();
        let is_one = after.contains('.') && !after.contains(['/', '*']);
        if is_one
            && telling_letters(identifiers::basename(before)) + telling_letters(stem)
                >= PATTERN_LETTERS
        {
            out.push((pattern, start..start + pattern.len()));
        }
    }
    out
}

/// How many letters of a part of a pattern tell of a file: every test may be called a test.
fn telling_letters(part: &str) -> usize {
    let part = part
        .to_ascii_lowercase()
        .replace("test", "")
        .replace("spec", "");
    part.chars().filter(|c| c.is_alphanumeric()).count()
}

/// True where the end of a path has the form of a pattern with one star.
fn matches(pattern: &str, path: &str) -> bool {
    let Some((before, after)) = pattern.split_once('*') else {
        return false;
    };
    let Some(rest) = path.strip_suffix(after) else {
        return false;
    };
    rest.match_indices(before).any(|(at, _)| {
        (at == 0 || rest[..at].ends_with('/')) && !rest[at + before.len()..].contains('/')
    })
}

/// Paths that an ending behind another path stands for: "`rows.h`/`.c`" is `rows.c` as well, and
/// "`a.json`, `.example`" is `a.json.example`.
fn with_endings(text: &str) -> Vec<(String, Range<usize>)> {
    let mut out = Vec::new();
    for path in identifiers::scan(text) {
        if path.kind != FactKind::Path {
            continue;
        }
        let rest = &text[path.range.end..];
        let near = &rest[..words::floor_boundary(rest, ENDING_BYTES)];
        let line = near.lines().next().unwrap_or_default();
        let behind = line.trim_start_matches('`');
        let joint = ["/", ", ", " and ", " + ", " & "]
            .iter()
            .find_map(|joint| behind.strip_prefix(joint));
        let Some(ending) = joint.and_then(|rest| rest.trim_start_matches('`').strip_prefix('.'))
        else {
            continue;
        };
        let letters = ending.bytes().take_while(u8::is_ascii_alphanumeric).count();
        let goes_on = ending[letters..].starts_with(['.', '/', '_', '-'])
            && ending[letters + 1..].starts_with(char::is_alphanumeric);
        if letters == 0 || goes_on {
            continue;
        }
        let ending = &ending[..letters];
        let end = text.len().min(path.range.end + line.len());
        let range = path.range.start
            ..end.min(path.range.end + line.find(ending).unwrap_or_default() + letters);
        if let Some((stem, _)) = path.key.rsplit_once('.') {
            out.push((format!("{stem}.{ending}"), range.clone()));
        }
        out.push((format!("{}.{ending}", path.key), range));
    }
    out
}

/// Words in capitals, to which no ending is written.
fn in_capitals(text: &str) -> HashMap<&str, Vec<Range<usize>>> {
    let mut out: HashMap<&str, Vec<Range<usize>>> = HashMap::new();
    for range in words::raw_words(text) {
        let word = &text[range.clone()];
        let is_one = word.len() >= CAPITALS && word.bytes().all(|b| b.is_ascii_uppercase());
        let next = &text.as_bytes()[range.end..];
        let line = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
        let is_title = text[line..].starts_with('#') || next.first() == Some(&b':');
        let has_ending =
            next.first() == Some(&b'.') && next.get(1).is_some_and(u8::is_ascii_alphanumeric);
        if is_one && !has_ending && !is_title && !text[..range.start].ends_with(['-', '_']) {
            out.entry(word).or_default().push(range);
        }
    }
    out
}

/// True for what a path or a pattern of paths is written with.
fn is_of_path(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '~' | '@' | '+' | '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_names_files() {
        let text = "- `strings.xml`, `icon_round*.xml`; **bold** and *.rs, `src/test_*.py`";
        let found: Vec<&str> = patterns(text)
            .into_iter()
            .map(|(pattern, _)| pattern)
            .collect();
        assert_eq!(found, ["icon_round*.xml"]);
        assert!(patterns(&"*".repeat(100_000)).is_empty());
        assert!(matches("icon_round*.xml", "res/v26/icon_round_dark.xml"));
        assert!(!matches("icon_round*.xml", "res/icon_round/a.xml"));
        assert!(!matches("icon_round*.xml", "res/my_icon_round.xml"));
    }

    #[test]
    fn an_ending_stands_for_a_path() {
        let paths = |text: &str| -> Vec<String> {
            with_endings(text)
                .into_iter()
                .map(|(path, _)| path)
                .collect()
        };
        assert_eq!(
            paths("`src/rows.h`/`.c` hold it"),
            ["src/rows.c", "src/rows.h.c"]
        );
        assert_eq!(
            paths("see `data/a.json`, `.example`: new"),
            ["data/a.example", "data/a.json.example"]
        );
        assert!(paths("see `a.json`, `.env.local` and `b.json`.").is_empty());
    }

    #[test]
    fn names_in_capitals_need_no_ending() {
        let found =
            in_capitals("## TODO\nREADME updated, see LICENSE.txt, NO_COLOR and API\nNOTES: none");
        let mut words: Vec<&str> = found.into_keys().collect();
        words.sort_unstable();
        assert_eq!(words, ["README"]);
    }
}
