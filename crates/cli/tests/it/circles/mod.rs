//! No circle of files in any crate: where a file uses a name of another one, the other does not
//! need the first, on any way.
//!
//! A name counts as its file's that declares it, whichever `pub use` it is reached through; the
//! re-export itself is no use of the name. So a `mod.rs` may pass on what its files have, and a
//! file may use what its `mod.rs` declares, but not both ways at once. `mod` lines and code under
//! `#[cfg(test)]` do not count. Methods are not seen, as nothing in the text says whose they are.

mod lex;
mod read;
pub mod tree;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use tree::{Files, Tree};

/// A circle: its files, and the uses between them.
type Circle = (BTreeSet<String>, Vec<String>);

#[test]
fn no_crate_has_a_circle_of_files() {
    let mut found = Vec::new();
    for folder in crates() {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let circles = circles(&Tree::of(&files_of(&folder)));
        for (files, uses) in circles {
            let uses = uses.join("\n    ");
            found.push(format!("{name}: {} files\n    {uses}", files.len()));
        }
    }
    assert!(
        found.is_empty(),
        "files that need each other; move what both need to a file of its own, or hand it over as \
         a value:\n  {}",
        found.join("\n  ")
    );
}

#[test]
fn every_file_is_looked_at() {
    for folder in crates() {
        let tree = Tree::of(&files_of(&folder));
        assert!(
            tree.unreached.is_empty(),
            "{}: no `mod` leads to {:?}",
            folder.display(),
            tree.unreached
        );
    }
}

/// The folders of all crates of the workspace.
pub fn crates() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut folders = vec![root.join("src-tauri")];
    for group in ["crates", "tools"] {
        let inside = std::fs::read_dir(root.join(group)).unwrap();
        folders.extend(inside.map(|entry| entry.unwrap().path()));
    }
    folders.retain(|folder| folder.join("Cargo.toml").is_file());
    folders.sort();
    assert!(folders.len() > 10, "{folders:?}");
    folders
}

/// All Rust files of a crate.
fn files_of(folder: &Path) -> Files {
    files_below(&folder.join("src"))
}

/// All Rust files in a folder and below it.
pub fn files_below(source: &Path) -> Files {
    let mut files = Files::new();
    let mut open = vec![source.to_owned()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|kind| kind == "rs") {
                let parts = path.strip_prefix(source).unwrap().components();
                let parts: Vec<_> = parts
                    .map(|part| part.as_os_str().to_string_lossy())
                    .collect();
                files.insert(parts.join("/"), std::fs::read_to_string(&path).unwrap());
            }
        }
    }
    files
}

/// The circles among a crate's files.
fn circles(tree: &Tree) -> Vec<Circle> {
    let arrows = tree.arrows();
    let mut next: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (from, to) in arrows.keys() {
        next.entry(from).or_default().push(to);
    }
    let reached_from = |start: &str| {
        let mut reached = BTreeSet::new();
        let mut open: Vec<&str> = next.get(start).cloned().unwrap_or_default();
        while let Some(file) = open.pop() {
            if reached.insert(file) {
                open.extend(next.get(file).into_iter().flatten());
            }
        }
        reached
    };
    let reach: BTreeMap<&str, BTreeSet<&str>> = next
        .keys()
        .map(|file| (*file, reached_from(file)))
        .collect();
    let both_ways = |a: &str, b: &str| {
        let to = |a: &str, b: &str| reach.get(a).is_some_and(|reached| reached.contains(b));
        to(a, b) && to(b, a)
    };
    let mut circles: Vec<Circle> = Vec::new();
    for file in reach.keys().filter(|file| both_ways(file, file)) {
        if circles.iter().any(|(files, _)| files.contains(*file)) {
            continue;
        }
        let inside = reach.keys().filter(|other| both_ways(file, other));
        let files: BTreeSet<String> = inside.map(|&other| other.to_owned()).collect();
        let uses = arrows
            .iter()
            .filter(|((from, to), _)| files.contains(from) && files.contains(to));
        let uses = uses.map(|((from, to), names)| {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            format!("{from} uses of {to}: {}", names.join(", "))
        });
        circles.push((files.clone(), uses.collect()));
    }
    circles
}

/// A crate of the files given, each as its path and its text.
fn made_up(files: &[(&str, &str)]) -> Tree {
    Tree::of(
        &files
            .iter()
            .map(|(file, text)| ((*file).into(), (*text).into()))
            .collect(),
    )
}

/// The files of the circles in a made-up crate.
fn circles_in(files: &[(&str, &str)]) -> Vec<Vec<String>> {
    let found = circles(&made_up(files));
    found
        .into_iter()
        .map(|(files, _)| files.into_iter().collect())
        .collect()
}

#[test]
fn two_files_that_use_each_other_are_a_circle() {
    let found = circles_in(&[
        ("lib.rs", "mod plan; mod select;"),
        (
            "plan.rs",
            "use crate::select::Fate; pub struct Plan { fates: Vec<Fate> }",
        ),
        (
            "select.rs",
            "pub enum Fate { Kept } pub fn of(plan: &crate::plan::Plan) {}",
        ),
    ]);
    assert_eq!(found, [["plan.rs", "select.rs"]]);
}

#[test]
fn a_circle_through_three_files_and_a_facade_is_found() {
    let found = circles_in(&[
        (
            "lib.rs",
            "mod stages; pub use stages::{Fate, Job}; mod plan;",
        ),
        (
            "stages/mod.rs",
            "mod cut; mod job; pub use cut::Fate; pub use job::*;",
        ),
        ("stages/cut.rs", "use super::Job; pub struct Fate(Job);"),
        (
            "stages/job.rs",
            "pub struct Job; impl Job { fn of() { let a = crate::plan::begin(); } }",
        ),
        (
            "plan.rs",
            "use crate::{Fate as End}; pub fn begin() -> End { todo() }",
        ),
    ]);
    assert_eq!(found, [["plan.rs", "stages/cut.rs", "stages/job.rs"]]);
}

#[test]
fn a_file_and_the_module_above_it_are_a_circle() {
    let found = circles_in(&[
        ("lib.rs", "mod run;"),
        (
            "run/mod.rs",
            "mod kept; pub struct Run; pub fn start() { kept::keep(&Run) }",
        ),
        ("run/kept.rs", "use super::*; pub fn keep(run: &Run) {}"),
    ]);
    assert_eq!(found, [["run/kept.rs", "run/mod.rs"]]);
}

#[test]
fn a_name_that_a_macro_declares_is_its_files() {
    let found = circles_in(&[
        ("lib.rs", "mod record; mod size;"),
        (
            "record.rs",
            "use super::size::of; declare! { pub struct Record { size: u64 } }",
        ),
        (
            "size.rs",
            "use super::record::Record; pub fn of(record: &Record) {}",
        ),
    ]);
    assert_eq!(found, [["record.rs", "size.rs"]]);
}

#[test]
fn what_is_passed_on_or_only_tested_is_no_circle() {
    let found = circles_in(&[
        (
            "lib.rs",
            "mod run; pub use run::Run; mod plan; #[cfg(test)] mod tests;",
        ),
        // Passed on and not used; the words of a comment and a text are no code.
        (
            "run/mod.rs",
            "mod kept; pub use kept::Kept; pub struct Run; /* kept::Kept */",
        ),
        (
            "run/kept.rs",
            "use super::Run; pub struct Kept(Run); const TEXT: &str = \"crate::plan::Plan\";",
        ),
        (
            "plan.rs",
            "use crate::run::Kept; pub struct Plan(Kept, Part<A, B>); #[cfg(test)] mod tests { use crate::tests::all; }",
        ),
        ("tests.rs", "use crate::plan::Plan; pub fn all() {}"),
    ]);
    assert_eq!(found, Vec::<Vec<String>>::new());
}

#[test]
fn names_of_other_crates_are_no_uses() {
    let tree = made_up(&[
        ("lib.rs", "mod fmt; mod io;"),
        (
            "fmt.rs",
            "use std::io::{self, Read}; pub fn show(f: &mut io::Stdin) -> serde::io::Thing {}",
        ),
        (
            "io.rs",
            "use std::fmt; pub fn show(f: &mut fmt::Formatter) {} use core::fmt::show as other;",
        ),
    ]);
    assert!(tree.arrows().is_empty(), "{:?}", tree.arrows());
}

#[test]
fn a_program_beside_a_library_has_its_own_modules() {
    let found = circles_in(&[
        ("lib.rs", "pub mod args;"),
        ("args.rs", "pub struct Args;"),
        (
            "main.rs",
            "mod run; pub struct Stop; fn main() { run::run() }",
        ),
        ("run.rs", "use crate::Stop; pub fn run() {}"),
    ]);
    assert_eq!(found, [["main.rs", "run.rs"]]);
}
