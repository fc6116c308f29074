//! The project of a script: files in memory, and the few commands that can be answered from them.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The files, by path.
#[derive(Debug, Default)]
pub(super) struct Project {
    files: BTreeMap<String, String>,
}

impl Project {
    pub fn put(&mut self, path: &str, text: &str) {
        self.files.insert(path.to_owned(), text.to_owned());
    }

    pub fn get(&self, path: &str) -> Option<&str> {
        self.files.get(path).map(String::as_str)
    }

    /// What a read of a whole file or of some of its lines answers.
    pub fn read(&self, path: &str, offset: Option<usize>, limit: Option<usize>) -> Option<String> {
        let text = self.get(path)?;
        if offset.is_none() && limit.is_none() {
            return Some(text.to_owned());
        }
        let lines: Vec<&str> = text.lines().collect();
        let from = offset.unwrap_or(1).saturating_sub(1).min(lines.len());
        let to = limit.map_or(lines.len(), |limit| (from + limit).min(lines.len()));
        let mut shown = lines[from..to].join("\n");
        if to < lines.len() {
            let _ = write!(
                shown,
                "\n\n[{} more lines. Use offset={} to go on.]",
                lines.len() - to,
                to + 1
            );
        }
        Some(shown)
    }

    /// Replaces each old text, which must occur exactly once.
    pub fn edit(&mut self, path: &str, blocks: &[(String, String)]) -> Result<(), String> {
        let text = self
            .files
            .get_mut(path)
            .ok_or_else(|| format!("there is no file {path}"))?;
        for (old, new) in blocks {
            match text.matches(old.as_str()).count() {
                1 => *text = text.replacen(old.as_str(), new, 1),
                count => return Err(format!("{path} holds this {count} times, not once:\n{old}")),
            }
        }
        Ok(())
    }

    /// What a command prints, for the commands that look at files and nothing else: `rg -n`,
    /// `ls`, `wc -l`, `cat` and `sed -n 'A,Bp'`.
    pub fn answer(&self, command: &str) -> Option<String> {
        if command.contains(['|', '&', '\n', ';']) {
            return None;
        }
        let words = split_words(command);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match words.as_slice() {
            ["rg", "-n", pattern, places @ ..] => Some(self.search(pattern, places)),
            ["ls", places @ ..] => Some(self.list(places)),
            ["wc", "-l", paths @ ..] => self.count_lines(paths),
            ["cat", path] => self.get(path).map(str::to_owned),
            ["sed", "-n", range, path] => {
                let (from, to) = range.strip_suffix('p')?.split_once(',')?;
                let (from, to) = (from.parse::<usize>().ok()?, to.parse::<usize>().ok()?);
                let lines = self
                    .get(path)?
                    .lines()
                    .skip(from.checked_sub(1)?)
                    .take(to + 1 - from);
                Some(lines.collect::<Vec<_>>().join("\n"))
            }
            _ => None,
        }
    }

    fn search(&self, pattern: &str, places: &[&str]) -> String {
        let alternatives: Vec<&str> = pattern.split('|').collect();
        let mut found = String::new();
        for (path, text) in self.below(places) {
            for (number, line) in text.lines().enumerate() {
                if alternatives
                    .iter()
                    .any(|alternative| line.contains(alternative))
                {
                    let _ = writeln!(found, "{path}:{}:{line}", number + 1);
                }
            }
        }
        found
    }

    fn list(&self, places: &[&str]) -> String {
        let mut names = Vec::new();
        for (path, _) in self.below(places) {
            let place = places
                .iter()
                .find(|place| path.starts_with(**place))
                .copied()
                .unwrap_or("");
            let rest = path[place.len()..].trim_start_matches('/');
            let name = match rest.split_once('/') {
                Some((folder, _)) => format!("{folder}/"),
                None => rest.to_owned(),
            };
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names.join("\n")
    }

    fn count_lines(&self, paths: &[&str]) -> Option<String> {
        let mut total = 0;
        let mut shown = String::new();
        for path in paths {
            let count = self.get(path)?.lines().count();
            total += count;
            let _ = writeln!(shown, "{count:>6} {path}");
        }
        if paths.len() > 1 {
            let _ = writeln!(shown, "{total:>6} total");
        }
        Some(shown)
    }

    fn below<'a>(&'a self, places: &'a [&str]) -> impl Iterator<Item = (&'a String, &'a String)> {
        self.files.iter().filter(move |(path, _)| {
            places.is_empty()
                || places
                    .iter()
                    .any(|place| path.starts_with(place.trim_end_matches('/')))
        })
    }

    /// The names of the test functions in a file, in order.
    pub fn tests_in(&self, path: &str) -> Vec<String> {
        let mut names = Vec::new();
        let mut is_test = false;
        for line in self.get(path).unwrap_or_default().lines().map(str::trim) {
            if line.starts_with("#[test]") || line.starts_with("#[tokio::test") {
                is_test = true;
            } else if let Some(rest) = line
                .strip_prefix("async ")
                .unwrap_or(line)
                .strip_prefix("fn ")
                && is_test
            {
                names.push(rest.split('(').next().unwrap_or(rest).to_owned());
                is_test = false;
            } else if let Some(rest) = line
                .strip_prefix("test(\"")
                .or_else(|| line.strip_prefix("it(\""))
            {
                names.push(rest.split('"').next().unwrap_or(rest).to_owned());
            }
        }
        names
    }
}

/// Splits a command into words; single and double quotes hold a word together.
fn split_words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quote: Option<char> = None;
    let mut quoted = false;
    for c in command.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => word.push(c),
            None if c == '\'' || c == '"' => {
                quote = Some(c);
                quoted = true;
            }
            None if c.is_whitespace() => {
                if !word.is_empty() || quoted {
                    words.push(std::mem::take(&mut word));
                }
                quoted = false;
            }
            None => word.push(c),
        }
    }
    if !word.is_empty() || quoted {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project() -> Project {
        let mut project = Project::default();
        project.put("src/a.rs", "fn one() {}\n\n#[test]\nfn adds() {}\n");
        project.put("src/b/c.rs", "fn two() { one(); }\n");
        project
    }

    #[test]
    fn commands_are_answered_from_the_files() {
        let project = project();
        assert_eq!(
            project.answer("rg -n 'one()' src").unwrap(),
            "src/a.rs:1:fn one() {}\nsrc/b/c.rs:1:fn two() { one(); }\n"
        );
        assert_eq!(project.answer("ls src").unwrap(), "a.rs\nb/");
        assert_eq!(
            project.answer("sed -n '3,4p' src/a.rs").unwrap(),
            "#[test]\nfn adds() {}"
        );
        assert_eq!(project.answer("cargo test | tail"), None);
        assert_eq!(project.tests_in("src/a.rs"), ["adds"]);
    }

    #[test]
    fn an_edit_must_fit_exactly_once() {
        let mut project = project();
        let edit = |old: &str, new: &str| vec![(old.to_owned(), new.to_owned())];
        assert!(project.edit("src/a.rs", &edit("fn", "pub fn")).is_err());
        project
            .edit("src/a.rs", &edit("fn one", "pub fn one"))
            .unwrap();
        assert!(project.get("src/a.rs").unwrap().starts_with("pub fn one"));
    }
}
