//! A sentence with what several rules ask of it. Every sentence of the model is held against a dozen
//! rules, and most of them read it in the same way: each reading is made once.

use crate::{identifiers, prose, statements, words};
use palimpsest_core::ledger::FactKind;
use std::cell::OnceCell;

/// A sentence, and what was read of it so far.
pub(crate) struct Sentence<'a> {
    pub text: &'a str,
    spaced: OnceCell<String>,
    content_words: OnceCell<usize>,
    names: OnceCell<bool>,
    is_plan: OnceCell<bool>,
    announces_change: OnceCell<bool>,
}

impl<'a> Sentence<'a> {
    /// The sentence `text`.
    pub fn of(text: &'a str) -> Sentence<'a> {
        Sentence {
            text,
            spaced: OnceCell::new(),
            content_words: OnceCell::new(),
            names: OnceCell::new(),
            is_plan: OnceCell::new(),
            announces_change: OnceCell::new(),
        }
    }

    /// Its words in lower case between single spaces; see [`prose::spaced`].
    pub fn spaced(&self) -> &str {
        self.spaced.get_or_init(|| prose::spaced(self.text))
    }

    /// How many content words it has.
    pub fn content_words(&self) -> usize {
        *self
            .content_words
            .get_or_init(|| words::content_words(self.text).len())
    }

    /// True where it names a symbol or a file.
    pub fn names(&self) -> bool {
        let is_name = |kind| matches!(kind, FactKind::Symbol | FactKind::Path);
        *self.names.get_or_init(|| {
            let found = identifiers::scan(self.text);
            found.iter().any(|found| is_name(found.kind))
        })
    }

    /// True where it names something of the code: a symbol, a file, the rule of a linter, or anything in
    /// backticks.
    pub fn names_code(&self) -> bool {
        self.text.matches('`').count() >= 2
            || self.names()
            || identifiers::rule_codes(self.text).next().is_some()
    }

    /// See [`prose::is_plan`].
    pub fn is_plan(&self) -> bool {
        *self.is_plan.get_or_init(|| prose::is_plan(self))
    }

    /// See [`statements::announces_change`].
    pub fn announces_change(&self) -> bool {
        let announces = || statements::announces_change(self);
        *self.announces_change.get_or_init(announces)
    }

    /// True where it asks.
    pub fn asks(&self) -> bool {
        self.text.trim_end().ends_with('?')
    }
}
