//! The generated sessions as each kind of storage has them: the same words, so that what one costs
//! can be compared with another.

use super::claude_code;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// How an agent stores a session.
pub(super) struct Storage {
    /// What the figure is called.
    pub figure: &'static str,
    /// The folder of its sessions within the corpus.
    pub folder: &'static str,
    write: fn(from: &Path, folder: &Path, number: usize) -> io::Result<()>,
}

/// The kinds; the first is what the others are compared with.
pub(super) const KINDS: [Storage; 7] = [
    Storage {
        figure: "index Claude Code's sessions",
        folder: "claude-code",
        write: |from, folder, number| {
            let to = folder.join(format!("{}.jsonl", uuid(number)));
            claude_code::rewrite(from, &to).map(drop)
        },
    },
    Storage {
        figure: "index Droid's sessions",
        folder: "factory-droid",
        write: factory_droid,
    },
    Storage {
        figure: "index Mux's workspaces",
        folder: "mux/sessions",
        write: mux,
    },
    Storage {
        figure: "index Copilot's events",
        folder: "copilot/session-state",
        write: copilot,
    },
    Storage {
        figure: "index VS Code's journals of chats",
        folder: "code/User/workspaceStorage/0f3c/chatSessions",
        write: copilot_chat,
    },
    Storage {
        figure: "index Continue's sessions",
        folder: "continue/sessions",
        write: continue_dev,
    },
    Storage {
        figure: "index Coder's chats",
        folder: "coder",
        write: coder,
    },
];

impl Storage {
    /// Writes the sessions in `from` below `dir` unless they are there; returns the folder and its
    /// size in bytes.
    pub fn written(&self, from: &[PathBuf], dir: &Path) -> io::Result<(PathBuf, u64)> {
        let folder = dir.join(self.folder);
        let whole = dir.join(format!("{}.whole", self.folder.replace('/', "-")));
        // An interrupted measurement must not leave half a corpus for the next one.
        if !whole.exists() {
            fs::create_dir_all(&folder)?;
            for (number, from) in from.iter().enumerate() {
                (self.write)(from, &folder, number)?;
            }
            fs::write(&whole, "")?;
        }
        let bytes = size_of(&folder)?;
        Ok((folder, bytes))
    }
}

fn size_of(folder: &Path) -> io::Result<u64> {
    let mut bytes = 0;
    for item in fs::read_dir(folder)? {
        let item = item?;
        let metadata = item.metadata()?;
        bytes += if metadata.is_dir() {
            size_of(&item.path())?
        } else {
            metadata.len()
        };
    }
    Ok(bytes)
}

fn uuid(number: usize) -> String {
    format!("00000000-0000-4000-8000-{number:012x}")
}

/// A prompt with the replies to it.
struct Turn {
    prompt: Value,
    at: Value,
    rounds: Vec<Round>,
}

/// A reply: its texts, its calls with their results.
struct Round {
    at: Value,
    at_ms: Value,
    thinking: Value,
    text: Value,
    calls: Vec<Call>,
    input: Value,
    output: Value,
}

struct Call {
    id: Value,
    arguments: Value,
    result: Value,
    is_error: Value,
}

/// The turns of a generated session, which has pi's records.
fn turns(from: &Path) -> io::Result<Vec<Turn>> {
    let mut turns: Vec<Turn> = Vec::new();
    let mut calls: HashMap<String, (usize, usize)> = HashMap::new();
    for line in fs::read_to_string(from)?.lines() {
        let record: Value = serde_json::from_str(line)?;
        let message = &record["message"];
        let content = message["content"].as_array().map_or(&[][..], Vec::as_slice);
        let of = |kind: &str| content.iter().find(|block| block["type"] == kind);
        let text = |kind: &str| of(kind).map_or(Value::Null, |block| block[kind].clone());
        let is_prompt = message["role"] == "user";
        if is_prompt || turns.is_empty() {
            turns.push(Turn {
                prompt: if is_prompt {
                    text("text")
                } else {
                    json!("Begin.")
                },
                at: record["timestamp"].clone(),
                rounds: Vec::new(),
            });
        }
        let at = turns.len() - 1;
        let rounds = &mut turns[at].rounds;
        if message["role"] == "assistant" {
            let own = of("toolCall").map(|call| Call {
                id: call["id"].clone(),
                arguments: call["arguments"].clone(),
                result: json!(""),
                is_error: json!(false),
            });
            if let Some(id) = own.as_ref().and_then(|own| own.id.as_str()) {
                calls.insert(id.to_owned(), (at, rounds.len()));
            }
            rounds.push(Round {
                at: record["timestamp"].clone(),
                at_ms: message["timestamp"].clone(),
                thinking: text("thinking"),
                text: text("text"),
                calls: own.into_iter().collect(),
                input: message["usage"]["input"].clone(),
                output: message["usage"]["output"].clone(),
            });
        } else if message["role"] == "toolResult" {
            let id = message["toolCallId"].as_str().unwrap_or_default();
            let place = calls.get(id).copied();
            let round = place.and_then(|(turn, round)| turns.get_mut(turn)?.rounds.get_mut(round));
            if let Some(call) = round.and_then(|round| round.calls.first_mut()) {
                call.result = content
                    .first()
                    .map_or(Value::Null, |own| own["text"].clone());
                call.is_error = message["isError"].clone();
            }
        }
    }
    Ok(turns)
}

/// Records as lines of JSON.
fn lines(records: &[Value]) -> String {
    records.iter().map(|record| format!("{record}\n")).collect()
}

fn factory_droid(from: &Path, folder: &Path, number: usize) -> io::Result<()> {
    let id = uuid(number);
    let mut records = vec![json!({
        "type": "session_start", "id": id, "title": "Bench", "owner": "dev", "version": 2,
        "cwd": "/home/dev/bench",
    })];
    let mut parent = Value::Null;
    let mut add = |at: &Value, message: Value| {
        let id = json!(format!("m{}", records.len()));
        records.push(json!({
            "type": "message", "id": id, "timestamp": at, "message": message, "parentId": parent,
        }));
        parent = id;
    };
    for turn in turns(from)? {
        let prompt = json!([{"type": "text", "text": turn.prompt}]);
        add(&turn.at, json!({"role": "user", "content": prompt}));
        for round in turn.rounds {
            let mut content = vec![
                json!({"type": "thinking", "thinking": round.thinking, "signature": "c2ln"}),
                json!({"type": "text", "text": round.text}),
            ];
            content.extend(round.calls.iter().map(|call| {
                json!({"type": "tool_use", "id": call.id, "name": "Create", "input": call.arguments})
            }));
            let reply = json!({"role": "assistant", "content": content, "modelId": "bench-1"});
            add(&round.at, reply);
            let results: Vec<Value> = round
                .calls
                .iter()
                .map(|call| {
                    json!({
                        "type": "tool_result", "tool_use_id": call.id, "content": call.result,
                        "is_error": call.is_error,
                    })
                })
                .collect();
            if !results.is_empty() {
                add(&round.at, json!({"role": "user", "content": results}));
            }
        }
    }
    let settings = json!({"model": "bench-1", "tokenUsage": {"inputTokens": 9, "outputTokens": 9}});
    fs::write(
        folder.join(format!("{id}.settings.json")),
        settings.to_string(),
    )?;
    fs::write(folder.join(format!("{id}.jsonl")), lines(&records))
}

fn mux(from: &Path, folder: &Path, number: usize) -> io::Result<()> {
    let id = format!("{number:010x}");
    let mut records: Vec<Value> = Vec::new();
    let mut add = |role: &str, metadata: Value, parts: Vec<Value>| {
        let mut row = json!({
            "id": format!("{role}-{}", records.len()), "role": role, "metadata": metadata,
            "parts": parts, "workspaceId": id,
        });
        row["metadata"]["historySequence"] = json!(records.len());
        records.push(row);
    };
    for turn in turns(from)? {
        let at = turn
            .rounds
            .first()
            .map_or(json!(0), |own| own.at_ms.clone());
        let prompt = json!({"type": "text", "text": turn.prompt, "state": "done"});
        add("user", json!({"timestamp": at}), vec![prompt]);
        let mut parts = Vec::new();
        let mut usage = Value::Null;
        for round in turn.rounds {
            parts.push(json!({"type": "reasoning", "text": round.thinking}));
            parts.push(json!({"type": "text", "text": round.text}));
            parts.extend(round.calls.iter().map(|call| {
                json!({
                    "type": "dynamic-tool", "toolCallId": call.id, "toolName": "file_write",
                    "state": "output-available", "input": call.arguments,
                    "output": {"success": true, "content": call.result},
                })
            }));
            usage = json!({"inputTokens": round.input, "outputTokens": round.output});
        }
        let metadata = json!({"timestamp": at, "model": "anthropic:bench-1", "usage": usage});
        add("assistant", metadata, parts);
    }
    let folder = folder.join(&id);
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("chat.jsonl"), lines(&records))
}

fn copilot(from: &Path, folder: &Path, number: usize) -> io::Result<()> {
    let session = uuid(number);
    let mut records: Vec<Value> = Vec::new();
    let mut add = |kind: &str, at: &Value, data: Value| {
        let id = |number: usize| format!("{session}-{number}");
        let parent = records.len().checked_sub(1).map(id);
        records.push(json!({
            "type": kind, "data": data, "id": id(records.len()), "timestamp": at,
            "parentId": parent,
        }));
    };
    let start = json!({
        "sessionId": session, "version": 1, "producer": "copilot-agent",
        "copilotVersion": "1.0.102", "context": {"cwd": "/home/dev/bench"},
    });
    add("session.start", &json!("2026-03-02T09:00:00.000Z"), start);
    for turn in turns(from)? {
        let prompt = json!({"content": turn.prompt, "transformedContent": turn.prompt});
        add("user.message", &turn.at, prompt);
        for round in turn.rounds {
            let requests: Vec<Value> = round
                .calls
                .iter()
                .map(|call| {
                    json!({
                        "toolCallId": call.id, "name": "create", "arguments": call.arguments,
                        "type": "function",
                    })
                })
                .collect();
            let usage = json!({"usage": {
                "model": "bench-1", "inputTokens": round.input, "outputTokens": round.output,
            }});
            add("session.usage_record", &round.at, usage);
            let reply = json!({
                "content": round.text, "reasoningText": round.thinking, "model": "bench-1",
                "toolRequests": requests,
            });
            add("assistant.message", &round.at, reply);
            for call in round.calls {
                let success = call.is_error == json!(false);
                let result = json!({
                    "toolCallId": call.id, "success": success, "result": {"content": call.result},
                });
                add("tool.execution_complete", &round.at, result);
            }
        }
    }
    let folder = folder.join(&session);
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("events.jsonl"), lines(&records))
}

fn copilot_chat(from: &Path, folder: &Path, number: usize) -> io::Result<()> {
    let id = uuid(number);
    let mut records = vec![json!({"kind": 0, "v": {
        "version": 3, "sessionId": id, "creationDate": 1_772_442_000_000_i64, "requests": [],
    }})];
    for (number, turn) in turns(from)?.into_iter().enumerate() {
        let request = json!({
            "requestId": format!("request_{number}"), "timestamp": 1_772_442_000_000_i64,
            "message": {"text": turn.prompt, "parts": []}, "variableData": {"variables": []},
            "modelId": "copilot/bench-1", "response": [{"value": ""}], "result": null,
        });
        records.push(json!({"kind": 2, "k": ["requests"], "v": [request]}));
        let mut rounds = Vec::new();
        let mut results = serde_json::Map::new();
        let mut input = json!(0);
        for (at, round) in turn.rounds.into_iter().enumerate() {
            let mut calls = Vec::new();
            for call in round.calls {
                let id = call.id.as_str().unwrap_or_default().to_owned();
                calls.push(json!({
                    "id": id, "name": "create_file", "arguments": call.arguments.to_string(),
                }));
                results.insert(id, json!({"content": [{"value": call.result}]}));
            }
            rounds.push(json!({
                "id": format!("r{number}-{at}"), "response": round.text, "toolCalls": calls,
                "thinking": {"text": round.thinking},
            }));
            input = round.input;
        }
        let result = json!({"timings": {}, "metadata": {
            "toolCallRounds": rounds, "toolCallResults": results, "promptTokens": input,
        }});
        records.push(json!({"kind": 1, "k": ["requests", number, "result"], "v": result}));
    }
    fs::write(folder.join(format!("{id}.jsonl")), lines(&records))
}

fn continue_dev(from: &Path, folder: &Path, number: usize) -> io::Result<()> {
    let id = uuid(number);
    let mut history = Vec::new();
    for turn in turns(from)? {
        let prompt = json!({"role": "user", "content": turn.prompt});
        history.push(json!({"message": prompt, "contextItems": []}));
        for round in turn.rounds {
            let thinking = json!({"role": "thinking", "content": round.thinking});
            history.push(json!({"message": thinking, "contextItems": []}));
            let calls: Vec<Value> = round
                .calls
                .iter()
                .map(|call| {
                    json!({"id": call.id, "type": "function", "function": {
                        "name": "create_new_file", "arguments": call.arguments.to_string(),
                    }})
                })
                .collect();
            let states: Vec<Value> = round
                .calls
                .iter()
                .map(|call| {
                    json!({
                        "toolCallId": call.id, "status": "done", "parsedArgs": call.arguments,
                        "output": [{"name": "file", "description": "", "content": call.result}],
                    })
                })
                .collect();
            let reply = json!({"role": "assistant", "content": round.text, "toolCalls": calls});
            history.push(json!({
                "message": reply, "contextItems": [], "toolCallStates": states,
            }));
        }
    }
    let session = json!({
        "sessionId": id, "title": "Bench", "workspaceDirectory": "file:///home/dev/bench",
        "history": history, "usage": {"totalCost": 0.5, "promptTokens": 9, "completionTokens": 9},
    });
    fs::write(folder.join(format!("{id}.json")), session.to_string())
}

fn coder(from: &Path, folder: &Path, number: usize) -> io::Result<()> {
    let chat = uuid(number);
    let mut messages: Vec<Value> = Vec::new();
    let mut add = |role: &str, at: &Value, content: Vec<Value>, usage: Value| {
        messages.push(json!({
            "id": messages.len() + 1, "chat_id": chat, "created_at": at, "role": role,
            "content": content, "usage": usage, "model_config_id": "bench-1",
        }));
    };
    for turn in turns(from)? {
        let prompt = json!({"type": "text", "text": turn.prompt});
        add("user", &turn.at, vec![prompt], Value::Null);
        for round in turn.rounds {
            let mut content = vec![
                json!({"type": "reasoning", "text": round.thinking}),
                json!({"type": "text", "text": round.text}),
            ];
            content.extend(round.calls.iter().map(|call| {
                json!({
                    "type": "tool-call", "tool_call_id": call.id, "tool_name": "write_file",
                    "args": call.arguments,
                })
            }));
            let usage = json!({
                "input_tokens": round.input, "output_tokens": round.output,
                "context_limit": 200_000,
            });
            add("assistant", &round.at, content, usage);
            for call in round.calls {
                let result = json!({
                    "type": "tool-result", "tool_call_id": call.id, "tool_name": "write_file",
                    "result": {"output": call.result}, "is_error": call.is_error,
                });
                add("tool", &round.at, vec![result], Value::Null);
            }
        }
    }
    // The server gives the newest first.
    messages.reverse();
    let saved = json!({
        "chat": {
            "id": chat, "organization_id": "o-1", "owner_id": "u-1", "title": "Bench",
            "created_at": "2026-06-01T07:59:00Z", "updated_at": "2026-06-01T08:01:00Z",
        },
        "messages": messages,
    });
    fs::write(
        folder.join(format!("coder-chat-{number}.json")),
        saved.to_string(),
    )
}
