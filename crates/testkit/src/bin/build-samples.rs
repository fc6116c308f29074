//! Writes the sample sessions: plays every script of `crates/testkit/samples` into
//! `assets/samples`, or into the folder given as the only argument.

use palimpsest_testkit::samples;
use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let target = std::env::args_os()
        .nth(1)
        .map_or_else(samples::committed_folder, PathBuf::from);
    match samples::write_all(&target) {
        Ok(written) => {
            for (path, entries, bytes) in written {
                eprintln!("{}: {entries} entries, {bytes} bytes", path.display());
            }
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
