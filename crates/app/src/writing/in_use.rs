//! Which programs use a session right now.

use std::path::Path;

/// A program that uses a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct User {
    pub(super) pid: u32,
    pub(super) program: String,
}

/// A program other than this one that holds `file` open, or an agent called `agent` that runs in
/// `folder`.
///
/// Errors: the system does not tell.
#[cfg(target_os = "linux")]
pub(super) fn user_of(
    file: &Path,
    folder: Option<&str>,
    agent: &str,
) -> std::io::Result<Option<User>> {
    let file = std::fs::canonicalize(file)?;
    let folder = folder.and_then(|folder| std::fs::canonicalize(folder).ok());
    let own = std::process::id();
    for entry in std::fs::read_dir("/proc")?.flatten() {
        let name = entry.file_name();
        let Some(pid) = name.to_str().and_then(|name| name.parse::<u32>().ok()) else {
            continue;
        };
        if pid == own {
            continue;
        }
        let process = entry.path();
        // A process of another user shows neither; it cannot write to a private file either.
        let holds = || {
            let open = std::fs::read_dir(process.join("fd")).into_iter().flatten();
            let mut targets = open.flatten().map(|link| std::fs::read_link(link.path()));
            targets.any(|target| target.is_ok_and(|target| target == file))
        };
        let is_agent = || {
            let line = std::fs::read(process.join("cmdline")).unwrap_or_default();
            let here = std::fs::read_link(process.join("cwd")).ok();
            folder.is_some() && here == folder && names_agent(&line, agent)
        };
        if is_agent() || holds() {
            let program = std::fs::read_to_string(process.join("comm")).unwrap_or_default();
            let program = program.trim().to_owned();
            return Ok(Some(User { pid, program }));
        }
    }
    Ok(None)
}

/// The same where there is no list of processes to read.
#[cfg(not(target_os = "linux"))]
pub(super) fn user_of(_: &Path, _: Option<&str>, _: &str) -> std::io::Result<Option<User>> {
    Err(std::io::ErrorKind::Unsupported.into())
}

/// True for the command line of an agent: its program, or the script that node runs.
#[cfg(any(target_os = "linux", test))]
fn names_agent(command_line: &[u8], agent: &str) -> bool {
    let mut words = command_line.split(|&byte| byte == 0).take(4);
    words.any(|word| {
        let word = String::from_utf8_lossy(word);
        let name = word.rsplit('/').next().unwrap_or_default();
        // The package holds the program under another name (pi 0.73 to 1.5: dist/cli.js).
        name == agent || word.contains(&format!("{agent}-coding-agent/"))
    })
}

#[cfg(test)]
mod tests {
    use super::names_agent;

    #[test]
    fn an_agent_is_known_by_its_program_or_its_script() {
        for line in [
            &b"pi\0--mode\0rpc\0"[..],
            b"/usr/bin/node\0/usr/local/bin/pi\0",
            b"node\0/x/node_modules/@earendil-works/pi-coding-agent/dist/cli.js\0",
        ] {
            assert!(names_agent(line, "pi"), "{line:?}");
        }
        assert!(!names_agent(b"pip\0install\0", "pi"));
        assert!(!names_agent(b"vim\0/home/pi/notes\0", "pi"));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_program_that_holds_the_file_open_is_found() {
        use std::process::{Command, Stdio};
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("session.jsonl");
        std::fs::write(&file, "{}\n").unwrap();
        assert_eq!(super::user_of(&file, None, "pi").unwrap(), None);
        let input = std::fs::File::open(&file).unwrap();
        // It reads the pipe of its output forever, with the file as its input.
        let mut holder = Command::new("sleep")
            .arg("60")
            .stdin(Stdio::from(input))
            .spawn()
            .unwrap();
        let found = super::user_of(&file, None, "pi").unwrap();
        holder.kill().unwrap();
        holder.wait().unwrap();
        assert_eq!(found.map(|user| user.pid), Some(holder.id()));
    }
}
