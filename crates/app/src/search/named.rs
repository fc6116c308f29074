//! What is called as a query says: sessions, runs, saved prompts and writes.
//!
//! Ids are copied from lists, reports and messages. Entries are found by theirs in [`super::search`];
//! all else with an id or a name is found here, so that each of them leads somewhere.

use super::query::Query;
use palimpsest_core::title::title_of_prompt;
use palimpsest_store::index::{SessionFilter, SessionRow, id_beginning};
use palimpsest_store::{IndexReader, StoreError, UserDb};

/// So many of a kind are shown for the beginning of an id.
const MOST_SHOWN: usize = 5;
const MOST: u64 = MOST_SHOWN as u64;
/// The shortest word that is looked for in the names of files.
const SHORTEST_FILE: usize = 6;

/// What an id names, besides an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamedKind {
    /// A session.
    Session,
    /// A run.
    Run,
    /// A version of a saved prompt.
    Prompt,
    /// A session that Palimpsest wrote, or an addition to one.
    Write,
    /// A session that goes on in another file without some of its turns.
    TakenBack,
}

/// Something with the id that a query consists of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// What it is.
    pub kind: NamedKind,
    /// Its id; `NAME@VERSION` of a prompt.
    pub id: String,
    /// The session it belongs to, by its stable id.
    pub session_id: Option<String>,
    /// The title of that session; of a prompt its first words.
    pub title: String,
    /// What is known of it beside the title: strategy, model and state of a run, the file of a write.
    pub about: String,
    /// False for a run without a summary: failed, cancelled or still running.
    pub has_summary: bool,
    /// When it was made; of a session its newest entry. Unix milliseconds.
    pub at_ms: Option<i64>,
}

/// What the only word of a query names. A query that says more looks for text.
pub(super) fn named(
    reader: &IndexReader,
    user: Option<&UserDb>,
    query: &Query,
) -> Result<Vec<Named>, StoreError> {
    let ([word], true, true) = (
        &*query.words,
        query.fields.is_empty(),
        query.filter == SessionFilter::default(),
    ) else {
        return Ok(Vec::new());
    };
    let mut found = Vec::new();
    let id = id_beginning(&word.text);
    if let Some(id) = id {
        let sessions = reader.sessions_by_prefix(id, MOST)?;
        found.extend(sessions.into_iter().map(of_session));
    }
    if found.is_empty() && id.is_some() {
        let files = files_called(reader, &word.text)?;
        found.extend(files.into_iter().map(of_session));
    }
    let Some(user) = user else { return Ok(found) };
    let titles = user.titles()?;
    for one in &mut found {
        if let Some(title) = titles.get(&one.id) {
            one.title.clone_from(title);
        }
    }
    let title_of = |session: &str| -> Result<String, StoreError> {
        if let Some(own) = titles.get(session) {
            return Ok(own.clone());
        }
        let row = reader.session_by_id(session)?;
        Ok(row.and_then(|row| row.title).unwrap_or_default())
    };
    if let Some(id) = id {
        for run in user.runs_by_prefix(id, MOST)? {
            found.push(Named {
                kind: NamedKind::Run,
                title: title_of(&run.session_id)?,
                about: run_words(&run.strategy, &run.model, run.status.name()),
                has_summary: run.summary.is_some(),
                id: run.id,
                session_id: Some(run.session_id),
                at_ms: Some(run.started_at_ms),
            });
        }
        let written = user.written()?.into_iter();
        let written = written.filter(|write| write.id.starts_with(id));
        for write in written.take(MOST_SHOWN) {
            found.push(Named {
                kind: NamedKind::Write,
                title: title_of(&write.session_id)?,
                about: write.path,
                has_summary: true,
                id: write.id,
                session_id: Some(write.session_id),
                at_ms: Some(write.written_at_ms),
            });
        }
    }
    let prompts = user.prompts()?.into_iter().filter(|prompt| {
        let is_hash = id.is_some_and(|id| prompt.content_hash.starts_with(id));
        let (name, version) = match word.text.rsplit_once('@') {
            Some((name, version)) => (name, version.parse().ok()),
            None => (&*word.text, None),
        };
        let is_version = version.is_none_or(|version: u32| version == prompt.version);
        is_hash || is_version && prompt.name.eq_ignore_ascii_case(name)
    });
    // The newest version is what a name means.
    let mut prompts: Vec<_> = prompts.collect();
    prompts.sort_by_key(|prompt| std::cmp::Reverse(prompt.created_at_ms));
    found.extend(prompts.into_iter().take(MOST_SHOWN).map(|prompt| Named {
        kind: NamedKind::Prompt,
        id: format!("{}@{}", prompt.name, prompt.version),
        session_id: None,
        title: title_of_prompt(&prompt.text).unwrap_or_default(),
        about: prompt.origin.strategy.unwrap_or_default(),
        has_summary: true,
        at_ms: Some(prompt.created_at_ms),
    }));
    Ok(found)
}

/// The session whose file has the only word of a query as its name, without the endings. All files are
/// looked through, so it is asked where no entry has the word.
pub(super) fn named_by_file(
    reader: &IndexReader,
    user: Option<&UserDb>,
    query: &Query,
) -> Result<Option<Named>, StoreError> {
    let [word] = &*query.words else {
        return Ok(None);
    };
    if !query.fields.is_empty() || query.filter != SessionFilter::default() {
        return Ok(None);
    }
    let found = files_called(reader, &word.text)?;
    let is_stem = |row: &SessionRow| stem(&row.path) == word.text;
    let found = found.filter(is_stem).map(of_session);
    let Some(mut found) = found else {
        return Ok(None);
    };
    if let Some(user) = user
        && let Some(title) = user.titles()?.remove(&found.id)
    {
        found.title = title;
    }
    Ok(Some(found))
}

/// The only session whose file is called so or has it in its name.
fn files_called(reader: &IndexReader, name: &str) -> Result<Option<SessionRow>, StoreError> {
    if name.chars().count() < SHORTEST_FILE {
        return Ok(None);
    }
    let mut files = reader.sessions_by_file(name, 2)?;
    Ok(files.pop().filter(|_| files.is_empty()))
}

/// The name of a file without its endings.
fn stem(path: &str) -> &str {
    let name = path.rsplit_once(['/', '\\']).map_or(path, |(_, name)| name);
    name.split_once('.').map_or(name, |(stem, _)| stem)
}

pub(super) fn of_session(row: SessionRow) -> Named {
    Named {
        kind: NamedKind::Session,
        session_id: Some(row.id.clone()),
        id: row.id,
        title: row.title.unwrap_or_default(),
        about: format!("{}, {}", row.agent, row.project),
        has_summary: true,
        at_ms: row.updated_at_ms,
    }
}

/// A run without a model was made by the offline summarizer.
fn run_words(strategy: &str, model: &str, status: &str) -> String {
    let by = if model.is_empty() { "" } else { ", " };
    format!("{strategy}{by}{model}, {status}")
}
