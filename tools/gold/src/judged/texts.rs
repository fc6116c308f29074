//! The three texts of a judged cut, rebuilt from its sample.

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
use std::path::Path;

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

/// A cut with its three texts.
pub struct Texts {
    /// The session.
    pub open: OpenSession,
    /// Where it is cut.
    pub cut: SummaryCut,
    texts: [String; 3],
}

impl Texts {
    /// Rebuilds the texts of `judged` on the samples in `shared`; `None` where a sample is missing.
    ///
    /// # Errors
    /// When a sample cannot be read, or has no summary on the line.
    pub fn of(judged: &Judged, shared: &Path) -> Result<Option<Texts>, GoldError> {
        let place = |source: &str| shared.join("samples").join(source);
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
        let bad = match &judged.bad {
            Bad::FirstThird => first_third(&own),
            Bad::Generic => GENERIC.to_owned(),
            Bad::Foreign { source, line } => {
                summary_at(&OpenSession::read(&place(source))?, *line)?.summary
            }
            Bad::Twisted => twisted(&own),
            Bad::LastMessage => last_message(&open, &cut)?,
            Bad::Outdated { line } => {
                let earlier = cut_behind(&open, *line);
                match summary_at(&open, *line) {
                    Ok(found) => found.summary,
                    Err(_) => report(&open, &earlier)?,
                }
            }
        };
        Ok(Some(Texts {
            open,
            cut,
            texts: [own, offline, bad],
        }))
    }

    /// The text of one side.
    pub fn text(&self, side: Side) -> &str {
        match side {
            Side::Own => &self.texts[0],
            Side::Offline => &self.texts[1],
            Side::Bad => &self.texts[2],
        }
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
