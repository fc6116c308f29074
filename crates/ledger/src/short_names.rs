//! Files that a text names in a short way: by a pattern (`icon*.png`), behind their folder, by a further ending
//! (`rows.h`/`.c`), or without their ending (README, `RowReader`, "src/parts: Head, Foot").

use crate::braces::{is_of_path, is_same_file};
use crate::extract::Candidate;
use crate::{identifiers, words};
use palimpsest_core::ledger::{FactKind, FactStatus};
use rustc_hash::FxHashMap as HashMap;
use std::ops::Range;

/// Fewest letters that a pattern gives of a name: `*.rs` names no file.
const PATTERN_LETTERS: usize = 4;

/// Fewest letters of a name in capitals that is written without its ending.
const CAPITALS: usize = 4;

/// Fewest letters of a name of several words that is written without its ending (`RowReader`, `row_reader`).
const HUMPED: usize = 6;

/// How far behind a path its further ending may end, in bytes.
const ENDING_BYTES: usize = 24;

/// Where a text names a file in a short way: the number of its fact, how far that tells it, and the bytes.
pub(crate) type Named = (usize, FactStatus, Range<usize>);

/// Finds the files of `facts` that are `sought` where `text` names them in a short way.
pub(crate) fn find(text: &str, facts: &[Candidate], sought: impl Fn(usize) -> bool) -> Vec<Named> {
    let is_sought = |(at, fact): &(usize, &Candidate)| fact.kind == FactKind::Path && sought(*at);
    let files: Vec<(usize, &Candidate)> = facts.iter().enumerate().filter(is_sought).collect();
    let mut out = Vec::new();
    if files.is_empty() {
        return out;
    }
    let mut sharing: HashMap<&str, usize> = HashMap::default();
    for fact in facts.iter().filter(|fact| fact.kind == FactKind::Path) {
        *sharing.entry(identifiers::basename(&fact.key)).or_default() += 1;
    }
    let patterns = patterns(text);
    let with_endings = with_endings(text);
    for (at, fact) in &files {
        for (pattern, range) in &patterns {
            if matches(pattern, &fact.key) {
                out.push((*at, FactStatus::Mentioned, range.clone()));
            }
        }
        for (path, range) in &with_endings {
            if is_same_file(&fact.key, path) {
                // A bare name may mean another file of that name.
                let is_one = path.contains('/') || sharing[identifiers::basename(&fact.key)] == 1;
                out.push((*at, told(is_one), range.clone()));
            }
        }
    }
    without_endings(text, facts, &files, &mut out);
    below_folders(text, &files, &mut out);
    out
}

/// Finds each of `files` that a line names bare behind the folder with which the line begins
/// ("**courier-sys/** (done): `tools.py`, `Dockerfile`").
fn below_folders(text: &str, files: &[(usize, &Candidate)], out: &mut Vec<Named>) {
    let mut named: HashMap<&str, Vec<(usize, &str)>> = HashMap::default();
    for (at, fact) in files {
        let name = identifiers::basename(&fact.key);
        named.entry(name).or_default().push((*at, &fact.key));
    }
    for line in words::lines(text) {
        let content = &text[line.clone()];
        let mut chunks = chunks(content).filter(|(chunk, _)| chunk.contains(char::is_alphanumeric));
        let first = chunks.next().map(|(chunk, _)| chunk.trim_matches('*'));
        let Some(folder) = first.and_then(|chunk| chunk.strip_suffix('/')) else {
            continue;
        };
        for (chunk, range) in chunks {
            let name = chunk.trim_end_matches('.');
            let files = named.get(name).into_iter().flatten();
            let below: Vec<usize> = files
                .filter(|(_, key)| {
                    is_same_file(key[..key.len() - name.len()].trim_end_matches('/'), folder)
                })
                .map(|(at, _)| *at)
                .collect();
            let start = line.start + range.start;
            for &at in &below {
                // Several folders may have the name.
                out.push((at, told(below.len() == 1), start..start + name.len()));
            }
        }
    }
}

fn told(is_one: bool) -> FactStatus {
    if is_one {
        FactStatus::Mentioned
    } else {
        FactStatus::Partial
    }
}

/// Finds each of `files` where `text` has its name without the ending.
fn without_endings(
    text: &str,
    facts: &[Candidate],
    files: &[(usize, &Candidate)],
    out: &mut Vec<Named>,
) {
    let mut sharing: HashMap<&str, usize> = HashMap::default();
    for fact in facts.iter().filter(|fact| fact.kind == FactKind::Path) {
        *sharing.entry(split(&fact.key).1).or_default() += 1;
    }
    let mut named: HashMap<&str, Vec<(usize, &str)>> = HashMap::default();
    for (at, fact) in files {
        let (folder, stem) = split(&fact.key);
        if stem.len() < identifiers::basename(&fact.key).len() {
            named.entry(stem).or_default().push((*at, folder));
        }
    }
    if named.is_empty() {
        return;
    }
    for line in words::lines(text) {
        let content = &text[line.clone()];
        for (written, name) in listed(content) {
            for (at, folder) in named.get(&content[name.clone()]).into_iter().flatten() {
                if is_same_file(folder, written) {
                    let range = line.start + name.start..line.start + name.end;
                    out.push((*at, FactStatus::Mentioned, range));
                }
            }
        }
        for word in words::raw_words(content) {
            let stem = &content[word.clone()];
            let Some(files) = named.get(stem) else {
                continue;
            };
            let is_title = content.starts_with('#') || content[word.end..].starts_with(':');
            let by_itself = is_of_words(stem) || is_in_capitals(stem) && !is_title;
            if !by_itself || goes_on(content, &word) {
                continue;
            }
            for (at, folder) in files {
                // Of several files of the name the one at the root is meant.
                let is_one = sharing[stem] == 1 || folder.is_empty();
                out.push((
                    *at,
                    told(is_one),
                    line.start + word.start..line.start + word.end,
                ));
            }
        }
    }
}

/// The folder of a path, and the name of its file without the ending.
fn split(path: &str) -> (&str, &str) {
    let name = identifiers::basename(path);
    let folders = path[..path.len() - name.len()].trim_end_matches('/');
    (
        folders,
        name.rsplit_once('.').map_or(name, |(stem, _)| stem),
    )
}

/// Names that a line lists behind a folder ("src/parts: Head, Foot"), each with the folder as it is written.
fn listed(line: &str) -> Vec<(&str, Range<usize>)> {
    let mut out = Vec::new();
    for (chunk, range) in chunks(line) {
        let folder = chunk.trim_end_matches('/');
        if !folder.contains('/') && folder.len() == chunk.len() {
            continue;
        }
        let mut at = range.end;
        let mut joints = &[": ", " ("][..];
        loop {
            let bare = |at: usize| line.len() - line[at..].trim_start_matches('`').len();
            let end = bare(at);
            let Some(joint) = joints.iter().find(|joint| line[end..].starts_with(**joint)) else {
                break;
            };
            let start = bare(end + joint.len());
            // Names of components begin with a capital letter.
            if !line[start..].starts_with(char::is_uppercase) {
                break;
            }
            let length = line[start..]
                .find(|c: char| !(c.is_alphanumeric() || c == '_'))
                .unwrap_or(line.len() - start);
            out.push((folder, start..start + length));
            at = start + length;
            joints = &[", and ", ", ", " and ", "/", " + "];
        }
        // A sentence behind the folder begins with a capital letter as well.
        let ends = line[at..].trim_start_matches('`');
        if !(ends.is_empty() || ends.starts_with([')', '.', ';', ',', '('])) {
            while out.last().is_some_and(|(_, name)| name.start >= range.end) {
                out.pop();
            }
        }
    }
    out
}

/// The parts of a text that are written with the signs of paths and of patterns.
fn chunks(text: &str) -> impl Iterator<Item = (&str, Range<usize>)> {
    let mut next = 0;
    text.split(|c| !is_of_path(c) && c != '*')
        .map(move |chunk| {
            let start = next;
            next += chunk.len();
            // What parts two chunks is one character.
            next += text[next..].chars().next().map_or(0, char::len_utf8);
            (chunk, start..start + chunk.len())
        })
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
    has_more || line[..word.start].ends_with(['-', '_', '.', '@', '/'])
}

/// Patterns of names of files with their ranges: one star, and letters enough beside it.
fn patterns(text: &str) -> Vec<(&str, Range<usize>)> {
    let mut out = Vec::new();
    for (chunk, range) in chunks(text) {
        let pattern = chunk.trim_end_matches('.');
        let Some((before, after)) = pattern.split_once('*') else {
            continue;
        };
        let stem = after.split('.').next().unwrap_or_default();
        // A star in front may stand for emphasis.
        let is_marked = !before.is_empty() || text[..range.start].ends_with('`');
        let is_one = after.contains('.') && !after.contains(['/', '*']);
        let letters = telling_letters(identifiers::basename(before)) + telling_letters(stem);
        if is_marked && is_one && letters >= PATTERN_LETTERS {
            out.push((pattern, range.start..range.start + pattern.len()));
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
        assert!(patterns("*config.json is gone*").is_empty());
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
        let listed = |line| -> Vec<(String, String)> {
            let found = listed(line).into_iter();
            found
                .map(|(folder, name)| (folder.to_owned(), line[name].to_owned()))
                .collect()
        };
        let both = [("src/parts", "Head"), ("src/parts", "Foot")]
            .map(|(a, b)| (a.to_owned(), b.to_owned()));
        assert_eq!(listed("- src/parts: Head, Foot"), both);
        assert_eq!(listed("- `src/parts/`: `Head` and `Foot`, sorted"), both);
        assert!(listed("- the parts: Head, Foot").is_empty());
        assert!(listed("- Remove dead code from `src/actions/list.ts`").is_empty());
        assert!(listed("- src/parts: Removed the dead code").is_empty());
    }
}
