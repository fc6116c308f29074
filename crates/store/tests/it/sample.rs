use palimpsest_core::{Agent, RecordKind, Role};
use palimpsest_store::index::{NewEntry, SessionNum, SessionRow};
use palimpsest_store::{IndexDb, IndexWriter};

/// A session row with the given id and nothing in it.
pub fn session(id: &str) -> SessionRow {
    SessionRow {
        title: Some(format!("Title of {id}")),
        cwd: Some("/home/dev/parser".to_owned()),
        project: "parser".to_owned(),
        root: Some("/home/dev/parser".to_owned()),
        format_version: Some(3),
        created_at_ms: Some(1_000),
        updated_at_ms: Some(2_000),
        ..SessionRow::blank(
            id.to_owned(),
            Agent::PI,
            format!("native-{id}"),
            format!("/sessions/{id}.jsonl"),
        )
    }
}

/// An entry at `ix` that says `text`.
pub fn entry(ix: u32, text: &str) -> NewEntry<'_> {
    NewEntry {
        num: None,
        ix,
        line: ix + 1,
        entry_id: "e",
        parent_ix: ix.checked_sub(1),
        kind: RecordKind::Message,
        role: Some(Role::User),
        at_ms: Some(5),
        offset: u64::from(ix) * 100,
        len: 99,
        estimate: 7,
        reported: None,
        is_error: false,
        rejected: false,
        tools: None,
        own_name: None,
        change: None,
        about: None,
        subagent: None,
        text,
        fields: "",
    }
}

/// Adds a session with one entry for each text.
pub fn add(writer: &IndexWriter<'_>, row: &SessionRow, texts: &[&str]) -> SessionNum {
    let num = writer.put_session(row).unwrap();
    for (ix, text) in texts.iter().enumerate() {
        writer
            .add_entry(num, &entry(u32::try_from(ix).unwrap(), text))
            .unwrap();
    }
    num
}

/// An index in memory with these sessions.
pub fn index(sessions: &[(&str, &[&str])]) -> IndexDb {
    let db = IndexDb::init_in_memory().unwrap();
    let writer = db.writer().unwrap();
    for (id, texts) in sessions {
        add(&writer, &session(id), texts);
    }
    writer.commit().unwrap();
    db
}
