//! Trees of folders that a text draws (`├── core/`): where each file stands.

use crate::words;
use std::ops::Range;

/// Most files of drawn trees.
const MAX_FILES: usize = 500;

/// The files and folders of the trees that a text draws.
#[derive(Debug, Default)]
pub(crate) struct Drawn {
    /// Each with its folders in lower case, and its line.
    paths: Vec<(Vec<String>, Range<usize>)>,
}

/// Share of the things moved that must stand in the new place.
const MOST_MOVED: f64 = 0.7;

impl Drawn {
    /// Reads the trees of `text`.
    pub fn read(text: &str) -> Drawn {
        let mut out = Drawn::default();
        let mut folders: Vec<(usize, String)> = Vec::new();
        for line in words::lines(text) {
            let content = &text[line.clone()];
            let Some((at, name)) = branch(content) else {
                folders.clear();
                continue;
            };
            folders.retain(|(depth, _)| *depth < at);
            folders.push((at, name));
            if out.paths.len() < MAX_FILES {
                let names = folders.iter().map(|(_, name)| name.clone());
                out.paths.push((names.collect(), words::trim(text, line)));
            }
        }
        out
    }

    /// The line of the tree that shows what a sentence moves in its new place ("a, b -> core").
    pub fn shows_move(&self, sentence: &str) -> Option<Range<usize>> {
        if self.paths.is_empty() {
            return None;
        }
        let (things, place) = ["->", "→", "=>"]
            .iter()
            .find_map(|arrow| sentence.split_once(arrow))?;
        let place: Vec<String> = place
            .split_whitespace()
            .next()?
            .split('/')
            .map(bare)
            .filter(|name| !name.is_empty())
            .collect();
        let things: Vec<String> = things
            .split(',')
            .filter_map(|thing| thing.split_whitespace().last())
            .map(|thing| bare(thing.rsplit('/').next().unwrap_or(thing)))
            .filter(|thing| !thing.is_empty())
            .collect();
        if place.is_empty() || things.is_empty() {
            return None;
        }
        let stands = |thing: &&String| {
            self.paths.iter().find(|(names, _)| {
                let Some((last, folders)) = names.split_last() else {
                    return false;
                };
                bare(last) == **thing
                    && (ends(folders, &place)
                        || ends(names, &place) && place.last() == Some(*thing))
            })
        };
        let shown: Vec<_> = things.iter().filter_map(|thing| stands(&thing)).collect();
        let share = shown.len() as f64 / things.len() as f64;
        (share >= MOST_MOVED).then(|| shown[0].1.clone())
    }
}

/// True when the last folders are these.
fn ends(folders: &[String], place: &[String]) -> bool {
    let own: Vec<String> = folders.iter().map(|name| bare(name)).collect();
    own.ends_with(place)
}

/// A name in lower case without its ending and what is written round it.
fn bare(name: &str) -> String {
    let name = name.trim_matches(|c: char| !c.is_alphanumeric() && c != '_');
    let stem = match name.rsplit_once('.') {
        Some((stem, end)) if !stem.is_empty() && end.len() <= 4 => stem,
        _ => name,
    };
    stem.to_lowercase()
}

/// How deep a line of a tree stands, in characters, and what it names.
fn branch(line: &str) -> Option<(usize, String)> {
    let at = line.find(['├', '└'])?;
    if line[..at].chars().any(|c| !c.is_whitespace() && c != '│') {
        return None;
    }
    let rest = line[at..].trim_start_matches(['├', '└', '─', ' ', '\u{a0}']);
    let name = rest.split_whitespace().next()?.trim_end_matches('/');
    Some((line[..at].chars().count(), name.to_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_moved_stands_in_a_drawn_tree() {
        let text = "src/\n├── core/          # logic\n│   ├── rows.ts     # MOVE from src/\n│   ├── index/      # MOVE\n\
                    │   └── tables.ts\n├── utils/\n│   └── shell.ts\n└── cli.ts\n\nNothing else.";
        let drawn = Drawn::read(text);
        for (sentence, is) in [
            ("rows, tables -> core", true),
            ("index -> core/index", true),
            ("shell.ts -> utils (possibly others?)", true),
            ("shell.ts -> core", false),
            ("rows, lists, sums -> core", false),
            ("move the rows", false),
        ] {
            assert_eq!(drawn.shows_move(sentence).is_some(), is, "for {sentence}");
        }
        let line = drawn.shows_move("shell -> utils");
        assert!(line.is_some_and(|range| text[range].contains("shell.ts")));
    }
}
