//! The texts of a judged cut, rebuilt from its sample.

use crate::error::GoldError;
use crate::judged::record::{Bad, Judged, Own, Side};
use crate::labels::fnv;
use palimpsest_app::OpenSession;
use palimpsest_app::summary::{Material, OwnedSpan, SummaryCut, later_entries};
use palimpsest_compaction::extractive::{ExtractiveInput, Purpose, summarize};
use palimpsest_core::ledger::{FactKind, FileRole};
use palimpsest_core::{EntryIx, EntryKind, Role};
use palimpsest_ledger::span::PartKind;
use palimpsest_ledger::{Span, extract, identifiers, words};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Fewest bytes of a text of the model that counts as a report.
const REPORT_BYTES: usize = 200;

/// Tokens of the offline text, as where a plan sets no limit.
const OFFLINE_TOKENS: u64 = 2_000;

/// What says nothing of any session.
const GENERIC: &str = "## Goal\nThe user is working on a software project and asked for several \
    improvements.\n\n## Progress\n- Explored the code base and understood its structure\n- Made the \
    necessary changes in the relevant files\n- Ran the tests and fixed the issues that came up\n\n\
    ## Key Decisions\n- Followed the existing patterns and best practices of the code base\n\n\
    ## Next Steps\n1. Continue with the remaining work\n2. Make sure that everything works as expected\n";

/// Where samples and texts are.
#[derive(Debug, Clone)]
pub struct Places {
    /// The folder of the samples.
    pub shared: PathBuf,
    /// The folder of the texts that a person wrote: `NAME.good.md` and `NAME.fair.md`. Those about
    /// sessions that name people are not in the repository.
    pub written: PathBuf,
}

/// A cut with its texts.
pub struct Texts {
    /// The session.
    pub open: OpenSession,
    /// Where it is cut.
    pub cut: SummaryCut,
    texts: BTreeMap<Side, String>,
}

impl Texts {
    /// Rebuilds the texts of `judged`, whose file is called `name`; `None` where a sample is missing.
    /// Written texts that are missing are left out.
    ///
    /// # Errors
    /// When a sample cannot be read, or has no summary on the line.
    pub fn of(name: &str, judged: &Judged, places: &Places) -> Result<Option<Texts>, GoldError> {
        let place = |source: &str| places.shared.join("samples").join(source);
        let other = match &judged.bad {
            Bad::Foreign { source, .. } => Some(place(source)),
            _ => None,
        };
        let path = place(&judged.source);
        if !path.is_file() || other.as_ref().is_some_and(|path| !path.is_file()) {
            return Ok(None);
        }
        let open = OpenSession::read(&path)?;
        let cut = match judged.own {
            Own::Summary => summary_at(&open, judged.line)?.cut,
            Own::Report => cut_behind(&open, judged.line),
        };
        let own = match judged.own {
            Own::Summary => summary_at(&open, judged.line)?.summary,
            Own::Report => report(&open, &cut)?,
        };
        let offline = offline(&open, &cut)?;
        let spoilt = |bad: &Bad, text: &str| -> Result<String, GoldError> {
            Ok(match bad {
                Bad::FirstThird => first_third(text),
                Bad::Generic => GENERIC.to_owned(),
                Bad::Foreign { source, line } => {
                    summary_at(&OpenSession::read(&place(source))?, *line)?.summary
                }
                Bad::Twisted => twisted(text),
                Bad::LastMessage => last_message(&open, &cut)?,
                Bad::Section => section(text),
                Bad::Vague => vague(text),
                Bad::Outdated { line } => {
                    let earlier = cut_behind(&open, *line);
                    match summary_at(&open, *line) {
                        Ok(found) => found.summary,
                        Err(_) => report(&open, &earlier)?,
                    }
                }
            })
        };
        let written = |kind: &str| {
            std::fs::read_to_string(places.written.join(format!("{name}.{kind}.md"))).ok()
        };
        let mut texts = BTreeMap::new();
        if let Some(good) = written("good") {
            if let Some(bad) = &judged.spoiled {
                texts.insert(Side::Spoiled, spoilt(bad, &good)?);
            }
            texts.insert(Side::Good, good);
        }
        if let Some(fair) = written("fair") {
            texts.insert(Side::Fair, fair);
        }
        texts.insert(Side::Bad, spoilt(&judged.bad, &own)?);
        texts.insert(Side::Own, own);
        texts.insert(Side::Offline, offline);
        Ok(Some(Texts { open, cut, texts }))
    }

    /// The texts that are there.
    pub fn sides(&self) -> impl Iterator<Item = Side> + '_ {
        self.texts.keys().copied()
    }

    /// The text of one side; empty where it is missing.
    pub fn text(&self, side: Side) -> &str {
        self.texts.get(&side).map_or("", String::as_str)
    }

    /// Its hash.
    pub fn hash(&self, side: Side) -> String {
        fnv(self.text(side).as_bytes())
    }

    /// The text as a summary of the cut.
    ///
    /// # Errors
    /// When the sample cannot be read.
    pub fn material(&self, side: Side) -> Result<Material, GoldError> {
        let text = self.text(side).to_owned();
        let made = Material::new(&self.open, side.to_string(), text, self.cut.clone(), None)?;
        Ok(made)
    }
}

fn summary_at(open: &OpenSession, line: usize) -> Result<Material, GoldError> {
    // Names of entries count lines from 0.
    let name = format!("line:{}", line.saturating_sub(1));
    Ok(Material::of_compaction(open, Some(&name))?)
}

/// The context behind a line of the active path, all of it summarized.
fn cut_behind(open: &OpenSession, line: usize) -> SummaryCut {
    let path = open.session.active_leaf.map(|leaf| open.tree.path(leaf));
    let mut path = path.unwrap_or_default();
    path.retain(|ix| (open.session.entry(*ix).source.line as usize) < line);
    let Some(&at) = path.last() else {
        return SummaryCut::default();
    };
    let is_compaction =
        |ix: &EntryIx| matches!(open.session.entry(*ix).kind, EntryKind::Compaction(_));
    let context = open.format.context(&open.session, &open.tree, Some(at));
    let mut summarized: Vec<EntryIx> = Vec::new();
    for item in context
        .items
        .iter()
        .filter(|item| item.role != Role::System)
    {
        summarized.extend(item.entries.iter().filter(|ix| !is_compaction(ix)));
    }
    summarized.dedup();
    SummaryCut {
        summarized,
        previous: context.compaction,
        later: later_entries(open, at),
        stands_on: Some(at),
        ..SummaryCut::default()
    }
}

/// The last text of the model in a span that is long enough to report something.
fn report(open: &OpenSession, cut: &SummaryCut) -> Result<String, GoldError> {
    let span = OwnedSpan::load(open, &cut.summarized)?;
    let items = span.items();
    let texts = Span::new(&items)
        .parts()
        .filter(|part| part.kind == PartKind::AssistantText);
    let all: Vec<&str> = texts.map(|part| part.text).collect();
    let told = all.iter().rev().find(|text| text.len() >= REPORT_BYTES);
    Ok(told.copied().unwrap_or_default().to_owned())
}

fn last_message(open: &OpenSession, cut: &SummaryCut) -> Result<String, GoldError> {
    let span = OwnedSpan::load(open, &cut.summarized)?;
    let items = span.items();
    let said = |kind| matches!(kind, PartKind::AssistantText | PartKind::UserText);
    let texts = Span::new(&items).parts().filter(|part| said(part.kind));
    Ok(texts.last().map_or("", |part| part.text).to_owned())
}

fn offline(open: &OpenSession, cut: &SummaryCut) -> Result<String, GoldError> {
    let span = OwnedSpan::load(open, &cut.summarized)?;
    let items = span.items();
    let span = Span::new(&items);
    let previous = match cut.previous {
        Some(ix) => {
            Some(summary_at(open, open.session.entry(ix).source.line as usize + 1)?.summary)
        }
        None => None,
    };
    let facts = extract::extract(&span);
    let files = |role: FileRole| -> Vec<String> {
        let of = facts.iter().filter(|fact| fact.kind == FactKind::Path);
        of.filter(|fact| fact.details.file_role == Some(role))
            .map(|fact| fact.text.clone())
            .collect()
    };
    Ok(summarize(&ExtractiveInput {
        purpose: Purpose::History,
        span,
        previous_summary: previous.as_deref(),
        instructions: None,
        files_read: &files(FileRole::Read),
        files_modified: &files(FileRole::Edited),
        budget_tokens: OFFLINE_TOKENS,
    }))
}

fn first_third(text: &str) -> String {
    let end = words::floor_boundary(text, text.len() / 3);
    let end = text[..end].rfind('\n').unwrap_or(end);
    text[..end].to_owned()
}

/// The longest part between two headings; of a text without headings the longest paragraph.
fn section(text: &str) -> String {
    let is_heading = |line: &str| line.starts_with('#') || line.starts_with("**");
    let mut parts: Vec<String> = vec![String::new()];
    for line in text.split_inclusive('\n') {
        if is_heading(line) {
            parts.push(String::new());
        }
        if let Some(last) = parts.last_mut() {
            last.push_str(line);
        }
    }
    if parts.len() <= 2 {
        parts = text.split("\n\n").map(str::to_owned).collect();
    }
    let longest = parts.into_iter().max_by_key(String::len);
    longest.unwrap_or_default().trim().to_owned()
}

/// The text with general words for what it names.
fn vague(text: &str) -> String {
    let mut out = String::new();
    let mut at = 0;
    for found in identifiers::scan(text) {
        if found.range.start < at {
            continue;
        }
        let general = match found.kind {
            FactKind::Path => "a file",
            FactKind::Number => "some",
            _ => "a function",
        };
        out.push_str(&text[at..found.range.start]);
        out.push_str(general);
        at = found.range.end;
    }
    out.push_str(&text[at..]);
    out.replace('`', "")
}

/// Words of a rule and what it says without or against them.
const TURNS: [(&str, &str); 8] = [
    (" not to ", " to "),
    (" never ", " always "),
    ("Never ", "Always "),
    ("Don't ", "Do "),
    ("don't ", "do "),
    (" not ", " "),
    (" only ", " also "),
    ("Skip ", "Do "),
];

/// The text with its first rule turned around and its two most named files under other names.
fn twisted(text: &str) -> String {
    let mut out = text.to_owned();
    for (from, to) in TURNS {
        if out.contains(from) {
            out = out.replacen(from, to, 1);
            break;
        }
    }
    let mut named: Vec<(&str, usize)> = Vec::new();
    for found in identifiers::scan(text) {
        let base = identifiers::basename(&text[found.range.clone()]);
        if found.kind != FactKind::Path || !base.contains('.') {
            continue;
        }
        match named.iter_mut().find(|(known, _)| *known == base) {
            Some((_, count)) => *count += 1,
            None => named.push((base, 1)),
        }
    }
    named.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    for ((name, _), wrong) in named.iter().take(2).zip(["helpers", "common"]) {
        let end = name.rfind('.').unwrap_or(name.len());
        out = out.replace(name, &format!("{wrong}{}", &name[end..]));
    }
    out
}
