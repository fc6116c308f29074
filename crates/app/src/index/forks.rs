//! Forks of which no record tells: sessions of one agent with the same first prompt at the same
//! time.
//!
//! Claude Code copies the records of the source with their ids and times, OpenCode under new ids
//! with their times. Neither names the source.

use palimpsest_core::{Entry, EntryKind, LinkKind, Role};
use palimpsest_store::index::{Beginning, MessageTime, SessionRow};
use palimpsest_store::{IndexWriter, StoreError};
use std::collections::{HashMap, HashSet};

/// Sessions with one beginning that are compared; each is read from the index.
const MOST_COMPARED: usize = 50;

/// What the beginning of a session is known by: its first prompt with its time. `None` for another
/// entry, and for a time of whole seconds, which two sessions may share by chance.
pub(super) fn beginning_of(entry: &Entry) -> Option<String> {
    let at = entry.at_ms.filter(|at| at % 1_000 != 0)?;
    let is_prompt = entry.kind == EntryKind::Message(Role::User) && !entry.sidechain;
    is_prompt.then(|| format!("{at} {}", entry.preview))
}

/// Notes for all sessions with a beginning which one the others were made from and where each of
/// them differs. Asked for whenever one of them came, changed or went, so that the notes are those
/// of the sessions there are, in whatever order they were read.
pub(super) fn relate(writer: &IndexWriter<'_>, beginning: &Beginning) -> Result<(), StoreError> {
    let mut all = writer.beginning_alike(beginning)?;
    all.truncate(MOST_COMPARED);
    let mut rows = Vec::with_capacity(all.len());
    for num in all {
        rows.extend(writer.session(num)?);
    }
    let ids: HashSet<&str> = rows.iter().map(|row| row.native_id.as_str()).collect();
    if ids.len() < 2 {
        for row in &rows {
            writer.put_shared(row.num, None)?;
            writer.put_own_from(row.num, None)?;
        }
        return Ok(());
    }
    let mut members = Vec::with_capacity(rows.len());
    for row in rows {
        let times = writer.message_times(row.num)?;
        members.push(Member { row, times });
    }
    // Two files of one session hold the same messages and are no forks of each other.
    let mut holders: HashMap<i64, HashSet<&str>> = HashMap::new();
    for member in &members {
        for message in &member.times {
            let names = holders.entry(message.at_ms).or_default();
            names.insert(&member.row.native_id);
        }
    }
    let is_own = |message: &&MessageTime| {
        let names = holders.get(&message.at_ms);
        names.is_some_and(|names| names.len() == 1)
    };
    // The source went on before its copies did; one that was copied whole has nothing of its own and
    // ends before.
    let begins = |member: &Member| {
        let first = member.times.iter().find(is_own);
        first.or(member.times.last()).map(|message| message.at_ms)
    };
    // What names its parent is a fork itself.
    let may_be_source = |member: &&Member| {
        let parent = member.row.parent_session.as_ref();
        parent.is_none() || member.row.parent_kind == Some(LinkKind::SharesBeginning)
    };
    let candidates = members.iter().filter(may_be_source);
    let source = candidates.min_by(|a, b| {
        let order = begins(a).cmp(&begins(b));
        order.then_with(|| a.row.path.cmp(&b.row.path))
    });
    let name = source.map(|source| source.row.native_id.as_str());
    for member in &members {
        let num = member.row.num;
        let with = name.filter(|name| *name != member.row.native_id);
        writer.put_shared(num, with)?;
        let mut prompts = member.times.iter().filter(|message| message.is_prompt);
        let own = prompts.find(is_own).map(|message| message.ix);
        writer.put_own_from(num, own)?;
    }
    Ok(())
}

/// A session that is compared.
struct Member {
    row: SessionRow,
    times: Vec<MessageTime>,
}
