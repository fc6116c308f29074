//! What runs differ in, what users write about them, runs under way, prompts that were used.

use super::{Bench, object};
use crate::run::differing_by_cut;
use palimpsest_llm::ProviderKind;
use palimpsest_testkit::llm_server::{Ending, TextReply};
use serde_json::json;
use std::time::Duration;

async fn run(bench: &Bench, keep: u64, instructions: Option<&str>) -> String {
    let mut spec = bench.spec("pi");
    spec.plan.set = object(json!({ "keep_recent_tokens": keep }));
    spec.plan.instructions = instructions.map(str::to_owned);
    spec.plan.provider = Some("offline".to_owned());
    bench.app.compact(spec).await.unwrap().row.id
}

#[tokio::test]
async fn runs_of_one_cut_say_only_what_they_differ_in() {
    let bench = Bench::new(ProviderKind::OpenAi);
    run(&bench, 475, None).await;
    run(&bench, 475, Some("Keep ports.")).await;
    let runs = bench.app.runs(None).unwrap();
    let differing = differing_by_cut(&runs);
    let shown: Vec<Vec<(&str, &str)>> = differing
        .iter()
        .map(|own| {
            let own = own.iter();
            own.map(|setting| (setting.label.as_str(), setting.value.as_str()))
                .collect()
        })
        .collect();
    assert_eq!(
        shown,
        [vec![("Custom instructions", "instructions@1")], vec![]]
    );
    let texts = bench
        .app
        .differing_with_texts(&runs.iter().collect::<Vec<_>>())
        .unwrap();
    assert_eq!(texts[0][0].text.as_deref(), Some("Keep ports."));
    run(&bench, 1_500, None).await;
    let runs = bench.app.runs(None).unwrap();
    let newest = &differing_by_cut(&runs)[0];
    let keys: Vec<&str> = newest.iter().map(|own| own.key.as_str()).collect();
    assert_eq!(keys, ["keep_recent_tokens", "cut"]);
}

#[tokio::test]
async fn a_name_and_a_note_stay_with_a_run_until_it_is_deleted() {
    let bench = Bench::new(ProviderKind::OpenAi);
    let id = run(&bench, 475, None).await;
    bench
        .app
        .note_run(&id, " shorter ", "lost the ports")
        .unwrap();
    let kept = bench.only_row();
    assert_eq!(kept.note.name.as_deref(), Some("shorter"));
    assert_eq!(kept.note.note.as_deref(), Some("lost the ports"));
    assert_eq!(bench.app.run_named(&id).unwrap(), kept);
    bench.app.note_run(&id, "", "").unwrap();
    assert_eq!(bench.only_row().note, Default::default());
    bench.app.note_run(&id, "again", "").unwrap();
    bench.app.delete_run(&id).unwrap();
    assert!(bench.app.note_run(&id, "gone", "").is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_under_way_is_listed_with_its_text_until_it_ends() {
    let bench = Bench::new(ProviderKind::OpenAi);
    bench
        .server
        .push(TextReply::new(&["half a summary"]).ending(Ending::Stalled));
    let mut spec = bench.spec("pi");
    spec.plan.instructions = Some("Keep ports.".to_owned());
    let app = bench.app.clone();
    let running = tokio::spawn(async move { app.compact(spec).await });
    let text = loop {
        let listed = bench.app.runs_under_way();
        if let Some((_, (_, text))) = listed.first().and_then(|run| run.texts.first_key_value()) {
            assert_eq!(listed[0].stream, "here");
            assert_eq!(listed[0].provider, "mine");
            assert_eq!(listed[0].instructions.as_deref(), Some("Keep ports."));
            assert!(listed[0].heard_at_ms >= listed[0].started_at_ms);
            break text.clone();
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    };
    assert_eq!(text, "half a summary");
    bench.app.cancel("here");
    running.await.unwrap().unwrap();
    assert_eq!(bench.app.runs_under_way(), []);
}

#[tokio::test]
async fn prompts_are_scored_by_the_runs_that_used_them_and_keep_that_under_another_name() {
    let bench = Bench::new(ProviderKind::OpenAi);
    run(&bench, 475, Some("Keep ports.")).await;
    run(&bench, 1_500, Some("Keep ports.")).await;
    run(&bench, 475, None).await;
    let saved = bench.app.prompt("instructions").unwrap();
    let scores = bench.app.prompt_scores().unwrap();
    assert_eq!(scores.len(), 1);
    assert_eq!(scores[0].hash, saved.content_hash);
    assert_eq!((scores[0].done, scores[0].failed), (2, 0));
    assert!(
        scores[0]
            .retained
            .is_some_and(|share| (0.0..=1.0).contains(&share))
    );
    bench.app.rename_prompt("instructions", "ports").unwrap();
    assert_eq!(bench.app.prompt("ports@1").unwrap().text, "Keep ports.");
    assert!(bench.app.prompt("instructions").is_err());
    assert!(bench.app.rename_prompt("ports", "a=b").is_err());
    assert!(bench.app.rename_prompt("gone", "other").is_err());
}

#[tokio::test]
async fn a_custom_strategy_is_renamed_and_a_taken_name_is_refused() {
    let bench = Bench::new(ProviderKind::OpenAi);
    let set = object(json!({ "keep_recent_tokens": 900 }));
    for name in ["mine", "other"] {
        bench.app.save_preset(name, "", "pi", &set, false).unwrap();
    }
    assert!(bench.app.rename_preset("mine", "other").is_err());
    assert!(bench.app.rename_preset("mine", "pi").is_err());
    assert!(bench.app.rename_preset("mine", "../x").is_err());
    let path = bench.app.rename_preset("mine", "better").unwrap();
    assert!(path.ends_with("better.json"));
    assert_eq!(bench.app.preset("better").unwrap().name, "better");
    assert!(bench.app.preset("mine").is_err());
}
