//! As much of HTTP/1.1 as the scripted server needs: one request, one answer, chunked streams.

use super::script::{RawReply, SeenRequest};
use serde_json::Value;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Longest body read; a prompt of a million tokens is about 4 MB.
const MAX_BODY_BYTES: usize = 64 << 20;
/// How often a waiting answer looks whether the client is still there.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// A request and the key it carried, which is not written down.
pub(super) struct ReadRequest {
    pub(super) request: SeenRequest,
    pub(super) key: Option<String>,
}

/// Reads one request; `None` when the client closed without sending one.
pub(super) fn read_request(stream: &TcpStream) -> io::Result<Option<ReadRequest>> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let mut words = line.split_whitespace();
    let (Some(method), Some(path)) = (words.next(), words.next()) else {
        return Ok(None);
    };
    let (method, path) = (method.to_owned(), path.to_owned());

    let mut headers = Vec::new();
    let mut key = None;
    let mut key_in = None;
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line.trim_end().is_empty() {
            break;
        }
        let Some((name, value)) = line.split_once(':') else {
            continue;
        };
        let (name, value) = (name.trim().to_ascii_lowercase(), value.trim().to_owned());
        match name.as_str() {
            "authorization" => {
                key_in = Some("bearer");
                key = value.strip_prefix("Bearer ").map(str::to_owned);
            }
            "x-api-key" | "x-goog-api-key" => {
                let google = name == "x-goog-api-key";
                key_in = Some(if google {
                    "x-goog-api-key"
                } else {
                    "x-api-key"
                });
                key = Some(value);
            }
            "coder-session-token" => {
                key_in = Some("coder-session-token");
                key = Some(value);
            }
            _ => {
                if name == "content-length" {
                    length = value.parse().unwrap_or(0).min(MAX_BODY_BYTES);
                }
                headers.push((name, value));
            }
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
    let request = SeenRequest {
        method,
        path,
        headers,
        key_in,
        body,
        client_left: false,
    };
    Ok(Some(ReadRequest { request, key }))
}

/// The answer's side of a connection. Every method fails once the client has gone away or the
/// server is closing.
pub(super) struct Answer<'a> {
    stream: TcpStream,
    closing: &'a AtomicBool,
    split_bytes: usize,
}

impl<'a> Answer<'a> {
    pub(super) fn new(stream: TcpStream, closing: &'a AtomicBool) -> Self {
        stream.set_nodelay(true).ok();
        Self {
            stream,
            closing,
            split_bytes: 0,
        }
    }

    /// Sends a raw reply as it stands.
    pub(super) fn raw(&mut self, raw: &RawReply) -> io::Result<()> {
        let mut head = format!("HTTP/1.1 {} Scripted\r\n", raw.status);
        for (name, value) in &raw.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str(&format!(
            "content-length: {}\r\nconnection: close\r\n\r\n",
            raw.body.len()
        ));
        self.stream.write_all(head.as_bytes())?;
        self.stream.write_all(raw.body.as_bytes())?;
        self.stream.flush()
    }

    /// Sends a JSON document with status 200.
    pub(super) fn document(&mut self, document: &Value) -> io::Result<()> {
        self.raw(&RawReply {
            status: 200,
            headers: vec![("content-type".to_owned(), "application/json".to_owned())],
            body: document.to_string(),
        })
    }

    /// Starts an event stream whose bytes go out `split_bytes` at a time, or whole when 0.
    pub(super) fn begin_stream(&mut self, split_bytes: usize) -> io::Result<()> {
        self.split_bytes = split_bytes;
        self.stream.write_all(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\n\
              cache-control: no-cache\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n",
        )
    }

    /// Sends one event of the stream.
    pub(super) fn event(&mut self, event: &str) -> io::Result<()> {
        let bytes = event.as_bytes();
        let size = if self.split_bytes == 0 {
            bytes.len().max(1)
        } else {
            self.split_bytes
        };
        for piece in bytes.chunks(size) {
            write!(self.stream, "{:x}\r\n", piece.len())?;
            self.stream.write_all(piece)?;
            self.stream.write_all(b"\r\n")?;
        }
        self.stream.flush()
    }

    /// Ends the stream properly.
    pub(super) fn end_stream(&mut self) -> io::Result<()> {
        self.stream.write_all(b"0\r\n\r\n")?;
        self.stream.flush()
    }

    /// Closes the connection with the body unfinished.
    pub(super) fn break_off(&mut self) -> io::Result<()> {
        self.stream.shutdown(Shutdown::Both)
    }

    /// Keeps the connection open in silence until the client or the server ends it.
    pub(super) fn say_nothing(&mut self) -> io::Result<()> {
        loop {
            self.wait(Duration::from_secs(1))?;
        }
    }

    /// Waits, watching for the client to go away.
    pub(super) fn wait(&mut self, time: Duration) -> io::Result<()> {
        let mut left = time;
        while !left.is_zero() {
            if self.closing.load(Ordering::Acquire) || self.client_is_gone()? {
                return Err(io::ErrorKind::ConnectionAborted.into());
            }
            let step = left.min(LOOK_EVERY);
            std::thread::sleep(step);
            left -= step;
        }
        Ok(())
    }

    fn client_is_gone(&self) -> io::Result<bool> {
        self.stream.set_nonblocking(true)?;
        let looked = self.stream.peek(&mut [0]);
        self.stream.set_nonblocking(false)?;
        Ok(match looked {
            Ok(bytes) => bytes == 0,
            Err(error) => error.kind() != io::ErrorKind::WouldBlock,
        })
    }
}
