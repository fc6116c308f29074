//! A program of the user as summarizer: it gets the plan as JSON and prints the summary as JSON.
//!
//! The program runs as one that stands for a provider does: no shell, an environment without keys,
//! ended with all it started when the run is cancelled or its time is up, and the end of its
//! standard error is in the error. Its command comes from the strategy's parameter alone, which
//! only a user sets.

use super::record::PlanRecord;
use crate::workspace::App;
use async_trait::async_trait;
use palimpsest_compaction::Plan;
use palimpsest_compaction::execute::{CallContext, CallObserver, SummarizeError, Summarizer};
use palimpsest_compaction::plan::{Program, Worker};
use palimpsest_core::call::{ModelReply, ModelRequest};
use palimpsest_llm::{Fault, ProviderConfig, ProviderLimits, StreamEvent};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// What stands for a provider in runs that a program answers.
pub(crate) const PROGRAM: &str = "program";

/// The program that answers calls of `plan`.
pub(super) fn program_of(plan: &Plan) -> Option<&Program> {
    plan.calls.iter().find_map(|call| call.program.as_ref())
}

/// Where a plan goes that a program answers, in words.
pub(super) fn destination(program: &Program) -> String {
    match program.command.first() {
        None => "A program of yours is to answer; set its command first.".to_owned(),
        Some(name) => format!(
            "The plan is given to the program {name} on this machine; what it sends elsewhere is \
             its own affair."
        ),
    }
}

/// Gives calls for a program to it, and all others on.
pub(super) struct WithPrograms<'a> {
    app: &'a App,
    others: &'a dyn Summarizer,
    /// What a program gets on its standard input.
    document: String,
}

impl<'a> WithPrograms<'a> {
    /// For the calls of the plan in `record`; `others` answers what no program does.
    pub(super) fn new(
        app: &'a App,
        others: &'a dyn Summarizer,
        record: &PlanRecord,
    ) -> WithPrograms<'a> {
        let document = plan_document(record).to_string();
        WithPrograms {
            app,
            others,
            document,
        }
    }

    fn config(program: &Program) -> ProviderConfig {
        let words: Vec<&str> = program.command.iter().map(String::as_str).collect();
        let limit = Some(program.timeout_seconds);
        ProviderConfig {
            limits: ProviderLimits {
                first_byte_s: limit,
                silence_s: limit,
                timeout_s: limit,
                max_concurrent: None,
                max_retries: Some(0),
            },
            ..ProviderConfig::program(PROGRAM, &words)
        }
    }
}

#[async_trait]
impl Summarizer for WithPrograms<'_> {
    async fn call(
        &self,
        context: &CallContext<'_>,
        observer: &dyn CallObserver,
        cancel: &CancellationToken,
    ) -> std::result::Result<ModelReply, SummarizeError> {
        let program = match (&context.call.program, context.call.worker) {
            (Some(program), Worker::External) => program,
            _ => return self.others.call(context, observer, cancel).await,
        };
        let client = self.app.client(&WithPrograms::config(program));
        let client = client.map_err(|error| SummarizeError::Failed(error.to_string()))?;
        let request = ModelRequest {
            model: String::new(),
            system: String::new(),
            prompt: self.document.clone(),
            max_output_tokens: context.call.max_output_tokens,
        };
        let mut sink = |event: StreamEvent| {
            if let StreamEvent::TextDelta { text } = event {
                observer.text(&text);
            }
        };
        let answer = client.complete(&request, &mut sink, cancel).await;
        answer.map_err(|error| match error.fault {
            Fault::Cancelled => SummarizeError::Cancelled,
            _ => SummarizeError::Failed(error.to_string()),
        })
    }
}

/// The plan as a program gets it: the fields that `palimpsest plan --json` is bound to have, with
/// the same values.
pub fn plan_document(record: &PlanRecord) -> Value {
    let calls: Vec<Value> = record
        .calls
        .iter()
        .map(|call| {
            let conversation = call.prompt.get(call.conversation.0..call.conversation.1);
            json!({
                "purpose": call.purpose,
                "system": call.system,
                "prompt": call.prompt,
                "conversation": conversation.unwrap_or_default(),
                "max_output_tokens": call.max_output_tokens,
                "input_tokens": call.input_tokens,
            })
        })
        .collect();
    json!({
        "kind": record.kind,
        "strategy": record.strategy,
        "params": record.params,
        "at": record.at,
        "tokens_before": record.tokens_before,
        "first_kept_id": record.first_kept_id,
        "turn_start_id": record.turn_start_id,
        "is_split_turn": record.is_split_turn,
        "summarize_ids": record.summarize_ids,
        "turn_prefix_ids": record.turn_prefix_ids,
        "kept_ids": record.kept_ids,
        "previous_summary": record.previous_summary,
        "files": {"read": record.read_files, "modified": record.modified_files},
        "calls": calls,
        "estimated_tokens_after": record.estimated_tokens_after,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;
    use crate::run::{PlanSpec, RunRecord, RunSpec};
    use crate::workspace::{AppEvent, EventSink};
    use palimpsest_formats::Places;
    use palimpsest_store::user::RunStatus;
    use palimpsest_testkit::home::TempHome;
    use palimpsest_testkit::session::{PiSession, Reply};
    use std::sync::{Arc, OnceLock, Weak};

    /// Runs a shell script as the external program of a small session.
    struct Bench {
        app: Arc<App>,
        session: String,
        home: TempHome,
    }

    impl Bench {
        /// With `cancels`, a run is cancelled as soon as its program says anything.
        fn new(cancels: bool) -> Bench {
            let home = TempHome::new();
            let mut session = PiSession::new();
            for turn in 0..4 {
                session.user(&format!("Please fix part {turn}."));
                session.assistant(Reply::new().text(&"Fixed it. ".repeat(40)));
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
            let hearing: Arc<OnceLock<Weak<App>>> = Arc::default();
            let heard = Arc::clone(&hearing);
            let sink: EventSink = Arc::new(move |event| {
                if let AppEvent::RunDelta { stream, .. } = event
                    && let Some(app) = heard.get().and_then(Weak::upgrade)
                {
                    app.cancel(&stream);
                }
            });
            let app = App::start(options, sink).unwrap();
            if cancels {
                hearing.set(Arc::downgrade(&app)).unwrap();
            }
            Bench { app, session, home }
        }

        async fn run(&self, command: Value, seconds: u64) -> RunRecord {
            let set = json!({
                "keep_recent_tokens": 50, "command": command, "timeout_seconds": seconds,
            });
            let spec = RunSpec {
                plan: PlanSpec {
                    session: self.session.clone(),
                    strategy: Some("external".to_owned()),
                    set: set.as_object().unwrap().clone(),
                    ..PlanSpec::default()
                },
                ..RunSpec::default()
            };
            self.app.compact(spec).await.unwrap()
        }

        async fn script(&self, text: &str, seconds: u64) -> RunRecord {
            let path = self.home.add_file("own.sh", text.as_bytes()).unwrap();
            self.run(json!(["/bin/sh", path.to_str().unwrap()]), seconds)
                .await
        }
    }

    fn failed(run: &RunRecord) -> &str {
        assert_eq!(run.row.status, RunStatus::Failed, "{:?}", run.row);
        run.row.error.as_deref().unwrap()
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn the_plan_goes_in_and_the_summary_comes_out() {
        let bench = Bench::new(false);
        let script = "cat > got.json; echo '{\"summary\": \"It is fixed.\", \"mine\": 1}'";
        let run = bench.script(script, 60).await;
        assert_eq!(run.row.status, RunStatus::Done, "{:?}", run.row.error);
        assert_eq!(run.row.summary.as_deref(), Some("It is fixed."));
        assert_eq!(run.row.provider, PROGRAM);
        assert!(run.plan.destination.contains("the program /bin/sh"));
        let got = std::fs::read(bench.home.path().join("got.json")).unwrap();
        let got: Value = serde_json::from_slice(&got).unwrap();
        assert_eq!(got, plan_document(&run.plan));
        assert!(
            got["calls"][0]["conversation"]
                .as_str()
                .unwrap()
                .contains("fix part 0")
        );
        // Replayed, the program is not asked again.
        std::fs::remove_file(bench.home.path().join("got.json")).unwrap();
        let replayed = bench.app.replay(&run.row.id).unwrap();
        assert!(replayed.same && !bench.home.path().join("got.json").exists());
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn what_went_wrong_is_said() {
        let bench = Bench::new(false);
        let run = bench.script("echo 'no model here' >&2; exit 3", 60).await;
        assert!(failed(&run).contains("no model here"), "{}", failed(&run));
        let run = bench.script("echo 'Just words.'", 60).await;
        assert!(
            failed(&run).contains("begins with 'Just words.'"),
            "{}",
            failed(&run)
        );
        assert_eq!(run.row.summary.as_deref(), Some("Just words.\n"));
        let run = bench.run(json!(["/no/such/program"]), 60).await;
        assert!(
            failed(&run).contains("/no/such/program"),
            "{}",
            failed(&run)
        );
        let run = bench.run(json!([]), 60).await;
        assert!(failed(&run).contains("set 'command'"), "{}", failed(&run));
        let run = bench.script("sleep 600", 1).await;
        assert!(run.row.summary.is_none(), "{}", failed(&run));
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_cancelled_program_is_ended() {
        let bench = Bench::new(true);
        let run = bench.script("printf '{'; sleep 600", 900).await;
        assert_eq!(run.row.status, RunStatus::Cancelled);
    }
}
