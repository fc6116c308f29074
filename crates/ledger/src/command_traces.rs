//! What a summary shows of a command: its program, its subcommand and the arguments that matter,
//! in one place.

use crate::extract::{Candidate, Standing};
use crate::segments::{Found, Segments, stem};
use crate::{commands, identifiers};
use memchr::memmem::Finder;
use palimpsest_core::ledger::FactStatus;

/// Programs that say nothing without their subcommand.
const CARRIERS: [&str; 22] = [
    "git", "go", "npm", "npx", "yarn", "pnpm", "bun", "cargo", "gh", "docker", "kubectl", "python",
    "python3", "node", "make", "mise", "just", "uv", "pip", "poetry", "bash", "sh",
];

/// Subcommands of git that a summary tells as a verb ("committed and pushed").
const TOLD_AS_VERBS: [&str; 6] = ["commit", "push", "merge", "rebase", "revert", "tag"];

/// A command taken apart.
struct Parts {
    /// Program and, where it has one, subcommand, in lower case.
    head: String,
    /// The arguments that matter, in lower case: no options, the last parts of paths.
    arguments: Vec<String>,
}

/// A command without the quoted sentences it is given: what it is asked matters less than what it is.
fn without_prose(command: &str) -> String {
    let mut out = String::with_capacity(command.len());
    let mut rest = command;
    while let Some(at) = rest.find(['"', '\'']) {
        let quote = &rest[at..=at];
        let Some(end) = rest[at + 1..].find(quote) else {
            break;
        };
        let inner = &rest[at + 1..at + 1 + end];
        out.push_str(&rest[..at]);
        if !inner.contains(' ') {
            out.push_str(inner);
        }
        rest = &rest[at + end + 2..];
    }
    out.push_str(rest);
    out
}

fn parts(command: &str) -> Option<Parts> {
    let command = without_prose(command);
    let words = commands::words_of(&command);
    let (program, rest) = words.split_first()?;
    let mut head = program.to_lowercase();
    let mut rest = rest.iter().peekable();
    // A plain word behind the program is its subcommand.
    let is_plain =
        |word: &&&str| word.len() >= 2 && word.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
    if let Some(sub) = rest.peek()
        && (CARRIERS.contains(&head.as_str()) || is_plain(sub))
        && sub
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"-:_.".contains(&b))
        && !sub.starts_with('-')
    {
        head.push(' ');
        head.push_str(&sub.to_lowercase());
        rest.next();
        // The third word names `npm run lint` and `mise run test`.
        if head.ends_with(" run")
            && let Some(third) = rest.next()
        {
            head.push(' ');
            head.push_str(&third.to_lowercase());
        }
    }
    let options: Vec<String> = rest
        .clone()
        .filter(|word| word.starts_with("--") && word.len() > 3)
        .map(|word| word.split('=').next().unwrap_or_default().to_lowercase())
        .collect();
    let mut arguments: Vec<String> = rest
        .map(|word| word.trim_matches(['"', '\'', '(', ')', ';']))
        .filter(|word| word.len() >= 3 && !word.starts_with(['-', '>', '<', '|', '&', '$']))
        .map(|word| {
            let word = word.trim_end_matches("/...").trim_end_matches('/');
            identifiers::basename(word).to_lowercase()
        })
        .filter(|word| word.chars().any(char::is_alphanumeric))
        .take(6)
        .collect();
    // A program with nothing but options is known by them.
    if arguments.is_empty() && !head.contains(' ') {
        arguments = options;
    }
    Some(Parts { head, arguments })
}

/// Options that say how an output looks, and not what is asked.
#[rustfmt::skip]
const PLAIN_OPTIONS: &[&str] = &[
    "--all", "--color", "--format", "--head", "--help", "--include", "--json", "--limit", "--message", "--name-only",
    "--no-pager", "--oneline", "--output", "--paginate", "--pretty", "--print", "--quiet", "--short", "--silent",
    "--stat", "--verbose", "--version",
];

/// The long options by which a command is known: `git log --diff-filter=A`.
fn telling_options(command: &str) -> Vec<String> {
    let words = command.split_whitespace();
    let options = words.filter(|word| word.starts_with("--") && word.contains('='));
    let named = options.map(|word| word.to_lowercase());
    named
        .filter(|word| {
            let name = word.split('=').next().unwrap_or_default();
            name.len() >= 8 && PLAIN_OPTIONS.binary_search(&name).is_err()
        })
        .collect()
}

/// What `segments` show of a command beyond its exact words: the head and all its arguments in one
/// line are a mention; the head with some of them missing is partial, and the missing ones are named.
pub(crate) fn find(segments: &Segments, fact: &Candidate) -> Option<Found> {
    let command = fact.surfaces.first()?;
    if let Some(subject) = command.strip_prefix("git commit: ") {
        return commit(segments, subject);
    }
    let Parts { head, arguments } = parts(command)?;
    let options = telling_options(command);
    // A look is there with what it looked at, or not at all.
    let only_looked = fact.standing == Standing::Noticed;
    if only_looked && arguments.is_empty() {
        return None;
    }
    let verb = head
        .strip_prefix("git ")
        .filter(|sub| TOLD_AS_VERBS.contains(sub))
        .map(stem);
    let mut best: Option<(usize, Found)> = None;
    // `npm run` alone is a part of `npm run lint`.
    let carrier = head.match_indices(' ').nth(1).map(|(at, _)| &head[..at]);
    // Made once: every command is looked for in every line.
    let (whole, carrier) = (Finder::new(&*head), carrier.map(Finder::new));
    for segment in &segments.all {
        let has_head = has_words(&segment.lower, &whole);
        let without_script = !has_head
            && carrier
                .as_ref()
                .is_some_and(|carrier| has_words(&segment.lower, carrier));
        let named = without_script
            || has_head
            || verb.as_ref().is_some_and(|verb| {
                segment.stems.contains(verb)
                    && !segment.quotes_user
                    && !segment.lower.contains("not ")
                    && !segment.lower.contains("if ")
            });
        // What the user asks to push is not pushed by that; a command with its arguments is the one.
        if !named || segment.quotes_user && arguments.is_empty() {
            continue;
        }
        let script = head.rsplit(' ').next().filter(|_| without_script);
        let missing: Vec<String> = script
            .map(str::to_owned)
            .into_iter()
            .chain(
                arguments
                    .iter()
                    .filter(|word| !segment.lower.contains(word.as_str()))
                    .cloned(),
            )
            .collect();
        let by_option = options
            .iter()
            .any(|option| segment.lower.contains(option.as_str()));
        let missing = if by_option { Vec::new() } else { missing };
        if ((only_looked || segment.quotes_user) && !missing.is_empty())
            || best
                .as_ref()
                .is_some_and(|(known, _)| *known <= missing.len())
        {
            continue;
        }
        let status = if missing.is_empty() || verb.is_some() {
            FactStatus::Mentioned
        } else {
            FactStatus::Partial
        };
        let found = Found {
            status,
            range: segment.range.clone(),
            missing: if status == FactStatus::Partial {
                missing.clone()
            } else {
                Vec::new()
            },
            difference: None,
        };
        best = Some((missing.len(), found));
    }
    best.map(|(_, found)| found)
}

/// True when the words that are looked for stand in `text` as whole words.
fn has_words(text: &str, words: &Finder<'_>) -> bool {
    let outside = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '-' && c != '_');
    let mut places = words
        .find_iter(text.as_bytes())
        .filter(|_| !words.needle().is_empty());
    places.any(|at| {
        let end = at + words.needle().len();
        outside(text[..at].chars().next_back()) && outside(text[end..].chars().next())
    })
}

/// True for the subject of a numbered step (`WP3: text`).
fn of_step(subject: &str) -> bool {
    subject.split_once(':').is_some_and(|(name, _)| {
        name.len() <= 8
            && name.starts_with(|c: char| c.is_ascii_uppercase())
            && name.ends_with(|c: char| c.is_ascii_digit())
    })
}

/// A commit is there with its subject, or with most of its words in one line.
fn commit(segments: &Segments, subject: &str) -> Option<Found> {
    let subject = subject.trim_end_matches('…').trim();
    // `fix(reader): ` names a kind of change.
    let told = subject.split_once(": ").map_or(subject, |(_, told)| told);
    let wanted = crate::segments::stems(told);
    if wanted.is_empty() {
        return None;
    }
    let nearest = segments.nearest(&wanted, wanted.len(), 3).into_iter();
    let segment = nearest
        .map(|at| &segments.all[at])
        .find(|segment| !segment.quotes_user)?;
    let shared = wanted
        .iter()
        .filter(|stem| segment.stems.contains(*stem))
        .count();
    let share = shared as f64 / wanted.len() as f64;
    // A row for the step tells that its work is done, not that it was committed.
    let status = if share >= 0.65 && !of_step(subject) {
        FactStatus::Mentioned
    } else if shared >= 2 && (share >= 0.45 || of_step(subject)) {
        FactStatus::Partial
    } else {
        return None;
    };
    let missing = wanted
        .into_iter()
        .filter(|stem| !segment.stems.contains(stem))
        .collect();
    Some(Found {
        status,
        range: segment.range.clone(),
        missing: if status == FactStatus::Partial {
            missing
        } else {
            Vec::new()
        },
        difference: None,
    })
}
