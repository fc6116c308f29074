//! Requests to `serve` that it must refuse, and requests made of rubbish.

use crate::figures::Figures;
use crate::mutate::nasty;
use crate::program::Program;
use crate::said::Kind;
use palimpsest_testkit::seeded::Rng;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// Requests for each seed.
const REQUESTS: u64 = 150;
/// What an answer may take.
const LONGEST: Duration = Duration::from_secs(10);
/// How long an answer to a damaged request is waited for, which may lack an end.
const SHORT: Duration = Duration::from_millis(300);

/// A server that ends with this.
struct Served {
    child: Child,
    port: String,
    token: String,
}

impl Drop for Served {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends requests of one seed.
///
/// Errors: a server that does not start.
pub fn attack(program: &Path, seed: u64, figures: &mut Figures) -> std::io::Result<()> {
    let home = tempfile::tempdir()?;
    let one = Program::new(program, home.path());
    let mut child = one
        .command("data", &["--json", "--samples", "serve", "--port", "0"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut line = String::new();
    BufReader::new(child.stdout.take().ok_or_else(broken)?).read_line(&mut line)?;
    let url: Value = serde_json::from_str(&line)?;
    let rest = url["url"]
        .as_str()
        .and_then(|url| url.strip_prefix("http://127.0.0.1:"));
    let (port, token) = rest
        .and_then(|rest| rest.split_once("/?token="))
        .ok_or_else(broken)?;
    let mut served = Served {
        child,
        port: port.to_owned(),
        token: token.to_owned(),
    };
    let mut rng = Rng::new(seed);
    let commands: Vec<String> = palimpsest_api::command_list()
        .iter()
        .map(|command| command.name.to_owned())
        .collect();
    for number in 0..REQUESTS {
        let what = format!("seed {seed}, request {number}");
        request(&served, &commands, &what, &mut rng, figures);
        if let Some(status) = served.child.try_wait()? {
            figures.found(
                Kind::Panic,
                &format!("{what}: the server ended with {status}"),
            );
            return Ok(());
        }
    }
    // After all of it the page is still answered.
    let good = head(
        "POST",
        "/rpc/app_info",
        &[
            ("Host", &format!("127.0.0.1:{}", served.port)),
            ("x-palimpsest-token", &served.token),
        ],
        2,
    ) + "{}";
    let (status, answer) = send(&served.port, good.as_bytes(), LONGEST);
    if status != 200 {
        figures.found(
            Kind::Hang,
            &format!("seed {seed}: the page is answered {status} in the end: {answer}"),
        );
    }
    figures.done(0, 0, REQUESTS + 1);
    Ok(())
}

fn broken() -> std::io::Error {
    std::io::Error::other("the server printed no address")
}

/// One request of any kind; what is answered to it is looked at.
fn request(served: &Served, commands: &[String], what: &str, rng: &mut Rng, figures: &mut Figures) {
    let own = format!("127.0.0.1:{}", served.port);
    let command = if rng.chance(90) {
        rng.pick(commands).clone()
    } else {
        "no_such".to_owned()
    };
    let path = match rng.below(6) {
        0 => "/".to_owned(),
        1 => "/../../etc/passwd".to_owned(),
        2 => format!("/{}", nasty(rng, 4).replace(['\r', '\n', ' '], "%20")),
        3 => "/events".to_owned(),
        _ => format!("/rpc/{command}"),
    };
    // Nothing that stops the server from being asked further, or starts programs that are none.
    let body = body(&command, rng);
    let mut headers: Vec<(&str, &str)> = Vec::new();
    let (mut is_ours, mut has_token) = (true, false);
    match rng.below(6) {
        0 => {
            headers.push(("Host", "evil.example"));
            is_ours = false;
        }
        1 => {
            headers.extend([("Host", own.as_str()), ("Host", "evil.example")]);
            is_ours = false;
        }
        _ => headers.push(("Host", &own)),
    }
    match rng.below(6) {
        0 => {
            headers.push(("Origin", "https://evil.example"));
            is_ours = false;
        }
        1 => {
            headers.extend([
                ("sec-fetch-site", "cross-site"),
                ("sec-fetch-mode", "no-cors"),
            ]);
            is_ours = false;
        }
        _ => {}
    }
    match rng.below(3) {
        0 => {}
        1 => headers.push(("x-palimpsest-token", "0000000000000000")),
        _ => {
            headers.push(("x-palimpsest-token", &served.token));
            has_token = true;
        }
    }
    let needs_token = path.starts_with("/rpc/") || path == "/events";
    if path == "/events" && is_ours && has_token {
        // It would answer for ever.
        return;
    }
    let method = *rng.pick(&["POST", "GET", "PUT", "HEAD", "OPTIONS"]);
    let mut bytes = (head(method, &path, &headers, body.len()) + &body).into_bytes();
    let is_damaged = rng.chance(25);
    if is_damaged {
        for _ in 0..rng.between(1, 8) {
            let at = rng.below(bytes.len());
            bytes[at] = (rng.next_u64() & 0xff) as u8;
        }
    }
    let started = Instant::now();
    let (status, answer) = send(
        &served.port,
        &bytes,
        if is_damaged { SHORT } else { LONGEST * 2 },
    );
    if started.elapsed() > LONGEST && !is_damaged {
        figures.found(Kind::Hang, &format!("{what}: {method} {path} {body:.300}"));
    }
    let refused = !is_ours || (needs_token && !has_token);
    if status == 200 && refused && !is_damaged && method != "OPTIONS" {
        figures.found(
            Kind::Request,
            &format!("{what}: {method} {path} with {headers:?} was answered"),
        );
    }
    if answer.contains(&served.token) {
        figures.found(
            Kind::Request,
            &format!("{what}: the token is in the answer to {method} {path}"),
        );
    }
    if status == 500 && answer.contains("\"internal\"") {
        figures.found(
            Kind::Panic,
            &format!("{what}: {method} {path} {body:.600}\n{answer:.600}"),
        );
    }
}

/// A request for a command: empty, of the right fields, or of anything.
fn body(command: &str, rng: &mut Rng) -> String {
    if matches!(
        command,
        "local_servers" | "provider_models" | "compact" | "index"
    ) {
        return "{}".to_owned();
    }
    let mut any = || match rng.below(8) {
        0 => Value::Null,
        1 => json!(rng.next_u64()),
        2 => json!(-1),
        3 => json!([nasty(rng, 3)]),
        4 => json!({"kind": nasty(rng, 3)}),
        5 => json!("01"),
        6 => json!(true),
        _ => json!(nasty(rng, 12)),
    };
    let names = [
        "session",
        "entry",
        "at",
        "from",
        "to",
        "query",
        "offset",
        "limit",
        "sort",
        "filter",
        "strategy",
        "set",
        "name",
        "text",
        "run",
        "call",
        "ix",
        "positions",
        "folded",
        "roots",
        "ledger_id",
        "sides",
        "left",
        "right",
    ];
    let fields: serde_json::Map<String, Value> = names
        .iter()
        .map(|name| ((*name).to_owned(), any()))
        .collect();
    Value::Object(fields).to_string()
}

fn head(method: &str, path: &str, headers: &[(&str, &str)], length: usize) -> String {
    let mut text = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
    for (name, value) in headers {
        text += &format!("{name}: {value}\r\n");
    }
    text + &format!("Content-Length: {length}\r\n\r\n")
}

/// Sends bytes and returns status and answer; 0 where there is none.
fn send(port: &str, bytes: &[u8], longest: Duration) -> (u16, String) {
    let Ok(mut stream) = TcpStream::connect(format!("127.0.0.1:{port}")) else {
        return (0, String::new());
    };
    let _ = stream.set_read_timeout(Some(longest));
    // The server may refuse before it has read everything.
    let _ = stream.write_all(bytes);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let text = String::from_utf8_lossy(&answer).into_owned();
    let status = text
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok());
    (status.unwrap_or(0), text)
}
