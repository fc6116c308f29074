//! Directions to a session.

use super::files::Project;
use super::outputs;
use super::parse::{Direction, ScriptError, edit_blocks};
use crate::clock::FixedClock;
use crate::session::{CompactionSpec, Id, Options, PiSession, Reply, SessionModel, Shell};
use serde_json::{Value, json};
use std::collections::HashMap;

/// A picture of one pixel, PNG in base64: the smallest thing a model can be shown.
const PIXEL_PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/// Models the scripts may name, with their prices in US dollars per million tokens.
fn model(name: &str) -> Option<SessionModel> {
    let (provider, id) = name.split_once('/')?;
    let (api, prices) = match name {
        "anthropic/claude-sonnet-4-5" => ("anthropic-messages", [3.0, 15.0, 0.3, 3.75]),
        "anthropic/claude-opus-4-5" => ("anthropic-messages", [5.0, 25.0, 0.5, 6.25]),
        "anthropic/claude-haiku-4-5" => ("anthropic-messages", [1.0, 5.0, 0.1, 1.25]),
        "openai/gpt-5.5" => ("openai-responses", [5.0, 30.0, 0.5, 0.0]),
        _ => return None,
    };
    Some(SessionModel::new(provider, id, api).priced(prices))
}

/// A tool call whose answer comes after the message it stands in.
struct Call {
    /// How long it takes.
    lasts_ms: i64,
    answer: Result<String, String>,
}

struct Stage {
    session: PiSession,
    project: Project,
    marks: HashMap<String, Id>,
    reply: Option<Reply>,
    calls: Vec<Call>,
    images: Vec<Value>,
    last: Option<Id>,
}

pub(super) fn play(project: Project, directions: &[Direction]) -> Result<PiSession, ScriptError> {
    let Some((first, rest)) = directions.split_first() else {
        return Ok(PiSession::new());
    };
    let mut stage = Stage {
        session: PiSession::with(header(first)?),
        project,
        marks: HashMap::new(),
        reply: None,
        calls: Vec::new(),
        images: Vec::new(),
        last: None,
    };
    for direction in rest {
        stage.direct(direction)?;
    }
    stage.finish_reply();
    Ok(stage.session)
}

fn header(first: &Direction) -> Result<Options, ScriptError> {
    if first.word != "session" {
        return Err(first.error("a script begins with @session"));
    }
    let defaults = Options::default();
    let number = |key: &str, default: u64| match first.option(key).map(str::parse) {
        None => Ok(default),
        Some(Ok(number)) => Ok(number),
        Some(Err(_)) => Err(first.error(format!("{key} is not a number"))),
    };
    let model = match first.option("model") {
        None => defaults.model,
        Some(name) => model(name).ok_or_else(|| first.error(format!("no model {name}")))?,
    };
    Ok(Options {
        version: 3,
        seed: number("seed", 1)?,
        cwd: first.option("cwd").unwrap_or(&defaults.cwd).to_owned(),
        start: first
            .option("start")
            .map(FixedClock::at)
            .unwrap_or(defaults.start),
        model,
        unrecorded_tokens: number("unrecorded", defaults.unrecorded_tokens)?,
        reported_percent: number("percent", defaults.reported_percent)?,
        parent_session: None,
    })
}

impl Stage {
    fn direct(&mut self, direction: &Direction) -> Result<(), ScriptError> {
        let text = outputs::expand(&direction.text, &self.project)
            .map_err(|reason| direction.error(reason))?;
        match direction.word.as_str() {
            "think" | "say" => {
                if !self.calls.is_empty() {
                    self.finish_reply();
                }
                let reply = self.reply.take().unwrap_or_default();
                let is_thought = direction.word == "think";
                self.reply = Some(if is_thought {
                    reply.think(&text)
                } else {
                    reply.text(&text)
                });
                return Ok(());
            }
            "stop" => {
                let reply = self.reply.take().unwrap_or_default();
                let message = direction.rest(1);
                let message = Some(message.as_str()).filter(|message| !message.is_empty());
                self.reply = Some(reply.stopped(direction.first()?, message));
                return Ok(());
            }
            "read" | "edit" | "write" | "bash" | "call" => return self.call(direction, &text),
            "out" => {
                let call = self
                    .calls
                    .last_mut()
                    .ok_or_else(|| direction.error("no call to answer"))?;
                call.answer = if direction.has("error") {
                    Err(text)
                } else {
                    Ok(text)
                };
                return Ok(());
            }
            "mark" => {
                self.finish_reply();
                let id = self
                    .last
                    .clone()
                    .ok_or_else(|| direction.error("nothing to mark yet"))?;
                self.marks.insert(direction.first()?.to_owned(), id);
                return Ok(());
            }
            _ => self.finish_reply(),
        }
        self.record(direction, &text)
    }

    fn record(&mut self, direction: &Direction, text: &str) -> Result<(), ScriptError> {
        let session = &mut self.session;
        let id = match direction.word.as_str() {
            "file" => {
                self.project.put(direction.first()?, &format!("{text}\n"));
                return Ok(());
            }
            "gen" => {
                let spec = direction.rest(1);
                let made = outputs::make(&spec, &self.project)
                    .map_err(|reason| direction.error(reason))?;
                self.project.put(direction.first()?, &made);
                return Ok(());
            }
            "user" if self.images.is_empty() => {
                session.pause_ms(typing_ms(text));
                session.user(text)
            }
            "user" => {
                session.pause_ms(typing_ms(text));
                let mut content = vec![json!({ "type": "text", "text": text })];
                content.append(&mut self.images);
                session.user_blocks(Value::Array(content))
            }
            "image" => {
                self.images
                    .push(json!({ "type": "image", "data": PIXEL_PNG, "mimeType": "image/png" }));
                return Ok(());
            }
            "shell" => session.shell(shell(direction, text)?),
            "pause" => {
                session.pause_ms(duration_ms(direction)?);
                return Ok(());
            }
            "goto" => {
                let target = self.marked(direction)?;
                self.session.at(&target);
                return Ok(());
            }
            "branch" => {
                let target = self.marked(direction)?;
                self.session.branch_summary(&target, text)
            }
            "compact" => {
                let keep = direction.option("keep").map(str::parse).transpose();
                let keep = keep.map_err(|_| direction.error("keep is not a number"))?;
                let mut spec = CompactionSpec::new(text).keep_recent(keep.unwrap_or(20_000));
                if direction.has("hook") {
                    spec = spec.from_hook();
                }
                let cut = session.cut(keep.unwrap_or(20_000));
                let is_split = cut.is_some_and(|cut| cut.turn_start.is_some());
                if is_split != text.contains("**Turn Context (split turn):**") {
                    return Err(direction.error(format!(
                        "the cut {} a turn and the summary says otherwise",
                        if is_split { "splits" } else { "does not split" }
                    )));
                }
                session.compact(spec)
            }
            "label" => {
                let target = self.marked(direction)?;
                self.session.label(&target, Some(&direction.rest(1)))
            }
            "unlabel" => {
                let target = self.marked(direction)?;
                self.session.label(&target, None)
            }
            "omit" => {
                let target = self.marked(direction)?;
                self.session.context_edit(&target, None)
            }
            "replace" => {
                let target = self.marked(direction)?;
                self.session
                    .context_edit(&target, Some(json!([{ "type": "text", "text": text }])))
            }
            "name" => session.session_info(
                Some(&direction.rest(0))
                    .filter(|name| !name.is_empty())
                    .map(String::as_str),
            ),
            "model" => {
                let name = direction.first()?;
                let model =
                    model(name).ok_or_else(|| direction.error(format!("no model {name}")))?;
                session.model_change(model)
            }
            "thinking" => session.thinking_change(direction.first()?),
            "notice" => {
                session.custom_message(direction.first()?, json!(text), !direction.has("hidden"))
            }
            "data" => {
                let data = serde_json::from_str(text)
                    .map_err(|error| direction.error(format!("not JSON: {error}")))?;
                session.custom(direction.first()?, data)
            }
            "system" => {
                let sections = sections(text);
                let sections: Vec<(&str, Option<&str>)> = sections
                    .iter()
                    .map(|(name, text)| (name.as_str(), text.as_deref()))
                    .collect();
                session.system(
                    &sections,
                    direction.has("tools").then(outputs::tool_declarations),
                )
            }
            word => return Err(direction.error(format!("there is no direction @{word}"))),
        };
        self.last = Some(id);
        Ok(())
    }

    fn marked(&self, direction: &Direction) -> Result<Id, ScriptError> {
        let name = direction.first()?;
        let id = self.marks.get(name).cloned();
        id.ok_or_else(|| direction.error(format!("nothing is marked {name}")))
    }

    fn call(&mut self, direction: &Direction, text: &str) -> Result<(), ScriptError> {
        if !self.calls.is_empty() && !direction.joined {
            self.finish_reply();
        }
        let number = |key: &str| {
            direction
                .option(key)
                .and_then(|text| text.parse::<usize>().ok())
        };
        let (name, arguments, answer) = match direction.word.as_str() {
            "read" => {
                let path = direction.first()?;
                let (offset, limit) = (number("offset"), number("limit"));
                let mut arguments = json!({ "path": path });
                if let Some(offset) = offset {
                    arguments["offset"] = json!(offset);
                }
                if let Some(limit) = limit {
                    arguments["limit"] = json!(limit);
                }
                let answer = self.project.read(path, offset, limit);
                let missing = format!("ENOENT: no such file or directory, open '{path}'");
                ("read".to_owned(), arguments, answer.ok_or(missing))
            }
            "edit" => {
                let path = direction.first()?;
                let blocks = edit_blocks(direction)?;
                let edits: Vec<Value> = blocks
                    .iter()
                    .map(|(old, new)| json!({ "oldText": old, "newText": new }))
                    .collect();
                let answer = if direction.has("misses") {
                    Err(format!(
                        "The text to replace does not occur in {path}. Nothing was changed."
                    ))
                } else {
                    self.project
                        .edit(path, &blocks)
                        .map_err(|reason| direction.error(reason))?;
                    let plural = if blocks.len() == 1 { "" } else { "s" };
                    Ok(format!(
                        "Replaced {} block{plural} in {path}.",
                        blocks.len()
                    ))
                };
                (
                    "edit".to_owned(),
                    json!({ "path": path, "edits": edits }),
                    answer,
                )
            }
            "write" => {
                let path = direction.first()?;
                let content = format!("{text}\n");
                self.project.put(path, &content);
                let answer = Ok(format!("Wrote {} bytes to {path}.", content.len()));
                (
                    "write".to_owned(),
                    json!({ "path": path, "content": content }),
                    answer,
                )
            }
            "bash" => {
                let answer = self
                    .project
                    .answer(text)
                    .unwrap_or_else(|| "(no output)".to_owned());
                ("bash".to_owned(), json!({ "command": text }), Ok(answer))
            }
            _ => {
                let arguments = serde_json::from_str(text)
                    .map_err(|error| direction.error(format!("arguments are not JSON: {error}")))?;
                (
                    direction.first()?.to_owned(),
                    arguments,
                    Ok("(no output)".to_owned()),
                )
            }
        };
        let reply = self.reply.take().unwrap_or_default();
        self.reply = Some(reply.call(&name, arguments));
        self.calls.push(Call {
            lasts_ms: lasts_ms(direction, text),
            answer,
        });
        Ok(())
    }

    fn finish_reply(&mut self) {
        let Some(reply) = self.reply.take() else {
            return;
        };
        self.last = Some(self.session.assistant(reply));
        for call in self.calls.drain(..) {
            self.session.pause_ms(call.lasts_ms);
            self.last = Some(match call.answer {
                Ok(text) => self.session.tool_result(&text),
                Err(text) => self.session.tool_error(&text),
            });
        }
    }
}

/// The time a person takes to read what came and to type this.
fn typing_ms(text: &str) -> i64 {
    25_000 + 110 * text.len() as i64
}

/// The time a call takes beyond a moment: builds and load runs last.
fn lasts_ms(direction: &Direction, command: &str) -> i64 {
    match direction.word.as_str() {
        "bash" if command.contains("load.sh") => 74_300,
        "bash" if command.contains("cargo sqlx prepare") => 31_700,
        "bash" if command.contains("cargo") || command.contains("npx ") => 13_900,
        "bash" if command.contains("docker") => 8_400,
        _ => 0,
    }
}

fn shell(direction: &Direction, text: &str) -> Result<Shell, ScriptError> {
    let (command, output) = match text.split_once("\n---\n") {
        Some((command, output)) => (command, format!("{output}\n")),
        None => (text, String::new()),
    };
    let mut shell = Shell::new(command, &output);
    if let Some(code) = direction.option("exit") {
        shell = shell.exit(
            code.parse()
                .map_err(|_| direction.error("exit is not a number"))?,
        );
    }
    if direction.has("exclude") {
        shell = shell.excluded();
    }
    if direction.has("cancelled") {
        shell = shell.cancelled();
    }
    Ok(shell)
}

fn duration_ms(direction: &Direction) -> Result<i64, ScriptError> {
    let text = direction.first()?;
    let (number, unit) = text.split_at(text.len().saturating_sub(1));
    let unit_ms = match unit {
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => return Err(direction.error("a pause is a number with s, m or h")),
    };
    let number: i64 = number
        .parse()
        .map_err(|_| direction.error("a pause is a number with s, m or h"))?;
    Ok(number * unit_ms)
}

fn sections(text: &str) -> Vec<(String, Option<String>)> {
    let mut sections: Vec<(String, Option<String>)> = Vec::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("# -") {
            sections.push((name.to_owned(), None));
        } else if let Some(name) = line.strip_prefix("# ") {
            sections.push((name.to_owned(), Some(String::new())));
        } else if let Some((_, Some(text))) = sections.last_mut() {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(line);
        }
    }
    sections
}
