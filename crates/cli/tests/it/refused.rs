//! Words of the command line that cannot be meant together or are outside their range: they are refused
//! with what to give instead.

use crate::program::{Program, shown};
use palimpsest_testkit::session::{CompactionSpec, PiSession, Reply};

/// A session of one turn.
fn simple(program: &Program) -> String {
    let mut session = PiSession::new();
    session.user("Rename `parse_amount` in src/ledger.rs.");
    session.assistant(Reply::new().text("Done."));
    shown(&program.home.add_pi_session(&session).unwrap())
}

#[test]
fn a_number_below_zero_is_a_wrong_number_and_no_unknown_option() {
    let program = Program::new();
    let path = simple(&program);
    let judge = ["judge", &path, "--what", "facts", "--provider", "openai"];
    let tokens = "expected a number of tokens, 1 or more";
    let cases = [
        (vec!["put-back", &path, "--budget", "-5"], tokens),
        ([&judge[..], &["--window", "-5"]].concat(), tokens),
        ([&judge[..], &["--chunk", "-5"]].concat(), tokens),
        (
            vec!["limit", "-5"],
            "expected a number of dollars, 0 or more",
        ),
    ];
    for (args, told) in cases {
        let ran = program.run(&args);
        assert_eq!(ran.code, 2, "{args:?}: {}", ran.stdout);
        assert!(
            ran.stderr.contains("'-5'") && ran.stderr.contains(told),
            "{args:?}: {}",
            ran.stderr
        );
    }
}

#[test]
fn an_export_has_one_format() {
    let program = Program::new();
    let path = simple(&program);
    let ran = program.run(&["export", &path, "--html", "--json"]);
    assert_eq!(ran.code, 2, "{}", ran.stdout);
    for word in ["--html", "cannot be used with", "--json"] {
        assert!(ran.stderr.contains(word), "no '{word}' in: {}", ran.stderr);
    }
}

#[test]
fn an_offline_judge_is_refused_with_the_providers_there_are() {
    let program = Program::new();
    let mut session = PiSession::new();
    session.user("Read the importer.");
    session.assistant(Reply::new().text("It reads CSV."));
    session.compact(CompactionSpec::new("The importer was read.").keep_nothing());
    let path = shown(&program.home.add_pi_session(&session).unwrap());
    let args = [
        "judge",
        &path,
        "--what",
        "facts",
        "--provider",
        "offline",
        "--dry-run",
    ];
    let told = program.fails(
        &args,
        &["needs a model", "The providers are: anthropic, openai"],
    );
    assert!(!told.contains("are: offline"), "{told}");
}

#[test]
fn a_wrong_row_of_an_experiment_is_named_with_its_file_and_line() {
    let program = Program::new();
    let session = simple(&program);
    let file = |name: &str, strategy: &str, set: &str| {
        let text = format!(
            "name = \"wrong\"\n[cuts]\nlist = [{{ session = '{session}', entry = \"leaf\" }}]\n\
             [[rows]]\nname = \"first\"\nstrategy = \"pi\"\n\
             [[rows]]\nname = \"second\"\nstrategy = \"{strategy}\"\nset = {{ {set} }}\n"
        );
        program.file(name, text.as_bytes())
    };
    let strategy = file("strategy.toml", "nope", "");
    let setting = file("setting.toml", "pi", "keep_recent = 5");
    for args in [&["--dry-run"][..], &[]] {
        let run = |path: &str| [&["lab", "run", path][..], args].concat().join("\n");
        for (path, word) in [(&strategy, "nope"), (&setting, "keep_recent")] {
            let args = run(path);
            let args: Vec<&str> = args.split('\n').collect();
            program.fails(
                &args,
                &["the row 'second' (line 7) cannot be run", word, path],
            );
        }
    }
}

#[test]
fn a_folder_that_is_missing_is_not_indexed_and_says_what_to_check() {
    let program = Program::new();
    let path = shown(&program.home.path().join("nowhere"));
    program.fails(
        &["index", &path],
        &["there is no such file or folder", &path, "Check the path"],
    );
}

#[test]
fn only_a_compaction_is_undone() {
    let program = Program::new();
    let path = simple(&program);
    let undo = ["apply", "--session", &path, "--undo", "leaf"];
    program.fails(
        &undo,
        &["is not a compaction", "The session has none", "Give"],
    );
}
