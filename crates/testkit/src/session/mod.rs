//! A builder for pi session files, versions 1 to 3.
//!
//! Each call appends one record under the current leaf, as pi would, and returns its id; [`PiSession::at`]
//! moves the leaf. Ids, times, sizes, usage, cuts and file lists are worked out by pi's rules,
//! so that a session of a few lines of code is consistent in itself. Records that pi would never
//! write go in through [`PiSession::record`] and [`PiSession::raw_line`].
//!
//! ```
//! use palimpsest_testkit::session::{PiSession, Reply};
//! use serde_json::json;
//!
//! let mut session = PiSession::new();
//! let question = session.user("What is in the README?");
//! session.assistant(Reply::new().call("read", json!({"path": "README.md"})));
//! session.tool_result("# Courier");
//! session.assistant(Reply::new().text("A title, nothing else."));
//! session.at(&question);
//! session.assistant(Reply::new().text("I would rather not look."));
//! assert_eq!(session.to_jsonl().lines().count(), 6);
//! ```

mod accounting;
mod parts;
mod records;

pub use accounting::Cut;
pub use parts::{CompactionSpec, Reply, ReplyUsage, SessionModel, Shell};

use crate::clock::FixedClock;
use crate::seeded::{IdSequence, Rng, uuid_v7};
use accounting::Record;
use serde_json::{Value, json};
use std::fs;
use std::io;
use std::path::Path;

/// The id of a record.
pub type Id = String;

/// What a session is made with.
#[derive(Debug, Clone)]
pub struct Options {
    /// Version of the file format: 1, 2 or 3.
    pub version: u32,
    /// Decides every id.
    pub seed: u64,
    /// The directory the agent worked in.
    pub cwd: String,
    /// When the session began.
    pub start: FixedClock,
    /// The model that answers until it is changed.
    pub model: SessionModel,
    /// Tokens of system prompt and tools that every request carries and the file does not hold.
    pub unrecorded_tokens: u64,
    /// Reported tokens for a hundred estimated ones; the estimate is a quarter of the text.
    pub reported_percent: u64,
    /// The file this session was forked from.
    pub parent_session: Option<String>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            version: 3,
            seed: 1,
            cwd: "/home/dana/projects/courier".to_owned(),
            start: FixedClock::default(),
            model: SessionModel::default(),
            unrecorded_tokens: 9_000,
            reported_percent: 100,
            parent_session: None,
        }
    }
}

/// A pi session in the making.
#[derive(Debug, Clone)]
pub struct PiSession {
    options: Options,
    session_id: String,
    created_at: String,
    clock: FixedClock,
    ids: IdSequence,
    rng: Rng,
    model: SessionModel,
    records: Vec<Record>,
    lines: Vec<Line>,
    leaf: Option<usize>,
    /// Calls of the newest assistant message that have no result yet: id and tool name.
    pending: Vec<(String, String)>,
}

#[derive(Debug, Clone)]
enum Line {
    Record(usize),
    Raw(String),
}

impl PiSession {
    /// A version 3 session with the default options.
    pub fn new() -> PiSession {
        PiSession::with(Options::default())
    }

    /// A session of an older version with the other options at their defaults.
    pub fn version(version: u32) -> PiSession {
        PiSession::with(Options {
            version,
            ..Options::default()
        })
    }

    /// A session with the given options.
    pub fn with(options: Options) -> PiSession {
        let clock = options.start;
        PiSession {
            session_id: uuid_v7(clock.now_ms(), options.seed),
            created_at: clock.iso(),
            clock,
            ids: IdSequence::new(options.seed),
            rng: Rng::new(options.seed.wrapping_mul(31)),
            model: options.model.clone(),
            records: Vec::new(),
            lines: Vec::new(),
            leaf: None,
            pending: Vec::new(),
            options,
        }
    }

    /// The session's id.
    pub fn session_id(&self) -> &str {
        &self.session_id
    }

    /// The working directory in the header.
    pub fn cwd(&self) -> &str {
        &self.options.cwd
    }

    /// The header's time, ISO 8601.
    pub fn created_at(&self) -> &str {
        &self.created_at
    }

    /// The number of records, the header not counted.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// True when there is nothing but the header.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// The id of the record under which the next one goes; `None` at the very beginning.
    pub fn leaf(&self) -> Option<Id> {
        self.leaf.map(|at| self.id_of(at))
    }

    /// Moves the leaf to the record with this id, as choosing it in pi's tree would.
    ///
    /// # Panics
    /// When no record has the id, or in a version 1 file, which cannot branch.
    pub fn at(&mut self, id: &str) -> &mut Self {
        assert!(
            self.options.version > 1,
            "a version 1 file has no tree to move in"
        );
        self.leaf = Some(self.position(id));
        self.pending.clear();
        self
    }

    /// Moves the leaf before the first record, so that the next one becomes another root.
    pub fn at_root(&mut self) -> &mut Self {
        self.leaf = None;
        self.pending.clear();
        self
    }

    /// Lets time pass before the next record.
    pub fn pause_ms(&mut self, ms: i64) -> &mut Self {
        self.clock.advance_ms(ms);
        self
    }

    /// pi's estimate of the context at the leaf, in tokens, without what the file does not hold.
    pub fn context_estimate(&self) -> u64 {
        accounting::context_estimate(&self.records, self.leaf)
    }

    /// Where a compaction at the leaf would cut; `None` when there is nothing to cut.
    pub fn cut(&self, keep_recent: u64) -> Option<Cut> {
        accounting::find_cut(&self.records, self.leaf, keep_recent)
    }

    /// The record at a position, as stored.
    pub fn stored(&self, position: usize) -> &Value {
        &self.records[position].value
    }

    /// Appends any record under the leaf; `type` and its fields are the caller's, id, parent and
    /// time are added. Returns the id.
    pub fn record(&mut self, fields: Value) -> Id {
        self.append(fields)
    }

    /// Puts a line into the file as it is: a broken record, a blank line, a second header.
    pub fn raw_line(&mut self, line: &str) -> &mut Self {
        self.lines.push(Line::Raw(line.to_owned()));
        self
    }

    /// A new session that starts with the path to the leaf, as pi's fork does: same entry ids and
    /// times, labels left out, the source named in the header.
    pub fn fork(&self, source_path: &str, seed: u64) -> PiSession {
        let mut options = self.options.clone();
        options.seed = seed;
        options.start = self.clock;
        options.parent_session = Some(source_path.to_owned());
        let mut fork = PiSession::with(options);
        fork.model = self.model.clone();
        let path = accounting::path(&self.records, self.leaf);
        for at in path
            .into_iter()
            .filter(|&at| self.records[at].value["type"] != "label")
        {
            let mut value = self.records[at].value.clone();
            value["parentId"] = json!(fork.leaf());
            fork.push(value);
        }
        fork
    }

    /// The file's text; every line ends with a line feed.
    pub fn to_jsonl(&self) -> String {
        let mut text = self.header().to_string();
        text.push('\n');
        for line in &self.lines {
            match line {
                Line::Record(at) => text.push_str(&self.stored_form(*at).to_string()),
                Line::Raw(raw) => text.push_str(raw),
            }
            text.push('\n');
        }
        text
    }

    /// Writes the file.
    pub fn write_to(&self, path: impl AsRef<Path>) -> io::Result<()> {
        fs::write(path, self.to_jsonl())
    }

    fn header(&self) -> Value {
        let mut header = json!({ "type": "session" });
        if self.options.version > 1 {
            header["version"] = json!(self.options.version);
        }
        header["id"] = json!(self.session_id);
        header["timestamp"] = json!(self.created_at);
        header["cwd"] = json!(self.options.cwd);
        if self.options.version == 1 {
            header["provider"] = json!(self.options.model.provider);
            header["modelId"] = json!(self.options.model.id);
            header["thinkingLevel"] = json!("off");
        }
        if let Some(parent) = &self.options.parent_session {
            let key = if self.options.version == 1 {
                "branchedFrom"
            } else {
                "parentSession"
            };
            header[key] = json!(parent);
        }
        header
    }

    /// The record as the file's version stores it.
    fn stored_form(&self, at: usize) -> Value {
        let mut value = self.records[at].value.clone();
        let Some(fields) = value.as_object_mut() else {
            return value;
        };
        if self.options.version == 2 && fields["type"] == "custom_message" {
            let mut message = json!({ "role": "hookMessage" });
            for key in ["customType", "content", "display", "details"] {
                if let Some(field) = fields.shift_remove(key) {
                    message[key] = field;
                }
            }
            fields["type"] = json!("message");
            fields.insert("message".to_owned(), message);
        }
        if self.options.version == 1 {
            fields.shift_remove("id");
            fields.shift_remove("parentId");
            if let Some(kept) = fields.shift_remove("firstKeptEntryId") {
                // The index counts the header.
                let index = kept.as_str().map(|id| self.position(id) + 1);
                fields.insert("firstKeptEntryIndex".to_owned(), json!(index));
            }
        }
        value
    }

    fn append(&mut self, fields: Value) -> Id {
        let Value::Object(fields) = fields else {
            panic!("a record is a JSON object, not {fields}");
        };
        let id = self.ids.next_id();
        let mut value = json!({
            "type": fields["type"],
            "id": id,
            "parentId": self.leaf(),
            "timestamp": self.clock.iso(),
        });
        for (key, field) in fields.into_iter().filter(|(key, _)| key != "type") {
            value[key] = field;
        }
        self.push(value);
        id
    }

    fn push(&mut self, value: Value) {
        let at = self.records.len();
        self.records.push(Record {
            parent: self.leaf,
            value,
        });
        self.lines.push(Line::Record(at));
        self.leaf = Some(at);
    }

    fn id_of(&self, at: usize) -> Id {
        self.records[at].value["id"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }

    #[track_caller]
    fn position(&self, id: &str) -> usize {
        match self
            .records
            .iter()
            .position(|record| record.value["id"] == id)
        {
            Some(at) => at,
            None => panic!("no record of this session has the id {id}"),
        }
    }
}

impl Default for PiSession {
    fn default() -> Self {
        PiSession::new()
    }
}
