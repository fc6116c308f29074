//! A model server on loopback that says what a test tells it to.
//!
//! It speaks OpenAI Chat Completions (any path ending in `/chat/completions`) and Responses
//! (`/responses`), Anthropic Messages (`/messages`) and Gemini (`/v1beta/models/NAME:...`),
//! streaming and not, their lists of models (`/models`), and `/embeddings`, whose
//! vectors count the words of a text ([`embedding_of`]), and the chats of a Coder server
//! ([`LlmServer::serve_chats`]). What it says comes from
//! a queue of [`Reply`] values; when the queue is empty, from the [`Scenario`] the model name asks
//! for (`scripted-429`), else from the server's own scenario. Every request is written down in a
//! [`SeenRequest`], without its key. One thread per connection, one request per connection, no
//! runtime: it can be started from any test and as a program (`scripted-llm`).

mod chats;
mod embedding;
mod http;
mod scenario;
mod script;
mod wire;

pub use embedding::{EMBEDDING_DIMENSIONS, embedding_of};
pub use scenario::{Scenario, summary_of};
pub use script::{
    Ending, ErrorReply, RawReply, Reply, ScriptedUsage, SeenRequest, Stop, TextReply,
};

use chats::Chats;
use http::{Answer, ReadRequest};
use serde_json::Value;
use std::collections::{HashMap, VecDeque};
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use wire::Api;

/// Makes the text of an answer out of the request.
pub type Answerer = Box<dyn Fn(&SeenRequest) -> String + Send + Sync>;

/// A running scripted server; dropping it closes the port and ends every answer in progress.
pub struct LlmServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: Option<JoinHandle<()>>,
}

struct Shared {
    script: Mutex<Script>,
    seen: Mutex<Vec<SeenRequest>>,
    closing: AtomicBool,
}

struct Script {
    queue: VecDeque<Reply>,
    scenario: Scenario,
    answer: Answerer,
    demanded_key: Option<String>,
    chats: Chats,
    /// Requests so far, by model: scenarios that alternate count with it.
    asked: HashMap<String, u64>,
}

impl LlmServer {
    /// Starts on a free port of 127.0.0.1 with the scenario [`Scenario::Ok`].
    ///
    /// Fails with the system's error when no port can be bound.
    pub fn start() -> io::Result<Self> {
        Self::start_on(0)
    }

    /// Starts on this port of 127.0.0.1; 0 takes a free one.
    pub fn start_on(port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            script: Mutex::new(Script {
                queue: VecDeque::new(),
                scenario: Scenario::Ok,
                answer: Box::new(summary_of),
                demanded_key: None,
                chats: Chats::default(),
                asked: HashMap::new(),
            }),
            seen: Mutex::new(Vec::new()),
            closing: AtomicBool::new(false),
        });
        let for_thread = Arc::clone(&shared);
        let accepting = thread::spawn(move || accept(&listener, &for_thread));
        Ok(Self {
            address,
            shared,
            accepting: Some(accepting),
        })
    }

    /// The root address, `http://127.0.0.1:PORT`, without a path.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Adds a reply to the end of the queue.
    pub fn push(&self, reply: impl Into<Reply>) {
        lock(&self.shared.script).queue.push_back(reply.into());
    }

    /// What to play when the queue is empty and the model name asks for nothing.
    pub fn set_scenario(&self, scenario: Scenario) {
        lock(&self.shared.script).scenario = scenario;
    }

    /// Replaces the text of scenario answers, by default [`summary_of`].
    pub fn answer_with(&self, answer: impl Fn(&SeenRequest) -> String + Send + Sync + 'static) {
        lock(&self.shared.script).answer = Box::new(answer);
    }

    /// From now on `/api/experimental/chats` lists these chats, each with its messages, oldest
    /// first, in pages of `page` at most. Queued replies come before.
    pub fn serve_chats(&self, chats: Vec<(Value, Vec<Value>)>, page: usize) {
        lock(&self.shared.script).chats = Chats::new(chats, page);
    }

    /// From now on a request without this very key gets 401 and leaves the queue alone.
    pub fn demand_key(&self, key: &str) {
        lock(&self.shared.script).demanded_key = Some(key.to_owned());
    }

    /// The requests so far, oldest first.
    pub fn requests(&self) -> Vec<SeenRequest> {
        lock(&self.shared.seen).clone()
    }

    /// Waits until some request's client has gone away before its answer was complete; false when
    /// none has within the time given.
    pub fn saw_client_leave(&self, within: Duration) -> bool {
        let step = Duration::from_millis(5);
        let mut waited = Duration::ZERO;
        while !lock(&self.shared.seen).iter().any(|seen| seen.client_left) {
            if waited >= within {
                return false;
            }
            thread::sleep(step);
            waited += step;
        }
        true
    }
}

impl Drop for LlmServer {
    fn drop(&mut self) {
        self.shared.closing.store(true, Ordering::Release);
        // The listener only notices when it accepts: one last connection wakes it.
        TcpStream::connect(self.address).ok();
        if let Some(accepting) = self.accepting.take() {
            accepting.join().ok();
        }
    }
}

/// A test that panicked while it held a lock must not hide its message behind a second panic.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    for stream in listener.incoming() {
        if shared.closing.load(Ordering::Acquire) {
            return;
        }
        let Ok(stream) = stream else { continue };
        let shared = Arc::clone(shared);
        // A connection that fails is the client's business: it is what tests provoke.
        thread::spawn(move || converse(stream, &shared).ok());
    }
}

fn converse(stream: TcpStream, shared: &Shared) -> io::Result<()> {
    let Some(ReadRequest { request, key }) = http::read_request(&stream)? else {
        return Ok(());
    };
    let index = {
        let mut seen = lock(&shared.seen);
        seen.push(request.clone());
        seen.len() - 1
    };
    let answer = Answer::new(stream, &shared.closing);
    if answer_request(answer, &request, key.as_deref(), shared).is_err()
        && !shared.closing.load(Ordering::Acquire)
    {
        lock(&shared.seen)[index].client_left = true;
    }
    Ok(())
}

fn answer_request(
    mut answer: Answer<'_>,
    request: &SeenRequest,
    key: Option<&str>,
    shared: &Shared,
) -> io::Result<()> {
    let path = request.path.split('?').next().unwrap_or_default();
    let api = Api::of(request, path);
    let refused = {
        let script = lock(&shared.script);
        script
            .demanded_key
            .as_deref()
            .is_some_and(|demanded| key != Some(demanded))
    };
    if refused {
        let reply = ErrorReply::new(401, "authentication_error", "This key is not accepted.");
        return answer.raw(&api.error(&reply));
    }
    let reply = if request.method == "GET" && path.ends_with("/models") {
        match lock(&shared.script).queue.pop_front() {
            Some(reply @ (Reply::Raw(_) | Reply::Error(_) | Reply::Silence | Reply::Hangup)) => {
                reply
            }
            Some(Reply::Text(_)) | None => {
                let names = Scenario::ALL.map(|(name, _)| format!("scripted-{name}"));
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                return answer.document(&api.models(&names));
            }
        }
    } else if request.method == "GET" && path.starts_with(chats::ROOT) {
        let mut script = lock(&shared.script);
        match script.queue.pop_front() {
            Some(reply) => reply,
            None => script.chats.answer(&request.path),
        }
    } else if request.method == "POST" && path.ends_with("/embeddings") {
        match next_reply(request, shared) {
            Reply::Text(_) => return answer.document(&embedding::document(&request.body)),
            reply => reply,
        }
    } else if request.method == "POST" && api.is_call(path) {
        next_reply(request, shared)
    } else {
        let message = format!("Nothing is served at {path}.");
        Reply::error(404, "not_found_error", &message)
    };
    match reply {
        Reply::Text(reply) => speak(answer, api, request, &reply),
        Reply::Error(reply) => answer.raw(&api.error(&reply)),
        Reply::Raw(reply) => answer.raw(&reply),
        Reply::Silence => answer.say_nothing(),
        Reply::Hangup => Ok(()),
    }
}

fn next_reply(request: &SeenRequest, shared: &Shared) -> Reply {
    let mut script = lock(&shared.script);
    if let Some(reply) = script.queue.pop_front() {
        return reply;
    }
    let nth = {
        let count = script.asked.entry(request.model().to_owned()).or_insert(0);
        *count += 1;
        *count
    };
    let scenario = Scenario::of_model(request.model()).unwrap_or(script.scenario);
    scenario.reply(nth, &(script.answer)(request))
}

fn speak(
    mut answer: Answer<'_>,
    api: Api,
    request: &SeenRequest,
    reply: &TextReply,
) -> io::Result<()> {
    let model = request.model();
    if !api.wants_stream(request) {
        return answer.document(&api.document(model, reply));
    }
    let include_usage = request.body["stream_options"]["include_usage"] == true;
    answer.begin_stream(reply.split_bytes)?;
    for event in api.head(model, reply) {
        answer.event(&event)?;
    }
    for chunk in &reply.chunks {
        answer.wait(reply.delay)?;
        answer.event(&api.piece(model, chunk))?;
    }
    for event in api.tail(model, reply, include_usage) {
        answer.event(&event)?;
    }
    match reply.ending {
        Ending::Closed => answer.break_off(),
        Ending::Stalled => answer.say_nothing(),
        Ending::Complete | Ending::Truncated | Ending::Malformed | Ending::Error { .. } => {
            answer.end_stream()
        }
    }
}

#[cfg(test)]
mod tests;
