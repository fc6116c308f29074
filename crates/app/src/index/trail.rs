//! What the entries before an entry tell of it: the calls that its results answer, the files that it
//! reads again, the task and the subagent it is of. Kept between two readings of a file that grows.

use super::calls::{Runs, Waiting, Waits};
use super::reads::Reads;
use super::subagents::Subagents;
use super::todos::Todos;
use palimpsest_core::{Body, Entry};
use serde::{Deserialize, Serialize};

/// What is remembered of the entries read so far.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Trail {
    #[serde(default, skip_serializing_if = "Waiting::is_empty")]
    waiting: Waiting,
    #[serde(default, skip_serializing_if = "Reads::is_empty")]
    reads: Reads,
    #[serde(default, skip_serializing_if = "Todos::is_empty")]
    todos: Todos,
    #[serde(default, skip_serializing_if = "Subagents::is_empty")]
    subagents: Subagents,
}

/// What the entries before an entry tell of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Told {
    /// What its own calls run.
    pub(super) runs: Runs,
    /// The calls whose results it holds.
    pub(super) answered: Vec<Waits>,
    /// True where it is the first to read a file after a compaction that was used before it.
    pub(crate) rereads: bool,
    /// The name of the task that it changes by its number, or of the subagent that wrote it.
    pub(crate) about: Option<String>,
    /// The subagent that wrote it: its names and what it was started for.
    pub(crate) subagent: Option<String>,
    /// True for the last list of things to do, where something in it is open.
    pub(crate) is_open_todo: bool,
}

impl Trail {
    /// True when nothing is remembered.
    pub(super) fn is_empty(&self) -> bool {
        *self == Trail::default()
    }

    /// Notes an entry. A record that is too long to be read has no body.
    pub(crate) fn pass(&mut self, entry: &Entry, body: Option<&Body>) -> Told {
        let Some(body) = body else {
            return Told {
                rereads: self.reads.pass(entry, &Runs::default()),
                ..Told::default()
            };
        };
        let (runs, answered) = self.waiting.pass(entry, body);
        let task = self.todos.pass(entry, body);
        let subagent = self.subagents.pass(entry, body);
        let about: Vec<String> = subagent.names.into_iter().chain(task).collect();
        Told {
            rereads: self.reads.pass(entry, &runs),
            about: (!about.is_empty()).then(|| about.join("\n")),
            subagent: subagent.label,
            runs,
            answered,
            is_open_todo: false,
        }
    }

    /// The lines of the records that leave something to do open, in order.
    pub(crate) fn open_todos(&self) -> Vec<u32> {
        self.todos.open_lines()
    }

    /// Keeps what is stored between two readings.
    pub(super) fn settle(&mut self) {
        self.waiting.settle();
    }
}
