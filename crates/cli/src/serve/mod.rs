//! The interface on loopback: one page, one way to call a command, one stream of events.

mod guard;
mod interface;
mod token;

use crate::stop::Stop;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Path, State};
use axum::http::{StatusCode, Uri, header};
use axum::response::sse::{Event as SseEvent, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use futures::stream::{self, Stream};
use guard::Guard;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use palimpsest_api::{Answer, Api, ErrorCode, NextStep, WireError, ends_with_its_caller};
use serde_json::Value;
use std::convert::Infallible;
use std::io::Write as _;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;

/// How long a client may take to send the head of a request; between two requests of a connection
/// as well. Browsers open a new connection when an idle one was closed.
const LONGEST_HEAD: Duration = Duration::from_secs(30);
/// How long a client may take to send the body of a request.
const LONGEST_BODY: Duration = Duration::from_secs(30);
/// Most bytes of a request: instructions, prompts and edited summaries are texts of a few kilobytes.
const MOST_BODY: usize = 4 << 20;
/// How long to wait when no connection can be accepted.
const UNTIL_ROOM: Duration = Duration::from_millis(50);
/// How long to wait before looking again whether the cancelled runs are kept.
const UNTIL_KEPT: Duration = Duration::from_millis(20);

/// Serves until interrupted. Prints the address, with the token that opens it, on standard output.
pub async fn serve(api: Api, port: u16, new_token: bool, as_json: bool) -> Result<(), WireError> {
    // Loopback only: the interface is for this machine.
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    // Before the address is printed, so that a stop right after it finds a listener.
    let stop = Stop::listen()?;
    let listener = TcpListener::bind(address).await.map_err(|error| {
        let message = format!("the server cannot listen on the address ({error}): {address}");
        WireError::new(ErrorCode::Io, message, NextStep::ChangePort)
    })?;
    // Port 0 takes a free one, so the printed address needs the bound port.
    let bound = listener
        .local_addr()
        .map_err(|error| WireError::internal(&error.to_string()))?;
    let token = token::kept(api.data_dir(), new_token)?;
    let guard = Arc::new(Guard::new(bound.port(), token));
    let url = format!("http://{bound}/?token={}", guard.token());
    let line = if as_json {
        serde_json::json!({ "url": url }).to_string()
    } else {
        format!("Palimpsest is at {url}\nStop it with Ctrl-C.")
    };
    let mut out = std::io::stdout();
    // Standard output may be closed; the server works without it.
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
    api.start_background();
    let stopped = stopped(api.clone(), stop);
    let state = Served { api };
    let router = Router::new()
        .route("/rpc/{command}", post(rpc))
        .route("/events", get(events))
        .fallback(get(page))
        .layer(axum::middleware::from_fn_with_state(
            Arc::clone(&guard),
            guard::check,
        ))
        .with_state(state);
    tokio::select! {
        () = accept(listener, router) => Ok(()),
        () = stopped => Ok(()),
    }
}

/// Answers connections until the process ends. A connection without a complete request head ends
/// after a while, else a program that opens many and says nothing would use up all file handles.
async fn accept(listener: TcpListener, router: Router) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // Too many open files, mostly: connections that end make room.
            tokio::time::sleep(UNTIL_ROOM).await;
            continue;
        };
        let service = TowerToHyperService::new(router.clone());
        tokio::spawn(async move {
            let mut builder = http1::Builder::new();
            builder
                .timer(TokioTimer::new())
                .header_read_timeout(LONGEST_HEAD);
            // A client that goes away in the middle is no failure of the server.
            let _ = builder
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}

/// What every request needs.
#[derive(Clone)]
struct Served {
    api: Api,
}

async fn rpc(State(served): State<Served>, Path(command): Path<String>, body: Body) -> Response {
    let received = tokio::time::timeout(LONGEST_BODY, to_bytes(body, MOST_BODY)).await;
    let body = match received {
        Ok(Ok(body)) => body,
        Ok(Err(_)) => return StatusCode::PAYLOAD_TOO_LARGE.into_response(),
        Err(_) => return StatusCode::REQUEST_TIMEOUT.into_response(),
    };
    // Commands without a request may be called without a body.
    let params = if body.is_empty() {
        Ok(Value::Null)
    } else {
        serde_json::from_slice(&body)
    };
    let answer = match params {
        // Dropped with the connection of a client that leaves.
        Ok(params) if ends_with_its_caller(&command) => served.api.answer(&command, params).await,
        Ok(params) => to_its_end(served.api, command, params).await,
        Err(error) => Err(WireError::alone(
            ErrorCode::BadRequest,
            format!("the request for '{command}' is not JSON: {error}"),
        )),
    };
    let json = [(header::CONTENT_TYPE, "application/json")];
    let bytes = [(header::CONTENT_TYPE, "application/octet-stream")];
    match answer {
        Ok(Answer::Json(answer)) => (json, answer.to_string()).into_response(),
        Ok(Answer::Bytes(answer)) => (bytes, answer).into_response(),
        Err(error) => {
            let text = serde_json::to_string(&error).unwrap_or_default();
            (status(error.code), json, text).into_response()
        }
    }
}

/// Calls a command in a separate task: closing or reloading the page does not stop it, and a run
/// whose prompt was sent is stored when it ends.
async fn to_its_end(api: Api, command: String, params: Value) -> Result<Answer, WireError> {
    let called = tokio::spawn(async move { api.answer(&command, params).await });
    called
        .await
        .unwrap_or_else(|error| Err(WireError::internal(&error.to_string())))
}

/// Waits for a request to stop, then for the runs under way to be kept as cancelled. Whoever asks
/// twice will not wait.
async fn stopped(api: Api, mut stop: Stop) {
    stop.asked().await;
    while api.cancel_all() > 0 {
        // Each run is forgotten once it is kept; one that begins only now is cancelled as well.
        tokio::select! {
            () = tokio::time::sleep(UNTIL_KEPT) => {}
            code = stop.asked() => std::process::exit(code),
        }
    }
    // Else the next start would look at every page of the index.
    let _ = tokio::task::spawn_blocking(move || api.close()).await;
    // Event streams never end by themselves; a graceful stop would wait for them.
    std::process::exit(0);
}

fn status(code: ErrorCode) -> StatusCode {
    match code {
        ErrorCode::BadRequest | ErrorCode::Usage => StatusCode::BAD_REQUEST,
        ErrorCode::NotFound => StatusCode::NOT_FOUND,
        ErrorCode::UserFixable | ErrorCode::AboveLimit | ErrorCode::Cancelled => {
            StatusCode::CONFLICT
        }
        ErrorCode::Provider => StatusCode::BAD_GATEWAY,
        ErrorCode::Io | ErrorCode::Internal => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

async fn events(
    State(served): State<Served>,
) -> Sse<impl Stream<Item = Result<SseEvent, Infallible>>> {
    let stream = stream::unfold(served.api.events(), |mut events| async {
        let event = events.next().await?;
        let text = serde_json::to_string(&event).unwrap_or_default();
        Some((Ok(SseEvent::default().data(text)), events))
    });
    Sse::new(stream).keep_alive(KeepAlive::default())
}

async fn page(uri: Uri) -> Response {
    interface::file(uri.path()).into_response()
}
