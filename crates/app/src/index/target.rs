//! A session being written: its row, and the sums over its entries.

use super::forks::beginning_of;
use super::kinds::{SWITCH, kind_term, own_kinds};
use super::model_switch::{model_behind, model_switch};
use super::numbers::Block;
use crate::cost;
use palimpsest_core::entry::FileAccess;
use palimpsest_core::{Entry, EntryKind, Role, SessionMeta};
use palimpsest_store::index::terms::terms;
use palimpsest_store::index::{SessionRow, TraitKind};
use palimpsest_tokens::Spending;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// A session being written.
#[derive(Debug)]
pub(super) struct Target {
    pub(super) row: SessionRow,
    /// Position in the session of the first entry of the present [`Session`] in memory.
    pub(super) base: u32,
    /// Position of the first entry of this pass.
    pub(super) from: u32,
    pub(super) files: HashMap<(Box<str>, FileAccess), (u32, u32)>,
    pub(super) spending: Spending,
    /// Parents, as they were written, of the entries in memory.
    pub(super) parents: Vec<Option<u32>>,
    /// Where its entries get their numbers; on from the newest without.
    pub(super) block: Option<Arc<Block>>,
    /// Traits that are written in this pass.
    traits: HashMap<TraitKind, HashSet<Box<str>>>,
    /// Names of tools whose words are among the traits.
    tools: HashSet<Box<str>>,
    /// What the first prompt of this pass says, where it tells how the session begins.
    pub(super) beginning: Option<String>,
    /// When the newest entry was written that says so, Unix milliseconds.
    pub(super) dated_ms: Option<i64>,
    /// The lines of the records that leave something to do open; known at the end.
    pub(super) open_todos: Vec<u32>,
}

impl Target {
    /// True when sums over the session's tree cannot be carried on.
    pub(super) fn is_irregular(&self) -> bool {
        self.row.irregular
    }

    /// True when the session has another id than the one it was written under: the records that
    /// name it came later.
    pub(super) fn is_other_than(&self, meta: &SessionMeta) -> bool {
        self.row.id != meta.stable_id()
    }

    /// Notes that they cannot from now on.
    pub(super) fn set_irregular(&mut self) {
        self.row.irregular = true;
    }
}

impl Target {
    pub(super) fn new(row: SessionRow, spending: Spending) -> Target {
        let base = u32::try_from(row.entries).unwrap_or(u32::MAX);
        Target {
            row,
            base,
            from: base,
            files: HashMap::new(),
            spending,
            parents: Vec::new(),
            block: None,
            traits: HashMap::new(),
            tools: HashSet::new(),
            beginning: None,
            dated_ms: None,
            open_todos: Vec::new(),
        }
    }

    /// The traits of an entry that no entry of this pass had before.
    pub(super) fn new_traits(
        &mut self,
        entry: &Entry,
        kinds: &[&str],
    ) -> Vec<(TraitKind, Box<str>)> {
        // Nearly every entry has only what the ones before it had, so names are looked up as they
        // stand and copied when they are new.
        let mut new = Vec::new();
        let switches = self.model_switch(entry).is_some();
        // Codex names the model of its replies before them.
        let own = entry.model.as_ref().map(|model| &*model.model);
        let reply_model = own.or(self.row.model.as_deref()).map(str::to_owned);
        let seen = &mut self.traits;
        let mut add = |kind: TraitKind, name: &str| {
            let of_kind = seen.entry(kind).or_default();
            if !of_kind.contains(name) {
                of_kind.insert(name.into());
                new.push((kind, name.into()));
            }
        };
        for tool in entry.tools() {
            if !self.tools.contains(tool) {
                self.tools.insert(tool.into());
                terms(tool)
                    .iter()
                    .for_each(|term| add(TraitKind::Tool, term));
            }
        }
        for kind in kinds {
            add(TraitKind::Entry, &kind_term(kind));
        }
        for kind in own_kinds(entry) {
            add(TraitKind::Entry, &kind);
        }
        if switches {
            add(TraitKind::Entry, &kind_term(SWITCH));
        }
        // Of replies only: a model that was chosen and left again said nothing.
        if entry.kind == EntryKind::Message(Role::Assistant)
            && let Some(model) = reply_model
        {
            add(TraitKind::Model, &model);
        }
        new
    }

    /// The models before and behind an entry that is not yet counted, where the model changes.
    pub(super) fn model_switch(&self, entry: &Entry) -> Option<String> {
        model_switch(entry, self.row.model.as_deref())
    }

    /// Adds an entry to the sums of its session.
    pub(super) fn count(&mut self, entry: &Entry, ix: u32) {
        if self.beginning.is_none() {
            self.beginning = beginning_of(entry);
        }
        let row = &mut self.row;
        row.entries += 1;
        // What the user stopped is no failure.
        row.errors += u64::from(entry.is_failure());
        row.rejections += u64::from(entry.rejected);
        match &entry.kind {
            EntryKind::Compaction(told) => {
                row.compactions += 1;
                // Agents know a size before it that no reply of the file reports.
                row.peak_context = row.peak_context.max(told.tokens_before);
            }
            EntryKind::BranchSummary(_) => row.branch_summaries += 1,
            _ => {}
        }
        cost::add(&mut self.spending, entry);
        if let Some(usage) = entry.spent() {
            row.usage.add(usage);
        }
        if let Some(usage) = entry.usage.filter(|_| entry.usage_trusted) {
            row.peak_context = row.peak_context.max(Some(usage.context_tokens()));
        }
        // The newest one wins, as lists show what the session uses now.
        let behind = model_behind(entry, row.model.as_deref());
        if let Some(model) = &entry.model
            && behind == Some(&*model.model)
            && !matches!(entry.kind, EntryKind::UsageRecord { .. })
        {
            row.provider = Some(model.provider.to_string());
            row.model = Some(model.model.to_string());
        }
        for call in entry.calls() {
            if let (Some(path), Some(access)) = (&call.path, call.access) {
                self.uses(path, access, ix);
            }
        }
    }

    /// Notes that an entry uses a file.
    pub(super) fn uses(&mut self, path: &str, access: FileAccess, ix: u32) {
        let seen = self.files.entry((path.into(), access)).or_default();
        *seen = (seen.0 + 1, ix);
    }
}
