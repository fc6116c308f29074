//! The bytes of each record of the written branch.

use super::chain::{Chain, Link, is_label};
use super::system;
use crate::fresh::{ShortIds, iso};
use crate::members::{Edit, edited, text, value};
use crate::refusal::Refusal;
use crate::request::{Change, Files, Kept, Request};
use palimpsest_core::labels::labels;
use palimpsest_core::{EntryIx, EntryKind};
use std::collections::{HashMap, HashSet};

/// The version that is written; pi rewrites files of an older one when it opens them.
pub(super) const VERSION: u32 = 3;

/// The extension's name in entries that only mark a leaf.
const MARKER: &str = "palimpsest";

/// The ids of the written records.
pub(super) struct Names {
    /// New ids of copied entries; others keep theirs.
    renamed: HashMap<EntryIx, String>,
    /// Entries whose label records are left out, with the entry that stands in their place.
    in_place_of: HashMap<EntryIx, EntryIx>,
    /// The id of the record before the first that is written.
    before: Option<String>,
    ids: ShortIds,
}

impl Names {
    /// In a new file entries keep their ids, unless they have none or share one.
    pub fn of_new_file(request: &Request<'_>, chain: &Chain) -> Names {
        let session = request.session;
        let mut names = Names::new(request, None);
        let mut seen = HashSet::new();
        let has_ids = session.meta.format_version.unwrap_or(1) >= 2;
        let all_usable = chain.links.iter().all(|link| match link {
            Link::Copy(ix) | Link::Replaced(ix) => {
                let id = session.entry(*ix).id.as_str();
                // The reader names records without an id by their line.
                !id.is_empty() && !id.starts_with("line:") && seen.insert(id)
            }
            _ => true,
        });
        if !(has_ids && all_usable) {
            for link in &chain.links {
                if let Link::Copy(ix) | Link::Replaced(ix) = link {
                    let id = names.ids.next();
                    names.renamed.insert(*ix, id);
                }
            }
        }
        names
    }

    /// Behind the first `stays` records, which stand in the file, all have new ids.
    pub fn of_addition(request: &Request<'_>, chain: &Chain, stays: usize) -> Names {
        let last = stays.checked_sub(1).and_then(|at| chain.links.get(at));
        let before = match last {
            Some(Link::Copy(ix)) => Some(request.session.entry(*ix).id.to_string()),
            _ => None,
        };
        let mut names = Names::new(request, before);
        for link in &chain.links[stays..] {
            if let Link::Copy(ix) | Link::Replaced(ix) = link {
                let id = names.ids.next();
                names.renamed.insert(*ix, id);
            }
        }
        names
    }

    fn new(request: &Request<'_>, before: Option<String>) -> Names {
        let session = request.session;
        let taken = session.entries.iter().map(|entry| entry.id.as_str());
        let mut in_place_of = HashMap::new();
        let mut labels = Vec::new();
        for &ix in &request.context.path {
            if is_label(&session.entry(ix).kind) {
                labels.push(ix);
            } else {
                in_place_of.extend(labels.drain(..).map(|label| (label, ix)));
            }
        }
        Names {
            renamed: HashMap::new(),
            in_place_of,
            before,
            ids: request.fresh.short_ids(taken),
        }
    }

    /// The id of an entry in what is written.
    fn of(&self, request: &Request<'_>, ix: EntryIx) -> String {
        let ix = self.in_place_of.get(&ix).copied().unwrap_or(ix);
        match self.renamed.get(&ix) {
            Some(id) => id.clone(),
            None => request.session.entry(ix).id.to_string(),
        }
    }
}

/// Writes one record after the other, each the child of the one before it.
pub(super) struct Writer<'a> {
    request: &'a Request<'a>,
    names: Names,
    parent: Option<String>,
}

impl<'a> Writer<'a> {
    /// A writer that begins under the record that `names` has as the one before.
    pub fn new(request: &'a Request<'a>, names: Names) -> Writer<'a> {
        let parent = names.before.clone();
        Writer {
            request,
            names,
            parent,
        }
    }

    /// The line of a record.
    pub fn line(&mut self, link: &Link) -> Result<Vec<u8>, Refusal> {
        let id = match link {
            Link::Copy(ix) | Link::Replaced(ix) => self.names.of(self.request, *ix),
            Link::Summary | Link::Again(_) => self.names.ids.next(),
        };
        let mut line = match link {
            Link::Copy(ix) | Link::Again(ix) => self.copied(*ix, &id, &[])?,
            Link::Replaced(ix) => {
                let summary = match self.request.change {
                    Change::Replace { text: new, .. } => text(new),
                    _ => text(""),
                };
                let edits = [
                    ("summary", Edit::Set(summary)),
                    // It was the cost of the text that is replaced.
                    ("usage", Edit::Remove),
                ];
                self.copied(*ix, &id, &edits)?
            }
            Link::Summary => self.summary(&id)?.into_bytes(),
        };
        // A record of several lines, pretty-printed by someone, would be no record of pi's.
        line.retain(|byte| *byte != b'\n' && *byte != b'\r');
        line.push(b'\n');
        self.parent = Some(id);
        Ok(line)
    }

    fn copied(&self, ix: EntryIx, id: &str, more: &[(&str, Edit)]) -> Result<Vec<u8>, Refusal> {
        let session = self.request.session;
        let entry = session.entry(ix);
        let raw = self.request.records.record(ix)?;
        let set = |json: String| Edit::Set(json);
        let mut edits = vec![("id", set(text(id))), ("parentId", set(self.parent_json()))];
        edits.extend(more.iter().cloned());
        let version = session.meta.format_version.unwrap_or(1);
        match &entry.kind {
            EntryKind::Compaction(compaction) => {
                // Version 1 counts records. Without a first kept entry nothing is kept, which
                // pi writes as the compaction's own id.
                let first = match compaction.first_kept {
                    Some(first) => Some(self.names.of(self.request, first)),
                    None if version < 2 => Some(id.to_owned()),
                    None => None,
                };
                if let Some(first) = first {
                    edits.push(("firstKeptEntryId", set(text(&first))));
                }
                edits.push(("firstKeptEntryIndex", Edit::Remove));
            }
            EntryKind::ContextEdit {
                target: Some(target),
                ..
            } => edits.push(("targetId", set(text(&self.names.of(self.request, *target))))),
            _ => {}
        }
        if version < VERSION
            && let Some(message) = value(&raw, "message")
            && value(message, "role") == Some(b"\"hookMessage\"")
            && let Some(message) = edited(message, &[("role", set(text("custom")))])
            && let Ok(message) = String::from_utf8(message)
        {
            edits.push(("message", set(message)));
        }
        edited(&raw, &edits).ok_or_else(|| Refusal::Record {
            line: entry.source.line,
            reason: "it is not a JSON object".to_owned(),
        })
    }

    fn parent_json(&self) -> String {
        self.parent.as_deref().map_or("null".to_owned(), text)
    }

    fn summary(&self, id: &str) -> Result<String, Refusal> {
        let request = self.request;
        let time = text(&request.fresh.iso());
        let place = format!(
            "\"id\":{},\"parentId\":{},\"timestamp\":{time}",
            text(id),
            self.parent_json()
        );
        Ok(match request.change {
            Change::BranchSummary {
                text: summary,
                from,
                files,
            } => {
                // pi 0.84.3 and later: the leaf that is left, or "root".
                let from = from.map(|ix| request.session.entry(ix).id.to_string());
                let from = text(from.as_deref().unwrap_or("root"));
                format!(
                    "{{\"type\":\"branch_summary\",{place},\"fromId\":{from},\"summary\":{},\
                     \"details\":{},\"fromHook\":false}}",
                    text(summary),
                    details(files)
                )
            }
            Change::Message { text: said } => format!(
                "{{\"type\":\"message\",{place},\"message\":{{\"role\":\"user\",\"content\":\
                 [{{\"type\":\"text\",\"text\":{}}}],\"timestamp\":{}}}}}",
                text(said),
                request.fresh.now_ms
            ),
            Change::Compaction(new) => {
                let first = match &new.kept {
                    Kept::From(first) => self.names.of(request, *first),
                    Kept::Nothing | Kept::These(_) => id.to_owned(),
                };
                let system = system::current(request, &new.context)?;
                let system = system.map_or(String::new(), |message| {
                    format!(",\"systemMessage\":{message}")
                });
                format!(
                    "{{\"type\":\"compaction\",{place},\"summary\":{},\"firstKeptEntryId\":{},\
                     \"tokensBefore\":{},\"details\":{},\"fromHook\":false{system}}}",
                    text(&new.text),
                    text(&first),
                    new.tokens_before,
                    details(&new.files)
                )
            }
            Change::None | Change::Replace { .. } => String::new(),
        })
    }

    /// The labels in force on the copied entries, as records that follow the leaf.
    pub fn labels(&mut self, chain: &Chain) -> Vec<Vec<u8>> {
        let session = self.request.session;
        let in_force = labels(session);
        let mut lines = Vec::new();
        for link in &chain.links {
            let (Link::Copy(ix) | Link::Replaced(ix)) = link else {
                continue;
            };
            let Some(label) = in_force[ix.get()] else {
                continue;
            };
            let id = self.names.ids.next();
            let target = self.names.of(self.request, *ix);
            let line = format!(
                "{{\"type\":\"label\",\"id\":{},\"parentId\":{},\"timestamp\":{},\
                 \"targetId\":{},\"label\":{}}}\n",
                text(&id),
                self.parent_json(),
                text(&label_time(self.request, *ix)),
                text(&target),
                text(label)
            );
            lines.push(line.into_bytes());
            self.parent = Some(id);
        }
        lines
    }

    /// A record that is never sent and makes the record before it the place where pi continues.
    pub fn marker(&mut self) -> Vec<u8> {
        let id = self.names.ids.next();
        let line = format!(
            "{{\"type\":\"custom\",\"customType\":{},\"data\":{{\"leaf\":{}}},\"id\":{},\
             \"parentId\":{},\"timestamp\":{}}}\n",
            text(MARKER),
            self.parent_json(),
            text(&id),
            self.parent_json(),
            text(&self.request.fresh.iso())
        );
        line.into_bytes()
    }
}

fn details(files: &Files) -> String {
    let list = |paths: &[String]| serde_json::Value::from(paths.to_vec()).to_string();
    format!(
        "{{\"readFiles\":{},\"modifiedFiles\":{}}}",
        list(&files.read),
        list(&files.modified)
    )
}

/// When the label in force on an entry was set.
fn label_time(request: &Request<'_>, labelled: EntryIx) -> String {
    let is_of = |kind: &EntryKind| matches!(kind, EntryKind::Label { target: Some(target), .. } if *target == labelled);
    let mut entries = request.session.entries.iter().rev();
    let at_ms = entries
        .find(|entry| is_of(&entry.kind))
        .and_then(|entry| entry.at_ms);
    at_ms.map_or_else(|| request.fresh.iso(), iso)
}
