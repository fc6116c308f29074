//! Sessions in OpenCode's database (1.2 to 1.18). Its tables gain columns from version to version,
//! so they are asked which they have.

use super::document::Lines;
use crate::assembly::{ADDRESS_MARK, Query, Rows};
use crate::{Addressed, Disk, Document, Stamp};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// Columns of a session's row that hold JSON.
const JSON_COLUMNS: [&str; 5] = ["revert", "permission", "model", "metadata", "summary_diffs"];

/// The tables with their columns.
type Tables = BTreeMap<String, Vec<String>>;

fn tables(database: &Path, disk: &dyn Disk) -> io::Result<Tables> {
    let sql = "SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c \
               WHERE m.type = 'table' ORDER BY m.name, c.cid";
    let mut tables = Tables::new();
    for row in ask(database, disk, vec![query(sql, None)])?.remove(0) {
        let column = word(row.get(1)).to_owned();
        tables
            .entry(word(row.first()).to_owned())
            .or_default()
            .push(column);
    }
    Ok(tables)
}

fn query(sql: &str, session: Option<&str>) -> Query {
    Query {
        sql: sql.to_owned(),
        values: session.into_iter().map(str::to_owned).collect(),
    }
}

/// As many answers as questions.
fn ask(database: &Path, disk: &dyn Disk, queries: Vec<Query>) -> io::Result<Vec<Rows>> {
    let mut answers = disk.query(database, &queries)?;
    // Every question has an answer, so that callers may index them.
    answers.resize(queries.len(), Rows::new());
    Ok(answers)
}

fn has_sessions(tables: &Tables) -> bool {
    ["session", "message", "part"]
        .iter()
        .all(|table| tables.contains_key(*table))
}

/// The sessions of a database.
///
/// A session's stamp is made of numbers that are cheap to have: how many messages and parts there
/// are, when the session's row and the last message's parts were written, and the number of the
/// last event (from 1.18 on, where every change is one).
pub(super) fn sessions(database: &Path, disk: &dyn Disk) -> io::Result<Vec<Addressed>> {
    let tables = tables(database, disk)?;
    if !has_sessions(&tables) {
        return Ok(Vec::new());
    }
    let messages = "(SELECT max(time_updated) FROM message WHERE session_id = s.id)";
    let changes = if tables.contains_key("event_sequence") {
        let event = "(SELECT seq FROM event_sequence WHERE aggregate_id = s.id)";
        format!("coalesce({event}, {messages})")
    } else {
        messages.to_owned()
    };
    let sql = format!(
        "SELECT s.id, s.time_updated, {changes}, \
         (SELECT count(*) FROM message WHERE session_id = s.id), \
         (SELECT count(*) FROM part WHERE session_id = s.id), \
         (SELECT max(time_updated) FROM part WHERE message_id = (SELECT id FROM message \
          WHERE session_id = s.id ORDER BY time_created DESC, id DESC LIMIT 1)) \
         FROM session s ORDER BY s.id"
    );
    let rows = ask(database, disk, vec![query(&sql, None)])?.remove(0);
    Ok(rows
        .iter()
        .map(|row| {
            let number = |column: usize| row.get(column).and_then(Value::as_i64).unwrap_or(0);
            let written_ms = number(1).max(number(5));
            // Only compared for equality, so an overflow does no harm.
            let count = number(2).wrapping_add(number(3)).wrapping_add(number(4));
            Addressed {
                address: format!("{}{ADDRESS_MARK}{}", database.display(), word(row.first())),
                stamp: Stamp {
                    size: count.unsigned_abs(),
                    mtime_ns: written_ms.saturating_mul(1_000_000),
                },
            }
        })
        .collect())
}

/// The document of a session.
pub(super) fn document(database: &Path, session: &str, disk: &dyn Disk) -> io::Result<Document> {
    let tables = tables(database, disk)?;
    let gone = || {
        let reason = format!(
            "no session {session} in {}; it may have been deleted",
            database.display()
        );
        io::Error::new(io::ErrorKind::NotFound, reason)
    };
    if !has_sessions(&tables) {
        return Err(gone());
    }
    let columns = &tables["session"];
    // The set of columns differs between versions, so they come from the database itself.
    let quoted: Vec<String> = columns.iter().map(|name| format!("\"{name}\"")).collect();
    let mut queries = vec![
        query(
            &format!("SELECT {} FROM session WHERE id = ?1", quoted.join(", ")),
            Some(session),
        ),
        query(
            "SELECT id, data FROM message WHERE session_id = ?1 ORDER BY time_created, id",
            Some(session),
        ),
        query(
            "SELECT id, message_id, data FROM part WHERE session_id = ?1 ORDER BY message_id, id",
            Some(session),
        ),
    ];
    let optional = [
        (
            "todo",
            "SELECT content, status, priority, time_updated FROM todo WHERE session_id = ?1 \
             ORDER BY position",
        ),
        (
            "session_message",
            "SELECT id, type, time_created, data FROM session_message WHERE session_id = ?1 \
             ORDER BY seq",
        ),
    ];
    for (table, sql) in optional {
        let sql = if tables.contains_key(table) {
            sql
        } else {
            "SELECT 1 WHERE 0"
        };
        // Without the table nothing is asked that has a value.
        let value = tables.contains_key(table).then_some(session);
        queries.push(query(sql, value));
    }
    let answers = ask(database, disk, queries)?;
    let row = answers[0].first().ok_or_else(gone)?;
    let mut lines = Lines::default();
    lines.record(&session_record(columns, row));
    conversation(&mut lines, session, &answers[1], &answers[2]);
    todos(&mut lines, session, &answers[3]);
    for row in &answers[4] {
        let mut record = Map::new();
        for (key, value) in ["id", "type", "time_created"].iter().zip(row) {
            record.insert((*key).to_owned(), value.clone());
        }
        record.insert("sessionID".to_owned(), session.into());
        record.insert("data".to_owned(), nested(word(row.get(3))));
        lines.record(&Value::Object(record));
    }
    Ok(lines.finish())
}

/// The row of a session as an object with its columns' names, without the empty ones.
fn session_record(columns: &[String], row: &[Value]) -> Value {
    let members = columns
        .iter()
        .zip(row)
        .filter(|(_, value)| !value.is_null());
    let object = members.map(|(name, value)| match value {
        Value::String(text) if JSON_COLUMNS.contains(&name.as_str()) => {
            (name.clone(), nested(text))
        }
        _ => (name.clone(), value.clone()),
    });
    Value::Object(object.collect())
}

/// Stored JSON as a value, or its text where it is broken.
fn nested(text: &str) -> Value {
    super::value::parse(text).unwrap_or_else(|_| text.into())
}

fn conversation(lines: &mut Lines, session: &str, messages: &Rows, parts: &Rows) {
    // Sorted, so that the document has the same bytes on every reading.
    let mut by_message: BTreeMap<&str, Vec<&Vec<Value>>> = BTreeMap::new();
    for part in parts {
        by_message.entry(word(part.get(1))).or_default().push(part);
    }
    let add = |lines: &mut Lines, message: &str, parts: Vec<&Vec<Value>>| {
        for part in parts {
            let ids = [
                ("id", word(part.first())),
                ("sessionID", session),
                ("messageID", message),
            ];
            lines.push(word(part.get(2)), &ids);
        }
    };
    for message in messages {
        let id = word(message.first());
        lines.push(word(message.get(1)), &[("id", id), ("sessionID", session)]);
        add(lines, id, by_message.remove(id).unwrap_or_default());
    }
    // Parts with a missing message.
    for (message, parts) in by_message {
        add(lines, message, parts);
    }
}

fn todos(lines: &mut Lines, session: &str, rows: &Rows) {
    if rows.is_empty() {
        return;
    }
    let todos = rows.iter().map(|row| {
        let keys = ["content", "status", "priority"];
        let members = keys.iter().zip(row);
        Value::Object(
            members
                .map(|(key, value)| ((*key).to_owned(), value.clone()))
                .collect(),
        )
    });
    let written = rows.iter().filter_map(|row| row.get(3)?.as_i64()).max();
    let mut record = Map::new();
    record.insert("sessionID".to_owned(), session.into());
    record.insert("time_updated".to_owned(), written.into());
    record.insert("todos".to_owned(), Value::Array(todos.collect()));
    lines.record(&Value::Object(record));
}

fn word(value: Option<&Value>) -> &str {
    value.and_then(Value::as_str).unwrap_or_default()
}
