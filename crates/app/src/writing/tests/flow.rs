//! What a user does: write, look at the list, go on, take back.

use super::{Desk, navigation, new_file};
use crate::error::AppError;
use crate::run::{PlanSpec, RunSpec};
use crate::session::OpenSession;
use crate::writing::{Source, Standing, Target, WriteError, WriteSpec};
use palimpsest_core::Failure as _;
use palimpsest_testkit::home::TempHome;
use palimpsest_testkit::session::{CompactionSpec, PiSession, Reply};
use std::io::Write as _;
use std::path::Path;

fn texts(path: &Path) -> Vec<String> {
    let read = OpenSession::read(path).unwrap();
    let context = read
        .format
        .context(&read.session, &read.tree, read.session.active_leaf);
    let text = |item| {
        let message = read.format.item_message(&read.session, item, &read.bodies);
        message.unwrap().text("")
    };
    context.items.iter().map(text).collect()
}

#[test]
fn a_new_session_is_listed_until_the_agent_goes_on_in_it() {
    let desk = Desk::new();
    let before = desk.bytes();
    let source = navigation(&desk.ids[1], Some("A branch."));
    let written = desk.app.write(&desk.spec(source, new_file())).unwrap();
    let path = Path::new(&written.row.path);
    assert_eq!(texts(path), ["Question 0.", "Answer 0.", "A branch."]);
    assert_eq!(desk.beside(), [path]);
    assert_eq!(desk.bytes(), before, "the original is untouched");
    let command = written.resume_command();
    assert!(
        command.starts_with("cd /home/dana/projects/courier && pi --session /"),
        "{command}"
    );
    let listed = desk.app.written().unwrap();
    assert_eq!((listed.len(), listed[0].standing), (1, Standing::AsWritten));
    // The agent goes on: neither deleted nor taken back.
    let mut file = std::fs::OpenOptions::new().append(true).open(path).unwrap();
    file.write_all(b"{\"type\":\"label\"}\n").unwrap();
    drop(file);
    let refused = desk.app.undo_written(&written.row.id).unwrap_err();
    assert!(
        matches!(refused, AppError::Writing(WriteError::GoneOn { .. })),
        "{refused}"
    );
    assert_eq!(desk.app.written().unwrap()[0].standing, Standing::Continued);
    assert!(path.exists());
}

#[test]
fn a_new_session_and_an_addition_can_be_taken_back() {
    let desk = Desk::new();
    let before = desk.bytes();
    let undone = Source::Undone {
        compaction: desk.ids[8].clone(),
    };
    let new = desk
        .app
        .write(&desk.spec(undone.clone(), new_file()))
        .unwrap();
    assert_eq!(texts(Path::new(&new.row.path)).len(), 8);
    let added = desk.app.write(&desk.spec(undone, Target::Append)).unwrap();
    assert_eq!(texts(&desk.session).len(), 8);
    assert!(desk.bytes().starts_with(&before));
    let backup = added.row.backup.as_deref().unwrap();
    assert_eq!(std::fs::read(backup).unwrap(), before);
    for id in [&added.row.id, &new.row.id] {
        let back = desk.app.undo_written(id).unwrap();
        assert_eq!(back.standing, Standing::Undone);
    }
    assert_eq!(desk.bytes(), before);
    assert_eq!(desk.beside(), Vec::<std::path::PathBuf>::new());
    assert_eq!(std::fs::read(backup).unwrap(), before, "backups stay");
}

#[tokio::test]
async fn the_summary_of_a_run_takes_the_place_of_the_stored_one() {
    let desk = Desk::new();
    let plan = PlanSpec {
        session: desk.session.display().to_string(),
        at: Some(desk.ids[8].clone()),
        redo: true,
        set: [("keep_recent_tokens".to_owned(), 5.into())]
            .into_iter()
            .collect(),
        provider: Some("offline".to_owned()),
        ..PlanSpec::default()
    };
    let spec = RunSpec {
        plan,
        plan_hash: None,
        stream: None,
        stored_as: None,
        above_limit: false,
    };
    let run = desk.app.compact(spec).await.unwrap();
    let summary = run.own_summary().unwrap().to_owned();
    let of_run = |text: Option<&str>| Source::Run {
        run: run.row.id.clone(),
        text: text.map(str::to_owned),
    };
    let new = desk
        .app
        .write(&desk.spec(of_run(None), new_file()))
        .unwrap();
    let got = texts(Path::new(&new.row.path));
    assert_eq!(got[0], summary);
    assert_eq!(got[got.len() - 2..], ["And then?", "Done."]);
    assert_eq!(new.row.run_id.as_deref(), Some(run.row.id.as_str()));
    let edited = desk
        .app
        .write(&desk.spec(of_run(Some("Mine.")), Target::Append))
        .unwrap();
    assert_eq!(texts(&desk.session)[0], "Mine.");
    assert_eq!(edited.row.change, "compaction");
}

#[test]
fn an_edited_summary_replaces_the_stored_one() {
    let desk = Desk::new();
    let edited = Source::Edited {
        summary: desk.ids[8].clone(),
        text: "Better.".into(),
    };
    let new = desk.app.write(&desk.spec(edited, new_file())).unwrap();
    let wanted = ["Better.", "Question 3.", "Answer 3.", "And then?", "Done."];
    assert_eq!(texts(Path::new(&new.row.path)), wanted);
}

#[test]
fn an_edited_summary_of_an_earlier_compaction_ends_before_the_next() {
    let mut made = PiSession::new();
    let mut ids = Vec::new();
    for turn in 0..3 {
        ids.push(made.user(&format!("Question {turn}.")));
        ids.push(made.assistant(Reply::new().text(&format!("Answer {turn}."))));
        let kept = ids[ids.len() - 2].clone();
        ids.push(made.compact(CompactionSpec::new("Stored.").first_kept(&kept)));
    }
    let home = TempHome::new();
    let session = home.add_pi_session(&made).unwrap();
    let spec = WriteSpec {
        session: Some(session.display().to_string()),
        source: Source::Edited {
            summary: ids[2].clone(),
            text: "Better.".into(),
        },
        leaf: None,
        target: new_file(),
    };
    let new = super::app(home.path()).write(&spec).unwrap();
    let wanted = [
        "Better.",
        "Question 0.",
        "Answer 0.",
        "Question 1.",
        "Answer 1.",
    ];
    assert_eq!(texts(Path::new(&new.row.path)), wanted);
}

#[test]
fn an_existing_file_is_never_replaced() {
    let desk = Desk::new();
    let out = desk.session.with_file_name("mine.jsonl");
    std::fs::write(&out, "mine").unwrap();
    let target = Target::New {
        out: Some(out.clone()),
    };
    let spec = desk.spec(navigation(&desk.ids[1], None), target);
    let refused = desk.app.write(&spec).unwrap_err();
    assert!(
        matches!(refused, AppError::Writing(WriteError::Exists { .. })),
        "{refused}"
    );
    assert!(refused.next().is_some());
    assert_eq!(std::fs::read(&out).unwrap(), b"mine");
    assert_eq!(desk.app.written().unwrap(), []);
}

#[test]
fn an_edited_summary_is_kept_as_a_run_and_written_from_it() {
    let desk = Desk::new();
    let session = desk.session.display().to_string();
    let of = format!("entry:{}", desk.ids[8]);
    let kept = desk.app.keep_edited(&session, &of, "Better.").unwrap();
    let entry = Some(desk.ids[8].as_str());
    assert_eq!(kept.edited_entry(), entry);
    let again = desk
        .app
        .keep_edited(
            &session,
            &kept.row.id,
            "Best. The user asked: \"Question 1.\"",
        )
        .unwrap();
    // Read back from the database, as a later start of the program does.
    let stored = desk.app.run_named(&again.row.id).unwrap();
    let edited = stored.details.edited.clone().unwrap();
    assert_eq!(edited.run.as_deref(), Some(kept.row.id.as_str()));
    assert_eq!(edited.entry.as_deref(), entry);
    assert_eq!(
        stored.own_summary(),
        Some("Best. The user asked: \"Question 1.\"")
    );
    let of_run = Source::Run {
        run: again.row.id.clone(),
        text: None,
    };
    let new = desk.app.write(&desk.spec(of_run, new_file())).unwrap();
    let got = texts(Path::new(&new.row.path));
    assert_eq!(got[0], "Best. The user asked: \"Question 1.\"");
    assert_eq!(got[got.len() - 2..], ["And then?", "Done."]);
    // Both are judged by what the stored summary stands for.
    let open = desk.app.open(&session).unwrap();
    let stored = desk.app.material_named(&open, &of).unwrap();
    let edited = desk.app.material_named(&open, &again.row.id).unwrap();
    assert_eq!(edited.cut, stored.cut);
    assert!(edited.ledger().totals.retention > stored.ledger().totals.retention);
    let error = desk.app.keep_edited(&session, &of, "  \n").unwrap_err();
    assert!(error.to_string().contains("is empty"), "{error}");
    let error = desk.app.replay(&again.row.id).unwrap_err();
    assert!(error.to_string().contains("edited by hand"), "{error}");
}

#[test]
fn a_file_that_the_agent_does_not_find_by_its_id_is_said_so() {
    let home = TempHome::new();
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../formats/tests/fixtures/claude-code/valid/linear.jsonl");
    let bytes = std::fs::read(fixture).unwrap();
    let app = super::app(home.path());
    let notes = |place: &str| {
        let session = home.add_file(place, &bytes).unwrap();
        let spec = WriteSpec {
            session: Some(session.display().to_string()),
            source: Source::Message {
                text: "Go on.".to_owned(),
            },
            leaf: None,
            target: new_file(),
        };
        let foreseen = app.foresee_write(&spec).unwrap().prepared.notes;
        let written = app.write(&spec).unwrap();
        assert_eq!(foreseen.len(), written.notes.len(), "{foreseen:?}");
        let id = Path::new(&written.row.path).file_name().unwrap().to_owned();
        (written.notes.join(" "), id.into_string().unwrap())
    };
    assert_eq!(notes(".claude/projects/-p/a.jsonl").0, "");
    for place in ["elsewhere/a.jsonl", ".claude/projects/a.jsonl"] {
        let (said, name) = notes(place);
        let needed = ".claude/projects/-";
        assert!(
            said.contains(needed) && said.contains(&name),
            "{place}: {said}"
        );
    }
}
