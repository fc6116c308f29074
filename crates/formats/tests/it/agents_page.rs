//! `docs/agents.md` and the list of agents in `README.md`, made from the readers' own tables, and
//! what these tables say held against the readers.

#![allow(
    clippy::unwrap_used,
    reason = "a page that cannot be written fails its test"
)]

use crate::common::FORMATS;
use palimpsest_core::Agent;
use palimpsest_formats::{Coverage, Places, SessionFormat, format_of};
use palimpsest_testkit::cases;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The lines of the README between which the list stands.
const MARKS: [&str; 2] = ["<!-- agents -->\n", "<!-- /agents -->\n"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The readers by the titles of their agents.
fn sorted() -> Vec<&'static dyn SessionFormat> {
    let mut all = FORMATS.to_vec();
    all.sort_by_key(|format| format.coverage().title.to_lowercase());
    all
}

fn agents() -> impl Iterator<Item = Agent> {
    FORMATS.iter().map(|format| format.agent())
}

fn words(names: &[impl AsRef<str>]) -> String {
    let names = names.iter().map(|name| format!("`{}`", name.as_ref()));
    names.collect::<Vec<_>>().join(", ")
}

fn places(of: &Coverage) -> String {
    match of.places {
        [] => "no default folder".to_owned(),
        places => words(places),
    }
}

fn page() -> String {
    let mut out = "# Agents\n\n\
        The agents whose sessions Palimpsest reads. Files are opened read-only. A record of an \
        unknown type stays in the tree as an opaque entry; a line that is not understood is a \
        warning with its reason.\n\n\
        The default folders are searched where they exist. `~` is the home folder; braces stand \
        for each of the words in them. Other folders are added under **Settings** or with \
        `palimpsest index FOLDER`.\n"
        .to_owned();
    for format in sorted() {
        let of = format.coverage();
        write!(
            out,
            "\n## {}\n\n| | |\n| --- | --- |\n\
             | name in filters | `{}` |\n| versions | {} |\n| sessions | {} |\n\
             | folders | {} |\n",
            of.title,
            format.agent(),
            of.versions,
            of.storage,
            places(of),
        )
        .unwrap();
        if !of.variables.is_empty() {
            writeln!(
                out,
                "| variables for other folders | {} |",
                words(of.variables)
            )
            .unwrap();
        }
        writeln!(out, "| contexts are compared with | {} |", of.compared).unwrap();
        out += "\n| records | what they are in the tree |\n| --- | --- |\n";
        for records in of.records {
            writeln!(out, "| {} | {} |", words(records.names), records.as_what).unwrap();
        }
        out += "\nNot read or not stored:\n\n";
        for limit in of.limits {
            writeln!(out, "- {limit}").unwrap();
        }
    }
    out
}

fn list() -> String {
    let mut out = "| agent | versions | default folders |\n| --- | --- | --- |\n".to_owned();
    for format in sorted() {
        let of = format.coverage();
        let folders = if of.places.len() > 1 || of.places.iter().any(|place| place.len() > 60) {
            let (editors, _) = of.places[0]
                .split_once("/{Code")
                .unwrap_or((of.places[0], ""));
            format!("the editors' folders below `{editors}`")
        } else {
            places(of)
        };
        writeln!(out, "| {} | {} | {folders} |", of.title, of.versions).unwrap();
    }
    out
}

/// Fails when the file at `path` is not `expected`, and writes it.
fn holds(path: &Path, expected: &str) {
    let written = std::fs::read_to_string(path).unwrap_or_default();
    if written != expected {
        std::fs::write(path, expected).unwrap();
        panic!(
            "{} was out of date and is written again; commit it",
            path.display()
        );
    }
}

#[test]
fn the_page_is_that_of_the_tables() {
    holds(&root().join("docs/agents.md"), &page());
}

#[test]
fn the_list_in_the_readme_is_that_of_the_tables() {
    let path = root().join("README.md");
    let readme = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = readme.split_once(MARKS[0]).unwrap();
    let (_, after) = rest.split_once(MARKS[1]).unwrap();
    let [begin, end] = MARKS;
    holds(&path, &format!("{before}{begin}{}{end}{after}", list()));
}

#[test]
fn folders_are_those_that_are_searched() {
    cases::each(agents(), |agent| {
        let format = format_of(*agent).unwrap();
        let places = Places {
            home: "~".into(),
            env: Default::default(),
        };
        let searched = format.default_roots(&places).into_iter();
        let searched: BTreeSet<String> = searched
            .map(|root| root.to_string_lossy().replace('\\', "/"))
            .collect();
        let told = format.coverage().folders();
        assert_eq!(told.into_iter().collect::<BTreeSet<_>>(), searched);
    });
}

#[test]
fn variables_lead_to_other_folders() {
    cases::each(agents(), |agent| {
        let format = format_of(*agent).unwrap();
        for variable in format.coverage().variables {
            let mut places = Places {
                home: "/home/ada".into(),
                env: Default::default(),
            };
            places.env.insert((*variable).into(), "/set".into());
            let roots = format.default_roots(&places);
            assert!(
                roots.iter().any(|root| root.starts_with("/set")),
                "{variable}: {roots:?}"
            );
        }
    });
}

/// Names of records stand in the source of their reader, apart from its table.
#[test]
fn records_are_named_by_their_readers() {
    cases::each(agents(), |agent| {
        let format = format_of(*agent).unwrap();
        let folder = format.agent().name().replace('-', "_");
        let folder = if folder == "continue" {
            "continue_dev".into()
        } else {
            folder
        };
        let mut source = String::new();
        for file in std::fs::read_dir(root().join("crates/formats/src").join(folder)).unwrap() {
            let path = file.unwrap().path();
            if path.file_name().is_some_and(|name| name != "coverage.rs") {
                source += &std::fs::read_to_string(path).unwrap();
            }
        }
        let all = format.coverage().records.iter().flat_map(|own| own.names);
        let missing: Vec<_> = all
            .filter(|name| !source.contains(&format!("\"{name}\"")))
            .collect();
        assert!(missing.is_empty(), "{missing:?}");
    });
}
