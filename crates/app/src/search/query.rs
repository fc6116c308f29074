//! The query language. Any text is a query. A filter whose value makes no sense finds nothing, and
//! a word with a colon that is no filter is a word; both are said.
//!
//! | written | means |
//! | --- | --- |
//! | `word other` | entries with both words, case ignored |
//! | `word*` | words that begin so |
//! | `"two words"`, `read_file`, `src/a.rs` | these words one after the other |
//! | `-word`, `-"two words"`, `-tool:bash` | entries without |
//! | `tool:bash` | entries that call a tool or are its result; several: any of them |
//! | `kind:user` | entries of a kind (see [`super::values`]); several: any of them |
//! | `cmd:pytest`, `cmd:"git push"` | entries that run such a shell command, and its results |
//! | `file:src/a.rs` | entries whose calls and shell commands name such a file, and their results |
//! | `agent:pi` | sessions of an agent; several: any of them |
//! | `project:courier`, `project:/home/dev/courier` | sessions of a project, by name or by folder; several: any |
//! | `model:opus`, `branch:main` | sessions with replies of a model, on a git branch; several: any |
//! | `worktree:fix` | sessions in a worktree of the repository whose name has it; several: any |
//! | `title:dates` | sessions whose title has it |
//! | `path:src/` | sessions whose tools touched such a file |
//! | `compactions:>1`, `errors:>5`, `rejected:>2`, `tokens:>100k`, `cost:>1`, `entries:2..50` | sessions by a number |
//! | `has:compaction`, `has:branch`, `has:error`, `has:warning` | and `-has:...` for those without |
//! | `has:image`, `has:rejected`, `has:undone` | sessions with an image, with a call that the user rejected, with entries taken back |
//! | `has:failed-test`, `has:reread` | sessions whose outputs show failed tests, that read a file again after a compaction |
//! | `has:open-todo`, `has:subagent` | sessions that left something to do open, that started subagents |
//! | `is:starred`, `has:star` | sessions the user put a star on; `-is:starred` the others |
//! | `has:note`, `has:label` | sessions with a note or label of the user, on them or on an entry |
//! | `note:flaky`, `note:"two words"` | sessions with a note that has it |
//! | `label:todo` | sessions with a label of the user, or one that the agent stores, that has it |
//! | `is:fork` | sessions forked from another one; `-is:fork` the others |
//! | `is:continuation` | sessions that continue another one |
//! | `session:70d782f7` | the session with this id, or with this in its file's name; several: any |
//! | `is:subagent` | sessions that another session's agent started; `-is:subagent` the others |
//! | `after:2026-10`, `before:2026-10-15`, `since:7d` | entries written in that time, UTC |
//!
//! A list of sessions under a filter of entries, or under a time, has the sessions with such an
//! entry.

pub(in crate::search) mod pieces;

use super::meant::{meant, meant_by_name, told};
use super::values::{HAS, IS, kind, listed, range, since};
use crate::clock::now_ms;
use crate::error::AppError;
use crate::index::{kind_term, own_kind_term};
use palimpsest_core::failure::NextStep;
use palimpsest_core::flag::Flag;
use palimpsest_core::words::similar;
use palimpsest_formats::{agent_named, formats};
use palimpsest_store::index::terms::terms;
use palimpsest_store::index::{
    Field, NamePart, SessionFilter, SessionNumber, SessionWord, Sought, TraitFilter, TraitKind,
};
use pieces::{NAMES, Piece, next_piece};

/// A query, understood as far as it goes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Query {
    /// What must occur.
    pub words: Vec<Word>,
    /// What must not.
    pub without: Vec<Word>,
    /// What else entries must have: of each list one value.
    pub fields: Vec<Vec<Sought>>,
    /// What else they must not have.
    pub no_fields: Vec<Sought>,
    /// True when it says with `is:` which sessions it wants by what they are.
    pub says_is: bool,
    /// True when it asks for flags, which are read from the sessions when somebody asks.
    pub asks_for_flags: bool,
    /// Which sessions.
    pub filter: SessionFilter,
    /// Which sessions by the marks of the user.
    pub marks: MarkFilter,
    /// What has another effect than it says, in words.
    pub ignored: Vec<String>,
    /// Filters whose value makes no sense, in words.
    pub not_understood: Vec<String>,
}

/// What is asked of the user's marks. Empty fields do not restrict.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MarkFilter {
    /// Has a star (true) or none (false).
    pub starred: Option<bool>,
    /// Has a note, on it or on an entry (true), or none (false).
    pub has_note: Option<bool>,
    /// Has a label, on it or on an entry (true), or none (false).
    pub has_label: Option<bool>,
    /// For each of these, some note has it, case ignored.
    pub notes: Vec<Word>,
    /// For each of these, some label has it, case ignored.
    pub labels: Vec<Word>,
}

impl MarkFilter {
    /// True when nothing is filtered out.
    pub fn is_empty(&self) -> bool {
        *self == MarkFilter::default()
    }
}

/// A word or several that follow each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// As written, without quotes; a `*` at the end stands for the rest of a word.
    pub text: String,
}

impl Word {
    /// True when it is more than one word to the index.
    pub fn is_phrase(&self) -> bool {
        terms(&self.text).len() > 1
    }
}

/// Longest query that is searched, in bytes. Every word is a list of entries to be joined, and what
/// is typed has some tens of them; a text that was pasted by mistake would hold the index for minutes.
const MOST_BYTES: usize = 4_096;

/// Refuses a query that is too long.
///
/// Errors: [`AppError::BadRequest`] with both lengths.
pub fn check_length(text: &str) -> Result<(), AppError> {
    if text.len() <= MOST_BYTES {
        return Ok(());
    }
    let message = format!(
        "the query has {} bytes, and at most {MOST_BYTES} are searched",
        text.len()
    );
    Err(AppError::bad_request(message, NextStep::ShortenQuery))
}

impl Query {
    /// Reads a query.
    pub fn parse(text: &str) -> Query {
        Query::parse_at(text, now_ms())
    }

    /// Reads a query at a time, which `since:` is relative to.
    pub fn parse_at(text: &str, now_ms: i64) -> Query {
        let mut query = Query::default();
        let mut rest = text.trim_start();
        while !rest.is_empty() {
            let (piece, after) = next_piece(rest, &mut query.ignored);
            rest = after.trim_start();
            query.take(&piece, now_ms);
        }
        query.tell_of_either();
        query
    }

    /// Says which filters mean either of several values where an entry or a session can have more than
    /// one. A session has one agent and one project, so that of these nothing else could be meant.
    fn tell_of_either(&mut self) {
        let of_field = |field: Field| {
            let lists = self.fields.iter();
            lists.map(move |list| list.iter().filter(|own| own.field == field).count())
        };
        let of_trait = |kind: TraitKind| {
            let lists = self.filter.traits.iter();
            lists.map(move |list| list.iter().filter(|own| own.kind == kind).count())
        };
        let counts = [
            ("tool", of_field(Field::Tool).max()),
            ("kind", of_field(Field::Kind).max()),
            ("model", of_trait(TraitKind::Model).max()),
            ("branch", of_trait(TraitKind::Branch).max()),
        ];
        for (name, count) in counts {
            if count.is_some_and(|count| count > 1) {
                self.ignored.push(format!(
                    "several {name}: filters find what has any of them, not all"
                ));
            }
        }
    }

    /// True when it asks for entries, not only for sessions.
    pub fn asks_for_entries(&self) -> bool {
        !self.words.is_empty() || !self.fields.is_empty()
    }

    /// Its words as one phrase, in their order; `None` for a single word, and where a word in the middle
    /// is only the beginning of one.
    pub(super) fn as_phrase(&self) -> Option<Word> {
        let (_, before) = self.words.split_last()?;
        if before.is_empty() || before.iter().any(|word| word.text.ends_with('*')) {
            return None;
        }
        let words: Vec<&str> = self.words.iter().map(|word| &*word.text).collect();
        Some(Word {
            text: words.join(" "),
        })
    }

    /// True when nothing of it is left: it was empty, or all of it was ignored.
    pub fn is_empty(&self) -> bool {
        let ignored = self.ignored.clone();
        *self
            == Query {
                ignored,
                ..Query::default()
            }
    }

    /// The numbers of sessions that it asks for, each once, in order.
    pub(super) fn numbers(&self) -> Vec<SessionNumber> {
        let filter = &self.filter;
        let excluded = filter.without.iter().flat_map(|own| &own.numbers);
        let named = filter.numbers.iter().chain(excluded).map(|range| range.of);
        let has = [
            (filter.has_error, SessionNumber::Errors),
            (filter.has_compaction, SessionNumber::Compactions),
        ];
        let has = has.into_iter().filter(|(has, _)| has.is_some());
        let mut numbers = Vec::new();
        for number in named.chain(has.map(|(_, number)| number)) {
            if !numbers.contains(&number) {
                numbers.push(number);
            }
        }
        numbers
    }

    fn take(&mut self, piece: &Piece<'_>, now_ms: i64) {
        let name = piece.name.map(str::to_ascii_lowercase);
        match name.as_deref() {
            Some(name) if !NAMES.contains(&name) => self.word_with_colon(name, piece),
            // Its value is still to be typed.
            Some(name) if piece.value.is_empty() => {
                let values = self.values_told(name, piece, now_ms);
                self.ignored.push(format!(
                    "{} has no value and was ignored{values}",
                    piece.written
                ));
            }
            Some(name) => {
                if let Err(reason) = self.filter_by(name, piece, now_ms) {
                    let meant = match name {
                        _ if piece.value.is_empty() => String::new(),
                        "kind" | "has" | "is" | "flag" => told(&meant(name, piece.value)),
                        _ => String::new(),
                    };
                    self.not_understood.push(format!(
                        "'{}' is not understood: {meant}{reason}",
                        piece.written
                    ));
                }
            }
            None => self.word(piece),
        }
    }

    /// The values of a filter with a closed list of them, as a value that makes no sense is told them.
    fn values_told(&self, name: &str, piece: &Piece<'_>, now_ms: i64) -> String {
        match name {
            "kind" | "has" | "is" | "flag" => self
                .clone()
                .filter_by(name, piece, now_ms)
                .err()
                .map_or_else(String::new, |reason| format!(": {reason}")),
            _ => String::new(),
        }
    }

    /// A word with a colon whose first part is no filter, such as `fn:main`.
    fn word_with_colon(&mut self, name: &str, piece: &Piece<'_>) {
        let known: Vec<String> = NAMES.iter().map(|name| format!("{name}:")).collect();
        let mut near = similar(&format!("{name}:"), &known);
        near.truncate(1);
        // A number behind what sessions have or have not is no name of one.
        let by_value = meant_by_name(name);
        let is_number = piece.value.starts_with(['<', '>', '=']);
        let near: Vec<String> = if is_number && !by_value.is_empty() {
            by_value
        } else {
            near.into_iter().chain(by_value).collect()
        };
        let near = match near.as_slice() {
            [] => String::new(),
            [one] => format!("; a similar one is {one}"),
            several => {
                let several: Vec<&str> = several.iter().map(String::as_str).collect();
                format!("; similar ones are {}", listed(&several))
            }
        };
        self.ignored.push(format!(
            "{} was searched as text, because no filter is called {name}:{near}",
            piece.written,
        ));
        let text = piece.written.trim_start_matches('-').replace('"', "");
        self.word(&Piece {
            negated: piece.negated,
            name: None,
            value: &text,
            quoted: piece.quoted,
            written: piece.written,
        });
    }

    fn word(&mut self, piece: &Piece<'_>) {
        if terms(piece.value).is_empty() {
            if !piece.value.is_empty() || piece.quoted || piece.negated {
                self.ignored
                    .push(format!("{} has no word and was ignored", piece.written));
            }
            return;
        }
        let text = if piece.quoted {
            // A star inside quotes is a character that separates words.
            piece.value.trim_end_matches('*').to_owned()
        } else {
            piece.value.to_owned()
        };
        let list = if piece.negated {
            &mut self.without
        } else {
            &mut self.words
        };
        list.push(Word { text });
    }

    fn filter_by(&mut self, name: &str, piece: &Piece<'_>, now_ms: i64) -> Result<(), String> {
        let value = piece.value;
        let word = || Word {
            text: value.to_owned(),
        };
        match name {
            "tool" => return self.field(Field::Tool, piece, value),
            "cmd" => return self.field(Field::Command, piece, value),
            "file" => return self.field(Field::File, piece, value),
            "kind" => {
                let kind = match kind(value) {
                    Ok(kind) => kind_term(kind).into_owned(),
                    // Agents' own names of records have several parts.
                    Err(_) if value.contains(['_', '.', '-']) => {
                        let near = meant(name, value);
                        let near = near.first().map(|own| format!("; a similar one is {own}"));
                        self.ignored.push(format!(
                            "{} is no common kind; records that an agent calls so were searched{}",
                            piece.written,
                            near.unwrap_or_default()
                        ));
                        own_kind_term(value)
                    }
                    Err(reason) => return Err(reason),
                };
                return self.field(Field::Kind, piece, &kind);
            }
            "note" | "label" if piece.negated => {
                let all = format!("{name}: cannot be excluded; -has:{name} excludes all");
                return Err(all);
            }
            "note" if terms(value).is_empty() => return Err("there is no word in it".to_owned()),
            "note" => self.marks.notes.push(word()),
            "label" => self.marks.labels.push(word()),
            "flag" => return self.flag(value, !piece.negated),
            "has" => return self.has(value, !piece.negated),
            "is" => return self.is(value, !piece.negated),
            _ => {
                let mut own = SessionFilter::default();
                let filter = if piece.negated {
                    &mut own
                } else {
                    &mut self.filter
                };
                session_filter(filter, name, value, now_ms)?;
                if piece.negated {
                    self.filter.without.push(own);
                }
            }
        }
        Ok(())
    }

    fn field(&mut self, field: Field, piece: &Piece<'_>, text: &str) -> Result<(), String> {
        if terms(text).is_empty() {
            return Err("there is no word in it".to_owned());
        }
        let sought = Sought {
            field,
            text: text.to_owned(),
        };
        if piece.negated {
            self.no_fields.push(sought);
            return Ok(());
        }
        // An entry has one kind and mostly one tool: two of them mean either.
        let either = matches!(field, Field::Tool | Field::Kind);
        let same = |list: &&mut Vec<Sought>| list.iter().all(|own| own.field == field);
        match self.fields.iter_mut().find(same) {
            Some(list) if either => list.push(sought),
            _ => self.fields.push(vec![sought]),
        }
        Ok(())
    }

    fn has(&mut self, value: &str, wanted: bool) -> Result<(), String> {
        let (filter, wanted) = (&mut self.filter, Some(wanted));
        // `has:error` and `has:errors` are both written.
        match value.to_lowercase().trim_end_matches('s') {
            "compaction" => filter.has_compaction = wanted,
            "branch" | "branche" => filter.has_branch = wanted,
            "error" => filter.has_error = wanted,
            "warning" => filter.has_warning = wanted,
            "undone" => filter.has_undone = wanted,
            "star" => self.marks.starred = wanted,
            "note" => self.marks.has_note = wanted,
            "label" => self.marks.has_label = wanted,
            kind @ ("image" | "rejected" | "failed-test" | "reread" | "open-todo" | "subagent") => {
                let sought = TraitFilter {
                    kind: TraitKind::Entry,
                    name: own_kind_term(kind),
                    part: NamePart::Whole,
                };
                let has = SessionFilter {
                    traits: vec![vec![sought]],
                    ..SessionFilter::default()
                };
                if wanted == Some(true) {
                    filter.traits.extend(has.traits);
                } else {
                    filter.without.push(has);
                }
            }
            _ => {
                return Err(format!("the values are {}", listed(&HAS)));
            }
        }
        Ok(())
    }

    fn flag(&mut self, value: &str, wanted: bool) -> Result<(), String> {
        let value = value.to_lowercase().replace('_', "-");
        let flags: Vec<Flag> = match value.as_str() {
            "any" => Flag::ALL.to_vec(),
            name => Vec::from_iter(Flag::from_name(name)),
        };
        if flags.is_empty() {
            let names: Vec<&str> = Flag::ALL.into_iter().map(Flag::name).collect();
            return Err(format!("the flags are {} and any", names.join(", ")));
        }
        let sought = |flag: Flag| TraitFilter {
            kind: TraitKind::Flag,
            name: flag.name().to_owned(),
            part: NamePart::Whole,
        };
        let has = SessionFilter {
            traits: vec![flags.into_iter().map(sought).collect()],
            ..SessionFilter::default()
        };
        self.asks_for_flags = true;
        if wanted {
            self.filter.traits.extend(has.traits);
        } else {
            self.filter.without.push(has);
        }
        Ok(())
    }

    fn is(&mut self, value: &str, wanted: bool) -> Result<(), String> {
        match value.to_lowercase().as_str() {
            "subagent" => self.filter.is_subagent = Some(wanted),
            "starred" => self.marks.starred = Some(wanted),
            "fork" => self.filter.is_fork = Some(wanted),
            "continuation" | "continued" => self.filter.is_continuation = Some(wanted),
            _ => {
                return Err(format!("the values are {}", listed(&IS)));
            }
        }
        self.says_is = true;
        Ok(())
    }

    /// True when each entry found is of this kind.
    pub(super) fn asks_for_kind(&self, kind: &str) -> bool {
        let kind = kind_term(kind);
        let is_it = |own: &Sought| own.field == Field::Kind && own.text == kind;
        let mut lists = self.fields.iter();
        lists.any(|list| !list.is_empty() && list.iter().all(is_it))
    }

    /// What is looked for in texts: the words, and the commands and files that must be there, which
    /// are in the text of their call as well.
    pub(super) fn in_text(&self) -> Vec<Word> {
        let named = self.named_in_calls();
        self.words.iter().cloned().chain(named).collect()
    }

    /// The commands and files that must be there.
    pub(super) fn named_in_calls(&self) -> Vec<Word> {
        let said = |list: &Vec<Sought>| match list.as_slice() {
            [own] if matches!(own.field, Field::Command | Field::File) => Some(Word {
                text: own.text.clone(),
            }),
            _ => None,
        };
        self.fields.iter().filter_map(said).collect()
    }

    /// The filters of entries as filters of sessions with such an entry.
    pub(super) fn of_entries(&self, filter: &mut SessionFilter) {
        for list in &self.fields {
            with_entry(filter, list);
        }
        // Each filter alone is quick to look up, and several mean one entry that fits all.
        if self.fields.len() > 1 {
            filter.together.extend(self.fields.iter().cloned());
        }
        for sought in &self.no_fields {
            let mut without = SessionFilter::default();
            with_entry(&mut without, std::slice::from_ref(sought));
            filter.without.push(without);
        }
    }
}

/// Requires an entry with one of these values, which are of one field.
fn with_entry(filter: &mut SessionFilter, list: &[Sought]) {
    let single = |sought: &Sought| (terms(&sought.text).len() == 1).then(|| sought.text.clone());
    let kind = match list.first().map(|sought| sought.field) {
        Some(Field::Tool) => TraitKind::Tool,
        Some(Field::Kind) => TraitKind::Entry,
        // Which files a session touched is a table of its own, and quicker to look up.
        Some(Field::File) => {
            let paths = list.iter().map(|own| own.text.trim_matches('*').to_owned());
            return filter.touched.extend(paths);
        }
        _ => return filter.entries.push(list.to_vec()),
    };
    let traits: Option<Vec<TraitFilter>> = list
        .iter()
        .map(|sought| {
            let name = single(sought)?;
            Some(TraitFilter {
                kind,
                part: match name.strip_suffix('*') {
                    Some(_) => NamePart::Beginning,
                    None => NamePart::Whole,
                },
                name: name.trim_end_matches('*').to_owned(),
            })
        })
        .collect();
    match traits {
        Some(traits) => filter.traits.push(traits),
        None => filter.entries.push(list.to_vec()),
    }
}

/// Adds a filter of sessions by its name.
fn session_filter(
    filter: &mut SessionFilter,
    name: &str,
    value: &str,
    now_ms: i64,
) -> Result<(), String> {
    let named = |kind: TraitKind| TraitFilter {
        kind,
        name: value.trim_matches('*').to_owned(),
        part: NamePart::Any,
    };
    match name {
        "agent" => {
            let name = value.to_lowercase();
            let known = || formats().iter().map(|format| format.agent());
            // `agent:claude` is what people type for claude-code, `agent:droid` for factory-droid.
            let mut agents: Vec<_> = match agent_named(&name) {
                Some(agent) => vec![agent],
                None => known().filter(|own| own.name().contains(&name)).collect(),
            };
            agents.dedup();
            if agents.is_empty() {
                let mut names: Vec<&str> = known().map(|agent| agent.name()).collect();
                names.dedup();
                let names = names.join(", ");
                return Err(format!(
                    "there is no agent '{value}'; the agents are {names}"
                ));
            }
            filter.agents.extend(agents);
        }
        // Lists cut long ids with an ellipsis, which is copied with them.
        "session" => filter.named.push(value.trim_end_matches('…').to_owned()),
        "project" => filter.projects.push(value.to_owned()),
        "title" => filter.title.push(SessionWord {
            text: value.trim_end_matches('*').to_owned(),
            also: Vec::new(),
        }),
        "path" => filter.touched.push(value.to_owned()),
        "model" => any_of(filter, named(TraitKind::Model)),
        "branch" => any_of(filter, named(TraitKind::Branch)),
        "worktree" => filter.worktrees.push(value.trim_matches('*').to_owned()),
        "compactions" => filter
            .numbers
            .push(range(SessionNumber::Compactions, value)?),
        "errors" => filter.numbers.push(range(SessionNumber::Errors, value)?),
        "rejected" => filter
            .numbers
            .push(range(SessionNumber::Rejections, value)?),
        "tokens" => filter.numbers.push(range(SessionNumber::Tokens, value)?),
        "cost" => filter.numbers.push(range(SessionNumber::Cost, value)?),
        "entries" => filter.numbers.push(range(SessionNumber::Entries, value)?),
        // The narrower of several wins.
        "after" | "since" => {
            filter.after_ms = filter.after_ms.max(Some(since(value, now_ms)?));
        }
        "before" => {
            let start = since(value, now_ms)?;
            filter.before_ms = Some(filter.before_ms.map_or(start, |old| old.min(start)));
        }
        other => return Err(format!("no filter is called {other}:")),
    }
    Ok(())
}

/// Adds a trait to the others of its kind, of which a session has one.
fn any_of(filter: &mut SessionFilter, wanted: TraitFilter) {
    let same = |list: &&mut Vec<TraitFilter>| list.iter().all(|own| own.kind == wanted.kind);
    match filter.traits.iter_mut().find(same) {
        Some(list) => list.push(wanted),
        None => filter.traits.push(vec![wanted]),
    }
}

#[cfg(test)]
mod tests;
