//! Programs: as provider, and as the one that answers the strategy `external`.

use super::{Bench, CAME, object};
use crate::error::AppError;
use crate::run::program::PROGRAM;
use crate::run::{RunRecord, plan_document};
use palimpsest_core::{Failure as _, NextStep};
use palimpsest_llm::{ProviderConfig, ProviderKind, ProviderLimits};
use palimpsest_store::user::RunStatus;
use serde_json::{Value, json};

impl Bench {
    async fn provided(&self, script: &str, strategy: &str) -> RunRecord {
        self.program(script, ProviderLimits::default());
        self.run(strategy).await
    }

    /// A run of `external` by this command.
    async fn external(&self, command: Value, seconds: u64) -> RunRecord {
        let mut spec = self.spec("external");
        spec.plan.provider = None;
        spec.plan.set = object(json!({
            "keep_recent_tokens": 475, "command": command, "timeout_seconds": seconds,
        }));
        self.app.compact(spec).await.unwrap()
    }

    async fn own(&self, script: &str) -> RunRecord {
        let command = self.script(script);
        self.external(json!(command), 60).await
    }
}

/// Why a run failed and what to do next, as a user reads both.
fn failed(run: &RunRecord) -> String {
    assert_eq!(run.row.status, RunStatus::Failed, "{:?}", run.row);
    let error = run.row.error.as_deref().unwrap();
    match &run.details.next {
        Some(next) => format!("{error}: {next}"),
        None => error.to_owned(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_is_a_provider() {
    let bench = Bench::new(ProviderKind::OpenAi);
    let usage = r#"{"palimpsest":{"usage":{"input":50,"output":3}}}"#;
    let script = format!("cat > /dev/null; printf '## Goal\\n'; printf done; echo '{usage}' >&2");
    let run = bench.provided(&script, "pi").await;
    assert_eq!(run.row.status, RunStatus::Done, "{:?}", run.row.error);
    assert_eq!((run.row.usage.input, run.row.usage.output), (50, 3));
    assert_eq!(
        run.row.usage.cost_usd, None,
        "what a program costs is not known"
    );
    assert_eq!(run.plan.estimated_cost_usd, None);
    assert!(bench.app.replay(&run.row.id).unwrap().same);

    // Fails until the oldest messages are gone, as Codex recovers.
    let run = bench
        .provided(
            "size=$(wc -c); [ $size -lt 9000 ] || { echo 'prompt is too long' >&2; exit 1; }; printf ok",
            "codex",
        )
        .await;
    assert_eq!(run.row.status, RunStatus::Done, "{:?}", run.row.error);
    assert!(bench.app.replay(&run.row.id).unwrap().adapted);

    let run = bench.provided("echo why >&2; exit 4", "pi").await;
    assert!(failed(&run).contains("why"), "{}", failed(&run));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_plan_goes_in_and_the_summary_comes_out() {
    let bench = Bench::new(ProviderKind::OpenAi);
    let script = "cat > got.json; echo '{\"summary\": \"It is fixed.\", \"mine\": 1}'";
    let run = bench.own(script).await;
    assert_eq!(run.row.status, RunStatus::Done, "{:?}", run.row.error);
    assert_eq!(run.row.summary.as_deref(), Some("It is fixed."));
    assert_eq!(run.row.provider, PROGRAM);
    assert!(run.plan.destination.contains("The program /bin/sh"));
    let got = bench.home.path().join("got.json");
    let document: Value = serde_json::from_slice(&std::fs::read(&got).unwrap()).unwrap();
    assert_eq!(document, plan_document(&run.plan));
    let conversation = document["calls"][0]["conversation"].as_str().unwrap();
    assert!(conversation.contains("src/part0.rs"));
    // Replayed, the program is not asked again.
    std::fs::remove_file(&got).unwrap();
    let replayed = bench.app.replay(&run.row.id).unwrap();
    assert!(replayed.same && !got.exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_went_wrong_with_a_program_is_said() {
    let bench = Bench::new(ProviderKind::OpenAi);
    let stating = |what: &str| format!("printf half; echo '{{\"palimpsest\":{what}}}' >&2");
    let cases = [
        (
            "echo 'no model here' >&2; exit 3".to_owned(),
            "no model here",
        ),
        ("echo 'Just words.'".to_owned(), "begins with 'Just words.'"),
        ("exit 0".to_owned(), "begins with ''"),
        (stating(r#"{"stop":"refusal"}"#), "refused"),
        (stating(r#"{"stop":"length"}"#), "incomplete"),
        (
            stating(r#"{"error":{"kind":"overflow","message":"of 8"}}"#),
            "does not fit",
        ),
        (
            stating(r#"{"error":{"kind":"rate_limited","retry_after_s":7}}"#),
            "Try again in 7 s.",
        ),
        (
            stating(r#"{"error":{"kind":"busy"}}"#),
            "unknown variant `busy`",
        ),
    ];
    for (script, word) in cases {
        let run = bench.own(&script).await;
        assert!(failed(&run).contains(word), "{script}: {}", failed(&run));
        assert_eq!(run, bench.only_row());
        if script.contains("half") {
            assert_eq!(run.row.summary.as_deref(), Some("half"), "{script}");
        }
        bench.forget();
    }
    let run = bench.external(json!(["/no/such/program"]), 60).await;
    assert!(
        failed(&run).contains("/no/such/program"),
        "{}",
        failed(&run)
    );
    let run = bench.external(json!([]), 60).await;
    assert!(
        failed(&run).contains("its command is not set"),
        "{}",
        failed(&run)
    );
    let run = bench.external(json!(bench.script("sleep 600")), 1).await;
    assert!(run.row.summary.is_none(), "{}", failed(&run));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_program_is_ended_and_leaves_what_it_said() {
    let bench = Bench::new(ProviderKind::OpenAi);
    let script = format!("printf '{CAME}'; sleep 600");
    for run in [
        bench.provided(&script, "pi").await,
        bench.own(&script).await,
    ] {
        assert_eq!(run.row.status, RunStatus::Cancelled);
        assert_eq!(run.row.summary.as_deref(), Some(CAME));
        assert_eq!(run, bench.app.run_named(&run.row.id).unwrap());
    }
    assert_eq!(bench.app.runs(None).unwrap().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_only_holds_a_token_starts_no_program_that_is_not_set_up() {
    let bench = Bench::with(ProviderKind::OpenAi, |options| {
        options.only_known_programs = true;
    });
    let refused = |result: Result<(), AppError>| {
        let error = result.unwrap_err();
        assert!(matches!(error, AppError::ProgramNotSetUp { .. }), "{error}");
        assert!(
            matches!(error.next(), Some(NextStep::SetUpProgram { .. })),
            "{error}"
        );
    };
    let command = bench.script("cat > /dev/null; touch ran; echo '{\"summary\": \"By it.\"}'");
    let set = object(json!({ "keep_recent_tokens": 475, "command": command }));
    let mut spec = bench.spec("external");
    spec.plan.provider = None;
    spec.plan.set = set.clone();
    refused(bench.app.compact(spec.clone()).await.map(drop));
    let saved = bench.app.save_preset("mine", "", "external", &set, false);
    refused(saved.map(drop));
    let words = command.each_ref().map(String::as_str);
    let provider = ProviderConfig::program("mine", &words);
    refused(bench.app.save_provider(provider.clone()));
    assert!(!bench.home.path().join("ran").exists());
    assert!(bench.app.runs(None).unwrap().is_empty());

    // Somebody at the machine sets it up in a file: then it may be started, but not with other
    // arguments, and what is changed about it may be saved.
    let own = json!({
        "name": "mine", "extends": "external", "description": "", "source": "",
        "summarize": { "method": { "command": command } },
    });
    let folder = bench.app.presets_dir();
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("mine.json"), own.to_string()).unwrap();
    let run = bench.app.compact(spec.clone()).await.unwrap();
    assert_eq!(run.row.summary.as_deref(), Some("By it."));
    spec.plan.strategy = Some("mine".to_owned());
    spec.plan.set = object(json!({ "keep_recent_tokens": 475, "command": [command[0], "other"] }));
    refused(bench.app.compact(spec).await.map(drop));
    bench.app.save_provider(provider).unwrap();
}
