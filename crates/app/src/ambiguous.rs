//! What is said of an id that fits several sessions.

use crate::error::AppError;
use jiff::Timestamp;
use palimpsest_core::words::{noun, thousands};
use palimpsest_store::index::{SessionNum, SessionRow};
use std::collections::HashMap;

/// Of the title of a session that an error names so many characters are said.
const SHOWN_TITLE_CHARS: usize = 40;

/// The error for `name`, the beginning of an id, that fits several sessions; `asked` is how it was
/// written, and `shown` has the ids that lists show.
pub(crate) fn ambiguous(
    asked: &str,
    name: &str,
    fitting: &[SessionRow],
    shown: &HashMap<SessionNum, String>,
) -> AppError {
    let Some(first) = fitting.first().filter(|_| fitting.len() > 1) else {
        return AppError::NoSuchSession(asked.to_owned());
    };
    let own = |row: &SessionRow| {
        let id = shown.get(&row.num).unwrap_or(&row.id);
        id.trim_end_matches('…').to_owned()
    };
    // The beginning can be that of the agent's own id, which several files of one session have: no
    // more characters of it tell them apart.
    if fitting.iter().all(|row| row.native_id == first.native_id) {
        let mut files: Vec<(Option<i64>, &str, String)> = fitting
            .iter()
            .map(|row| (row.created_at_ms, &*row.path, own(row)))
            .collect();
        // In an order that does not depend on which was read first.
        files.sort();
        let told = |path: &str| fitting.iter().find(|row| row.path == path).map(file_of);
        return AppError::SeveralFiles {
            name: asked.to_owned(),
            files: files
                .iter()
                .map(|(_, path, id)| format!("{id} ({})", told(path).unwrap_or_default()))
                .collect(),
            ids: files.into_iter().map(|(_, _, id)| id).collect(),
        };
    }
    // Sessions, each with its files: one in two files is one.
    let mut sessions: Vec<(&str, Vec<&SessionRow>)> = Vec::new();
    for row in fitting {
        let id = if row.native_id.starts_with(name) {
            &row.native_id
        } else {
            &row.id
        };
        match sessions.iter_mut().find(|(known, _)| known == id) {
            Some((_, rows)) => rows.push(row),
            None => sessions.push((id, vec![row])),
        }
    }
    let told = sessions.iter().map(|(id, rows)| {
        let title = rows.iter().find_map(|row| title_of(row));
        let files: Vec<&str> = rows.iter().map(|row| name_of(row)).collect();
        let files = match files.as_slice() {
            [one] => (*one).to_owned(),
            several => format!("in {} files: {}", several.len(), several.join(", ")),
        };
        match title {
            Some(title) => format!("{id} ({title}, {files})"),
            None => format!("{id} ({files})"),
        }
    });
    AppError::AmbiguousSession {
        name: asked.to_owned(),
        sessions: told.collect(),
        in_files: sessions.iter().any(|(_, rows)| rows.len() > 1),
    }
}

fn name_of(row: &SessionRow) -> &str {
    row.path.rsplit(['/', '\\']).next().unwrap_or(&row.path)
}

fn title_of(row: &SessionRow) -> Option<String> {
    let title = row.title.as_ref()?;
    Some(title.chars().take(SHOWN_TITLE_CHARS).collect())
}

/// What tells a file of a session from the others: its title, its size, its last entry and its name.
fn file_of(row: &SessionRow) -> String {
    let entries = noun(row.entries, "entry", "entries");
    let time = row
        .updated_at_ms
        .and_then(|at| Timestamp::from_millisecond(at).ok());
    let until = time.map(|time| format!(" until {} UTC", time.strftime("%Y-%m-%d %H:%M:%S")));
    let parts = [
        title_of(row),
        Some(format!(
            "{} {entries}{}",
            thousands(row.entries),
            until.unwrap_or_default()
        )),
        Some(name_of(row).to_owned()),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use palimpsest_core::Agent;
    use palimpsest_core::failure::{Failure as _, Input, NextStep};

    fn row(num: i64, native_id: &str, path: &str) -> SessionRow {
        let mut row = SessionRow::blank(
            format!("{num}0d69ba7e3f36455"),
            Agent::PI,
            native_id.to_owned(),
            path.to_owned(),
        );
        row.num = SessionNum(num);
        row.title = Some("One TOOL".to_owned());
        row.entries = 12;
        row.created_at_ms = Some(num);
        row.updated_at_ms = Some(1_791_201_600_000);
        row
    }

    #[test]
    fn files_of_one_session_are_told_apart_by_ids_that_commands_take() {
        let rows = [row(2, "01a1", "/s/b.jsonl"), row(1, "01a1", "/s/a.jsonl")];
        let shown = HashMap::from([
            (SessionNum(1), "10d69ba7e…".to_owned()),
            (SessionNum(2), "20d69ba7e…".to_owned()),
        ]);
        for rows in [rows.clone(), [rows[1].clone(), rows[0].clone()]] {
            let error = ambiguous("01a1", "01a1", &rows, &shown);
            assert_eq!(
                error.to_string(),
                "several files hold the session '01a1': 10d69ba7e (One TOOL, 12 entries until \
                 2026-10-05 12:00:00 UTC, a.jsonl) and 20d69ba7e (One TOOL, 12 entries until \
                 2026-10-05 12:00:00 UTC, b.jsonl)"
            );
            assert_eq!(
                error.next(),
                Some(NextStep::UseId {
                    ids: vec!["10d69ba7e".to_owned(), "20d69ba7e".to_owned()]
                })
            );
        }
    }

    #[test]
    fn sessions_with_a_common_beginning_are_told_apart_by_more_of_it() {
        let rows = [
            row(1, "01a1fb", "/s/a.jsonl"),
            row(2, "01a1fc", "/s/b.jsonl"),
        ];
        let error = ambiguous("01a1", "01a1", &rows, &HashMap::new());
        assert_eq!(error.next(), Some(NextStep::GiveLongerId));
    }

    #[test]
    fn a_session_in_two_files_is_one_of_several() {
        let rows = [
            row(1, "01a1fb", "/s/a.jsonl"),
            row(2, "01a1fb", "/s/b.jsonl"),
            row(3, "01a1fc", "/s/c.jsonl"),
        ];
        let error = ambiguous("01a1", "01a1", &rows, &HashMap::new());
        assert_eq!(
            error.to_string(),
            "several sessions have an id that begins with '01a1', such as 01a1fb (One TOOL, in 2 files: \
             a.jsonl, b.jsonl) and 01a1fc (One TOOL, c.jsonl)"
        );
        assert_eq!(
            error.next(),
            Some(NextStep::Give {
                what: Input::Session
            })
        );
    }
}
