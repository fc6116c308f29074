//! Runs through providers, against the scripted server.

use crate::program::{Program, ran, shown};
use palimpsest_testkit::cases::each;
use palimpsest_testkit::llm_server::LlmServer;
use palimpsest_testkit::session::{PiSession, Reply};
use std::process::Stdio;
use std::time::Duration;

/// A known provider of each kind over HTTP; their addresses are replaced.
const KINDS: [&str; 4] = ["openai", "openai-responses", "anthropic", "gemini"];

/// A session with enough in it to be compacted, in the program's home.
pub fn long_session(program: &Program) -> String {
    let mut session = PiSession::new();
    for turn in 0..20 {
        session.user(&format!(
            "Please look at src/part{turn}.rs and fix what is wrong there."
        ));
        session.assistant(Reply::new().text(&"I looked and fixed it. ".repeat(40)));
    }
    shown(&program.home.add_pi_session(&session).unwrap())
}

fn compact(path: &str, provider: &str, url: &str, model: &str) -> Vec<String> {
    let words = [
        "compact",
        path,
        "--json",
        "--set",
        "keep_recent_tokens=500",
        "--provider",
        provider,
        "--base-url",
        url,
        "--model",
        model,
    ];
    words.map(str::to_owned).to_vec()
}

fn run(program: &Program, args: &[String]) -> crate::program::Ran {
    program.run(&args.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn every_kind_streams_and_is_kept_and_replayed() {
    each(KINDS, |&provider| {
        let program = Program::new();
        let server = LlmServer::start().unwrap();
        let path = long_session(&program);
        let done = run(
            &program,
            &compact(&path, provider, &server.url(), "scripted-ok"),
        );
        assert_eq!(done.code, 0, "{provider}: {}", done.stderr);
        let answer: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
        assert!(
            answer["summary"].as_str().unwrap().contains("## Goal"),
            "{answer}"
        );
        assert!(
            answer["usage"]["output"].as_u64().unwrap() > 0,
            "no usage: {}",
            answer["usage"]
        );
        let destination = answer["plan"]["destination"].as_str().unwrap();
        assert!(
            destination.contains(&server.url()),
            "the address that was asked is the one to name: {destination}"
        );
        let sent = server.requests();
        let planned = answer["plan"]["calls"][0]["prompt"].as_str().unwrap();
        assert!(
            sent[0].prompt().contains(planned),
            "the plan's very prompt must be sent"
        );
        let row = &program.json(&["runs"])[0];
        assert_eq!(row["status"], "done");
        let replayed = program.json(&["replay", row["run_id"].as_str().unwrap()]);
        assert_eq!(replayed["same"], true, "{provider}: {replayed}");
        assert_eq!(replayed["same_prompts"], true, "{provider}: {replayed}");
    });
}

#[test]
fn too_many_requests_are_tried_again() {
    each(KINDS, |&provider| {
        let program = Program::new();
        let server = LlmServer::start().unwrap();
        let path = long_session(&program);
        let done = run(
            &program,
            &compact(&path, provider, &server.url(), "scripted-429"),
        );
        assert_eq!(done.code, 0, "{provider}: {}", done.stderr);
        let answer: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
        assert_eq!(answer["calls"][0]["retries"], 1);
        let calls = answer["calls"].as_array().unwrap().len();
        assert_eq!(
            server.requests().len(),
            2 * calls,
            "each call is made twice"
        );
    });
}

#[test]
fn what_fails_says_why_and_is_kept_as_failed() {
    each(KINDS, |&provider| {
        let program = Program::new();
        let server = LlmServer::start().unwrap();
        let path = long_session(&program);
        for (model, word) in [
            ("scripted-refuse", "refused"),
            ("scripted-unauthorized", "key"),
            ("scripted-length", "incomplete"),
            ("scripted-html", "web page"),
            ("scripted-nonsense", "reply of the provider is not valid"),
        ] {
            let failed = run(&program, &compact(&path, provider, &server.url(), model));
            assert_eq!(failed.code, 1, "{provider} {model}: {}", failed.stdout);
            assert!(
                failed.stderr.contains(word),
                "{provider} {model}: {}",
                failed.stderr
            );
            assert_eq!(
                program.json(&["runs"])[0]["status"],
                "failed",
                "{provider} {model}"
            );
            let table = program.run(&["runs"]).stdout;
            let newest = table.lines().nth(1).unwrap();
            assert!(newest.contains(model), "{newest}");
            assert!(
                newest.contains(" failed: ") || newest.contains("the summary"),
                "{newest}"
            );
        }
    });
}

#[test]
fn a_provider_that_is_down_is_named() {
    let program = Program::new();
    let path = long_session(&program);
    let mut args = compact(&path, "openai", "http://127.0.0.1:9", "any");
    args.retain(|word| word != "--json");
    let refused = run(&program, &args);
    assert_eq!(refused.code, 1);
    assert!(refused.stderr.contains("127.0.0.1:9"), "{}", refused.stderr);
}

#[test]
fn a_plan_shows_the_price_before_anything_is_sent() {
    let program = Program::new();
    let server = LlmServer::start().unwrap();
    let path = long_session(&program);
    let mut args = compact(&path, "anthropic", &server.url(), "claude-haiku-4-5");
    "plan".clone_into(&mut args[0]);
    let planned = run(&program, &args);
    assert_eq!(planned.code, 0, "{}", planned.stderr);
    let plan: serde_json::Value = serde_json::from_str(&planned.stdout).unwrap();
    let cost = plan["estimated_cost_usd"].as_f64().unwrap();
    assert!(cost > 0.0, "{plan}");
    let destination = plan["destination"].as_str().unwrap();
    assert!(destination.contains(&server.url()), "{destination}");
    args.retain(|word| word != "--json");
    let text = run(&program, &args).stdout;
    assert!(text.contains(&format!("Cost: about ${cost:.4}.")), "{text}");
    let unknown = run(
        &program,
        &args
            .iter()
            .map(|word| match word.as_str() {
                "claude-haiku-4-5" => "a-model-of-mine".to_owned(),
                _ => word.clone(),
            })
            .collect::<Vec<_>>(),
    );
    assert!(
        unknown.stdout.contains("Cost: unknown."),
        "{}",
        unknown.stdout
    );
    assert!(server.requests().is_empty(), "a plan sends nothing");
}

#[cfg(unix)]
#[test]
fn a_stopped_run_is_kept_as_cancelled_with_what_came() {
    for signal in ["-INT", "-TERM"] {
        let program = Program::new();
        let server = LlmServer::start().unwrap();
        let path = long_session(&program);
        let child = program
            .command()
            .args(compact(&path, "openai", &server.url(), "scripted-slow"))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // The request must be on its way before it can be stopped.
        for _ in 0..200 {
            if !server.requests().is_empty() {
                break;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        assert!(
            !server.requests().is_empty(),
            "no request came within ten seconds"
        );
        let killed = std::process::Command::new("kill")
            .args([signal, &child.id().to_string()])
            .status()
            .unwrap();
        assert!(killed.success());
        let ended = ran(child.wait_with_output().unwrap());
        assert_eq!(ended.code, 1, "{signal}: {}", ended.stdout);
        assert_eq!(
            program.json(&["runs"])[0]["status"],
            "cancelled",
            "{signal}"
        );
    }
}
