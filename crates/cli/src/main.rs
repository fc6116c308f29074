//! The `palimpsest` program: parses words, calls the API, prints.

mod args;
mod ask;
mod hints;
mod print;
mod refusal;
mod run;
mod serve;
mod stop;
mod usage;
mod visible;

use clap::Parser as _;
use std::process::ExitCode;

#[cfg(not(target_env = "msvc"))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// 0: done. 1: it failed. 2: the words were wrong, as the parser of words finds or as options show
/// that do not go together. The reason is on standard error, and with `--json` as a document on
/// standard output.
fn main() -> ExitCode {
    let cli = match args::Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return refusal::of_words(&error),
    };
    hints::runs(&args::command(), std::env::args_os().skip(1));
    // Calls of one plan run beside each other, and reading files blocks a thread.
    let runtime = match tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => {
            let message = format!("the program cannot start threads: {error}");
            return refusal::of(
                &run::io(message, palimpsest_api::NextStep::TryLater),
                cli.json,
            );
        }
    };
    let json = cli.json;
    match runtime.block_on(run::run(cli)) {
        Ok(run::Ended::Done) => ExitCode::SUCCESS,
        Ok(run::Ended::Failed(error)) => refusal::said(&error),
        Ok(run::Ended::Interrupted(error, code)) => {
            refusal::said(&error);
            u8::try_from(code).map_or(ExitCode::FAILURE, ExitCode::from)
        }
        Err(error) => refusal::of(&error, json),
    }
}
