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
    enum Fate {
        Blank,
        Lost,
        Warned,
        Header,
        Merged,
        Entry,
    }
    let mut fates: Vec<Fate> = bytes
        .split(|&byte| byte == b'\n')
        .map(|line| {
            if is_blank(line) {
                Fate::Blank
            } else {
                Fate::Lost
            }
        })
        .collect();
    let mut note = |line: u32, fate: Fate| {
        if let Some(known) = fates.get_mut(line as usize) {
            *known = (*known).max(fate);
        }
    };
    for entry in &session.entries {
        note(entry.source.line, Fate::Entry);
    }
    for merged in &session.merged {
        note(merged.line, Fate::Merged);
    }
    for &line in &session.headers {
        note(line, Fate::Header);
    }
    for line in session.warnings.iter().filter_map(|warning| warning.line) {
        note(line, Fate::Warned);
    }
    let count = |fate: Fate| fates.iter().filter(|&&other| other == fate).count() as u64;
    Account {
        lines: fates.len() as u64 - count(Fate::Blank),
        entries: count(Fate::Entry),
        merged: count(Fate::Merged),
        headers: count(Fate::Header),
        warned: count(Fate::Warned),
        lost: (0..)
            .zip(&fates)
            .filter(|(_, fate)| **fate == Fate::Lost)
            .map(|(line, _)| line)
            .collect(),
    }
}

/// True for nothing but white space, in the wide sense that JavaScript's `trim` gives it.
fn is_blank(line: &[u8]) -> bool {
    let blank = |c: char| c.is_whitespace() || c == '\u{feff}';
    std::str::from_utf8(line).is_ok_and(|line| line.chars().all(blank))
}
