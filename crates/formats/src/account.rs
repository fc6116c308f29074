//! What became of every line of a source.

use palimpsest_core::Session;

/// The lines of a source by what became of them. A line is counted once, under the first of
/// entry, merged, header, warning that fits; blank lines are not counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Account {
    /// Lines that are not blank.
    pub lines: u64,
    /// Lines at which entries begin.
    pub entries: u64,
    /// Lines that say again what an entry says.
    pub merged: u64,
    /// Lines about the session as a whole.
    pub headers: u64,
    /// Lines that could not be read, with a warning that names them.
    pub warned: u64,
    /// 0-based lines of which nothing is known: a reader has lost them.
    pub lost: Vec<u32>,
}

/// Accounts for every line of `bytes`, the whole source of `session`.
pub fn account(session: &Session, bytes: &[u8]) -> Account {
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    enum LineKind {
        Blank,
        Lost,
        Warned,
        Header,
        Merged,
        Entry,
    }
    let mut kinds: Vec<LineKind> = bytes
        .split(|&byte| byte == b'\n')
        .map(|line| {
            if is_blank(line) {
                LineKind::Blank
            } else {
                LineKind::Lost
            }
        })
        .collect();
    let mut note = |line: u32, kind: LineKind| {
        if let Some(known) = kinds.get_mut(line as usize) {
            // A line with two records, or with a record and a warning, counts once; the enum is
            // in rising order.
            *known = (*known).max(kind);
        }
    };
    for entry in &session.entries {
        note(entry.source.line, LineKind::Entry);
    }
    for merged in &session.merged {
        note(merged.line, LineKind::Merged);
    }
    for &line in &session.headers {
        note(line, LineKind::Header);
    }
    // Warnings come last: many name a line that became an entry all the same.
    for line in session.warnings.iter().filter_map(|warning| warning.line) {
        note(line, LineKind::Warned);
    }
    let count = |kind: LineKind| kinds.iter().filter(|&&other| other == kind).count() as u64;
    Account {
        lines: kinds.len() as u64 - count(LineKind::Blank),
        entries: count(LineKind::Entry),
        merged: count(LineKind::Merged),
        headers: count(LineKind::Header),
        warned: count(LineKind::Warned),
        lost: (0..)
            .zip(&kinds)
            .filter(|(_, kind)| **kind == LineKind::Lost)
            .map(|(line, _)| line)
            .collect(),
    }
}

/// True for nothing but white space, in the wide sense that JavaScript's `trim` gives it.
fn is_blank(line: &[u8]) -> bool {
    let blank = |c: char| c.is_whitespace() || c == '\u{feff}';
    std::str::from_utf8(line).is_ok_and(|line| line.chars().all(blank))
}
