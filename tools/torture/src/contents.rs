//! Everything an index says, as text, without its own numbers and times.

use palimpsest_app::stored::{IndexDb, SessionFilter, SessionNum, SessionSort};
use std::fmt::Write as _;
use std::path::Path;

/// Most sessions that are compared; a folder of an attack has fewer.
const MOST_SESSIONS: u64 = 10_000;

/// The rows of an index, one on each line, sorted by session.
///
/// Errors: the text of what the database reports.
pub fn contents(index: &Path) -> Result<String, String> {
    let fails = |error: palimpsest_app::AppError| error.to_string();
    let (db, _) = IndexDb::open(index).map_err(|error| fails(error.into()))?;
    of(&db).map_err(fails)
}

/// The same of an open index.
///
/// Errors: what the database reports.
pub fn of(db: &IndexDb) -> Result<String, palimpsest_app::AppError> {
    let reader = db.reader()?;
    let all = SessionFilter::default();
    let mut sessions = reader
        .sessions(&all, SessionSort::Title, 0, MOST_SESSIONS)?
        .sessions;
    sessions.sort_by(|a, b| a.id.cmp(&b.id));
    let mut out = String::new();
    for mut session in sessions {
        let num = std::mem::replace(&mut session.num, SessionNum(0));
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{session:?}");
        for mut entry in reader.entries(num, 0, u64::MAX)? {
            entry.num = 0;
            entry.session = session.num;
            let _ = writeln!(out, "  {entry:?}");
        }
        let _ = writeln!(out, "  {:?}", reader.warnings(num)?);
        let _ = writeln!(out, "  {:?}", reader.summaries(num)?);
        let _ = writeln!(out, "  {:?}", reader.files(num)?);
        let _ = writeln!(out, "  {:?}", reader.spending(num)?);
        let _ = writeln!(out, "  {:?}", reader.own_from(num)?);
    }
    for source in reader.sources()? {
        let _ = writeln!(
            out,
            "{} {} {:?}",
            source.path, source.read_to, source.skipped
        );
    }
    Ok(out)
}

/// Most differing lines that a finding lists.
const MOST_TOLD: usize = 3;

/// The first lines in which two texts differ, from both, with the session they are of.
pub fn difference(left: &str, right: &str) -> Option<String> {
    let mut pairs = (left.lines(), right.lines());
    let mut session = String::new();
    let mut told = String::new();
    let mut count = 0;
    while count < MOST_TOLD {
        let (a, b) = match (pairs.0.next(), pairs.1.next()) {
            (None, None) => break,
            (a, b) => (a.unwrap_or("-"), b.unwrap_or("-")),
        };
        match (path_of(a), path_of(b)) {
            (Some(a), Some(b)) if a == b => session = a.to_owned(),
            (Some(a), Some(b)) => session = format!("{a} or {b}"),
            _ => {}
        }
        if a == b {
            continue;
        }
        // Where they part, with a little of what is before.
        let same = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
        let from = a.floor_char_boundary(same.saturating_sub(60));
        let (a, b) = (&a[from..], &b[b.floor_char_boundary(from)..]);
        // Writing to a string cannot fail.
        let _ = write!(
            told,
            "in {session}\ngrown: ...{a:.700}\nfresh: ...{b:.700}\n"
        );
        count += 1;
    }
    (count > 0).then_some(told)
}

/// The path in the row of a session.
fn path_of(row: &str) -> Option<&str> {
    row.split_once(", path: \"")?.1.split('"').next()
}
