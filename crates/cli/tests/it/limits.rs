//! The cost limit, from the command line.

use super::program::Program;
use palimpsest_testkit::llm_server::LlmServer;
use palimpsest_testkit::session::{PiSession, Reply};
use serde_json::{Value, json};

/// A session with something to summarize.
fn session(program: &Program) -> String {
    let mut session = PiSession::new();
    for turn in 0..6 {
        session.user(&format!("Please look at src/part{turn}.rs and fix it."));
        session.assistant(Reply::new().text(&"I looked and fixed it. ".repeat(20)));
    }
    let path = program.home.add_pi_session(&session).unwrap();
    path.display().to_string()
}

#[test]
fn what_may_cost_more_than_the_limit_needs_a_flag() {
    let program = Program::new();
    let path = session(&program);
    let server = LlmServer::start().unwrap();
    let url = server.url();
    assert_eq!(program.json(&["limit"]), json!({ "limit_usd": null }));
    let set = program.json(&["limit", "0.000001"]);
    assert_eq!(set, json!({ "limit_usd": 0.000_001 }));
    // A model of the catalog, so that its price is known.
    let run = |more: &[&'static str]| {
        let mut args = vec![
            "compact",
            &*path,
            "--json",
            "--set",
            "keep_recent_tokens=100",
        ];
        args.extend([
            "--provider",
            "openai",
            "--model",
            "gpt-5",
            "--base-url",
            &*url,
        ]);
        args.extend(more);
        program.run(&args)
    };
    let refused = run(&[]);
    assert_eq!(refused.code, 1, "{}", refused.stdout);
    let answer: Value = serde_json::from_str(&refused.stdout).unwrap();
    assert_eq!(answer["error"]["code"], "above_limit");
    let hint = answer["error"]["hint"].as_str().unwrap();
    assert!(hint.contains("--above-limit"), "{hint}");
    assert_eq!(server.requests().len(), 0);
    assert_eq!(program.json(&["runs"]), json!([]));
    let done = run(&["--above-limit"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert!(!server.requests().is_empty());

    let file = program.home.path().join("lab.toml");
    let text = format!(
        "name = \"t\"\n[cuts]\nlist = [{{ session = \"{path}\", entry = \"leaf\" }}]\n[[rows]]\nname = \"a\"\n\
         strategy = \"pi\"\nset = {{ keep_recent_tokens = 100 }}\nprovider = \"openai\"\nmodel = \"gpt-5\"\n\
         base_url = \"{url}\"\n"
    );
    std::fs::write(&file, text).unwrap();
    let file = file.to_str().unwrap();
    let sent = server.requests().len();
    let refused = program.run(&["lab", "run", file]);
    assert_eq!(refused.code, 1, "{}", refused.stderr);
    assert!(
        refused.stderr.contains("--above-limit"),
        "{}",
        refused.stderr
    );
    assert_eq!(server.requests().len(), sent);
    let done = program.run(&["lab", "run", file, "--above-limit"]);
    assert_eq!(done.code, 0, "{}", done.stderr);

    assert_eq!(program.json(&["lab", "list"])[0]["name"], "t");
    assert_eq!(program.run(&["lab", "delete", "t"]).code, 0);
    assert_eq!(program.json(&["lab", "list"]), json!([]));
    assert_eq!(program.run(&["lab", "delete", "t"]).code, 1);

    program.json(&["limit", "none"]);
    assert_eq!(run(&[]).code, 0);
    assert_eq!(program.run(&["limit", "-3"]).code, 2);
}
