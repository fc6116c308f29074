//! When it was: the day where it changes, else the time, as often as there is room.

use super::{mix, text};
use crate::frame::Frame;
use crate::palette::Palette;
use crate::scene::Scene;
use egui::{Align2, Painter, Stroke, pos2};

/// Least distance between times, in points.
const APART: f32 = 44.0;
const POINTS: f32 = 10.0;
const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// Paints the times left of the band. `offset_s` is the distance of the local time from UTC.
pub fn paint(
    painter: &Painter,
    scene: &Scene,
    frame: &Frame,
    palette: &Palette,
    offset_s: i64,
    row_at: impl Fn(f32) -> Option<u32>,
    y_of: impl Fn(u32) -> f32,
) {
    let mut y = frame.body.top() + 4.0;
    let mut day = None;
    let mut last = String::new();
    let ink = mix(palette.text_quiet, palette.background, 0.1);
    while y < frame.body.bottom() - 8.0 {
        let row = row_at(y).and_then(|row| scene.row(row));
        let Some(row) = row.filter(|row| row.at_s > 0) else {
            y += APART / 4.0;
            continue;
        };
        let at = y_of(row.id).max(y);
        if at > frame.body.bottom() - 8.0 {
            break;
        }
        let local = row.at_s + offset_s;
        let today = local.div_euclid(86_400);
        let words = if day == Some(today) {
            time(local)
        } else {
            date(today)
        };
        day = Some(today);
        if words == last {
            y = at + APART / 2.0;
            continue;
        }
        last.clone_from(&words);
        let place = pos2(frame.times.max - 7.0, at + 6.0);
        let size = frame.times.span();
        painter.add(
            text::line(
                painter.ctx(),
                place,
                Align2::RIGHT_CENTER,
                &words,
                POINTS,
                size,
                ink,
            )
            .1,
        );
        painter.hline(
            frame.times.max - 4.0..=frame.times.max,
            at.round() + 0.5,
            Stroke::new(1.0, palette.border),
        );
        y = at + APART;
    }
}

fn time(local: i64) -> String {
    let seconds = local.rem_euclid(86_400);
    format!("{:02}:{:02}", seconds / 3_600, seconds % 3_600 / 60)
}

/// Day and month, written as the rest of the window does, of a day since 1970-01-01 (Howard Hinnant's `civil_from_days`).
fn date(days: i64) -> String {
    let z = days + 719_468;
    let of_era = z.rem_euclid(146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = (shifted + 2) % 12;
    let name = usize::try_from(month)
        .ok()
        .and_then(|month| MONTHS.get(month));
    format!("{day} {}", name.copied().unwrap_or(""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_dated() {
        assert_eq!(date(0), "1 Jan");
        assert_eq!(date(19_782), "29 Feb", "2024");
        assert_eq!(date(20_779), "22 Nov", "2026");
        assert_eq!(time(86_400 + 3_600 * 13 + 125), "13:02");
    }
}
