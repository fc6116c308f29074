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
    rows(&db).map_err(fails)
}

fn rows(db: &IndexDb) -> Result<String, palimpsest_app::AppError> {
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

/// The first line in which two texts differ, from both, with the session it is of.
pub fn difference(left: &str, right: &str) -> Option<String> {
    let mut pairs = (left.lines(), right.lines());
    let mut session = String::new();
    loop {
        match (pairs.0.next(), pairs.1.next()) {
            (None, None) => return None,
            (a, b) if a == b => {
                let path = a.and_then(|line| line.split_once(", path: \"")?.1.split('"').next());
                session = path.map_or(session, str::to_owned);
            }
            (a, b) => {
                let (a, b) = (a.unwrap_or("-"), b.unwrap_or("-"));
                // Where they part, with a little of what is before.
                let same = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
                let from = a.floor_char_boundary(same.saturating_sub(60));
                let (a, b) = (&a[from..], &b[b.floor_char_boundary(from)..]);
                return Some(format!(
                    "in {session}\ngrown: ...{a:.700}\nfresh: ...{b:.700}"
                ));
            }
        }
    }
}
