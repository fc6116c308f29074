//! The few arguments of the desktop program.

use std::ffi::OsString;
use std::path::PathBuf;

const USAGE: &str = "\
Palimpsest, an explorer for coding-agent sessions.

usage: palimpsest-desktop [--samples] [--data-dir DIR]

  --samples       show only the sample sessions that come with the program
  --data-dir DIR  keep the index, the runs and the window's place in DIR
                  [env: PALIMPSEST_DATA_DIR]
  --version       print the version
  --help          print this

For everything else use the command-line program `palimpsest`.";

/// How the window is to be opened.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Args {
    /// Show only the sample sessions.
    pub(crate) samples: bool,
    /// Where the program keeps its data; the data folder of the user when absent.
    pub(crate) data_dir: Option<PathBuf>,
}

/// What the arguments ask for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// Open the window.
    Run(Args),
    /// Print a text and end.
    Print(String),
}

/// Reads the arguments after the program's name; the error is one line for the user.
///
/// `data_dir` is the data folder of the environment, as the command line honours it; the option
/// goes before it.
pub(crate) fn parse(
    mut args: impl Iterator<Item = OsString>,
    data_dir: Option<OsString>,
) -> Result<Asked, String> {
    let mut parsed = Args {
        samples: false,
        data_dir: data_dir.filter(|dir| !dir.is_empty()).map(PathBuf::from),
    };
    while let Some(arg) = args.next() {
        match arg.to_str() {
            Some("--samples") => parsed.samples = true,
            Some("--data-dir") => match args.next() {
                Some(dir) => parsed.data_dir = Some(PathBuf::from(dir)),
                None => return Err("--data-dir needs a folder (see --help)".into()),
            },
            Some("--version") => {
                return Ok(Asked::Print(format!(
                    "palimpsest {}",
                    env!("CARGO_PKG_VERSION")
                )));
            }
            Some("--help" | "-h") => return Ok(Asked::Print(USAGE.into())),
            // macOS starts bundled programs with a process serial number.
            Some(other) if other.starts_with("-psn_") => {}
            _ => {
                return Err(format!(
                    "there is no option {} (see --help)",
                    arg.to_string_lossy()
                ));
            }
        }
    }
    Ok(Asked::Run(parsed))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_all(args: &[&str]) -> Result<Asked, String> {
        parse(args.iter().map(OsString::from), None)
    }

    #[test]
    fn the_defaults_are_the_users_own_sessions() {
        assert_eq!(parse_all(&[]), Ok(Asked::Run(Args::default())));
    }

    #[test]
    fn samples_and_data_dir_are_read_in_any_order() {
        let asked = Args {
            samples: true,
            data_dir: Some("/tmp/here".into()),
        };
        assert_eq!(
            parse_all(&["--data-dir", "/tmp/here", "--samples"]),
            Ok(Asked::Run(asked))
        );
    }

    #[test]
    fn the_environment_names_the_data_folder_unless_an_option_does() {
        let data_dir = |args: &[&str], env: &str| {
            let asked = parse(args.iter().map(OsString::from), Some(env.into()));
            match asked {
                Ok(Asked::Run(args)) => args.data_dir,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(data_dir(&[], "/tmp/env"), Some("/tmp/env".into()));
        assert_eq!(
            data_dir(&["--data-dir", "/tmp/a"], "/tmp/env"),
            Some("/tmp/a".into())
        );
        assert_eq!(data_dir(&[], ""), None);
    }

    #[test]
    fn a_wrong_argument_is_named() {
        assert!(parse_all(&["--sample"]).is_err_and(|message| message.contains("--sample")));
        assert!(parse_all(&["--data-dir"]).is_err_and(|message| message.contains("--data-dir")));
    }
}
