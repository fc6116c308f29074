//! A sentence with what several rules ask of it. Every sentence of the model is held against a dozen
//! rules, and most of them read it in the same way: each reading is made once.

use crate::{identifiers, words};
use palimpsest_core::ledger::FactKind;
use std::cell::OnceCell;

/// A sentence, and what was read of it so far.
pub(crate) struct Sentence<'a> {
    pub text: &'a str,
    spaced: OnceCell<String>,
    content_words: OnceCell<usize>,
    names: OnceCell<bool>,
    /// Whether it is a plan, once that was asked.
    pub plan: OnceCell<bool>,
    /// Whether it announces a change, once that was asked.
    pub announcement: OnceCell<bool>,
}

impl<'a> Sentence<'a> {
    /// The sentence `text`.
    pub fn of(text: &'a str) -> Sentence<'a> {
        Sentence {
            text,
            spaced: OnceCell::new(),
            content_words: OnceCell::new(),
            names: OnceCell::new(),
            plan: OnceCell::new(),
            announcement: OnceCell::new(),
        }
    }

    /// Its words in lower case between single spaces; see [`spaced`].
    pub fn spaced(&self) -> &str {
        self.spaced.get_or_init(|| spaced(self.text))
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

    /// True where it asks.
    pub fn asks(&self) -> bool {
        self.text.trim_end().ends_with('?')
    }
}

/// Lower case, words separated by single spaces, one space at either end; an apostrophe belongs
/// to its word whatever its form.
pub(crate) fn spaced(sentence: &str) -> String {
    let mut out = String::with_capacity(sentence.len() + 2);
    out.push(' ');
    let mut is_spaced = true;
    for c in sentence.chars() {
        match c {
            '’' | '\'' => out.push('\''),
            '-' => out.push('-'),
            // ASCII first: every sentence of the model is read, and the general lower case looks in tables.
            c if c.is_ascii_alphanumeric() => out.push(c.to_ascii_lowercase()),
            c if !c.is_ascii() && c.is_alphanumeric() => out.extend(c.to_lowercase()),
            _ => {
                if !is_spaced {
                    out.push(' ');
                }
                is_spaced = true;
                continue;
            }
        }
        is_spaced = false;
    }
    if !is_spaced {
        out.push(' ');
    }
    out
}
