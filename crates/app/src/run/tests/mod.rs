//! Runs down to the row that is kept: on the scripted server, on programs, offline; replayed and
//! cancelled.

mod blocks;
mod branches;
mod comparing;
mod keys;
mod lab;
mod limits;
mod presets;
#[cfg(unix)]
mod programs;
mod providers;
mod shown;
mod sizes;
mod sources;
mod workbench;

use super::{PlanSpec, RunRecord, RunSpec};
use crate::options::Options;
use crate::workspace::{App, AppEvent, EventSink};
use palimpsest_formats::Places;
use palimpsest_llm::{ProviderConfig, ProviderKind, ProviderLimits};
use palimpsest_testkit::home::TempHome;
use palimpsest_testkit::llm_server::LlmServer;
use palimpsest_testkit::session::{PiSession, Reply};
use serde_json::{Map, Value, json};
use std::sync::{Arc, Mutex, OnceLock, Weak};

/// Whoever says this is cancelled as soon as it is heard.
const CAME: &str = "what came ";

/// A program that listens to itself, one session, and one provider called `mine`.
struct Bench {
    app: Arc<App>,
    session: String,
    server: LlmServer,
    home: TempHome,
    /// The waits between tries, in milliseconds.
    tries: Arc<Mutex<Vec<u64>>>,
}

impl Bench {
    /// With a provider of this kind on the scripted server; a program is named afterwards.
    fn new(kind: ProviderKind) -> Bench {
        Bench::with(kind, |_| {})
    }

    /// The same with other options.
    fn with(kind: ProviderKind, change: impl FnOnce(&mut Options)) -> Bench {
        let home = TempHome::new();
        let mut session = PiSession::new();
        for turn in 0..12 {
            session.user(&format!("Please look at src/part{turn}.rs and fix it."));
            session.assistant(Reply::new().text(&"I looked and fixed it. ".repeat(40)));
        }
        let session = home.add_pi_session(&session).unwrap().display().to_string();
        let mut options = Options {
            data_dir: home.path().join("data"),
            places: Places {
                home: home.path().to_owned(),
                env: std::env::vars()
                    .filter(|(name, _)| name == "PATH")
                    .collect(),
            },
            samples_only: false,
            programs_in: None,
            only_known_programs: false,
        };
        change(&mut options);
        let tries: Arc<Mutex<Vec<u64>>> = Arc::default();
        let hearing: Arc<OnceLock<Weak<App>>> = Arc::default();
        let sink: EventSink = {
            let (tries, hearing) = (Arc::clone(&tries), Arc::clone(&hearing));
            Arc::new(move |event| match event {
                AppEvent::RunRetry { wait_ms, .. } => tries.lock().unwrap().push(wait_ms),
                AppEvent::RunDelta { stream, text, .. } if text.contains(CAME) => {
                    if let Some(app) = hearing.get().and_then(Weak::upgrade) {
                        app.cancel(&stream);
                    }
                }
                _ => {}
            })
        };
        let app = App::start(options, sink).unwrap();
        hearing.set(Arc::downgrade(&app)).unwrap();
        let bench = Bench {
            app,
            session,
            server: LlmServer::start().unwrap(),
            home,
            tries,
        };
        if kind != ProviderKind::Command {
            bench.set_up(kind, ProviderLimits::default());
        }
        bench
    }

    fn set_up(&self, kind: ProviderKind, limits: ProviderLimits) {
        let config = ProviderConfig {
            models: vec!["scripted-ok".to_owned()],
            limits,
            ..ProviderConfig::at("mine", kind, &self.server.url())
        };
        let key_env = config.key_env.clone();
        let config = ProviderConfig {
            // Who only holds a token binds no variable to an address.
            key_env: key_env.filter(|_| !self.app.options().only_known_programs),
            ..config
        };
        self.app.save_provider(config).unwrap();
    }

    /// Makes `mine` a script run by `/bin/sh`.
    fn program(&self, text: &str, limits: ProviderLimits) {
        let command = self.script(text);
        let words: Vec<&str> = command.iter().map(String::as_str).collect();
        let config = ProviderConfig {
            limits,
            ..ProviderConfig::program("mine", &words)
        };
        self.app.save_provider(config).unwrap();
    }

    /// The command that runs a script.
    fn script(&self, text: &str) -> [String; 2] {
        let path = self.home.add_file("reply.sh", text.as_bytes()).unwrap();
        ["/bin/sh".to_owned(), path.display().to_string()]
    }

    /// A run of `strategy` on `mine`; with `pi` the last two turns stay whole.
    fn spec(&self, strategy: &str) -> RunSpec {
        let set = match strategy {
            "pi" => json!({ "keep_recent_tokens": 475 }),
            _ => json!({}),
        };
        RunSpec {
            plan: PlanSpec {
                session: self.session.clone(),
                strategy: Some(strategy.to_owned()),
                instructions: (strategy == "amp-handoff").then(|| "Build the clock.".to_owned()),
                set: object(set),
                provider: Some("mine".to_owned()),
                ..PlanSpec::default()
            },
            plan_hash: None,
            stream: Some("here".to_owned()),
            above_limit: false,
            stored_as: None,
        }
    }

    async fn run(&self, strategy: &str) -> RunRecord {
        self.app.compact(self.spec(strategy)).await.unwrap()
    }

    /// The only row there is, read back from the database.
    fn only_row(&self) -> RunRecord {
        let mut runs = self.app.runs(None).unwrap();
        assert_eq!(runs.len(), 1, "one run, one row");
        runs.remove(0)
    }

    /// Deletes the rows there are.
    fn forget(&self) {
        for run in self.app.runs(None).unwrap() {
            self.app.delete_run(&run.row.id).unwrap();
        }
    }
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        other => panic!("{other} is no object"),
    }
}
