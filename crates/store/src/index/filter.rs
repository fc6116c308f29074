//! Which sessions a list or a search is about, as a condition over the table `sessions`.

use crate::connection::like;
use palimpsest_core::Agent;
use rusqlite::types::Value;

/// Which sessions a list or a search is about. Empty fields do not restrict.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionFilter {
    /// Written by one of these agents.
    pub agents: Vec<Agent>,
    /// In one of these projects, case ignored.
    pub projects: Vec<String>,
    /// Each of these occurs in the title, project, directory or path, case ignored, or the
    /// session is one of those named with it.
    pub text: Vec<SessionWord>,
    /// All of these occur in the title, case ignored.
    pub title: Vec<String>,
    /// For each of these, some touched file's path contains it.
    pub touched: Vec<String>,
    /// Updated at or after this time, Unix milliseconds.
    pub after_ms: Option<i64>,
    /// Updated before this time, Unix milliseconds.
    pub before_ms: Option<i64>,
    /// Has a compaction (true) or none (false).
    pub has_compaction: Option<bool>,
    /// Has a branch summary or more than one leaf (true), or neither (false).
    pub has_branch: Option<bool>,
    /// Has a failed tool result or message (true) or none (false).
    pub has_error: Option<bool>,
    /// Has warnings (true) or none (false).
    pub has_warning: Option<bool>,
    /// Was started by another session's agent (true) or not (false).
    pub is_subagent: Option<bool>,
    /// Is in, or is not in, each of these sets.
    pub sets: Vec<SessionSet>,
}

/// A word looked for in the rows of sessions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SessionWord {
    /// The word.
    pub text: String,
    /// The ids of sessions that have it elsewhere, such as in a note of the user.
    pub also: Vec<String>,
}

/// Sessions known from elsewhere than the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionSet {
    /// Their ids.
    pub ids: Vec<String>,
    /// True for the sessions in the set, false for those outside.
    pub inside: bool,
}

/// Ids as one argument: their number is not bounded, that of SQLite's arguments is.
const ONE_OF_IDS: &str = "sessions.id IN (SELECT value FROM json_each(?))";

fn ids_value(ids: &[String]) -> Value {
    Value::from(serde_json::Value::from(ids).to_string())
}

impl SessionFilter {
    /// True when nothing is filtered out.
    pub fn is_empty(&self) -> bool {
        *self == SessionFilter::default()
    }

    /// A condition over `sessions`, and its arguments.
    pub(super) fn sql(&self) -> (String, Vec<Value>) {
        let mut terms: Vec<String> = Vec::new();
        let mut values: Vec<Value> = Vec::new();
        let mut one_of = |column: &str, list: Vec<Value>| {
            if !list.is_empty() {
                let marks = vec!["?"; list.len()].join(", ");
                terms.push(format!("sessions.{column} COLLATE NOCASE IN ({marks})"));
                values.extend(list);
            }
        };
        one_of(
            "agent",
            self.agents
                .iter()
                .map(|a| Value::from(a.name().to_owned()))
                .collect(),
        );
        one_of(
            "project",
            self.projects.iter().cloned().map(Value::from).collect(),
        );
        for part in &self.text {
            let columns = ["title", "project", "cwd", "path"];
            let any = columns.map(|column| format!("sessions.{column} LIKE ? ESCAPE '\\'"));
            let any = any.join(" OR ");
            values.extend(columns.map(|_| Value::from(like(&part.text))));
            if part.also.is_empty() {
                terms.push(format!("({any})"));
            } else {
                terms.push(format!("({any} OR {ONE_OF_IDS})"));
                values.push(ids_value(&part.also));
            }
        }
        for part in &self.title {
            terms.push("sessions.title LIKE ? ESCAPE '\\'".to_owned());
            values.push(like(part).into());
        }
        for part in &self.touched {
            terms.push(
                "EXISTS (SELECT 1 FROM files WHERE files.session = sessions.num \
                 AND files.path LIKE ? ESCAPE '\\')"
                    .to_owned(),
            );
            values.push(like(part).into());
        }
        for (bound, term) in [
            (self.after_ms, "sessions.updated_at >= ?"),
            (self.before_ms, "sessions.updated_at < ?"),
        ] {
            if let Some(bound) = bound {
                terms.push(term.to_owned());
                values.push(bound.into());
            }
        }
        for (wanted, condition) in [
            (self.has_compaction, "sessions.compactions > 0"),
            (
                self.has_branch,
                "(sessions.branch_summaries > 0 OR sessions.leaves > 1)",
            ),
            (self.has_error, "sessions.errors > 0"),
            (self.has_warning, "sessions.warnings > 0"),
            (
                self.is_subagent,
                // NULL compared is NULL, which `NOT` leaves as it is: sessions without a parent
                // would be in neither list.
                "coalesce(sessions.parent_kind = 'subagent_of', 0)",
            ),
        ] {
            match wanted {
                Some(true) => terms.push(condition.to_owned()),
                Some(false) => terms.push(format!("NOT {condition}")),
                None => {}
            }
        }
        for set in &self.sets {
            let not = if set.inside { "" } else { "NOT " };
            terms.push(format!("{not}{ONE_OF_IDS}"));
            values.push(ids_value(&set.ids));
        }
        if terms.is_empty() {
            // `WHERE 1`, so that callers need no second statement.
            ("1".to_owned(), values)
        } else {
            (terms.join(" AND "), values)
        }
    }
}
