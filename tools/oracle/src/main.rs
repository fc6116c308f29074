//! `palimpsest-oracle [--shared DIR]`: how much of what we compute equals what pi computes.

use palimpsest_oracle::requests::request_files;
use palimpsest_oracle::tally::Tally;
use palimpsest_oracle::{OracleError, compare, reference_files};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut shared = PathBuf::from("../shared");
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match (argument.as_str(), arguments.next()) {
            ("--shared", Some(folder)) => shared = folder.into(),
            _ => {
                eprintln!("usage: palimpsest-oracle [--shared DIR]   (default ../shared)");
                return ExitCode::from(2);
            }
        }
    }
    match run(&shared, &mut io::stdout().lock()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("palimpsest-oracle: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Compares everything; true when all is equal or there is nothing to compare with.
fn run(shared: &Path, out: &mut impl Write) -> Result<bool, RunError> {
    let files = reference_files(shared);
    if files.is_empty() {
        writeln!(out, "SKIPPED: no reference output in {}", shared.display())?;
        return Ok(true);
    }
    let mut all = Tally::default();
    for file in &files {
        let compared = compare(shared, file)?;
        print(&compared.name, &compared.tally, out)?;
        all.merge(&compared.tally);
    }
    for file in request_files(shared) {
        let tally = (file.compare)(&file.requests, &file.session)?;
        let name = file
            .requests
            .strip_prefix(shared)
            .unwrap_or(&file.requests)
            .display()
            .to_string();
        print(&name, &tally, out)?;
        all.merge(&tally);
    }
    writeln!(out, "all files: {}", all.line())?;
    Ok(all.is_equal())
}

fn print(name: &str, tally: &Tally, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{name}: {}", tally.line())?;
    for (_, topic) in tally.topics() {
        for difference in &topic.differences {
            writeln!(out, "    {difference}")?;
        }
    }
    Ok(())
}

#[derive(Debug, thiserror::Error)]
enum RunError {
    #[error(transparent)]
    Oracle(#[from] OracleError),
    #[error("cannot print: {0}")]
    Print(#[from] io::Error),
}
