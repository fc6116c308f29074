//! What of an entry can be asked for beside its words: its kind, the tools it calls, their
//! commands and files, and a label.
//!
//! Each is a term of the full-text table with a character in front that no text has there
//! ([`super::terms`] makes a space of it), so one question joins them with words.

use super::terms::{in_terms, searchable, terms};

/// A property of an entry by which it can be found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Field {
    /// A tool it calls, or whose result it is.
    Tool,
    /// A shell command it runs.
    Command,
    /// A file that its tool calls name.
    File,
    /// What the record is, and who speaks in it.
    Kind,
    /// A label that the agent itself stores.
    Label,
}

impl Field {
    /// The character before its terms: from Unicode's private use area.
    pub(super) fn mark(self) -> char {
        match self {
            Field::Tool => '\u{e000}',
            Field::Command => '\u{e001}',
            Field::File => '\u{e002}',
            Field::Kind => '\u{e003}',
            Field::Label => '\u{e004}',
        }
    }
}

/// Appends what the full-text table holds of `text` as a value of `field`.
pub fn push_field(out: &mut String, field: Field, text: &str) {
    for term in in_terms(&searchable(text)) {
        out.push(' ');
        out.push(field.mark());
        let start = out.len();
        out.push_str(term);
        out[start..].make_ascii_lowercase();
    }
}

/// Appends a value of `field` that is one term as it stands: ASCII letters in lower case.
pub fn push_term(out: &mut String, field: Field, term: &str) {
    debug_assert_eq!(searchable(term), term, "not a term as it stands");
    out.push(' ');
    out.push(field.mark());
    out.push_str(term);
}

/// The kind of the entries that leave something to do open. Which these are changes with every record
/// of things to do, and words of entries do not: a table of its own has them.
pub const OPEN_TODO: &str = "open_todo";
/// Its term, which is also the name of the trait.
pub(super) const OPEN_TODO_TERM: &str = "opentodo";
/// The term of the kind that all of them have.
const TODO_TERM: &str = "todo";

/// A value of a field that is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sought {
    /// The field.
    pub field: Field,
    /// Words that must all be in it; one that ends in `*` is the beginning of a word.
    pub text: String,
}

impl Sought {
    /// True for the kind that the full-text table does not have.
    pub(super) fn is_open_todo(&self) -> bool {
        self.field == Field::Kind && self.text == OPEN_TODO_TERM
    }

    /// The expression for `MATCH`; `None` without a word.
    pub(super) fn expression(&self) -> Option<String> {
        let mark = self.field.mark();
        let text = if self.is_open_todo() {
            TODO_TERM
        } else {
            &self.text
        };
        let mut all: Vec<String> = terms(text)
            .into_iter()
            .map(|term| format!("\"{mark}{term}\""))
            .collect();
        if text.ends_with('*')
            && let Some(last) = all.last_mut()
        {
            last.push('*');
        }
        (!all.is_empty()).then(|| format!("({})", all.join(" AND ")))
    }
}

/// What a trait is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TraitKind {
    /// A word of the name of a tool that is called.
    Tool,
    /// A model that replied.
    Model,
    /// A branch of the project's repository.
    Branch,
    /// A kind of entry.
    Entry,
    /// Something unusual about a compaction ([`palimpsest_core::flag::Flag`]).
    Flag,
}

impl TraitKind {
    /// The name in the index.
    pub(super) fn name(self) -> &'static str {
        match self {
            TraitKind::Tool => "tool",
            TraitKind::Model => "model",
            TraitKind::Branch => "branch",
            TraitKind::Entry => "entry",
            TraitKind::Flag => "flag",
        }
    }
}
