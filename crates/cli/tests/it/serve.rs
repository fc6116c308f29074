//! The loopback server: who gets an answer, and what.

use crate::program::Program;
use crate::providers::long_session;
use palimpsest_testkit::llm_server::{LlmServer, Scenario, TextReply};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::Duration;

struct Served {
    child: Child,
    port: String,
    token: String,
}

impl Served {
    fn start(program: &Program) -> Served {
        Served::start_with(program, &[])
    }

    fn start_with(program: &Program, more: &[&str]) -> Served {
        let mut child = program
            .command()
            .args(["--json", "--samples", "serve", "--port", "0"])
            .args(more)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let url: serde_json::Value = serde_json::from_str(&line).unwrap();
        let url = url["url"].as_str().unwrap().to_owned();
        let rest = url
            .strip_prefix("http://127.0.0.1:")
            .expect("only loopback is bound");
        let (port, token) = rest.split_once("/?token=").unwrap();
        Served {
            child,
            port: port.to_owned(),
            token: token.to_owned(),
        }
    }

    /// Status and body of a request.
    fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> (u16, String) {
        let mut stream = self.send(method, path, headers, body);
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
        let body = answer
            .split_once("\r\n\r\n")
            .map(|(_, body)| body.to_owned());
        (status, body.unwrap_or_default())
    }

    /// Begins a command as the own page does; its answer is still to be read.
    fn begin(&self, command: &str, request: &serde_json::Value) -> TcpStream {
        let host = format!("127.0.0.1:{}", self.port);
        let headers = [
            ("Host", host.as_str()),
            ("x-palimpsest-token", self.token.as_str()),
        ];
        let path = format!("/rpc/{command}");
        self.send("POST", &path, &headers, &request.to_string())
    }

    /// Begins a run at the scripted server and returns once its prompt has come there.
    fn begin_run(&self, session: &str, server: &LlmServer) -> TcpStream {
        let request = serde_json::json!({
            "session": session, "set": {"keep_recent_tokens": 500}, "provider": "openai",
            "base_url": server.url(), "model": "any", "stream": "from a page",
        });
        let stream = self.begin("compact", &request);
        assert!(
            within_ten_seconds(|| !server.requests().is_empty()),
            "no prompt came"
        );
        stream
    }

    /// Sends a request written by hand, so that every header is ours.
    fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(format!("127.0.0.1:{}", self.port)).unwrap();
        let mut request = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        for (name, value) in headers {
            request += &format!("{name}: {value}\r\n");
        }
        request += &format!("Content-Length: {}\r\n\r\n{body}", body.len());
        stream.write_all(request.as_bytes()).unwrap();
        stream
    }
}

/// Looks again and again until it is so; false when it has not become so in ten seconds.
fn within_ten_seconds(is_so: impl Fn() -> bool) -> bool {
    (0..200).any(|_| {
        let so = is_so();
        if !so {
            std::thread::sleep(Duration::from_millis(50));
        }
        so
    })
}

impl Drop for Served {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing to stop.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn only_the_own_page_with_the_token_is_answered() {
    let program = Program::new();
    let served = Served::start(&program);
    let host = format!("127.0.0.1:{}", served.port);
    let host = ("Host", host.as_str());
    let token = ("x-palimpsest-token", served.token.as_str());
    let (status, _) = served.ask("POST", "/rpc/app_info", &[host], "{}");
    assert_eq!(status, 401, "no token");
    let (status, _) = served.ask(
        "POST",
        "/rpc/app_info",
        &[("Host", "evil.example"), token],
        "{}",
    );
    assert_eq!(status, 403, "a foreign host");
    let origin = ("Origin", "https://evil.example");
    let (status, _) = served.ask("POST", "/rpc/app_info", &[host, token, origin], "{}");
    assert_eq!(status, 403, "a foreign page");
    let (status, body) = served.ask("POST", "/rpc/app_info", &[host, token], "{}");
    assert_eq!(status, 200, "{body}");
    assert!(body.contains("\"samples\":true"), "{body}");
    let (status, body) = served.ask("POST", "/rpc/no_such_command", &[host, token], "{}");
    assert_eq!(status, 400, "{body}");
    let (status, _) = served.ask("GET", "/../../etc/passwd", &[host], "");
    assert_eq!(status, 404, "only built-in files are served");
    let (status, _) = served.ask("GET", "/", &[host], "");
    assert_eq!(status, 200, "the page itself needs no token");
}

#[test]
fn programs_are_set_up_over_http_only_when_that_was_allowed() {
    let program = Program::new();
    let provider = r#"{"name": "mine", "kind": "command", "command": ["/bin/true"]}"#;
    let save = |more: &[&str]| {
        let served = Served::start_with(&program, more);
        let host = format!("127.0.0.1:{}", served.port);
        let headers = [
            ("Host", host.as_str()),
            ("x-palimpsest-token", served.token.as_str()),
        ];
        served.ask("POST", "/rpc/provider_save", &headers, provider)
    };
    let (status, body) = save(&[]);
    assert_eq!(status, 409, "{body}");
    assert!(body.contains("Set the program up"), "{body}");
    let (status, body) = save(&["--allow-programs"]);
    assert_eq!(status, 200, "{body}");
    let (status, body) = save(&[]);
    assert_eq!(status, 200, "it is set up now: {body}");
}

#[test]
fn a_run_goes_on_when_its_page_is_gone() {
    let program = Program::new();
    let server = LlmServer::start().unwrap();
    server.push(TextReply::new(&["A summary "; 20]).delay(Duration::from_millis(50)));
    let served = Served::start(&program);
    let session = long_session(&program);
    drop(served.begin_run(&session, &server));
    assert!(
        within_ten_seconds(|| program.json(&["--samples", "runs"])[0]["status"] == "done"),
        "the run was lost: {}",
        program.json(&["--samples", "runs"])
    );
}

#[test]
fn runs_of_a_live_server_are_listed_by_others_and_are_interrupted_when_it_is_killed() {
    let program = Program::new();
    let server = LlmServer::start().unwrap();
    server.set_scenario(Scenario::Slow);
    let mut served = Served::start(&program);
    let session = long_session(&program);
    let _page = served.begin_run(&session, &server);
    let runs = program.json(&["--samples", "runs"]);
    assert_eq!(runs.as_array().unwrap().len(), 1, "{runs}");
    let row = &runs[0];
    assert_eq!(
        (&row["status"], &row["provider"], &row["model"]),
        (&"running".into(), &"openai".into(), &"any".into()),
        "{row}"
    );
    // No chance to tidy up.
    served.child.kill().unwrap();
    served.child.wait().unwrap();
    let dead = program.json(&["--samples", "runs"]);
    assert_eq!(dead.as_array().unwrap().len(), 1, "{dead}");
    assert_eq!(dead[0]["status"], "interrupted", "{dead}");
    assert_eq!(dead[0]["run_id"], row["run_id"]);
    let told = program.run(&["--samples", "runs"]).stdout;
    assert!(
        told.contains("the program ended before the run did"),
        "{told}"
    );
}

#[cfg(unix)]
#[test]
fn runs_under_way_are_kept_as_cancelled_when_the_server_is_stopped() {
    for signal in ["-INT", "-TERM"] {
        let program = Program::new();
        let server = LlmServer::start().unwrap();
        server.set_scenario(Scenario::Slow);
        let mut served = Served::start(&program);
        let session = long_session(&program);
        let _page = served.begin_run(&session, &server);
        let killed = std::process::Command::new("kill")
            .args([signal, &served.child.id().to_string()])
            .status()
            .unwrap();
        assert!(killed.success());
        assert!(served.child.wait().unwrap().success(), "{signal}");
        let row = &program.json(&["--samples", "runs"])[0];
        assert_eq!(row["status"], "cancelled", "{signal}: {row}");
    }
}
