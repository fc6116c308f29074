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
    let commands: [&[&str]; 9] = [
        &["tree", &path],
        &["context", &path],
        &["plan", &path, "--set", "keep_recent_tokens=1"],
        &["compact", &path, "--set", "keep_recent_tokens=1"],
        &["ledger", &path, "--run", "latest"],
        &["sessions"],
        &["search", "needle"],
        &["policy", &path],
        &["tree", &missing],
    ];
    each(commands, |command| {
        for json in [false, true] {
            let mut words: Vec<&str> = command.to_vec();
            if json {
                words.push("--json");
            }
            let ran = program.run(&words);
            assert!(!has_commands(&ran.stdout), "{command:?}: {}", ran.stdout);
            assert!(!has_commands(&ran.stderr), "{command:?}: {}", ran.stderr);
        }
    });
    // It is shown for what it is, and programs get it as it is.
    let found = program.run(&["search", "needle"]).stdout;
    assert!(found.contains("␛[2J"), "{found}");
    let tree = program.json(&["tree", &path]).to_string();
    assert!(tree.contains("\\u001b[2J"), "{tree}");
}
