//! Times as the agent writes them.

/// Unix milliseconds of an ISO 8601 date and time; a time without zone counts as UTC.
pub(crate) fn parse_iso(text: &str) -> Option<i64> {
    let (date, time) = text.split_once(['T', ' '])?;
    let mut parts = date.splitn(3, '-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) || !(0..=9999).contains(&year) {
        return None;
    }
    let (clock, offset_minutes) = split_zone(time)?;
    let mut parts = clock.splitn(3, ':');
    let hour: i64 = parts.next()?.parse().ok()?;
    let minute: i64 = parts.next()?.parse().ok()?;
    let (second, millis) = match parts.next() {
        Some(text) => seconds(text)?,
        None => (0, 0),
    };
    if !(0..=24).contains(&hour) || !(0..=59).contains(&minute) || !(0..=60).contains(&second) {
        return None;
    }
    let days = days_from_civil(year, month, day);
    let minutes = (days * 24 + hour) * 60 + minute - offset_minutes;
    Some((minutes * 60 + second) * 1000 + millis)
}

fn seconds(text: &str) -> Option<(i64, i64)> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits: String = fraction.chars().take(3).collect();
    let millis = if digits.is_empty() {
        0
    } else {
        format!("{digits:0<3}").parse().ok()?
    };
    Some((whole.parse().ok()?, millis))
}

fn split_zone(time: &str) -> Option<(&str, i64)> {
    if let Some(clock) = time.strip_suffix(['Z', 'z']) {
        return Some((clock, 0));
    }
    let Some(at) = time.rfind(['+', '-']) else {
        return Some((time, 0));
    };
    let (clock, zone) = time.split_at(at);
    let (sign, zone) = zone.split_at(1);
    let (hours, minutes) = zone.split_once(':').or_else(|| zone.split_at_checked(2))?;
    let (hours, minutes): (i64, i64) = (hours.parse().ok()?, minutes.parse().ok()?);
    if !(0..=23).contains(&hours) || !(0..=59).contains(&minutes) {
        return None;
    }
    let total = hours * 60 + minutes;
    Some((clock, if sign == "-" { -total } else { total }))
}

/// Days since 1970-01-01 in the proleptic Gregorian calendar (Hinnant, `days_from_civil`).
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let month_from_march = (month + 9) % 12;
    let day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

#[cfg(test)]
mod tests {
    use super::parse_iso;

    #[test]
    fn known_times() {
        // Expected values are what `date -d TEXT +%s` prints, times 1000.
        for (text, ms) in [
            ("1970-01-01T00:00:00.000Z", Some(0)),
            ("2026-01-02T03:00:01.250Z", Some(1_767_322_801_250)),
            ("2024-02-29T23:59:59+01:00", Some(1_709_247_599_000)),
            ("1969-12-31T23:59Z", Some(-60_000)),
            ("2025-12-03T10:00:00.5Z", Some(1_764_756_000_500)),
            ("yesterday", None),
            ("2026-13-01T00:00:00Z", None),
            ("2026-01-02T+", None),
            ("2026-03-04T05:00:44444444444444403.000Z", None),
            ("2026-03-04T9223372036854775807:00:00Z", None),
            ("2026-03-04T05:00:00+9223372036854775807:00", None),
        ] {
            assert_eq!(parse_iso(text), ms, "for {text}");
        }
    }
}
