//! Which crate may use which: the arrows of `ARCHITECTURE.md`, read from `cargo metadata`.

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::Value;

/// What each crate may use of ours, outside its tests.
const ARROWS: &[(&str, &[&str])] = &[
    ("core", &[]),
    ("tokens", &["core"]),
    ("formats", &["core"]),
    ("ledger", &["core"]),
    ("graph", &["core"]),
    ("lab", &["core"]),
    ("judge", &["core", "ledger"]),
    ("llm", &["core"]),
    ("store", &["core"]),
    ("write", &["core"]),
    ("compaction", &["core", "tokens", "ledger"]),
    (
        "app",
        &[
            "core",
            "tokens",
            "formats",
            "ledger",
            "llm",
            "store",
            "compaction",
            "write",
            "lab",
            "judge",
        ],
    ),
    ("api", &["core", "app"]),
    ("cli", &["api"]),
    ("desktop", &["api"]),
    ("testkit", &["core"]),
    // Tools of the repository; nothing that is shipped uses them.
    ("bindgen", &[]),
    ("gold", &["core", "ledger", "compaction", "lab", "app"]),
    ("torture", &["formats", "app", "api", "testkit"]),
    (
        "oracle",
        &[
            "core",
            "tokens",
            "formats",
            "compaction",
            "ledger",
            "store",
            "app",
        ],
    ),
];

/// What crates may use of ours in their tests on top of that; `testkit` is for all.
const TEST_ARROWS: &[(&str, &[&str])] = &[
    ("compaction", &["formats"]),
    // What is written has to be what the readers make the predicted context of.
    ("write", &["formats"]),
    // The samples and corpora it builds have to be what the readers and planners take them for.
    ("testkit", &["formats", "compaction", "tokens"]),
];

/// Libraries that decide how a crate can be used, and the one crate that may know each. A name
/// stands for its family too: `egui` for `egui_graphs`.
const CONFINED: &[(&str, &str)] = &[
    ("tauri", "desktop"),
    ("axum", "cli"),
    ("egui", "graph"),
    ("eframe", "graph"),
    ("rusqlite", "store"),
    ("reqwest", "llm"),
    ("notify", "app"),
];

/// One arrow from a crate of the workspace, as `cargo metadata` has it.
#[derive(Debug, Clone)]
struct Arrow {
    from: String,
    to: String,
    only_in_tests: bool,
}

#[test]
fn every_arrow_is_allowed() {
    let wrong = wrong_arrows(&workspace_arrows());
    assert!(
        wrong.is_empty(),
        "arrows against the directions in ARCHITECTURE.md; use the crate through the one above it, \
         or change the table here and there:\n  {}",
        wrong.join("\n  ")
    );
}

#[test]
fn every_crate_is_in_the_table() {
    let arrows = workspace_arrows();
    let mut unknown: Vec<&str> = arrows.iter().map(|arrow| arrow.from.as_str()).collect();
    unknown.sort_unstable();
    unknown.dedup();
    unknown.retain(|name| !ARROWS.iter().any(|(known, _)| known == name));
    assert!(
        unknown.is_empty(),
        "crates without a row in ARROWS: {unknown:?}"
    );
}

#[test]
fn arrows_against_the_direction_are_found() {
    let arrow = |from: &str, to: &str, only_in_tests| Arrow {
        from: from.into(),
        to: to.into(),
        only_in_tests,
    };
    let wrong = [
        arrow("core", "palimpsest-store", false),
        arrow("cli", "palimpsest-app", false),
        arrow("app", "palimpsest-testkit", false),
        arrow("ledger", "palimpsest-formats", true),
        arrow("app", "rusqlite", false),
        arrow("core", "egui_graphs", false),
        arrow("api", "tauri-plugin-dialog", true),
    ];
    let right = [
        arrow("app", "palimpsest-store", false),
        arrow("app", "palimpsest-testkit", true),
        arrow("compaction", "palimpsest-formats", true),
        arrow("store", "rusqlite", false),
        arrow("graph", "egui_graphs", false),
        arrow("desktop", "tauri-plugin-dialog", false),
    ];
    assert_eq!(
        wrong_arrows(&wrong).len(),
        wrong.len(),
        "{:?}",
        wrong_arrows(&wrong)
    );
    assert_eq!(wrong_arrows(&right), Vec::<String>::new());
}

/// The arrows no table allows, one line each.
fn wrong_arrows(arrows: &[Arrow]) -> Vec<String> {
    let allowed: BTreeMap<&str, &[&str]> = ARROWS.iter().copied().collect();
    let in_tests: BTreeMap<&str, &[&str]> = TEST_ARROWS.iter().copied().collect();
    let may = |table: &BTreeMap<&str, &[&str]>, from: &str, to: &str| {
        table.get(from).is_some_and(|targets| targets.contains(&to))
    };
    let is_wrong = |arrow: &Arrow| match arrow.to.strip_prefix("palimpsest-") {
        Some(to) => {
            let test_use =
                arrow.only_in_tests && (to == "testkit" || may(&in_tests, &arrow.from, to));
            !test_use && !may(&allowed, &arrow.from, to)
        }
        None => CONFINED.iter().any(|(library, home)| {
            let family = arrow.to.strip_prefix(library);
            family.is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '_']))
                && arrow.from != *home
        }),
    };
    let wrong = arrows.iter().filter(|arrow| is_wrong(arrow));
    wrong
        .map(|arrow| {
            let place = if arrow.only_in_tests {
                " (in tests)"
            } else {
                ""
            };
            format!("{} -> {}{place}", arrow.from, arrow.to)
        })
        .collect()
}

/// All direct dependencies of the workspace's crates.
fn workspace_arrows() -> Vec<Arrow> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--no-deps", "--format-version=1", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo starts");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo prints JSON");
    let mut arrows = Vec::new();
    for package in metadata["packages"].as_array().expect("a list of packages") {
        let name = package["name"].as_str().expect("a name");
        let from = name.strip_prefix("palimpsest-").unwrap_or(name);
        for dependency in package["dependencies"]
            .as_array()
            .expect("a list of dependencies")
        {
            let to = dependency["name"].as_str().expect("a name");
            arrows.push(Arrow {
                from: from.to_owned(),
                to: to.to_owned(),
                only_in_tests: dependency["kind"] == "dev",
            });
        }
    }
    assert!(
        arrows.len() > 20,
        "cargo metadata lists {} dependencies",
        arrows.len()
    );
    arrows
}
