//! Identities: agents, and entries by position and by name.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Mutex, PoisonError};

/// The coding agent that wrote a session, by the name used on the wire, on the command line and
/// in queries.
///
/// Which agents there are is the table of formats; nothing else lists them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct Agent(&'static str);

impl Agent {
    /// pi, and programs that reuse its session file.
    pub const PI: Agent = Agent::named("pi");

    /// The agent called `name`: lower-case words joined by hyphens.
    pub const fn named(name: &'static str) -> Agent {
        Agent(name)
    }

    /// The agent's name.
    pub fn name(self) -> &'static str {
        self.0
    }

    /// The agent whose name was stored, known to this program or not.
    ///
    /// Each distinct name is kept for the rest of the process; there are as many as agents.
    pub fn from_stored(name: &str) -> Agent {
        // `Agent` is `Copy` over a static name, so a name from a database is leaked once and then
        // shared.
        static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
        // A panic between `get` and `insert` leaves the set valid.
        let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = names.get(name) {
            return Agent(known);
        }
        let kept: &'static str = Box::leak(name.to_owned().into_boxed_str());
        names.insert(kept);
        Agent(kept)
    }
}

impl<'de> Deserialize<'de> for Agent {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Agent, D::Error> {
        String::deserialize(from).map(|name| Agent::from_stored(&name))
    }
}

impl fmt::Display for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The position of an entry in [`crate::Session::entries`], which is file order.
///
/// Stable while a file is only appended to; not stable across a rewrite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EntryIx(pub u32);

impl EntryIx {
    /// The position as an index into a slice.
    pub fn get(self) -> usize {
        self.0 as usize
    }

    /// The entry at `index`; sessions of more than 2^32 entries do not exist.
    pub fn new(index: usize) -> EntryIx {
        // Four bytes instead of eight: a session has several lists of positions, each as long as
        // its entries.
        EntryIx(u32::try_from(index).unwrap_or(u32::MAX))
    }
}

/// An entry's id as the agent wrote it, or one made up where the format has none
/// (`line:N` for version 1 of pi, which identifies records by position only).
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EntryId(pub Box<str>);

impl EntryId {
    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for EntryId {
    fn from(text: &str) -> Self {
        EntryId(text.into())
    }
}

impl From<String> for EntryId {
    fn from(text: String) -> Self {
        EntryId(text.into_boxed_str())
    }
}

impl fmt::Display for EntryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
