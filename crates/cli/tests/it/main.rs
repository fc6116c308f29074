//! The program as a user runs it: the built binary, a folder of its own, files on disk.

// A failed assumption of a test should stop it, and what a test skips is said on its output.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod bad_input;
mod branches;
mod contract;
mod failures;
mod human;
mod marks;
mod messages;
mod policies;
mod program;
mod prompts;
mod providers;
mod serve;

#[test]
fn no_test_file_is_forgotten() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    let listed = include_str!("main.rs");
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let name = entry.file_name().to_string_lossy().replace(".rs", "");
        assert!(
            name == "main" || listed.contains(&format!("mod {name};")),
            "{name}.rs is not run"
        );
    }
}
