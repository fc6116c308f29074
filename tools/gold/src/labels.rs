//! Facts of real compactions as two people labelled them by hand, read from `tests/gold`.
//!
//! The files hold positions and hashes and no text: a label is read back from the sample it was
//! made on, and refused where the sample says something else there.

use crate::error::GoldError;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// One compaction and its labels.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileRecord {
    /// The sample, below `samples` of the shared folder.
    source: String,
    /// 1-based line of the summary.
    summary_line: usize,
    half: Half,
    /// Which draw of stretches; a later one is labelled on stretches that no rule was made on.
    #[serde(default = "first_draw")]
    draw: u8,
    /// True for a session that was never compacted: its first entries up to `summary_line` are held
    /// against no summary, and only what is found is measured.
    #[serde(default)]
    uncompacted: bool,
    /// True where only what was needed later is labelled, by reading what came after the summary, with
    /// the facts that a ledger claimed to be needed.
    #[serde(default)]
    needs: bool,
    labels: Vec<SetRecord>,
}

fn first_draw() -> u8 {
    1
}

/// Which part of the sessions a rule may be made on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Half {
    /// Rules are made on these.
    Work,
    /// Looked at only to measure.
    Final,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SetRecord {
    labeller: String,
    /// True for the labels that count; the others measure how far two labellers agree.
    first: bool,
    stretches: Vec<[usize; 2]>,
    #[serde(default)]
    complete_kinds: Vec<Kind>,
    facts: Vec<LabelRecord>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct LabelRecord {
    line: usize,
    /// Which record of a line with several.
    #[serde(default)]
    object: usize,
    at: String,
    from: usize,
    to: usize,
    hash: String,
    kind: Kind,
    #[serde(default)]
    role: Option<Role>,
    importance: u8,
    fate: Fate,
    #[serde(default)]
    generation: u8,
    #[serde(default)]
    needed_line: Option<usize>,
    #[serde(default)]
    heavy: bool,
    #[serde(default)]
    outside: bool,
    #[serde(default)]
    census: bool,
    #[serde(default)]
    thinking: bool,
    /// Labelled because a ledger claimed that it was needed; it was where `needed_line` says so.
    #[serde(default)]
    claim: bool,
    /// Read again after the summary although it had been edited before: not needed by the rule
    /// that a read after an edit is none.
    #[serde(default, rename = "reread_line")]
    _reread_line: Option<usize>,
    #[serde(default, rename = "in_summary")]
    _in_summary: Option<Value>,
}

/// What kind of thing a label names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A file.
    File,
    /// A command that was run.
    Command,
    /// Something the user asked for.
    Request,
    /// A limit the user set.
    Constraint,
    /// A message of something that failed.
    Error,
    /// A choice with its reason.
    Decision,
    /// Something that turned out to be so.
    Finding,
    /// Something left to do.
    Todo,
    /// An identifier.
    Symbol,
    /// A number with a meaning.
    Number,
}

impl Kind {
    /// All, in the order of the tables.
    pub const ALL: [Kind; 10] = [
        Kind::File,
        Kind::Command,
        Kind::Request,
        Kind::Constraint,
        Kind::Error,
        Kind::Decision,
        Kind::Finding,
        Kind::Todo,
        Kind::Symbol,
        Kind::Number,
    ];

    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Kind::File => "file",
            Kind::Command => "command",
            Kind::Request => "request",
            Kind::Constraint => "constraint",
            Kind::Error => "error",
            Kind::Decision => "decision",
            Kind::Finding => "finding",
            Kind::Todo => "todo",
            Kind::Symbol => "symbol",
            Kind::Number => "number",
        }
    }
}

/// What was done with a file or by a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// A changed file.
    Edited,
    /// A file that was read and not changed.
    Read,
    /// A file that only a search showed.
    Searched,
    /// A file that only was named.
    Named,
    /// A command that changes something or checks it.
    Acts,
    /// A command that only looks.
    Looks,
}

/// What became of a fact in the summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fate {
    /// There, in whatever words.
    Kept,
    /// Something that matters of it is missing.
    Partial,
    /// There, and says something else.
    Changed,
    /// Not there.
    Dropped,
}

impl Fate {
    /// All, in the order of the tables.
    pub const ALL: [Fate; 4] = [Fate::Kept, Fate::Partial, Fate::Changed, Fate::Dropped];
}

/// A labelled fact with its text read back from the sample.
#[derive(Debug, Clone)]
pub struct Label {
    /// 1-based line of the record.
    pub line: usize,
    /// The words that carry the fact.
    pub quote: String,
    /// Its kind.
    pub kind: Kind,
    /// What was done with it; files and commands only.
    pub role: Option<Role>,
    /// 1 to 3; 3 is what an engineer who takes over must know.
    pub importance: u8,
    /// What became of it.
    pub fate: Fate,
    /// 1 where an earlier summary carried it.
    pub generation: u8,
    /// 1-based line at which it was needed after the summary.
    pub needed_line: Option<usize>,
    /// Among the thirty that matter most.
    pub heavy: bool,
    /// Not in a stretch: labelled because it is heavy or of a kind that was labelled everywhere.
    pub outside: bool,
    /// Only said in the model's thinking.
    pub thinking: bool,
    /// Labelled because a ledger claimed that it was needed.
    pub claim: bool,
}

/// The labels of one person on one compaction.
#[derive(Debug, Clone)]
pub struct LabelSet {
    /// Who labelled.
    pub labeller: String,
    /// 1-based first and last lines in which every fact is labelled.
    pub stretches: Vec<[usize; 2]>,
    /// Kinds that are labelled in the whole span.
    pub complete: Vec<Kind>,
    /// The facts.
    pub labels: Vec<Label>,
}

impl LabelSet {
    /// True where every fact of the line is labelled.
    pub fn covers(&self, line: usize) -> bool {
        let within = |[from, to]: &[usize; 2]| (*from..=*to).contains(&line);
        self.stretches.iter().any(within)
    }
}

/// A compaction with the labels that count and those of the second labeller.
#[derive(Debug, Clone)]
pub struct Labelled {
    /// The sample.
    pub path: PathBuf,
    /// The sample, below `samples` of the shared folder.
    pub source: String,
    /// Its name for the reader.
    pub name: String,
    /// 1-based line of the summary.
    pub summary_line: usize,
    /// Which half the session belongs to.
    pub half: Half,
    /// Which draw of stretches, from 1.
    pub draw: u8,
    /// True where no summary is known: only what is found is measured.
    pub uncompacted: bool,
    /// True where only what was needed later is labelled.
    pub needs: bool,
    /// The labels that count.
    pub first: LabelSet,
    /// Those of the second labeller.
    pub second: Option<LabelSet>,
}

/// Reads all labels in `gold` on the samples in `shared`, in the order of the files' names. Samples
/// that are not there are left out.
///
/// # Errors
/// A file that is no label file, or a label whose sample says something else.
pub fn read_all(gold: &Path, shared: &Path) -> Result<Vec<Labelled>, GoldError> {
    let failed = |path: &Path, reason: String| GoldError::Labels {
        path: path.to_path_buf(),
        reason,
    };
    let listing = std::fs::read_dir(gold).map_err(|error| failed(gold, error.to_string()))?;
    let mut paths: Vec<PathBuf> = listing.flatten().map(|item| item.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "json"));
    paths.sort();
    let mut all = Vec::new();
    for path in paths {
        let text = std::fs::read(&path).map_err(|error| failed(&path, error.to_string()))?;
        let record: FileRecord =
            serde_json::from_slice(&text).map_err(|error| failed(&path, error.to_string()))?;
        let sample = shared.join("samples").join(&record.source);
        let Ok(bytes) = std::fs::read(&sample) else {
            continue;
        };
        let lines: Vec<&[u8]> = bytes.split(|&byte| byte == b'\n').collect();
        let (mut first, mut second) = (None, None);
        for set in record.labels {
            let counts = set.first;
            let read = read_set(set, &lines).map_err(|reason| failed(&path, reason))?;
            *(if counts { &mut first } else { &mut second }) = Some(read);
        }
        all.push(Labelled {
            name: format!("{} line {}", record.source, record.summary_line),
            source: record.source,
            path: sample,
            summary_line: record.summary_line,
            half: record.half,
            draw: record.draw,
            uncompacted: record.uncompacted,
            needs: record.needs,
            first: first.ok_or_else(|| failed(&path, "no labels that count".to_owned()))?,
            second,
        });
    }
    Ok(all)
}

fn read_set(set: SetRecord, lines: &[&[u8]]) -> Result<LabelSet, String> {
    let labels = set.facts.into_iter().map(|label| read_label(label, lines));
    Ok(LabelSet {
        labeller: set.labeller,
        stretches: set.stretches,
        complete: set.complete_kinds,
        labels: labels.collect::<Result<_, _>>()?,
    })
}

fn read_label(label: LabelRecord, lines: &[&[u8]]) -> Result<Label, String> {
    let quote = quoted(&label, lines)
        .filter(|quote| fnv(quote.as_bytes()) == label.hash)
        .ok_or_else(|| {
            format!(
                "the sample has another text at line {}, {}",
                label.line, label.at
            )
        })?;
    Ok(Label {
        line: label.line,
        quote,
        kind: label.kind,
        role: label.role,
        importance: label.importance,
        fate: label.fate,
        generation: label.generation,
        needed_line: label.needed_line,
        heavy: label.heavy,
        outside: label.outside || label.census,
        thinking: label.thinking,
        claim: label.claim,
    })
}

fn quoted(label: &LabelRecord, lines: &[&[u8]]) -> Option<String> {
    let line = lines.get(label.line.checked_sub(1)?)?;
    let mut records = serde_json::Deserializer::from_slice(line).into_iter::<Value>();
    let record = records.nth(label.object)?.ok()?;
    let text = record.pointer(&label.at)?.as_str()?;
    text.get(label.from..label.to).map(str::to_owned)
}

/// The 64-bit FNV-1a hash as hexadecimal digits.
pub(crate) fn fnv(bytes: &[u8]) -> String {
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}
