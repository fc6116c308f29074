//! Where a line names a person: an author of git, a login, a mention.

use super::plain::{is_plain, is_plain_compound};
use std::ops::Range;

/// Fields whose value is the name of an account.
const LOGINS: [&str; 6] = [
    "login",
    "username",
    "user_name",
    "userName",
    "screen_name",
    "author_login",
];

/// Words before a name without quotes, as searches and options have it: `author:name`, `--author name`.
const ASKED: [&str; 5] = ["author", "assignee", "reviewer", "involves", "commenter"];

/// Words behind an `@` that are marks of a language, beside those that are plain words.
const MARKS: [&str; 22] = [
    "inheritdoc",
    "typeparam",
    "remarks",
    "privateremarks",
    "packagedocumentation",
    "defaultvalue",
    "eventproperty",
    "sealed",
    "readonly",
    "todo",
    "jsx",
    "jsxruntime",
    "ts-ignore",
    "ts-nocheck",
    "ts-expect-error",
    "vitest-environment",
    "functionalinterface",
    "safevarargs",
    "getmapping",
    "postmapping",
    "lru_cache",
    "contextmanager",
];

/// Values of such fields that are types or accounts everybody has.
const NOBODY: [&str; 10] = [
    "string", "null", "true", "false", "user", "username", "admin", "root", "login", "name",
];

/// The name of a person in a line.
#[derive(Debug, PartialEq)]
pub(super) struct Person {
    /// Where in the line, in bytes.
    pub(super) range: Range<usize>,
    /// Whether the place alone shows that it is a name. Other places are masked where the name is
    /// known from elsewhere.
    pub(super) certain: bool,
}

/// The names in a line, in order, without overlap.
pub(super) fn people(line: &str) -> Vec<Person> {
    let mut found = authors(line);
    found.extend(logins(line));
    found.extend(asked(line));
    found.extend(mentions(line));
    found.sort_by_key(|person| person.range.start);
    let mut end = 0;
    found.retain(|person| {
        let is_free = person.range.start >= end;
        if is_free {
            end = person.range.end;
        }
        is_free
    });
    found
}

/// Most words of the name of a person.
const MOST_WORDS: usize = 4;

/// The names before addresses in angle brackets, as git writes authors.
fn authors(line: &str) -> Vec<Person> {
    let mut out = Vec::new();
    for (open, _) in line.match_indices('<') {
        let address = line[open + 1..]
            .split(['>', ' ', '<'])
            .next()
            .unwrap_or_default();
        let is_address = address
            .split_once('@')
            .is_some_and(|(own, host)| !own.is_empty() && host.contains('.'));
        if !is_address || !line[open + 1 + address.len()..].starts_with('>') {
            continue;
        }
        // `"Vera Holm" <…>`
        let before = line[..open].trim_end().trim_end_matches(['"', '\'', '\\']);
        let in_name = |c: char| c.is_alphabetic() || matches!(c, ' ' | '.' | '-' | '\'');
        let start = before
            .char_indices()
            .rev()
            .take_while(|(_, c)| in_name(*c))
            .last()
            .map_or(before.len(), |(at, _)| at);
        // `\nVera Holm`: the letter belongs to the escape.
        let of_escape = before[start..]
            .chars()
            .next()
            .filter(|_| before[..start].ends_with('\\'));
        let start = start + of_escape.map_or(0, char::len_utf8);
        let name = before[start..].trim();
        let is_name = |word: &&str| word.starts_with(char::is_uppercase) || !is_plain(word);
        let words = name.split(' ').filter(|word| !word.is_empty());
        let mut words: Vec<&str> = words.rev().take(MOST_WORDS).take_while(is_name).collect();
        words.reverse();
        // One plain word is a program that writes commits.
        if words.iter().all(|word| is_plain(word)) && words.len() < 2 {
            continue;
        }
        for word in words {
            let at = word.as_ptr() as usize - line.as_ptr() as usize;
            out.push(Person {
                range: at..at + word.len(),
                certain: true,
            });
        }
    }
    out
}

/// Values of fields that hold an account: `"login": "name"`, `.user.login != "name"`.
fn logins(line: &str) -> Vec<Person> {
    let mut out = Vec::new();
    for key in LOGINS {
        for (at, _) in line.match_indices(key) {
            if line[..at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-')) {
                continue;
            }
            let rest = &line[at + key.len()..];
            let in_gap = |c: char| matches!(c, '"' | '\'' | '\\' | ' ' | ':' | '=' | '!');
            let gap = rest.find(|c| !in_gap(c)).unwrap_or(rest.len());
            let signs = &rest[..gap];
            if gap > 12 || !signs.contains([':', '=']) || !signs.ends_with(['"', '\'']) {
                continue;
            }
            let name = name_at(&rest[gap..]);
            let ends = rest[gap + name.len()..].starts_with(['"', '\'', '\\', '[']);
            if ends && !name.is_empty() && !NOBODY.contains(&name) {
                let start = at + key.len() + gap;
                let range = start..start + name.len();
                out.push(Person {
                    range,
                    certain: true,
                });
            }
        }
    }
    out
}

/// Names that a search or an option asks for.
fn asked(line: &str) -> Vec<Person> {
    let mut out = Vec::new();
    for key in ASKED {
        for (at, _) in line.match_indices(key) {
            let before = &line[..at];
            let rest = &line[at + key.len()..];
            let is_option = before.ends_with("--") && rest.starts_with([' ', '=']);
            let begins = before.is_empty() || before.ends_with([' ', '"', '\'', '(', '+']);
            let is_search = begins && rest.starts_with(':');
            let Some(rest) = rest.get(1..).filter(|_| is_option || is_search) else {
                continue;
            };
            let name = name_at(rest);
            if !is_plain_compound(name) {
                let start = at + key.len() + 1;
                let range = start..start + name.len();
                out.push(Person {
                    range,
                    certain: true,
                });
            }
        }
    }
    out
}

/// Names behind an `@` that is no part of an address, a package or a mark of a language.
fn mentions(line: &str) -> Vec<Person> {
    let mut out = Vec::new();
    for (at, _) in line.match_indices('@') {
        let before = &line[..at];
        let escape = ["\\n", "\\t", "\\r"]
            .iter()
            .any(|own| before.ends_with(own));
        let in_word = |c: char| c.is_alphanumeric() || "_.-@$/%+\\".contains(c);
        if before.ends_with(in_word) && !escape {
            continue;
        }
        let name = name_at(&line[at + 1..]).trim_end_matches(['.', '-', '_']);
        let after = &line[at + 1 + name.len()..];
        let goes_on = after.starts_with(['(', '/', '@', '=', '{'])
            || after.starts_with('.') && after[1..].starts_with(char::is_alphanumeric);
        let lower = name.to_lowercase();
        if goes_on
            || !name.starts_with(char::is_alphabetic)
            || name.contains('.')
            || MARKS.contains(&lower.as_str())
        {
            continue;
        }
        // Alone or indented at the beginning of a line it is rather a decorator or a recipe of make.
        let is_first = before
            .trim_start_matches(['+', '-', '*', ' ', '\t', '>'])
            .is_empty();
        let is_indented = before.ends_with([' ', '\t']);
        let is_alone = after.trim().is_empty();
        let range = at + 1..at + 1 + name.len();
        let certain = !(is_plain_compound(name) || is_first && (is_indented || is_alone));
        out.push(Person { range, certain });
    }
    out
}

fn name_at(text: &str) -> &str {
    let in_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    let end = text.find(|c| !in_name(c)).unwrap_or(text.len());
    if end > 60 { "" } else { &text[..end] }
}

#[cfg(test)]
mod tests {
    use super::people;

    fn names(line: &str) -> Vec<&str> {
        let certain = people(line).into_iter().filter(|person| person.certain);
        certain.map(|person| &line[person.range]).collect()
    }

    #[test]
    fn logins_of_fields_and_filters_are_names() {
        assert_eq!(names(r#"{"login":"veraholm","id":3}"#), ["veraholm"]);
        assert_eq!(names(r#"{\"login\": \"veraholm\"}"#), ["veraholm"]);
        assert_eq!(names(r#"select(.user.login != "veraholm")"#), ["veraholm"]);
        assert_eq!(names("gh pr list --author veraholm"), ["veraholm"]);
        assert_eq!(
            names(r#"{"login": "string", "last_login": "monday"}"#),
            Vec::<&str>::new()
        );
    }

    #[test]
    fn mentions_are_names_and_marks_of_languages_are_none() {
        assert_eq!(
            names("thanks [@veraholm](x) and @jonas-b."),
            ["veraholm", "jonas-b"]
        );
        assert_eq!(names("@veraholm can you look"), ["veraholm"]);
        for none in [
            "@dataclass",
            "    @weirdmark",
            "@app.route('/')",
            "@media print",
            " * @param x",
            "import '@types/node'",
            "$@",
            "git@host.example",
            "@@ -1 +1 @@",
            "@retrying(3)",
        ] {
            assert_eq!(names(none), Vec::<&str>::new(), "{none}");
        }
    }

    #[test]
    fn authors_are_names_and_programs_are_none() {
        assert_eq!(
            names("Author: Vera Holm <vera@holm.example>"),
            ["Vera", "Holm"]
        );
        assert_eq!(
            names("Co-Authored-By: Claude <noreply@x.example>"),
            Vec::<&str>::new()
        );
        assert_eq!(names("write to us <team@x.example>"), Vec::<&str>::new());
    }
}
