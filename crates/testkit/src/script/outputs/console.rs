//! What build tools and test runners print.

use super::Wanted;
use crate::script::files::Project;
use crate::seeded::Rng;
use std::fmt::Write as _;

const CRATES: &[(&str, &str)] = &[
    ("proc-macro2", "1.0.103"),
    ("unicode-ident", "1.0.22"),
    ("quote", "1.0.42"),
    ("libc", "0.2.177"),
    ("cfg-if", "1.0.4"),
    ("serde_core", "1.0.228"),
    ("memchr", "2.7.6"),
    ("once_cell", "1.21.3"),
    ("itoa", "1.0.15"),
    ("autocfg", "1.5.0"),
    ("bytes", "1.11.0"),
    ("pin-project-lite", "0.2.16"),
    ("futures-core", "0.3.31"),
    ("log", "0.4.28"),
    ("version_check", "0.9.5"),
    ("smallvec", "1.15.1"),
    ("parking_lot_core", "0.9.12"),
    ("scopeguard", "1.2.0"),
    ("lock_api", "0.4.14"),
    ("slab", "0.4.11"),
    ("typenum", "1.19.0"),
    ("generic-array", "0.14.9"),
    ("futures-sink", "0.3.31"),
    ("ryu", "1.0.20"),
    ("tracing-core", "0.1.34"),
    ("syn", "2.0.110"),
    ("hashbrown", "0.15.5"),
    ("equivalent", "1.0.2"),
    ("indexmap", "2.12.0"),
    ("block-buffer", "0.10.4"),
    ("crypto-common", "0.1.6"),
    ("digest", "0.10.7"),
    ("subtle", "2.6.1"),
    ("sha2", "0.10.9"),
    ("hmac", "0.12.1"),
    ("http", "1.3.1"),
    ("httparse", "1.10.1"),
    ("percent-encoding", "2.3.2"),
    ("form_urlencoded", "1.2.2"),
    ("zerocopy", "0.8.28"),
    ("ppv-lite86", "0.2.21"),
    ("rand_core", "0.9.3"),
    ("rand_chacha", "0.9.0"),
    ("rand", "0.9.2"),
    ("foldhash", "0.1.5"),
    ("crossbeam-utils", "0.8.21"),
    ("concurrent-queue", "2.5.0"),
    ("parking", "2.2.1"),
    ("event-listener", "5.4.1"),
    ("thiserror-impl", "2.0.17"),
    ("thiserror", "2.0.17"),
    ("serde_derive", "1.0.228"),
    ("serde", "1.0.228"),
    ("tokio-macros", "2.6.0"),
    ("mio", "1.1.0"),
    ("socket2", "0.6.1"),
    ("tokio", "1.48.0"),
    ("tokio-util", "0.7.17"),
    ("tracing-attributes", "0.1.30"),
    ("tracing", "0.1.41"),
    ("url", "2.5.7"),
    ("idna", "1.1.0"),
    ("libsqlite3-sys", "0.30.1"),
    ("hashlink", "0.10.0"),
    ("flume", "0.11.1"),
    ("futures-intrusive", "0.5.0"),
    ("sqlx-core", "0.8.6"),
    ("sqlx-sqlite", "0.8.6"),
    ("sqlx-macros-core", "0.8.6"),
    ("sqlx-macros", "0.8.6"),
    ("sqlx", "0.8.6"),
    ("http-body", "1.0.1"),
    ("tower-service", "0.3.3"),
    ("tower-layer", "0.3.3"),
    ("hyper", "1.8.0"),
    ("hyper-util", "0.1.18"),
    ("tower", "0.5.2"),
    ("axum-core", "0.5.5"),
    ("matchit", "0.8.4"),
    ("axum", "0.8.7"),
    ("rustls-pki-types", "1.13.0"),
    ("ring", "0.17.14"),
    ("rustls", "0.23.35"),
    ("tokio-rustls", "0.26.4"),
    ("hyper-rustls", "0.27.7"),
    ("reqwest", "0.12.24"),
    ("chrono", "0.4.42"),
    ("toml_datetime", "0.7.3"),
    ("winnow", "0.7.13"),
    ("toml", "0.9.8"),
    ("prometheus", "0.14.0"),
    ("anstyle", "1.0.13"),
    ("clap_lex", "0.7.6"),
    ("clap_builder", "4.5.51"),
    ("clap", "4.5.51"),
    ("tracing-subscriber", "0.3.20"),
    ("wiremock", "0.6.5"),
];

/// Lines of a compiler at work: `n=` crates from `from=`.
pub(super) fn compiling(wanted: &Wanted) -> Result<String, String> {
    let (from, n) = (
        wanted.number("from", 0)? as usize,
        wanted.number("n", 1_000)? as usize,
    );
    let lines = CRATES.iter().skip(from).take(n);
    Ok(lines
        .map(|(name, version)| format!("   Compiling {name} v{version}\n"))
        .collect())
}

/// A dependency tree as cargo prints it.
pub(super) fn dependency_tree(wanted: &Wanted) -> Result<String, String> {
    let mut rng = Rng::new(wanted.number("seed", 1)?);
    let mut text = "courier v0.7.2 (/home/dana/projects/courier)\n".to_owned();
    for (i, (name, version)) in CRATES.iter().enumerate().rev() {
        let depth = if i % 7 == 0 { 0 } else { 1 + rng.below(3) };
        let again = if rng.chance(30) { " (*)" } else { "" };
        let _ = writeln!(text, "{}├── {name} v{version}{again}", "│   ".repeat(depth));
    }
    Ok(text)
}

/// What `cargo test` prints for each file named, read from the file's own test functions;
/// `fail=` names those that fail and leaves the summary to [`failed`].
pub(super) fn tests(wanted: &Wanted, project: &Project) -> Result<String, String> {
    let failing = wanted.list("fail");
    let mut text = String::new();
    for path in wanted.plain() {
        let names = named_tests(path, project)?;
        let _ = writeln!(
            text,
            "     Running {}\n\nrunning {} tests",
            target(path),
            names.len()
        );
        for name in &names {
            let result = if failing.contains(&name.rsplit("::").next().unwrap_or(name)) {
                "FAILED"
            } else {
                "ok"
            };
            let _ = writeln!(text, "test {name} ... {result}");
        }
        if !names
            .iter()
            .any(|name| failing.contains(&name.rsplit("::").next().unwrap_or(name)))
        {
            let seconds = names.len() * 3 % 97;
            let _ = writeln!(
                text,
                "\ntest result: ok. {} passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.{seconds:02}s\n",
                names.len()
            );
        }
    }
    Ok(text)
}

/// The end of a failing `cargo test`: the names again and the counts.
pub(super) fn failed(wanted: &Wanted, project: &Project) -> Result<String, String> {
    let path = wanted.plain().next().ok_or("failed needs a file")?;
    let names = named_tests(path, project)?;
    let failing = wanted.list("fail");
    let mut text = "failures:\n".to_owned();
    for name in names
        .iter()
        .filter(|name| failing.contains(&name.rsplit("::").next().unwrap_or(name)))
    {
        let _ = writeln!(text, "    {name}");
    }
    let _ = writeln!(
        text,
        "\ntest result: FAILED. {} passed; {} failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.31s\n",
        names.len() - failing.len(),
        failing.len()
    );
    let what = if path.starts_with("tests/") {
        format!("--test {}", stem(path))
    } else {
        "--lib".to_owned()
    };
    let _ = writeln!(text, "error: test failed, to rerun pass `{what}`");
    Ok(text)
}

fn named_tests(path: &str, project: &Project) -> Result<Vec<String>, String> {
    let names = project.tests_in(path);
    if names.is_empty() {
        return Err(format!("{path} holds no test"));
    }
    if path.starts_with("tests/") {
        return Ok(names);
    }
    let module = path
        .trim_start_matches("src/")
        .trim_end_matches(".rs")
        .trim_end_matches("/mod")
        .replace('/', "::");
    Ok(names
        .into_iter()
        .map(|name| format!("{module}::tests::{name}"))
        .collect())
}

fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split('.').next().unwrap_or(name)
}

fn target(path: &str) -> String {
    let seed = path.bytes().fold(7, |sum: u64, byte| {
        sum.wrapping_mul(31).wrapping_add(u64::from(byte))
    });
    let hash = Rng::new(seed).next_u64();
    let name = if path.starts_with("tests/") {
        stem(path)
    } else {
        "courier"
    };
    format!("{path} (target/debug/deps/{name}-{hash:016x})")
}

/// What vitest prints for each file named; `fail=` names titles that fail, `_` for a blank.
pub(super) fn vitest(wanted: &Wanted, project: &Project) -> Result<String, String> {
    let failing: Vec<String> = wanted
        .list("fail")
        .iter()
        .map(|name| name.replace('_', " "))
        .collect();
    let (mut text, mut passed, mut failed, mut bad_files, mut files) = (String::new(), 0, 0, 0, 0);
    for path in wanted.plain() {
        let names = project.tests_in(path);
        if names.is_empty() {
            return Err(format!("{path} holds no test"));
        }
        let bad = names.iter().filter(|name| failing.contains(name)).count();
        let mark = if bad == 0 { '✓' } else { '❯' };
        let _ = writeln!(
            text,
            " {mark} {path} ({} tests) {}ms",
            names.len(),
            6 + names.len() * 7
        );
        for name in &names {
            let mark = if failing.contains(name) { '×' } else { '✓' };
            let _ = writeln!(text, "   {mark} {name}");
        }
        files += 1;
        bad_files += usize::from(bad > 0);
        passed += names.len() - bad;
        failed += bad;
    }
    let counts = |bad: usize, good: usize| match bad {
        0 => format!("{good} passed ({good})"),
        _ => format!("{bad} failed | {good} passed ({})", bad + good),
    };
    let _ = writeln!(
        text,
        "\n Test Files  {}",
        counts(bad_files, files - bad_files)
    );
    let _ = writeln!(text, "      Tests  {}", counts(failed, passed));
    Ok(text)
}
