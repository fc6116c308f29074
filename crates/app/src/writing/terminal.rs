//! Starting a terminal in which the agent resumes a written session.

use crate::error::{AppError, Result};
use crate::workspace::App;
use palimpsest_core::failure::Problem;
use std::path::Path;
use std::process::{Command, Stdio};

/// Terminals of Linux desktops in the order they are tried, with what stands before a program and
/// its arguments. The first is Debian's name for the one that the user chose.
const TERMINALS: [(&str, &[&str]); 8] = [
    ("x-terminal-emulator", &["-e"]),
    ("gnome-terminal", &["--"]),
    ("konsole", &["-e"]),
    ("xfce4-terminal", &["-x"]),
    ("kitty", &[]),
    ("alacritty", &["-e"]),
    ("foot", &[]),
    ("xterm", &["-e"]),
];

/// The kind of a desktop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Desktop {
    Linux,
    MacOs,
    Windows,
}

impl Desktop {
    fn here() -> Desktop {
        match std::env::consts::OS {
            "macos" => Desktop::MacOs,
            "windows" => Desktop::Windows,
            _ => Desktop::Linux,
        }
    }
}

/// The program and its arguments that open a terminal running `line`; `None` where there is none.
/// The shell stays open when the agent ends, so that its last words can be read.
fn terminal_for(
    desktop: Desktop,
    line: &str,
    is_there: impl Fn(&str) -> bool,
) -> Option<Vec<String>> {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    Some(match desktop {
        Desktop::MacOs => {
            let text = line.replace('\\', "\\\\").replace('"', "\\\"");
            let script = format!("tell application \"Terminal\" to do script \"{text}\"");
            let front = "tell application \"Terminal\" to activate";
            words(&["osascript", "-e", &script, "-e", front])
        }
        // A line for `cmd` needs another way of quoting than the one for a POSIX shell.
        Desktop::Windows => return None,
        Desktop::Linux => {
            let (program, before) = TERMINALS.iter().find(|(program, _)| is_there(program))?;
            let stay = format!("{line}; exec \"${{SHELL:-sh}}\"");
            let mut all = vec![*program];
            all.extend(*before);
            all.extend(["sh", "-c", &stay]);
            words(&all)
        }
    })
}

/// True when a folder of `PATH` holds the program.
fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

impl App {
    /// True when a terminal can be started here: never for a served page, whose user may sit at
    /// another machine.
    pub fn can_start_terminal(&self) -> bool {
        !self.options().only_known_programs
            && terminal_for(Desktop::here(), "", is_installed).is_some()
    }

    /// Starts a terminal in which the agent resumes a written session.
    pub fn resume_written(&self, id: &str) -> Result<()> {
        let refuse = |message: &str| Err(AppError::BadRequest(Problem::alone(message)));
        if self.options().only_known_programs {
            return refuse("a served page cannot start a terminal");
        }
        let written = self.written_one(id)?;
        let line = written.resume_command();
        let Some(words) = terminal_for(Desktop::here(), &line, is_installed) else {
            return refuse("no terminal was found on this machine");
        };
        let folder = written.row.cwd.as_deref().map(Path::new);
        let folder = folder.filter(|folder| folder.is_dir());
        let mut command = Command::new(&words[0]);
        command
            .args(&words[1..])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        if let Some(folder) = folder {
            command.current_dir(folder);
        }
        let started = command.spawn();
        let mut child = started.map_err(|source| AppError::Write {
            path: words[0].clone(),
            source,
        })?;
        // Waited for, so that no ended process stays in the system's list.
        std::thread::spawn(move || child.wait());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Desktop, terminal_for};

    #[test]
    fn the_first_terminal_there_is_runs_the_command_line_and_stays() {
        let line = "cd '/home/a b' && pi --session '/x y.jsonl'";
        let konsole = terminal_for(Desktop::Linux, line, |name| name == "konsole");
        let konsole = konsole.unwrap();
        assert_eq!(konsole[..4], ["konsole", "-e", "sh", "-c"]);
        assert!(konsole[4].starts_with(line) && konsole[4].contains("exec"));
        assert_eq!(terminal_for(Desktop::Linux, line, |_| false), None);
        assert_eq!(terminal_for(Desktop::Windows, line, |_| true), None);
        let mac = terminal_for(Desktop::MacOs, "echo \"a\\b\"", |_| false).unwrap();
        assert_eq!(
            mac[2],
            "tell application \"Terminal\" to do script \"echo \\\"a\\\\b\\\"\""
        );
    }
}
