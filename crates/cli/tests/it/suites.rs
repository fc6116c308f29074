//! Each crate has one test program, `tests/it/main.rs`: a program for each file would link the
//! whole crate as often. And it runs every file beside it.

use std::path::Path;

use crate::circles::{crates, files_below, tree::Tree};

#[test]
fn each_crate_has_one_test_program() {
    let mut wrong = Vec::new();
    for folder in crates() {
        let Ok(listing) = std::fs::read_dir(folder.join("tests")) else {
            continue;
        };
        for entry in listing {
            let path = entry.unwrap().path();
            let is_program = path.extension().is_some_and(|kind| kind == "rs")
                || path.join("main.rs").is_file() && !path.ends_with("it");
            if is_program {
                wrong.push(path.display().to_string());
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "move these to tests/it and name them in its main.rs:\n  {}",
        wrong.join("\n  ")
    );
}

#[test]
fn every_file_of_a_test_program_is_run() {
    let mut programs = 0;
    for folder in crates() {
        let suite = folder.join("tests/it");
        if !suite.is_dir() {
            continue;
        }
        programs += 1;
        let unreached = unreached(&suite);
        assert!(
            unreached.is_empty(),
            "{}: no `mod` in main.rs leads to {unreached:?}, so their tests never run",
            suite.display()
        );
    }
    assert!(programs > 5, "{programs}");
}

/// Files of a test program that its `main.rs` does not lead to.
fn unreached(suite: &Path) -> Vec<String> {
    let tree = Tree::of(&files_below(suite));
    tree.unreached.into_iter().collect()
}

#[test]
fn a_file_that_is_not_named_is_found() {
    let dir = tempfile::tempdir().unwrap();
    for (file, text) in [
        ("main.rs", "mod one;"),
        ("one.rs", ""),
        ("two.rs", "// mod two;"),
    ] {
        std::fs::write(dir.path().join(file), text).unwrap();
    }
    assert_eq!(unreached(dir.path()), ["two.rs"]);
}
