//! The examples of `docs/ledger.md` that need a whole session: flags, and the figures over its records.

use crate::flags::{of_records, of_summary};
use crate::options::Options;
use crate::summary::{Material, ShelvedLedger};
use crate::workspace::App;
use palimpsest_core::figure::Figure;
use palimpsest_core::flag::Flag;
use palimpsest_formats::Places;
use palimpsest_ledger::measures::{Amount, Measured};
use palimpsest_testkit::home::TempHome;
use palimpsest_testkit::session::{CompactionSpec, PiSession, Reply, ReplyUsage};
use serde_json::json;
use std::collections::BTreeSet;
use std::sync::Arc;

const PAGE: &str = include_str!("../../../docs/ledger.md");

/// The lines between the fences of the examples with whole sessions.
fn examples() -> Vec<Vec<&'static str>> {
    let mut all = Vec::new();
    let mut open: Option<Vec<&str>> = None;
    for line in PAGE.lines() {
        match &mut open {
            None if line == "```session" => open = Some(Vec::new()),
            Some(_) if line == "```" => all.extend(open.take()),
            Some(lines) => lines.push(line),
            None => {}
        }
    }
    all
}

/// The session of an example: pi's, or records of Codex as they are.
fn text_of(lines: &[&str]) -> String {
    let records = lines.iter().filter_map(|line| line.strip_prefix("codex: "));
    let records: Vec<&str> = records.collect();
    if !records.is_empty() {
        return records.join("\n") + "\n";
    }
    let mut session = PiSession::new();
    let (mut prompt, mut last) = (String::new(), String::new());
    for line in lines.iter().filter(|line| !line.starts_with("-> ")) {
        let (what, text) = line
            .split_once(": ")
            .unwrap_or_else(|| panic!("not understood: {line}"));
        let text = &text.replace("\\n", "\n");
        let (named, output) = text.split_once(" => ").unwrap_or((text, "ok"));
        // `TEXT (100 times)` is a long output.
        let output = match output.strip_suffix(" (100 times)") {
            Some(line) => format!("{line}\n").repeat(100),
            None => output.to_owned(),
        };
        let reported = what.strip_prefix("assistant reporting ");
        let reported = reported.and_then(|rest| rest.strip_suffix(" tokens")?.parse().ok());
        last = match what {
            "user" => {
                prompt = session.user(text);
                prompt.clone()
            }
            "assistant" => session.assistant(Reply::new().text(text)),
            "read" | "edit" | "bash" => {
                let arguments = match what {
                    "read" => json!({ "path": named }),
                    "edit" => json!({ "path": named, "oldText": "a", "newText": "b" }),
                    _ => json!({ "command": named }),
                };
                session.assistant(Reply::new().call(what, arguments));
                session.tool_result(&output)
            }
            _ if reported.is_some() => {
                let tokens: u64 = reported.unwrap_or_default();
                let usage = ReplyUsage {
                    input: tokens,
                    total: tokens,
                    ..ReplyUsage::default()
                };
                session.assistant(Reply::new().text(text).usage(usage))
            }
            _ => {
                let spec = CompactionSpec::new(text).without_file_lists();
                let spec = match what {
                    "compact" => spec.first_kept(&prompt),
                    "compact keeping the last entry" => spec.first_kept(&last),
                    "compact keeping nothing" => spec.keep_nothing(),
                    "compact of 900000 tokens" => spec.first_kept(&prompt).tokens_before(900_000),
                    other => panic!("not understood: {other}"),
                };
                session.compact(spec)
            }
        };
    }
    session.to_jsonl()
}

struct Case {
    flags: BTreeSet<&'static str>,
    figures: Vec<Measured>,
}

fn case(lines: &[&str]) -> Case {
    let home = TempHome::new();
    let path = home.path().join("example.jsonl");
    std::fs::write(&path, text_of(lines)).unwrap();
    let options = Options {
        data_dir: home.path().join("data"),
        places: Places {
            home: home.path().to_owned(),
            env: Default::default(),
        },
        samples_only: false,
        programs_in: None,
        only_known_programs: false,
    };
    let app = App::start(options, Arc::new(|_| ())).unwrap();
    let path = path.display().to_string();
    let open = app.open(&path).unwrap();
    app.chain(&path, None).unwrap();
    let mut flags = of_records(&open).unwrap();
    let material = Material::of_compaction(&open, None).unwrap();
    let ledger = material.ledger();
    let entry = material.of_entry.unwrap();
    flags.extend(of_summary(&open, entry, &material, &ledger).unwrap());
    let shelved = ShelvedLedger {
        id: String::new(),
        open,
        material,
        ledger,
    };
    Case {
        flags: flags.iter().map(|own| own.flag.name()).collect(),
        figures: app.figures(&shelved, None).unwrap(),
    }
}

fn written(amount: Amount) -> String {
    match amount {
        Amount::Share(share) => format!("{:.0} %", 100.0 * share),
        Amount::Of(part, whole) => format!("{part} of {whole}"),
        Amount::Count(count) | Amount::Tokens(count) | Amount::Millis(count) => count.to_string(),
        Amount::Number(number) => format!("{number:.1}"),
        Amount::Usd(cost) => format!("${cost}"),
    }
}

#[test]
fn the_page_says_what_sessions_show() {
    let mut shown = BTreeSet::new();
    for lines in examples() {
        let case = case(&lines);
        let claims = lines.iter().filter_map(|line| line.strip_prefix("-> "));
        let mut flags = BTreeSet::new();
        let mut claimed = 0;
        for claim in claims {
            claimed += 1;
            if let Some(flag) = claim.strip_prefix("flag ") {
                flags.insert(flag);
                shown.insert(flag);
                continue;
            }
            let code = claim.split(' ').next().unwrap();
            let figure = case.figures.iter().find(|own| own.figure.code() == code);
            let figure = figure.unwrap_or_else(|| panic!("no figure: {claim}"));
            if claim.ends_with(" is not measured") {
                assert!(figure.absent.is_some(), "{claim}: {figure:?}");
                continue;
            }
            let (name, value) = claim[code.len()..].split_once(" is ").unwrap();
            let name = name.trim().trim_matches('"');
            let found = figure.values.iter().find(|value| value.name == name);
            let found = found.unwrap_or_else(|| panic!("{claim}: {figure:?}"));
            assert_eq!(written(found.amount), value, "{claim}: {figure:?}");
        }
        assert!(claimed > 0, "nothing is claimed: {lines:?}");
        // An example of a flag has no other one.
        if !flags.is_empty() {
            assert_eq!(case.flags, flags, "{lines:?}");
        }
    }
    for flag in Flag::ALL {
        assert!(shown.contains(flag.name()), "no example of {}", flag.name());
    }
}

#[test]
fn every_figure_that_is_computed_has_an_example() {
    for figure in Figure::ALL.into_iter().filter(|own| !own.needs_model()) {
        let claim = format!("\n-> {} ", figure.code());
        assert!(PAGE.contains(&claim), "no example of {}", figure.code());
    }
}
