//! The `palimpsest` program: parses words, calls the API, prints.

mod args;
mod ask;
mod print;
mod run;
mod serve;
mod stop;

use clap::Parser as _;
use palimpsest_api::ErrorCode;
use std::process::ExitCode;

/// 0: done. 1: it failed, the reason is on standard error. 2: the words were wrong, as the parser
/// of words finds (clap's own) or as the options that do not go together show.
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
        Err(error) => {
            let failed = fail(&error.to_string());
            match error.code {
                ErrorCode::Usage => ExitCode::from(2),
                _ => failed,
            }
        }
    }
}

fn fail(message: &str) -> ExitCode {
    // Nothing can be done about a closed standard error.
    use std::io::Write as _;
    let _ = writeln!(std::io::stderr(), "palimpsest: {message}");
    ExitCode::FAILURE
}
