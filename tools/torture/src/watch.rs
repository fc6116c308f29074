//! Watching a worker: what it says, how long it is silent, how much memory it takes.

use crate::figures::Figures;
use crate::said::{Kind, Said};
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Silence after which a worker is said to hang and is ended. Longer than what a command may take,
/// which the worker itself measures.
const LONGEST_SILENCE: Duration = Duration::from_secs(60);
/// How often the memory of a worker is looked at.
const LOOK: Duration = Duration::from_millis(200);
/// Memory that a worker may take, in bytes.
const MOST_MEMORY: u64 = 500 << 20;

/// A part of the attack that a worker does.
#[derive(Debug, Clone, Copy)]
pub struct Part<'a> {
    /// The name of the worker.
    pub worker: &'a str,
    /// The first seed.
    pub seed: u64,
    /// How many seeds from there on.
    pub batches: u64,
}

/// Runs a worker to its end, which `deadline` may cut short, and adds up what it says.
///
/// Errors: a worker that cannot be started.
pub fn run(
    part: Part<'_>,
    arguments: &[String],
    deadline: Instant,
    figures: &mut Figures,
) -> std::io::Result<()> {
    let home = tempfile::tempdir()?;
    let mut child = started(part, arguments, home.path())?;
    let out = child.stdout.take();
    let (lines, received) = channel();
    let reader = std::thread::spawn(move || {
        for line in out
            .into_iter()
            .flat_map(|out| BufReader::new(out).lines())
            .map_while(Result::ok)
        {
            if lines.send(line).is_err() {
                return;
            }
        }
    });
    let (mut last, mut what, mut peak) = (Instant::now(), String::new(), 0);
    let cut_short = loop {
        peak = peak_memory(child.id()).max(peak);
        match received.recv_timeout(LOOK) {
            Ok(line) => {
                last = Instant::now();
                match serde_json::from_str(&line) {
                    Ok(Said::At { what: now }) => what = now,
                    Ok(Said::Done {
                        records,
                        sessions,
                        commands,
                    }) => figures.done(records, sessions, commands),
                    Ok(Said::Finding { kind, text }) => figures.found(kind, &text),
                    Err(_) => figures.found(Kind::Panic, &format!("a worker printed: {line}")),
                }
            }
            Err(RecvTimeoutError::Disconnected) => break false,
            Err(RecvTimeoutError::Timeout) if last.elapsed() > LONGEST_SILENCE => {
                figures.found(
                    Kind::Hang,
                    &format!("no answer for {LONGEST_SILENCE:?}: {what}"),
                );
                break true;
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        if Instant::now() > deadline {
            break true;
        }
    };
    if cut_short {
        // It may have ended meanwhile.
        let _ = child.kill();
    }
    let status = child.wait()?;
    // Ends with the worker's output.
    let _ = reader.join();
    if !status.success() && !cut_short {
        figures.found(
            Kind::Panic,
            &format!("the worker ended with {status} at: {what}"),
        );
    }
    figures.memory(peak);
    if peak > MOST_MEMORY {
        figures.found(
            Kind::Memory,
            &format!("{} MB, {part:?}, last: {what}", peak >> 20),
        );
    }
    Ok(())
}

fn started(part: Part<'_>, arguments: &[String], home: &Path) -> std::io::Result<Child> {
    Command::new(std::env::current_exe()?)
        .arg("worker")
        .arg(part.worker)
        .args([
            "--seed",
            &part.seed.to_string(),
            "--batches",
            &part.batches.to_string(),
        ])
        .arg("--folder")
        .arg(home)
        .args(arguments)
        .env_clear()
        .env("HOME", home)
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
}

/// The most memory that a process had so far, in bytes; 0 where the system does not tell.
fn peak_memory(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kilobytes.unwrap_or(0) << 10
}
