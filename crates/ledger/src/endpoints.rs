//! Names of the world outside the project by which commands reach it: hosts, buckets, ids and profiles of a cloud. No
//! file of the project tells them again, and a wrong one is found out by calls that fail.

use crate::candidate::{Registry, Standing, role_weight};
use crate::span::{Call, Part};
use crate::{files, scripts};
use palimpsest_core::ledger::FactKind;
use std::collections::BTreeMap;

/// Fewest commands in which a name stands that is worth a line.
const LEAST_USES: usize = 2;

/// Commands from which on it weighs one rank more.
const OFTEN: usize = 4;

/// Longest name, in bytes.
const MAX_BYTES: usize = 120;

/// Last words of options whose value names something outside.
#[rustfmt::skip]
const OPTIONS: &[&str] = &[
    "account", "bucket", "cluster", "context", "database", "dbname", "deployment", "domain", "endpoint", "function", "group",
    "host", "hostname", "id", "ids", "instance", "namespace", "profile", "project", "region", "registry", "repository",
    "server", "service", "stack", "subscription", "table", "tenant", "vault", "zone",
];

/// Hosts that everybody knows.
#[rustfmt::skip]
const KNOWN_HOSTS: &[&str] = &[
    "0.0.0.0", "127.0.0.1", "api.github.com", "astral.sh", "crates.io", "deb.nodesource.com", "example.com", "github.com",
    "gitlab.com", "google.com", "httpbin.org", "localhost", "pypi.org", "raw.githubusercontent.com", "registry.npmjs.org",
    "sh.rustup.rs", "www.google.com",
];

/// Options whose value is a host.
const HOSTS: [&str; 6] = [
    "domain", "endpoint", "host", "hostname", "registry", "server",
];

/// Values that everybody guesses.
const DEFAULTS: [&str; 12] = [
    "all", "chromium", "debug", "default", "dev", "firefox", "latest", "main", "none", "release",
    "test", "webkit",
];

/// The names in a script, in order.
pub(crate) fn in_script(script: &str) -> Vec<&str> {
    let mut out = Vec::new();
    for step in scripts::steps(script) {
        let text = step.text(script);
        let text = &text[..text.find("<<").unwrap_or(text.len())];
        let mut option: Option<&str> = None;
        for word in text.split_whitespace() {
            let word = word.trim_matches(['"', '\'', '(', ')', ';', ',', '`']);
            let named = match word.strip_prefix("--").map(|rest| rest.split_once('=')) {
                Some(Some((name, value))) => Some((name, value)),
                Some(None) => None,
                None => option.map(|name| (name, word)),
            };
            let value = named.filter(|(name, value)| {
                names_outside(name)
                    && is_name(value.trim_matches(['"', '\'']), is_host_option(name))
            });
            option = word.strip_prefix("--").filter(|name| !name.contains('='));
            let found = value
                .map(|(_, value)| value.trim_matches(['"', '\'']))
                .or_else(|| setting(word))
                .or_else(|| host(word));
            out.extend(found.filter(|name| name.len() <= MAX_BYTES));
        }
    }
    out
}

/// True for an option by whose last word its value names something outside (`--distribution-id`).
fn names_outside(option: &str) -> bool {
    let last = option.rsplit(['-', '_']).next().unwrap_or(option);
    OPTIONS
        .binary_search(&last.to_ascii_lowercase().as_str())
        .is_ok()
}

fn is_host_option(option: &str) -> bool {
    let last = option.rsplit(['-', '_']).next().unwrap_or(option);
    HOSTS.contains(&last.to_ascii_lowercase().as_str())
}

/// True for a value that is a name: letters, digits and what joins them. A host has the form of a file.
fn is_name(value: &str, is_host: bool) -> bool {
    let joins = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':');
    value.len() >= 3
        && value.chars().all(joins)
        && value.chars().any(|c| c.is_ascii_alphabetic() || c == '.')
        && !value.starts_with('-')
        && (is_host || !files::is_file(value))
        && KNOWN_HOSTS.binary_search(&value).is_err()
        && DEFAULTS.binary_search(&value).is_err()
}

/// The value of a setting in front of a command (`AWS_PROFILE=staging`).
fn setting(word: &str) -> Option<&str> {
    let (name, value) = word.split_once('=')?;
    let in_capitals = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_';
    let is_variable = name.contains('_') && name.bytes().all(in_capitals);
    (is_variable && names_outside(name) && is_name(value, is_host_option(name))).then_some(value)
}

/// The host or bucket of an address, the host of a login, or an address of four numbers.
fn host(word: &str) -> Option<&str> {
    let name = match word.split_once("://") {
        Some((_, rest)) => {
            let end = rest.find(['/', '?', '"', '\'']).unwrap_or(rest.len());
            let name = rest[..end].rsplit('@').next().unwrap_or_default();
            name.split(':').next().unwrap_or_default()
        }
        None => {
            let login = word.split_once('@').filter(|(user, _)| {
                !user.is_empty()
                    && user
                        .bytes()
                        .all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b))
            });
            let name = login.map_or(word, |(_, rest)| {
                rest.split([':', '/']).next().unwrap_or_default()
            });
            let is_host =
                is_address(name) || login.is_some() && name.contains('.') && !is_version(name);
            return (is_host && !KNOWN_HOSTS.contains(&name)).then_some(name);
        }
    };
    let plain = name.len() >= 4
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_'));
    (plain && name.contains(['.', '-']) && !KNOWN_HOSTS.contains(&name)).then_some(name)
}

/// True for `package@1.2`.
fn is_version(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_digit()) && !is_address(name)
}

fn is_address(name: &str) -> bool {
    let parts: Vec<&str> = name.split('.').collect();
    parts.len() == 4 && parts.iter().all(|part| part.parse::<u8>().is_ok()) && parts[0] != "0"
}

/// True for a name that nobody guesses: that a later command has it again shows that it was found out again.
pub(crate) fn is_found_out(name: &str) -> bool {
    name.bytes().any(|b| b.is_ascii_digit()) && name.len() >= 7 || name.len() >= 16
}

/// The names of the calls of a span.
#[derive(Default)]
pub(crate) struct Endpoints<'a>(BTreeMap<String, Vec<Part<'a>>>);

impl<'a> Endpoints<'a> {
    /// Notes a call.
    pub(crate) fn note(&mut self, part: &Part<'a>, call: &Call<'_>) {
        let Some(script) = call.script.as_deref() else {
            return;
        };
        let mut names = in_script(script);
        names.sort_unstable();
        names.dedup();
        for name in names {
            self.0.entry(name.to_owned()).or_default().push(*part);
        }
    }

    /// Makes those facts that several commands use.
    pub(crate) fn finish(self, registry: &mut Registry) {
        for (name, parts) in self.0 {
            if parts.len() < LEAST_USES {
                continue;
            }
            let index = registry.note(FactKind::Symbol, name.clone(), &name);
            let is_often = parts.len() >= OFTEN;
            for part in parts {
                let range = files::place_of(&part, &name);
                registry.place(index, &part, range, role_weight::READ, Standing::Said);
            }
            let fact = &mut registry.facts[index];
            fact.is_endpoint = true;
            fact.lighter -= i32::from(is_often);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_buckets_and_ids_are_names_of_the_outside() {
        assert!(OPTIONS.is_sorted() && KNOWN_HOSTS.is_sorted() && DEFAULTS.is_sorted());
        for (script, names) in [
            (
                "AWS_PROFILE=staging aws s3 ls s3://rows-dev-7q2k/raw --region us-west-2",
                &["staging", "rows-dev-7q2k", "us-west-2"][..],
            ),
            (
                "ssh -i ~/.ssh/k.pem ada@203.0.113.20 \"journalctl -n 3\"",
                &["203.0.113.20"],
            ),
            ("scp a.tar ada@rows.example.org:/srv", &["rows.example.org"]),
            (
                "aws cloudfront create-invalidation --distribution-id=E1ROWS --paths '/*'",
                &["E1ROWS"],
            ),
            (
                "curl -s https://d1rows.cloudfront.net/api | head",
                &["d1rows.cloudfront.net"],
            ),
            (
                "kubectl get pods --namespace rows-prod -o wide",
                &["rows-prod"],
            ),
            ("npm install left-pad@1.3.0 --prefix ui", &[]),
            (
                "curl http://localhost:3000/api && git clone https://github.com/a/b",
                &[],
            ),
            ("git commit -m 'mail ada@example'", &[]),
            ("psql --file rows.sql --host $HOST", &[]),
            ("psql --host db.rows.example.org", &["db.rows.example.org"]),
            (
                "psql --host localhost && cargo build --profile release",
                &[],
            ),
            ("S3_BUCKET=rows-prod ./upload", &["rows-prod"]),
        ] {
            assert_eq!(in_script(script), names, "{script}");
        }
    }

    #[test]
    fn what_nobody_guesses_is_found_out() {
        for (name, is) in [
            ("203.0.113.20", true),
            ("rows-dev-7q2k", true),
            ("staging", false),
            ("rows.example.org", true),
        ] {
            assert_eq!(is_found_out(name), is, "{name}");
        }
    }
}
