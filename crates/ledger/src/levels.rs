//! What logs and package managers put in front of a message: the time and the level.

/// For a line of a log in JSON: whether its level is one of a failure; `None` for a warning.
pub(crate) fn tells_level(content: &str) -> Option<bool> {
    if !content.starts_with('{') {
        return None;
    }
    let level = content.split_once("\"level\":")?.1;
    let level: String = level
        .trim_start_matches([' ', '"'])
        .chars()
        .take_while(char::is_ascii_alphabetic)
        .collect();
    match level.to_ascii_lowercase().as_str() {
        "debug" | "info" | "trace" | "verbose" | "notice" => Some(false),
        "error" | "fatal" | "critical" | "panic" | "alert" | "emergency" => Some(true),
        _ => None,
    }
}

/// True for a line of a log whose level says that nothing failed: `INFO text`, `[debug] text`.
pub(crate) fn is_quiet_log(line: &str) -> bool {
    let first = line.trim_start_matches(['[', '<', ' ']);
    let framed = first.len() < line.len();
    let word = first.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (level, rest) = first.split_at(word);
    let quiet = ["info", "debug", "trace", "notice"]
        .iter()
        .any(|quiet| level.eq_ignore_ascii_case(quiet));
    let written = framed || level.bytes().all(|b| b.is_ascii_uppercase());
    quiet && written && (rest.is_empty() || rest.starts_with([' ', ']', ':', '>', '\t']))
}

/// True for a line of a program that goes on: `WARN text` behind a time, `nginx: [warn] text`, `PHP Warning:  text`.
pub(crate) fn is_warning(line: &str) -> bool {
    if line.starts_with("WARN ") || line.starts_with("WARNING ") {
        return true;
    }
    let (first, rest) = line.split_once(' ').unwrap_or((line, ""));
    let level = rest.trim_start().split(' ').next().unwrap_or_default();
    let named = first.bytes().all(|b| b.is_ascii_alphanumeric());
    let framed = first.starts_with('[') && first.ends_with(']');
    matches!(level, "[warn]" | "[warning]")
        || named && matches!(level, "Warning:" | "Notice:")
        || framed && level == "WARN"
}

/// Names of months as system logs write them.
const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// Most words of a date and a time (`Tue Feb 3 10:11:12 AM`).
const MAX_TIME_WORDS: usize = 5;

/// Length of the date and the time that a line of a log begins with, with white space behind:
/// `2026-01-02T03:04:05Z`, `[10:11:12]`, `2026/01/02 10:11:12.345`, `Feb 03 10:11:12`, and the seconds since the
/// begin that Docker's builder prints (`2.910`).
pub(crate) fn clock(line: &str) -> usize {
    // Nearly all lines begin otherwise.
    let first = line.trim_start_matches(['[', '(', '#']);
    let is_month = first.starts_with(|c: char| c.is_ascii_uppercase())
        && MONTHS.iter().any(|month| first.starts_with(month));
    if !is_month && !first.starts_with(|c: char| c.is_ascii_digit()) {
        return 0;
    }
    let mut at = 0;
    let mut end = 0;
    for _ in 0..MAX_TIME_WORDS {
        let rest = &line[at..];
        let len = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let word = rest[..len].trim_matches(['[', ']', '(', ')', ',']);
        let is_hour = is_hour(word);
        let goes_on = is_hour
            || is_date(word)
            || MONTHS.contains(&word)
            || at > 0 && (word == "AM" || word == "PM")
            // The day behind a month, the step of a builder.
            || word.len() <= 3 && word.trim_start_matches('#').bytes().all(|b| b.is_ascii_digit());
        if word.is_empty() || !goes_on {
            break;
        }
        let behind = &rest[len..];
        at += len + (behind.len() - behind.trim_start().len());
        if is_hour || end > 0 {
            end = at;
        }
    }
    end
}

/// `10:11:12`, `10:11:12,345`, `2026-01-02T10:11:12Z`, `2.910`.
fn is_hour(word: &str) -> bool {
    let time = word.rsplit_once('T').map_or(word, |(_, time)| time);
    let mut parts = time.split(':');
    let two = |part: Option<&str>| {
        part.is_some_and(|part| part.len() >= 2 && part.bytes().take(2).all(|b| b.is_ascii_digit()))
    };
    let of_day = two(parts.next()) && two(parts.next()) && two(parts.next());
    let seconds = word.split_once('.').is_some_and(|(whole, part)| {
        let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
        (1..=4).contains(&whole.len()) && part.len() == 3 && digits(whole) && digits(part)
    });
    of_day && parts.next().is_none_or(|zone| zone.len() == 2) || seconds
}

/// `2026-01-02`, `2026/01/02`, `26/02/03`.
fn is_date(word: &str) -> bool {
    (6..=10).contains(&word.len())
        && word
            .bytes()
            .all(|b| b.is_ascii_digit() || matches!(b, b'-' | b'/'))
        && word.matches(['-', '/']).count() == 2
}

/// Length of the level that a build tool puts in front of each line of a message (`[ERROR] `, `[error] `), or a
/// package manager (`npm error `, `npm ERR! `).
pub(crate) fn level(line: &str) -> usize {
    let lower = |len: usize| line.get(..len).map(str::to_ascii_lowercase);
    let end = if lower(7).as_deref() == Some("[error]") {
        7
    } else {
        frame(line)
    };
    if end == 0 {
        return 0;
    }
    end + (line[end..].len() - line[end..].trim_start().len())
}

/// Length of npm's level, 0 for none.
fn frame(line: &str) -> usize {
    ["npm error", "npm ERR!"]
        .iter()
        .find(|start| line.starts_with(**start))
        .map_or(0, |start| start.len())
}

/// What was read of a message of npm (10), whose every line has the level: the first line that says more than a
/// code is the message, what stands below tells it again or lists packages.
#[derive(Default)]
pub(crate) struct Framed {
    told: bool,
}

impl Framed {
    /// For a line with a level: true where it can only repeat or list.
    pub fn is_below(&mut self, line: &str) -> bool {
        if frame(line) == 0 {
            self.told = false;
            return false;
        }
        let said = line[level(line)..].trim();
        let below = self.told;
        self.told |= said.split_whitespace().count() >= 2 && !said.starts_with("code ");
        below
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_are_told_by_their_level() {
        for (line, is) in [
            ("WARN rows: reading failed, trying again", true),
            ("nginx: [warn] conflicting server name", true),
            ("PHP Warning:  Undefined array key 3", true),
            ("a.rs:3:5: Warning: row", false),
            ("warned of an error", false),
        ] {
            assert_eq!(is_warning(line), is, "for {line}");
        }
    }

    #[test]
    fn times_and_levels_are_left_out() {
        for (line, said) in [
            ("2026-01-02 10:11:12,4 ERROR job failed", "ERROR job failed"),
            ("2026-01-02T10:11:12.040Z job", "job"),
            ("10:11:12.040 [error] job", "[error] job"),
            ("[10:11:12 AM] job", "job"),
            ("2026/02/03 10:11:12 job", "job"),
            ("Feb 03 10:11:12 edge job[8]: x", "edge job[8]: x"),
            ("#12 2.910 npm error x", "npm error x"),
            ("2026 rows failed", "2026 rows failed"),
            ("12:5 error x", "12:5 error x"),
            ("May fail", "May fail"),
            ("1.2.3 is old", "1.2.3 is old"),
        ] {
            assert_eq!(&line[clock(line)..], said);
        }
        assert!(is_quiet_log("[INFO] error reporter is on"));
        assert!(is_quiet_log("[info] error reporter is on"));
        assert!(!is_quiet_log("INFORMATION failed"));
        assert!(!is_quiet_log("Info on what failed"));
        assert_eq!(level("[ERROR] a"), "[ERROR] ".len());
        assert_eq!(level("npm ERR! a"), "npm ERR! ".len());
        assert_eq!(level("error: a"), 0);
    }

    #[test]
    fn the_first_line_of_npm_is_the_message() {
        let mut framed = Framed::default();
        let below: Vec<bool> = [
            "npm error code E404",
            "npm error 404 Not Found - GET x",
            "npm error",
            "npm error Found: rows@1",
            "done",
        ]
        .iter()
        .map(|line| framed.is_below(line))
        .collect();
        assert_eq!(below, [false, false, true, true, false]);
    }
}
