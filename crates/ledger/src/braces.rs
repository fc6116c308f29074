//! Several files written as one: `src/{a,b}.rs`, `page.html/css/js`.

use crate::known_names;
use std::ops::Range;

/// Most names in a pair of braces; more are no list of files.
const MOST_NAMES: usize = 20;

/// The paths that lists in braces stand for, each with the range of its list: `src/{a,b}.rs` is
/// `src/a.rs` and `src/b.rs`. Only lists in a path are taken: with a slash or an ending around them.
pub(crate) fn expanded(text: &str) -> Vec<(String, Range<usize>)> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(open) = text[from..].find('{').map(|at| from + at) {
        from = open + 1;
        let Some(close) = text[open..].find(['}', '\n']).map(|at| open + at) else {
            break;
        };
        if !text[close..].starts_with('}') {
            continue;
        }
        let names: Vec<&str> = text[open + 1..close].split(',').map(str::trim).collect();
        let is_list = (2..=MOST_NAMES).contains(&names.len())
            && names
                .iter()
                .all(|name| !name.is_empty() && name.chars().all(is_of_path));
        if !is_list {
            continue;
        }
        let start = text[..open].rfind(|c| !is_of_path(c)).map_or(0, |at| {
            at + text[at..].chars().next().map_or(1, char::len_utf8)
        });
        let behind = &text[close + 1..];
        let end = close + 1 + behind.find(|c| !is_of_path(c)).unwrap_or(behind.len());
        let (before, after) = (
            &text[start..open],
            text[close + 1..end].trim_end_matches('.'),
        );
        if !before.ends_with('/') && !after.starts_with('.') {
            continue;
        }
        let end = close + 1 + after.len();
        for name in names {
            found.push((format!("{before}{name}{after}"), start..end));
        }
        from = end;
    }
    by_endings(text, &mut found);
    found
}

/// Most endings behind a first one.
const MOST_ENDINGS: usize = 6;

/// Files of one name whose endings stand behind each other: `page.html/css/js`, `rows.h/.cpp`.
fn by_endings(text: &str, found: &mut Vec<(String, Range<usize>)>) {
    let is_ending = |part: &str| known_names::EXTENSIONS.binary_search(&part).is_ok();
    let mut at = 0;
    for word in text.split(|c: char| !is_of_path(c)) {
        let start = at;
        at += word.len();
        at += text[at..].chars().next().map_or(0, char::len_utf8);
        // What stands behind the first ending, each of which is one as well.
        let Some(dot) = word.find('.').filter(|dot| word[*dot..].contains('/')) else {
            continue;
        };
        let behind = word[dot..]
            .find('/')
            .map_or(word.len(), |slash| dot + slash);
        let first = word[..behind].rfind('.').unwrap_or(dot);
        let (name, ending) = (&word[..first], &word[first + 1..behind]);
        let rest = word[behind..].trim_end_matches('.');
        let more: Vec<&str> = rest
            .split('/')
            .skip(1)
            .map(|part| part.strip_prefix('.').unwrap_or(part))
            .collect();
        let has_name = name.chars().filter(|c| c.is_alphanumeric()).count() > 1;
        if more.len() > MOST_ENDINGS
            || !has_name
            || !is_ending(ending)
            || !more.iter().all(|part| is_ending(part))
        {
            continue;
        }
        let range = start..start + behind + rest.len();
        for ending in [ending].into_iter().chain(more) {
            found.push((format!("{name}.{ending}"), range.clone()));
        }
    }
}

/// True for what the name of a file or folder is written with.
pub(crate) fn is_of_path(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '~' | '@' | '+')
}

/// True where one path is the other or its end.
pub(crate) fn is_same_file(one: &str, other: &str) -> bool {
    let ends = |long: &str, short: &str| {
        long.strip_suffix(short)
            .is_some_and(|before| before.is_empty() || before.ends_with('/'))
    };
    ends(one, other) || ends(other, one)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(text: &str) -> Vec<String> {
        expanded(text).into_iter().map(|(path, _)| path).collect()
    }

    #[test]
    fn each_name_in_braces_is_a_path() {
        let text = "- `src/Index/{Service,IService, Store}.cs`: new `Size()`.";
        let found = expanded(text);
        assert_eq!(
            paths(text),
            [
                "src/Index/Service.cs",
                "src/Index/IService.cs",
                "src/Index/Store.cs"
            ]
        );
        assert_eq!(
            &text[found[0].1.clone()],
            "src/Index/{Service,IService, Store}.cs"
        );
        assert_eq!(
            paths("edit crates/{a,b}/src."),
            ["crates/a/src", "crates/b/src"]
        );
    }

    #[test]
    fn endings_behind_each_other_are_files_of_one_name() {
        assert_eq!(
            paths("- page.html/css/js: settings; src/rows.h/.cpp."),
            [
                "page.html",
                "page.css",
                "page.js",
                "src/rows.h",
                "src/rows.cpp"
            ]
        );
        for text in [
            "v1.2/3",
            "a.b/readme.md",
            "example.com/rows/js",
            "e.g/i.e",
            "and/or",
        ] {
            assert!(paths(text).is_empty(), "{text}: {:?}", paths(text));
        }
    }

    #[test]
    fn code_and_single_names_are_no_lists_of_files() {
        for text in [
            "use std::{fs, io};",
            "let x = {a, b};",
            "/repos/{id}/stats",
            "{\"a\": 1, \"b\": 2}",
            "src/{a",
            "src/{a,\nb}.rs",
            "src/{a,,b}.rs",
        ] {
            assert!(paths(text).is_empty(), "{text}: {:?}", paths(text));
        }
    }

    #[test]
    fn a_path_is_the_same_file_as_its_end() {
        assert!(is_same_file("/home/me/src/a.rs", "src/a.rs"));
        assert!(!is_same_file("src/ba.rs", "a.rs"));
    }
}
