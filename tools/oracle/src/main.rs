//! `palimpsest-oracle [--shared DIR]`: how much of what we compute equals what the agents computed
//! and sent; `palimpsest-oracle records`: what became of every record of the sample sessions.

use palimpsest_formats::account::Account;
use palimpsest_oracle::records;
use palimpsest_oracle::requests::request_files;
use palimpsest_oracle::tally::Tally;
use palimpsest_oracle::{OracleError, compare, reference_files};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut shared = PathBuf::from("../shared");
    let (mut only_records, mut each) = (false, false);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let folder = match argument.as_str() {
            "records" => {
                only_records = true;
                continue;
            }
            "--merged" => {
                each = true;
                continue;
            }
            "--shared" => arguments.next(),
            _ => None,
        };
        let Some(folder) = folder else {
            eprintln!(
                "usage: palimpsest-oracle [records [--merged]] [--shared DIR]   (default ../shared)"
            );
            return ExitCode::from(2);
        };
        shared = folder.into();
    }
    let mut out = io::stdout().lock();
    let outcome = if only_records {
        print_records(&shared, each, &mut out)
    } else {
        run(&shared, &mut out)
    };
    match outcome {
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

/// Prints what became of every record of the samples, with `each` also into which entry each
/// merged record went; true when none is lost.
fn print_records(shared: &Path, each: bool, out: &mut impl Write) -> Result<bool, RunError> {
    let (rows, others) = records::rows(shared)?;
    if rows.is_empty() {
        writeln!(out, "SKIPPED: no samples in {}", shared.display())?;
        return Ok(true);
    }
    writeln!(
        out,
        "{:<12} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>6}  session",
        "agent", "records", "entries", "at", "merged", "headers", "warned", "lost"
    )?;
    for row in &rows {
        let account = &row.account;
        writeln!(
            out,
            "{:<12} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>6}  {}",
            row.agent,
            account.lines,
            row.entries,
            account.entries,
            account.merged,
            account.headers,
            account.warned,
            account.lost.len(),
            row.name
        )?;
        for (line, into) in row.merged.iter().filter(|_| each) {
            writeln!(out, "    line {line} merged into {into}")?;
        }
    }
    for other in others {
        writeln!(out, "no session: {other}")?;
    }
    let sum = |of: fn(&Account) -> u64| rows.iter().map(|row| of(&row.account)).sum::<u64>();
    let lost = sum(|account| account.lost.len() as u64);
    writeln!(
        out,
        "{} sessions, {} records: {} entries, {} merged, {} headers, {} warnings, {lost} lost",
        rows.len(),
        sum(|account| account.lines),
        sum(|account| account.entries),
        sum(|account| account.merged),
        sum(|account| account.headers),
        sum(|account| account.warned),
    )?;
    Ok(lost == 0)
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
