//! Licences and sources of everything that is built in, held against `deny.toml` without the network.

use serde_json::Value;
use std::process::Command;

/// The texts of one list in `deny.toml`.
fn listed(name: &str) -> Vec<String> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../deny.toml");
    let text = std::fs::read_to_string(file).unwrap();
    let begin = format!("\n{name} = [");
    let (_, rest) = text.split_once(&begin).unwrap();
    let (list, _) = rest.split_once(']').unwrap();
    list.split('"')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

/// Whether an SPDX expression can be met with the allowed licences alone.
fn is_met(expression: &str, allowed: &[String]) -> bool {
    // `/` is the old way to write `OR`.
    let spaced = expression
        .replace('/', " OR ")
        .replace('(', " ( ")
        .replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    let met = any_of(&words, &mut at, allowed);
    met && at == words.len()
}

fn any_of(words: &[&str], at: &mut usize, allowed: &[String]) -> bool {
    let mut met = all_of(words, at, allowed);
    while words.get(*at) == Some(&"OR") {
        *at += 1;
        met |= all_of(words, at, allowed);
    }
    met
}

fn all_of(words: &[&str], at: &mut usize, allowed: &[String]) -> bool {
    let mut met = one(words, at, allowed);
    while words.get(*at) == Some(&"AND") {
        *at += 1;
        met &= one(words, at, allowed);
    }
    met
}

fn one(words: &[&str], at: &mut usize, allowed: &[String]) -> bool {
    let Some(&word) = words.get(*at) else {
        return false;
    };
    *at += 1;
    if word == "(" {
        let met = any_of(words, at, allowed);
        let is_closed = words.get(*at) == Some(&")");
        *at += 1;
        return met && is_closed;
    }
    let mut name = word.to_owned();
    if words.get(*at) == Some(&"WITH") {
        name += &format!(" WITH {}", words.get(*at + 1).copied().unwrap_or_default());
        *at += 2;
    }
    allowed.contains(&name)
}

#[test]
fn expressions_are_read_as_they_bind() {
    let allowed = ["MIT", "ISC"].map(str::to_owned);
    for met in [
        "MIT",
        "GPL-2.0 OR MIT",
        "GPL-2.0/MIT",
        "MIT AND ISC",
        "(X OR MIT) AND ISC",
        "X AND Y OR MIT",
    ] {
        assert!(is_met(met, &allowed), "{met}");
    }
    for unmet in [
        "GPL-2.0",
        "MIT AND X",
        "MIT WITH X",
        "(MIT OR X) AND Y",
        "",
        "MIT AND",
        "(MIT",
    ] {
        assert!(!is_met(unmet, &allowed), "{unmet}");
    }
}

/// The platform that programs are built for here.
fn host() -> String {
    let output = Command::new("rustc").arg("-vV").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.unwrap().to_owned()
}

#[test]
fn everything_that_is_built_in_has_an_allowed_licence_and_source() {
    let host = host();
    // Of this platform alone: cargo has not downloaded what only others need. `scripts/deny` looks at
    // all of them.
    let platform = ["--filter-platform", &host];
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--offline"])
        .args(platform)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let (licences, registries) = (listed("allow"), listed("allow-registry"));
    let mut wrong = Vec::new();
    let packages = metadata["packages"].as_array().unwrap();
    assert!(packages.len() > 100, "{} packages", packages.len());
    for package in packages {
        let licence = package["license"].as_str().unwrap_or_default();
        if !is_met(licence, &licences) {
            wrong.push(format!("{}: licence '{licence}'", package["name"]));
        }
        // Our own crates have no source.
        let source = package["source"].as_str();
        let place = source.map(|source| source.trim_start_matches("registry+"));
        if place.is_some_and(|place| !registries.iter().any(|known| known == place)) {
            wrong.push(format!("{}: source {source:?}", package["name"]));
        }
    }
    assert!(
        wrong.is_empty(),
        "not allowed by deny.toml:\n{}",
        wrong.join("\n")
    );
}
