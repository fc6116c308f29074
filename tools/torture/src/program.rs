//! The attacked program, started as a user does.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The program in a home of its own.
pub struct Program {
    program: PathBuf,
    home: PathBuf,
}

impl Program {
    /// The binary with this home.
    pub fn new(program: &Path, home: &Path) -> Program {
        Program {
            program: program.to_path_buf(),
            home: home.to_path_buf(),
        }
    }

    /// The program with these words and a data folder of this name.
    pub fn command(&self, data: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command
            .env_clear()
            .env("HOME", &self.home)
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .arg("--data-dir")
            .arg(self.home.join(data))
            .args(arguments)
            .stdin(Stdio::null());
        command
    }

    /// What it prints.
    pub fn ran(&self, data: &str, arguments: &[&str]) -> std::io::Result<Output> {
        self.command(data, arguments).output()
    }

    /// What it prints with `--json`.
    pub fn json(&self, data: &str, arguments: &[&str]) -> std::io::Result<Value> {
        let output = self.command(data, arguments).arg("--json").output()?;
        serde_json::from_slice(&output.stdout).map_err(|error| {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            std::io::Error::other(format!("{arguments:?} printed no JSON ({error}): {said}"))
        })
    }
}
