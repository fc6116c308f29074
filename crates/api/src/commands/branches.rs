//! The branches of a session, and two of them side by side.

use super::ledger::diff_rows;
use super::{names, writing};
use crate::render::call_shape;
use crate::wire::*;
use palimpsest_app::view::branches as view;
use palimpsest_app::{App, AppError, AppResult, OpenSession, Spending};
use palimpsest_core::failure::NextStep;
use palimpsest_core::layout::{LaneKind, SideBranch, active_branch};
use palimpsest_core::{Block, Bodies as _, EntryIx, EntryKind, Role};

/// Most commands of a branch that are sent; a number says how many there are.
const MOST_COMMANDS: usize = 100;

/// The branches of a session.
pub(crate) fn branches(app: &App, request: SessionRequest) -> AppResult<BranchesView> {
    let open = app.open(&request.session)?;
    let found = view::branches(&open);
    let summaries = view::summaries(&open);
    let mut forks: Vec<EntryIx> = found.iter().filter_map(|branch| branch.from).collect();
    forks.sort();
    forks.dedup();
    Ok(BranchesView {
        branches: found
            .iter()
            .map(|branch| branch_view(&open, branch, &summaries))
            .collect(),
        active: active_branch(&open.session, &open.tree, &found)
            .map(|branch| branch_view(&open, &branch, &summaries)),
        fork_ids: names::ids(&open.session, &forks),
        leaf_id: open
            .session
            .active_leaf
            .map(|ix| names::id(&open.session, ix)),
    })
}

fn branch_view(
    open: &OpenSession,
    branch: &SideBranch,
    summaries: &[(EntryIx, EntryIx)],
) -> SessionBranch {
    let id = |ix| names::id(&open.session, ix);
    let entries = branch.entries.iter().map(|&ix| open.session.entry(ix));
    SessionBranch {
        kind: match branch.kind {
            LaneKind::Active if branch.from.is_none() => BranchKind::Root,
            LaneKind::Root => BranchKind::Root,
            _ => BranchKind::Branch,
        },
        name: branch.name.clone(),
        from_id: branch.from.map(id),
        first_id: id(branch.first()),
        tip_id: id(branch.tip),
        entries: branch.entries.len() as u64,
        prompts: prompts(open, &branch.entries),
        tokens: entries.clone().map(|entry| entry.estimate()).sum(),
        updated_at: entries.filter_map(|entry| entry.at_ms).max(),
        summary_ids: {
            let of_this =
                |(_, left): &&(EntryIx, EntryIx)| branch.entries.binary_search(left).is_ok();
            let told = summaries.iter().filter(of_this);
            told.map(|&(ix, _)| id(ix)).collect()
        },
    }
}

fn prompts(open: &OpenSession, entries: &[EntryIx]) -> u64 {
    let is_prompt = |ix: &&EntryIx| open.session.entry(**ix).kind == EntryKind::Message(Role::User);
    entries.iter().filter(is_prompt).count() as u64
}

/// Two branches since they parted.
pub(crate) fn compare(app: &App, request: BranchCompareRequest) -> AppResult<BranchCompareView> {
    let open = app.open(&request.session)?;
    let left = open.resolve(&request.left)?;
    let right = match request.right.as_deref() {
        Some(right) => open.resolve(right)?,
        None => open.resolve_or_leaf(None)?.unwrap_or(left),
    };
    if left == right {
        return Err(AppError::bad_request(
            format!(
                "both sides are the entry {}, so there is nothing to compare",
                names::id(&open.session, left)
            ),
            NextStep::ChooseBranch,
        ));
    }
    let ancestor = open.tree.common_ancestor(left, right);
    let left = side(app, &open, ancestor, left)?;
    let right = side(app, &open, ancestor, right)?;
    Ok(BranchCompareView {
        common_ancestor_id: ancestor.map(|ix| names::id(&open.session, ix)),
        rows: diff_rows(&left.answer, &right.answer),
        left,
        right,
    })
}

/// What the path to `tip` did behind `ancestor`.
fn side(
    app: &App,
    open: &OpenSession,
    ancestor: Option<EntryIx>,
    tip: EntryIx,
) -> AppResult<BranchSide> {
    let shared = ancestor.map_or(0, |ix| open.tree.depth(ix) as usize + 1);
    let entries = open.tree.path(tip).split_off(shared);
    let own = || entries.iter().map(|&ix| open.session.entry(ix));
    let mut spending = Spending::default();
    for entry in own() {
        palimpsest_app::cost::add(&mut spending, entry);
    }
    let cost = spending.cost(app.catalog());
    let ran = commands(open, &entries)?;
    let ids = ran.iter().map(|own| own.call_id.clone()).collect();
    let trouble = view::trouble(open, &entries, &ids)?;
    let scripts: Vec<String> = ran.iter().map(|own| own.script.clone()).collect();
    let files = view::files_touched(open, &entries, &scripts);
    let total_commands = ran.len() as u64;
    let commands = ran.into_iter().take(MOST_COMMANDS);
    let commands = commands.map(|own| BranchCommand {
        entry_id: names::id(&open.session, own.entry),
        failed: trouble.calls.contains(&own.call_id),
        command: own.script,
    });
    let answer = view::last_answer(open, &entries)?;
    Ok(BranchSide {
        tip_id: names::id(&open.session, tip),
        entries: entries.len() as u64,
        prompts: prompts(open, &entries),
        calls: own().map(|entry| entry.tool_calls.len() as u64).sum(),
        failed: trouble.results,
        commands: commands.collect(),
        total_commands,
        files: FileLists {
            read: files.read,
            modified: files.modified,
        },
        tokens: own().map(|entry| entry.estimate()).sum(),
        context: writing::side(app, open, Some(tip)),
        cost_usd: cost.map(|cost| cost.usd),
        cost_computed: cost.is_some_and(|cost| cost.is_computed),
        answer_id: answer.as_ref().map(|(ix, _)| names::id(&open.session, *ix)),
        answer: answer.map(|(_, text)| text).unwrap_or_default(),
    })
}

/// A shell command that a call runs.
struct Ran {
    entry: EntryIx,
    call_id: String,
    script: String,
}

/// The shell commands among the calls.
fn commands(open: &OpenSession, entries: &[EntryIx]) -> AppResult<Vec<Ran>> {
    let mut found = Vec::new();
    let calling = entries
        .iter()
        .filter(|ix| !open.session.entry(**ix).tool_calls.is_empty());
    for &ix in calling {
        let body = open.bodies.body(ix)?;
        let blocks = body.messages.iter().flat_map(|message| &message.blocks);
        for block in blocks {
            let Block::ToolCall { arguments, id, .. } = block else {
                continue;
            };
            if let CallShape::Command { text, .. } = call_shape(arguments, &[]) {
                found.push(Ran {
                    entry: ix,
                    call_id: id.clone(),
                    script: text,
                });
            }
        }
    }
    Ok(found)
}
