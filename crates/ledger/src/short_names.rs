//! Files that a text names in a short way: by a pattern (`icon*.png`), by a further ending
//! (`rows.h`/`.c`), or without their ending (README, `RowReader`, "src/parts: Head, Foot").

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

/// Fewest letters of a name of several words that is written without its ending (`RowReader`, `row_reader`).
const HUMPED: usize = 6;

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
    }
    without_endings(text, facts, out);
}

/// Offers each file of which nothing was found where `text` has its name without the ending.
fn without_endings(text: &str, facts: &[Candidate], out: &mut [Evidence]) {
    let mut named: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, fact) in facts.iter().enumerate() {
        let (_, stem) = split(&fact.key);
        if fact.kind == FactKind::Path && stem.len() < fact.key.len() {
            named.entry(stem).or_default().push(at);
        }
    }
    named.retain(|_, files| {
        files
            .iter()
            .any(|&at| out[at].status == FactStatus::Dropped)
    });
    if named.is_empty() {
        return;
    }
    for line in words::lines(text) {
        let content = &text[line.clone()];
        for word in words::raw_words(content) {
            let Some(files) = named.get(&content[word.clone()]) else {
                continue;
            };
            let stem = &content[word.clone()];
            let is_title = content.starts_with('#') || content[word.end..].starts_with(':');
            let by_itself = is_of_words(stem) || is_in_capitals(stem) && !is_title;
            if goes_on(content, &word) {
                continue;
            }
            for &at in files {
                let (folder, _) = split(&facts[at].key);
                let in_folder = stem.starts_with(char::is_uppercase) && has_folder(content, folder);
                if out[at].status != FactStatus::Dropped || !by_itself && !in_folder {
                    continue;
                }
                // Of several files of the name the one at the root is meant, or the one whose folder stands there.
                let is_one = files.len() == 1 || folder.is_empty() || in_folder;
                let status = if is_one {
                    FactStatus::Mentioned
                } else {
                    FactStatus::Partial
                };
                out[at].offer(status, line.start + word.start..line.start + word.end);
            }
        }
    }
}

/// The last folder of a path, and the name of its file without the ending.
fn split(path: &str) -> (&str, &str) {
    let name = identifiers::basename(path);
    let folders = path[..path.len() - name.len()].trim_end_matches('/');
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    (identifiers::basename(folders), stem)
}

/// True for a name of several words.
fn is_of_words(stem: &str) -> bool {
    let humps = stem.as_bytes().windows(2);
    let mut humps =
        humps.filter(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    stem.len() >= HUMPED && (humps.next().is_some() || stem.trim_matches('_').contains('_'))
}

/// True for a word in capitals, to which the ending is often left out.
fn is_in_capitals(stem: &str) -> bool {
    stem.len() >= CAPITALS && stem.bytes().all(|b| b.is_ascii_uppercase())
}

/// True for a word that is a part of a longer name, or has an ending.
fn goes_on(line: &str, word: &Range<usize>) -> bool {
    let mut next = line[word.end..].chars();
    let behind = next.next();
    let has_more = matches!(behind, Some('.' | '-' | '/' | ':'))
        && next.next().is_some_and(char::is_alphanumeric);
    has_more || line[..word.start].ends_with(['-', '_', '.', '@'])
}

/// True where a line has a folder in a path.
fn has_folder(line: &str, folder: &str) -> bool {
    folder.len() > 1
        && line.match_indices(folder).any(|(at, _)| {
            let (before, behind) = (&line[..at], &line[at + folder.len()..]);
            let is_whole = !before.ends_with(char::is_alphanumeric)
                && !behind.starts_with(char::is_alphanumeric);
            is_whole && (before.ends_with('/') || behind.starts_with('/'))
        })
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
        let joint = ["/", ", ", " and ", " + ", " & ", " (+ ", " (and "]
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
    fn the_ending_is_left_out_of_names_of_several_words() {
        for stem in ["RowReader", "row_reader"] {
            assert!(is_of_words(stem), "{stem}");
        }
        for stem in ["Head", "Reader", "_readers", "README"] {
            assert!(!is_of_words(stem), "{stem}");
        }
        assert!(has_folder("- src/parts: Head, Foot", "parts"));
        assert!(has_folder("- `src/parts/`: Head, Foot", "parts"));
        assert!(!has_folder("- the parts: Head, Foot", "parts"));
        assert!(!has_folder("- src/parts2: Head, Foot", "parts"));
    }
}
