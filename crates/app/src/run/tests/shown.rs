//! A run carries out the plan that was shown, or says why it does not.

use super::{Bench, object};
use crate::error::AppError;
use crate::run::{PlanChange, PlanSpec, RunSpec};
use palimpsest_compaction::strategies;
use palimpsest_llm::ProviderKind;
use palimpsest_store::user::RunStatus;
use palimpsest_testkit::session::{PiSession, Reply};
use serde_json::json;
use std::fs::{self, OpenOptions};
use std::io::Write as _;

impl Bench {
    /// A plan that needs no server.
    fn offline(&self) -> PlanSpec {
        PlanSpec {
            session: self.session.clone(),
            strategy: Some("pi".to_owned()),
            set: object(json!({ "keep_recent_tokens": 475 })),
            brief: true,
            ..PlanSpec::default()
        }
    }

    /// The hash of the plan, as the window gets it.
    async fn show(&self, spec: &PlanSpec) -> String {
        let planned = self.app.plan_shown(spec).await.unwrap();
        let nothing = || panic!("nothing to do: {:?}", planned.record.reason);
        planned.hash().unwrap_or_else(nothing).to_owned()
    }

    async fn run_shown(
        &self,
        spec: &PlanSpec,
        hash: &str,
    ) -> crate::error::Result<super::RunRecord> {
        let spec = RunSpec {
            plan: spec.clone(),
            plan_hash: Some(hash.to_owned()),
            stream: None,
            stored_as: None,
            above_limit: false,
        };
        self.app.compact(spec).await
    }

    /// Appends what the agent would write next.
    fn grow(&self) {
        let text = fs::read_to_string(&self.session).unwrap();
        let last: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
        let line = json!({
            "type": "message", "id": "feedbeef", "parentId": last["id"],
            "timestamp": "2026-11-20T10:00:00.000Z",
            "message": {"role": "user", "content": [{"type": "text", "text": "And the clock."}]},
        });
        let mut file = OpenOptions::new().append(true).open(&self.session).unwrap();
        writeln!(file, "{line}").unwrap();
    }

    /// Writes other words of the same length into a message.
    fn change(&self, from: &str, to: &str) {
        let text = fs::read_to_string(&self.session).unwrap();
        assert!(text.contains(from) && from.len() == to.len());
        fs::write(&self.session, text.replacen(from, to, 1)).unwrap();
    }
}

fn refusal(result: crate::error::Result<super::RunRecord>) -> PlanChange {
    match result {
        Err(AppError::PlanChanged(change)) => change,
        other => panic!("{:?}", other.map(|run| run.row)),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_plan_that_was_shown_runs_twice_and_is_planned_once() {
    let bench = Bench::new(ProviderKind::OpenAi);
    let spec = bench.offline();
    let shown = bench.app.plan_shown(&spec).await.unwrap();
    let hash = shown.hash().unwrap();
    let mut runs = Vec::new();
    for _ in 0..2 {
        let run = bench.run_shown(&spec, hash).await.unwrap();
        assert_eq!(run.row.status, RunStatus::Done);
        assert_eq!(run.plan.summarize_ids, shown.record.summarize_ids);
        assert!(
            !run.plan.calls[0].prompt.is_empty(),
            "the record has the prompts"
        );
        runs.push(run);
    }
    let call = bench.app.planned_call(&spec, Some(hash), 0).await.unwrap();
    assert_eq!(call.prompt, shown.record.calls[0].prompt);
    assert_eq!(bench.app.shown_plans.made(), 1);
    assert_ne!(runs[0].row.id, runs[1].row.id);
    assert!(
        runs.iter()
            .all(|run| bench.app.replay(&run.row.id).unwrap().same)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn lines_appended_later_do_not_count() {
    let bench = Bench::new(ProviderKind::OpenAi);
    let spec = bench.offline();
    let shown = bench.app.plan_shown(&spec).await.unwrap();
    let hash = shown.hash().unwrap().to_owned();
    bench.grow();
    let run = bench.run_shown(&spec, &hash).await.unwrap();
    assert_eq!(run.plan.kept_ids, shown.record.kept_ids);
    // The same when the plan had to make room and is made again.
    bench.app.shown_plans.make_room();
    let run = bench.run_shown(&spec, &hash).await.unwrap();
    assert_eq!(run.plan.kept_ids, shown.record.kept_ids);
    assert_ne!(bench.show(&spec).await, hash, "a plan made now counts them");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_entry_is_named_and_nothing_runs() {
    for makes_room in [false, true] {
        let bench = Bench::new(ProviderKind::OpenAi);
        let spec = bench.offline();
        let shown = bench.app.plan_shown(&spec).await.unwrap();
        let hash = shown.hash().unwrap().to_owned();
        bench.change("src/part1.rs", "src/partX.rs");
        if makes_room {
            bench.app.shown_plans.make_room();
        }
        let changed = refusal(bench.run_shown(&spec, &hash).await);
        let id = shown.record.summarize_ids[2].clone();
        let path = bench.session.clone();
        assert_eq!(changed, PlanChange::Entry { id, path });
        assert!(bench.app.runs(None).unwrap().is_empty());
        let again = bench.show(&spec).await;
        assert_ne!(again, hash);
        bench.run_shown(&spec, &again).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_entry_that_is_gone_is_named() {
    let bench = Bench::new(ProviderKind::OpenAi);
    let spec = bench.offline();
    let shown = bench.app.plan_shown(&spec).await.unwrap();
    let id = shown.record.summarize_ids[0].clone();
    bench.change(&format!("\"id\":\"{id}\""), "\"id\":\"00000000\"");
    let changed = refusal(bench.run_shown(&spec, shown.hash().unwrap()).await);
    let path = bench.session.clone();
    assert_eq!(changed, PlanChange::Gone { id, path });
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hash_of_another_request_or_of_no_plan_is_refused() {
    let bench = Bench::new(ProviderKind::OpenAi);
    let spec = bench.offline();
    let hash = bench.show(&spec).await;
    let other = PlanSpec {
        set: object(json!({ "keep_recent_tokens": 900 })),
        ..spec.clone()
    };
    assert_eq!(
        refusal(bench.run_shown(&other, &hash).await),
        PlanChange::Other
    );
    assert_eq!(
        refusal(bench.run_shown(&spec, "0123").await),
        PlanChange::Other
    );
    assert!(bench.app.runs(None).unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plan_that_only_counts_has_the_hash_of_the_whole_one() {
    let bench = Bench::new(ProviderKind::OpenAi);
    let mut session = PiSession::new();
    for turn in 0..12 {
        session.user(&format!("Please look at src/part{turn}.rs and fix it."));
        session.assistant(Reply::new().text(&"I looked and fixed it. ".repeat(9_000)));
    }
    let session = bench.home.add_pi_session(&session).unwrap();
    let mut compared = 0;
    for strategy in strategies() {
        let spec = PlanSpec {
            session: session.display().to_string(),
            strategy: Some(strategy.name.to_owned()),
            instructions: Some("Build the clock.".to_owned()),
            brief: true,
            ..PlanSpec::default()
        };
        let Ok(brief) = bench.app.plan_shown(&spec).await else {
            continue;
        };
        let whole = PlanSpec {
            brief: false,
            ..spec.clone()
        };
        let whole = bench.app.plan(&whole).unwrap();
        assert_eq!(brief.hash(), whole.hash(), "{}", strategy.name);
        compared += usize::from(!brief.is_whole && brief.hash().is_some());
        if strategy.name == "pi" {
            let run = bench.run_shown(&spec, brief.hash().unwrap()).await.unwrap();
            assert_eq!(run.row.status, RunStatus::Done);
            assert!(!run.plan.calls[0].prompt.is_empty());
        }
    }
    assert!(compared > 10, "{compared} plans that only count");
}
