//! Every command that reads a session, with requests made by chance.

use crate::mutate::nasty;
use crate::said::{Kind, at, finding};
use palimpsest_api::{Answer, Api, ErrorCode};
use palimpsest_testkit::seeded::Rng;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// What a command may take.
pub const LONGEST: Duration = Duration::from_secs(10);
/// Entries of a session that are looked at.
const MOST_ENTRIES: usize = 12;
/// Strategies that are planned for a session.
const MOST_PLANS: usize = 6;

/// The program under attack, and what was asked of it so far.
pub struct Asked<'a> {
    api: &'a Api,
    runtime: &'a tokio::runtime::Runtime,
    strategies: Vec<String>,
    /// What is under way, for the watcher.
    pub what: String,
    /// Commands answered.
    pub answered: u64,
}

impl<'a> Asked<'a> {
    /// Asks `api`, whose waiting commands run in `runtime`.
    pub fn new(api: &'a Api, runtime: &'a tokio::runtime::Runtime) -> Asked<'a> {
        let mut asked = Asked {
            api,
            runtime,
            strategies: Vec::new(),
            what: String::new(),
            answered: 0,
        };
        let all = asked.ask("strategies", &json!({})).unwrap_or_default();
        asked.strategies = texts(&all, "name");
        asked
    }

    /// The answer of one command; `None` where it is refused or made of bytes.
    pub fn ask(&mut self, command: &str, request: &Value) -> Option<Value> {
        let shown: String = request.to_string().chars().take(600).collect();
        let what = format!("{}: {command} {shown}", self.what);
        at(what.clone());
        let started = Instant::now();
        let answer = self
            .runtime
            .block_on(self.api.answer(command, request.clone()));
        self.answered += 1;
        if started.elapsed() > LONGEST {
            finding(Kind::Hang, format!("{:?} {what}", started.elapsed()));
        }
        match answer {
            Ok(Answer::Json(answer)) => Some(answer),
            Ok(Answer::Bytes(_)) => None,
            Err(error) => {
                if error.code == ErrorCode::Internal {
                    finding(Kind::Panic, format!("{} in {what}", error.message));
                }
                None
            }
        }
    }

    /// Asks everything about one session.
    pub fn about(&mut self, session: &str, rng: &mut Rng) {
        let one = json!({"session": session});
        let Some(view) = self.ask("open", &one) else {
            return;
        };
        let tree = self.ask("tree", &one).unwrap_or_default();
        let ids = texts(&tree["nodes"], "id");
        self.pictures(session, &ids, rng);
        self.entries(session, &ids, rng);
        self.contexts(session, &ids, rng);
        self.plans(session, &ids, rng);
        let summaries = texts(&view["summaries"], "entry_id");
        self.ledgers(session, &summaries, &ids, rng);
        self.runs(session, &summaries, rng);
        self.marks(session, &ids, rng);
        let query = query(rng);
        self.ask(
            "find",
            &json!({"session": session, "query": query, "compaction": null, "limit": 50}),
        );
    }

    fn pictures(&mut self, session: &str, ids: &[String], rng: &mut Rng) {
        let filter = *rng.pick(&["default", "no_tools", "user_only", "labeled_only", "all"]);
        self.ask("graph", &json!({"session": session, "filter": filter}));
        let folded: Vec<&String> = (0..3).filter_map(|_| one(ids, rng)).collect();
        self.ask(
            "outline",
            &json!({
                "session": session, "filter": filter, "folded": folded, "unfolded": [],
                "offset": rng.below(50), "limit": rng.below(500), "around": one(ids, rng),
            }),
        );
        let positions: Vec<usize> = (0..20).map(|_| rng.below(ids.len() + 2)).collect();
        self.ask(
            "card_texts",
            &json!({"session": session, "positions": positions}),
        );
    }

    fn entries(&mut self, session: &str, ids: &[String], rng: &mut Rng) {
        for _ in 0..MOST_ENTRIES.min(ids.len()) {
            let Some(id) = one(ids, rng).cloned() else {
                return;
            };
            self.ask("entry", &json!({"session": session, "entry": id}));
            for command in ["entry_raw", "entry_text"] {
                let (offset, limit) = (rng.below(400), rng.below(400));
                self.ask(
                    command,
                    &json!({"session": session, "entry": id, "offset": offset, "limit": limit}),
                );
            }
        }
    }

    fn contexts(&mut self, session: &str, ids: &[String], rng: &mut Rng) {
        for place in [None, one(ids, rng).cloned()] {
            self.ask("context", &json!({
                "session": session, "at": place, "tokenizer": if rng.chance(10) { json!("o200k") } else { Value::Null },
                "offset": rng.below(20), "limit": rng.below(200), "max_text": rng.below(3000),
            }));
            self.ask(
                "timeline",
                &json!({"session": session, "at": place, "max_points": rng.below(300)}),
            );
            self.ask(
                "cut_points",
                &json!({"session": session, "at": place, "redo": rng.chance(30)}),
            );
        }
        let (from, to) = (one(ids, rng).cloned(), one(ids, rng).cloned());
        self.ask(
            "context_diff",
            &json!({"session": session, "from": from, "to": to}),
        );
        self.ask(
            "leaving",
            &json!({"session": session, "from": from, "to": to}),
        );
        self.ask("policy", &json!({
            "session": session, "at": to, "policies": [], "window": *rng.pick(&[1_usize, 900, 20_000, 200_000]),
            "max_output": null, "totals_only": rng.chance(50),
        }));
    }

    fn plans(&mut self, session: &str, ids: &[String], rng: &mut Rng) {
        for _ in 0..MOST_PLANS {
            let strategy = one(&self.strategies, rng).cloned();
            let request = planned(session, strategy, ids, rng);
            let plan = self.ask("plan", &request).unwrap_or_default();
            let calls = plan["calls"].as_array().map_or(0, Vec::len);
            if calls > 0 {
                let mut request = request;
                request["call"] = json!(rng.below(calls));
                self.ask("planned_call", &request);
            }
        }
    }

    fn ledgers(&mut self, session: &str, summaries: &[String], ids: &[String], rng: &mut Rng) {
        let asked = [
            one(summaries, rng).map(|id| json!({"session": session, "compaction": id, "run": null, "summary": null, "at": null})),
            one(ids, rng).map(|id| {
                let summary = nasty(rng, 400);
                json!({"session": session, "compaction": null, "run": null, "summary": summary, "at": id})
            }),
        ];
        for request in asked.into_iter().flatten() {
            let Some(ledger) = self.ask("ledger", &request) else {
                continue;
            };
            let id = ledger["ledger_id"].clone();
            self.ask(
                "ledger_source",
                &json!({"ledger_id": id, "offset": rng.below(5), "limit": 200}),
            );
        }
    }

    fn runs(&mut self, session: &str, summaries: &[String], rng: &mut Rng) {
        let strategy = one(&self.strategies, rng).cloned();
        let mut request = planned(session, strategy, &[], rng);
        request["provider"] = json!("offline");
        request["at"] = Value::Null;
        request["stream"] = Value::Null;
        let Some(run) = self.ask("compact", &request) else {
            return;
        };
        let id = run["run_id"].as_str().unwrap_or_default().to_owned();
        let replay = self.ask("replay", &json!({"run": id}));
        if replay.is_some_and(|replay| replay["same"] == json!(false)) {
            finding(Kind::Replay, format!("{}: {request}", self.what));
        }
        self.ask("run", &json!({"run": id}));
        let mut sides = vec![id.clone()];
        sides.extend(summaries.iter().take(2).map(|id| format!("entry:{id}")));
        self.ask("ledger", &json!({"session": session, "compaction": null, "run": id, "summary": null, "at": null}));
        if let [left, right, ..] = &sides[..] {
            self.ask(
                "compare",
                &json!({"session": session, "left": left, "right": right}),
            );
        }
        self.ask("compare_all", &json!({"session": session, "sides": sides}));
    }

    fn marks(&mut self, session: &str, ids: &[String], rng: &mut Rng) {
        let entry = one(ids, rng).cloned();
        self.ask("label_set", &json!({"session": session, "entry": entry, "ix": null, "text": nasty(rng, 5), "on": null}));
        self.ask(
            "note_save",
            &json!({"session": session, "entry": entry, "ix": null, "text": nasty(rng, 30)}),
        );
        self.ask(
            "rename",
            &json!({"session": session, "title": nasty(rng, 10)}),
        );
        self.ask(
            "star",
            &json!({"session": session, "starred": rng.chance(50)}),
        );
        self.ask("marks", &json!({"session": session}));
    }

    /// Searches and lists, with queries made by chance.
    pub fn searches(&mut self, rng: &mut Rng) {
        let sort = *rng.pick(&["newest", "relevance"]);
        let query = query(rng);
        self.ask("search", &json!({
            "query": query, "offset": 0, "limit": 50, "sort": sort, "embeddings": null, "grouped": rng.chance(50),
        }));
        let sort = *rng.pick(&["updated", "size", "cost", "title", "errors", "relevance"]);
        self.ask("sessions", &json!({
            "query": query, "agent": null, "sort": sort, "offset": 0, "limit": 100, "hide_subagents": rng.chance(50),
        }));
    }
}

/// A plan of a strategy at a place, with the kept tail of any size.
fn planned(session: &str, strategy: Option<String>, ids: &[String], rng: &mut Rng) -> Value {
    let set = match rng.below(3) {
        0 => json!({}),
        _ => json!({"keep_recent_tokens": *rng.pick(&[0_u64, 1, 50, 400, 5000])}),
    };
    let is_branch = rng.chance(15) && ids.len() > 2;
    let instructions = rng.chance(30).then(|| nasty(rng, 20));
    json!({
        "session": session, "strategy": strategy, "set": set, "redo": rng.chance(20), "at": if rng.chance(60) { None } else { one(ids, rng) },
        "to": if is_branch { one(ids, rng) } else { None }, "instructions": instructions, "replace_prompt": rng.chance(20),
        "provider": null, "model": null, "brief": rng.chance(30),
    })
}

/// A search, mostly of words that sessions have.
fn query(rng: &mut Rng) -> String {
    match rng.below(4) {
        0 => (*rng.pick(&[
            "error",
            "the",
            "a b c",
            "kind:error",
            "file:src",
            "tool:bash",
            "\"not found\"",
            "after:2025",
            "*",
        ]))
        .to_owned(),
        _ => nasty(rng, 12),
    }
}

fn one<'a>(ids: &'a [String], rng: &mut Rng) -> Option<&'a String> {
    (!ids.is_empty()).then(|| rng.pick(ids))
}

/// The texts of one field of the objects in a list.
fn texts(list: &Value, field: &str) -> Vec<String> {
    let items = list.as_array().into_iter().flatten();
    items
        .filter_map(|item| item[field].as_str())
        .map(str::to_owned)
        .collect()
}
