//! A few seeds of each attack find nothing.

use std::path::Path;
use std::process::Command;

/// The seed that the attacks begin with, so that a run of the tests can take others.
const SEED: &str = "PALIMPSEST_TORTURE_SEED";

fn finds_nothing(attack: &str, seeds: u64) {
    let torture = Path::new(env!("CARGO_BIN_EXE_palimpsest-torture"));
    let seed = std::env::var(SEED).unwrap_or_else(|_| "1".to_owned());
    let output = Command::new(torture)
        .args([
            "--seconds",
            "600",
            "--seed",
            &seed,
            "--batches",
            &seeds.to_string(),
            attack,
        ])
        // Fixtures only: the short attack is the same on every machine.
        .args(["--place", "crates/formats/tests/fixtures"])
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .output()
        .unwrap();
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    assert!(output.status.success(), "{SEED}={seed}:\n{said}");
    assert!(said.contains("commands and requests"), "{said}");
    assert!(!said.contains("FOUND"), "{said}");
}

/// The attacks on the program itself need it beside the attacker, where a build of the workspace puts
/// it.
fn finds_nothing_in_the_program(attack: &str, seeds: u64) {
    let torture = Path::new(env!("CARGO_BIN_EXE_palimpsest-torture"));
    if torture.with_file_name("palimpsest").exists() {
        finds_nothing(attack, seeds);
    } else {
        println!("skipped: there is no program beside {}", torture.display());
    }
}

#[test]
fn damaged_sessions() {
    finds_nothing("sessions", 6);
}

#[test]
fn growing_sessions() {
    finds_nothing("growth", 20);
}

#[test]
fn damaged_indexes() {
    finds_nothing("index", 2);
}

#[test]
fn kills() {
    finds_nothing_in_the_program("kill", 2);
}

#[test]
fn requests() {
    finds_nothing_in_the_program("requests", 2);
}

#[test]
fn the_terminal() {
    finds_nothing_in_the_program("terminal", 3);
}
