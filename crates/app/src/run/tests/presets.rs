//! Every preset: run, kept, replayed to the byte; cancelled in the middle.

use super::{Bench, CAME, object};
use crate::error::AppError;
use crate::run::{Needs, PlanKind, PlanSpec, RunRecord, Worker};
use crate::samples::SAMPLES;
use palimpsest_compaction::Preset;
use palimpsest_compaction::summarize::Method;
use palimpsest_core::failure::{Failure as _, Input, NextStep};
use palimpsest_llm::ProviderKind;
use palimpsest_store::user::RunStatus;
use palimpsest_testkit::llm_server::{
    Ending, Reply as Scripted, SeenRequest, TextReply, summary_of,
};
use serde_json::{Map, Value, json};

/// A bench whose session is the sample with tools, files and turns.
fn bench() -> Bench {
    let mut bench = Bench::new(ProviderKind::OpenAi);
    bench.session = sample(&bench, "01-coding-task.jsonl");
    bench
}

pub(super) fn sample(bench: &Bench, name: &str) -> String {
    let (_, text) = SAMPLES.iter().find(|(known, _)| *known == name).unwrap();
    let path = bench.home.add_file(name, text.as_bytes()).unwrap();
    path.display().to_string()
}

/// What makes a preset act that does nothing in so small a context by itself.
fn settings(bench: &Bench, preset: &str) -> Map<String, Value> {
    object(match preset {
        "factory-droid" | "factory-droid-scratchpad" => {
            json!({ "fill_tokens": 0, "drain_tokens": 10_000 })
        }
        "claude-code-micro" => json!({ "until_tokens": 0, "minimum_gain_tokens": 0 }),
        "anthropic-context-editing" | "langchain-clear-tool-uses" => {
            json!({ "trigger_input_tokens": 0 })
        }
        "opencode-prune" => json!({ "protect_tokens": 2_000, "more_than_tokens": 0 }),
        "gemini-cli-truncate" => json!({ "protect_tokens": 2_000 }),
        "gemini-cli-masking" => json!({ "protect_tokens": 2_000, "minimum_gain_tokens": 0 }),
        // One by one: of dozens at once some would be answered in part when the run is cancelled.
        "goose-tool-pairs" => {
            json!({ "keep_tool_uses": 3, "spare_turn": false, "max_concurrent": 1 })
        }
        "openhands-browser-masking" => json!({ "only_tools": ["read"] }),
        "external" => {
            let script = "cat > /dev/null; echo '{\"summary\": \"By a program.\"}'";
            json!({ "command": bench.script(script) })
        }
        _ => json!({}),
    })
}

/// What a model answers, in the form that the prompt asks for.
fn answer(request: &SeenRequest) -> String {
    let prompt = request.prompt();
    if prompt.contains("fields of one JSON object") {
        let fields = prompt.lines().filter_map(|line| {
            let (name, _) = line
                .strip_prefix("- ")?
                .split_once(": what ")
                .or_else(|| line.strip_prefix("- ")?.split_once(": "))?;
            Some((name.to_owned(), json!(format!("About {name}."))))
        });
        return Value::Object(fields.collect()).to_string();
    }
    if let Some((_, rest)) = prompt.split_once("<message id=\"") {
        let id: String = rest.chars().take_while(char::is_ascii_digit).collect();
        return format!("{{\"ids\": [{id}]}}");
    }
    if prompt.contains("Cite only ids from above") {
        let record = prompt.lines().find_map(|line| line.strip_prefix('['));
        let id = record
            .and_then(|line| line.split_once(']'))
            .map(|(id, _)| id);
        return format!("1. Something was done [{}]", id.unwrap_or_default());
    }
    summary_of(request)
}

/// The run is done, kept as it is, and replayed to the same bytes from the same prompts.
fn is_replayed(bench: &Bench, run: &RunRecord) {
    let name = format!("{} by {}", run.row.strategy, run.row.provider);
    assert_eq!(
        run.row.status,
        RunStatus::Done,
        "{name}: {:?}",
        run.row.error
    );
    let kept = bench.only_row();
    assert_eq!(*run, kept, "{name}");
    let replayed = bench.app.replay(&kept.row.id).unwrap();
    assert!(replayed.same, "{name} differs at {:?}", replayed.differs_at);
    assert_eq!(Some(replayed.summary), kept.row.summary, "{name}");
    assert_eq!(replayed.same_prompts, Some(true), "{name}");
    bench.forget();
}

#[test]
fn a_handoff_without_a_goal_is_refused_by_the_name_of_what_is_missing() {
    let bench = bench();
    let mut spec = bench.spec("amp-handoff").plan;
    assert!(bench.app.plan(&spec).is_ok());
    spec.instructions = Some("  ".to_owned());
    let refused = bench.app.plan(&spec).err().unwrap();
    assert!(
        matches!(&refused, AppError::Param { name, .. } if name == "instructions"),
        "{refused:?}"
    );
    let next = NextStep::Give {
        what: Input::Instructions,
    };
    assert_eq!(refused.next(), Some(next));
}

#[tokio::test(flavor = "multi_thread")]
async fn each_is_replayed_byte_for_byte() {
    let bench = bench();
    bench.server.answer_with(answer);
    let mut asked = 0;
    for preset in Preset::built_in() {
        let mut spec = bench.spec(&preset.name);
        spec.plan.set = settings(&bench, &preset.name);
        if matches!(preset.needs, Needs::Nothing | Needs::Program) {
            spec.plan.provider = None;
        } else {
            asked += 1;
        }
        let run = bench.app.compact(spec).await.unwrap();
        is_replayed(&bench, &run);
    }
    let requests = bench.server.requests().len();
    assert!(asked > 0 && requests >= asked, "{requests} requests");
}

#[tokio::test(flavor = "multi_thread")]
async fn each_is_replayed_offline_for_a_branch() {
    let mut bench = bench();
    bench.session = sample(&bench, "03-three-branches.jsonl");
    let open = bench.app.open(&bench.session).unwrap();
    let leaves = open.tree.leaves();
    let active = open.session.active_leaf;
    let to = leaves.iter().find(|leaf| Some(**leaf) != active).unwrap();
    let to = open.session.entry(*to).id.to_string();
    for preset in Preset::built_in().filter(|preset| preset.needs != Needs::Model) {
        let mut spec = bench.spec(&preset.name);
        // What makes others act on a context is no parameter of theirs on a branch.
        spec.plan.set = match preset.needs {
            Needs::Program => settings(&bench, &preset.name),
            _ => Map::new(),
        };
        spec.plan.to = Some(to.clone());
        spec.plan.provider = None;
        if matches!(preset.summarize.method, Method::Fixed(_)) {
            let refused = bench.app.compact(spec).await.unwrap_err().to_string();
            assert!(refused.contains("writes no summary"), "{refused}");
            continue;
        }
        let run = bench.app.compact(spec).await.unwrap();
        is_replayed(&bench, &run);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_that_needs_a_model_is_neither_planned_nor_run_offline() {
    let bench = bench();
    let only: Vec<&Preset> = Preset::built_in()
        .filter(|preset| preset.needs == Needs::Model)
        .collect();
    assert!(!only.is_empty());
    for preset in only {
        let mut spec = bench.spec(&preset.name);
        spec.plan.set = settings(&bench, &preset.name);
        assert!(
            bench.app.plan_shown(&spec.plan).await.is_ok(),
            "{}",
            preset.name
        );
        spec.plan.provider = None;
        let refused = |error: &AppError| matches!(error, AppError::NeedsModel { strategy } if *strategy == preset.name);
        let planned = bench.app.plan_shown(&spec.plan).await.err().unwrap();
        assert!(refused(&planned), "{planned:?}");
        let run = bench.app.compact(spec.clone()).await.unwrap_err();
        assert!(refused(&run), "{run:?}");
        // A method that the offline summarizer can run takes the need away.
        spec.plan.set = object(json!({ "summarize.kind": "digest" }));
        assert!(
            bench.app.plan_shown(&spec.plan).await.is_ok(),
            "{}",
            preset.name
        );
    }
    let mut switched = bench.spec("memory-stream").plan;
    switched.provider = None;
    switched.set = object(json!({ "budget_tokens": 1, "summarize.kind": "reflect" }));
    let refused = bench.app.plan_shown(&switched).await.err().unwrap();
    assert!(
        matches!(refused, AppError::NeedsModel { .. }),
        "{refused:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn each_that_is_cancelled_leaves_one_whole_row() {
    for preset in Preset::built_in() {
        // One for each: what a cancelled run left in the server's queue is not for the next.
        let bench = bench();
        let mut spec = bench.spec(&preset.name);
        spec.plan.set = settings(&bench, &preset.name);
        if preset.needs == Needs::Program {
            let script = format!("printf '{CAME}'; sleep 600");
            spec.plan
                .set
                .insert("command".to_owned(), json!(bench.script(&script)));
        }
        let planned = bench.app.plan(&spec.plan).unwrap();
        let plan = planned.plan.unwrap();
        let calls = &plan.calls;
        if calls.iter().all(|call| call.worker == Worker::Offline) {
            // Its summary is made at once: there is no middle.
            continue;
        }
        // The first half is answered, all others begin and then say nothing more.
        for at in 0..calls.len() {
            let text = format!("## Goal\nreply {at}");
            bench.server.push(if at < calls.len() / 2 {
                Scripted::text(&[&text])
            } else {
                TextReply::new(&[CAME]).ending(Ending::Stalled).into()
            });
        }
        let run = bench.app.compact(spec).await.unwrap();
        let name = &preset.name;
        assert_eq!(
            run.row.status,
            RunStatus::Cancelled,
            "{name} {:?}",
            run.row.error
        );
        let kept = bench.only_row();
        assert_eq!(run, kept, "{name}");
        assert!(kept.row.finished_at_ms.is_some() && kept.details.recipe.is_none());
        assert!(kept.calls.len() <= calls.len() / 2, "{name}");
        // What was answered, then what came of those that were not.
        let replies: String = kept
            .calls
            .iter()
            .map(|call| format!("{}\n\n", call.reply))
            .collect();
        let text = kept.row.summary.unwrap();
        let came = text
            .strip_prefix(&replies)
            .unwrap_or_else(|| panic!("{name}: {text}"));
        assert!(
            came.split("\n\n").all(|part| part == CAME),
            "{name}: {text}"
        );
        assert!(bench.app.replay(&kept.row.id).is_err(), "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_call_is_had_with_its_texts_and_lent_prompts_are_named() {
    let bench = bench();
    let mut spec = bench.spec("parallel-stitch").plan;
    spec.strategy = Some("pi".to_owned());
    spec.set = object(json!({
        "summarize.method.kind": "slices",
        "summarize.method.slice_tokens": 300,
        "select.keep_recent_tokens": 0,
        "prompts.slice": "Only this: {{conversation}}",
    }));
    let planned = bench.app.plan(&spec).unwrap();
    let calls = &planned.record.calls;
    assert!(calls.len() > 2, "{} calls", calls.len());
    for (number, call) in calls.iter().enumerate() {
        let brief = crate::run::PlanSpec {
            brief: number == 0,
            ..spec.clone()
        };
        let one = bench.app.planned_call(&brief, None, number).await.unwrap();
        assert_eq!(&one, call);
    }
    let none = bench.app.planned_call(&spec, None, calls.len()).await;
    let said = none.unwrap_err().to_string();
    assert!(said.contains("none with the number"), "{said}");

    let lent = |path| planned.lent.iter().find(|own| own.spec.path == path);
    let slice = lent("prompts.slice").expect("slices are no kind of pi's");
    assert_ne!(slice.spec.default, json!("Only this: {{conversation}}"));
    assert!(Preset::named(slice.from).is_some() && slice.from != "pi");
    let used = planned.record.prompts.iter();
    let used = used.filter(|own| own.place == "slice");
    let by: Vec<_> = used.map(|own| own.by).collect();
    assert_eq!(by, [crate::prompts::UsedBy::User], "a run names it");
}

#[test]
fn where_nothing_is_to_be_done_the_sizes_and_the_hint_are_those_of_the_place() {
    let bench = Bench::new(ProviderKind::OpenAi);
    let mut spec = bench.spec("pi").plan;
    spec.set = object(json!({ "keep_recent_tokens": 1_000_000 }));
    let at_leaf = bench.app.plan(&spec).unwrap().record;
    assert_eq!(at_leaf.kind, PlanKind::Nothing);
    let sizes = at_leaf.sizes();
    assert!(sizes.before > 0 && sizes.before == sizes.after, "{sizes:?}");
    // The value that is named works.
    let works = |spec: &PlanSpec, step: &Option<NextStep>, is_later: bool| {
        let Some(NextStep::KeepLess {
            later,
            setting: Some(setting),
        }) = step
        else {
            panic!("no value is named: {step:?}");
        };
        assert_eq!(*later, is_later);
        let mut less = spec.clone();
        less.set = object(json!({ setting.name.as_str(): setting.value }));
        let plan = bench.app.plan(&less).unwrap().record;
        assert_eq!(plan.kind, PlanKind::Compaction, "{setting:?}");
    };
    works(&spec, &at_leaf.next_step, false);
    spec.at = Some("line:3".to_owned());
    let before = bench.app.plan(&spec).unwrap().record;
    match &before.next_step {
        Some(NextStep::KeepLess { setting: None, .. }) => {}
        step => works(&spec, step, true),
    }
}
