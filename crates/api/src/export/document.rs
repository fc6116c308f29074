//! What is exported, before it has a form: headings, texts and tables, all of them plain text.

use std::ops::Range;

/// A document. No text in it has a form of its own: the renderers escape everything.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Document {
    /// What it is of.
    pub(crate) title: String,
    /// Its parts, in order.
    pub(crate) parts: Vec<Part>,
}

/// A part of a document.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Part {
    /// A heading, 2 to 6.
    Heading(u8, String),
    /// A paragraph in our words.
    Text(String),
    /// Names with values.
    Fields(Vec<(String, String)>),
    /// A list.
    List(Vec<String>),
    /// A table. Columns named in `right` hold figures.
    Table {
        head: Vec<String>,
        rows: Vec<Vec<String>>,
        right: Vec<usize>,
    },
    /// A text of the session, line by line.
    Verbatim(String),
    /// A text with ranges in bytes that have a meaning, which is a word of [`MEANINGS`].
    Marked(String, Vec<(Range<usize>, &'static str)>),
    /// Parts that a reader opens.
    Fold(String, Vec<Part>),
}

/// What a mark can mean: the statuses of facts, and what a summary adds.
pub(crate) const MEANINGS: [&str; 6] = [
    "verbatim",
    "reworded",
    "changed",
    "partial",
    "dropped",
    "introduced",
];

impl Document {
    pub(crate) fn new(title: impl Into<String>) -> Document {
        Document {
            title: title.into(),
            parts: Vec::new(),
        }
    }

    pub(crate) fn heading(&mut self, level: u8, text: impl Into<String>) {
        self.parts.push(Part::Heading(level, text.into()));
    }

    pub(crate) fn text(&mut self, text: impl Into<String>) {
        self.parts.push(Part::Text(text.into()));
    }

    /// Fields; those without a value are left out.
    pub(crate) fn fields<const N: usize>(&mut self, fields: [(&str, Option<String>); N]) {
        let given = fields
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), value?)));
        self.parts.push(Part::Fields(given.collect()));
    }

    /// Shows every text to `see`.
    pub(crate) fn each_text(&self, see: &mut dyn FnMut(&str)) {
        see(&self.title);
        self.parts.iter().for_each(|part| part.each_text(see));
    }

    /// The document with every text changed by `change`. Marks stay on the words they were on.
    pub(crate) fn map(self, change: &mut dyn FnMut(&str) -> String) -> Document {
        Document {
            title: change(&self.title),
            parts: self
                .parts
                .into_iter()
                .map(|part| part.map(change))
                .collect(),
        }
    }
}

impl Part {
    fn each_text(&self, see: &mut dyn FnMut(&str)) {
        match self {
            Part::Heading(_, text)
            | Part::Text(text)
            | Part::Verbatim(text)
            | Part::Marked(text, _) => see(text),
            Part::Fields(fields) => fields.iter().for_each(|(_, value)| see(value)),
            Part::List(items) => items.iter().for_each(|item| see(item)),
            Part::Table { rows, .. } => rows.iter().flatten().for_each(|cell| see(cell)),
            Part::Fold(title, parts) => {
                see(title);
                parts.iter().for_each(|part| part.each_text(see));
            }
        }
    }

    fn map(self, change: &mut dyn FnMut(&str) -> String) -> Part {
        match self {
            Part::Heading(level, text) => Part::Heading(level, change(&text)),
            Part::Text(text) => Part::Text(change(&text)),
            Part::Fields(fields) => Part::Fields(
                fields
                    .into_iter()
                    .map(|(name, value)| (name, change(&value)))
                    .collect(),
            ),
            Part::List(items) => Part::List(items.iter().map(|item| change(item)).collect()),
            Part::Table { head, rows, right } => Part::Table {
                head,
                rows: rows
                    .iter()
                    .map(|row| row.iter().map(|cell| change(cell)).collect())
                    .collect(),
                right,
            },
            Part::Verbatim(text) => Part::Verbatim(change(&text)),
            Part::Marked(text, marks) => {
                let mut out = String::new();
                let mut moved = Vec::with_capacity(marks.len());
                for (piece, meaning) in pieces(&text, &marks) {
                    let start = out.len();
                    out.push_str(&change(piece));
                    moved.extend(meaning.map(|meaning| (start..out.len(), meaning)));
                }
                Part::Marked(out, moved)
            }
            Part::Fold(title, parts) => Part::Fold(
                change(&title),
                parts.into_iter().map(|part| part.map(change)).collect(),
            ),
        }
    }
}

/// A text cut at its marks. Marks that overlap an earlier one are left out.
pub(crate) fn pieces<'a>(
    text: &'a str,
    marks: &[(Range<usize>, &'static str)],
) -> Vec<(&'a str, Option<&'static str>)> {
    let mut sorted: Vec<_> = marks.to_vec();
    sorted.sort_by_key(|(range, _)| (range.start, usize::MAX - range.end));
    let mut out = Vec::new();
    let mut at = 0;
    for (range, meaning) in sorted {
        if range.start < at || text.get(range.clone()).is_none_or(str::is_empty) {
            continue;
        }
        if at < range.start {
            out.push((&text[at..range.start], None));
        }
        out.push((&text[range.clone()], Some(meaning)));
        at = range.end;
    }
    if at < text.len() {
        out.push((&text[at..], None));
    }
    out
}
