//! Runs the binary in a folder of its own.

use palimpsest_testkit::home::TempHome;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A temporary home with a data folder in it.
pub struct Program {
    pub home: TempHome,
}

/// What a run of the program printed.
pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Program {
    pub fn new() -> Program {
        Program {
            home: TempHome::new(),
        }
    }

    pub fn data_dir(&self) -> PathBuf {
        self.home.path().join("palimpsest-data")
    }

    /// The binary with its folders set; nothing of the real home is visible to it.
    pub fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_palimpsest"));
        command
            .env_clear()
            .envs(self.home.environment())
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .arg("--data-dir")
            .arg(self.data_dir());
        command
    }

    pub fn run(&self, args: &[&str]) -> Ran {
        ran(self.command().args(args).output().unwrap())
    }

    /// Runs with `--json` and expects success and one document.
    pub fn json(&self, args: &[&str]) -> Value {
        let ran = ran(self.command().arg("--json").args(args).output().unwrap());
        assert_eq!(ran.code, 0, "{args:?} failed: {}", ran.stderr);
        serde_json::from_str(&ran.stdout)
            .unwrap_or_else(|error| panic!("{args:?} did not print JSON ({error}): {}", ran.stdout))
    }

    /// Expects failure with code 1 and a message that contains all of `words`.
    pub fn fails(&self, args: &[&str], words: &[&str]) -> String {
        let ran = self.run(args);
        assert_eq!(
            ran.code, 1,
            "{args:?} should fail; it printed {}",
            ran.stdout
        );
        for word in words {
            assert!(
                ran.stderr.contains(word),
                "{args:?}: no '{word}' in: {}",
                ran.stderr
            );
        }
        assert!(
            !ran.stderr.contains("panicked"),
            "{args:?} panicked: {}",
            ran.stderr
        );
        ran.stderr
    }

    pub fn file(&self, name: &str, bytes: &[u8]) -> String {
        shown(&self.home.add_file(name, bytes).unwrap())
    }
}

pub fn shown(path: &Path) -> String {
    path.display().to_string()
}

pub fn ran(output: Output) -> Ran {
    Ran {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}
