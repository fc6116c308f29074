//! The picture of a session: its rows in the order of time, the size of the context behind each,
//! and the lanes of its branches.
//!
//! Pure and iterative: a session of 200,000 entries in one line takes no more stack than one of
//! ten. [`picture`] makes all of it in time linear in the entries; [`Sections`] parts the rows into
//! turns and phases.

mod branches;
mod bytes;
mod lanes;
mod model;
mod naming;
mod patch;
mod sections;
mod sizes;

pub use branches::{SideBranch, active_branch, branches};
pub use bytes::{GraphBytes, GraphBytesError};
pub use model::{
    Band, Lane, LaneKind, NodeClass, PARTS, Part, Picture, PictureOptions, PictureRow, STEP_TOKENS,
    SizeAfter,
};
pub use naming::short_count;
pub use patch::{GraphRevision, received};
pub use sections::{Phase, Sections, Turn};

use crate::body::Role;
use crate::category::Category;
use crate::entry::{Entry, EntryKind};
use crate::ids::EntryIx;
use crate::labels::labels;
use crate::rows::Rows;
use crate::session::{LinkKind, Session};
use crate::tree::Tree;
use lanes::Start;
use naming::Namer;
use std::collections::{HashMap, HashSet};

/// A message with more tokens than this gets more room.
const LONG_TOKENS: u64 = 60;

/// Makes the picture of a session.
///
/// The same input gives the same picture, and an entry appended to the active path adds a row and
/// leaves the rows above as they are.
pub fn picture(session: &Session, tree: &Tree, options: &PictureOptions) -> Picture {
    let labels = labels(session);
    let on_path = lanes::active_path(session, tree);
    let (lane_of, starts) = lanes::lanes(session, tree, &on_path);
    let sizes = sizes::sizes(session, tree, options);
    let is_labelled = |ix: EntryIx| labels[ix.get()].is_some() || options.keep.contains(&ix);
    let shown = Rows {
        session,
        tree,
        is_labelled: &is_labelled,
        filter: options.filter,
    };
    let leaf = shown.shown_leaf();
    let mut subagents: HashMap<EntryIx, u32> = HashMap::new();
    let started = session
        .links
        .iter()
        .filter(|link| link.kind == LinkKind::Subagent);
    for at in started.filter_map(|link| link.at) {
        *subagents.entry(at).or_default() += 1;
    }
    let mut namer = Namer::default();
    // Nearly every entry is a row.
    let mut rows: Vec<PictureRow> = Vec::with_capacity(session.entries.len());
    let mut row_at: Vec<Option<u32>> = vec![None; session.entries.len()];
    for ix in session.indices() {
        if !shown.is_row(ix) {
            continue;
        }
        let entry = session.entry(ix);
        let id = u32::try_from(rows.len()).unwrap_or(u32::MAX);
        row_at[ix.get()] = Some(id);
        let at = &sizes[ix.get()];
        let before = tree.parent(ix).map_or(0, |parent| sizes[parent.get()].size);
        let has_text = has_text(entry);
        let estimate = entry.estimate();
        rows.push(PictureRow {
            id,
            entry: ix,
            parent: None,
            lane: lane_of[ix.get()],
            class: naming::class_of(entry),
            height: height(entry, has_text, estimate),
            name: namer.name(entry),
            label: naming::label(entry, labels[ix.get()], before, at.size),
            tokens: estimate,
            size: at.size,
            band: at.band(),
            at_s: entry.at_ms.unwrap_or(0) / 1_000,
            subagents: subagents.get(&ix).copied().unwrap_or(0),
            on_active_path: on_path[ix.get()],
            is_active_leaf: leaf == Some(ix),
            has_error: entry.is_failure(),
            flag: labels[ix.get()].is_some(),
            has_text,
        });
    }
    let row_of = nearest(session, tree, &row_at);
    for row in &mut rows {
        let above = tree.parent(row.entry).map(|parent| row_of[parent.get()]);
        // Records above the first row stand for it, which is no parent of its own.
        row.parent = above.filter(|&above| above != row.id);
    }
    let lanes = laid(session, &mut rows, &starts, &row_of);
    let bridges = bridges(session, &row_of);
    Picture {
        session: options.session.clone(),
        rows,
        row_of,
        ids: session
            .entries
            .iter()
            .map(|entry| entry.id.clone())
            .collect(),
        lanes,
        bridges,
        names: namer.names,
        window: options.window,
        threshold: options.threshold,
    }
}

/// For each entry its row: its own, else the nearest above, else the first below.
fn nearest(session: &Session, tree: &Tree, row_at: &[Option<u32>]) -> Vec<u32> {
    let mut found = row_at.to_vec();
    let order = tree.preorder();
    for &ix in order {
        if found[ix.get()].is_none() {
            found[ix.get()] = tree.parent(ix).and_then(|parent| found[parent.get()]);
        }
    }
    for &ix in order.iter().rev() {
        if let (Some(row), Some(parent)) = (found[ix.get()], tree.parent(ix))
            && found[parent.get()].is_none()
        {
            found[parent.get()] = Some(row);
        }
    }
    let row = |ix: EntryIx| found[ix.get()].unwrap_or(0);
    session.indices().map(row).collect()
}

/// The lanes that have rows, and the active path; numbers the rows' lanes from zero.
fn laid(session: &Session, rows: &mut [PictureRow], starts: &[Start], row_of: &[u32]) -> Vec<Lane> {
    let mut number: Vec<Option<u32>> = vec![None; starts.len()];
    let mut lanes: Vec<Lane> = Vec::new();
    let add = |start: &Start, first: u32, lanes: &mut Vec<Lane>| {
        lanes.push(Lane {
            kind: start.kind,
            column: 0,
            from: start.from.map(|from| row_of[from.get()]),
            first,
            last: first,
            name: String::new(),
        });
        u32::try_from(lanes.len() - 1).unwrap_or(u32::MAX)
    };
    number[0] = Some(add(&starts[0], 0, &mut lanes));
    let mut has_prompt: HashSet<u32> = HashSet::new();
    for row in rows {
        let own = &mut number[row.lane as usize];
        let at = *own.get_or_insert_with(|| add(&starts[row.lane as usize], row.id, &mut lanes));
        row.lane = at;
        let lane = &mut lanes[at as usize];
        lane.last = row.id;
        let is_first_prompt = row.class == NodeClass::User && has_prompt.insert(at);
        if at > 0 && (is_first_prompt || lane.name.is_empty()) {
            let words = naming::words(session.entry(row.entry));
            if !words.is_empty() {
                lane.name = words;
            }
        }
    }
    lanes::columns(&mut lanes);
    lanes
}

fn bridges(session: &Session, row_of: &[u32]) -> Vec<(u32, u32)> {
    let mut bridges = Vec::new();
    for ix in session.indices() {
        if let EntryKind::BranchSummary(summary) = &session.entry(ix).kind
            && let Some(left) = summary.from
            // A damaged record can name itself as the leaf it left.
            && row_of[left.get()] != row_of[ix.get()]
        {
            bridges.push((row_of[left.get()], row_of[ix.get()]));
        }
    }
    bridges
}

fn has_text(entry: &Entry) -> bool {
    let says = |part: &(Category, u64)| part.0 == Category::AssistantText && part.1 > 0;
    let is_said = |message: &crate::entry::MessageSize| {
        message.role == Role::Assistant
            && (message.units.iter().any(says)
                || message.units.is_empty() && entry.tool_calls.is_empty())
    };
    entry.messages.iter().any(is_said)
}

/// Height of a row in units; `tokens` is the entry's estimate.
fn height(entry: &Entry, has_text: bool, tokens: u64) -> u8 {
    let is_long = tokens > LONG_TOKENS;
    match &entry.kind {
        EntryKind::Compaction(_) => 4,
        EntryKind::BranchSummary(_) => 3,
        EntryKind::Message(Role::User) => 2 + u8::from(is_long),
        EntryKind::Message(Role::Assistant) if has_text => 2 + u8::from(is_long),
        _ => 1,
    }
}

#[cfg(test)]
mod tests;
