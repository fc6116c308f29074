//! Recorded summary requests against the plans of the agents' presets.
//!
//! Each request is compared with the plan that the preset of its agent makes at the entry where it
//! was sent: messages by role and place, texts as they are. The agents' prompts are theirs: they are
//! compared by role and place, and so is what is cut out of the records.

mod after;
mod claude_code;
mod codex;
mod copilot;
mod factory_droid;
mod mux;
mod opencode;
mod pi;
mod planned;
mod recorded;

use crate::requests::{Request, read_requests, sample};
use crate::tally::Case;
use palimpsest_app::MachineDisk;
use palimpsest_formats::{Disk as _, InMemory, sniff};
use recorded::Recorded;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// How one summary request compares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The agent, by the name of its folder.
    pub agent: String,
    /// The file of requests, below the folder of requests.
    pub file: String,
    /// Its number in the file.
    pub request: u32,
    /// What differs, in words; none where the request is equal or was not compared.
    pub differences: Vec<String>,
    /// Why it was not compared.
    pub missing: Option<String>,
    /// What differs in the first request with its summary; `None` where that was not compared.
    pub after: Option<Vec<String>>,
}

impl Row {
    /// Why it is not equal; `None` where it is.
    fn why_not(&self) -> Option<&str> {
        let first = self.differences.first();
        self.missing.as_deref().or(first.map(String::as_str))
    }
}

/// The summary requests of one agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The agent.
    pub agent: String,
    /// Number of its summary requests.
    pub requests: usize,
    /// Of these, equal ones.
    pub equal: usize,
    /// Why the others are not, with their numbers.
    pub others: Vec<String>,
    /// Number of compactions whose next request was compared.
    pub after: usize,
    /// Of these, those with an equal one.
    pub equal_after: usize,
}

type Compare = fn(&Recorded<'_>, &mut Case);

/// The agents whose sessions are read, with the end of their sessions' names and the comparison of a
/// summary request.
const AGENTS: &[(&str, &str, Compare)] = &[
    ("pi", ".jsonl", pi::compare),
    ("claude-code", ".jsonl", claude_code::compare),
    ("codex", ".jsonl", codex::compare),
    ("copilot", "/events.jsonl", copilot::compare),
    ("opencode", ".export.json", opencode::compare),
    ("factory-droid", ".jsonl", factory_droid::compare),
    ("mux", "/chat.jsonl", mux::compare),
];

/// The agents of whose plans the next request is compared as well.
const AFTER: &[(&str, Compare)] = &[
    ("copilot", copilot::after),
    ("factory-droid", factory_droid::after),
    ("mux", mux::after),
];

/// All recorded summary requests below `shared`, by agent, file and number. What cannot be read is a
/// row that says so.
pub fn rows(shared: &Path) -> Vec<Row> {
    let root = shared.join("oracle/requests");
    let mut files = Vec::new();
    for agent in folders(&root) {
        for version in folders(&agent) {
            let found = MachineDisk.list(&version).unwrap_or_default();
            let is_recorded = |path: &PathBuf| name_of(path).ends_with(".requests.jsonl");
            files.extend(found.into_iter().filter(is_recorded));
        }
    }
    files.sort();
    files
        .iter()
        .flat_map(|file| of_file(shared, &root, file))
        .collect()
}

/// The rows by agent.
pub fn table(rows: &[Row]) -> Vec<Line> {
    let mut agents: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for row in rows {
        agents.entry(&row.agent).or_default().push(row);
    }
    let lines = agents.into_iter().map(|(agent, rows)| {
        let mut others: BTreeMap<&str, usize> = BTreeMap::new();
        for why in rows.iter().filter_map(|row| row.why_not()) {
            *others.entry(why).or_default() += 1;
        }
        let others = others.into_iter();
        Line {
            agent: agent.to_owned(),
            requests: rows.len(),
            equal: rows.iter().filter(|row| row.why_not().is_none()).count(),
            others: others
                .map(|(why, count)| format!("{count}: {why}"))
                .collect(),
            after: rows.iter().filter(|row| row.after.is_some()).count(),
            equal_after: rows
                .iter()
                .filter(|row| row.after.as_ref().is_some_and(Vec::is_empty))
                .count(),
        }
    });
    lines.collect()
}

fn folders(root: &Path) -> Vec<PathBuf> {
    let mut found = MachineDisk.list(root).unwrap_or_default();
    found.retain(|path| path.is_dir());
    found.sort();
    found
}

fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

fn of_file(shared: &Path, root: &Path, file: &Path) -> Vec<Row> {
    let below = file.strip_prefix(root).unwrap_or(file);
    let part = |at: usize| {
        let part = below.iter().nth(at).unwrap_or_default();
        part.to_string_lossy().into_owned()
    };
    let (agent, version) = (part(0), part(1));
    let row = |request: u32| Row {
        agent: agent.clone(),
        file: below.display().to_string(),
        request,
        differences: Vec::new(),
        missing: None,
        after: None,
    };
    let missing = |request: u32, why: &str| Row {
        missing: Some(why.to_owned()),
        ..row(request)
    };
    let all = match read_requests(file) {
        Ok(all) => all,
        Err(error) => return vec![missing(0, &format!("the record cannot be read: {error}"))],
    };
    let summaries: Vec<&Request> = all.iter().filter(|own| own.kind == "summary").collect();
    if summaries.is_empty() {
        return Vec::new();
    }
    let none = |why: &str| {
        summaries
            .iter()
            .map(|own| missing(own.request, why))
            .collect()
    };
    let Some((_, ending, compare)) = AGENTS.iter().find(|(name, ..)| *name == agent) else {
        return none("sessions of this agent are not read");
    };
    let stem = part(2);
    let stem = stem.strip_suffix(".requests.jsonl").unwrap_or(&stem);
    let Some(session) = session_of(shared, &agent, &version, (stem, ending)) else {
        return none("no session in the samples");
    };
    let ours = match open(&session) {
        Ok(ours) => ours,
        Err(error) => return none(&format!("the session cannot be read: {error}")),
    };
    let rows = summaries.into_iter().map(|request| {
        let mut case = Case::new(String::new());
        let recorded = Recorded {
            ours: &ours,
            version: &version,
            all: &all,
            request,
        };
        compare(&recorded, &mut case);
        let after = AFTER.iter().find(|(name, _)| *name == agent);
        let after = after.map(|(_, after)| {
            let mut case = Case::new(String::new());
            after(&recorded, &mut case);
            in_words(&case)
        });
        Row {
            differences: in_words(&case),
            after,
            ..row(request.request)
        }
    });
    rows.collect()
}

fn in_words(case: &Case) -> Vec<String> {
    let words = case.differences().iter();
    let words = words.map(|own| own.trim_start_matches(": ").to_owned());
    words.collect()
}

/// The sample called `stem` that this version wrote: in `generated-VERSION`, or in a folder of a
/// further run with a letter behind.
fn session_of(
    shared: &Path,
    agent: &str,
    version: &str,
    (stem, ending): (&str, &str),
) -> Option<PathBuf> {
    let first = format!("generated-{version}");
    let further = format!("{first}-");
    let of_version = |folder: &PathBuf| {
        let own = name_of(folder);
        own == first || own.starts_with(&further)
    };
    let samples = folders(&shared.join("samples").join(agent)).into_iter();
    let mut places = samples
        .filter(of_version)
        .map(|folder| sample(&folder, stem, ending));
    places.find(|path| path.exists())
}

/// Opens the session in a file of any agent.
pub(crate) fn open(path: &Path) -> io::Result<InMemory> {
    let head = MachineDisk.read(path, 64 << 10)?;
    let unknown = || io::Error::new(io::ErrorKind::InvalidData, "no agent's session is in it");
    let format = sniff(path, &head).ok_or_else(unknown)?;
    let address = path.to_string_lossy();
    match format.assembly(path, &head) {
        Some(assembly) => InMemory::assembled(format, assembly, &address, &MachineDisk),
        None => Ok(InMemory::read(format, &address, std::fs::read(path)?)),
    }
}
