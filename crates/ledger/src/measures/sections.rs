//! The headings that a prompt asks for (D7).

use super::line::{FigureLine, Measured, of};
use crate::headings::Code;
use palimpsest_core::figure::Figure;

/// Required headings found in a summary.
#[derive(Debug, Clone, PartialEq, Default)]
struct Sections {
    /// Those the summary has, in the order required, with the byte where each stands.
    present: Vec<(String, usize)>,
    /// Those it does not have.
    missing: Vec<String>,
    /// True when those present stand in the required order.
    in_order: bool,
    /// Those present with nothing, or only "(none)", below them.
    empty: Vec<String>,
}

/// D7: headings of the template.
pub(super) fn sections(summary: &str, headings: &[String]) -> Measured {
    if headings.is_empty() {
        return Measured::absent(
            Figure::Sections,
            "The prompt of the strategy asks for no headings, or is unknown.",
        );
    }
    let found = find(summary, headings);
    let mut out = Measured::new(Figure::Sections);
    let order = match (found.present.len(), found.in_order) {
        (0 | 1, _) => "",
        (_, true) => "in the order asked for",
        (_, false) => "in another order",
    };
    out.noted("Sections", of(found.present.len(), headings.len()), order);
    let filled = found.present.len() - found.empty.len();
    out.value("With content", of(filled, found.present.len()));
    let missing = found.missing.iter().map(|title| FigureLine {
        text: title.clone(),
        note: "missing".to_owned(),
        ..FigureLine::default()
    });
    out.lines.extend(missing);
    for (title, at) in &found.present {
        let line = summary[*at..].lines().next().unwrap_or_default();
        out.lines.push(FigureLine {
            text: title.clone(),
            note: if found.empty.contains(title) {
                "empty".to_owned()
            } else {
                String::new()
            },
            range: Some(*at..*at + line.len()),
            ..FigureLine::default()
        });
    }
    out
}

/// The title of a line: behind `#`, or in bold on a line of its own, or numbered with a colon.
fn title(line: &str) -> Option<(usize, String)> {
    let line = line.trim();
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    let bare = line.trim_start_matches('#').trim();
    let unnumbered = bare.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = unnumbered.len() < bare.len() && unnumbered.starts_with(". ");
    let bare = if numbered {
        unnumbered[1..].trim()
    } else {
        bare
    };
    let bold = bare.starts_with("**") && bare.trim_end_matches(':').ends_with("**");
    let is_title = level > 0 || bold || (numbered && bare.ends_with(':'));
    let words = bare.trim_matches('*').trim_end_matches(':');
    let words = words.trim_matches('*').trim().to_lowercase();
    (is_title && !words.is_empty()).then_some((level, words))
}

fn find(summary: &str, headings: &[String]) -> Sections {
    let code = Code::of(summary);
    let mut at = 0;
    let mut lines = Vec::new();
    for line in summary.split_inclusive('\n') {
        lines.push((at, line.trim(), title(line).filter(|_| !code.contains(at))));
        at += line.len();
    }
    let mut out = Sections {
        in_order: true,
        ..Sections::default()
    };
    let mut last = 0;
    for heading in headings {
        let wanted = heading.to_lowercase();
        let place = lines
            .iter()
            .position(|(.., title)| title.as_ref().is_some_and(|(_, own)| *own == wanted));
        let Some(place) = place else {
            out.missing.push(heading.clone());
            continue;
        };
        out.in_order &= place >= last;
        last = place;
        out.present.push((heading.clone(), lines[place].0));
        let level = lines[place].2.as_ref().map_or(0, |(level, _)| *level);
        let below = lines[place + 1..]
            .iter()
            .take_while(|(.., title)| title.as_ref().is_none_or(|(own, _)| *own > level));
        let mut below = below;
        let is_empty = below.all(|(_, line, title)| {
            let said = line.trim_start_matches(['-', '*', ' ']);
            title.is_some() || said.is_empty() || said.eq_ignore_ascii_case("(none)")
        });
        if is_empty {
            out.empty.push(heading.clone());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn titles(all: &[&str]) -> Vec<String> {
        all.iter().map(|title| (*title).to_owned()).collect()
    }

    #[test]
    fn sections_are_found_in_order_and_empty_ones_told() {
        let summary = "## Goal\nShip it\n## Progress\n### Done\n- (none)\n## Next Steps\n(none)\n";
        let wanted = titles(&["Goal", "Progress", "Next Steps", "Critical Context"]);
        let found = find(summary, &wanted);
        let present: Vec<&str> = found.present.iter().map(|(title, _)| &**title).collect();
        assert_eq!(present, ["Goal", "Progress", "Next Steps"]);
        assert_eq!(found.missing, ["Critical Context"]);
        assert_eq!(found.empty, ["Progress", "Next Steps"]);
        assert!(found.in_order);
        assert!(!find(summary, &titles(&["Progress", "Goal"])).in_order);
        let goal = sections(summary, &wanted);
        let line = goal.lines.iter().find(|line| line.text == "Goal").unwrap();
        assert_eq!(&summary[line.range.clone().unwrap()], "## Goal");
    }

    #[test]
    fn numbered_and_bold_lines_are_titles_too() {
        for line in [
            "1. Primary Request:",
            "## Primary Request",
            "**Primary Request**:",
        ] {
            assert_eq!(title(line).unwrap().1, "primary request", "{line}");
        }
        assert_eq!(title("The primary request was met."), None);
    }
}
