use palimpsest_core::{Agent, RecordKind, Role, Usage};
use palimpsest_store::index::{NewEntry, SessionNum, SessionRow};
use palimpsest_store::{IndexDb, IndexWriter};

/// A session row with the given id and nothing in it.
pub fn session(id: &str) -> SessionRow {
    SessionRow {
        num: SessionNum(0),
        id: id.to_owned(),
        agent: Agent::PI,
        native_id: format!("native-{id}"),
        path: format!("/sessions/{id}.jsonl"),
        title: Some(format!("Title of {id}")),
        cwd: Some("/home/dev/parser".to_owned()),
        project: "parser".to_owned(),
        root: Some("/home/dev/parser".to_owned()),
        worktree: None,
        bytes: 0,
        provider: None,
        model: None,
        parent_session: None,
        parent_kind: None,
        agent_version: None,
        format_version: Some(3),
        created_at_ms: Some(1_000),
        updated_at_ms: Some(2_000),
        entries: 0,
        leaves: 0,
        compactions: 0,
        branch_summaries: 0,
        warnings: 0,
        errors: 0,
        rejections: 0,
        irregular: false,
        usage: Usage::default(),
        cost_computed: false,
        peak_context: None,
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
