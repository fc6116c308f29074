//! Session text cannot command the terminal it is printed on.

use crate::program::{Program, shown};
use palimpsest_testkit::cases::each;
use palimpsest_testkit::session::{PiSession, Reply};

/// Clears the screen, writes to the clipboard, and turns the order of what follows around.
const HOSTILE: &str = "\u{1b}[2J\u{1b}]52;c;cm0=\u{7} needle \u{9b}31m \u{202e}txet \u{7f}";

fn has_commands(text: &str) -> bool {
    let is_bidi = |c| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.chars()
        .any(|c| (c.is_control() && c != '\n' && c != '\t') || is_bidi(c))
}

#[test]
fn whatever_is_printed_has_no_control_characters() {
    let program = Program::new();
    let mut session = PiSession::new();
    session.user(HOSTILE);
    session.assistant(Reply::new().text(HOSTILE));
    session.user(&format!("{HOSTILE} again"));
    session.assistant(Reply::new().text("done"));
    let path = shown(&program.home.add_pi_session(&session).unwrap());
    program.run(&["index"]);
    let missing = format!("/nowhere/{HOSTILE}.jsonl");
    let text = shown(&program.home.path().join("summary.txt"));
    std::fs::write(&text, HOSTILE).unwrap();
    // `SESSION`, `MISSING` and `TEXT` stand for their paths, `WORDS` for hostile ones. Every command
    // that prints a text of a session or of the user is among them.
    let commands = [
        "tree SESSION",
        "entry SESSION line:2",
        "entry SESSION leaf",
        "entry SESSION WORDS",
        "find SESSION needle",
        "find SESSION WORDS",
        "star SESSION",
        "note SESSION WORDS",
        "note SESSION line:2 WORDS",
        "note SESSION",
        "label SESSION line:2 WORDS",
        "label SESSION",
        "rename SESSION WORDS",
        "sessions is:starred",
        "search WORDS",
        "branch-summary SESSION --to line:2",
        "navigate SESSION --to line:2",
        "navigate SESSION --to line:2 --summary TEXT",
        "navigate SESSION --to line:2 --summary TEXT --write",
        "navigate SESSION --to WORDS",
        "apply latest --dry-run",
        "apply --session SESSION --summary leaf --text-file TEXT --dry-run",
        "written",
        "branches SESSION",
        "branches SESSION line:2",
        "put-back SESSION --budget 500",
        "runs",
        "runs SESSION",
        "replay WORDS",
        "prompts save WORDS TEXT",
        "prompts",
        "prompts show WORDS",
        "strategies WORDS",
        "models WORDS",
        "policy SESSION --window WORDS",
        "index WORDS",
        "WORDS",
        "context SESSION",
        "plan SESSION --set keep_recent_tokens=1",
        "compact SESSION --set keep_recent_tokens=1",
        "ledger SESSION --run latest",
        "sessions",
        "search needle",
        "policy SESSION",
        "tree MISSING",
    ];
    each(commands, |command| {
        for format in ["", " --json"] {
            let command = format!("{command}{format}");
            let words = command.split(' ').map(|word| match word {
                "SESSION" => &path,
                "MISSING" => &missing,
                "TEXT" => &text,
                "WORDS" => HOSTILE,
                word => word,
            });
            let ran = program.run(&words.collect::<Vec<&str>>());
            assert!(!has_commands(&ran.stdout), "{command}: {}", ran.stdout);
            assert!(!has_commands(&ran.stderr), "{command}: {}", ran.stderr);
        }
    });
    // It is shown for what it is, and programs get it as it is.
    let found = program.run(&["search", "needle"]).stdout;
    assert!(found.contains("<U+202E>txet ␡"), "{found}");
    let refused = program.run(&["tree", &missing]).stderr;
    assert!(refused.contains("␛[2J␛]52;c;cm0=␇"), "{refused}");
    let tree = program.json(&["tree", &path]);
    let preview = tree["nodes"][0]["preview"].as_str().unwrap();
    assert!(preview.contains('\u{202e}'), "{preview:?}");
}
