//! What programs print for a terminal: text without the sequences, and the styles they ask for.

use super::offsets::Utf16Offsets;
use crate::wire::{AnsiColor, StyleSpan};
use palimpsest_core::terminal::{ESCAPE, sequence};

/// The eight colours of a terminal, in their order.
const COLORS: [AnsiColor; 8] = [
    AnsiColor::Black,
    AnsiColor::Red,
    AnsiColor::Green,
    AnsiColor::Yellow,
    AnsiColor::Blue,
    AnsiColor::Magenta,
    AnsiColor::Cyan,
    AnsiColor::White,
];
/// About what the eight colours look like, for the nearest one of an exact colour.
const SHOWN: [[i32; 3]; 8] = [
    [0, 0, 0],
    [205, 49, 49],
    [13, 188, 121],
    [229, 229, 16],
    [36, 114, 200],
    [188, 63, 188],
    [17, 168, 205],
    [229, 229, 229],
];

/// How text is shown from here on.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Style {
    bold: bool,
    dim: bool,
    italic: bool,
    underline: bool,
    color: Option<AnsiColor>,
    background: Option<AnsiColor>,
}

/// `text` without terminal sequences, and its styled spans in UTF-16 units. A line that a carriage
/// return begins again is shown as it was last.
pub fn styled(text: &str) -> (String, Vec<StyleSpan>) {
    if !text.contains([ESCAPE, '\r', '\u{8}']) {
        return (text.to_owned(), Vec::new());
    }
    let mut plain = String::with_capacity(text.len());
    let mut runs: Vec<(usize, Style)> = Vec::new();
    let mut style = Style::default();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if c == ESCAPE {
            let (sequence, after) = sequence(rest);
            if let Some(codes) = sequence {
                style.apply(codes);
                runs.push((plain.len(), style));
            }
            rest = after;
            continue;
        }
        rest = &rest[c.len_utf8()..];
        match c {
            '\r' if rest.starts_with('\n') || rest.is_empty() => {}
            '\r' => {
                let line = plain.rfind('\n').map_or(0, |at| at + 1);
                plain.truncate(line);
                runs.retain(|(at, _)| *at <= line);
                runs.push((line, style));
            }
            '\u{8}' if !plain.ends_with('\n') => {
                plain.pop();
                let len = plain.len();
                runs.iter_mut().for_each(|(at, _)| *at = len.min(*at));
            }
            c if c.is_control() && c != '\n' && c != '\t' => {}
            c => plain.push(c),
        }
    }
    let offsets = Utf16Offsets::new(&plain);
    let ends = runs.iter().skip(1).map(|(at, _)| *at).chain([plain.len()]);
    let spans = runs
        .iter()
        .zip(ends)
        .filter(|((start, style), end)| start < end && *style != Style::default())
        .map(|((start, style), end)| StyleSpan {
            start: offsets.at(*start),
            end: offsets.at(end),
            bold: style.bold,
            dim: style.dim,
            italic: style.italic,
            underline: style.underline,
            color: style.color,
            background: style.background,
        })
        .collect();
    (plain, spans)
}

impl Style {
    fn apply(&mut self, codes: &str) {
        let mut codes = codes
            .split([';', ':'])
            .map(|code| code.parse().unwrap_or(0_u32));
        while let Some(code) = codes.next() {
            match code {
                0 => *self = Style::default(),
                1 => self.bold = true,
                2 => self.dim = true,
                3 => self.italic = true,
                4 => self.underline = true,
                22 => (self.bold, self.dim) = (false, false),
                23 => self.italic = false,
                24 => self.underline = false,
                30..=37 => self.color = Some(COLORS[code as usize - 30]),
                38 => self.color = exact(&mut codes).or(self.color),
                39 => self.color = None,
                40..=47 => self.background = Some(COLORS[code as usize - 40]),
                48 => self.background = exact(&mut codes).or(self.background),
                49 => self.background = None,
                90..=97 => self.color = Some(COLORS[code as usize - 90]),
                100..=107 => self.background = Some(COLORS[code as usize - 100]),
                _ => {}
            }
        }
    }
}

/// The nearest of the eight colours to one given by number or by red, green and blue.
fn exact(codes: &mut impl Iterator<Item = u32>) -> Option<AnsiColor> {
    let rgb = match codes.next()? {
        5 => match codes.next()? {
            n @ 0..=15 => return Some(COLORS[n as usize % 8]),
            n @ 16..=231 => {
                let level = |n: u32| if n == 0 { 0 } else { 55 + 40 * n as i32 };
                let n = n - 16;
                [level(n / 36), level(n / 6 % 6), level(n % 6)]
            }
            n => [8 + 10 * (n.min(255) as i32 - 232); 3],
        },
        2 => {
            let mut part = || codes.next().map(|part| part.min(255) as i32);
            [part()?, part()?, part()?]
        }
        _ => return None,
    };
    let distance =
        |shown: &[i32; 3]| -> i32 { shown.iter().zip(rgb).map(|(a, b)| (a - b) * (a - b)).sum() };
    let nearest = (0..COLORS.len()).min_by_key(|&at| distance(&SHOWN[at]))?;
    Some(COLORS[nearest])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_become_spans_and_no_sequence_is_left() {
        let (text, spans) = styled("é\u{1b}[1;31mred\u{1b}[0m \u{1b}[38;5;46mgreen\u{1b}[39m.");
        assert_eq!(text, "éred green.");
        let shown: Vec<_> = spans.iter().map(|s| (s.start, s.end, s.color)).collect();
        assert_eq!(
            shown,
            [
                (1, 4, Some(AnsiColor::Red)),
                (5, 10, Some(AnsiColor::Green))
            ]
        );
        assert!(spans[0].bold && !spans[1].bold);
    }

    #[test]
    fn titles_links_and_cut_sequences_are_left_out() {
        let printed = "\u{1b}]0;title\u{7}a\u{1b}]8;;http://x\u{1b}\\b\u{1b}[2Kc\u{1b}(Bd\u{1b}[3";
        assert_eq!(styled(printed), ("abcd".to_owned(), Vec::new()));
    }

    #[test]
    fn a_progress_line_is_shown_as_it_was_last() {
        assert_eq!(styled("10 %\r99 %\r\ndone\r\n").0, "99 %\ndone\n");
        assert_eq!(styled("plain\ttext\n").0, "plain\ttext\n");
    }

    #[test]
    fn any_bytes_give_text_without_control_characters() {
        let all: String = (0..160_u32).filter_map(char::from_u32).collect();
        let doubled = format!("{all}\u{1b}{all}\u{1b}[{all}\u{1b}]{all}");
        let (text, spans) = styled(&doubled);
        assert!(!text.contains(|c: char| c.is_control() && c != '\n' && c != '\t'));
        let len = text.encode_utf16().count() as u64;
        assert!(
            spans
                .iter()
                .all(|span| span.start < span.end && span.end <= len)
        );
    }
}
