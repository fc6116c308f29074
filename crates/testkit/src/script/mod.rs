//! Sessions written down as plays: a light text form that is played into a [`PiSession`].
//!
//! A line that begins with `@` and a word is a direction; the lines after it, up to the next one,
//! are its text. A session's project is a set of files in memory: `@read`, `@edit` and `@write`
//! work on it and answer by themselves, so that a file read again later shows what was done to it
//! meanwhile. The directions:
//!
//! | direction | what it adds |
//! | --- | --- |
//! | `@session key=value...` | the header: `cwd`, `start`, `seed`, `model`, `unrecorded`, `percent` |
//! | `@file PATH` / `@gen PATH kind key=value...` | a file of the project; no entry |
//! | `@user`, `@think`, `@say` | words of the user, thoughts and words of the assistant |
//! | `@read PATH [offset= limit=]`, `@edit PATH`, `@write PATH`, `@bash` | a tool call; `@+read` and so on put it into the same message as the one before |
//! | `@out [error]` | what the last call answers, instead of the answer worked out |
//! | `@stop REASON [message]` | how the assistant's message ends when it does not end well |
//! | `@shell [exit=N] [exclude]` | a command of the user's, a line `---`, its output |
//! | `@compact [keep=N]`, `@branch MARK` | a compaction, a branch summary |
//! | `@mark NAME`, `@goto MARK` | names the last entry, moves the leaf |
//! | `@label MARK TEXT`, `@unlabel MARK`, `@name TEXT` | labels and the session's name |
//! | `@model PROVIDER/ID`, `@thinking LEVEL`, `@pause 40m` | changes, and time that passes |
//! | `@omit MARK`, `@replace MARK` | context edits |
//! | `@notice TYPE [hidden]`, `@data TYPE` | an extension's message, an extension's JSON data |
//! | `@image NAME` | a picture that goes with the next words of the user |
//! | `@system` | a system message; `# name` begins a section, `# -name` removes one |
//!
//! `@edit` takes blocks of `<<<`, old text, `===`, new text, `>>>`. A line `{{kind key=value...}}`
//! anywhere stands for bulk output (see `outputs`).

mod files;
mod outputs;
mod parse;
mod play;

pub use parse::ScriptError;

use crate::session::PiSession;
use std::fs;
use std::path::{Path, PathBuf};

/// Plays the script in a folder: its `*.txt` files in order of their names, with the project's
/// files taken from the folder `files` beside them.
///
/// # Errors
/// Names the file and line of the direction that cannot be played.
pub fn play_folder(folder: &Path) -> Result<PiSession, ScriptError> {
    let mut project = files::Project::default();
    let root = folder.join("files");
    for path in files_below(&root)? {
        let name = path
            .strip_prefix(&root)
            .unwrap_or(&path)
            .to_string_lossy()
            .replace('\\', "/");
        project.put(&name, &read(&path)?);
    }
    let mut parts: Vec<PathBuf> = files_in(folder)?;
    parts.retain(|path| path.extension().is_some_and(|extension| extension == "txt"));
    let mut directions = Vec::new();
    for part in parts {
        directions.extend(parse::parse(&part, &read(&part)?)?);
    }
    play::play(project, &directions)
}

fn read(path: &Path) -> Result<String, ScriptError> {
    fs::read_to_string(path).map_err(|source| ScriptError::Read {
        path: path.to_owned(),
        source,
    })
}

fn files_in(folder: &Path) -> Result<Vec<PathBuf>, ScriptError> {
    let read_error = |source| ScriptError::Read {
        path: folder.to_owned(),
        source,
    };
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(read_error)? {
        paths.push(entry.map_err(read_error)?.path());
    }
    paths.sort();
    Ok(paths)
}

fn files_below(folder: &Path) -> Result<Vec<PathBuf>, ScriptError> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for path in files_in(folder)? {
        if path.is_dir() {
            found.extend(files_below(&path)?);
        } else {
            found.push(path);
        }
    }
    Ok(found)
}
