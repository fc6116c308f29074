//! Every step of a write fails, is killed, meets a full disk or a second writer.

use super::{Desk, app, navigation, new_file};
use crate::error::AppError;
use crate::writing::planning::Prepared;
use crate::writing::steps::{Step, Watch};
use crate::writing::{Standing, Target, WriteError};
use palimpsest_testkit::home::TempHome;
use std::cell::Cell;
use std::io::{self, Write as _};
use std::path::PathBuf;

/// Lets one step fail.
struct Failing(Step);

impl Watch for Failing {
    fn before(&self, step: Step) -> io::Result<()> {
        if step == self.0 {
            return Err(io::Error::other("a fault on purpose"));
        }
        Ok(())
    }
}

/// A disk with room for so many bytes.
struct Full(usize);

impl Watch for Full {
    fn before(&self, _: Step) -> io::Result<()> {
        Ok(())
    }

    fn takes(&self, len: usize) -> usize {
        len.min(self.0)
    }
}

/// Another program that writes to the session at a step.
struct Second {
    at: Step,
    path: PathBuf,
    done: Cell<bool>,
}

const THEIRS: &[u8] = b"{\"type\":\"label\",\"id\":\"aaaaaaaa\",\"parentId\":null}\n";

impl Watch for Second {
    fn before(&self, step: Step) -> io::Result<()> {
        if step == self.at && !self.done.replace(true) {
            let mut file = std::fs::OpenOptions::new().append(true).open(&self.path)?;
            file.write_all(THEIRS)?;
        }
        Ok(())
    }
}

/// Ends the process at a step, as a kill does.
struct Killed(Step);

impl Watch for Killed {
    fn before(&self, step: Step) -> io::Result<()> {
        if step == self.0 {
            std::process::abort();
        }
        Ok(())
    }
}

fn prepared(desk: &Desk, target: &Target) -> Prepared {
    let source = navigation(&desk.ids[3], Some("Left behind."));
    desk.app
        .prepare_write(&desk.spec(source, target.clone()))
        .unwrap()
}

#[test]
fn a_failed_step_leaves_the_original_whole() {
    for step in Step::ALL {
        for target in [new_file(), Target::Append] {
            let desk = Desk::new();
            let before = desk.bytes();
            let done = desk
                .app
                .written_as(&prepared(&desk, &target), &target, &Failing(step));
            let after = desk.bytes();
            let what = format!("{step:?} {target:?}");
            match (&target, done) {
                (Target::Append, Ok(row)) => {
                    // The addition stands; only the last note failed, which the list repairs.
                    assert!(matches!(step, Step::Finish | Step::Name), "{what}");
                    assert!(
                        after.len() > before.len() && after.starts_with(&before),
                        "{what}"
                    );
                    let listed = desk.app.written().unwrap();
                    assert_eq!(listed[0].row.id, row.id);
                    assert_eq!(listed[0].standing, Standing::AsWritten, "{what}");
                }
                (Target::Append, Err(error)) => {
                    assert_eq!(after, before, "{what}");
                    let said = error.to_string();
                    let is_restored = said.contains("restored") || said.contains("nothing was");
                    assert!(is_restored, "{what}: {said}");
                    assert_eq!(desk.app.written().unwrap(), [], "{what}");
                }
                (Target::New { .. }, Ok(_)) => {
                    assert!(matches!(step, Step::Backup | Step::Finish), "{what}");
                    assert_eq!(after, before);
                    let listed = desk.app.written().unwrap();
                    assert_eq!(listed[0].standing, Standing::AsWritten, "{what}");
                }
                (Target::New { .. }, Err(_)) => {
                    assert_eq!(after, before, "{what}");
                    assert_eq!(desk.beside(), Vec::<PathBuf>::new(), "{what}");
                    assert_eq!(desk.app.written().unwrap(), [], "{what}");
                }
            }
        }
    }
}

#[test]
fn a_full_disk_leaves_the_original_whole() {
    for room in [0, 1, 100] {
        for target in [new_file(), Target::Append] {
            let desk = Desk::new();
            let before = desk.bytes();
            let failed = desk
                .app
                .written_as(&prepared(&desk, &target), &target, &Full(room));
            let error = failed.unwrap_err();
            let full = matches!(&error, AppError::Writing(WriteError::Io { source, .. })
                if source.kind() == io::ErrorKind::StorageFull);
            assert!(full, "{error}");
            assert_eq!(desk.bytes(), before);
            assert_eq!(desk.beside(), Vec::<PathBuf>::new());
        }
    }
}

#[test]
fn what_another_program_writes_meanwhile_stays() {
    let target = Target::Append;
    for at in [Step::Backup, Step::Write, Step::Sync, Step::Verify] {
        let desk = Desk::new();
        let before = desk.bytes();
        let second = Second {
            at,
            path: desk.session.clone(),
            done: Cell::new(false),
        };
        let done = desk
            .app
            .written_as(&prepared(&desk, &target), &target, &second);
        let after = desk.bytes();
        let theirs = after.windows(THEIRS.len()).any(|window| window == THEIRS);
        assert!(theirs && after.starts_with(&before), "{at:?}");
        let error = done.unwrap_err().to_string();
        match at {
            Step::Backup => {
                assert_eq!(after.len(), before.len() + THEIRS.len());
                assert!(error.contains("has changed"), "{error}");
            }
            _ => assert!(error.contains("another program wrote"), "{at:?} {error}"),
        }
    }
}

#[test]
fn a_session_that_grew_since_it_was_planned_is_refused() {
    let desk = Desk::new();
    let prepared = prepared(&desk, &Target::Append);
    let mut file = std::fs::OpenOptions::new()
        .append(true)
        .open(&desk.session)
        .unwrap();
    file.write_all(THEIRS).unwrap();
    drop(file);
    let grown = desk.bytes();
    let refused = desk
        .app
        .written_as(&prepared, &Target::Append, &Failing(Step::Finish));
    let refused = refused.unwrap_err();
    assert!(
        matches!(refused, AppError::Writing(WriteError::Changed { .. })),
        "{refused}"
    );
    assert_eq!(desk.bytes(), grown);
}

#[test]
fn a_second_writer_waits_for_the_lock() {
    let desk = Desk::new();
    let before = desk.bytes();
    let file = std::fs::OpenOptions::new()
        .append(true)
        .open(&desk.session)
        .unwrap();
    file.lock().unwrap();
    let spec = desk.spec(navigation(&desk.ids[1], None), Target::Append);
    let refused = desk.app.write(&spec).unwrap_err();
    assert!(
        matches!(refused, AppError::Writing(WriteError::Locked { .. })),
        "{refused}"
    );
    assert_eq!(desk.bytes(), before);
    drop(file);
    desk.app.write(&spec).unwrap();
}

#[cfg(unix)]
#[test]
fn a_read_only_folder_is_refused() {
    use std::os::unix::fs::PermissionsExt as _;
    let desk = Desk::new();
    let folder = desk.session.parent().unwrap();
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o500)).unwrap();
    if std::fs::write(folder.join("probe"), "").is_ok() {
        eprintln!("SKIPPED: this user may write to every folder");
        return;
    }
    let spec = desk.spec(navigation(&desk.ids[1], None), new_file());
    let refused = desk.app.write(&spec).unwrap_err();
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700)).unwrap();
    assert!(
        refused.to_string().contains("nothing was changed"),
        "{refused}"
    );
}

/// The variable that makes a test process the one that is killed: its home folder.
const HOME: &str = "PALIMPSEST_KILLED_IN";
/// The number of the step and whether the write is an addition.
const STEP: &str = "PALIMPSEST_KILLED_AT";

#[test]
fn a_killed_write_leaves_the_original_whole() {
    if let Ok(session) = std::env::var(HOME) {
        return killed(&session);
    }
    for number in 0..Step::ALL.len() {
        for appends in [false, true] {
            let desk = Desk::new();
            let before = desk.bytes();
            let ended = std::process::Command::new(std::env::current_exe().unwrap())
                .args([
                    "writing::tests::faults::a_killed_write_leaves_the_original_whole",
                    "--exact",
                ])
                .env(
                    HOME,
                    format!("{}|{}", desk._home.path().display(), desk.session.display()),
                )
                .env(STEP, format!("{number}|{appends}|{}", desk.ids[3]))
                .output()
                .unwrap();
            let step = Step::ALL[number];
            let what = format!("{step:?} appends: {appends}");
            let without = if appends { Step::Name } else { Step::Backup };
            let has_step = step != without;
            assert_eq!(ended.status.success(), !has_step, "{what}");
            let after = desk.bytes();
            let listed = app(desk._home.path()).written().unwrap();
            let whole = !has_step || step >= if appends { Step::Sync } else { Step::Verify };
            assert_eq!(listed.len(), usize::from(whole), "{what}");
            assert!(
                listed.iter().all(|own| own.standing == Standing::AsWritten),
                "{what}"
            );
            if appends {
                assert!(after.starts_with(&before), "{what}");
                assert_eq!(after.len() > before.len(), whole, "{what}");
            } else {
                assert_eq!(after, before, "{what}");
            }
            // The same write again succeeds.
            let spec = desk.spec(navigation(&desk.ids[1], None), Target::Append);
            desk.app.write(&spec).unwrap();
        }
    }
}

/// The process that dies.
fn killed(places: &str) {
    let (home, session) = places.split_once('|').unwrap();
    let told = std::env::var(STEP).unwrap();
    let told: Vec<&str> = told.split('|').collect();
    let app = app(std::path::Path::new(home));
    let target = match told[1] {
        "true" => Target::Append,
        _ => new_file(),
    };
    let spec = crate::writing::WriteSpec {
        session: Some(session.to_owned()),
        source: navigation(told[2], Some("Left behind.")),
        leaf: None,
        target: target.clone(),
    };
    let prepared = app.prepare_write(&spec).unwrap();
    let step = Step::ALL[told[0].parse::<usize>().unwrap()];
    app.written_as(&prepared, &target, &Killed(step)).unwrap();
}

#[test]
fn the_half_of_an_addition_is_cut_off_at_the_next_look() {
    let desk = Desk::new();
    let before = desk.bytes();
    let target = Target::Append;
    let row = desk
        .app
        .written_as(&prepared(&desk, &target), &target, &Failing(Step::Finish))
        .unwrap();
    // The disk got a half of it before the machine stopped.
    let file = std::fs::OpenOptions::new()
        .write(true)
        .open(&desk.session)
        .unwrap();
    file.set_len(before.len() as u64 + 20).unwrap();
    drop(file);
    assert_eq!(desk.app.written().unwrap(), []);
    assert_eq!(desk.bytes(), before);
    assert_eq!(std::fs::read(row.backup.unwrap()).unwrap(), before);
}

#[test]
fn a_home_of_its_own() {
    // Desks do not share a home, or a killed write of one would be settled by another.
    let (one, other) = (Desk::at(TempHome::new()), Desk::new());
    assert_ne!(one.session, other.session);
}
