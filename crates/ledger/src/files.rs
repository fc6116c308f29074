//! Files: one fact for each however it is spelled, with what was done with it.

use crate::candidate::{Candidate, role_weight};
use crate::identifiers::{self, basename, path_key};
use crate::known_names::FILE_NAMES;
use crate::span::{Call, Part, ToolAction};
use crate::{commands, scripts, words};
use memchr::memmem;
use palimpsest_core::ledger::{FactKind, FileRole};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

/// The files that a call names, each as spelled, with what the call does with it.
///
/// Patches name theirs behind `*** Update File:` (Codex) and the like. Of a script, what it writes
/// is edited, what `cat` and its kin print is read, what a search goes through is searched, and the
/// rest is named. Arguments of programs that send requests, and names of branches, are no files.
pub fn of_call(call: &Call<'_>, arguments: &str) -> Vec<(String, FileRole)> {
    let mut out = Vec::new();
    let role = match call.action {
        ToolAction::Edit | ToolAction::Write => FileRole::Edited,
        ToolAction::Read => FileRole::Read,
        ToolAction::Search => FileRole::Searched,
        ToolAction::Shell | ToolAction::Todo | ToolAction::Other => FileRole::Named,
    };
    if let Some(path) = call.path.as_deref().filter(|path| path.len() >= 2) {
        out.push((path.to_owned(), role));
    }
    for (file, _) in patched(arguments) {
        out.push((file, FileRole::Edited));
    }
    if let Some(script) = &call.script {
        in_script(script, &mut out);
    }
    out
}

/// The files a patch changes: lines `*** Add File: x`, `*** Update File: x`, `*** Delete File: x`,
/// `*** Move to: x`.
pub(crate) fn patched(arguments: &str) -> Vec<(String, FileRole)> {
    let mut out = Vec::new();
    if memmem::find(arguments.as_bytes(), b"*** ").is_none() {
        return out;
    }
    for mark in [
        "*** Add File: ",
        "*** Update File: ",
        "*** Delete File: ",
        "*** Move to: ",
    ] {
        for (at, _) in arguments.match_indices(mark) {
            let rest = &arguments[at + mark.len()..];
            let end = rest.find(['\n', '\r', '\\', '"']).unwrap_or(rest.len());
            out.push((rest[..end].trim().to_owned(), FileRole::Edited));
        }
    }
    out
}

fn in_script(script: &str, out: &mut Vec<(String, FileRole)>) {
    for step in scripts::steps(script) {
        if let Some(file) = &step.writes
            && is_file(file)
        {
            out.push((file.clone(), FileRole::Edited));
        }
        let text = step.text(script);
        let text = &text[..text.find("<<").unwrap_or(text.len())];
        let command = commands::words_of(text);
        let program = command.first().copied().unwrap_or_default();
        let second = command.get(1).copied().unwrap_or_default();
        let role = match role_in(program, || scripts::looks(&step, script)) {
            Some(role) => role,
            None if sends(program, second) => continue,
            None => FileRole::Named,
        };
        for found in identifiers::scan(text) {
            let spelled = &text[found.range.clone()];
            // `*_test.go` is a pattern, `a/x.go` a side of a difference.
            let begun = text[..found.range.start].ends_with(['*', '_', '$', '}']);
            let side = spelled.starts_with("a/") || spelled.starts_with("b/");
            if found.kind == FactKind::Path && is_file(spelled) && !begun && !side {
                out.push((spelled.to_owned(), role));
            }
        }
    }
}

/// What a program of the shell does with the files among its arguments; `looks` tells whether the
/// command only looks. `None` for programs that name files for other ends.
pub(crate) fn role_in(program: &str, looks: impl FnOnce() -> bool) -> Option<FileRole> {
    Some(match program {
        "cat" | "head" | "tail" | "less" | "more" | "nl" | "bat" => FileRole::Read,
        "sed" if looks() => FileRole::Read,
        "sed" | "rm" | "mv" | "cp" | "touch" | "tee" | "gofmt" | "rustfmt" => FileRole::Edited,
        "grep" | "egrep" | "rg" | "ag" | "find" | "fd" | "ls" | "tree" | "wc" => FileRole::Searched,
        _ => return None,
    })
}

/// True for a program that sends requests, or names branches: its arguments are no files.
fn sends(program: &str, second: &str) -> bool {
    match program {
        "gh" | "curl" | "wget" | "ssh" | "docker" | "kubectl" => true,
        "git" => matches!(
            second,
            "commit" | "push" | "fetch" | "pull" | "merge" | "rebase"
        ),
        _ => false,
    }
}

/// True for the name of a file rather than of a folder, a pattern, a branch or an address of an
/// API: its last part has an extension or is a known name.
pub fn is_file(path: &str) -> bool {
    let name = basename(path);
    let extended = name
        .rsplit_once('.')
        .is_some_and(|(stem, end)| !end.is_empty() && (!stem.is_empty() || end.len() >= 3));
    let is_range = path.contains("..") && !path.starts_with("../") && !path.contains("/../");
    (extended || FILE_NAMES.contains(&name))
        && !path.contains(['*', '{', '$', '<'])
        && !is_range
        && !path.ends_with("...")
        && !path.starts_with("origin/")
        && name != "."
        && name != ".."
}

/// True for a file of tests, by its name or its folder.
pub fn is_test(path: &str) -> bool {
    let name = basename(path).to_ascii_lowercase();
    let stem = name.split('.').next().unwrap_or_default();
    stem.ends_with("_test")
        || stem.starts_with("test_")
        || stem.ends_with("_tests")
        || stem.ends_with("_spec")
        || name.contains(".test.")
        || name.contains(".spec.")
        || path.contains("/tests/")
        || path.contains("/__tests__/")
}

/// A search that lists more files than this tells which there are; those that nobody takes up are none
/// that a summary has to name.
pub(crate) const MANY_LISTED: usize = 10;

/// Most files taken from one listing.
const MAX_LISTED: usize = 60;

/// The files that a listing names at the beginnings of its lines, each once: of a search
/// (`src/a.rs:12: text`, `src/a.rs-13- text`), of `git status` and of a difference.
pub(crate) fn listed(output: &str) -> Vec<std::ops::Range<usize>> {
    let mut out: Vec<std::ops::Range<usize>> = Vec::new();
    let mut seen: HashSet<&str> = HashSet::default();
    let mut last = "";
    for line in words::lines(output) {
        if out.len() >= MAX_LISTED {
            break;
        }
        let content = &output[line.clone()];
        let begun = content.trim_start();
        let rest = [
            "modified:",
            "new file:",
            "deleted:",
            "renamed:",
            "diff --git a/",
            "M ",
            "A ",
            "D ",
            "?? ",
        ]
        .iter()
        .find_map(|mark| begun.strip_prefix(mark));
        let marked = rest.is_some();
        let rest = rest.unwrap_or(begun).trim_start();
        // Most lines of a search name the file of the line before.
        if !last.is_empty() && rest.starts_with(last) {
            continue;
        }
        let word = &rest[..rest
            .find(|c: char| c.is_whitespace() || matches!(c, ':' | '(' | ',' | '"'))
            .unwrap_or(rest.len())];
        let name = match numbered(word) {
            Some(end) => &word[..end],
            None => word,
        };
        if name.len() >= 4
            && (marked || name.contains('/'))
            && is_file(name)
            && !name.contains("//")
            && seen.insert(name)
        {
            let start = name.as_ptr() as usize - output.as_ptr() as usize;
            last = name;
            out.push(start..start + name.len());
        }
    }
    out
}

/// Where `-12-` begins, which stands behind the file in lines round a match.
fn numbered(word: &str) -> Option<usize> {
    word.match_indices('-').find_map(|(at, _)| {
        let rest = &word[at + 1..];
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        (digits > 0 && rest[digits..].starts_with('-') && word[..at].contains('.')).then_some(at)
    })
}

/// Notes what was done with the file of a fact; of several the first of [`FileRole`] counts.
pub(crate) fn note_role(fact: &mut Candidate, role: FileRole) {
    let known = fact.details.file_role.unwrap_or(FileRole::Named);
    fact.details.file_role = Some(known.min(role));
}

/// Notes a file that a call names.
pub(crate) fn place_of(part: &Part<'_>, spelled: &str) -> std::ops::Range<usize> {
    let escaped = serde_json::Value::from(spelled).to_string();
    let escaped = &escaped[1..escaped.len() - 1];
    match part.text.find(escaped) {
        Some(at) => at..at + escaped.len(),
        None => 0..part.text.len(),
    }
}

/// A bare name means the file that has all but one of so many mentions of the files with that name; fewer mentions tell
/// nothing.
const CLEARLY: usize = 5;

/// Joins spellings of one file (`src/a.rs`, `/home/me/app/src/a.rs`): a path that is the end of
/// another is that one, of several the one said most often. Agents mix absolute and relative
/// spellings.
pub(crate) fn join(facts: &mut Vec<Candidate>) {
    const MAX_GROUP: usize = 2000;
    let mut groups: HashMap<&str, Vec<usize>> = HashMap::default();
    for (index, fact) in facts.iter().enumerate() {
        if fact.kind == FactKind::Path && !fact.key.contains("://") {
            groups.entry(basename(&fact.key)).or_default().push(index);
        }
    }
    let mut into: HashMap<usize, usize> = HashMap::default();
    for mut group in groups.into_values() {
        if group.len() < 2 || group.len() > MAX_GROUP {
            continue;
        }
        group.sort_by_key(|&index| (std::cmp::Reverse(facts[index].key.len()), index));
        for (at, &short) in group.iter().enumerate() {
            let key = facts[short].key.as_str();
            let longer: Vec<usize> = group[..at]
                .iter()
                .copied()
                .filter(|long| {
                    !into.contains_key(long)
                        && (is_at_home(&facts[*long].key, key)
                            || facts[*long]
                                .key
                                .strip_suffix(key)
                                // A folder may have a blank in its name ("My Drive/app").
                                .is_some_and(|rest| rest.ends_with(['/', ' '])))
                })
                .collect();
            // A bare name that several files have stays one of its own only if the user said it, and none of them
            // is meant nearly always.
            let by_user = facts[short].role >= role_weight::USER;
            let said: usize = longer.iter().map(|&long| facts[long].said).sum();
            let most = longer
                .iter()
                .max_by_key(|&&long| (facts[long].said, usize::MAX - long));
            if let Some(&long) = most
                && (longer.len() == 1
                    || !by_user
                    || key.contains('/')
                    || said >= CLEARLY && CLEARLY * facts[long].said >= (CLEARLY - 1) * said)
            {
                into.insert(short, long);
            }
        }
    }
    let mut moves: Vec<_> = into.iter().map(|(from, to)| (*from, *to)).collect();
    moves.sort_unstable();
    for (from, to) in moves {
        let moved = facts[from].clone();
        merge(&mut facts[to], moved);
    }
    let mut index = 0;
    facts.retain(|_| {
        index += 1;
        !into.contains_key(&(index - 1))
    });
}

/// True where `short` is `long` from the home of a user (`~/.zshrc`, `/home/ada/.zshrc`).
fn is_at_home(long: &str, short: &str) -> bool {
    let Some(inside) = short.strip_prefix("~/") else {
        return false;
    };
    let user = ["/Users/", "/home/"]
        .iter()
        .find_map(|homes| long.strip_prefix(homes));
    let below = user
        .and_then(|rest| rest.split_once('/'))
        .map(|(_, below)| below);
    below.or_else(|| long.strip_prefix("/root/")) == Some(inside)
}

/// Leaves out names that are the file of a path: `rows.tmpl` beside `etc/rows.tmpl`.
pub(crate) fn without_names(facts: &mut Vec<Candidate>) {
    let paths = facts.iter().filter(|fact| fact.kind == FactKind::Path);
    let names: HashSet<String> = paths
        .map(|fact| basename(&fact.key))
        .filter(|name| name.contains('.'))
        .map(str::to_owned)
        .collect();
    facts.retain(|fact| fact.kind != FactKind::Symbol || !names.contains(fact.key.as_str()));
}

fn merge(target: &mut Candidate, moved: Candidate) {
    target.count += moved.count;
    target.said += moved.said;
    target.taken_from = match (target.taken_from, moved.taken_from) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    };
    target.standing = target.standing.max(moved.standing);
    target.first_item = target.first_item.min(moved.first_item);
    target.last_item = target.last_item.max(moved.last_item);
    target.role = target.role.max(moved.role);
    target.places.extend(moved.places);
    if let Some(role) = moved.details.file_role {
        note_role(target, role);
    }
    target.details.generation = target.details.generation.min(moved.details.generation);
    for surface in moved.surfaces {
        if !target.surfaces.contains(&surface) {
            target.surfaces.push(surface);
        }
    }
    let shown = target
        .surfaces
        .iter()
        .filter(|surface| surface.contains('/'));
    if let Some(short) = shown.min_by_key(|surface| surface.len()) {
        target.text = words::one_line(short.trim_start_matches("./"), 400);
    }
}

/// Leaves out folders nobody but a call named, patterns and prefixes of others, and weighs the rest
/// by what was done with them.
pub(crate) fn settle(facts: &mut Vec<Candidate>) {
    let mut folders: HashSet<&str> = HashSet::default();
    for fact in facts.iter().filter(|fact| fact.kind == FactKind::Path) {
        let mut rest = fact.key.as_str();
        while let Some((folder, _)) = rest.rsplit_once('/') {
            if !folders.insert(folder) {
                // Those above it are there as well.
                break;
            }
            rest = folder;
        }
    }
    let stays = |fact: &Candidate| {
        if fact.kind != FactKind::Path {
            return true;
        }
        if fact.key.contains("://") {
            return is_link(&fact.key);
        }
        let by_user = fact.role >= role_weight::USER;
        let holds_others = folders.contains(fact.key.as_str());
        let edited = fact.details.file_role == Some(FileRole::Edited);
        (is_file(&fact.key) && !holds_others) || edited || (by_user && is_place(&fact.key))
    };
    let stay: Vec<bool> = facts.iter().map(stays).collect();
    let mut stay = stay.into_iter();
    facts.retain(|_| stay.next().unwrap_or(true));
    for fact in facts.iter_mut().filter(|fact| fact.kind == FactKind::Path) {
        let by_user = fact.role >= role_weight::USER;
        if !fact.key.contains("://") {
            note_role(fact, FileRole::Named);
        }
        let edited = fact.details.file_role == Some(FileRole::Edited);
        fact.lighter = match fact.details.file_role {
            // A folder says less than the files in it; a screenshot that was pasted is gone tomorrow.
            // An address stands in the request that gives it.
            _ if fact.key.contains("://") => 2,
            _ if by_user && !edited && !is_scratch(&fact.key) => i32::from(!is_file(&fact.key)),
            Some(FileRole::Edited) if is_scratch(&fact.key) => 3,
            Some(FileRole::Edited) if MARKERS.contains(&basename(&fact.key)) => 1,
            // Written once and not touched again, it only makes its folder a package.
            Some(FileRole::Edited) if basename(&fact.key) == PACKAGE && fact.worked < 2 => 1,
            Some(FileRole::Edited) => -EDITED,
            Some(FileRole::Read) => 2,
            Some(FileRole::Searched) | Some(FileRole::Named) | None => 3,
        };
    }
}

/// How many ranks heavier than its kind an edited file is: what was made so far stands in it. Of the edited files in
/// labelled stretches 43 of 70 are among the thirty facts that matter most, of the decisions 21 of 120. People give the
/// highest of three grades to 112 of 156 edited files and to 81 of 162 requests.
const EDITED: i32 = 4;

/// The file that makes a folder a package of Python.
const PACKAGE: &str = "__init__.py";

/// Empty files that only mark a folder.
const MARKERS: [&str; 3] = ["py.typed", ".gitkeep", ".keep"];

/// True for a file that is gone tomorrow.
pub(crate) fn is_scratch(path: &str) -> bool {
    let folders = ["/tmp/", "/var/tmp/", "/private/tmp/"];
    let begins = |folder: &&str| path.starts_with(folder) || path.starts_with(&folder[1..]);
    // A word may stick to a pasted path.
    folders.iter().any(begins) || format!("/{path}").contains("/var/folders/")
}

/// An address with something behind its host.
fn is_link(key: &str) -> bool {
    key.split_once("://").is_some_and(|(_, rest)| {
        rest.split_once('/')
            .is_some_and(|(_, path)| !path.is_empty())
    })
}

/// A folder a user may mean: two parts at least, and no pattern.
fn is_place(key: &str) -> bool {
    path_key(key).contains('/') && !key.contains(['*', '$', '{']) && !key.ends_with("...")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_one_from_the_home_of_its_user() {
        assert!(is_at_home("/home/ada/.zshrc", "~/.zshrc"));
        assert!(is_at_home("/Users/ada/app/rows.rs", "~/app/rows.rs"));
        assert!(!is_at_home("/home/ada/app/.zshrc", "~/.zshrc"));
        assert!(!is_at_home("/srv/ada/.zshrc", "~/.zshrc"));
    }

    #[test]
    fn files_of_a_script_have_roles() {
        let mut found = Vec::new();
        in_script(
            "cat src/a.rs | head && grep -rn x src/b.rs; sed -i s/a/b/ src/c.rs && cargo test src/d.rs \
             > out/log.txt && gh api repos/a/b/c.json && git merge origin/topic",
            &mut found,
        );
        let found: Vec<_> = found
            .iter()
            .map(|(file, role)| (file.as_str(), *role))
            .collect();
        assert_eq!(
            found,
            [
                ("src/a.rs", FileRole::Read),
                ("src/b.rs", FileRole::Searched),
                ("src/c.rs", FileRole::Edited),
                ("out/log.txt", FileRole::Edited),
                ("src/d.rs", FileRole::Named),
                ("out/log.txt", FileRole::Named),
            ]
        );
    }

    #[test]
    fn what_is_gone_tomorrow_is_told_from_what_stays() {
        for path in [
            "/tmp/a.py",
            "var/folders/49/T/Shot",
            "at/var/folders/49/T/Shot.png",
        ] {
            assert!(is_scratch(path), "for {path}");
        }
        for path in ["src/tmp/a.py", "/home/me/var/a.rs", "src/folders/a.rs"] {
            assert!(!is_scratch(path), "for {path}");
        }
    }

    #[test]
    fn files_are_told_from_folders_patterns_and_branches() {
        for (path, is) in [
            ("src/a.rs", true),
            (".env", true),
            ("Makefile", true),
            ("src/parts", false),
            ("./cmd/...", false),
            ("src/*.rs", false),
            ("1a2b3c..origin/topic", false),
            ("origin/v1.2", false),
        ] {
            assert_eq!(is_file(path), is, "for {path}");
        }
    }

    #[test]
    fn listings_name_files_at_the_beginning_of_lines() {
        let output = "Found 2 files\nsrc/rows/load.rs:12: let x = a/b;\nsrc/rows/load.rs-13-\n\
                      src/rows/save-2.rs-7-fn\n\tmodified:   docs/rows.md\ndiff --git a/ui/x.ts b/ui/x.ts\n\
                      see src/other.rs\n12\tsrc/never.rs";
        let found: Vec<_> = listed(output)
            .into_iter()
            .map(|range| &output[range])
            .collect();
        assert_eq!(
            found,
            [
                "src/rows/load.rs",
                "src/rows/save-2.rs",
                "docs/rows.md",
                "ui/x.ts"
            ]
        );
        assert!(
            is_test("src/rows_test.go") && is_test("web/a.spec.ts") && !is_test("src/latest.rs")
        );
    }

    #[test]
    fn a_patch_names_its_files() {
        let patch = "{\"input\":\"*** Begin Patch\\n*** Update File: src/a.rs\\n@@\\n*** Add File: b.md\\n\"}";
        let files: Vec<_> = patched(patch).into_iter().map(|(file, _)| file).collect();
        assert_eq!(files, ["b.md", "src/a.rs"]);
    }
}
