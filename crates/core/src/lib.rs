//! The vocabulary of Palimpsest: sessions, entries, trees, contexts and ledgers.
//!
//! Everything here is plain data and pure functions over it. There is no I/O, no clock and no
//! thread, so that the same code runs natively, in the browser and under property tests.
//! Text is not kept in a [`Session`]: an entry knows where its bytes lie ([`SourceSpan`]), and
//! whoever needs the words asks a [`Bodies`] implementation for them. A 165 MB session is then
//! a few megabytes of entries.

pub mod body;
pub mod call;
pub mod category;
pub mod context;
pub mod context_tags;
pub mod entry;
pub mod estimate;
pub mod failure;
pub mod figure;
pub mod flag;
pub mod ids;
pub mod joined;
pub mod json;
pub mod kinds;
pub mod labels;
pub mod layout;
pub mod ledger;
pub mod places;
pub mod rows;
pub mod score;
pub mod session;
pub mod stored;
pub mod terminal;
pub mod title;
pub mod tree;
pub mod unreadable;
pub mod usage;
pub mod words;

pub use body::{Block, Bodies, Body, BodyError, Message, Role, SubagentResult, ToolRef};
pub use category::Category;
pub use context::{Context, ContextItem, ItemEntries, ItemKind, Origin};
pub use entry::{Entry, EntryKind, MessageSize, Outcome, SourceSpan};
pub use failure::{Failure, NextStep, Problem};
pub use ids::{Agent, EntryId, EntryIx};
pub use kinds::{RecordKind, SummaryKind};
pub use places::EntryPlaces;
pub use session::{
    AnswerPlace, FileState, LinkKind, Merged, Session, SessionLink, SessionMeta, SourcePart,
    Warning,
};
pub use tree::Tree;
pub use usage::Usage;
