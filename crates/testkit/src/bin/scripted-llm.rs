//! The scripted model server as a program, for end-to-end tests and for trying things by hand.
//!
//! `scripted-llm [--port N] [--scenario NAME]` prints its address on the first line of stdout and
//! serves until it is killed. A request for the model `scripted-NAME`
//! plays that scenario whatever the server's own is.

use palimpsest_testkit::llm_server::{LlmServer, Scenario};
use std::io::{self, Write as _};
use std::process::ExitCode;

fn main() -> ExitCode {
    match run(std::env::args().skip(1)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("scripted-llm: {message}");
            ExitCode::from(2)
        }
    }
}

fn run(mut arguments: impl Iterator<Item = String>) -> Result<(), String> {
    let mut port = 0;
    let mut scenario = Scenario::Ok;
    while let Some(argument) = arguments.next() {
        let value = arguments
            .next()
            .ok_or_else(|| format!("{argument} needs a value"))?;
        match argument.as_str() {
            "--port" => {
                port = value
                    .parse()
                    .map_err(|_| format!("{value} is not a port number"))?;
            }
            "--scenario" => {
                scenario = Scenario::named(&value).ok_or_else(|| {
                    let names: Vec<&str> = Scenario::ALL.iter().map(|(name, _)| *name).collect();
                    format!(
                        "there is no scenario {value}; there are {}",
                        names.join(", ")
                    )
                })?;
            }
            _ => {
                return Err(format!(
                    "{argument} is not known; use --port N or --scenario NAME"
                ));
            }
        }
    }
    let server = LlmServer::start_on(port)
        .map_err(|error| format!("cannot listen on 127.0.0.1:{port}: {error}"))?;
    server.set_scenario(scenario);
    let mut out = io::stdout();
    writeln!(out, "{}", server.url())
        .and_then(|()| out.flush())
        .map_err(|e| e.to_string())?;
    // The server's own threads do the work; this one only keeps the program alive.
    loop {
        std::thread::park();
    }
}
