//! What every agent's folder implements.

use crate::assembly::Assembly;
use crate::coverage::Coverage;
use crate::queueing::Queueing;
use crate::reading::{BudgetPolicy, FirstReport, GivenAgain, Places, Reading};
use palimpsest_core::{
    Agent, Bodies, Body, BodyError, Context, ContextItem, Entry, EntryIx, Message, Session,
    SessionMeta, Tree,
};
use std::path::{Path, PathBuf};

/// How one agent stores its sessions, and what it sends to the model from any entry of one.
pub trait SessionFormat: Send + Sync {
    /// The agent.
    fn agent(&self) -> Agent;

    /// What the reader covers: versions, places, records and limits.
    fn coverage(&self) -> &'static Coverage;

    /// The folders in which this agent keeps sessions by default, overrides included, most
    /// specific first; they need not exist.
    fn default_roots(&self, places: &Places) -> Vec<PathBuf>;

    /// True for a file name that may be one of this agent's sessions.
    fn is_candidate(&self, path: &Path) -> bool;

    /// True when the first bytes of a file (up to 64 KiB), or its name where these do not tell,
    /// look like this agent's.
    fn sniff(&self, path: &Path, head: &[u8]) -> bool;

    /// True for the name of a file whose sessions its assembly lists, with their states: one that
    /// may hold many, such as a database, or whose own size and time do not tell of changes.
    fn is_container(&self, _path: &Path) -> bool {
        false
    }

    /// True for a folder of the agent's own below which no session begins, so that nobody need look
    /// through or watch what can be a hundred thousand files.
    fn is_internal(&self, _folder: &Path) -> bool {
        false
    }

    /// How the sessions of a file that [`SessionFormat::sniff`] accepted are put together; `None`
    /// when the file is one session and its lines are the records.
    fn assembly(&self, _path: &Path, _head: &[u8]) -> Option<&'static dyn Assembly> {
        None
    }

    /// True where every session is the lines of one file, whatever its name and first bytes:
    /// [`SessionFormat::assembly`] gives nothing for any file.
    fn is_one_file(&self) -> bool {
        false
    }

    /// Small files beside the file of a session that tell of it as a whole, such as its name; they
    /// need not exist. An [`Assembly`] reads such files itself.
    fn beside(&self, _session: &Path) -> Vec<PathBuf> {
        Vec::new()
    }

    /// The session that a file beside it tells of: a change of the one is looked at as a change of
    /// the other, and the file itself is listed as nothing.
    fn session_beside(&self, _file: &Path) -> Option<PathBuf> {
        None
    }

    /// Takes what a file of [`SessionFormat::beside`] holds, `None` where it does not exist. It is
    /// called before the first record is read and again when the file may have changed; only the
    /// newest content counts, whatever was read before.
    fn take_beside(&self, _reading: &mut Reading, _file: &Path, _bytes: Option<&[u8]>) {}

    /// True when its files grow by lines and its reader remembers, from one reading to the next, what
    /// later lines need. The sources of others are read whole each time.
    fn goes_on(&self) -> bool {
        false
    }

    /// Reads what follows `reading.state.offset` in the source.
    ///
    /// `chunk` begins at that offset. Whole lines are consumed. With `at_end`, a last line without
    /// a line end is consumed when it is a complete record; otherwise it stays unconsumed and is
    /// reported as [`Reading::partial_line`], because the agent may still be writing it.
    /// Returns the number of bytes consumed.
    fn take(&self, reading: &mut Reading, chunk: &[u8], at_end: bool) -> usize;

    /// [`take`](SessionFormat::take) with sizes that can be added up: a damaged file can say anything.
    fn read(&self, reading: &mut Reading, chunk: &[u8], at_end: bool) -> usize {
        let known = reading.session.entries.len();
        let consumed = self.take(reading, chunk, at_end);
        for entry in reading.session.entries.iter_mut().skip(known) {
            entry.bound();
        }
        consumed
    }

    /// The text of one entry, from the bytes its [`palimpsest_core::SourceSpan`] names.
    fn body(&self, meta: &SessionMeta, entry: &Entry, raw: &[u8]) -> Body;

    /// What the agent would send from `at`; `None` stands before the first entry.
    fn context(&self, session: &Session, tree: &Tree, at: Option<EntryIx>) -> Context;

    /// The message of a context item as the model gets it: edits applied, shell runs and
    /// summaries as user text. A summary is its bare text; the sentence an agent wraps round it
    /// is that agent's wording.
    fn item_message(
        &self,
        session: &Session,
        item: &ContextItem,
        bodies: &dyn Bodies,
    ) -> Result<Message, BodyError>;

    /// True for an id that no record of another session has by chance, so that two sessions with it
    /// share their beginning: one is a fork of which no record tells.
    fn is_unique_id(&self, id: &str) -> bool {
        // Ids of this length are uuids.
        id.len() == 36
    }

    /// True where sessions with the same native id are copies of one, such as exports made at
    /// different times: no copy goes on by itself.
    fn exports_copies(&self) -> bool {
        false
    }

    /// The model's context window in tokens at `at`, where the session itself tells of it.
    fn window(&self, _session: &Session, _tree: &Tree, _at: Option<EntryIx>) -> Option<u64> {
        None
    }

    /// What the agent sends again after the compaction whose summary ends `path` (root first)
    /// although no record holds it.
    fn given_again(&self, _session: &Session, _path: &[EntryIx]) -> Vec<GivenAgain> {
        Vec::new()
    }

    /// The entries on `path` with prompts that the user sent while the agent worked and that no
    /// message of the session holds.
    fn passed_on(&self, _session: &Session, _path: &[EntryIx]) -> Vec<EntryIx> {
        Vec::new()
    }

    /// The prompt in the record of an entry that [`SessionFormat::passed_on`] gives.
    fn passed_on_prompt(&self, _raw: &[u8]) -> Option<String> {
        None
    }

    /// What the record of an entry does with the queue of prompts that wait until the model is done.
    fn queueing(&self, _entry: &Entry) -> Option<Queueing> {
        None
    }

    /// Tokens sent with every request beside the messages: what the first report is above the
    /// estimates of what was sent then.
    fn beside_messages(&self, first: &FirstReport) -> u64 {
        first.request.saturating_sub(first.sent)
    }

    /// The auto-compaction threshold for a model with this context window in tokens.
    fn policy(&self, window: u64) -> BudgetPolicy;

    /// When the agent compacts automatically at `at`: the rule of the version that wrote the
    /// session, or what the session's own automatic compactions up to `at` tell of it.
    fn policy_at(
        &self,
        _session: &Session,
        _tree: &Tree,
        _at: Option<EntryIx>,
        window: u64,
    ) -> BudgetPolicy {
        self.policy(window)
    }
}
