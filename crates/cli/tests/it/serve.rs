//! The loopback server: who gets an answer, and what.

use crate::program::Program;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};

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

    /// Status and body of a request written by hand, so that every header is ours.
    fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(format!("127.0.0.1:{}", self.port)).unwrap();
        let mut request = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        for (name, value) in headers {
            request += &format!("{name}: {value}\r\n");
        }
        request += &format!("Content-Length: {}\r\n\r\n{body}", body.len());
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
        let body = answer
            .split_once("\r\n\r\n")
            .map(|(_, body)| body.to_owned());
        (status, body.unwrap_or_default())
    }
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
    assert!(body.contains("serve --allow-programs"), "{body}");
    let (status, body) = save(&["--allow-programs"]);
    assert_eq!(status, 200, "{body}");
    let (status, body) = save(&[]);
    assert_eq!(status, 200, "it is set up now: {body}");
}
