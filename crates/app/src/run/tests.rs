//! Runs on the scripted server, for every kind of provider, down to the row that is kept.

use super::{PlanSpec, RunRecord, RunSpec};
use crate::options::Options;
use crate::workspace::{App, AppEvent, EventSink};
use palimpsest_formats::Places;
use palimpsest_llm::{ProviderConfig, ProviderKind, ProviderLimits};
use palimpsest_store::user::RunStatus;
use palimpsest_testkit::home::TempHome;
use palimpsest_testkit::llm_server::{Ending, LlmServer, Reply as Scripted, Stop, TextReply};
use palimpsest_testkit::session::{PiSession, Reply};
use serde_json::json;
use std::sync::{Arc, Mutex, OnceLock, Weak};

/// A program that listens to itself, one session, and one provider called `mine`.
struct Bench {
    app: Arc<App>,
    session: String,
    server: LlmServer,
    home: TempHome,
    tries: Arc<Mutex<Vec<u64>>>,
    hearing: Arc<OnceLock<Weak<App>>>,
}

impl Bench {
    fn new(kind: ProviderKind) -> Bench {
        let home = TempHome::new();
        let mut session = PiSession::new();
        for turn in 0..12 {
            session.user(&format!("Please look at src/part{turn}.rs and fix it."));
            session.assistant(Reply::new().text(&"I looked and fixed it. ".repeat(40)));
        }
        let session = home.add_pi_session(&session).unwrap().display().to_string();
        let options = Options {
            data_dir: home.path().join("data"),
            places: Places {
                home: home.path().to_owned(),
                env: std::env::vars()
                    .filter(|(name, _)| name == "PATH")
                    .collect(),
            },
            samples_only: false,
            programs_in: None,
        };
        let tries: Arc<Mutex<Vec<u64>>> = Arc::default();
        let hearing: Arc<OnceLock<Weak<App>>> = Arc::default();
        let sink: EventSink = {
            let (tries, hearing) = (Arc::clone(&tries), Arc::clone(&hearing));
            Arc::new(move |event| match event {
                AppEvent::RunRetry { wait_ms, .. } => tries.lock().unwrap().push(wait_ms),
                // Whoever asked to hear of text wants the run to end there.
                AppEvent::RunDelta { stream, .. } => {
                    if let Some(app) = hearing.get().and_then(Weak::upgrade) {
                        app.cancel(&stream);
                    }
                }
                _ => {}
            })
        };
        let app = App::start(options, sink).unwrap();
        let bench = Bench {
            app,
            session,
            server: LlmServer::start().unwrap(),
            home,
            tries,
            hearing,
        };
        bench.set_up(kind, ProviderLimits::default());
        bench
    }

    fn set_up(&self, kind: ProviderKind, limits: ProviderLimits) {
        let config = ProviderConfig {
            models: vec!["scripted-ok".to_owned()],
            limits,
            ..ProviderConfig::at("mine", kind, &self.server.url())
        };
        self.app.save_provider(config).unwrap();
    }

    /// Makes `mine` a script run by `/bin/sh`.
    fn program(&self, text: &str) {
        let path = self.home.add_file("reply.sh", text.as_bytes()).unwrap();
        let words = ["/bin/sh", path.to_str().unwrap()];
        self.app
            .save_provider(ProviderConfig::program("mine", &words))
            .unwrap();
    }

    fn spec(&self, strategy: &str) -> RunSpec {
        let set = json!({ "keep_recent_tokens": 500 });
        RunSpec {
            plan: PlanSpec {
                session: self.session.clone(),
                strategy: Some(strategy.to_owned()),
                set: match strategy {
                    "pi" => set.as_object().unwrap().clone(),
                    _ => Default::default(),
                },
                provider: Some("mine".to_owned()),
                ..PlanSpec::default()
            },
            stream: Some("here".to_owned()),
            ..RunSpec::default()
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
}

const HTTP: [ProviderKind; 4] = [
    ProviderKind::OpenAi,
    ProviderKind::Responses,
    ProviderKind::Anthropic,
    ProviderKind::Gemini,
];

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_kept_and_replayed_byte_for_byte() {
    for kind in HTTP {
        let bench = Bench::new(kind);
        let chunks = ["## Goal\n", "caf\u{e9} ", "done  \n"];
        for _ in 0..2 {
            bench.server.push(TextReply::new(&chunks).split_bytes(3));
        }
        let run = bench.run("pi").await;
        assert_eq!(
            run.row.status,
            RunStatus::Done,
            "{kind:?} {:?}",
            run.row.error
        );
        assert_eq!(run, bench.only_row());
        assert!(run.row.usage.output > 0 && run.row.usage.cost_usd.is_none());
        let replayed = bench.app.replay(&run.row.id).unwrap();
        assert!(replayed.same, "{kind:?}: {replayed:?}");
        assert_eq!(Some(replayed.summary), run.row.summary);
        assert_eq!(replayed.same_prompts, Some(true), "{kind:?}");
        assert!(!replayed.adapted);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn overflow_recovers_as_the_preset_says_and_is_replayed() {
    for kind in HTTP {
        let bench = Bench::new(kind);
        for _ in 0..2 {
            bench
                .server
                .push(Scripted::error(400, "context_length_exceeded", "Too long."));
        }
        bench.server.push(TextReply::new(&["## Goal\nsmaller"]));
        let run = bench.run("codex").await;
        assert_eq!(
            run.row.status,
            RunStatus::Done,
            "{kind:?} {:?}",
            run.row.error
        );
        let sent = bench.server.requests();
        assert_eq!(sent.len(), 3, "{kind:?}");
        assert!(sent[2].prompt().len() < sent[0].prompt().len());
        let kept = bench.only_row();
        let adapted = kept.details.adapted.as_ref().unwrap();
        assert!(
            sent[2].prompt().contains(&adapted[0].prompt),
            "the calls are kept as they were made"
        );
        let replayed = bench.app.replay(&kept.row.id).unwrap();
        assert!(replayed.same && replayed.adapted, "{kind:?}: {replayed:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_run_leaves_one_whole_row_with_what_came() {
    for kind in HTTP {
        let bench = Bench::new(kind);
        bench.hearing.set(Arc::downgrade(&bench.app)).unwrap();
        bench
            .server
            .push(TextReply::new(&["what came "]).ending(Ending::Stalled));
        let run = bench.run("pi").await;
        assert_eq!(run.row.status, RunStatus::Cancelled, "{kind:?}");
        let kept = bench.only_row();
        assert_eq!(run, kept);
        assert_eq!(kept.row.summary.as_deref(), Some("what came "));
        assert!(kept.row.finished_at_ms.is_some() && kept.details.recipe.is_none());
        let error = bench.app.replay(&kept.row.id).unwrap_err().to_string();
        assert!(error.contains("only finished runs"), "{error}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_summary_fails_and_is_kept_as_failed() {
    let cases: [(Scripted, &str); 4] = [
        (
            TextReply::new(&["half"]).stop(Stop::Length).into(),
            "incomplete",
        ),
        (TextReply::new(&[]).into(), "no text"),
        (TextReply::new(&[]).stop(Stop::Refusal).into(), "refused"),
        (
            TextReply::new(&["x"]).stop(Stop::ToolCall).into(),
            "call a tool",
        ),
    ];
    for kind in HTTP {
        for (reply, word) in &cases {
            let bench = Bench::new(kind);
            bench.server.push(reply.clone());
            bench.server.push(reply.clone());
            let run = bench.run("pi").await;
            assert_eq!(run.row.status, RunStatus::Failed, "{kind:?} {word}");
            let error = bench.only_row().row.error.unwrap();
            assert!(error.contains(word), "{kind:?}: {error}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn silence_and_retries_follow_the_providers_own_limits() {
    for kind in HTTP {
        let bench = Bench::new(kind);
        let limits = ProviderLimits {
            first_byte_s: Some(1),
            silence_s: Some(1),
            max_retries: Some(0),
            ..ProviderLimits::default()
        };
        bench.set_up(kind, limits);
        bench
            .server
            .push(TextReply::new(&["kept"]).ending(Ending::Stalled));
        let run = bench.run("pi").await;
        let error = run.row.error.unwrap();
        assert!(error.contains("sent nothing for 1 s"), "{kind:?}: {error}");
        assert_eq!(run.row.summary.as_deref(), Some("kept"));
        bench.server.push(Scripted::rate_limited("0"));
        let run = bench.run("pi").await;
        assert!(run.row.error.unwrap().contains("too many requests"));
        assert!(
            bench.tries.lock().unwrap().is_empty(),
            "no retries were asked for"
        );
    }
}

#[test]
fn all_runs_share_the_places_of_a_provider() {
    let bench = Bench::new(ProviderKind::OpenAi);
    let gate = |most| {
        let limits = ProviderLimits {
            max_concurrent: most,
            ..ProviderLimits::default()
        };
        bench.set_up(ProviderKind::OpenAi, limits);
        let config = bench.app.provider("mine").unwrap().config;
        bench.app.gate(&config)
    };
    assert!(gate(None).is_none());
    let (one, same, two) = (gate(Some(1)), gate(Some(1)), gate(Some(2)));
    assert!(Arc::ptr_eq(&one.unwrap(), &same.unwrap()));
    assert_eq!(two.unwrap().available_permits(), 2);
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_program_summarizes_fails_overflows_and_is_cancelled() {
    let bench = Bench::new(ProviderKind::OpenAi);
    bench.program("cat > /dev/null; printf '## Goal\\n'; printf done");
    let run = bench.run("pi").await;
    assert_eq!(run.row.status, RunStatus::Done, "{:?}", run.row.error);
    assert_eq!(
        run.row.usage.cost_usd, None,
        "what a program costs is not known"
    );
    assert_eq!(run.plan.estimated_cost_usd, None);
    assert!(bench.app.replay(&run.row.id).unwrap().same);
    bench.app.delete_run(&run.row.id).unwrap();

    bench.program("echo 'prompt is too long' >&2; exit 1");
    let error = bench.run("pi").await.row.error.unwrap();
    assert!(error.contains("does not fit"), "{error}");

    // Fails until the oldest messages are gone, as Codex recovers.
    bench.program("size=$(wc -c); [ $size -lt 9000 ] || { echo 'prompt is too long' >&2; exit 1; }; printf ok");
    let run = bench.run("codex").await;
    assert_eq!(run.row.status, RunStatus::Done, "{:?}", run.row.error);
    assert!(bench.app.replay(&run.row.id).unwrap().adapted);

    for (script, word) in [("exit 0", "no text"), ("echo why >&2; exit 4", "why")] {
        bench.program(script);
        let run = bench.run("pi").await;
        let error = run.row.error.unwrap();
        assert!(
            run.row.status == RunStatus::Failed && error.contains(word),
            "{error}"
        );
    }

    for run in bench.app.runs(None).unwrap() {
        bench.app.delete_run(&run.row.id).unwrap();
    }
    bench.hearing.set(Arc::downgrade(&bench.app)).unwrap();
    bench.program("printf 'what came '; sleep 600");
    let run = bench.run("pi").await;
    assert_eq!(run.row.status, RunStatus::Cancelled);
    assert_eq!(bench.only_row().row.summary.as_deref(), Some("what came "));
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_on_this_machine_are_found_when_asked_for() {
    let bench = Bench::new(ProviderKind::OpenAi);
    let found = bench.app.local_servers().await.unwrap();
    let mine = found.iter().find(|server| server.name == "mine").unwrap();
    assert!(mine.models.contains(&"scripted-429".to_owned()));
    assert_eq!(mine.base_url, bench.server.url());
}

#[test]
fn prices_and_models_of_the_new_kinds_are_known() {
    let bench = Bench::new(ProviderKind::OpenAi);
    let known = |name: &str| bench.app.provider(name).unwrap().config;
    for (name, catalog) in [("gemini", "google"), ("openai-responses", "openai")] {
        let config = known(name);
        let model = config.models.first().unwrap();
        let listed = bench.app.catalog().find(Some(catalog), model).unwrap();
        assert_eq!(listed.provider, catalog);
        assert!(listed.prices.is_some(), "{name} {model}");
        assert_eq!(bench.app.prices(&config, model), listed.prices);
    }
    let program = ProviderConfig::program("mine", &["summarize"]);
    assert_eq!(bench.app.prices(&program, "gpt-5"), None);
}
