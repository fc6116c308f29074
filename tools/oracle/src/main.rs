//! `palimpsest-oracle [--shared DIR]`: how much of what we compute equals what the agents computed
//! and sent; `palimpsest-oracle records`: what became of every record of the sample sessions;
//! `palimpsest-oracle summaries`: each recorded summary request against the plan of its agent's preset;
//! `palimpsest-oracle sizes [FILE...]`: how far our sizes are from what was reported, and how many
//! automatic compactions the agent's policy predicts.

use palimpsest_formats::account::Account;
use palimpsest_oracle::records;
use palimpsest_oracle::requests::request_files;
use palimpsest_oracle::sizes::{self, Forecast, Measured};
use palimpsest_oracle::summaries;
use palimpsest_oracle::tally::Tally;
use palimpsest_oracle::thresholds;
use palimpsest_oracle::{OracleError, compare, reference_files};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut shared = PathBuf::from("../shared");
    let (mut only_records, mut each, mut only_sizes) = (false, false, false);
    let mut only_summaries = false;
    let mut files: Vec<PathBuf> = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let folder = match argument.as_str() {
            "records" => {
                only_records = true;
                continue;
            }
            "sizes" => {
                only_sizes = true;
                continue;
            }
            "summaries" => {
                only_summaries = true;
                continue;
            }
            "--merged" => {
                each = true;
                continue;
            }
            "--shared" => arguments.next(),
            file if only_sizes && !file.starts_with('-') => {
                files.push(file.into());
                continue;
            }
            _ => None,
        };
        let Some(folder) = folder else {
            eprintln!(
                "usage: palimpsest-oracle [records [--merged] | sizes [FILE...] | summaries] \
                 [--shared DIR]   (default ../shared)"
            );
            return ExitCode::from(2);
        };
        shared = folder.into();
    }
    let mut out = io::stdout().lock();
    let outcome = if only_sizes {
        if files.is_empty() {
            files = sizes::real_samples(&shared);
        }
        print_sizes(&files, &mut out)
    } else if only_summaries {
        print_summaries(&shared, true, &mut out)
    } else if only_records {
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
    let recorded = request_files(shared);
    if files.is_empty() && recorded.is_empty() {
        writeln!(out, "SKIPPED: no reference output in {}", shared.display())?;
        return Ok(true);
    }
    let mut all = Tally::default();
    for file in &files {
        let compared = match compare(shared, file) {
            Err(missing @ OracleError::NoSample { .. }) => {
                writeln!(out, "SKIPPED: {missing}")?;
                continue;
            }
            other => other?,
        };
        print(&compared.name, &compared.tally, out)?;
        all.merge(&compared.tally);
    }
    for file in recorded {
        let name = file
            .requests
            .strip_prefix(shared)
            .unwrap_or(&file.requests)
            .display()
            .to_string();
        let Some(tally) = file.tally()? else {
            writeln!(out, "SKIPPED: no session {}", file.session.display())?;
            continue;
        };
        print(&name, &tally, out)?;
        all.merge(&tally);
    }
    writeln!(out, "all files: {}", all.line())?;
    let summaries = print_summaries(shared, false, out)?;
    let thresholds = print_thresholds(shared, out)?;
    Ok(all.is_equal() && summaries && thresholds)
}

/// Prints how many automatic compactions of the samples the policies predict, by agent; true when
/// all are, and no policy fires elsewhere.
fn print_thresholds(shared: &Path, out: &mut impl Write) -> Result<bool, RunError> {
    let rows = thresholds::rows(shared);
    writeln!(out, "automatic compactions against policies")?;
    for agent in rows.chunk_by(|a, b| a.agent == b.agent) {
        let sum = |of: fn(&thresholds::Row) -> usize| agent.iter().map(of).sum::<usize>();
        writeln!(
            out,
            "{:<14} {} of {} predicted, {} predicted elsewhere, in {} sessions",
            agent[0].agent,
            sum(|row| row.predicted),
            sum(|row| row.automatic),
            sum(|row| row.surplus),
            agent.len()
        )?;
    }
    Ok(rows.iter().all(thresholds::Row::is_equal))
}

/// Prints how the summary requests compare with plans, by agent; with `each` every difference of
/// every request. True when all that can be compared are equal.
fn print_summaries(shared: &Path, each: bool, out: &mut impl Write) -> Result<bool, RunError> {
    let rows = summaries::rows(shared);
    for row in &rows {
        let name = format!("{} request {}", row.file, row.request);
        for difference in row.differences.iter().filter(|_| each) {
            writeln!(out, "    {name}: {difference}")?;
        }
        for difference in row.after.iter().flatten().filter(|_| each) {
            writeln!(out, "    {name}, the next request: {difference}")?;
        }
        if let (true, Some(missing)) = (each, &row.missing) {
            writeln!(out, "    {name}: not compared: {missing}")?;
        }
    }
    writeln!(out, "summary requests against plans")?;
    writeln!(
        out,
        "{:<14} {:>8} {:>6}  others",
        "agent", "requests", "equal"
    )?;
    let table = summaries::table(&rows);
    for line in &table {
        writeln!(
            out,
            "{:<14} {:>8} {:>6}  {}",
            line.agent,
            line.requests,
            line.equal,
            line.others.join("; ")
        )?;
    }
    writeln!(out, "next requests after compactions against plans")?;
    for line in table.iter().filter(|line| line.after > 0) {
        writeln!(
            out,
            "{:<14} {} of {} equal",
            line.agent, line.equal_after, line.after
        )?;
    }
    let same_after = |row: &summaries::Row| row.after.iter().all(Vec::is_empty);
    let is_same = |row: &summaries::Row| row.differences.is_empty() && same_after(row);
    Ok(rows.iter().all(is_same))
}

/// Prints the errors of sizes and the predictions of boundaries of each file, then of all.
fn print_sizes(files: &[PathBuf], out: &mut impl Write) -> Result<bool, RunError> {
    let mut all = Measured::default();
    for file in files {
        let Some(found) = sizes::measure(file)? else {
            writeln!(out, "no session: {}", file.display())?;
            continue;
        };
        writeln!(out, "{}", file.display())?;
        writeln!(out, "    before replies: {}", errors(&found.replies))?;
        for after in &found.compactions {
            writeln!(
                out,
                "    after the compaction at line {}: {} tokens, reported {}, error {:.1} %",
                after.line,
                after.ours,
                after.reported,
                100.0 * after.error()
            )?;
        }
        for own in &found.boundaries {
            let learned = match own.learned_from {
                0 => "by version".to_owned(),
                count => format!("learned from {count}"),
            };
            let place = match own.predicted {
                Some(line) if own.is_walked => format!("predicted at line {line}"),
                Some(line) => format!("predicted at line {line} by the size there"),
                None => "not predicted".to_owned(),
            };
            writeln!(
                out,
                "    automatic compaction at line {}: {place}, threshold {} ({learned}), size {}",
                own.line, own.threshold, own.size
            )?;
        }
        all.replies.extend(found.replies);
        all.compactions.extend(found.compactions);
        all.boundaries.extend(found.boundaries);
    }
    let after: Vec<f64> = all.compactions.iter().map(Forecast::error).collect();
    let near: Vec<_> = all.boundaries.iter().filter(|own| own.is_near()).collect();
    let walked = near.iter().filter(|own| own.is_walked).count();
    let near = near.len();
    writeln!(out, "all files")?;
    writeln!(out, "    before replies: {}", errors(&all.replies))?;
    writeln!(out, "    after compactions: {}", errors(&after))?;
    writeln!(
        out,
        "    automatic compactions predicted within {} lines: {near} of {} ({walked} by \
         the walk of the policy, the others by the size right before the boundary)",
        sizes::NEAR_LINES,
        all.boundaries.len()
    )?;
    Ok(true)
}

/// Number, median and 90th percentile of relative errors, in words.
fn errors(values: &[f64]) -> String {
    let percent = |share| match sizes::quantile(values, share) {
        Some(error) => format!("{:.2} %", 100.0 * error),
        None => "-".to_owned(),
    };
    let (median, p90) = (percent(0.5), percent(0.9));
    format!("{} sizes, error median {median}, p90 {p90}", values.len())
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
    for note in tally.notes() {
        writeln!(out, "    SKIPPED: {note}")?;
    }
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
