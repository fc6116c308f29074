//! Policies with other numbers, policies of the user, and files that go by a taken name.

use crate::program::Program;
use palimpsest_testkit::session::{PiSession, Reply};
use serde_json::{Value, json};

fn session(program: &Program) -> String {
    let mut session = PiSession::new();
    for turn in 0..4 {
        session.user(&format!("Please fix part {turn}."));
        session.assistant(Reply::new().text(&"Fixed it. ".repeat(40)));
    }
    let path = program.home.add_pi_session(&session).unwrap();
    path.display().to_string()
}

fn add(program: &Program, folder: &str, name: &str, text: &str) {
    let path = program.data_dir().join(folder).join(name);
    program.home.add_file(path, text.as_bytes()).unwrap();
}

fn named<'a>(answer: &'a Value, name: &str) -> &'a Value {
    let policies = answer["policies"].as_array().unwrap();
    policies.iter().find(|own| own["name"] == name).unwrap()
}

#[test]
fn a_number_is_listed_and_set_by_its_name() {
    let program = Program::new();
    let path = session(&program);
    let listed = program.json(&["policy", "--list", "--policy", "codex"]);
    assert_eq!(listed["policies"].as_array().unwrap().len(), 1);
    let params = named(&listed, "codex")["params"].as_array().unwrap();
    let percent = params.iter().find(|own| own["name"] == "percent").unwrap();
    assert_eq!(
        (&percent["path"], &percent["value"], &percent["unit"]),
        (&json!("trigger.percent"), &json!(90), &json!("%"))
    );
    let shown = program.run(&["policy", "--list"]).stdout;
    assert!(shown.contains("codex.percent = 90 %"), "{shown}");
    assert!(
        shown.contains("pi-0.73.reserve_tokens = 16384 tokens"),
        "{shown}"
    );

    let answer = program.json(&[
        "policy",
        &path,
        "--policy",
        "codex",
        "--policy",
        "pi-0.73",
        "--window",
        "40000",
        "--set",
        "codex.percent=50",
        "--set",
        "pi-0.73.reserve_tokens=10000",
    ]);
    assert_eq!(named(&answer, "codex")["threshold_tokens"], 20_000);
    assert_eq!(named(&answer, "pi-0.73")["threshold_tokens"], 30_000);
    assert!(answer["notes"].to_string().contains("codex.percent = 50"));
    for (set, words) in [
        ("codex.percent=0.85", ["percent (%)", "0.85"]),
        ("codex.share=85", ["no parameter 'share'", "percent"]),
        (
            "nobody.percent=85",
            ["no policy 'nobody'", "palimpsest policy --list"],
        ),
    ] {
        program.fails(&["policy", &path, "--set", set], &words);
    }
    let only_pi = [
        "policy",
        &path,
        "--policy",
        "pi",
        "--set",
        "codex.percent=1",
    ];
    program.fails(&only_pi, &["codex is not among", "--policy"]);
    assert_eq!(program.run(&["policy"]).code, 2, "a session is needed");
}

#[test]
fn files_of_the_user_are_policies_or_say_why_not() {
    let program = Program::new();
    let path = session(&program);
    let mine = r#"{"extends": "codex", "trigger": {"percent": 70}, "description": "earlier"}"#;
    add(&program, "policies", "mine.json", mine);
    add(&program, "policies", "codex.json", mine);
    add(
        &program,
        "policies",
        "odd.json",
        r#"{"extends": "codex", "colour": 1}"#,
    );
    let answer = program.json(&["policy", &path, "--window", "40000"]);
    assert_eq!(named(&answer, "mine")["threshold_tokens"], 28_000);
    assert_eq!(named(&answer, "codex")["threshold_tokens"], 36_000);
    let notes = answer["notes"].to_string();
    assert!(
        notes.contains("codex.json cannot be used") && notes.contains("colour"),
        "{notes}"
    );
    let set = [
        "--policy",
        "mine",
        "--set",
        "mine.percent=60",
        "--window",
        "40000",
    ];
    let answer = program.json(&[&["policy", &path], &set[..]].concat());
    assert_eq!(named(&answer, "mine")["threshold_tokens"], 24_000);
    let listed = program.json(&["policy", "--list"]);
    assert_eq!(listed["broken"].as_array().unwrap().len(), 2);
    assert!(
        named(&listed, "mine")["path"]
            .as_str()
            .unwrap()
            .ends_with("mine.json")
    );
    program.fails(
        &["policy", &path, "--policy", "odd"],
        &["odd.json", "colour"],
    );
}

#[test]
fn a_preset_by_a_taken_name_is_told_of() {
    let program = Program::new();
    add(&program, "presets", "pi.json", r#"{"extends": "pi"}"#);
    for args in [&["strategies"][..], &["strategies", "pi"]] {
        let shown = program.run(args).stdout;
        assert!(shown.contains("presets/pi.json cannot be used"), "{shown}");
        assert!(shown.contains("my-pi.json"), "{shown}");
    }
}

#[test]
fn runs_name_their_session() {
    let program = Program::new();
    let path = session(&program);
    let run = program.json(&["compact", &path, "--set", "keep_recent_tokens=50"]);
    let id: String = run["row"]["session"]
        .as_str()
        .unwrap()
        .chars()
        .take(10)
        .collect();
    let shown = program.run(&["runs"]).stdout;
    assert!(shown.contains(&id), "{shown}");
}
