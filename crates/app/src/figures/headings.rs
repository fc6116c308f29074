//! The headings that a prompt asks for.

use palimpsest_compaction::Preset;

/// Fewest headings that make a template; fewer are a list in the prose of a prompt.
const LEAST: usize = 3;
/// Longest heading, in characters.
const LONGEST: usize = 60;

/// The titles of the sections that the prompt of a preset asks for, in order; none where it has no
/// template.
pub(super) fn headings_of(preset: &Preset) -> Vec<String> {
    let text = preset.prompts.get("first").map(|prompt| prompt.text());
    let text = text.unwrap_or_default();
    let forms: [fn(&str) -> Option<&str>; 3] = [marked, numbered, bold];
    let found = forms.into_iter().map(|form| titles(&text, form));
    found
        .into_iter()
        .find(|titles| titles.len() >= LEAST)
        .unwrap_or_default()
}

fn titles(text: &str, form: fn(&str) -> Option<&str>) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for title in text.lines().filter_map(form) {
        let title = title.trim().trim_end_matches(':').trim();
        let is_title = !title.is_empty()
            && title.chars().count() <= LONGEST
            && !title.contains(['[', '{', '<']);
        if is_title && !out.iter().any(|known| known == title) {
            out.push(title.to_owned());
        }
    }
    out
}

/// `## Title`.
fn marked(line: &str) -> Option<&str> {
    let rest = line.trim_start().trim_start_matches('#');
    let level = line.trim_start().len() - rest.len();
    ((1..=3).contains(&level) && rest.starts_with(' ')).then_some(rest)
}

/// `1. Title: what belongs there`.
fn numbered(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = rest
        .strip_prefix(". ")
        .filter(|_| rest.len() < line.len())?;
    Some(rest.split_once(':').map_or(rest, |(title, _)| title))
}

/// `**Title**` at the beginning of a line or item.
fn bold(line: &str) -> Option<&str> {
    let line = line.trim_start().trim_start_matches(['-', '*', ' ']);
    let at = line.find("**")?;
    let title = &line[..at];
    // The stars in front are gone with the sign of the item.
    (!title.is_empty() && !title.contains('.')).then_some(title)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str) -> Vec<String> {
        headings_of(Preset::named(name).unwrap())
    }

    #[test]
    fn templates_of_all_three_forms_are_read() {
        assert_eq!(of("pi")[..2], ["Goal", "Constraints & Preferences"]);
        let claude = of("claude-code");
        assert_eq!(claude.len(), 9);
        assert_eq!(claude[0], "Primary Request and Intent");
        assert!(of("goose").contains(&"User Intent".to_owned()));
        assert_eq!(of("codex"), Vec::<String>::new());
    }
}
