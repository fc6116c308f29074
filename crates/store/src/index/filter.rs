//! Which sessions a list or a search is about, as a condition over the table `sessions`.

use super::fields::{Sought, TraitKind};
use crate::connection::like;
use palimpsest_core::Agent;
use rusqlite::types::Value;

/// Which sessions a list or a search is about. Empty fields do not restrict.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SessionFilter {
    /// Written by one of these agents.
    pub agents: Vec<Agent>,
    /// In one of these projects, by name or by folder, case ignored.
    pub projects: Vec<String>,
    /// In one of these worktrees, by a part of the name, case ignored.
    pub worktrees: Vec<String>,
    /// Has a trait of each of these lists.
    pub traits: Vec<Vec<TraitFilter>>,
    /// Each of these numbers of it lies in its range.
    pub numbers: Vec<NumberRange>,
    /// For each of these, some entry of it has one of the values.
    pub entries: Vec<Vec<Sought>>,
    /// Some one entry of it has a value of each of these.
    pub together: Vec<Vec<Sought>>,
    /// Each of these occurs in the title, project, directory or path, case ignored, or is the
    /// beginning of an id, or the session is one of those named with it.
    pub text: Vec<SessionWord>,
    /// Sessions that pass without having `text`: those whose entries have it.
    pub or_hits: Vec<i64>,
    /// All of these occur in the title, case ignored, or the session is one of those named with
    /// it.
    pub title: Vec<SessionWord>,
    /// For each of these, some touched file's path contains it.
    pub touched: Vec<String>,
    /// For each of these, it is one of the sessions named, or some entry of it has the value.
    pub either: Vec<EntryOrSet>,
    /// Has entries written at or after this time, Unix milliseconds...
    pub after_ms: Option<i64>,
    /// ...and before this time.
    pub before_ms: Option<i64>,
    /// Has a compaction (true) or none (false).
    pub has_compaction: Option<bool>,
    /// Has a branch summary or more than one leaf (true), or neither (false).
    pub has_branch: Option<bool>,
    /// Has a failed tool result or message (true) or none (false).
    pub has_error: Option<bool>,
    /// Has warnings (true) or none (false).
    pub has_warning: Option<bool>,
    /// Has entries that were taken back, or is one of the files of a thread of which an earlier turn was
    /// edited: Codex writes a file of its own for that.
    pub has_undone: Option<bool>,
    /// Was started by another session's agent (true) or not (false).
    pub is_subagent: Option<bool>,
    /// Begins with copies of another session or was forked from one (true) or not (false).
    pub is_fork: Option<bool>,
    /// Continues another session (true) or not (false).
    pub is_continuation: Option<bool>,
    /// One of these is the beginning of its id or of its agent's, or a part of its file's name.
    pub named: Vec<String>,
    /// Of several sessions of one of these agents with the same native id, only the one that was
    /// updated last, of equal ones that with the last path: their files are copies.
    pub newest_copy_of: Vec<Agent>,
    /// Is in, or is not in, each of these sets.
    pub sets: Vec<SessionSet>,
    /// Passes none of these.
    pub without: Vec<SessionFilter>,
}

/// A trait that is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraitFilter {
    /// Of what.
    pub kind: TraitKind,
    /// Its name, case ignored.
    pub name: String,
    /// How much of the name that is.
    pub part: NamePart,
}

/// How much of a name is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamePart {
    /// The whole.
    Whole,
    /// The beginning.
    Beginning,
    /// Any part.
    Any,
}

/// A number that a session has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionNumber {
    /// Compactions.
    Compactions,
    /// Failed tool results and messages.
    Errors,
    /// Calls that the user rejected.
    Rejections,
    /// The largest context, in tokens.
    Tokens,
    /// Cost in US dollars.
    Cost,
    /// Entries.
    Entries,
}

/// A range of a number; a session without the number is outside.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NumberRange {
    /// The number.
    pub of: SessionNumber,
    /// The lowest value.
    pub from: f64,
    /// The highest value.
    pub to: f64,
    /// True where the lowest value itself is in the range.
    pub with_from: bool,
    /// True where the highest value itself is in the range.
    pub with_to: bool,
}

/// A word looked for in the rows of sessions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SessionWord {
    /// The word.
    pub text: String,
    /// The ids of sessions that have it elsewhere, such as in a note of the user.
    pub also: Vec<String>,
}

/// Sessions known from elsewhere than the index, and those with such an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryOrSet {
    /// What an entry has.
    pub entry: Sought,
    /// The ids of the others.
    pub ids: Vec<String>,
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

/// Has an entry that the expression fits.
const WITH_ENTRY: &str = "sessions.num IN (SELECT entries.session FROM words \
                          JOIN entries ON entries.num = words.rowid WHERE words MATCH ?)";

/// The shortest part of a file's name that names a session.
pub(super) const SHORTEST_PART: usize = 6;

/// The name of the file of a session as an expression of SQL: what follows the last separator.
const FILE_NAME: &str = "substr(sessions.path, length(rtrim(sessions.path, \
     replace(replace(sessions.path, '/', ''), '\\', ''))) + 1)";

/// The shortest beginning of an id that is looked for: shorter ones begin many.
const SHORTEST_ID: usize = 4;

/// The word as the beginning of an id, where it can be one: ids are of letters, digits, `-`, `_`
/// and `:`, with a digit among them. Lists cut long ids with an ellipsis, which is copied with them.
pub fn id_beginning(word: &str) -> Option<&str> {
    let id = word.trim_end_matches('…');
    let is_of_id = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '.');
    let has_digit = id.contains(|c: char| c.is_ascii_digit());
    (id.len() >= SHORTEST_ID && has_digit && id.chars().all(is_of_id)).then_some(id)
}

/// The expression for any of these values; `None` without a word.
fn any_of(any: &[Sought]) -> Option<String> {
    let any: Vec<String> = any.iter().filter_map(Sought::expression).collect();
    (!any.is_empty()).then(|| format!("({})", any.join(" OR ")))
}

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
        if !self.newest_copy_of.is_empty() {
            let agents = vec!["?"; self.newest_copy_of.len()].join(", ");
            terms.push(format!(
                "(sessions.agent NOT IN ({agents}) OR NOT EXISTS (SELECT 1 FROM sessions AS other \
                 WHERE other.native_id = sessions.native_id AND other.agent = sessions.agent \
                 AND (coalesce(other.updated_at, 0), other.path) \
                 > (coalesce(sessions.updated_at, 0), sessions.path)))"
            ));
            let names = self
                .newest_copy_of
                .iter()
                .map(|agent| agent.name().to_owned());
            values.extend(names.map(Value::from));
        }
        if !self.projects.is_empty() {
            // A folder stands for what lies below it as well.
            let one = "(sessions.project COLLATE NOCASE = ? OR \
                       sessions.root || '/' LIKE ? ESCAPE '\\' OR sessions.cwd || '/' LIKE ? ESCAPE '\\')";
            terms.push(format!("({})", vec![one; self.projects.len()].join(" OR ")));
            for project in &self.projects {
                let name = project.trim_matches('/');
                // A word is a whole folder name anywhere on the way, as the headings of a list show it.
                let inside = if project.starts_with('/') || name.contains('/') {
                    like(&format!("{}/", project.trim_end_matches('/')))
                } else {
                    like(&format!("/{name}/"))
                };
                values.push(Value::from(name.to_owned()));
                values.push(Value::from(inside.clone()));
                values.push(Value::from(inside));
            }
        }
        if !self.worktrees.is_empty() {
            let one = "sessions.worktree LIKE ? ESCAPE '\\'";
            terms.push(format!(
                "({})",
                vec![one; self.worktrees.len()].join(" OR ")
            ));
            values.extend(self.worktrees.iter().map(|name| Value::from(like(name))));
        }
        if !self.named.is_empty() {
            let one = self.named.iter().map(|name| {
                let mut any = "substr(sessions.id, 1, length(?)) = ? \
                               OR substr(sessions.native_id, 1, length(?)) = ?"
                    .to_owned();
                values.extend(std::iter::repeat_n(Value::from(name.clone()), 4));
                if name.chars().count() >= SHORTEST_PART {
                    // The whole path first: to cut the name out of it takes twenty times as long.
                    any += &format!(
                        " OR sessions.path LIKE ? ESCAPE '\\' AND {FILE_NAME} LIKE ? ESCAPE '\\'"
                    );
                    values.extend(std::iter::repeat_n(Value::from(like(name)), 2));
                }
                any
            });
            let one: Vec<String> = one.collect();
            terms.push(format!("({})", one.join(" OR ")));
        }
        let mut text_terms: Vec<String> = Vec::new();
        for part in &self.text {
            let columns = ["title", "project", "worktree", "cwd", "path"];
            let any = columns.map(|column| format!("sessions.{column} LIKE ? ESCAPE '\\'"));
            let mut any = any.join(" OR ");
            values.extend(columns.map(|_| Value::from(like(&part.text))));
            if let Some(id) = id_beginning(&part.text) {
                any += " OR substr(sessions.id, 1, length(?)) = ? \
                        OR substr(sessions.native_id, 1, length(?)) = ?";
                values.extend(std::iter::repeat_n(Value::from(id.to_owned()), 4));
            }
            if part.also.is_empty() {
                text_terms.push(format!("({any})"));
            } else {
                text_terms.push(format!("({any} OR {ONE_OF_IDS})"));
                values.push(ids_value(&part.also));
            }
        }
        if !text_terms.is_empty() && !self.or_hits.is_empty() {
            let all = text_terms.join(" AND ");
            let hits = "sessions.num IN (SELECT value FROM json_each(?))";
            text_terms = vec![format!("(({all}) OR {hits})")];
            values.push(
                serde_json::Value::from(self.or_hits.as_slice())
                    .to_string()
                    .into(),
            );
        }
        terms.append(&mut text_terms);
        for part in &self.title {
            terms.push(format!(
                "(sessions.title LIKE ? ESCAPE '\\' OR {ONE_OF_IDS})"
            ));
            values.push(like(&part.text).into());
            values.push(ids_value(&part.also));
        }
        for any in &self.traits {
            let one = any.iter().map(|wanted| {
                let (test, name) = match wanted.part {
                    NamePart::Whole => ("name = ?", wanted.name.clone()),
                    NamePart::Beginning => {
                        let pattern = like(&wanted.name);
                        ("name LIKE ? ESCAPE '\\'", pattern[1..].to_owned())
                    }
                    NamePart::Any => ("name LIKE ? ESCAPE '\\'", like(&wanted.name)),
                };
                values.push(wanted.kind.name().to_owned().into());
                values.push(name.into());
                format!("sessions.num IN (SELECT session FROM traits WHERE kind = ? AND {test})")
            });
            let one: Vec<String> = one.collect();
            terms.push(format!("({})", one.join(" OR ")));
        }
        for range in &self.numbers {
            let column = match range.of {
                SessionNumber::Compactions => "compactions",
                SessionNumber::Errors => "errors",
                SessionNumber::Rejections => "rejections",
                SessionNumber::Tokens => "peak_context",
                SessionNumber::Cost => "cost_usd",
                SessionNumber::Entries => "entries",
            };
            let least = if range.with_from { ">=" } else { ">" };
            let most = if range.with_to { "<=" } else { "<" };
            terms.push(format!(
                "(sessions.{column} {least} ? AND sessions.{column} {most} ?)"
            ));
            values.extend([Value::from(range.from), Value::from(range.to)]);
        }
        for any in &self.entries {
            if let Some(any) = any_of(any) {
                terms.push(WITH_ENTRY.to_owned());
                values.push(any.into());
            }
        }
        let together: Vec<String> = self.together.iter().filter_map(|any| any_of(any)).collect();
        if !together.is_empty() {
            terms.push(WITH_ENTRY.to_owned());
            values.push(together.join(" AND ").into());
        }
        for either in &self.either {
            if let Some(entry) = either.entry.expression() {
                terms.push(format!("({WITH_ENTRY} OR {ONE_OF_IDS})"));
                values.push(entry.into());
                values.push(ids_value(&either.ids));
            }
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
            (
                self.before_ms,
                "coalesce(sessions.created_at, sessions.updated_at) < ?",
            ),
        ] {
            if let Some(bound) = bound {
                terms.push(term.to_owned());
                values.push(bound.into());
            }
        }
        // Between two bounds a session may have rested. Its first and newest entry answer all else,
        // without a look at the others.
        if let (Some(after), Some(before)) = (self.after_ms, self.before_ms) {
            terms.push(
                "(sessions.created_at >= ? OR sessions.updated_at < ? OR EXISTS (SELECT 1 FROM \
                 entries WHERE entries.session = sessions.num AND entries.at >= ? \
                 AND entries.at < ?))"
                    .to_owned(),
            );
            values.extend([after, before, after, before].map(Value::from));
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
                self.has_undone,
                "(sessions.num IN (SELECT session FROM traits WHERE kind = 'entry' AND name = \
                 'undone') OR sessions.native_id IN (SELECT native_id FROM sessions \
                 WHERE parent_kind = 'continues' AND parent_session = native_id))",
            ),
            (
                self.is_subagent,
                // NULL compared is NULL, which `NOT` leaves as it is: sessions without a parent
                // would be in neither list.
                "coalesce(sessions.parent_kind = 'subagent_of', 0)",
            ),
            (
                self.is_fork,
                // pi's header names the session only.
                "coalesce(sessions.parent_session IS NOT NULL AND coalesce(sessions.parent_kind, \
                 'forked_from') IN ('forked_from', 'shares_beginning'), 0)",
            ),
            (
                self.is_continuation,
                "coalesce(sessions.parent_kind = 'continues', 0)",
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
        for other in &self.without {
            let (condition, own) = other.sql();
            // Of a session without a title nothing can be said of its title: it is kept.
            terms.push(format!("NOT coalesce(({condition}), 0)"));
            values.extend(own);
        }
        if terms.is_empty() {
            // `WHERE 1`, so that callers need no second statement.
            ("1".to_owned(), values)
        } else {
            (terms.join(" AND "), values)
        }
    }
}
