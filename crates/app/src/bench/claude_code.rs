//! The generated sessions in Claude Code's format.

use serde_json::{Value, json};
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, BufWriter, Write};
use std::path::Path;

/// Writes the session in `from`, which is one of the generated ones, as Claude Code's; returns
/// its size in bytes. A file that is there already is kept.
///
/// Each block of a reply is a record of its own with the same message id and usage, as Claude Code
/// writes them, so there are about twice as many records.
pub(super) fn rewrite(from: &Path, to: &Path) -> io::Result<u64> {
    if let Ok(metadata) = to.metadata() {
        return Ok(metadata.len());
    }
    // Renamed at the end: an interrupted measurement must not leave half a session for the next
    // one.
    let unfinished = to.with_extension("part");
    let mut writer = Writer {
        out: BufWriter::new(File::create(&unfinished)?),
        parent: Value::Null,
        records: 0,
    };
    for line in BufReader::new(File::open(from)?).lines() {
        let record: Value = serde_json::from_str(&line?)?;
        let message = &record["message"];
        let at = &record["timestamp"];
        match message["role"].as_str() {
            Some("user") => {
                let text = &message["content"][0]["text"];
                let message = json!({"role": "user", "content": text});
                writer.record("user", at, message, &Value::Null)?;
            }
            Some("assistant") => writer.reply(at, message)?,
            Some("toolResult") => {
                let block = json!({
                    "tool_use_id": message["toolCallId"], "type": "tool_result",
                    "content": message["content"][0]["text"], "is_error": message["isError"],
                });
                let message = json!({"role": "user", "content": [block]});
                writer.record("user", at, message, &Value::Null)?;
            }
            _ => {}
        }
    }
    writer.out.into_inner()?.sync_all()?;
    std::fs::rename(&unfinished, to)?;
    Ok(to.metadata()?.len())
}

struct Writer {
    out: BufWriter<File>,
    parent: Value,
    records: u64,
}

impl Writer {
    fn reply(&mut self, at: &Value, message: &Value) -> io::Result<()> {
        let id = format!("msg_{:016x}", self.records);
        let request = json!(format!("req_{:016x}", self.records));
        // Claude Code repeats the usage of a message on each of its records.
        let usage = json!({
            "input_tokens": 9, "cache_creation_input_tokens": 800,
            "cache_read_input_tokens": message["usage"]["input"],
            "output_tokens": message["usage"]["output"],
        });
        for block in message["content"].as_array().into_iter().flatten() {
            let block = match block["type"].as_str() {
                Some("toolCall") => json!({
                    "type": "tool_use", "id": block["id"], "name": "Read",
                    "input": {"file_path": block["arguments"]["path"],
                              "content": block["arguments"]["content"]},
                }),
                Some("thinking") => json!({
                    "type": "thinking", "thinking": block["thinking"], "signature": "c2lnbmVk",
                }),
                _ => block.clone(),
            };
            let message = json!({
                "id": id, "type": "message", "role": "assistant", "model": "claude-sonnet-4-5",
                "content": [block], "stop_reason": "tool_use", "stop_sequence": null,
                "usage": usage,
            });
            self.record("assistant", at, message, &request)?;
        }
        Ok(())
    }

    fn record(
        &mut self,
        kind: &str,
        at: &Value,
        message: Value,
        request: &Value,
    ) -> io::Result<()> {
        let uuid = format!("00000000-0000-4000-8000-{:012x}", self.records);
        self.records += 1;
        let mut record = json!({
            "parentUuid": self.parent, "isSidechain": false, "userType": "external",
            "cwd": "/home/dev/bench", "sessionId": "00000000-0000-4000-8000-00000000bench",
            "version": "2.1.300", "gitBranch": "main", "type": kind, "message": message,
            "uuid": uuid, "timestamp": at,
        });
        if !request.is_null() {
            record["requestId"] = request.clone();
        }
        self.parent = json!(uuid);
        serde_json::to_writer(&mut self.out, &record)?;
        self.out.write_all(b"\n")
    }
}
