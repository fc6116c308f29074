//! Writing, the list of what was written, and taking it back.

use super::append::{Locked, hash};
use super::error::{FileState, WriteError};
use super::new_file;
use super::planning::{Prepared, Target, WriteSpec};
use super::standing::Standing;
use super::steps::{Calm, Step, Watch};
use super::verify::difference;
use crate::clock::now_ms;
use crate::error::{AppError, Result};
use crate::session::OpenSession;
use crate::workspace::{App, AppEvent};
use palimpsest_core::failure::{Input, Listed, NextStep};
use palimpsest_store::private::make_folder;
use palimpsest_store::user::{WrittenRow, WrittenStatus};
use palimpsest_write::{Addition, ExpectedItem, Fresh, NewSession};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A write, as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The row.
    pub row: WrittenRow,
    /// What the file is now.
    pub standing: Standing,
    /// What the user should know, in sentences; only of a write just done.
    pub notes: Vec<String>,
}

impl Written {
    /// The command line that resumes it, for a shell.
    pub fn resume_command(&self) -> String {
        let words: Vec<String> = serde_json::from_str(&self.row.resume).unwrap_or_default();
        let words = words
            .iter()
            .map(|word| word.replace("{path}", &self.row.path));
        let word = |word: String| if word == "&&" { word } else { quoted(&word) };
        let line = words.map(word).collect::<Vec<_>>().join(" ");
        match &self.row.cwd {
            Some(cwd) if !cwd.is_empty() => format!("cd {} && {line}", quoted(cwd)),
            _ => line,
        }
    }
}

/// A word for a POSIX shell.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// What a write would do, found out without doing it.
pub struct Foreseen {
    /// What was planned.
    pub prepared: Prepared,
    /// The context that the agent will read.
    pub context: Vec<ExpectedItem>,
    /// Bytes that would be written.
    pub bytes: u64,
    /// The file that would be written to.
    pub path: PathBuf,
}

impl App {
    /// Plans a write and what the agent will read from it; nothing is done.
    pub fn foresee_write(&self, spec: &WriteSpec) -> Result<Foreseen> {
        let mut prepared = self.prepare_write(spec)?;
        let fresh = fresh()?;
        let (bytes, context, path) = match &spec.target {
            Target::New { out } => {
                let new = prepared.new_session(&fresh)?;
                let path = place_of(&prepared, &new, out.as_deref(), &self.exports());
                let note = self.not_found(&prepared, &new, &path);
                prepared.notes.extend(note);
                (new.bytes.len(), new.context, path)
            }
            Target::Append => {
                let addition = prepared.addition(&fresh)?;
                let path = PathBuf::from(&prepared.open.session.meta.path);
                (addition.bytes.len(), addition.context, path)
            }
        };
        Ok(Foreseen {
            prepared,
            context,
            bytes: bytes as u64,
            path,
        })
    }

    /// Writes a session; it is listed from then on.
    pub fn write(&self, spec: &WriteSpec) -> Result<Written> {
        self.check_place(spec)?;
        let mut prepared = self.prepare_write(spec)?;
        self.settle_begun()?;
        let (row, note) = self.written_with_note(&prepared, &spec.target, &Calm)?;
        prepared.notes.extend(note);
        self.tell(AppEvent::SessionsChanged(Vec::new()));
        Ok(Written {
            standing: Standing::of(&row),
            row,
            notes: prepared.notes,
        })
    }

    /// Whoever holds a token of the server need not sit at this machine.
    fn check_place(&self, spec: &WriteSpec) -> Result<()> {
        let names_place = matches!(spec.target, Target::New { out: Some(_) });
        if names_place && self.options().only_known_programs {
            let message = "a served page cannot name the file of a new session";
            return Err(AppError::bad_request(
                message,
                NextStep::LeaveOut { what: Input::Name },
            ));
        }
        Ok(())
    }

    /// Writes what was planned, step by step.
    #[cfg(test)]
    pub(super) fn written_as(
        &self,
        prepared: &Prepared,
        target: &Target,
        watch: &dyn Watch,
    ) -> Result<WrittenRow> {
        let written = self.written_with_note(prepared, target, watch);
        written.map(|(row, _)| row)
    }

    /// Writes what was planned, step by step, and says where the agent would look for it.
    fn written_with_note(
        &self,
        prepared: &Prepared,
        target: &Target,
        watch: &dyn Watch,
    ) -> Result<(WrittenRow, Option<String>)> {
        let fresh = fresh()?;
        match target {
            Target::New { out } => {
                let new = prepared.new_session(&fresh)?;
                let path = place_of(prepared, &new, out.as_deref(), &self.exports());
                let note = self.not_found(prepared, &new, &path);
                let row = self.write_new(prepared, &new, &path, &fresh, watch)?;
                Ok((row, note))
            }
            Target::Append => {
                let addition = prepared.addition(&fresh)?;
                let row = self.write_addition(prepared, addition, &fresh, watch)?;
                Ok((row, None))
            }
        }
    }

    /// What the user should know of a file that its agent does not find by the id of the session.
    fn not_found(&self, prepared: &Prepared, new: &NewSession, path: &Path) -> Option<String> {
        let name = Path::new(new.found_as.as_deref()?);
        let roots = prepared.open.format.default_roots(&self.options().places);
        let depth = name.components().count();
        let is_found = |root: &PathBuf| match depth {
            // Anywhere below, in a folder of the day.
            1 => path.starts_with(root),
            depth => path.ancestors().nth(depth) == Some(root),
        };
        if path.file_name() == name.file_name() && roots.iter().any(is_found) {
            return None;
        }
        Some(format!(
            "The agent finds the session by its id only in its own folder, so the command that resumes it \
             works once the file is {}.",
            roots.first()?.join(name).display()
        ))
    }

    /// Files for agents that import them.
    fn exports(&self) -> PathBuf {
        self.options().data_dir.join("written")
    }

    fn write_new(
        &self,
        prepared: &Prepared,
        new: &NewSession,
        path: &Path,
        fresh: &Fresh,
        watch: &dyn Watch,
    ) -> Result<WrittenRow> {
        if path.exists() {
            let path = path.display().to_string();
            return Err(WriteError::Exists { path }.into());
        }
        let user = self.user_db()?;
        let mut row = WrittenRow {
            path: path.display().to_string(),
            hash: hash(&new.bytes),
            resume: to_json(&new.resume)?,
            ..begun(prepared, fresh)
        };
        let folder = self.exports();
        if path.starts_with(&folder) {
            make_folder(&folder).map_err(|source| AppError::Write {
                path: folder.display().to_string(),
                source,
            })?;
        }
        // Noted first: a file that the program has no row of would never be listed.
        step(watch, Step::Note, path)?;
        user.save_written(&row)?;
        let undo = |error: AppError| {
            // The row of a file that does not exist says nothing.
            let _ = user.forget_written(&row.id);
            error
        };
        new_file::place(path, &new.bytes, watch).map_err(|error| undo(error.into()))?;
        let checked = step(watch, Step::Verify, path)
            .map_err(AppError::from)
            .and_then(|()| difference(&prepared.open, path, &new.context));
        let wrong = match checked {
            Ok(None) => None,
            Ok(Some(difference)) => Some(AppError::from(WriteError::Differs {
                difference,
                state: FileState::Unchanged,
                path: row.path.clone(),
            })),
            Err(error) => Some(error),
        };
        if let Some(error) = wrong {
            let _ = std::fs::remove_file(path);
            return Err(undo(error));
        }
        // From here on the file stands; only its row may be missing its end.
        if watch.before(Step::Finish).is_ok() {
            row.status = WrittenStatus::Done;
            user.save_written(&row)?;
        }
        Ok(row)
    }

    fn write_addition(
        &self,
        prepared: &Prepared,
        addition: Addition,
        fresh: &Fresh,
        watch: &dyn Watch,
    ) -> Result<WrittenRow> {
        let open = &prepared.open;
        let path = PathBuf::from(&open.session.meta.path);
        let changed = || WriteError::Changed {
            path: path.display().to_string(),
        };
        let cwd = open.session.meta.cwd.as_deref();
        let mut original = Locked::of(&path, cwd, open.session.meta.agent.name())?;
        // The plan is over the bytes that were read; what came since is missing in it.
        if open.refreshed()?.is_some() || original.bytes.len() as u64 != open.source_bytes() {
            return Err(changed().into());
        }
        let mut bytes = addition.bytes;
        if !original.bytes.ends_with(b"\n") {
            bytes.insert(0, b'\n');
        }
        let mut whole = original.bytes.clone();
        whole.extend_from_slice(&bytes);
        let user = self.user_db()?;
        let folder = self.options().data_dir.join("backups");
        let mut row = WrittenRow {
            appended: true,
            path: path.display().to_string(),
            bytes_before: original.bytes.len() as u64,
            hash_before: Some(hash(&original.bytes)),
            hash: hash(&whole),
            resume: to_json(&addition.resume)?,
            ..begun(prepared, fresh)
        };
        drop(whole);
        make_folder(&folder).map_err(|source| AppError::Write {
            path: folder.display().to_string(),
            source,
        })?;
        let backup = folder.join(format!("{}.jsonl", row.id));
        original.back_up(&backup, watch)?;
        row.backup = Some(backup.display().to_string());
        let forget = |error: AppError| {
            let _ = std::fs::remove_file(&backup);
            let _ = user.forget_written(&row.id);
            error
        };
        step(watch, Step::Note, &path).map_err(|error| forget(error.into()))?;
        user.save_written(&row)
            .map_err(|error| forget(error.into()))?;
        if let Err(error) = original.append(&bytes, watch) {
            let keeps = matches!(
                &error,
                WriteError::Io {
                    state: FileState::Mixed | FileState::Updated,
                    ..
                }
            );
            // The backup of a file that is not what it was is the user's only copy.
            return Err(if keeps {
                error.into()
            } else {
                forget(error.into())
            });
        }
        let checked = step(watch, Step::Verify, &path)
            .map_err(AppError::from)
            .and_then(|()| {
                if !original.holds(&bytes)? {
                    return Ok(Some("the file has other content".to_owned()));
                }
                difference(open, &path, &addition.context)
            });
        let difference = match checked {
            Ok(None) => None,
            Ok(Some(difference)) => Some(difference),
            Err(error) => Some(error.to_string()),
        };
        if let Some(difference) = difference {
            let state = original.restore(&bytes);
            let error = AppError::from(WriteError::Differs {
                difference,
                state,
                path: row.path.clone(),
            });
            return Err(if state == FileState::Restored {
                forget(error)
            } else {
                error
            });
        }
        // From here on the addition stands; only its row may be missing its end.
        if watch.before(Step::Finish).is_ok() {
            row.status = WrittenStatus::Done;
            user.save_written(&row)?;
        }
        Ok(row)
    }

    /// Everything that was written, newest first.
    pub fn written(&self) -> Result<Vec<Written>> {
        self.settle_begun()?;
        let rows = self.user_db()?.written()?.into_iter();
        Ok(rows
            .map(|row| Written {
                standing: Standing::of(&row),
                row,
                notes: Vec::new(),
            })
            .collect())
    }

    /// One write.
    pub fn written_one(&self, id: &str) -> Result<Written> {
        let row = self.written_row(id)?;
        Ok(Written {
            standing: Standing::of(&row),
            row,
            notes: Vec::new(),
        })
    }

    fn written_row(&self, id: &str) -> Result<WrittenRow> {
        self.user_db()?.written_by_id(id)?.ok_or_else(|| {
            let next = NextStep::choose(Listed::Written, id, Vec::new());
            AppError::not_found(format!("there is no written session '{id}'"), next)
        })
    }

    /// The session that a write was made from, and the written one. Of an addition the first is the
    /// backup, which holds the original as it was.
    pub fn written_sessions(&self, id: &str) -> Result<[Arc<OpenSession>; 2]> {
        let row = self.written_row(id)?;
        let before = match &row.backup {
            Some(backup) => Arc::new(OpenSession::read(Path::new(backup))?),
            None => self.open(&row.session_path)?,
        };
        Ok([before, self.open(&row.path)?])
    }

    /// Takes a write back: a new file is deleted, an addition is taken off the original. Refused
    /// once the file is another than the one written.
    pub fn undo_written(&self, id: &str) -> Result<Written> {
        let user = self.user_db()?;
        let mut row = self.written_row(id)?;
        let path = PathBuf::from(&row.path);
        let gone_on = || WriteError::GoneOn {
            backup: row.backup.clone(),
            path: row.path.clone(),
        };
        match Standing::of(&row) {
            Standing::AsWritten => {}
            Standing::Continued => return Err(gone_on().into()),
            standing @ (Standing::Missing | Standing::Undone) => {
                user.forget_written(id)?;
                let note = if standing == Standing::Undone {
                    "It was undone before, so no file was changed. It is no longer listed."
                } else {
                    "The file is missing, so no file was changed. It is no longer listed."
                };
                return Ok(Written {
                    standing,
                    row,
                    notes: vec![note.to_owned()],
                });
            }
        }
        let cwd = row.cwd.as_deref();
        let mut file = Locked::of(&path, cwd, row.agent.name())?;
        // Again, under the lock.
        if hash(&file.bytes) != row.hash {
            return Err(gone_on().into());
        }
        if row.appended {
            let before = row.hash_before.clone().unwrap_or_default();
            file.shorten(row.bytes_before, &before)?;
        } else {
            std::fs::remove_file(&path).map_err(|source| AppError::Write {
                path: row.path.clone(),
                source,
            })?;
        }
        row.status = WrittenStatus::Undone;
        user.save_written(&row)?;
        self.tell(AppEvent::SessionsChanged(Vec::new()));
        Ok(Written {
            standing: Standing::Undone,
            row,
            notes: Vec::new(),
        })
    }

    /// Finds out how writes ended that the program did not live to finish.
    pub(super) fn settle_begun(&self) -> Result<()> {
        let user = self.user_db()?;
        let begun = |row: &WrittenRow| row.status == WrittenStatus::Begun;
        for mut row in user.written()?.into_iter().filter(begun) {
            let bytes = std::fs::read(&row.path).unwrap_or_default();
            if hash(&bytes) == row.hash {
                row.status = WrittenStatus::Done;
                user.save_written(&row)?;
                continue;
            }
            let before = usize::try_from(row.bytes_before).ok();
            let start = before.and_then(|before| bytes.get(..before));
            let had = start.map(hash) == row.hash_before && row.appended;
            let torn = had && bytes.len() as u64 > row.bytes_before && !bytes.ends_with(b"\n");
            if torn {
                // A last line without its end is the half that the disk got; agents skip it, and
                // the next one would be glued to it.
                let cwd = row.cwd.as_deref();
                let hash_before = row.hash_before.clone().unwrap_or_default();
                let cut = Locked::of(Path::new(&row.path), cwd, row.agent.name())
                    .and_then(|mut file| file.shorten(row.bytes_before, &hash_before));
                if cut.is_err() {
                    continue;
                }
            } else if had && bytes.len() as u64 > row.bytes_before {
                // Whole lines follow: an agent has continued.
                row.status = WrittenStatus::Done;
                user.save_written(&row)?;
                continue;
            }
            user.forget_written(&row.id)?;
        }
        Ok(())
    }
}

fn step(watch: &dyn Watch, step: Step, path: &Path) -> std::result::Result<(), WriteError> {
    watch.before(step).map_err(|source| WriteError::Io {
        source,
        state: FileState::Unchanged,
        path: path.display().to_string(),
    })
}

fn begun(prepared: &Prepared, fresh: &Fresh) -> WrittenRow {
    let open = &prepared.open;
    let meta = &open.session.meta;
    WrittenRow {
        // The end of the uuid is random; twelve digits are enough to name a write.
        id: fresh
            .uuid()
            .rsplit('-')
            .next()
            .unwrap_or_default()
            .to_owned(),
        status: WrittenStatus::Begun,
        appended: false,
        change: prepared.change_name().to_owned(),
        agent: meta.agent,
        session_id: open.id.clone(),
        session_path: meta.path.clone(),
        leaf_id: prepared.leaf.map(|ix| open.session.name_of(ix)),
        run_id: prepared.run_id.clone(),
        path: String::new(),
        bytes_before: 0,
        hash_before: None,
        hash: String::new(),
        backup: None,
        resume: String::new(),
        cwd: meta.cwd.clone(),
        written_at_ms: fresh.now_ms,
    }
}

/// Where a new session goes: a path or folder of the user, else beside the original, where its
/// agent finds it; of a session in a database, into `folder`.
fn place_of(prepared: &Prepared, new: &NewSession, out: Option<&Path>, folder: &Path) -> PathBuf {
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    match out.map(absolute) {
        Some(out) if out.is_dir() => out.join(&new.file_name),
        Some(out) => out,
        None => {
            let address = &prepared.open.session.meta.path;
            let original = crate::source::file_of(address);
            // Beside a database the agent reads no files: it imports one from anywhere.
            if address == &original.display().to_string() {
                original.with_file_name(&new.file_name)
            } else {
                folder.join(&new.file_name)
            }
        }
    }
}

fn fresh() -> Result<Fresh> {
    let mut random = [0; 16];
    getrandom::fill(&mut random).map_err(|error| AppError::Internal(error.to_string()))?;
    let now = jiff::Zoned::now();
    Ok(Fresh {
        now_ms: now_ms(),
        random: u128::from_le_bytes(random),
        utc_offset_s: now.offset().seconds(),
    })
}

fn to_json(words: &[String]) -> Result<String> {
    serde_json::to_string(words).map_err(|error| AppError::Internal(error.to_string()))
}
