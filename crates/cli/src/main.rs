//! The `palimpsest` program: parses words, calls the API, prints.

mod args;
mod print;
mod run;
mod serve;

use clap::Parser as _;
use std::process::ExitCode;

/// 0: done. 1: it failed, the reason is on standard error. 2: the words were wrong (clap's own).
fn main() -> ExitCode {
    let cli = args::Cli::parse();
    let runtime = match tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => return fail(&format!("cannot start: {error}")),
    };
    match runtime.block_on(run::run(cli)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&error.to_string()),
    }
}

fn fail(message: &str) -> ExitCode {
    // Nothing can be done about a closed standard error.
    use std::io::Write as _;
    let _ = writeln!(std::io::stderr(), "palimpsest: {message}");
    ExitCode::FAILURE
}
