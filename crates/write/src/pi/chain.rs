//! The entries of the written branch, from its root to its leaf.

use crate::refusal::{Refusal, check_summary};
use crate::request::{Change, Kept, NewCompaction, Request};
use palimpsest_core::{EntryIx, EntryKind, Session};

/// One record of the branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Link {
    /// An entry of the original.
    Copy(EntryIx),
    /// The new summary or message.
    Summary,
    /// A stored summary with another text.
    Replaced(EntryIx),
    /// An entry of the original a second time, behind a summary that keeps it.
    Again(EntryIx),
}

/// The branch that is written.
pub(super) struct Chain {
    /// Its records, root first.
    pub links: Vec<Link>,
}

impl Chain {
    /// The branch of `request`.
    pub fn of(request: &Request<'_>) -> Result<Chain, Refusal> {
        let session = request.session;
        let path = &request.context.path;
        let links = match request.change {
            Change::None => copies(session, path),
            Change::BranchSummary { text, .. } | Change::Message { text } => {
                check_summary(text)?;
                let mut links = copies(session, path);
                links.push(Link::Summary);
                links
            }
            Change::Replace { summary, text } => {
                check_summary(text)?;
                replaced(request, *summary)?
            }
            Change::Compaction(new) => {
                check_summary(&new.text)?;
                compacted(request, new)?
            }
        };
        if links.is_empty() {
            return Err(Refusal::Empty);
        }
        Ok(Chain { links })
    }

    /// How many records from the root on stand in the original just so.
    pub fn unchanged(&self, session: &Session) -> usize {
        let mut before = None;
        let stands = |link: &&Link| match link {
            Link::Copy(ix) => {
                // Labels between two entries are left out of the chain and stay in the file.
                let mut parent = session.entry(*ix).parent;
                while let Some(at) = parent.filter(|at| is_label(&session.entry(*at).kind)) {
                    parent = session.entry(at).parent;
                }
                let same = parent == before;
                before = Some(*ix);
                same
            }
            _ => false,
        };
        self.links.iter().take_while(stands).count()
    }
}

/// The entries without labels, as pi's own forks copy them.
fn copies(session: &Session, path: &[EntryIx]) -> Vec<Link> {
    let entries = path.iter().copied();
    let others = entries.filter(|ix| !is_label(&session.entry(*ix).kind));
    others.map(Link::Copy).collect()
}

fn replaced(request: &Request<'_>, summary: EntryIx) -> Result<Vec<Link>, Refusal> {
    let session = request.session;
    let mut links = copies(session, &request.context.path);
    // Only a summary of the context: another text elsewhere would change nothing.
    let mut items = request.context.items.iter();
    let is_sent = items.any(|item| item.entries.first() == Some(&summary));
    let kind = &session.entry(summary).kind;
    let is_summary = matches!(kind, EntryKind::Compaction(_) | EntryKind::BranchSummary(_));
    let place = links.iter().position(|link| *link == Link::Copy(summary));
    match place.filter(|_| is_sent && is_summary) {
        Some(place) => links[place] = Link::Replaced(summary),
        None => {
            let id = session.name_of(summary);
            return Err(Refusal::NoSummary { id });
        }
    }
    Ok(links)
}

fn compacted(request: &Request<'_>, new: &NewCompaction) -> Result<Vec<Link>, Refusal> {
    let session = request.session;
    let path = &request.context.path;
    let name = |ix: EntryIx| session.name_of(ix);
    let Some(place) = path.iter().position(|&ix| ix == new.after) else {
        return Err(Refusal::NotOnPath {
            id: name(new.after),
        });
    };
    let (before, later) = path.split_at(place + 1);
    let is_compaction = |ix: &EntryIx| matches!(session.entry(*ix).kind, EntryKind::Compaction(_));
    // The compaction that the new one takes the place of; a later one has a summary of its own.
    let later = match later.split_first() {
        Some((first, rest)) if is_compaction(first) => rest,
        _ => later,
    };
    if let Some(ix) = later.iter().find(|ix| is_compaction(ix)) {
        return Err(Refusal::LaterCompaction { id: name(*ix) });
    }
    let mut links = copies(session, before);
    links.push(Link::Summary);
    match &new.kept {
        Kept::Nothing => {}
        Kept::From(first) => {
            if !before.contains(first) {
                return Err(Refusal::NotOnPath { id: name(*first) });
            }
            // What an earlier compaction dropped would come back.
            if !new.context.selected.contains(first) {
                return Err(Refusal::NotKeepable { id: name(*first) });
            }
        }
        Kept::These(entries) => {
            for &ix in entries {
                if !before.contains(&ix) {
                    return Err(Refusal::NotOnPath { id: name(ix) });
                }
                let kind = &session.entry(ix).kind;
                let is_message = matches!(
                    kind,
                    EntryKind::Message(_)
                        | EntryKind::UserShell
                        | EntryKind::CustomMessage { .. }
                        | EntryKind::BranchSummary(_)
                );
                if !is_message {
                    return Err(Refusal::NotKeepable { id: name(ix) });
                }
                links.push(Link::Again(ix));
            }
        }
    }
    links.extend(copies(session, later));
    Ok(links)
}

/// True for a label, which is no part of a copied path.
pub(super) fn is_label(kind: &EntryKind) -> bool {
    matches!(kind, EntryKind::Label { .. })
}
